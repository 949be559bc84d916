"""The values of a statement that stand beside its text: one field for each question mark, with its type chosen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QLineEdit

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.statements import PARAMETER_TYPES, ParameterType, parameter
from dynodesk.domain.values import Binary, Boolean, Null, Number, String, Value, check
from dynodesk.ui.theme import Text
from dynodesk.ui.widgets.controls import combo, field
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, row
from dynodesk.ui.widgets.whole_text import whole

MOST = 50
"""Fields that are offered. A statement that takes more is refused: its values belong into its text."""
_WORDS: dict[ParameterType, str] = {"S": "text", "N": "number", "B": "hexadecimal", "BOOL": "true or false", "NULL": ""}


class ValueField(Area):
    """One value: its type, and its text as typed. Text is taken as it is, also the empty one."""

    changed = Signal()

    def __init__(self, number: int) -> None:
        super().__init__("window")
        self._number = number
        self.type: QComboBox = combo(f"Type of value {number}")
        self.type.addItems(PARAMETER_TYPES)
        self.text: QLineEdit = field(f"Value {number}", width=132)
        self.flag: QComboBox = combo(f"Value {number}, true or false")
        self.flag.addItems(["true", "false"])
        self.setLayout(row(Text(f"? {number}", "muted", mono=True), self.type, self.text, self.flag, gap=1))
        self.type.currentIndexChanged.connect(self._type_chosen)
        self.flag.currentIndexChanged.connect(self.changed)
        self.text.textChanged.connect(self.changed)
        self._type_chosen()

    def value(self) -> Value:
        """Raises `InvalidValue`, and marks the field, for what is no value of the chosen type."""
        type_ = PARAMETER_TYPES[self.type.currentIndex()]
        try:
            found = parameter(type_, self.flag.currentText() if type_ == "BOOL" else self.text.text())
            check(found, f"value {self._number}")
        except InvalidValue as problem:
            self._mark(problem.message)
            raise InvalidValue(f"value {self._number}: {problem.message}", hint=problem.hint) from None
        self._mark("")
        return found

    def set_value(self, value: Value) -> None:
        """A value of a type that can be typed here."""
        match value:
            case String(text):
                self._set("S", text)
            case Number():
                self._set("N", value.text)
            case Binary(data):
                self._set("B", data.hex())
            case Boolean(on):
                self._set("BOOL", "")
                self.flag.setCurrentText("true" if on else "false")
            case _:
                self._set("NULL", "")

    @property
    def typed(self) -> list[str]:
        """Type, text and flag as they stand, also where they are no value yet."""
        return [self.type.currentText(), self.text.text(), self.flag.currentText()]

    def set_typed(self, typed: object) -> None:
        """What `typed` gave; anything else is left out."""
        match typed:
            case [str(type_), str(text), str(flag)]:
                self.type.setCurrentText(type_)
                self.text.setText(whole(text))
                self.flag.setCurrentText(flag)

    def _set(self, type_: ParameterType, text: str) -> None:
        self.type.setCurrentText(type_)
        self.text.setText(whole(text))

    @Slot()
    def _type_chosen(self) -> None:
        type_ = PARAMETER_TYPES[self.type.currentIndex()]
        self.text.setVisible(type_ not in {"BOOL", "NULL"})
        self.text.setPlaceholderText(_WORDS[type_])
        self.flag.setVisible(type_ == "BOOL")
        self._mark("")
        self.changed.emit()

    def _mark(self, problem: str) -> None:
        if bool(self.text.property("invalid")) != bool(problem):
            self.text.setProperty("invalid", bool(problem))
            self.text.update()
        self.text.setAccessibleDescription(problem)


class ValueFields(Area):
    """As many fields as the statement takes; what was typed into one stays when it goes and comes again."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__("window", "t")
        self._fields: list[ValueField] = []
        self._count = 0
        self._label = area(row(Text("Values", "text2")))
        self._flow = FlowLayout(self._label, gap=3, margins=(3, 1.5, 3, 1.5))
        self.setLayout(self._flow)
        self.hide()

    @property
    def shown(self) -> Sequence[ValueField]:
        return self._fields[: self._count]

    def set_count(self, count: int) -> None:
        self._count = min(count, MOST)
        while len(self._fields) < self._count:
            made = ValueField(len(self._fields) + 1)
            made.changed.connect(self.changed)
            self._fields.append(made)
            self._flow.addWidget(made)
        for at, one in enumerate(self._fields):
            one.setVisible(at < self._count)
        self.setVisible(self._count > 0)
        self.updateGeometry()

    def values(self) -> tuple[Value, ...]:
        """Raises `InvalidValue` for the first that is none."""
        return tuple(one.value() for one in self.shown)

    def set_values(self, values: Sequence[Value]) -> None:
        self.set_count(len(values))
        for one, value in zip(self.shown, values, strict=False):
            one.set_value(value)


def can_be_typed(values: Sequence[Value]) -> bool:
    return len(values) <= MOST and all(isinstance(value, String | Number | Binary | Boolean | Null) for value in values)
