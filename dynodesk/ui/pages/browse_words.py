"""What the foot of a pane says of its rows."""

from __future__ import annotations

from collections.abc import Sequence

from dynodesk.domain.cells import visible
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.reading import EVERYTHING, Reading
from dynodesk.ui.pages.browse_arranging import RowArranger

NAMED_AT_MOST = 4
"""Attributes named; more are counted."""


def arrangement_words(arranger: RowArranger, rows: LoadedRows, *, is_partial: bool) -> list[str]:
    if arranger.busy:
        return ["arranging the loaded rows…"]
    wish, words = arranger.wish, []
    if wish.filter is not None:
        words.append(f"{rows.shown:,} of {len(rows.entries):,} shown by the filter")
    if wish.sorting is not None:
        words.append(f"sorted by {visible(wish.sorting.attribute)}")
    return [", ".join([*words, *(["loaded rows only"] if is_partial else [])])] if words else []


def loaded_words(reading: Reading) -> str:
    count = f"{reading.count:,}"
    match reading.state:
        case "complete":
            return f"Complete: {count} of {count} rows loaded"
        case "reading":
            return f"Reading: {count} rows loaded"
        case "failed":
            after = f"after {reading.scanned:,} items read" if reading.scanned else "before anything was read"
            return f"Reading failed {after}, {count} rows loaded"
        case _:
            if reading.plan.filter is not None:
                return f"{count} found in the first {reading.scanned:,} items read, more in the {reading.whole}"
            return f"First {count} items read, more in the {reading.whole}"


TRY_AGAIN = "Try again"


def more_words(items: int) -> str:
    return "Load all" if items == EVERYTHING else f"Load {items:,} more"


def listed(names: Sequence[str]) -> str:
    shown = [visible(name) for name in names[:NAMED_AT_MOST]]
    if len(names) > NAMED_AT_MOST:
        shown.append(f"{len(names) - NAMED_AT_MOST} more")
    return ", ".join(shown)
