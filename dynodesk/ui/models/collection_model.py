"""Loaded items as a table of Qt: a translation of `LoadedRows`, which holds all state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from dynodesk.domain.cells import cell_kind, cell_text, visible
from dynodesk.domain.collections import (
    Collection,
    Entry,
    Extent,
    Identity,
    Line,
    LoadedRows,
    Prepared,
    View,
)
from dynodesk.ui.theme import CELL, ROW, Cell, Row

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()

_PLAIN, _LINKED = Row(()), Row((), linked=True)
_MISSING, _UNPROJECTED = Cell(kind="missing"), Cell(kind="unprojected")
_SPOKEN = {"missing": "missing", "unprojected": "not projected"}


class CollectionModel(QAbstractTableModel):
    """Rows are collection headers and items, columns are attributes.

    Cells are made when asked for and not kept. While items stream in, rows and columns are only added: it is reset
    when another reading is shown, or when grouping changes.
    """

    def __init__(self, rows: LoadedRows, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows = rows
        self._columns: list[str] = []
        self._unprojected: list[str] = []
        self._extent: Extent = "so far"
        self._linked: Identity | None = None
        self._differing: dict[Identity, tuple[str, ...]] = {}
        self._set_columns()

    # -- what is shown

    @property
    def rows(self) -> LoadedRows:
        return self._rows

    @property
    def view(self) -> View:
        return self._rows.view

    @property
    def columns(self) -> Sequence[str]:
        """Attribute names, those last that the items have and the index does not carry."""
        return tuple(self._columns + self._unprojected)

    @property
    def differing(self) -> dict[Identity, tuple[str, ...]]:
        """Index copies that are not what the base has, with the attributes in question."""
        return self._differing

    @property
    def unprojected(self) -> Sequence[str]:
        return tuple(self._unprojected)

    @property
    def linked_entry(self) -> Entry | None:
        return None if self._linked is None else self._rows.find(self._linked)

    def line(self, index: Index) -> Line | None:
        return self._rows.lines[index.row()] if index.isValid() else None

    def entry(self, index: Index) -> Entry | None:
        line = self.line(index)
        return line if isinstance(line, Entry) else None

    def is_numeric(self, column: int) -> bool:
        name = self.columns[column]
        return 2 * self._rows.numbers[name] > self._rows.holders[name]

    # -- changing it

    def show(self, rows: LoadedRows, extent: Extent) -> None:
        """Show other rows, filled or still empty."""
        self.beginResetModel()
        self._rows, self._extent = rows, extent
        self._linked = None
        self._differing = {}
        self._unprojected = []
        self._set_columns()
        self.endResetModel()

    def append(self, prepared: Prepared) -> None:
        """Take in one portion of items: a thousand or so, to keep the window answering."""
        first = not self._rows.entries
        collections_before = len(self._rows.collections)
        insertions = self._rows.absorb(prepared)
        if first:  # they decide the order of columns
            self.beginResetModel()
            self._set_columns()
            self.endResetModel()
        else:
            self._add_columns()
        for insertion in insertions:
            self.beginInsertRows(NO_INDEX, insertion.row, insertion.row + len(insertion.lines) - 1)
            self._rows.insert(insertion)
            self.endInsertRows()
        if collections_before:
            self._repaint()  # the headers of collections that grew

    def _add_columns(self) -> None:
        fresh = [name for name in self._rows.columns() if name not in self._columns]
        if not fresh:
            return
        self._drop_unprojected([name for name in self._unprojected if name in fresh])
        at = len(self._columns)
        self.beginInsertColumns(NO_INDEX, at, at + len(fresh) - 1)
        self._columns += fresh
        self.endInsertColumns()

    def set_extent(self, extent: Extent) -> None:
        if extent != self._extent:
            self._extent = extent
            self._repaint()

    def set_linked(self, identity: Identity | None) -> None:
        if identity != self._linked:
            self._linked = identity
            self._repaint()

    def set_differing(self, differing: dict[Identity, tuple[str, ...]]) -> None:
        if differing != self._differing:
            self._differing = differing
            self._repaint()

    def set_unprojected(self, names: Sequence[str]) -> None:
        """Columns for attributes that the items have and this index does not carry."""
        wanted = [name for name in names if name not in self._columns]
        if wanted[: len(self._unprojected)] != self._unprojected:
            self._drop_unprojected([name for name in self._unprojected if name not in wanted])
        fresh = [name for name in wanted if name not in self._unprojected]
        if fresh:
            at = self.columnCount()
            self.beginInsertColumns(NO_INDEX, at, at + len(fresh) - 1)
            self._unprojected += fresh
            self.endInsertColumns()

    def toggle(self, row: int) -> None:
        """Fold or unfold the collection whose header is at `row`."""
        line = self._rows.lines[row]
        if not isinstance(line, Collection):
            return
        first, last = row + 1, row + len(line.entries)
        if line.is_open:
            self.beginRemoveRows(NO_INDEX, first, last)
            self._rows.fold(line, row)
            self.endRemoveRows()
        else:
            self.beginInsertRows(NO_INDEX, first, last)
            self._rows.unfold(line, row)
            self.endInsertRows()
        self.dataChanged.emit(self.index(row, 0), self.index(row, self.columnCount() - 1))

    def set_grouped(self, grouped: bool, ordered: Sequence[Entry] | None) -> None:
        if grouped == self._rows.grouped:
            return
        self.beginResetModel()
        self._rows.arrange(grouped=grouped, ordered=ordered)
        self._set_columns()
        self.endResetModel()

    def reorder(self, ordered: Sequence[Entry] | None) -> None:
        """Show the same items in another order; None: in read order. Selection and current cell move along."""
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        lines = [self._rows.lines[index.row()] for index in kept]
        self._rows.arrange(grouped=self._rows.grouped, ordered=ordered)
        wanted = {id(line) for line in lines}
        found = {id(line): row for row, line in enumerate(self._rows.lines) if id(line) in wanted}
        moved = [
            self.index(found[id(line)], index.column()) if id(line) in found else NO_INDEX
            for index, line in zip(kept, lines, strict=True)
        ]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _set_columns(self) -> None:
        self._columns = self._rows.columns()
        self._unprojected = [name for name in self._unprojected if name not in self._columns]

    def _drop_unprojected(self, names: Sequence[str]) -> None:
        for name in names:
            at = len(self._columns) + self._unprojected.index(name)
            self.beginRemoveColumns(NO_INDEX, at, at)
            self._unprojected.remove(name)
            self.endRemoveColumns()

    def _repaint(self) -> None:
        if self._rows.lines:
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    # -- Qt's questions

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows.lines)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._columns) + len(self._unprojected)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line = self._rows.lines[index.row()]
        if role == ROW:
            return self._row(line)
        if role == CELL:
            return _MISSING if isinstance(line, Collection) else self._cell(line, index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            if isinstance(line, Collection):
                return self._heading(line) if index.column() == 0 else ""
            return self._cell(line, index.column()).text
        if role == Qt.ItemDataRole.AccessibleTextRole and isinstance(line, Entry):
            cell = self._cell(line, index.column())
            return " ".join(filter(None, [cell.entity, _SPOKEN.get(cell.kind, cell.text), "differs" * cell.differs]))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical or not 0 <= section < self.columnCount():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return visible(self.columns[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if self.is_numeric(section) else Qt.AlignmentFlag.AlignLeft
            return Qt.AlignmentFlag.AlignVCenter | side
        return None

    def _heading(self, collection: Collection) -> str:
        return f"{visible(collection.title)}, {collection.note(self.view, self._extent)}"

    def _row(self, line: Line) -> Row:
        if isinstance(line, Collection):
            title = visible(line.title) or "no key"  # an empty title would make it look like an item's row
            return Row((), group=title, folded=not line.is_open, note=line.note(self.view, self._extent))
        return _LINKED if line.identity == self._linked else _PLAIN

    def _cell(self, entry: Entry, column: int) -> Cell:
        name = self._columns[column] if column < len(self._columns) else ""
        value = entry.item.get(name)
        entity = entry.entity if column == 0 else ""
        if not name:
            return _UNPROJECTED
        differs = name in self._differing.get(entry.identity, ())
        if value is None:
            return Cell(kind="missing", entity=entity, differs=differs) if entity or differs else _MISSING
        kind = cell_kind(value)
        if column == 0 and kind == "S":
            kind = "key"
        return Cell(cell_text(value), kind, entity, "warn" if differs else "", differs)
