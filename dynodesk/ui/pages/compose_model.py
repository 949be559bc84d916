"""The actions of a composed request as a tree: part, type, value. What is typed is in the draft at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from dynodesk.domain.actions import ActionKind
from dynodesk.domain.cells import cell_text, visible
from dynodesk.domain.composition import ActionRemark, DraftAction
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item, String, type_tag, type_word
from dynodesk.ui.models.item_nodes import count_of
from dynodesk.ui.pages.compose_clauses import clauses_of
from dynodesk.ui.pages.compose_rows import ActionRows, PartRow, Verdict, new_action, rows_of, words_of
from dynodesk.ui.theme import icon
from dynodesk.ui.widgets.tips import plain_tip
from dynodesk.ui.widgets.trees import FACE, GROUND, INK, NOTE, NOTE_INK

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
PART, TYPE, VALUE = range(3)
"""The columns."""
TITLES = ("Part", "Type", "Value")
MARKS = Qt.ItemDataRole.UserRole + 11
"""Places of the text that something is said of: (offset, end, colour role)."""
_SHOWN = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_INKS = {"clause": "ink_blue", "condition": "ink_violet", "projection": "ink_violet"}
_FATES = {
    "": ("circle-large-outline", "muted"),
    "done": ("pass", "ok"),
    "not evaluated": ("circle-large-outline", "muted"),
}


class ActionsModel(QAbstractItemModel):
    """Actions are rows of their own, their parts are below them."""

    edited = Signal()
    """The draft is another one now."""
    shaped = Signal()
    """Rows came or went, or another cell than before can be typed into."""
    said = Signal()
    """Something else is said of the rows, which are what they were. One signal for all: there may be a thousand."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.actions: list[ActionRows] = []
        self._tables: dict[str, TableInfo] = {}

    # -- the draft

    def show(self, actions: Sequence[DraftAction]) -> None:
        self.beginResetModel()
        self.actions = [rows_of(action, self._tables.get(action.table)) for action in actions]
        self.endResetModel()
        self.shaped.emit()

    def drafts(self) -> tuple[DraftAction, ...]:
        return tuple(action.draft() for action in self.actions)

    @property
    def problems(self) -> list[tuple[QModelIndex, str]]:
        """Cells with a text that is no value, and why."""
        return [
            (self.index_of(at, part, VALUE), f"{part.text}: {part.problem}")
            for at, action in enumerate(self.actions)
            for part in action.parts
            if part.problem
        ]

    def take_table(self, table: TableInfo) -> None:
        """The table is known now: so are the names and types of its key."""
        self._tables[table.name] = table
        for action in self.actions:
            if action.table == table.name and action.schema != table.key_schema.attributes:
                self._complete(action, table)

    def _complete(self, action: ActionRows, table: TableInfo) -> None:
        if not action.attributes:
            begun = new_action(action.kind, table.name, table)
            condition = action.one("condition")
            if condition is not None and not condition.text:
                condition.text = begun.condition
        self.beginResetModel()
        action.take_schema(table)
        self.endResetModel()
        self.shaped.emit()
        self.edited.emit()

    # -- actions

    def add(self, kind: ActionKind, table: str) -> QModelIndex:
        """An action to be filled in, as the last."""
        return self.insert(len(self.actions), new_action(kind, table, self._tables.get(table)))

    def insert(self, at: int, action: DraftAction) -> QModelIndex:
        self.beginResetModel()
        self.actions.insert(at, rows_of(action, self._tables.get(action.table)))
        self.endResetModel()
        self.shaped.emit()
        self.edited.emit()
        return self.index(at, PART)

    def remove(self, index: Index) -> None:
        """An action, or what may be taken out of one: of a condition its text."""
        at, part = self.action_at(index), self.part(index)
        if part is None:
            self.beginResetModel()
            del self.actions[at]
            self.endResetModel()
        elif part.kind in {"condition", "projection"}:
            self.set_text(index, "")
            return
        elif part.kind != "key":
            row = index.row()
            self.beginRemoveRows(self.index(at, PART), row, row)
            del self.actions[at].parts[row]
            self.endRemoveRows()
        self.shaped.emit()
        self.edited.emit()

    def move(self, at: int, by: int) -> bool:
        """An action one place up (-1) or down (1)."""
        if not (0 <= at < len(self.actions) and 0 <= at + by < len(self.actions)):
            return False
        self.beginResetModel()
        self.actions.insert(at + by, self.actions.pop(at))
        self.endResetModel()
        self.shaped.emit()
        self.edited.emit()
        return True

    def set_table(self, at: int, name: str) -> None:
        action, known = self.actions[at], self._tables.get(name)
        if action.table == name:
            return
        self.beginResetModel()
        action.table = name
        if known is not None:
            action.take_schema(known)
        self.endResetModel()
        self.shaped.emit()
        self.edited.emit()

    def set_item(self, at: int, item: Item) -> None:
        """The attributes of an action, edited as an item."""
        action = self.actions[at]
        kinds = {part.text: part.kind for part in action.parts if part.kind == "key"}
        rest = [part for part in action.parts if part.is_expression]
        made = [PartRow(kinds.get(name, "attribute"), name, value) for name, value in item.items()]
        self.beginResetModel()
        action.parts = made + rest
        self.endResetModel()
        self.shaped.emit()
        self.edited.emit()

    def set_may_create(self, at: int, may: bool) -> None:
        self.actions[at].may_create = may
        self.edited.emit()

    # -- parts

    def can_add_part(self, at: int) -> bool:
        return 0 <= at < len(self.actions) and self.actions[at].kind in {"Put", "Update"}

    def add_part(self, at: int, below: int | None = None) -> QModelIndex:
        """An attribute of a Put, a clause of an Update; `below` the row of this number where it may stand there."""
        action = self.actions[at]
        made = PartRow("clause") if action.kind == "Update" else PartRow("attribute", "", String(""))
        first = next((row for row, part in enumerate(action.parts) if part.kind == "clause"), 0)
        last = next((row for row, part in enumerate(action.parts) if part.kind == "condition"), len(action.parts))
        if action.kind == "Put":
            first = sum(part.kind == "key" for part in action.parts)
        row = last if below is None else min(max(below + 1, first), last)
        self.beginInsertRows(self.index(at, PART), row, row)
        action.parts.insert(row, made)
        self.endInsertRows()
        self.shaped.emit()
        self.edited.emit()
        return self.index_of(at, made, PART)

    def set_text(self, index: Index, text: str) -> None:
        """The expression of a row, or the name of an attribute, as typed."""
        part = self.part(index)
        if part is None or part.text == text:
            return
        part.text = text
        self._told(index)

    def set_value(self, index: Index, text: str) -> None:
        part = self.part(index)
        if part is not None and part.typed_value != text:
            part.type_value(text)
            self._told(index)

    def set_type(self, index: Index, tag: str) -> None:
        part = self.part(index)
        if part is not None:
            part.choose_type(tag)
            self._told(index)

    def put_back(self, index: Index, before: PartRow) -> None:
        """What a row said before somebody typed into it and thought better of it."""
        part = self.part(index)
        if part is not None:
            part.text, part.value = before.text, before.value
            part.typed, part.problem = before.typed, before.problem
            self._told(index)

    def end_typing(self, index: Index) -> None:
        """A text with several clauses becomes as many rows."""
        part, at = self.part(index), self.action_at(index)
        if part is None or part.kind != "clause":
            return
        found = clauses_of(part.text)
        if len(found) > 1:
            parent, row = self.index(at, PART), index.row()
            part.text = found[0]
            self.beginInsertRows(parent, row + 1, row + len(found) - 1)
            self.actions[at].parts[row + 1 : row + 1] = [PartRow("clause", clause) for clause in found[1:]]
            self.endInsertRows()
            self._told(index)
        elif found and found[0] != part.text and found[0].upper() == part.text.upper().strip():
            part.text = found[0]
            self._told(index)
        self.shaped.emit()

    def _told(self, index: Index) -> None:
        head = self.index(self.action_at(index), PART)
        self.dataChanged.emit(self.index(index.row(), PART, head), self.index(index.row(), VALUE, head))
        self.dataChanged.emit(head, head)
        self.edited.emit()

    # -- what is said

    def show_remarks(self, remarks: Sequence[ActionRemark]) -> None:
        for at, action in enumerate(self.actions):
            action.take_remarks([one for one in remarks if one.action == at])
        self.said.emit()

    def show_units(self, units: Sequence[str]) -> None:
        for action, words in zip(self.actions, units, strict=False):
            action.units = words
        self.said.emit()

    def show_verdicts(self, verdicts: Mapping[int, Verdict]) -> None:
        """What the last run made of the actions; of one that it says nothing of, what was said is forgotten."""
        for at, action in enumerate(self.actions):
            action.take_verdict(verdicts.get(at, Verdict("")))
        self.said.emit()

    # -- places

    def action_at(self, index: Index) -> int:
        """The number of the action that a row is, or is in; -1 for no row."""
        if not index.isValid():
            return -1
        found = int(index.internalId())
        return index.row() if found == 0 else found - 1

    def part(self, index: Index) -> PartRow | None:
        """None for the row of an action itself."""
        if not index.isValid() or index.internalId() == 0:
            return None
        parts = self.actions[int(index.internalId()) - 1].parts
        return parts[index.row()] if index.row() < len(parts) else None

    def index_of(self, at: int, part: PartRow | None, column: int = PART) -> QModelIndex:
        if part is None:
            return self.index(at, PART)
        return self.createIndex(self.actions[at].parts.index(part), column, at + 1)

    def is_spanned(self, index: Index) -> bool:
        """Whether the row is one cell: an action, and an expression without a value at its end."""
        part = self.part(index)
        return part is None or (part.is_expression and part.shown_value is None)

    def may_edit(self, index: Index, column: int) -> bool:
        part = self.part(index)
        if part is None:
            return False
        if column == PART:
            return part.kind != "key"
        value = part.shown_value
        if value is None:
            return False
        if column == TYPE:
            return part.kind != "key" or not self.actions[self.action_at(index)].schema
        return type_tag(value) != "NULL" and not part.has_own_editor

    # -- Qt's questions

    def index(self, row: int, column: int, parent: Index = NO_INDEX) -> QModelIndex:
        if not (0 <= row < self.rowCount(parent) and 0 <= column < len(TITLES)):
            return NO_INDEX
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = NO_INDEX) -> QModelIndex:  # type: ignore[override]  # hides QObject.parent()
        if not index.isValid() or index.internalId() == 0:
            return NO_INDEX
        return self.createIndex(int(index.internalId()) - 1, PART, 0)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        if not parent.isValid():
            return len(self.actions)
        is_action = parent.internalId() == 0 and parent.column() == PART
        return len(self.actions[parent.row()].parts) if is_action and parent.row() < len(self.actions) else 0

    def columnCount(self, _parent: Index = NO_INDEX) -> int:
        return len(TITLES)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return _SHOWN | Qt.ItemFlag.ItemIsEditable if self.may_edit(index, index.column()) else _SHOWN

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        part = self.part(index)
        if part is None:
            at = self.action_at(index)
            return self._of_action(at, self.actions[at], role) if index.column() == PART else None
        return _of_part(part, index.column(), role)

    def _of_action(self, at: int, action: ActionRows, role: int) -> Any:
        words = f"{at + 1}  {action.kind}  {action.title}".rstrip()
        if any(other.table != action.table for other in self.actions):
            words = f"{at + 1}  {action.kind}  {visible(action.table)}: {action.title}".rstrip()
        creates = "may create the item" if action.may_create else ""
        note = " · ".join(filter(None, [creates, action.verdict or action.units]))
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return words
            case Qt.ItemDataRole.AccessibleTextRole:
                state = "something is wrong" if action.is_wrong else action.fate
                return ", ".join(filter(None, [words, f"table {action.table}", note, state]))
            case Qt.ItemDataRole.ToolTipRole:
                said = [f"{one.message}. {one.fix}".strip() for one in action.remarks]
                return plain_tip("\n".join([f"Table {visible(action.table) or '…'}", *said]))
            case Qt.ItemDataRole.DecorationRole:
                is_bad = action.fate == "failed" or (not action.fate and action.is_wrong)
                return icon(*("error", "danger") if is_bad else _FATES.get(action.fate, _FATES[""]))
            case _ if role == FACE:
                return "semibold"
            case _ if role == NOTE:
                return note
            case _:
                return None


def _of_part(part: PartRow, column: int, role: int) -> Any:
    value = part.shown_value
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return (words_of(part), "" if value is None else type_tag(value), _value_text(part))[column]
        case Qt.ItemDataRole.AccessibleTextRole:
            kind = "" if value is None else type_word(value)
            words = (words_of(part), kind, _value_text(part))[column]
            return ", ".join(filter(None, [words, part.said.replace("\n", " ") if column != TYPE else ""]))
        case Qt.ItemDataRole.ToolTipRole:
            return plain_tip(part.said) or None
        case _ if role == FACE:
            return ("mono", "caption", "mono")[column]
        case _ if role == INK:
            return _ink(part, column)
        case _ if role == NOTE:
            last = PART if value is None else VALUE
            return part.verdict if column == last else None
        case _ if role == NOTE_INK:
            return "danger" if part.verdict.startswith("failed") else None
        case _ if role == GROUND:
            return "danger_soft" if part.verdict.startswith("failed") or part.problem else None
        case _ if role == MARKS:
            return _marks(part, column)
        case _:
            return None


def _value_text(part: PartRow) -> str:
    value = part.shown_value
    if part.typed is not None:
        return visible(part.typed)
    count = None if value is None else count_of(value)
    if count is not None and part.kind != "clause":
        word = {"M": "attribute", "L": "element"}.get(type_tag(value) if value is not None else "", "value")
        return f"{count:,} {word}{'' if count == 1 else 's'}"
    return "" if value is None else cell_text(value)


def _ink(part: PartRow, column: int) -> str:
    if column == TYPE:
        return "muted"
    value = part.shown_value
    if column == VALUE:
        if part.problem:
            return "danger"
        muted = value == String("") or (value is not None and count_of(value) is not None)
        return "muted" if muted else "text"
    if not part.text.strip():
        return "muted"
    return _INKS.get(part.kind, "text")


def _marks(part: PartRow, column: int) -> list[tuple[int, int, str]]:
    """Of an expression at their places, of an attribute under all of its value."""
    roles = {"error": "danger", "warning": "warn"}
    if not part.is_expression:
        of_value = [(0, 10_000, roles[one.severity]) for one in part.remarks]
        return of_value[:1] if column == VALUE else []
    if not part.text.strip():
        return [(0, 10_000, roles[one.severity]) for one in part.remarks][:1] if column == PART else []
    lead, start = len(part.lead), len(words_of(part)) - len(visible(part.lead))
    found = []
    for one in part.remarks:
        at, end = one.span.offset, max(one.span.end, one.span.offset + 1)
        if column == PART and (at < lead or part.shown_value is None):
            found.append((start + at, start + min(end, max(lead, 1)), roles[one.severity]))
        elif column == VALUE and end > lead:
            found.append((0, 10_000, roles[one.severity]))
    return found
