"""The lines of a filter: one condition each, in groups that may stand within each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QLineEdit, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.expressions.conditions import TYPE_TAGS
from dynodesk.ui.pages.browse_filter_terms import (
    AS_TEXT,
    ATTRIBUTE,
    OPERATORS,
    SIZE_OF,
    Connective,
    Group,
    Place,
    Term,
    inside,
    types_of,
)
from dynodesk.ui.pages.browse_names import NameField, Names
from dynodesk.ui.theme import Glyph, Text, metrics, px
from dynodesk.ui.widgets.controls import button, combo, field, tool
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, column, row
from dynodesk.ui.widgets.whole_text import whole

TYPE_WORDS = {
    "S": "S, a string",
    "N": "N, a number",
    "B": "B, bytes in hexadecimal digits",
    "BOOL": "BOOL, true or false",
    "NULL": "NULL, the stored null",
    "SS": "SS, a set of strings",
    "NS": "NS, a set of numbers",
    "BS": "BS, a set of bytes in hexadecimal digits",
    "L": "L, a list as DynamoDB JSON",
    "M": "M, a map as DynamoDB JSON",
    ATTRIBUTE: "what another attribute of the item holds",
    SIZE_OF: "the size of another attribute of the item",
}
_HINTS = {
    "S": "empty text",
    "N": "number",
    "B": "hexadecimal",
    "SS": "a, b, 'c, d'",
    "NS": "1, 2",
    "BS": "00ff, 01",
    "L": '[{"S": "a"}]',
    "M": '{"a": {"N": "1"}}',
    ATTRIBUTE: "attribute",
    SIZE_OF: "attribute",
}
TypeOf = Callable[[str], str]
"""The type that an attribute, as it is written in a filter, is known to have; "" where it is not known."""
_LEADS: tuple[tuple[Connective, bool], ...] = (("AND", False), ("OR", False), ("AND", True), ("OR", True))


class _Part(Area):
    """A line or a group: what it is joined with to the one before it, and a way to take it out."""

    changed = Signal()
    remove_asked = Signal()
    connective_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__("window")
        self.lead = combo("Joined by", 80)
        self.lead.currentIndexChanged.connect(self._lead_chosen)

    def set_lead(self, connective: Connective, *, first: bool) -> None:
        """Offer what may stand before it: the first of a group is joined to nothing."""
        negated = self.negated
        with QSignalBlocker(self.lead):
            self.lead.clear()
            for joined, is_not in _LEADS:
                if not first or joined == "AND":
                    words = ("where" if first else joined.lower()) + (" not" if is_not else "")
                    self.lead.addItem(words, (joined, is_not))
                    if is_not == negated and joined == ("AND" if first else connective):
                        self.lead.setCurrentIndex(self.lead.count() - 1)

    @property
    def negated(self) -> bool:
        chosen = self.lead.currentData()
        return bool(chosen and chosen[1])

    def set_negated(self, negated: bool) -> None:
        chosen = self.lead.currentData()
        with QSignalBlocker(self.lead):
            for index in range(self.lead.count()):
                if tuple(self.lead.itemData(index)) == (chosen[0], negated):
                    self.lead.setCurrentIndex(index)

    @Slot()
    def _lead_chosen(self) -> None:
        self.connective_chosen.emit(self.lead.currentData()[0])
        self.changed.emit()


class TermLine(_Part):
    """One condition in fields. What is wrong, or may not be meant, stands below it."""

    run_asked = Signal()

    def __init__(self, names: Names, type_of: TypeOf) -> None:
        super().__init__()
        self._type_of = type_of
        self._is_type_chosen = False
        """By a person, or with the whole condition."""
        self.path = NameField("Attribute", "attribute", names)
        _give_way(self.path, 180)
        self.operator = combo("Operator", 110)
        self.operator.addItems(OPERATORS)
        self.operator.setMaxVisibleItems(len(OPERATORS) + 1)
        self.kind = combo("Type of the value", 88)
        self.kind.setMaxVisibleItems(len(TYPE_WORDS))
        self.value = field("Value")
        self.truth = combo("Value", 76)
        self.truth.addItems(["true", "false"])
        self.high = field("Upper end", "and")
        _give_way(self.high, 180)
        self.remove = tool("close", "Remove this condition")
        self._inside = Text("", "muted")
        self._sign = Glyph("error", "danger", metrics().icon - 2)
        self._warning_sign = Glyph("warning", "warn", metrics().icon - 2)
        self._said = Text("", "text2", wrap=True)
        said = row(self._sign, self._warning_sign, self._said, gap=1.5, margins=(0, 0, 0, 0.5))
        said.setStretch(2, 1)
        self._remark = area(said)
        fields = row(
            *(self.lead, self.path, self.operator, self.kind, self.value, self.truth, self.high, self.remove),
            self._inside,
            None,
            gap=1.5,
        )
        for typed, share in ((self.path, 3), (self.value, 4), (self.high, 3)):
            fields.setStretch(fields.indexOf(typed), share)
        self.setLayout(column(fields, self._remark, gap=0.5))
        self.show_remark("")
        self.set_lead("AND", first=True)
        self._operator_chosen()
        self.path.textChanged.connect(self._follow_attribute)
        self.kind.activated.connect(self._type_chosen)
        for typed in (self.path, self.value, self.high):
            typed.textChanged.connect(self._edited)
            typed.returnPressed.connect(self.run_asked)
        self.truth.currentIndexChanged.connect(self._edited)
        self.kind.currentIndexChanged.connect(self._kind_chosen)
        self.operator.currentIndexChanged.connect(self._operator_chosen)
        self.remove.clicked.connect(self.remove_asked)

    # -- what the fields say

    def term(self) -> Term:
        kind = self.kind.currentText()
        value = self.truth.currentText() if kind == "BOOL" and self._has_value else self.value.text()
        return Term(
            self.path.text(),
            self.operator.currentText(),
            kind,
            value if self._has_value else "",
            self.high.text() if self._has_high else "",
            self.negated,
        )

    def set_term(self, term: Term) -> None:
        self._is_type_chosen = True
        with QSignalBlocker(self):
            if term.operator == AS_TEXT and self.operator.findText(AS_TEXT) < 0:
                self.operator.addItem(AS_TEXT)
            self.operator.setCurrentText(term.operator)
            self.path.setText(term.path)
            self.kind.setCurrentText(term.type)
            is_truth = term.type == "BOOL" and term.operator != AS_TEXT
            self.truth.setCurrentText(term.value if is_truth else "true")
            self.value.setText("" if is_truth else whole(term.value))
            self.value.setCursorPosition(0)
            self.high.setText(whole(term.high))
            self.set_negated(term.negated)
        self._operator_chosen()

    def place(self, of: Place) -> QWidget:
        """The field that a problem is about."""
        return {"path": self.path, "value": self.value, "high": self.high}[of]

    @property
    def focus_order(self) -> tuple[QWidget, ...]:
        return self.lead, self.path, self.operator, self.kind, self.value, self.truth, self.high, self.remove

    # -- what is said of it

    @property
    def remark(self) -> str:
        return self._said.text()

    def show_remark(self, said: str, *, is_error: bool = False, at: Place | None = None) -> None:
        """Below the line; with `at` the field is marked too. "": nothing is wrong."""
        self._said.setText(visible(said))
        self._sign.setVisible(bool(said) and is_error)
        self._warning_sign.setVisible(bool(said) and not is_error)
        self._remark.setVisible(bool(said))
        for place in (self.path, self.value, self.high):
            wrong = at is not None and place is self.place(at)
            if bool(place.property("invalid")) != wrong:
                place.setProperty("invalid", wrong)
                place.update()
            place.setAccessibleDescription(said if wrong or (said and at is None and place is self.path) else "")

    # -- which fields there are

    @property
    def _has_value(self) -> bool:
        operator = self.operator.currentText()
        return operator == AS_TEXT or (bool(types_of(operator)) and operator != "is type" and self._takes_text)

    @property
    def _takes_text(self) -> bool:
        return self.kind.currentText() != "NULL"

    @property
    def _has_high(self) -> bool:
        return self.operator.currentText().endswith("between")

    @Slot()
    def _operator_chosen(self) -> None:
        operator, kind = self.operator.currentText(), self.kind.currentText()
        kinds = types_of(operator)
        if [self.kind.itemText(index) for index in range(self.kind.count())] != list(kinds):
            with QSignalBlocker(self.kind):
                self.kind.clear()
                for index, name in enumerate(kinds):
                    self.kind.addItem(name)
                    self.kind.setItemData(index, TYPE_WORDS[name], Qt.ItemDataRole.ToolTipRole)
                self.kind.setCurrentIndex(max(0, self.kind.findText(kind)))
        self._follow_attribute()
        self.path.setVisible(operator != AS_TEXT)
        self.kind.setVisible(bool(kinds))
        _give_way(self.value, 640 if operator == AS_TEXT else 260)
        self._kind_chosen()

    @Slot()
    def _type_chosen(self) -> None:
        self._is_type_chosen = True

    @Slot()
    def _follow_attribute(self) -> None:
        """The value has the type that the attribute is known to have, until a person chooses one."""
        at = self.kind.findText(self._type_of(self.path.text()) or "S")
        if not self._is_type_chosen and at >= 0:
            self.kind.setCurrentIndex(at)

    @Slot()
    def _kind_chosen(self) -> None:
        operator, kind = self.operator.currentText(), self.kind.currentText()
        is_truth = kind == "BOOL" and self._has_value
        self.truth.setVisible(is_truth)
        self.value.setVisible(self._has_value and not is_truth)
        self.high.setVisible(self._has_high)
        several = operator.endswith("in") and operator != "begins_with"
        hint = "condition" if operator == AS_TEXT else "a, b, 'c, d'" if several else _HINTS.get(kind, "")
        self.value.setPlaceholderText(hint)
        self.value.setAccessibleName("Values" if several else "Value")
        words = TYPE_WORDS.get(kind, "") if kind in TYPE_TAGS or kind in TYPE_WORDS else ""
        self.kind.setAccessibleDescription(words)
        self.kind.setToolTip(words)
        self._edited()

    @Slot()
    def _edited(self) -> None:
        words = inside(self.path.text()) if self.operator.currentText() != AS_TEXT else ""
        self._inside.setText(visible(words))
        self._inside.setVisible(bool(words))
        self.changed.emit()


def _give_way(typed: QLineEdit, widest: float) -> None:
    """A field that is as wide as there is room for, within bounds: a condition is one line."""
    typed.setMinimumWidth(px(64))
    typed.setMaximumWidth(px(widest))


class FilterGroup(_Part):
    """Lines and groups, all joined in one way. The outermost has neither lead nor buttons of its own."""

    run_asked = Signal()
    shape_changed = Signal()
    """Lines came or went."""

    def __init__(self, names: Names, type_of: TypeOf, *, outermost: bool = False) -> None:
        super().__init__()
        self._names, self._type_of = names, type_of
        self.connective: Connective = "AND"
        self.parts: list[TermLine | FilterGroup] = []
        self._stack = column(gap=0.5)
        self.add_line = button("Condition", "add", tone="quiet")
        self.add_group = button("Group", "add", tone="quiet")
        self.remove = tool("close", "Remove this group")
        self.remove.clicked.connect(self.remove_asked)
        self.add_line.clicked.connect(self._add_line)
        self.add_group.clicked.connect(self._add_group)
        self._outermost = outermost
        self._words = Text("all of", "text2")
        if outermost:
            self.setLayout(self._stack)
            for unused in (self.lead, self.add_line, self.add_group, self.remove, self._words):
                unused.setParent(self)
                unused.hide()
            return
        head = area(FlowLayout(self.lead, self._words, self.add_line, self.add_group, self.remove, gap=1.5))
        inner = area(self._stack, "window", "l")
        self._stack.setContentsMargins(3 * metrics().unit, 0, 0, 0)
        indented = row(4.0, inner, gap=0)
        indented.setStretch(1, 1)
        self.setLayout(column(head, indented, gap=0.5))

    @property
    def lines(self) -> Iterator[TermLine]:
        """From top to bottom."""
        for part in self.parts:
            if isinstance(part, TermLine):
                yield part
            else:
                yield from part.lines

    @property
    def focus_order(self) -> Iterator[QWidget]:
        if not self._outermost:
            yield from (self.lead, self.add_line, self.add_group, self.remove)
        for part in self.parts:
            yield from part.focus_order

    def group(self) -> Group:
        parts = tuple(part.term() if isinstance(part, TermLine) else part.group() for part in self.parts)
        return Group(self.connective, parts, self.negated and not self._outermost)

    def set_group(self, group: Group) -> None:
        for part in self.parts:
            self._drop(part)
        self.parts.clear()
        self.connective = group.connective
        for wanted in group.parts:
            if isinstance(wanted, Term):
                line = TermLine(self._names, self._type_of)
                self._put(line)
                line.set_term(wanted)
            else:
                inner = FilterGroup(self._names, self._type_of)
                self._put(inner)
                with QSignalBlocker(inner):
                    inner.set_group(wanted)
        self._show_leads()
        for part, wanted in zip(self.parts, group.parts, strict=True):
            part.set_negated(wanted.negated)
        self.shape_changed.emit()

    def new_line(self) -> TermLine:
        line = TermLine(self._names, self._type_of)
        self._put(line)
        self._show_leads()
        self.shape_changed.emit()
        return line

    def _put(self, part: TermLine | FilterGroup) -> None:
        self.parts.append(part)
        self._stack.addWidget(part)
        part.changed.connect(self.changed)
        part.run_asked.connect(self.run_asked)
        part.connective_chosen.connect(partial(self._join, part))
        part.remove_asked.connect(partial(self._remove, part))
        if isinstance(part, FilterGroup):
            part.shape_changed.connect(self.shape_changed)
        part.show()

    @Slot()
    def _add_line(self) -> None:
        self.new_line().path.setFocus()

    @Slot()
    def _add_group(self) -> None:
        inner = FilterGroup(self._names, self._type_of)
        self._put(inner)
        self._show_leads()
        inner.connective = "OR" if self.connective == "AND" else "AND"
        for _ in range(2):
            inner.new_line()
        next(inner.lines).path.setFocus()

    def _join(self, part: TermLine | FilterGroup, connective: Connective) -> None:
        """One line says how all of the group are joined; the first is joined to nothing."""
        if part is not self.parts[0]:
            self.connective = connective
            self._show_leads()

    def _remove(self, part: TermLine | FilterGroup) -> None:
        at = self.parts.index(part)
        self.parts.remove(part)
        self._drop(part)
        self._show_leads()
        if not self.parts:
            self.remove_asked.emit()
            return
        beside = self.parts[max(0, at - 1)]
        (beside.path if isinstance(beside, TermLine) else beside.add_line).setFocus()
        self.shape_changed.emit()

    def _drop(self, part: TermLine | FilterGroup) -> None:
        self._stack.removeWidget(part)
        part.hide()
        part.deleteLater()

    def _show_leads(self) -> None:
        self._words.setText("all of" if self.connective == "AND" else "any of")
        for at, part in enumerate(self.parts):
            part.set_lead(self.connective, first=at == 0)
