"""One item as a tree: attribute, type, value. Nested values become nodes when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from dynodesk.domain.cells import cell_text, exact_text, visible
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Item,
    List,
    Map,
    NumberSet,
    String,
    StringSet,
    Value,
    type_tag,
    type_word,
)
from dynodesk.ui.theme.grid import CELL_INKS
from dynodesk.ui.widgets.trees import FACE, INK

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
TITLES = ("Attribute", "Type", "Value")
ATTRIBUTE, TYPE, VALUE = range(3)
_INKS = {"NULL": CELL_INKS["null"], "BOOL": CELL_INKS["bool"], "B": "ink_violet"}


class _Node:
    """`children` is None until somebody asks."""

    __slots__ = ("children", "is_key", "name", "parent", "row", "value")

    def __init__(self, name: str, value: Value, parent: _Node | None, row: int, *, is_key: bool = False) -> None:
        self.name, self.value, self.parent, self.row, self.is_key = name, value, parent, row, is_key
        self.children: list[_Node] | None = None

    @property
    def parts(self) -> list[_Node]:
        if self.children is None:
            named = enumerate(_parts(self.value))
            self.children = [_Node(name, value, self, row) for row, (name, value) in named]
        return self.children


def _parts(value: Value) -> Iterator[tuple[str, Value]]:
    match value:
        case Map(entries):
            yield from entries.items()
        case List(elements):
            yield from ((f"[{i}]", element) for i, element in enumerate(elements))
        case StringSet(members):
            yield from (("", String(member)) for member in members)
        case NumberSet(numbers):
            yield from (("", number) for number in numbers)
        case BinarySet(blobs):
            yield from (("", Binary(blob)) for blob in blobs)
        case _:
            pass


def _count(value: Value) -> int | None:
    """How many parts the value has; None for one that has no parts."""
    match value:
        case Map(entries):
            return len(entries)
        case List(elements):
            return len(elements)
        case StringSet(members) | NumberSet(members) | BinarySet(members):
            return len(members)
        case _:
            return None


class ItemTreeModel(QAbstractItemModel):
    """Read-only. `show` replaces the item."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = _Node("", Map({}), None, 0)

    def show(self, item: Item, keys: tuple[str, ...]) -> None:
        """The attributes in `keys` first and in bold, the others in the order they came."""
        names = [*(name for name in keys if name in item), *(name for name in item if name not in keys)]
        self.beginResetModel()
        self._root = _Node("", Map({}), None, 0)
        self._root.children = [
            _Node(name, item[name], self._root, row, is_key=name in keys) for row, name in enumerate(names)
        ]
        self.endResetModel()

    def exact(self, index: Index) -> str:
        """What copying the row gives: the value as stored."""
        return exact_text(self._node(index).value)

    def _node(self, index: Index) -> _Node:
        if not index.isValid():
            return self._root
        node: _Node = index.internalPointer()
        return node

    # -- Qt's questions

    def index(self, row: int, column: int, parent: Index = NO_INDEX) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return NO_INDEX
        return self.createIndex(row, column, self._node(parent).parts[row])

    def parent(self, index: Index = NO_INDEX) -> QModelIndex:  # type: ignore[override]  # hides QObject.parent()
        above = self._node(index).parent
        if above is None or above is self._root:
            return NO_INDEX
        return self.createIndex(above.row, 0, above)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        if parent.isValid() and parent.column() != 0:
            return 0
        node = self._node(parent)
        return len(node.parts) if node.children is not None else _count(node.value) or 0

    def columnCount(self, _parent: Index = NO_INDEX) -> int:
        return len(TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        node, column = self._node(index), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return (visible(node.name), type_tag(node.value), _value_text(node.value))[column]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return (visible(node.name), type_word(node.value), _value_text(node.value))[column]
        if role == FACE:
            return ("monobold" if node.is_key else "mono", "caption", "mono")[column]
        if role == INK:
            return _ink(node.value) if column == VALUE else "muted" if column == TYPE else "text"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None


def _value_text(value: Value) -> str:
    count = _count(value)
    if count is None:
        return cell_text(value)
    word = "attribute" if isinstance(value, Map) else "element" if isinstance(value, List) else "value"
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _ink(value: Value) -> str:
    if _count(value) is not None or value == String(""):
        return "muted"
    return _INKS.get(type_tag(value), "text")
