"""Fields for the keys of a Query: values of the partition key, and a condition on each attribute of the sort key."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QLineEdit, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.reads import SORT_OPERATORS, SortCondition, SortOperator
from dynodesk.domain.tables import KeyAttribute
from dynodesk.domain.values import MAX_SORT_KEY_BYTES, Binary, KeyValue, check_key
from dynodesk.ui.theme import Text, metrics, mono_font, px
from dynodesk.ui.widgets.controls import combo
from dynodesk.ui.widgets.layouts import Area, row
from dynodesk.ui.widgets.whole_text import whole

ANY = "any"
_TYPE_WORDS = {"S": "text", "N": "number", "B": "hexadecimal"}


class KeyField(QLineEdit):
    """A key value as typed, in the spelling of its type. An empty field holds no value: no key is empty."""

    def __init__(self, attribute: KeyAttribute, limit: int, hint: str, width: float) -> None:
        super().__init__()
        self.setFont(mono_font())
        self.setTextMargins(metrics().unit, 0, metrics().unit, 0)
        self.setFixedWidth(px(width))
        self.setPlaceholderText(hint if attribute.type == "S" else f"{hint}, {_TYPE_WORDS[attribute.type]}")
        self.setAccessibleName(f"{attribute.name}, {_TYPE_WORDS[attribute.type]}")
        self.attribute = attribute
        self._limit = limit

    def value(self) -> KeyValue:
        """Raises `InvalidValue` for what is no value of a key."""
        value = self.attribute.value(self.text())
        check_key(value, self.attribute.name, self._limit)
        return value

    @property
    def unseen(self) -> str:
        """A remark on characters that cannot be seen in the field; "" where there are none."""
        marked = visible(self.text())
        return "" if marked == self.text() else f"holds characters that cannot be seen: {marked}"

    def set_value(self, value: KeyValue | None) -> None:
        self.setText("" if value is None else value.data.hex() if isinstance(value, Binary) else whole(value.text))


class SortFields(Area):
    """What is asked of one attribute of the sort key."""

    changed = Signal()
    run_asked = Signal()

    def __init__(self, attribute: KeyAttribute) -> None:
        super().__init__()
        self.attribute = attribute
        self.operator = combo(f"Condition on {attribute.name}", 106)
        self.operator.addItems([ANY, *(o for o in SORT_OPERATORS if o != "begins_with" or attribute.type != "N")])
        self.low = KeyField(attribute, MAX_SORT_KEY_BYTES, "value", 100)
        self.high = KeyField(attribute, MAX_SORT_KEY_BYTES, "and", 100)
        name = Text(visible(attribute.name), "text2", mono=True)
        self.setLayout(row(name, self.operator, self.low, self.high, gap=1.5))
        for end in (self.low, self.high):
            end.textChanged.connect(self.changed)
            end.returnPressed.connect(self.run_asked)
        self.operator.currentIndexChanged.connect(self._operator_chosen)
        self._operator_chosen()

    @property
    def is_equal(self) -> bool:
        """Whether one value is asked for, so that the attribute after it may have a condition too."""
        return self.operator.currentText() == "="

    @property
    def used(self) -> list[KeyField]:
        """The fields that the condition needs."""
        operator = self.operator.currentText()
        if operator == ANY:
            return []
        return [self.low, self.high] if operator == "between" else [self.low]

    def condition(self) -> SortCondition | None:
        """None where any value will do. Raises `InvalidValue`."""
        operator = self.operator.currentText()
        if operator == ANY:
            return None
        high = self.high.value() if operator == "between" else None
        return SortCondition(cast(SortOperator, operator), self.low.value(), high)

    def set_condition(self, condition: SortCondition | None) -> None:
        self.operator.setCurrentText(ANY if condition is None else condition.operator)
        self.low.set_value(None if condition is None else condition.low)
        self.high.set_value(None if condition is None else condition.high)

    def set_equal(self, value: KeyValue) -> None:
        self.set_condition(SortCondition("=", value))

    @property
    def focus_order(self) -> tuple[QWidget, ...]:
        return self.operator, self.low, self.high

    @Slot()
    def _operator_chosen(self) -> None:
        used = self.used
        self.low.setVisible(self.low in used)
        self.high.setVisible(self.high in used)
        self.changed.emit()
