"""Reading for volume: pages as the bytes they came in, and what is known of a set of items loaded from them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from typing import Protocol, Self

from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ReadPlan


@dataclass(frozen=True, slots=True)
class RawPage:
    """One reply of a Query or Scan, proven whole, its items not looked into."""

    texts: bytes
    """The JSON objects of its items, as they came, one right after the other: UTF-8."""
    offsets: array[int]
    """Of each item where it starts in `texts`, and where the last one ends: 64 bits, signed."""
    count: int
    scanned: int
    """Items read before any filter."""
    cursor: str | None
    """Where the next page starts, as the JSON text that the service gave; None: the end of this part."""
    units: Decimal | None
    """Read units as the service counted them; None where it does not say."""
    received: str
    """When the last byte came: UTC, ISO 8601."""

    @classmethod
    def of(
        cls, items: Sequence[bytes], *, scanned: int, cursor: str | None, units: Decimal | None, received: str
    ) -> Self:
        offsets = array("q", accumulate(map(len, items), initial=0))
        return cls(b"".join(items), offsets, len(items), scanned, cursor, units, received)


class RawPageReader(Protocol):
    """Raises what `PageReader` raises."""

    def raw_pages(
        self, plan: ReadPlan, ticket: Ticket, *, start: str | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[RawPage]:
        """The pages of a Query, or of one segment of a Scan, from the cursor `start` on."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the items of a loaded set come from. It goes wherever their numbers go."""

    source: str
    """In words: `Scan of Social`, `Query of Social, PK POST#a91f`, `file items.jsonl`."""
    endpoint: str
    """"" for files."""
    table: str
    """"" for files of which no table is known."""
    index: str | None
    consistent: bool
    segments: int
    first_page: str
    last_page: str
    """UTC, ISO 8601; "" where nothing was read."""
    pages: int
    items: int
    units: Decimal
    complete: bool
    why_partial: str = ""
    """Empty for a complete set."""
