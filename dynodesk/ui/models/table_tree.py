"""Connections, their tables, the tables' indexes as a tree, filtered by name. Thousands of tables are no matter.

A filter model of Qt's would ask Python about each row and tell the view about each gap between the rows that stay.
Here the rows that stay are found in one pass, and the view is told once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.tables import IndexInfo, TableInfo
from dynodesk.ui.theme import icon
from dynodesk.ui.widgets.trees import FACE, INK, NOTE

PLACE = Qt.ItemDataRole.UserRole + 10

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
AGE = "as last estimated by the service, up to six hours ago"


@dataclass(frozen=True, slots=True)
class Place:
    """What a row of the list stands for, or a page shows."""

    kind: Literal["connection", "tables", "table", "index", "details", "sql", "partiql", "rules", "request"]
    """From `details` on they are pages, and no rows."""
    connection: str
    table: str = ""
    index: str | None = None
    file: str = ""
    """The rules of a page of `rules`."""


def estimate(count: int | None) -> str:
    """An item count as the service last estimated it, which may be hours ago."""
    if count is None:
        return ""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= 10 * size:
            return f"≈ {count / size:.0f} {unit}"
    return f"≈ {count:,}"


def projection_words(index: IndexInfo) -> str:
    match index.projection.kind:
        case "ALL":
            return "all attributes"
        case "KEYS_ONLY":
            return "keys only"
        case "INCLUDE":
            return f"includes {len(index.projection.included)}"


def index_note(index: IndexInfo) -> str:
    """Which kind it is, and what it carries or what is being done to it."""
    if index.status == "ACTIVE":
        return f"{index.kind} · {projection_words(index)}"
    return f"{index.kind} · {'backfilling' if index.is_backfilling else index.status.lower()}"


@dataclass(slots=True, eq=False)
class _Node:
    place: Place
    parent: _Node | None
    text: str = ""
    note: str = ""
    said: str = ""
    """Of a heading: what stands there instead of a count."""
    glyph: str = ""
    ink: str = "text2"
    face: str = "ui"
    tip: str = ""
    children: list[_Node] = field(default_factory=list)
    """All of them."""
    shown: list[_Node] = field(default_factory=list)
    """Those that the filter keeps."""
    row: int = 0
    """Among those shown; -1 where it is not."""
    number: int = 0

    def show(self, nodes: list[_Node]) -> None:
        for node in self.shown:
            node.row = -1
        self.shown = nodes
        for row, node in enumerate(nodes):
            node.row = row


class TableTree(QAbstractItemModel):
    """One column. Rows are found again by what they stand for when a list is read anew."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._made = 0
        self._root = _Node(Place("connection", ""), None)
        self._nodes: dict[int, _Node] = {0: self._root}
        """By number, which is the internal id of the row's index; 0 is that of an index that is not valid."""
        self._needle = ""

    # -- what is in it

    def add_connection(self, key: str, name: str, glyph: str, note: str, ink: str, at: int) -> None:
        node = self._new(Place("connection", key), self._root, name, note, glyph)
        node.face, node.ink = "semibold", ink or "text2"
        self.beginInsertRows(NO_INDEX, at, at)
        self._root.children.insert(at, node)
        self._root.show(list(self._root.children))
        self.endInsertRows()

    def change_connection(self, key: str, *, name: str | None = None, note: str | None = None, ink: str = "") -> None:
        """`ink` goes with the name."""
        node = self._connection(key)
        if node is None:
            return
        if name is not None:
            node.text, node.ink = name, ink or "text2"
        node.note = node.note if note is None else note
        self._changed(node)

    def remove_connection(self, key: str) -> None:
        node = self._connection(key)
        if node is None:
            return
        self.beginRemoveRows(NO_INDEX, node.row, node.row)
        self._root.children.remove(node)
        self._root.show(list(self._root.children))
        self._forget(node)
        self.endRemoveRows()

    def connections(self) -> int:
        return len(self._root.children)

    def set_tables(self, key: str, names: Iterable[str], note: str = "", tip: str = "") -> None:
        """The tables of a connection. Those known already keep what is known of them, and their place in the view."""
        connection = self._connection(key)
        if connection is None:
            return
        if not connection.children:
            self._add_heading(connection)
        (heading,) = connection.children
        known = {node.text: node for node in heading.children}
        with_names = [
            known.pop(name) if name in known else self._new(Place("table", key, name), heading, name, glyph="table")
            for name in names
        ]
        heading.children = with_names
        heading.said, heading.tip = note, tip
        self._show_kept((heading,))
        for gone in known.values():
            self._forget(gone)

    def _add_heading(self, connection: _Node) -> None:
        heading = self._new(Place("tables", connection.place.connection), connection, "Tables")
        self.beginInsertRows(self._index(connection), 0, 0)
        connection.children = [heading]
        connection.show([heading])
        self.endInsertRows()

    def clear_tables(self, key: str) -> None:
        connection = self._connection(key)
        if connection is None or not connection.children:
            return
        (heading,) = connection.children
        self.beginRemoveRows(self._index(connection), 0, 0)
        connection.children = []
        connection.show([])
        self._forget(heading)
        self.endRemoveRows()

    def describe(self, key: str, found: dict[str, TableInfo | DynodeskError]) -> None:
        heading = self._heading(key)
        for node in () if heading is None else heading.children:
            info = found.get(node.text)
            if isinstance(info, DynodeskError):
                node.note, node.tip = "not described", info.message
                self._changed(node)
            elif info is not None:
                self._describe(node, info)

    def _describe(self, node: _Node, info: TableInfo) -> None:
        node.note = estimate(info.item_count_estimate) if info.status == "ACTIVE" else info.status.lower()
        node.tip = f"Items {AGE}." if node.note.startswith("≈") else ""
        made = []
        for index in info.indexes:
            place = Place("index", node.place.connection, info.name, index.name)
            row = self._new(place, node, index.name, index_note(index), "list-tree")
            row.tip = f"{index.kind}: {', '.join(index.key_schema.names)}"
            made.append(row)
        if [(row.text, row.note) for row in made] != [(row.text, row.note) for row in node.children]:
            self._replace_children(node, made)
        else:
            for unused in made:
                self._forget(unused)
        self._changed(node)

    def _replace_children(self, node: _Node, made: list[_Node]) -> None:
        old = node.children
        if node.row < 0:  # the view knows nothing of it
            node.children = made
            node.show(list(made))
            for gone in old:
                self._forget(gone)
            return
        if old:
            self.beginRemoveRows(self._index(node), 0, len(old) - 1)
            node.children = []
            node.show([])
            for gone in old:
                self._forget(gone)
            self.endRemoveRows()
        if made:
            self.beginInsertRows(self._index(node), 0, len(made) - 1)
            node.children = made
            node.show(list(made))
            self.endInsertRows()

    # -- the filter

    def set_needle(self, text: str) -> None:
        """Keeps the tables whose name contains the text; connections and indexes stay with what they belong to."""
        self._needle = text.strip().casefold()
        self._show_kept([heading for node in self._root.children for heading in node.children])

    def _show_kept(self, headings: Iterable[_Node]) -> None:
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        needle = self._needle
        for heading in headings:
            kept = heading.children
            heading.show([node for node in kept if needle in node.text.casefold()] if needle else list(kept))
            count = f"{len(kept):,}" if len(heading.shown) == len(kept) else f"{len(heading.shown):,} of {len(kept):,}"
            heading.note = heading.said or count
        self.changePersistentIndexList(before, [self._followed(index) for index in before])
        self.layoutChanged.emit()

    def _followed(self, index: QModelIndex) -> QModelIndex:
        node = self._nodes.get(index.internalId())
        if node is None or (node.parent is not None and node.parent.row < 0):
            return NO_INDEX
        return self._index(node)

    def matches(self, key: str) -> int:
        """Tables of a connection that the filter keeps."""
        heading = self._heading(key)
        return 0 if heading is None else len(heading.shown)

    # -- finding rows

    def find(self, place: Place) -> QModelIndex:
        """The row that stands for a place; an invalid index where it is not shown."""
        heading = self._heading(place.connection)
        if place.kind == "connection" or heading is None:
            node = self._connection(place.connection)
            return self._index(node) if node is not None and place.kind == "connection" else NO_INDEX
        if place.kind == "tables":
            return self._index(heading)
        table = next((node for node in heading.shown if node.text == place.table), None)
        if table is None or place.kind == "table":
            return NO_INDEX if table is None else self._index(table)
        return next((self._index(node) for node in table.shown if node.place == place), NO_INDEX)

    def first_table(self, key: str) -> QModelIndex:
        heading = self._heading(key)
        return self._index(heading.shown[0]) if heading is not None and heading.shown else NO_INDEX

    def expandable(self) -> Iterator[QModelIndex]:
        """The rows that are unfolded by themselves: connections and their headings."""
        for connection in self._root.children:
            yield self._index(connection)
            yield from (self._index(heading) for heading in connection.children)

    def _connection(self, key: str) -> _Node | None:
        return next((node for node in self._root.children if node.place.connection == key), None)

    def _heading(self, key: str) -> _Node | None:
        connection = self._connection(key)
        return connection.children[0] if connection is not None and connection.children else None

    # -- nodes

    def _new(self, place: Place, parent: _Node, text: str, note: str = "", glyph: str = "") -> _Node:
        self._made += 1
        node = _Node(place, parent, text, note, glyph=glyph, row=-1, number=self._made)
        self._nodes[node.number] = node
        return node

    def _forget(self, node: _Node) -> None:
        self._nodes.pop(node.number, None)
        for child in node.children:
            self._forget(child)

    def _index(self, node: _Node) -> QModelIndex:
        hidden = node.row < 0 or node.number not in self._nodes
        return NO_INDEX if hidden else self.createIndex(node.row, 0, node.number)

    def _changed(self, node: _Node) -> None:
        index = self._index(node)
        if index.isValid():
            self.dataChanged.emit(index, index)

    def _node(self, index: Index) -> _Node:
        return self._nodes[index.internalId()]

    # -- Qt's own calls

    # The view asks for each row that the filter keeps: these are as short as can be.

    def index(self, row: int, column: int, parent: Index = NO_INDEX) -> QModelIndex:
        shown = self._nodes[parent.internalId()].shown
        return self.createIndex(row, 0, shown[row].number) if 0 <= row < len(shown) and column == 0 else NO_INDEX

    def hasChildren(self, parent: Index = NO_INDEX) -> bool:
        return bool(self._nodes[parent.internalId()].shown)

    def parent(self, index: Index = NO_INDEX) -> Any:
        above = self._node(index).parent
        return NO_INDEX if above is None or above is self._root else self._index(above)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return len(self._node(parent).shown)

    def columnCount(self, _parent: Index = NO_INDEX) -> int:
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = self._node(index)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return node.text
            case Qt.ItemDataRole.DecorationRole:
                return icon(node.glyph, node.ink) if node.glyph else None
            case Qt.ItemDataRole.ToolTipRole:
                return f"{node.text}\n{node.tip}" if node.tip else node.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{node.text}, {node.note}" if node.note else node.text
            case _:
                return {PLACE: node.place, NOTE: node.note, FACE: node.face, INK: "text"}.get(role)
