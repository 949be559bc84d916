"""Finding a text in the lines of a grid: which rows have it, and in how many cells."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dynodesk.domain.collections import Entry, Line
from dynodesk.domain.foreground import foreground
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.text_search import Sought

ROWS_AT_ONCE, GIVES_WAY_EVERY = 2_000, 64


@dataclass(eq=False)
class Matches:
    """Cells that hold what is sought, by row: rows in ascending order, and how many cells up to each."""

    rows: array[int] = field(default_factory=lambda: array("Q"))
    cells: array[int] = field(default_factory=lambda: array("Q"))

    @property
    def count(self) -> int:
        """Cells."""
        return self.cells[-1] if self.cells else 0

    def add(self, more: Matches) -> None:
        """Those of rows further down."""
        before = self.count
        self.rows.extend(more.rows)
        self.cells.extend(before + cells for cells in more.cells)

    def before(self, row: int) -> int:
        """Cells in rows above this one."""
        at = bisect_left(self.rows, row)
        return self.cells[at - 1] if at else 0

    def has(self, row: int) -> bool:
        at = bisect_left(self.rows, row)
        return at < len(self.rows) and self.rows[at] == row

    def after(self, row: int) -> int | None:
        """The next row below with a match, from the top again at the end; None where there is none at all."""
        if not self.rows:
            return None
        return self.rows[bisect_right(self.rows, row) % len(self.rows)]

    def above(self, row: int) -> int | None:
        return self.rows[bisect_left(self.rows, row) - 1] if self.rows else None


def columns_with(line: Line, sought: Sought, columns: Sequence[str]) -> list[int]:
    """Numbers of the columns that hold it. The header of a collection is one cell."""
    if not isinstance(line, Entry):
        return [0] if sought.is_in_text(line.title) else []
    item = line.item
    return [at for at, name in enumerate(columns) if name in item and sought.is_in(item[name])]


def find_in(lines: Sequence[Line], sought: Sought, columns: Sequence[str], ticket: Ticket) -> Iterator[Matches]:
    """Matches in parts, from the top. Raises `Cancelled`.

    `lines` may change meanwhile; then what is found is worth nothing.
    """
    end = len(lines)
    for start in range(0, end, ROWS_AT_ONCE):
        ticket.checkpoint(Progress(start, end, "rows searched"))
        found = Matches()
        for row, line in enumerate(lines[start : min(end, start + ROWS_AT_ONCE)], start):
            if not row % GIVES_WAY_EVERY:
                foreground.give_way()
            matching = len(columns_with(line, sought, columns))
            if matching:
                found.rows.append(row)
                found.cells.append(found.count + matching)
        yield found
