"""What earlier runs of a rule found: a curve of its drift, and each run in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.past_runs import PastRun
from dynodesk.ui.pages.reconcile_rows import Column, RowsModel
from dynodesk.ui.theme import Cell, Row, Text, metrics, px
from dynodesk.ui.widgets.controls import button, combo
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.history_chart import HistoryChart
from dynodesk.ui.widgets.layouts import area, column, row

COLUMNS = (
    Column("Run (UTC)", 140),
    Column("Drift", 80, right=True),
    Column("Off", 60, right=True),
    Column("Parents", 80, right=True),
    Column("Looked at", 240),
)


class HistoryDialog(QDialog):
    """For the rules of one file at one connection. Show it with `open`."""

    def __init__(self, runs: Mapping[str, Sequence[PastRun]], rule: str, window: QWidget | None = None) -> None:
        """`runs` by rule, oldest first; `rule` is the one to begin with."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("History of a rule")
        self._runs = runs
        self._shown: list[PastRun] = []
        self.rules = combo("Rule", 200)
        self.rules.addItems([visible(name) for name in runs])
        self._names = tuple(runs)
        heading = row(Text("History", size="title", weight="semibold"), self.rules, None, gap=3)
        says = (
            "The drift that each run of the whole table found, all sizes added up. A rule that says something else "
            "than before begins anew."
        )
        head = area(column(heading, Text(says, "text2", wrap=True), gap=1.5, margins=(5, 4, 5, 3)), "window", "b")
        self.chart = HistoryChart()
        self.model = RowsModel(COLUMNS, self)
        self.grid = Grid()
        self.grid.setModel(self.model)
        dress_grid(self.grid, "Runs, the newest first")
        for at, of in enumerate(COLUMNS):
            self.grid.setColumnWidth(at, px(of.width))
        self.grid.horizontalHeader().setStretchLastSection(True)
        self.close_button = button("Close", keys="Esc")
        foot = row(None, self.close_button, gap=2, margins=(5, 0, 5, 0))
        around = area(column(self.chart, margins=(2, 2, 2, 2)), "base", "b")
        parts = column(
            head, around, self.grid, area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0
        )
        parts.setStretch(1, 3)
        parts.setStretch(2, 2)
        self.setLayout(parts)
        self.grid.setMinimumHeight(4 * metrics().row)
        room = self.screen().availableSize()
        self.resize(min(px(760), round(0.95 * room.width())), min(px(560), round(0.9 * room.height())))
        self.rules.currentIndexChanged.connect(self._show_rule)
        self.chart.run_chosen.connect(self._go_to)
        self.close_button.clicked.connect(self.reject)
        self.rules.setCurrentIndex(self._names.index(rule) if rule in self._names else 0)
        self._show_rule()

    @Slot()
    def _show_rule(self) -> None:
        at = self.rules.currentIndex()
        runs = list(self._runs[self._names[at]]) if at >= 0 else []
        self._shown = runs[::-1]
        self.chart.show_runs(runs)
        self.model.set_rows([_row(run) for run in self._shown])
        if runs:
            self.grid.setCurrentIndex(self.model.index(0, 0))

    @Slot(object)
    def _go_to(self, run: PastRun) -> None:
        self.grid.setCurrentIndex(self.model.index(self._shown.index(run), 0))


def _row(run: PastRun) -> Row:
    looked_at = run.scope if run.counts else f"not counted: {run.why_not}"
    return Row(
        (
            Cell(f"{run.time:%Y-%m-%d %H:%M}", "S"),
            Cell(run.drift_text, "N"),
            Cell(f"{run.off:,}", "N"),
            Cell(f"{run.parents:,}", "N"),
            Cell(visible(looked_at), "text", ink="text2" if run.counts else "slate"),
        )
    )
