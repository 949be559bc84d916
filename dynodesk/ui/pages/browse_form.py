"""The form of a Query or Scan: which index, which keys, what filter, in what order, how consistent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.collections import View
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.key_ranges import range_remark
from dynodesk.domain.reading import Portion
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import MAX_PARTITION_KEY_BYTES, Item, KeyValue, String
from dynodesk.ui.actions import button_for, make
from dynodesk.ui.pages import browse_actions as act
from dynodesk.ui.pages.browse_explained import RequestCopies, explained
from dynodesk.ui.pages.browse_filter import FilterPanel
from dynodesk.ui.pages.browse_keys import KeyField, SortFields
from dynodesk.ui.pages.browse_options import ReadOptions
from dynodesk.ui.pages.browse_pane import ViewChooser
from dynodesk.ui.pages.browse_parts import switch_for
from dynodesk.ui.theme import Glyph, Text, metrics, px, ui_font
from dynodesk.ui.widgets.controls import combo
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, column, row

LOOKED_AT = 1_000
"""Loaded items whose types a filter is held against."""


class ReadForm(Area):
    """Fields for one Query or Scan. A Query needs the whole partition key; with none of it, it is a Scan.

    With `options` the read is for people to look at: in portions, one item by its key, several segments. Without, all
    of what the plan says is read by somebody else.
    """

    changed = Signal()
    run_asked = Signal()

    def __init__(
        self, table: TableInfo, views: Sequence[View], parent: QWidget | None = None, *, options: bool = False
    ) -> None:
        super().__init__("window", "", parent)
        self._table = table
        self.loaded: Callable[[], Sequence[Item]] = tuple
        """Items that are loaded by now: names of attributes are offered from them, and types looked up."""
        self.index = ViewChooser(views, "Index", with_keys=True)
        self.index.setFont(ui_font())
        self.partition: list[KeyField] = []
        self.sorts: list[SortFields] = []
        self.order = combo("Order")
        self.order.addItems(["ascending", "descending"])
        self.order.setFixedWidth(px(104))
        self.consistent = QCheckBox("Consistent read")
        self.consistent.setFont(ui_font())
        self.filter = FilterPanel(table, self._looked_at)
        self.options = ReadOptions(self.filter.names)
        self._has_options = self._has_order = options
        self._filtering = make(act.FILTER, self, self.filter.open_filter)
        self.add_filter = button_for(self._filtering, tone="quiet")
        self.add_filter.setProperty("keys", "")
        self._rest: list[QWidget] = [self.add_filter, self.consistent, self.order]
        if options:
            self._rest.append(self._option_button())
        self._groups: list[Area] = []
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
        self._flow = FlowLayout(self._start, *self._rest, gap=2, margins=(3, 2, 3, 1))
        bar = Area("window")
        bar.setLayout(self._flow)
        self.setLayout(column(bar, self._problems, self.filter, self.options, gap=0))
        self._missing: list[tuple[QLineEdit, str]] = []
        self.index.currentIndexChanged.connect(self._index_chosen)
        self.order.currentIndexChanged.connect(self._edited)
        self.consistent.toggled.connect(self._edited)
        self.filter.changed.connect(self._edited)
        self.filter.shaped.connect(self._order_focus)
        self.filter.run_asked.connect(self.run_asked)
        self.filter.closed.connect(self.add_filter.setFocus)
        self.options.changed.connect(self._edited)
        self.options.run_asked.connect(self.run_asked)
        self._index_chosen()

    def _option_button(self) -> QWidget:
        self._showing = make(act.OPTIONS, self, self._show_options)
        self._copies = RequestCopies(self, self.options.copy, self.draft, self.portion)
        return switch_for(self._showing, words=False)  # so that at 1440 pixels all of the form is one line

    def leave_out_place(self, *more: QWidget) -> None:
        """Table and index are seen and chosen elsewhere; `more` stands after the other fields."""
        self._start.hide()
        self._filtering.setShortcut("")  # the key belongs to the form of the page
        self._has_order = True
        self._rest += more
        self._index_chosen()

    # -- what is asked

    @property
    def view(self) -> View:
        return self.index.chosen

    @property
    def is_scan(self) -> bool:
        return not any(key.text() for key in self.partition)

    @property
    def operator(self) -> QComboBox:
        """Of the condition on the first attribute of the sort key."""
        return self.sorts[0].operator

    @property
    def low(self) -> KeyField | None:
        return self.sorts[0].low if self.sorts else None

    @property
    def high(self) -> KeyField | None:
        return self.sorts[0].high if self.sorts else None

    def plan(self) -> ReadPlan | None:
        """What the fields say; None where they contradict themselves, which is then shown at them."""
        self._missing = self._gaps()
        if self.filter.is_open:
            self.filter.show_gaps()
        self._show_problems()
        return self.draft()

    def draft(self) -> ReadPlan | None:
        """The same without remarks about what is not filled in yet."""
        if self._gaps() or self._wrong() or (self.filter.is_open and self.filter.condition is None):
            return None
        consistent = self.consistent.isEnabled() and self.consistent.isChecked()
        condition = self.filter.condition
        if self.is_scan:
            segments = self.options.segment_count if self._has_options else 1
            return ScanPlan(
                self._table.name,
                self.view.index,
                consistent,
                attributes=self._returned(),
                filter=condition,
                segments=segments,
            )
        plan = QueryPlan(
            self._table.name,
            partition={key.attribute.name: key.value() for key in self.partition},
            index=self.view.index,
            consistent=consistent,
            descending=self.order.currentIndex() == 1,
            attributes=self._returned(),
            filter=condition,
        )
        return self._with_key_of_item(self._with_sort(plan))

    def portion(self) -> Portion:
        """How far to read at a press, and how fast. Call where `plan` gave one."""
        return self.options.portion()

    def set_plan(self, plan: ReadPlan) -> None:
        """Fill the fields with what a plan asks."""
        self.index.choose(View(self._table, plan.index))
        self.consistent.setChecked(plan.consistent)
        for key in self.partition:
            key.set_value(plan.partition[key.attribute.name] if isinstance(plan, QueryPlan) else None)
        for fields in self.sorts:
            fields.set_condition(None)
            if isinstance(plan, QueryPlan):
                if (value := plan.sort_equals.get(fields.attribute.name)) is not None:
                    fields.set_equal(value)
                elif fields.attribute.name == plan.sort_name:
                    fields.set_condition(plan.sort)
        if isinstance(plan, QueryPlan):
            self.order.setCurrentIndex(int(plan.descending))
        self.filter.set_condition(plan.filter)
        always = self._keys()
        self.options.set_plan(plan, tuple(name for name in plan.attributes if name not in always))
        self._missing = []
        self._edited()

    def _with_sort(self, plan: QueryPlan) -> QueryPlan:
        """The sort key is asked for from left to right, = for all but the last that has a condition."""
        equal: dict[str, KeyValue] = {}
        for fields in self._shown_sorts():
            condition = fields.condition()
            if condition is None:
                break
            if plan.sort is not None:
                equal[plan.sort_name] = plan.sort.low
            plan = replace(plan, sort=condition, sort_name=fields.attribute.name, sort_equals=dict(equal))
        return plan

    def _with_key_of_item(self, plan: QueryPlan) -> QueryPlan:
        """A Query with the whole key of a table asks for one item: GetItem, where nothing else is asked."""
        if not self._has_options or plan.index is not None or plan.filter is not None:
            return plan
        schema = self._table.key_schema
        is_whole = not schema.sort or (plan.sort is not None and plan.sort.operator == "=")
        return replace(plan, by_key=is_whole, descending=plan.descending and not is_whole)

    def _returned(self) -> tuple[str, ...]:
        """Keys are always among them: without, no row is anything in particular."""
        chosen = self.options.returned.attributes() if self._has_options else ()
        return tuple(dict.fromkeys((*self._keys(), *chosen))) if chosen else ()

    def _keys(self) -> tuple[str, ...]:
        return (*self._table.key_schema.names, *self.view.schema.names)

    # -- mistakes

    def _used(self) -> list[KeyField]:
        return [*self.partition, *(key for fields in self._shown_sorts() for key in fields.used)]

    def _gaps(self) -> list[tuple[QLineEdit, str]]:
        """Fields that are empty and must not be, with what to do."""
        gaps: list[tuple[QLineEdit, str]] = []
        given = [key for key in self.partition if key.text()]
        asked = [fields for fields in self._shown_sorts() if fields.used]
        for key in self.partition:
            name = visible(key.attribute.name)
            if key.text():
                continue
            if given:
                gaps.append((key, f"{name}: a Query needs the whole partition key. Fill it in, or empty the others."))
            elif asked:
                gaps.append((key, f"{name}: a sort key condition needs a partition key. Fill it in, or choose any."))
        for fields in asked:
            for end in fields.used:
                if not end.text():
                    which = "" if len(fields.used) == 1 else " from" if end is fields.low else " to"
                    name = visible(end.attribute.name)
                    gaps.append((end, f"{name}{which}: a value is needed. Type one, or choose any."))
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
        found += [] if found else self._reversed()
        return [*found, *(self.options.problems(self.view) if self._has_options else [])]

    def _reversed(self) -> list[tuple[QLineEdit, str]]:
        """The upper end of a range that it closes before it has begun."""
        for fields in self._shown_sorts():
            condition = fields.condition() if all(end.text() for end in fields.used) else None
            if condition is not None and condition.is_reversed:
                name = visible(fields.attribute.name)
                return [(fields.high, f"{name}: the lower end is above the upper one. Turn them round.")]
        return []

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
        keys = [*self.partition, *(end for fields in self.sorts for end in (fields.low, fields.high))]
        for field in (*keys, self.options.returned, self.options.rate):
            said = problems.get(field, "")
            if bool(field.property("invalid")) != bool(said):
                field.setProperty("invalid", bool(said))
                field.update()
            field.setAccessibleDescription(said or (field.unseen if isinstance(field, KeyField) else ""))
        for key in self._used():
            if key.unseen and key not in problems:
                shown = f"{visible(key.attribute.name)} {key.unseen}"
                self._problems_list.addWidget(area(row(Text(shown, "muted"), None)))
        if remark := self._range_remark():
            self._problems_list.addWidget(area(row(Text(visible(remark), "muted"), None)))
        self._problems.setVisible(self._problems_list.count() > 0)

    def _range_remark(self) -> str:
        """What a range of the sort key takes in or leaves out, by what is loaded."""
        for fields in self._shown_sorts():
            try:
                condition = fields.condition()
            except InvalidValue:
                return ""
            if condition is not None and not fields.is_equal:
                name = fields.attribute.name
                found = (item.get(name) for item in self._looked_at())
                remark = range_remark(condition, [value.text for value in found if isinstance(value, String)])
                return f"{name}: {remark}." if remark else ""
        return ""

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
        self.partition = [KeyField(attribute, MAX_PARTITION_KEY_BYTES, "all", 124) for attribute in schema.partition]
        self._groups = []
        for key in self.partition:
            key.setText(before.get(key.attribute, ""))
            label = Text(visible(key.attribute.name), "text2", mono=True)
            self._groups.append(area(row(label, Text("=", "muted", mono=True), key, gap=1.5)))
            key.textChanged.connect(self._edited)
            key.returnPressed.connect(self.run_asked)
        self.sorts = [SortFields(attribute) for attribute in schema.sort]
        for fields in self.sorts:
            fields.changed.connect(self._edited)
            fields.run_asked.connect(self.run_asked)
        self._groups += self.sorts
        for group in self._groups:
            self._flow.addWidget(group)
            group.show()
        for control in self._rest:
            self._flow.addWidget(control)
        self._show_consistency()
        self._order_focus()
        self._edited()

    @Slot()
    def _order_focus(self) -> None:
        """Through the fields in reading order, those of lines that came later too."""
        in_order = [
            *(self.index, *self.partition, *(field for fields in self.sorts for field in fields.focus_order)),
            *self._rest,
            *self.filter.focus_order,
            *self.options.focus_order,
        ]
        for one, following in pairwise(in_order):
            QWidget.setTabOrder(one, following)

    def _shown_sorts(self) -> list[SortFields]:
        """Those that may have a condition: the first, and each after one that is asked for by one value."""
        shown = []
        for fields in self.sorts:
            shown.append(fields)
            if not fields.is_equal:
                break
        return shown

    def _show_consistency(self) -> None:
        never = self.view.always_eventual
        reason = f"{self.view.index} is a global secondary index: it has no consistent reads." if never else ""
        self.consistent.setEnabled(not never)
        self.consistent.setToolTip(reason)
        self.consistent.setAccessibleDescription(reason)

    def _looked_at(self) -> Sequence[Item]:
        return self.loaded()[:LOOKED_AT]

    @Slot()
    def _show_options(self) -> None:
        self.options.setVisible(self._showing.isChecked())
        if self._showing.isChecked():
            self.options.returned.setFocus()

    @Slot()
    def _edited(self) -> None:
        shown = self._shown_sorts()
        for fields in self.sorts:
            fields.setVisible(fields in shown)
        self.order.setEnabled(not self.is_scan)
        self.order.setVisible(self._has_order and not self.is_scan)  # rows of a set get theirs by a statement
        reason = "A Scan has no order." if self.is_scan else ""
        self.order.setToolTip(reason)
        self.order.setAccessibleDescription(reason)
        self.add_filter.setVisible(not self.filter.is_open)
        self.filter.set_read(self.view.index, of_query=not self.is_scan)
        self.options.show_scan(self.is_scan)
        self._show_problems()
        if self._has_options:
            self._explain()
        self.changed.emit()

    # -- what will be sent

    @property
    def explanation(self) -> str:
        """What will be sent, in words; "" where that is not known yet."""
        return self.options.explained.text if self._has_options else ""

    def _explain(self) -> None:
        self._showing.setChecked(not self.options.isHidden())
        plan = self.draft()
        self.options.explained.set_text("" if plan is None else visible(explained(plan)))
        self._copies.set_enabled(plan is not None)
