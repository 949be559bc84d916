"""Staged edits as rows: each item with what is to become of it, and its changed attributes beneath."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject

from dynodesk.domain.cells import visible
from dynodesk.domain.collections import Identity
from dynodesk.domain.edits import Change, Edit
from dynodesk.domain.index_writes import all_units, index_writes, units_words
from dynodesk.domain.item_json import readable, readable_key
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.dialogs.commit_rows import attributes_words, value_cell
from dynodesk.ui.models.made_rows import MadeRows
from dynodesk.ui.pages.reconcile_rows import ROLE, Column, Index
from dynodesk.ui.theme import Cell, Row
from dynodesk.ui.widgets.tips import plain_tip

COLUMNS = (
    Column("Item", 250),
    Column("Table", 100),
    Column("Attribute", 150),
    Column("Before", 190),
    Column("After", 190),
    Column("Write", 150),
)
ITEM, TABLE, ATTRIBUTE, BEFORE, AFTER, WRITE = range(6)
OPERATIONS = {"new": "PutItem", "edited": "UpdateItem", "deleted": "DeleteItem", "moved": "TransactWriteItems"}
EMPTY = Cell("", "text")


@dataclass(frozen=True, slots=True)
class Line:
    """A row: an edit, one of its changes, or both where it has no other."""

    edit: Edit
    change: Change | None
    is_head: bool


class ChangesModel(MadeRows):
    """What is shown of each is made when it is painted; the lines themselves are there."""

    def __init__(self, table: TableInfo, parent: QObject | None = None) -> None:
        """`table`: the one whose indexes are known."""
        super().__init__(COLUMNS, parent)
        self._table = table
        self._edits: tuple[Edit, ...] = ()
        self._lines: list[Line] = []
        self._unfolded: set[tuple[str, Identity]] = set()

    @property
    def lines(self) -> Sequence[Line]:
        return self._lines

    def show_edits(self, edits: tuple[Edit, ...]) -> None:
        self._edits = edits
        self._unfolded &= {(edit.table, edit.identity) for edit in edits} if self._unfolded else set()
        self._lines = [line for edit in edits for line in self._lines_of(edit)]
        self.set_count(len(self._lines))

    def line_at(self, row: int) -> Line | None:
        return self._lines[row] if 0 <= row < len(self._lines) else None

    def row_of(self, edit: Edit) -> int | None:
        """The first row of the edit of the same item."""
        place = (edit.table, edit.identity)
        rows = (row for row, line in enumerate(self._lines) if (line.edit.table, line.edit.identity) == place)
        return next(rows, None)

    def can_fold(self, line: Line) -> bool:
        return line.is_head and line.edit.kind in {"new", "deleted"}

    def toggle(self, line: Line) -> None:
        """Show the attributes of a new or deleted item beneath it, or hide them."""
        if self.can_fold(line):
            self._unfolded ^= {(line.edit.table, line.edit.identity)}
            self.show_edits(self._edits)

    def is_unfolded(self, line: Line) -> bool:
        return (line.edit.table, line.edit.identity) in self._unfolded

    def _lines_of(self, edit: Edit) -> list[Line]:
        if edit.kind in {"new", "deleted"}:
            head = Line(edit, None, is_head=True)
            return [head, *self._beneath(edit)] if self.is_unfolded(head) else [head]
        changes = edit.changes
        if len(changes) == 1:
            return [Line(edit, changes[0], is_head=True)]
        return [Line(edit, None, is_head=True), *self._beneath(edit)]

    def _beneath(self, edit: Edit) -> list[Line]:
        return [Line(edit, change, is_head=False) for change in edit.changes]

    # -- Qt's questions

    def make(self, row: int) -> Row:
        line = self._lines[row]
        edit, change = line.edit, line.change
        if change is None:
            attribute, before, after = self._summary(line)
        else:
            attribute = Cell(visible(str(change.path)), "S")
            before = value_cell(change.before, "text2")
            after = Cell("removed", "text", ink="danger") if change.after is None else value_cell(change.after)
        if not line.is_head:
            return Row((EMPTY, EMPTY, attribute, before, after, EMPTY))
        units = f"{OPERATIONS[edit.kind]}, {self._units(edit)}"
        return Row(
            (
                Cell(visible(edit.title), "key"),
                Cell(visible(edit.table), "text", ink="text2"),
                attribute,
                before,
                after,
                Cell(units, "text", ink="text2"),
            ),
            staged=edit.kind,
        )

    def _units(self, edit: Edit) -> str:
        if edit.table != self._table.name:
            return f"{edit.units:,} WCU, and what indexes take"
        return f"{all_units(edit, self._table):,} WCU"

    def _summary(self, line: Line) -> tuple[Cell, Cell, Cell]:
        edit = line.edit
        count = attributes_words(len(edit.changes))
        if edit.kind == "moved":
            return Cell(count, "text"), EMPTY, Cell(f"to {visible(readable_key(edit.new_key))}", "S")
        if edit.kind == "edited":
            return Cell(count, "text"), EMPTY, EMPTY
        sign = "▾" if self.is_unfolded(line) else "▸"
        whole = Cell(f"{sign} {count}", "text")
        if edit.kind == "deleted":
            return whole, Cell("as read", "text", ink="text2"), Cell("deleted", "text", ink="danger")
        return whole, Cell("none", "text", ink="text2"), Cell("new item", "text", ink="ok")

    def data(self, index: Index, role: int = ROLE.DisplayRole) -> Any:
        if role == ROLE.ToolTipRole and index.isValid():
            return plain_tip(self._whole_text(self._lines[index.row()], index.column()))
        if role == ROLE.AccessibleTextRole and index.isValid():
            cell = self.row_at(index.row()).cells[index.column()]
            return "missing" if cell.kind == "missing" else cell.text
        return super().data(index, role)

    def _whole_text(self, line: Line, column: int) -> str:
        """What the cell stands for, however long, its unseen characters marked."""
        change = line.change
        if column == ITEM:
            return f"{visible(line.edit.title)}, {line.edit.kind}"
        if column == WRITE and line.is_head:
            edit = line.edit
            if edit.table != self._table.name:
                return self._units(edit)
            return units_words(edit.units, index_writes(edit.before, edit.after, self._table))
        if change is None or column not in {ATTRIBUTE, BEFORE, AFTER}:
            return ""
        if column == ATTRIBUTE:
            return visible(str(change.path))
        value = change.before if column == BEFORE else change.after
        return "missing" if value is None else visible(readable(value))
