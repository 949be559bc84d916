"""One index to be made: its kind, its key, what it carries, its capacity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.table_changes import MOST_KEY_PARTS, Part
from dynodesk.domain.tables import IndexInfo, KeySchema, Projection, Throughput
from dynodesk.ui.dialogs.create_table_keys import KeyEditor
from dynodesk.ui.dialogs.form import Form, Row
from dynodesk.ui.pages.reconcile_parts import LinesField
from dynodesk.ui.theme import Text
from dynodesk.ui.widgets.controls import combo, field, tool
from dynodesk.ui.widgets.layouts import Area, column, row

Kind = Literal["GSI", "LSI"]
KINDS: tuple[tuple[Kind, str], ...] = (("GSI", "Global (GSI)"), ("LSI", "Local (LSI)"))
PROJECTIONS: tuple[tuple[Literal["ALL", "KEYS_ONLY", "INCLUDE"], str], ...] = (
    ("ALL", "All attributes"),
    ("KEYS_ONLY", "Keys only"),
    ("INCLUDE", "Keys and chosen attributes"),
)
PROJECTION_HINTS = {
    "ALL": "Each write of an item is written to the index as well, whole.",
    "KEYS_ONLY": "Small and cheap. Other attributes are read from the table.",
    "INCLUDE": "Other attributes are read from the table.",
}
USUAL_UNITS = "5"


class CapacityFields(QWidget):
    """Read and write units a second."""

    changed = Signal()

    def __init__(self, of: str) -> None:
        super().__init__()
        self.read = field(f"Read units of the {of}", width=72)
        self.write = field(f"Write units of the {of}", width=72)
        for units in (self.read, self.write):
            units.setText(USUAL_UNITS)
            units.textChanged.connect(self.changed)
        self.setLayout(row(self.read, Text("RCU", "text2"), self.write, Text("WCU", "text2"), None, gap=1.5))
        self.setFocusProxy(self.read)

    @property
    def throughput(self) -> Throughput:
        return Throughput(_units(self.read.text()), _units(self.write.text()))


def _units(text: str) -> int:
    """0 for what is no number: it is refused as too small."""
    return int(text) if text.isascii() and text.isdecimal() else 0


class IndexEditor(Area):
    changed = Signal()
    removed = Signal()

    def __init__(self, n: int, *, is_alone: bool = False) -> None:
        """`n` from 1 tells it from the others. Alone it is of a table that is there, and so a global one."""
        super().__init__("sunken", "t" if not is_alone else "")
        self._is_provisioned = False
        self.kind = combo("Kind of index", 130)
        for kind, words in KINDS:
            self.kind.addItem(words, kind)
        self.remove_button = tool("trash", f"Take away index {n}")
        head = row(
            Text(f"Index {n}", weight="semibold"), self.kind, None, self.remove_button, gap=3, margins=(5, 3, 3, 0)
        )
        self.name = field("Index name")
        self.partition = KeyEditor("Partition key", "attribute", MOST_KEY_PARTS)
        self.sort = KeyEditor("Sort key", "none", MOST_KEY_PARTS)
        self.projection = combo("Projection")
        for projection, words in PROJECTIONS:
            self.projection.addItem(words, projection)
        self.included = LinesField("Attributes to include, one a line", 3)
        self.capacity = CapacityFields("index")
        form = Form()
        self._name_row = form.add("Name", self.name)
        self._partition_row = form.add("Partition key", self.partition)
        self._sort_row = form.add("Sort key", self.sort)
        self._projection_row = form.add("Carries", self.projection)
        self._included_row = form.add("Attributes", self.included, "One name a line.")
        self._capacity_row = form.add("Capacity", self.capacity)
        head_area = QWidget()
        head_area.setLayout(head)
        head_area.setHidden(is_alone)
        self.setLayout(column(head_area, form, gap=0))
        for signal in (
            self.name.textChanged, self.partition.changed, self.sort.changed,
            self.included.edit.textChanged, self.capacity.changed,
        ):  # fmt: skip
            signal.connect(self.changed)
        for chosen in (self.kind, self.projection):
            chosen.currentIndexChanged.connect(self._chosen)
        self.remove_button.clicked.connect(self.removed)
        self._show_rows()

    def set_provisioned(self, provisioned: bool) -> None:
        self._is_provisioned = provisioned
        self._show_rows()

    def index(self, table_key: KeySchema) -> IndexInfo:
        """As it is filled in; a local one has the partition key of its table."""
        kind = cast(Kind, self.kind.currentData())
        is_local = kind == "LSI"
        partition = table_key.partition if is_local else self.partition.attributes
        projection = self.projection.currentData()
        names = self.included.edit.document().toRawText().split("\u2029")  # the only one that keeps every space
        included = tuple(filter(None, names)) if projection == "INCLUDE" else ()
        return IndexInfo(
            self.name.text(),
            kind,
            KeySchema(partition, self.sort.attributes),
            Projection(projection, included),
            throughput=self.capacity.throughput if self._is_provisioned and not is_local else None,
        )

    @property
    def rows(self) -> tuple[Row, ...]:
        return (self._name_row, self._partition_row, self._sort_row, self._included_row, self._capacity_row)

    def show_problems(self, problems: Mapping[Part, InvalidRequest], *, is_due: bool) -> None:
        """What is empty is no mistake before the person wants to go on: then it `is_due`."""
        parts: tuple[tuple[Part, Row, bool], ...] = (
            ("name", self._name_row, bool(self.name.text())),
            ("partition", self._partition_row, self.partition.is_typed),
            ("sort", self._sort_row, self.sort.is_typed),
            ("projection", self._included_row, bool(self.included.edit.toPlainText())),
            ("throughput", self._capacity_row, True),
        )
        for part, shown, is_typed in parts:
            shown.show_problem(problems.get(part) if is_due or is_typed else None)
        self.included.set_invalid(self._included_row.is_invalid)

    @Slot()
    def _chosen(self) -> None:
        self._show_rows()
        self.changed.emit()

    def _show_rows(self) -> None:
        is_local = self.kind.currentData() == "LSI"
        self._partition_row.set_visible(not is_local)
        self.sort.set_most(1 if is_local else MOST_KEY_PARTS)
        self._sort_row.set_hint("With the table's partition key." if is_local else "")
        self._projection_row.set_hint(PROJECTION_HINTS[self.projection.currentData()])
        self._included_row.set_visible(self.projection.currentData() == "INCLUDE")
        self._capacity_row.set_visible(self._is_provisioned and not is_local)
