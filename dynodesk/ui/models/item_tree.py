"""One item as a tree: attribute, type, value. Nested values become nodes when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from dynodesk.domain.cells import exact_text, visible
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.typed_values import value_typed
from dynodesk.domain.values import Item, List, Map, Value, type_tag
from dynodesk.ui.models.item_cells import ATTRIBUTE, TYPE, VALUE, cell
from dynodesk.ui.models.item_nodes import (
    SETS,
    Node,
    converted,
    count_of,
    fresh_part,
    name_elements,
    place,
    root_of,
)

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
TITLES = ("Attribute", "Type", "Value")
IN_ONE_LINE = 120
"""Characters of a text that is still edited in its row."""
PORTION = 500
"""Attributes that a view is told of at once."""
_SHOWN = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_EDITABLE = _SHOWN | Qt.ItemFlag.ItemIsEditable


class ItemTreeModel(QAbstractItemModel):
    """`show` replaces the item. What is changed afterwards is marked against what it was before."""

    edited = Signal()
    """The item is another one now, or what is wrong with it is."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = Node("", Map({}), None, 0)
        self._known = 0
        self._faulty: dict[Node, None] = {}
        self._let_go: list[Node] = []  # Qt may hold an index to them until the next reset
        self._base_keys: Sequence[str] = ()
        self.editable = False

    def show(
        self, item: Item, keys: tuple[str, ...], before: Item | None = None, base_keys: Sequence[str] = ()
    ) -> None:
        """The attributes in `keys` first and in bold, the others in the order they came.

        `before`: what the marks are against; None: nothing is marked. The name and type of `base_keys` are fixed.
        """
        self.beginResetModel()
        self._root = root_of(item, item if before is None else before, keys)
        self._base_keys = base_keys
        self._faulty, self._let_go = {}, []
        self._known = min(PORTION, self._root.count)
        self.endResetModel()

    @property
    def item(self) -> dict[str, Value]:
        return {part.name: part.value for part in self._root.live}

    @property
    def problems(self) -> list[tuple[QModelIndex, str]]:
        """The nodes that cannot be stored as they are, and why: not a set for what is wrong with a member of it."""
        wrong = [node for node in self._faulty if node.problem and not node.is_gone]
        above = {node.parent for node in wrong}
        return [(self._index_of(node, VALUE), node.problem) for node in wrong if node not in above]

    def exact(self, index: Index) -> str:
        """What copying the row gives: the value as stored."""
        return exact_text(self.node(index).value)

    def node(self, index: Index) -> Node:
        """The node of a row; the root for no index."""
        if not index.isValid():
            return self._root
        found: Node = index.internalPointer()
        return found

    def path(self, index: Index) -> str:
        """Where a node is, in words: `client.app`, `list[0]`."""
        words, node = "", self.node(index)
        while node.parent is not None:
            step = node.name if node.parent is self._root or not node.is_named else f".{node.name}"
            words, node = step + words, node.parent
        return visible(words)

    def find(self, name: str) -> QModelIndex:
        """The row of an attribute of the item; no index where there is none."""
        for part in self._root.parts:
            if part.name == name and not part.removed:
                self._reveal(part.row)
                return self._index_of(part)
        return NO_INDEX

    # -- changes

    def set_text(self, index: Index, text: str, read: Callable[[str], Value] | None = None) -> None:
        """A value as typed: text spelled with escapes, digits, or hexadecimal. `read` reads another spelling.

        What is no value of the type is kept as typed, and is a problem of the node.
        """
        node = self.node(index)
        try:
            value = value_typed(text, node.value) if read is None else read(text)
        except InvalidValue as problem:
            node.typed = text
            node.problem = f"{problem.message}. {problem.hint}".strip()
            self._faulty[node] = None
            self._tell(node)
            return
        self.set_value(index, value)

    def set_value(self, index: Index, value: Value) -> None:
        node = self.node(index)
        if node.before is not None and type(value) is type(node.before) and value == node.before:
            value = node.before  # another spelling of the same is no change
        node.typed = None
        self._replace_parts(index, value)
        self._changed(node)

    def set_type(self, index: Index, tag: str) -> None:
        """Another type, chosen. Going back to the type it had gives the value it had."""
        node = self.node(index)
        if tag == type_tag(node.value):
            return
        before = node.before
        self.set_value(index, before if before is not None and type_tag(before) == tag else converted(node.value, tag))

    def rename(self, index: Index, name: str) -> None:
        """The name is taken as it is; an empty one, or one that is there already, is a problem of the node."""
        node = self.node(index)
        node.naming = False
        if name == node.name or node.parent is None:
            return
        if node.before is not None:  # the attribute of the old name is gone, this one is new
            gone = Node(node.name, node.before, node.parent, 0, node.before)
            gone.removed = True
            node.before = None
            self._insert(self._index_of(node.parent), node.row + 1, gone)
        node.name = name
        known = next((part for part in node.parent.parts if part.removed and part.name == name), None)
        if known is not None:  # back to the name it had
            if node.parent is self._root:
                self._reveal(known.row)
            node.before = known.before
            self._take_out(known, node.parent)
        self._changed(node)

    def add(self, parent: Index, row: int) -> QModelIndex:
        """A new part of a map, list or set, or a new attribute of the item. The index of its row."""
        above = self.node(parent)
        made = Node("", fresh_part(above.value), above, 0)
        made.naming = made.is_named
        row = min(row, self._count(above))
        self._insert(self._index_of(above), row, made)
        self._changed(made)
        return self._index_of(made)

    def end_naming(self) -> None:
        """The field of a name was left: one that is still missing is missed now."""
        for node in [node for node in self._faulty if node.naming]:
            node.naming = False
            self._tell(node)

    def remove(self, index: Index) -> None:
        """Take a part away. What was there before stays to be seen, and can be put back."""
        node = self.node(index)
        above = node.parent
        if above is None:
            return
        if node.before is None:
            self._take_out(node, above)
        else:
            self._replace_parts(index, node.before)
            node.removed, node.typed, node.problem = True, None, ""
        self._renumber(above)
        self._changed_above(above)

    def put_back(self, index: Index) -> None:
        """The value as it was before."""
        node = self.node(index)
        if node.before is not None:
            node.removed = False
            self.set_value(index, node.before)
            if node.parent is not None:
                self._renumber(node.parent)

    def can_move(self, index: Index, by: int) -> bool:
        node = self.node(index)
        above = node.parent
        return above is not None and isinstance(above.value, List) and 0 <= node.row + by < len(above.parts)

    def move(self, index: Index, by: int) -> None:
        """An element of a list one place up (-1) or down (1)."""
        node = self.node(index)
        above = node.parent
        if above is None or not self.can_move(index, by):
            return
        at, to = node.row, node.row + by
        parent = self._index_of(above)
        self.beginMoveRows(parent, at, at, parent, to + (1 if by > 0 else 0))
        above.parts.insert(to, above.parts.pop(at))
        place(above.parts)
        self.endMoveRows()
        self._renumber(above)
        self._changed_above(above)

    def may_edit(self, index: Index, column: int) -> bool:
        """Whether the name, the type or, in its row, the value can be changed."""
        node = self.node(index)
        if not self.editable or node.parent is None or node.removed:
            return False
        is_base_key = node.parent is self._root and node.name in self._base_keys
        if column == ATTRIBUTE:
            return node.is_named and not is_base_key
        if column == TYPE:
            return not node.is_member and not is_base_key
        return count_of(node.value) is None and type_tag(node.value) != "NULL"

    def may_remove(self, index: Index) -> bool:
        node = self.node(index)
        is_base_key = node.parent is self._root and node.name in self._base_keys
        return self.editable and node.parent is not None and not node.removed and not is_base_key

    # -- what was typed and is no value, for a draft

    def typed(self) -> list[list[Any]]:
        """The rows that lead to a node, and what was typed there."""
        return [
            [self.rows_to(self._index_of(node)), node.typed]
            for node in self._faulty
            if node.typed is not None and not node.is_gone
        ]

    def rows_to(self, index: Index) -> list[int]:
        """The rows that lead to a node, those of removed ones not counted."""
        rows: list[int] = []
        node = self.node(index)
        while node.parent is not None:
            rows.insert(0, sum(not part.removed for part in node.parent.parts[: node.row]))
            node = node.parent
        return rows

    def type_again(self, rows: Sequence[int], text: str) -> None:
        """Raises `IndexError` where there is no such node."""
        node = self._root
        for row in rows:
            node = [part for part in node.parts if not part.removed][row]
            if node.parent is self._root:
                self._reveal(node.row)
        self.set_text(self._index_of(node, VALUE), text)

    # -- how a change goes through the tree

    def _replace_parts(self, index: Index, value: Value) -> None:
        node = self.node(index)
        at = self._index_of(node)
        if node.count:
            self.beginRemoveRows(at, 0, node.count - 1)
            self._let_go += node.children or []
            node.children = []
            self.endRemoveRows()
        node.children = None
        node.value = value
        if node.count:
            made = node.parts
            node.children = []
            self.beginInsertRows(at, 0, len(made) - 1)
            node.children = made
            self.endInsertRows()

    def _insert(self, parent: Index, row: int, made: Node) -> None:
        above = self.node(parent)
        self.beginInsertRows(parent, row, row)
        above.parts.insert(row, made)
        place(above.parts)
        self._known += above.parent is None
        self.endInsertRows()
        self._renumber(above)

    def _take_out(self, node: Node, above: Node) -> None:
        self.beginRemoveRows(self._index_of(above), node.row, node.row)
        above.parts.remove(node)
        self._let_go.append(node)
        place(above.parts)
        self._known -= above.parent is None
        self.endRemoveRows()
        self._faulty.pop(node, None)

    def _renumber(self, above: Node) -> None:
        if isinstance(above.value, List) and above.parts:
            name_elements(above.parts)
            self.dataChanged.emit(self._index_of(above.parts[0]), self._index_of(above.parts[-1]))

    def _changed(self, node: Node) -> None:
        self._judge(node)
        if node.parent is not None:
            self._changed_above(node.parent, node)

    def _changed_above(self, above: Node, changed: Node | None = None) -> None:
        for node in [node for node in self._faulty if node.parent is above]:
            self._judge(node)  # what was twice may be once now
        step: Node | None = above
        while step is not None:
            step.compose()
            if isinstance(step.value, SETS):
                self._judge(step)
            if step.parent is not None:
                self.dataChanged.emit(self._index_of(step), self._index_of(step, VALUE))
            step = step.parent
        if changed is not None:
            self._tell(changed)
        else:
            self.edited.emit()

    def _judge(self, node: Node) -> None:
        node.check()
        if node.problem:
            self._faulty[node] = None
        else:
            self._faulty.pop(node, None)

    def _tell(self, node: Node) -> None:
        self.dataChanged.emit(self._index_of(node), self._index_of(node, VALUE))
        self.edited.emit()

    def _index_of(self, node: Node, column: int = ATTRIBUTE) -> QModelIndex:
        return NO_INDEX if node.parent is None else self.createIndex(node.row, column, node)

    # -- Qt's questions

    # They are asked for every row that a view lays out, so they do without Qt's own checks.

    def index(self, row: int, column: int, parent: Index = NO_INDEX) -> QModelIndex:
        above = self.node(parent)
        if not (0 <= row < self._count(above) and 0 <= column < len(TITLES)):
            return NO_INDEX
        return self.createIndex(row, column, above.parts[row])

    def parent(self, index: Index = NO_INDEX) -> QModelIndex:  # type: ignore[override]  # hides QObject.parent()
        above = self.node(index).parent
        return NO_INDEX if above is None else self._index_of(above)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        if parent.isValid() and parent.column() != 0:
            return 0
        return self._count(self.node(parent))

    def hasChildren(self, parent: Index = NO_INDEX) -> bool:
        return self.rowCount(parent) > 0

    def _count(self, node: Node) -> int:
        """Of the item itself, the attributes that the view knows of."""
        return min(node.count, self._known) if node.parent is None else node.count

    def show_more(self) -> None:
        """Let the view know of more attributes, where there are more. Qt's own way asks with every layout."""
        self._reveal(self._known)

    def _reveal(self, row: int) -> None:
        """Let the view know of the attribute at `row`, and of those before it."""
        last = min(row + PORTION, self._root.count) - 1
        if self._known <= row <= last:
            self.beginInsertRows(NO_INDEX, self._known, last)
            self._known = last + 1
            self.endInsertRows()

    def columnCount(self, _parent: Index = NO_INDEX) -> int:
        return len(TITLES)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return _EDITABLE if self.editable and self.may_edit(index, index.column()) else _SHOWN

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return cell(self.node(index), index.column(), role) if index.isValid() else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None
