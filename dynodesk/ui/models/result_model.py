"""The rows of a result for a grid: any number of them, of which a few windows are held at a time."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from dynodesk.domain.cells import MAX_SHOWN, visible
from dynodesk.ui.theme import CELL, ROW, Cell, Row

if TYPE_CHECKING:
    from dynodesk.workbench.results import ColumnKind, Result

Index = QModelIndex | QPersistentModelIndex

WINDOW_ROWS = 256
WINDOWS_KEPT = 32
MOST_ROWS = 2**31 // 64
"""Rows that a grid can scroll over: Qt counts its height in 32 bits. The rest is in an export."""

_KINDS: dict[ColumnKind, str] = {"number": "N", "text": "S", "boolean": "bool", "binary": "B", "json": "map"}
_NO_ROW = Row(())
_NOWHERE = QModelIndex()
_DISPLAY, _ALIGNMENT = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.TextAlignmentRole


@dataclass(frozen=True, slots=True)
class _Window:
    rows: list[tuple[str | None, ...]]
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    """Those that were painted, by row and column of the result."""


class ResultModel(QAbstractTableModel):
    """`DisplayRole` is the exact text of a value, `NULL` for none; `CELL` is what fits on one line."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._result: Result | None = None
        self._is_partial = False
        self._windows: OrderedDict[int, _Window] = OrderedDict()

    def show_result(self, result: Result | None, *, is_partial: bool = False) -> None:
        """Whoever hands a result over closes it once another is shown."""
        self.beginResetModel()
        self._result, self._is_partial = result, is_partial
        self._windows.clear()
        self.endResetModel()

    @property
    def result(self) -> Result | None:
        return self._result

    @property
    def is_partial(self) -> bool:
        """Its numbers come from a set that is not complete."""
        return self._is_partial

    def row(self, at: int) -> tuple[str | None, ...]:
        """The exact texts of a row, None for NULL."""
        return self._window(at).rows[at % WINDOW_ROWS]

    def _window(self, at: int) -> _Window:
        number = at // WINDOW_ROWS
        window = self._windows.get(number)
        if window is None:
            if self._result is None:
                raise IndexError(at)
            window = self._windows[number] = _Window(self._result.rows(number * WINDOW_ROWS, WINDOW_ROWS))
            if len(self._windows) > WINDOWS_KEPT:
                self._windows.popitem(last=False)
        self._windows.move_to_end(number)
        return window

    def is_right(self, column: int) -> bool:
        return self._result is not None and self._result.columns[column].kind == "number"

    # -- Qt's questions

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() or self._result is None else min(len(self._result), MOST_ROWS)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() or self._result is None else len(self._result.columns)

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        # Asked twice for each cell that is painted: what is asked for most comes first, and costs least.
        if role == ROW:
            return _NO_ROW
        if role == CELL:
            row, column = index.row(), index.column()
            if row < 0:
                return None
            cells = self._window(row).cells
            cell = cells.get((row, column))
            if cell is None:
                cell = cells[row, column] = self._cell(self.row(row)[column], column)
            return cell
        if not index.isValid():
            return None
        if role == _DISPLAY:
            value = self.row(index.row())[index.column()]
            return "NULL" if value is None else value
        if role == _ALIGNMENT:
            side = Qt.AlignmentFlag.AlignRight if self.is_right(index.column()) else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _cell(self, value: str | None, column: int) -> Cell:
        kind = "text" if self._result is None else self._result.columns[column].kind
        if value is None:
            return Cell("NULL", "N" if kind == "number" else "null", ink="muted")
        if not value:
            return Cell('""', "empty")
        if kind != "number" and len(value) > MAX_SHOWN:
            value = value[:MAX_SHOWN] + "…"
        return Cell(visible(value), _KINDS[kind])

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal or self._result is None:
            return None
        column = self._result.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            partial = ", partial" if self._is_partial and column.kind == "number" else ""
            return visible(column.name) + partial
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"<qt>{escape(f'{visible(column.name)}: {column.type}')}</qt>"  # never taken as markup
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if self.is_right(section) else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None
