"""What a statement came to: the partial banner, the grid, where its numbers come from, or why there is nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QSplitter, QStackedWidget, QTableView

from dynodesk.domain.cells import visible
from dynodesk.ui.actions import Action, make
from dynodesk.ui.models.result_model import ResultModel
from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.pages.sql_chart import ChartPanel, chart_of
from dynodesk.ui.pages.sql_work import Answer, partial_words
from dynodesk.ui.theme import Glyph, Text, face, metrics, px
from dynodesk.ui.widgets.controls import button, tool
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import Area, area, column, row

if TYPE_CHECKING:
    from dynodesk.workbench.results import Outcome

CHART = Action("result-chart", "Chart", "Show the numbers of the current column as bars.", "Ctrl+B", "graph")
COPY = Action("copy-result-cell", "Copy value", "Copy the current cell's exact text.", "", "copy")
SAMPLE = 200
"""Rows that column widths are measured on."""
NARROWEST, WIDEST = 6, 40
"""Characters of a column."""


class FaultStrip(Area):
    """Why a statement could not be run, under the editor: plain text, as many lines as it has."""

    def __init__(self) -> None:
        super().__init__("danger_soft", "t")
        self._words = Text("", wrap=True)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        top = row(Glyph("error", "danger"), self._words, gap=2, margins=(3, 1.5, 3, 1.5))
        top.setStretch(1, 1)
        self.setLayout(top)
        self.hide()

    @property
    def text(self) -> str:
        return "" if self.isHidden() else self._words.text()

    def show_fault(self, text: str) -> None:
        self._words.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))


class PartialBanner(Area):
    """Above every result over a set that is not complete."""

    def __init__(self) -> None:
        super().__init__("warn_soft", "b")
        self._words = ShortText("text")
        self.go_on = button("Go on loading")
        self.go_on.setToolTip("Read on where the load stopped, then run the statement again.")
        line = row(
            Glyph("warning", "warn"),
            Text("Partial data", "warn", weight="semibold"),
            self._words,
            self.go_on,
            gap=2,
            margins=(3, 0.75, 2, 0.75),
        )
        line.setStretch(2, 1)
        self.setLayout(line)
        self.hide()

    @property
    def text(self) -> str:
        return "" if self.isHidden() else self._words.text

    def show_words(self, words: str) -> None:
        self._words.set_text(words)
        self.setAccessibleName(f"Partial data. {words}" if words else "")
        self.setVisible(bool(words))


class HeldResult:
    """The outcome that is shown. Its file goes when another is shown, or nothing."""

    def __init__(self) -> None:
        self.outcome: Outcome | None = None

    def hold(self, outcome: Outcome | None) -> None:
        before, self.outcome = self.outcome, outcome
        if before is not None:
            before.result.close()

    def drop(self) -> None:
        self.hold(None)


class ResultPane(Area):
    """One result at a time, in a grid."""

    row_opened = Signal(int)

    def __init__(self) -> None:
        super().__init__("base")
        self._held = HeldResult()
        self.destroyed.connect(self._held.drop)
        self.model = ResultModel(self)
        self.grid = Grid()
        self.grid.setModel(self.model)
        dress_grid(self.grid, "Result")
        self.grid.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.banner = PartialBanner()
        self._note = Text("", "muted")
        self._note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._note_area = area(column(self._note), "base")
        self._origin = ShortText("muted")
        self._foot = area(row(self._origin, margins=(3, 0.5, 3, 0.5)), "window", "t")
        self._stack = QStackedWidget()
        self._stack.addWidget(self._note_area)
        self._stack.addWidget(self.grid)
        self.chart_action = make(CHART, self, self._show_chart)
        self.chart_action.setCheckable(True)
        close = tool("close", "Close the chart")
        close.clicked.connect(self.chart_action.trigger)
        self.chart = ChartPanel(close)
        self._split = QSplitter()
        self._split.addWidget(self._stack)
        self._split.addWidget(self.chart)
        self._split.setSizes([px(560), px(380)])
        self._split.setStretchFactor(0, 1)
        self._split.setChildrenCollapsible(False)
        layout = column(self.banner, self._split, self._foot, gap=0)
        layout.setStretch(1, 1)
        self.setLayout(layout)
        self._copy = make(COPY, self.grid, self._copy_cell, Qt.ShortcutContext.WidgetShortcut)
        self._copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        self.grid.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.grid.activated.connect(self._activated)
        self.grid.selectionModel().currentChanged.connect(self._show_chart)
        self.show_note("")

    @property
    def outcome(self) -> Outcome | None:
        return self._held.outcome

    @property
    def origin(self) -> str:
        """Where the numbers come from, as the foot says it."""
        return "" if self._foot.isHidden() else self._origin.text

    @property
    def note(self) -> str:
        return self._note.text() if self._stack.currentWidget() is self._note_area else ""

    def show_note(self, text: str) -> None:
        """Instead of a result."""
        self._show(None)
        self.banner.show_words("")
        self._foot.hide()
        self._note.setText(text)
        self._stack.setCurrentWidget(self._note_area)
        self._show_chart()

    def show_answer(self, answer: Answer) -> None:
        outcome = answer.outcome
        words = partial_words(outcome.sets)
        self.banner.show_words(words)
        self._origin.set_text("   ".join(one.caption for one in outcome.sets))
        self._foot.setVisible(bool(outcome.sets))
        self._show(outcome, is_partial=bool(words))
        self._fit_columns()
        self._stack.setCurrentWidget(self.grid)
        if self.model.rowCount():
            self.grid.setCurrentIndex(self.model.index(0, 0))
            self.grid.scrollToTop()
        self._show_chart()

    @Slot()
    def _show_chart(self) -> None:
        """Off where there is no number; it comes back with the next result that has one."""
        chart = chart_of(self.model, self.grid.currentIndex().column())
        self.chart_action.setEnabled(chart is not None)
        self.chart.setVisible(chart is not None and self.chart_action.isChecked())
        if chart is not None and self.chart_action.isChecked():
            self.chart.show_chart(chart)

    def _show(self, outcome: Outcome | None, *, is_partial: bool = False) -> None:
        self.model.show_result(None if outcome is None else outcome.result, is_partial=is_partial)
        self._held.hold(outcome)

    def _fit_columns(self) -> None:
        of, head = face(mono=True).measure, face("caption", "medium").measure
        letter = of.horizontalAdvance("0")
        rows = range(min(SAMPLE, self.model.rowCount()))
        for at in range(self.model.columnCount()):
            title = str(self.model.headerData(at, Qt.Orientation.Horizontal))
            shown = [visible((self.model.row(number)[at] or "NULL")[:WIDEST]) for number in rows]
            widest = max([head.horizontalAdvance(title), *(of.horizontalAdvance(text) for text in shown)])
            self.grid.setColumnWidth(at, min(max(widest, NARROWEST * letter), WIDEST * letter) + 5 * metrics().unit)

    @Slot()
    def _copy_cell(self) -> None:
        index = self.grid.currentIndex()
        if index.isValid():
            QGuiApplication.clipboard().setText(str(index.data()))

    @Slot(QModelIndex)
    def _activated(self, index: QModelIndex) -> None:
        self.row_opened.emit(index.row())
