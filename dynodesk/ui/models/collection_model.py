"""Loaded items as a table of Qt: a translation of `LoadedRows`, which holds all state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from dynodesk.domain.cells import cell_kind, cell_text, visible
from dynodesk.domain.collection_facts import facts_of
from dynodesk.domain.collections import (
    Collection,
    Entry,
    Extent,
    Identity,
    Line,
    Prepared,
    View,
    prepare,
)
from dynodesk.domain.column_choice import ColumnChoice
from dynodesk.domain.entities import EntityTypes
from dynodesk.domain.index_copies import OtherHalves
from dynodesk.domain.loaded_rows import Arrangement, LoadedRows
from dynodesk.domain.text_search import Sought
from dynodesk.domain.values import Item
from dynodesk.ui.theme import CELL, ROW, Cell, Row

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()

_MISSING, _UNPROJECTED = Cell(kind="missing"), Cell(kind="unprojected")
_SPOKEN = {"missing": "missing", "unprojected": "not projected"}


class CollectionModel(QAbstractTableModel):
    """Rows are collection headers and items, columns are attributes.

    Cells are made when asked for and not kept. While items stream in, rows and columns are only added: it is reset
    when another reading is shown, or when other rows or columns of it are.
    """

    about_to_rearrange = Signal()
    """Rows that stay will be elsewhere. It comes before Qt's own signals, at which each selected cell is noted."""
    remarked = Signal()
    """What stands in the first column beside the key, or how items are named, has changed."""

    def __init__(self, rows: LoadedRows, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows = rows
        self._columns: list[str] = []
        self._unprojected: list[str] = []
        self._extent: Extent = "so far"
        self._linked: Identity | None = None
        self._choice = ColumnChoice()
        self._staged: Mapping[Identity, str] = {}
        self._afterwards: Mapping[Identity, Item] = {}
        self._sought: Sought | None = None
        self._types = EntityTypes()
        self._halves = OtherHalves()
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
    def choice(self) -> ColumnChoice:
        return self._choice

    @property
    def keys(self) -> Sequence[str]:
        """Key attributes that are columns: they stand first and are always shown."""
        return self.view.key_columns(grouped=self._rows.grouped)

    @property
    def usual_columns(self) -> Sequence[str]:
        """All columns there are, hidden ones too, in the order that nobody has changed."""
        return (*self._rows.columns(), *self._unprojected)

    @property
    def has_differences(self) -> bool:
        """Whether copies are marked as not what the base has."""
        return bool(self._halves.differing or self._halves.gone)

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
        self._halves = OtherHalves()
        self._unprojected = []
        self._set_columns()
        self.endResetModel()

    def append(self, prepared: Prepared) -> None:
        """Take in one portion of items: a thousand or so, to keep the window answering."""
        first = not self._rows.entries
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
        if self._rows.grouped and not first:
            self._repaint()  # the headers of collections that grew

    def take_written(self, now: Mapping[Identity, Entry | None]) -> bool:
        """As `LoadedRows.take_written`: True where the rows are to be arranged anew."""
        rearranges = self._rows.take_written(now)
        self._add_columns()
        self._repaint()
        return rearranges

    def _add_columns(self) -> None:
        shown = set(self._columns)
        usual = [name for name in self._rows.columns() if name not in shown]
        fresh = self._choice.shown(usual, ()) if usual else []
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

    def set_halves(self, halves: OtherHalves) -> None:
        """Mark how items differ from their other halves."""
        if halves != self._halves:
            self._halves = halves
            self._repaint()
            self.remarked.emit()

    def set_types(self, types: EntityTypes) -> None:
        """Name the items by other rules."""
        if types != self._types:
            self._types = types
            self._repaint()
            self.remarked.emit()

    def entity_of(self, entry: Entry) -> str:
        """The word for what the item is; "" where its keys say nothing."""
        return self._types.word_of(entry.item, self.view.table.key_schema)

    def remark_on(self, entry: Entry) -> str:
        """How the item's other half differs from it, in a word or two."""
        return self._halves.remark(entry.identity, entry.item)

    @property
    def staged_words(self) -> set[str]:
        """What is said beside the keys of rows that are to be written."""
        return {word for identity, word in self._staged.items() if self._rows.find(identity) is not None}

    def explain(self, entry: Entry) -> str:
        """The same in a sentence, with the reason; "" where nothing differs."""
        return self._halves.explanation(entry.identity, entry.item)

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

    def adopt(self, made: Arrangement) -> bool:
        """Show other lines of the same items. False where the rows have changed too much since they were made.

        Selection and current cell move along where all rows stay; else the model is reset.
        """
        rows = self._rows
        if made.changes != rows.changes:
            return False
        if made.wish.grouped != rows.grouped or len(made.lines) != len(rows.lines) or made.count != len(rows.entries):
            self.beginResetModel()
            rows.adopt(made)
            self._set_columns()
            self.endResetModel()
        else:
            self._reorder(made)
        return True

    def _reorder(self, made: Arrangement) -> None:
        self.about_to_rearrange.emit()
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        before = list(dict.fromkeys(index.row() for index in kept))
        lines = [self._rows.lines[row] for row in before]
        self._rows.adopt(made)
        after = dict(zip(before, self._rows.rows_of(lines), strict=True))
        moved = [NO_INDEX if (row := after[index.row()]) is None else self.index(row, index.column()) for index in kept]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def set_choice(self, choice: ColumnChoice) -> None:
        """Show other columns, or the same in another order."""
        if choice != self._choice:
            self.beginResetModel()
            self._choice = choice
            self._set_columns()
            self.endResetModel()

    def set_staged(
        self, kinds: Mapping[Identity, str], afterwards: Mapping[Identity, Item] | None = None, new: Sequence[Item] = ()
    ) -> None:
        """Mark the items that are to be written.

        kinds: `new`, `edited`, `deleted` or `moved` by the identity of the base table's key. afterwards: items as they
        will be, which are shown in place of those read. new: items to be shown below those of their collection.
        """
        before = self._staged
        self._staged, self._afterwards = dict(kinds), dict(afterwards or {})
        entries = prepare(new, self.view).entries
        if {entry.identity: entry.item for entry in entries} == {e.identity: e.item for e in self._rows.staged}:
            self._repaint()
            if self._staged != before:
                self.remarked.emit()
            return
        self.beginResetModel()
        self._rows.set_staged(entries)
        self.endResetModel()

    def set_sought(self, sought: Sought | None) -> None:
        """Mark the cells that hold a text."""
        if sought != self._sought:
            self._sought = sought
            self._repaint()

    def _set_columns(self) -> None:
        self._columns = self._choice.shown(self._rows.columns(), self.keys)
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
            return self._row(line, index.column())
        if role == CELL:
            return _MISSING if isinstance(line, Collection) else self._cell(line, index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            if isinstance(line, Collection):
                return self._heading(line) if index.column() == 0 else ""
            return self._cell(line, index.column()).text
        if role == Qt.ItemDataRole.AccessibleTextRole and isinstance(line, Entry):
            cell = self._cell(line, index.column())
            staged = self._staged.get(line.identity, "") if index.column() == 0 else ""
            spoken = _SPOKEN.get(cell.kind, cell.text)
            remark = self.remark_on(line) if index.column() == 0 else ""
            return " ".join(filter(None, [cell.entity, spoken, "differs" * cell.differs, staged, remark]))
        if role == Qt.ItemDataRole.ToolTipRole:
            said = self._tip(line, index.column())
            return f"<qt>{escape(said)}</qt>" if said else None  # never taken as markup
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
        return f"{visible(collection.title)}, {self._note(collection)}"

    def _note(self, collection: Collection) -> str:
        facts = facts_of(collection, self.view, self._extent).note
        return " · ".join(filter(None, [collection.note(self.view, self._extent), facts]))

    def _row(self, line: Line, column: int) -> Row:
        if isinstance(line, Collection):
            title = visible(line.title) or "no key"  # an empty title would make it look like an item's row
            word = self._word_of(line)
            folded, tint = not line.is_open, self._types.tint_of(word)
            return Row((), group=title, folded=folded, note=self._note(line), entity=word, tint=tint)
        staged = self._staged.get(line.identity, "") if self._staged else ""
        remark = self.remark_on(line) if column == 0 else ""
        ink = "muted" if remark and self._halves.beside is not None else "warn"  # that an index is sparse is no fault
        return _row_of_item(staged, line.identity == self._linked, remark, ink, bool(self.view.table.indexes))

    def _word_of(self, collection: Collection) -> str:
        first = next(iter(collection.shown), None)
        if first is None:
            return ""
        name = self.view.schema.partition[0].name
        return self._types.word_of_collection(first.item.get(name), self.view.table.key_schema)

    def _tip(self, line: Line, column: int) -> str:
        if isinstance(line, Collection):
            return facts_of(line, self.view, self._extent).explanation(self.view)
        if column >= len(self._columns):
            name = visible(self._unprojected[column - len(self._columns)])
            return f"{name} is not projected into {self.view.title}: its copies do not have it"
        return self.explain(line)

    def _cell(self, entry: Entry, column: int) -> Cell:
        name = self._columns[column] if column < len(self._columns) else ""
        item = self._afterwards.get(entry.identity, entry.item) if self._afterwards else entry.item
        value = item.get(name)
        entity = self.entity_of(entry) if column == 0 else ""
        tint = self._types.tint_of(entity) if entity else ""
        if not name:
            return _UNPROJECTED
        differs = name in self._halves.differing.get(entry.identity, ())
        if value is None:
            return Cell("", "missing", entity, tint, differs=differs) if entity or differs else _MISSING
        kind = cell_kind(value)
        if column == 0 and kind == "S":
            kind = "key"
        found = self._sought is not None and self._sought.is_in(value)
        return Cell(cell_text(value), kind, entity, tint, "warn" if differs else "", differs, found)


@lru_cache(maxsize=256)
def _row_of_item(staged: str, linked: bool, remark: str, ink: str, edge: bool) -> Row:
    return Row((), staged=staged, linked=linked, remark=remark, remark_ink=ink, edge=edge)
