"""The dialogs that make a table, or an index of one that is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QCheckBox, QComboBox, QScrollArea, QSplitter, QWidget

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.table_changes import STREAM_VIEWS, CreateIndex, CreateTable, Part, Problem, problems
from dynodesk.domain.tables import KeySchema, TableInfo
from dynodesk.reports.table_wording import CLASSES, STREAM_WORDS
from dynodesk.ui.dialogs.create_table_index import CapacityFields, IndexEditor
from dynodesk.ui.dialogs.create_table_keys import KeyEditor
from dynodesk.ui.dialogs.form import Form, Row
from dynodesk.ui.dialogs.table_change import TableChangeDialog, TableTools
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.theme import metrics, px, ui_font
from dynodesk.ui.widgets.controls import button, combo, field
from dynodesk.ui.widgets.layouts import Area, area, column, row

ON_DEMAND, PROVISIONED = "On-demand: pay per request", "Provisioned: pay per hour"


class _FormDialog(TableChangeDialog):
    """A form at the left, the request it makes at the right."""

    def arrange_form(self, title: str, form: Area) -> None:
        self._form = form
        self.form_scroll = QScrollArea()
        self.form_scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self.form_scroll.setWidgetResizable(True)
        self.form_scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.form_scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.form_scroll.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        self.form_scroll.setAccessibleName(title)
        self.form_scroll.setMinimumWidth(px(430))
        self.form_scroll.setWidget(form)
        halves = QSplitter()
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.form_scroll)
        halves.addWidget(self.request)
        halves.setStretchFactor(0, 3)
        halves.setStretchFactor(1, 2)
        halves.setSizes([px(560), px(420)])
        self.arrange(halves, 1000, 700)

    def show_state(self) -> None:
        super().show_state()
        self._form.setEnabled(self.state == "asking" and not self.refusal)

    def show_first_problem(self, invalid: Iterable[Row]) -> None:
        for shown in invalid:
            if shown.is_invalid:
                self.form_scroll.ensureWidgetVisible(shown.content)
                shown.content.setFocus()
                return


class CreateTableDialog(_FormDialog):
    def __init__(self, tools: TableTools, runner: JobRunner, window: QWidget | None = None) -> None:
        says = "A table costs nothing by itself when it is billed on demand: its items, reads and writes do."
        super().__init__("Create a table", says, tools, runner, window, "Create table")
        self._was_tried = False
        self._count = 0
        self.name = field("Table name")
        self.partition = KeyEditor("Partition key", "attribute", 1)
        self.sort = KeyEditor("Sort key", "none", 1)
        self.billing = combo("Billing")
        self.billing.addItems([ON_DEMAND, PROVISIONED])
        self.capacity = CapacityFields("table")
        self.stream = combo("Stream")
        self.stream.addItem("None", "")
        for view in STREAM_VIEWS:
            self.stream.addItem(f"{view}: {STREAM_WORDS[view]}", view)
        self.table_class = combo("Table class")
        for name, words in CLASSES.items():
            self.table_class.addItem(words, name)
        for chooser in (self.billing, self.stream, self.table_class):  # or the longest choice would cut the form off
            chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            chooser.setMinimumContentsLength(20)
        self.protection = QCheckBox("Protect it from being deleted")
        self.protection.setFont(ui_font())
        self.protection.setMinimumHeight(metrics().control)
        self.protection.setChecked(tools.profile.stage == "production")
        form = Form()
        self._rows: Mapping[Part, Row] = {
            "name": form.add("Name", self.name),
            "partition": form.add("Partition key", self.partition, "Never changed later."),
            "sort": form.add("Sort key", self.sort, "Left empty, each partition key has one item."),
        }
        form.add("Billing", self.billing)
        self._capacity_row = form.add("Capacity", self.capacity)
        form.add("Stream", self.stream)
        form.add("Table class", self.table_class)
        form.add("Protection", self.protection)
        self.indexes: list[IndexEditor] = []
        self.add_button = button("Add an index", "add")
        self._index_place = column(gap=0)
        foot = row(self.add_button, None, margins=(5, 3, 5, 4))
        self.arrange_form("Table", area(column(form, self._index_place, foot, None, gap=0)))
        for signal in (self.name.textChanged, self.partition.changed, self.sort.changed, self.capacity.changed):
            signal.connect(self._changed)
        for chosen in (self.billing, self.stream, self.table_class):
            chosen.currentIndexChanged.connect(self._changed)
        self.protection.toggled.connect(self._changed)
        self.add_button.clicked.connect(self.add_index)
        self._changed()
        self.name.setFocus()

    @property
    def _is_provisioned(self) -> bool:
        return self.billing.currentText() == PROVISIONED

    def change(self) -> CreateTable:
        schema = KeySchema(self.partition.attributes, self.sort.attributes)
        return CreateTable(
            self.name.text(),
            schema,
            tuple(index.index(schema) for index in self.indexes),
            self._is_provisioned,
            self.capacity.throughput if self._is_provisioned else None,
            self.stream.currentData(),
            self.protection.isChecked(),
            self.table_class.currentData(),
        )

    @Slot()
    def add_index(self) -> None:
        self._count += 1
        index = IndexEditor(self._count)
        self.indexes.append(index)
        self._index_place.addWidget(index)
        index.changed.connect(self._changed)
        index.removed.connect(self._remove_index)
        index.name.setFocus()
        self._changed()

    @Slot()
    def _remove_index(self) -> None:
        index = cast(IndexEditor, self.sender())
        self.indexes.remove(index)
        index.hide()
        index.deleteLater()
        self.add_button.setFocus()
        self._changed()

    @Slot()
    def _changed(self) -> None:
        if self.state == "asking" and not self._tools.refusal:
            self.outcome.clear()
        self._capacity_row.set_visible(self._is_provisioned)
        for index in self.indexes:
            index.set_provisioned(self._is_provisioned)
        self._show_problems()
        self.show_change()

    def _show_problems(self) -> tuple[Problem, ...]:
        found = problems(self.change())
        own = by_part(found, None)
        typed = {"name": bool(self.name.text()), "partition": self.partition.is_typed, "sort": self.sort.is_typed}
        for part, shown in self._rows.items():
            shown.show_problem(own.get(part) if self._was_tried or typed[part] else None)
        self._capacity_row.show_problem(own.get("throughput"))
        for at, index in enumerate(self.indexes):
            index.show_problems(by_part(found, at), is_due=self._was_tried)
        return found

    def may_send(self) -> bool:
        self._was_tried = True
        found = self._show_problems()
        self.show_first_problem(
            [*self._rows.values(), self._capacity_row, *(one for index in self.indexes for one in index.rows)]
        )
        return not found


class CreateIndexDialog(_FormDialog):
    """A global index of a table that is there; local ones are made with their table only."""

    def __init__(self, info: TableInfo, tools: TableTools, runner: JobRunner, window: QWidget | None = None) -> None:
        says = (
            f"A global index of {info.name}. It is filled with the items that are there, which takes its time and "
            "write units; the table can be used meanwhile."
        )
        super().__init__("Create an index", says, tools, runner, window, "Create index")
        self._info = info
        self._was_tried = False
        self.editor = IndexEditor(1, is_alone=True)
        self.editor.set_provisioned(info.billing == "PROVISIONED")
        self.arrange_form("Index", area(column(self.editor, None, gap=0), "sunken"))
        self.editor.changed.connect(self._changed)
        self._changed()
        self.editor.name.setFocus()

    def change(self) -> CreateIndex:
        return CreateIndex(self._info, self.editor.index(self._info.key_schema))

    @Slot()
    def _changed(self) -> None:
        if self.state == "asking" and not self._tools.refusal:
            self.outcome.clear()
        self._show_problems()
        self.show_change()

    def _show_problems(self) -> tuple[Problem, ...]:
        found = problems(self.change())
        self.editor.show_problems(by_part(found, 0), is_due=self._was_tried)
        return found

    def may_send(self) -> bool:
        self._was_tried = True
        found = self._show_problems()
        self.show_first_problem(self.editor.rows)
        return not found


def by_part(found: Iterable[Problem], index: int | None) -> dict[Part, InvalidRequest]:
    """The first problem of each part of the table (None) or of an index."""
    first: dict[Part, InvalidRequest] = {}
    for problem in found:
        if problem.index == index:
            first.setdefault(problem.part, problem.error)
    return first
