"""What the items of raw pages are, for who wants to compare them."""

from __future__ import annotations

from itertools import pairwise

from dynodesk.domain.bulk import RawPage


def texts_of(page: RawPage) -> list[bytes]:
    """The JSON text of each item."""
    return [page.texts[start:end] for start, end in pairwise(page.offsets)]
