"""The statements of a request of PartiQL: each in an editor of its own, with its values beside their types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QScrollArea

from dynodesk.domain.actions import BoundStatement
from dynodesk.domain.cells import visible
from dynodesk.domain.composition import ActionRemark
from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions import read_statement
from dynodesk.domain.statements import as_name
from dynodesk.domain.values import Value
from dynodesk.ui.pages.partiql_outlook import KEYWORDS
from dynodesk.ui.pages.partiql_values import ValueFields
from dynodesk.ui.pages.sql_editor import SqlEditor
from dynodesk.ui.theme import Text, metrics
from dynodesk.ui.widgets.controls import tool
from dynodesk.ui.widgets.layouts import Area, area, column, row
from dynodesk.ui.widgets.whole_text import whole

WORDS = KEYWORDS | {
    "DELETE",
    "EXISTS",
    "INSERT",
    "INTO",
    "MODIFIED",
    "NEW",
    "OLD",
    "REMOVE",
    "RETURNING",
    "SET",
    "UPDATE",
}
HINT = 'UPDATE "table" SET attribute = ? WHERE key = ? …'
LEAST_LINES, MOST_LINES = 3, 12


class StatementCard(Area):
    changed = Signal()

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__("base", "b")
        self._title = Text("", weight="semibold")
        self.problem = ""
        """What is wrong with a value, in words."""
        self.up = tool("arrow-up", "Move the statement up")
        self.down = tool("arrow-down", "Move the statement down")
        self.remove = tool("trash", "Remove the statement")
        self.editor = SqlEditor("Statement", HINT, frozenset(WORDS))
        self.editor.set_names(names)
        self.values = ValueFields()
        self._count = 0
        head = area(
            row(self._title, None, self.up, self.down, self.remove, gap=0.5, margins=(3, 0, 1.5, 0)),
            "raised", "b", metrics().bar,
        )  # fmt: skip
        self.setLayout(column(head, self.editor, self.values, gap=0, margins=(0, 0, 0, 0.25)))
        self.begin_at(self.editor)
        self.editor.textChanged.connect(self._typed)
        self.values.changed.connect(self._value_typed)
        self._fit()

    def show_number(self, at: int, count: int) -> None:
        self._count = count
        try:
            read = read_statement(self.editor.text)
            words = f"{read.verb} {visible(read.table)}"
        except InvalidExpression:
            words = "Statement"
        self._title.setText(f"{at + 1}  {words}")
        self.editor.setAccessibleName(f"Statement {at + 1}")
        self.up.setEnabled(at > 0)
        self.down.setEnabled(at < count - 1)
        for button in (self.up, self.down, self.remove):
            button.setVisible(count > 1)

    def set_statement(self, statement: BoundStatement) -> None:
        with QSignalBlocker(self):
            self.editor.setPlainText(whole(statement.text))
            self.values.set_values(statement.parameters)

    def statement(self) -> BoundStatement:
        """With the values as far as they are some: `problem` says it of the first that is none."""
        self.problem = ""
        values: list[Value] = []
        for one in self.values.shown:
            try:
                values.append(one.value())
            except InvalidValue as problem:
                self.problem = self.problem or f"{problem.message}. {problem.hint}".strip()
        return BoundStatement(self.editor.text.strip(), tuple(values))

    @property
    def typed(self) -> dict[str, Any]:
        return {"text": self.editor.text, "values": [one.typed for one in self.values.shown]}

    def set_typed(self, typed: Mapping[str, Any]) -> None:
        with QSignalBlocker(self):
            self.editor.setPlainText(whole(str(typed["text"])))
            self.values.set_count(len(typed["values"]))
            for one, words in zip(self.values.shown, typed["values"], strict=False):
                one.set_typed(words)

    def mark(self, remarks: Sequence[ActionRemark]) -> None:
        """The lines that something is wrong in."""
        text = self.editor.text
        places = [one.remark.span.offset for one in remarks if one.remark.part == "Statement"]
        self.editor.mark_faulty({1 + text[:offset].count("\n") for offset in places})

    @Slot()
    def _typed(self) -> None:
        with suppress(InvalidExpression):  # what cannot be read keeps the fields that it has; the checks say why
            self.values.set_count(read_statement(self.editor.text).parameters)
        self._fit()
        self.changed.emit()

    @Slot()
    def _value_typed(self) -> None:
        self.changed.emit()

    def _fit(self) -> None:
        lines = min(max(self.editor.blockCount() + 1, LEAST_LINES), MOST_LINES)
        self.editor.setFixedHeight(lines * self.editor.fontMetrics().lineSpacing() + 5 * metrics().unit)


class StatementsEditor(QScrollArea):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its editors are stops of Tab
        self.setAccessibleName("Statements")
        self.cards: list[StatementCard] = []
        self._names: tuple[str, ...] = ()
        self._stack = column(gap=0)
        held = Area("base")
        held.setLayout(column(self._stack, None, gap=0))
        self.setWidget(held)

    def set_names(self, names: Iterable[str]) -> None:
        self._names = tuple(map(as_name, names))
        for card in self.cards:
            card.editor.set_names(self._names)

    def show_statements(self, statements: Sequence[BoundStatement]) -> None:
        self._clear()
        for statement in statements or (BoundStatement(""),):
            self._put(len(self.cards)).set_statement(statement)
        self._number()

    def statements(self) -> tuple[BoundStatement, ...]:
        return tuple(card.statement() for card in self.cards)

    @property
    def problems(self) -> list[tuple[int, str]]:
        """The statements with a value that is none, and why."""
        return [(at, card.problem) for at, card in enumerate(self.cards) if card.problem]

    def typed(self) -> list[dict[str, Any]]:
        return [card.typed for card in self.cards]

    def set_typed(self, typed: Sequence[Mapping[str, Any]]) -> None:
        """What `typed` gave. Raises `KeyError` or `TypeError` for anything else."""
        self._clear()
        for one in typed:
            self._put(len(self.cards)).set_typed(one)
        self._number()

    def show_remarks(self, remarks: Sequence[ActionRemark]) -> None:
        for at, card in enumerate(self.cards):
            card.mark([one for one in remarks if one.action == at])

    def go_to(self, at: int, offset: int = 0) -> None:
        if 0 <= at < len(self.cards):
            editor = self.cards[at].editor
            cursor = editor.textCursor()
            cursor.setPosition(
                min(len(editor.text[:offset].encode("utf-16-le")) // 2, editor.document().characterCount() - 1)
            )
            editor.setTextCursor(cursor)
            editor.setFocus()
            self.ensureWidgetVisible(self.cards[at])

    @Slot()
    def add(self) -> None:
        card = self._put(len(self.cards))
        self._number()
        self.changed.emit()
        QTimer.singleShot(0, card, partial(self.go_to, len(self.cards) - 1))  # once it is laid out

    def _put(self, at: int) -> StatementCard:
        card = StatementCard(self._names)
        self.cards.insert(at, card)
        self._stack.insertWidget(at, card)
        card.changed.connect(self._changed)
        card.up.clicked.connect(partial(self._move, card, -1))
        card.down.clicked.connect(partial(self._move, card, 1))
        card.remove.clicked.connect(partial(self._remove, card))
        return card

    def _move(self, card: StatementCard, by: int) -> None:
        at = self.cards.index(card)
        self.cards.insert(at + by, self.cards.pop(at))
        self._stack.removeWidget(card)
        self._stack.insertWidget(at + by, card)
        self._changed()

    def _remove(self, card: StatementCard) -> None:
        self._drop(card)
        self._changed()

    def _drop(self, card: StatementCard) -> None:
        self.cards.remove(card)
        self._stack.removeWidget(card)
        card.hide()
        card.deleteLater()

    def _clear(self) -> None:
        for card in tuple(self.cards):
            self._drop(card)

    @Slot()
    def _changed(self) -> None:
        self._number()
        self.changed.emit()

    def _number(self) -> None:
        for at, card in enumerate(self.cards):
            card.show_number(at, len(self.cards))
