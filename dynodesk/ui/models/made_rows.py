"""Rows of a grid that are made when they are looked at: however many there are, only those on the screen cost time."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from dynodesk.ui.pages.reconcile_rows import NO_INDEX, Column, Index, RowsModel
from dynodesk.ui.theme import Row

KEPT = 500
"""Rows made that are kept: a few screens."""


class MadeRows(RowsModel):
    """A subclass makes them, each once until it is said to be another one."""

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(columns, parent)
        self._count = 0
        self._made: dict[int, Row] = {}

    def make(self, row: int) -> Row:
        raise NotImplementedError

    def set_count(self, count: int) -> None:
        """So many rows, all of them others."""
        self.beginResetModel()
        self._count = count
        self._made.clear()
        self.endResetModel()

    def show_again(self, at: int | None = None) -> None:
        """A row, or all of them, say something else now; what is chosen stays so."""
        self._made.clear()
        first, last = (0, self._count - 1) if at is None else (at, at)
        if last >= 0:
            self.dataChanged.emit(self.index(first, 0), self.index(last, self.columnCount() - 1))

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else self._count

    def row_at(self, row: int) -> Row:
        made = self._made.get(row)
        if made is None:
            if len(self._made) >= KEPT:
                self._made.clear()
            made = self._made[row] = self.make(row)
        return made
