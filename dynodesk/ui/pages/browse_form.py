"""The form of a Query or Scan: which index, which keys, in what order, how consistent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.collections import View
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.reads import SORT_OPERATORS, QueryPlan, ReadPlan, ScanPlan, SortCondition, SortOperator
from dynodesk.domain.tables import KeyAttribute, TableInfo
from dynodesk.domain.values import MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, Binary, KeyValue, check_key
from dynodesk.ui.pages.browse_pane import ViewChooser
from dynodesk.ui.theme import Glyph, Text, metrics, mono_font, px, ui_font
from dynodesk.ui.widgets.controls import combo
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, column, row

ANY = "any"
_TYPE_WORDS = {"S": "text", "N": "number", "B": "hexadecimal"}


class KeyField(QLineEdit):
    """A key value as typed, in the spelling of its type. An empty field holds no value: no key is empty."""

    def __init__(self, attribute: KeyAttribute, limit: int, hint: str, width: float) -> None:
        super().__init__()
        self.setFont(mono_font())
        self.setTextMargins(metrics().unit, 0, metrics().unit, 0)
        self.setFixedWidth(px(width))
        self.setPlaceholderText(hint)
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
        self.setText("" if value is None else value.data.hex() if isinstance(value, Binary) else value.text)


class ReadForm(Area):
    """Fields for one Query or Scan. A Query needs the whole partition key; with none of it, it is a Scan."""

    changed = Signal()
    run_asked = Signal()

    def __init__(self, table: TableInfo, views: Sequence[View], parent: QWidget | None = None) -> None:
        super().__init__("window", "", parent)
        self._table = table
        self.index = ViewChooser(views, "Index", with_keys=True)
        self.index.setFont(ui_font())
        self.partition: list[KeyField] = []
        self.operator = combo("Sort key condition")
        self.low: KeyField | None = None
        self.high: KeyField | None = None
        self.order = combo("Order")
        self.order.addItems(["ascending", "descending"])
        self.order.setFixedWidth(px(104))
        self.consistent = QCheckBox("Consistent read")
        self.consistent.setFont(ui_font())
        self._groups: list[Area] = []
        self._rest = area(row(self.order, self.consistent, gap=3))
        self._start = area(
            row(
                Text("Table", "text2"),
                Text(visible(table.name), weight="semibold", mono=True),
                1,
                Text("Index", "text2"),
                self.index,
                gap=1.5,
            )
        )
        self._problems = Area("window")
        self._problems_list = column(gap=0.5, margins=(3, 0.5, 3, 0.5))
        self._problems.setLayout(self._problems_list)
        self._problems.hide()
        self._flow = FlowLayout(self._start, self._rest, gap=3, margins=(3, 2, 3, 1))
        bar = Area("window")
        bar.setLayout(self._flow)
        self.setLayout(column(bar, self._problems, gap=0))
        self._missing: list[tuple[QLineEdit, str]] = []
        self.index.currentIndexChanged.connect(self._index_chosen)
        self.order.currentIndexChanged.connect(self._edited)
        self.consistent.toggled.connect(self._edited)
        self._index_chosen()

    # -- what is asked

    @property
    def view(self) -> View:
        return self.index.chosen

    @property
    def is_scan(self) -> bool:
        return not any(key.text() for key in self.partition)

    def plan(self) -> ReadPlan | None:
        """What the fields say; None where they contradict themselves, which is then shown at them."""
        self._missing = self._gaps()
        self._show_problems()
        if self._missing or self._wrong():
            return None
        consistent = self.consistent.isEnabled() and self.consistent.isChecked()
        if self.is_scan:
            return ScanPlan(self._table.name, self.view.index, consistent)
        condition = self._condition()
        return QueryPlan(
            self._table.name,
            partition={key.attribute.name: key.value() for key in self.partition},
            sort=condition,
            sort_name=self.view.schema.sort[0].name if condition is not None else "",
            index=self.view.index,
            consistent=consistent,
            descending=self.order.currentIndex() == 1,
        )

    def draft(self) -> ReadPlan | None:
        """The same without remarks about what is not filled in yet."""
        if self._gaps() or self._wrong():
            return None
        return self.plan()

    def set_plan(self, plan: ReadPlan) -> None:
        """Fill the fields with what a plan asks."""
        self.index.choose(View(self._table, plan.index))
        self.consistent.setChecked(plan.consistent)
        for key in self.partition:
            key.set_value(plan.partition[key.attribute.name] if isinstance(plan, QueryPlan) else None)
        condition = plan.sort if isinstance(plan, QueryPlan) else None
        self.operator.setCurrentText(ANY if condition is None else condition.operator)
        if self.low is not None and self.high is not None:
            self.low.set_value(None if condition is None else condition.low)
            self.high.set_value(None if condition is None else condition.high)
        if isinstance(plan, QueryPlan):
            self.order.setCurrentIndex(int(plan.descending))
        self._missing = []
        self._show_problems()

    def _condition(self) -> SortCondition | None:
        operator = self.operator.currentText()
        if self.low is None or self.high is None or operator == ANY:
            return None
        return SortCondition(
            cast(SortOperator, operator), self.low.value(), self.high.value() if operator == "between" else None
        )

    # -- mistakes

    def _used(self) -> list[KeyField]:
        operator = self.operator.currentText()
        ends = [self.low] if operator != ANY else []
        ends += [self.high] if operator == "between" else []
        return [*self.partition, *(end for end in ends if end is not None)]

    def _gaps(self) -> list[tuple[QLineEdit, str]]:
        """Fields that are empty and must not be, with what to do."""
        gaps: list[tuple[QLineEdit, str]] = []
        given = [key for key in self.partition if key.text()]
        asked = self._used()[len(self.partition) :]
        for key in self.partition:
            name = visible(key.attribute.name)
            if key.text():
                continue
            if given:
                gaps.append((key, f"{name}: a Query needs the whole partition key. Fill it in, or empty the others."))
            elif asked:
                gaps.append((key, f"{name}: a sort key condition needs a partition key. Fill it in, or choose any."))
        for end in asked:
            if not end.text():
                which = "" if len(asked) == 1 else " from" if end is self.low else " to"
                gaps.append((end, f"{visible(end.attribute.name)}{which}: a value is needed. Type one, or choose any."))
        return gaps

    def _wrong(self) -> list[tuple[QLineEdit, str]]:
        """Fields whose text is no value of their key, as typed so far."""
        found: list[tuple[QLineEdit, str]] = []
        for key in self._used():
            if key.text():
                try:
                    key.value()
                except InvalidValue as problem:
                    name = visible(key.attribute.name)
                    said = visible(problem.message).removeprefix(f"key attribute {name}: ")
                    found.append((key, f"{name}: {said}. {visible(problem.hint)}".strip()))
        return found

    def _show_problems(self) -> None:
        missing = [(key, said) for key, said in self._missing if not key.text()]
        problems = dict([*missing, *self._wrong()])
        while (item := self._problems_list.takeAt(0)) is not None:
            gone = item.widget()
            if gone is not None:
                gone.deleteLater()
        for said in problems.values():
            line = area(row(Glyph("error", "danger", metrics().icon - 2), Text(said, "danger"), None, gap=1.5))
            self._problems_list.addWidget(line)
        for key in [*self.partition, self.low, self.high]:
            if key is None:
                continue
            said = problems.get(key, "")
            if bool(key.property("invalid")) != bool(said):
                key.setProperty("invalid", bool(said))
                key.update()
            key.setAccessibleDescription(said or key.unseen)
        for key in self._used():
            if key.unseen and key not in problems:
                shown = f"{visible(key.attribute.name)} {key.unseen}"
                self._problems_list.addWidget(area(row(Text(shown, "muted"), None)))
        self._problems.setVisible(self._problems_list.count() > 0)

    # -- fields

    @Slot()
    def _index_chosen(self) -> None:
        """Fields for the keys of the index; values stay where the attribute does."""
        before = {key.attribute: key.text() for key in self.partition}
        while self._flow.count() > 1:
            self._flow.takeAt(1)
        for group in self._groups:
            group.deleteLater()
        schema = self.view.schema
        self.partition = [
            KeyField(attribute, MAX_PARTITION_KEY_BYTES, _hint(attribute, "all"), 124) for attribute in schema.partition
        ]
        self.low = self.high = None
        self.operator = combo("Sort key condition")
        self._groups = []
        for key in self.partition:
            key.setText(before.get(key.attribute, ""))
            label = Text(visible(key.attribute.name), "text2", mono=True)
            self._groups.append(area(row(label, Text("=", "muted", mono=True), key, gap=1.5)))
        if schema.sort:
            first = schema.sort[0]
            self.operator.setFixedWidth(px(106))
            self.operator.addItems([ANY, *(o for o in SORT_OPERATORS if o != "begins_with" or first.type != "N")])
            self.low = KeyField(first, MAX_SORT_KEY_BYTES, _hint(first, "value"), 100)
            self.high = KeyField(first, MAX_SORT_KEY_BYTES, _hint(first, "and"), 100)
            label = Text(visible(first.name), "text2", mono=True)
            self._groups.append(area(row(label, self.operator, self.low, self.high, gap=1.5)))
        for group in (*self._groups, self._rest):
            self._flow.addWidget(group)
            group.show()
        in_order = [self.index, *self.partition, *self._sort_widgets(), self.order, self.consistent]
        for one, following in pairwise(in_order):
            QWidget.setTabOrder(one, following)
        for watched in (*self.partition, self.low, self.high):
            if watched is not None:
                self._watch(watched)
        self.operator.currentIndexChanged.connect(self._operator_chosen)
        self._show_consistency()
        self._operator_chosen()

    def _sort_widgets(self) -> list[QWidget]:
        return [] if self.low is None or self.high is None else [self.operator, self.low, self.high]

    def _watch(self, key: KeyField) -> None:
        key.textChanged.connect(self._edited)
        key.returnPressed.connect(self.run_asked)

    def _show_consistency(self) -> None:
        never = self.view.always_eventual
        reason = f"{self.view.index} is a global secondary index: it has no consistent reads." if never else ""
        self.consistent.setEnabled(not never)
        self.consistent.setToolTip(reason)
        self.consistent.setAccessibleDescription(reason)

    @Slot()
    def _operator_chosen(self) -> None:
        operator = self.operator.currentText()
        if self.low is not None and self.high is not None:
            self.low.setVisible(operator != ANY)
            self.high.setVisible(operator == "between")
        self._edited()

    @Slot()
    def _edited(self) -> None:
        self.order.setEnabled(not self.is_scan)
        reason = "A Scan has no order." if self.is_scan else ""
        self.order.setToolTip(reason)
        self.order.setAccessibleDescription(reason)
        self._show_problems()
        self.changed.emit()


def _hint(attribute: KeyAttribute, words: str) -> str:
    return words if attribute.type == "S" else f"{words}, {_TYPE_WORDS[attribute.type]}"
