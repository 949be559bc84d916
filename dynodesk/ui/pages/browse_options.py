"""How much a read takes at a press, how fast, and what of it is returned; and what will be sent."""

from __future__ import annotations

import contextlib
from decimal import Decimal, InvalidOperation

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLineEdit, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.collections import View
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.reading import EVERYTHING, Portion
from dynodesk.domain.reads import ReadPlan, ScanPlan, unprojected
from dynodesk.ui.pages.browse_names import Names
from dynodesk.ui.pages.browse_pane import PORTION, PORTIONS
from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.pages.browse_projection import ProjectionField
from dynodesk.ui.theme import Text
from dynodesk.ui.widgets.controls import combo, field, tool
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, column, row

PAGES = (None, 1_000, 100, 25, 1)
SEGMENTS = (1, 2, 4, 8, 16)
UNPAID = "Fewer attributes do not lower the cost."


class ReadOptions(Area):
    """Hidden until asked for. What is chosen counts all the same."""

    changed = Signal()
    run_asked = Signal()

    def __init__(self, names: Names) -> None:
        super().__init__("window", "t")
        self.returned = ProjectionField(names)
        self.returned.setToolTip(UNPAID)
        self.items = combo("Items read at a press", 84)
        for count in PORTIONS:
            self.items.addItem("all" if count == EVERYTHING else f"{count:,}", count)
        self.items.setCurrentIndex(PORTIONS.index(PORTION))
        self.page = combo("Items of a page", 72)
        for limit in PAGES:
            self.page.addItem("1 MB" if limit is None else f"{limit:,}", limit)
        self.segments = combo("Segments read side by side", 56)
        for count in SEGMENTS:
            self.segments.addItem(str(count), count)
        self.rate = field("Read units a second", "no limit", 84)
        self._scanning = area(row(Text("Segments", "text2"), self.segments, gap=1.5))
        self.explained = ShortText("text2", mono=True)
        fields = FlowLayout(
            area(row(Text("Return", "text2"), self.returned, Text(UNPAID, "muted"), gap=1.5)),
            area(
                row(
                    Text("Read", "text2"),
                    self.items,
                    Text("items at a press, in pages of", "text2"),
                    self.page,
                    gap=1.5,
                )
            ),
            self._scanning,
            area(row(Text("RCU a second", "text2"), self.rate, gap=1.5)),
            gap=2,
        )
        self.copy = tool("copy", "Copy request", "Copy request")
        self.copy.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        sent = row(self.explained, None, self.copy, gap=1.5)
        self.setLayout(column(area(fields), sent, gap=1, margins=(3, 1, 3, 1)))
        for choice in (self.items, self.page, self.segments):
            choice.currentIndexChanged.connect(self._edited)
        for typed in (self.returned, self.rate):
            typed.textChanged.connect(self._edited)
            typed.returnPressed.connect(self.run_asked)
        self._last_rate: Decimal | None = None
        self.hide()

    @property
    def focus_order(self) -> tuple[QWidget, ...]:
        return self.returned, self.items, self.page, self.segments, self.rate, self.copy

    @property
    def portion_items(self) -> int:
        return int(self.items.currentData())

    @property
    def segment_count(self) -> int:
        return int(self.segments.currentData())

    def portion(self) -> Portion:
        """How far to read at a press, and how fast. While its field holds no rate, the last that it held counts."""
        with contextlib.suppress(InvalidRequest):
            self._last_rate = self._rate()
        return Portion(self.portion_items, self.page.currentData(), rate=self._last_rate)

    def problems(self, view: View) -> list[tuple[QLineEdit, str]]:
        """Fields that hold what they cannot for a read of `view`, with what to do."""
        found: list[tuple[QLineEdit, str]] = []

        def returned() -> None:
            if lacking := unprojected(self.returned.attributes(), view.table, view.index):
                raise InvalidRequest(
                    f"attributes to return: {view.index} does not project {', '.join(lacking)}",
                    hint="Leave them out, or read the base table.",
                )

        for typed, read in ((self.returned, returned), (self.rate, self._rate)):
            try:
                read()
            except InvalidRequest as problem:
                found.append((typed, visible(f"{problem.message}. {problem.hint}")))
        return found

    def set_plan(self, plan: ReadPlan, attributes: tuple[str, ...]) -> None:
        """Show what a plan has of it; how far and how fast to read is no part of one."""
        self.returned.set_attributes(attributes)
        count = plan.segments if isinstance(plan, ScanPlan) else 1
        if self.segments.findData(count) < 0:
            self.segments.addItem(str(count), count)
        self.segments.setCurrentIndex(self.segments.findData(count))
        if attributes or count > 1:
            self.show()

    def show_scan(self, is_scan: bool) -> None:
        """Only a Scan has segments."""
        self._scanning.setVisible(is_scan)

    def _rate(self) -> Decimal | None:
        text = self.rate.text().strip()
        if not text:
            return None
        try:
            rate = Decimal(text)
        except InvalidOperation:
            rate = Decimal(0)
        if not rate.is_finite() or rate <= 0:
            raise InvalidRequest(f"read units a second: {text} is no number of units", hint="Empty: no limit.")
        return rate

    @Slot()
    def _edited(self) -> None:
        self.changed.emit()
