"""The mistakes in a rules file, each with its line and what to do: to be read, walked through and copied."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from dynodesk.domain.cells import visible
from dynodesk.domain.errors import RuleProblem
from dynodesk.ui.pages.reconcile_rows import Column, RowsModel
from dynodesk.ui.theme import Cell, Glyph, Row, Text, metrics, px
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import Area, area, column, row

COLUMNS = (
    Column("Line", 50, right=True),
    Column("Rule", 110),
    Column("What is wrong", 400),
    Column("What to do", 300),
)


class ProblemList(Area):
    """Problems by line; the whole text of the chosen one stands below, where nothing is cut off."""

    line_asked = Signal(int)
    """To go to the line of a problem in the file."""

    def __init__(self, says: str = "No item was read.") -> None:
        super().__init__("base")
        m = metrics()
        self._problems: tuple[RuleProblem, ...] = ()
        self._title = Text("", weight="semibold")
        copy = button("Copy all", "copy", tone="quiet")
        head = row(
            Glyph("error", "danger"),
            self._title,
            Text(says, "text2"),
            None,
            copy,
            gap=2,
            margins=(3, 0, 1, 0),
        )
        self._model = RowsModel(COLUMNS, self)
        self.grid = Grid()
        self.grid.setModel(self._model)
        dress_grid(self.grid, "Mistakes in the rules file")
        self.grid.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        for at, of in enumerate(COLUMNS):
            self.grid.setColumnWidth(at, px(of.width))
        self.grid.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self._whole = Text("", wrap=True)
        self._advice = Text("", "text2", wrap=True)
        below = area(column(self._whole, self._advice, None, gap=1, margins=(3, 2, 3, 2)), "window", "t")
        below.setMinimumHeight(5 * m.line)
        layout = column(area(head, "danger_soft", "b", m.control + 2 * m.unit), self.grid, below, gap=0)
        layout.setStretch(1, 1)
        self.setLayout(layout)
        copy.clicked.connect(self._copy_all)
        copy_chosen = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.grid)
        copy_chosen.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy_chosen.activated.connect(self._copy_chosen)
        self.grid.selectionModel().currentRowChanged.connect(self._show_current)
        self.grid.activated.connect(self._activated)

    def show_problems(self, name: str, problems: tuple[RuleProblem, ...]) -> None:
        self._problems = problems
        number = "1 mistake" if len(problems) == 1 else f"{len(problems):,} mistakes"
        self._title.setText(f"{number} in {visible(name)}")
        self._model.set_rows([_problem_row(problem) for problem in problems])
        self.grid.setCurrentIndex(self._model.index(0, 0))

    @property
    def text(self) -> str:
        """Everything, one problem a line, as a compiler says it."""
        return "\n".join(str(problem) for problem in self._problems)

    @Slot()
    def _show_current(self) -> None:
        at = self.grid.currentIndex().row()
        if 0 <= at < len(self._problems):
            problem = self._problems[at]
            self._whole.setText(visible(problem.message))
            self._advice.setText(visible(problem.hint))

    @Slot(QModelIndex)
    def _activated(self, index: QModelIndex) -> None:
        self.line_asked.emit(self._problems[index.row()].line)

    @Slot()
    def _copy_all(self) -> None:
        QGuiApplication.clipboard().setText(self.text)

    @Slot()
    def _copy_chosen(self) -> None:
        rows = sorted({index.row() for index in self.grid.selectionModel().selectedRows()})
        QGuiApplication.clipboard().setText("\n".join(str(self._problems[at]) for at in rows))


def _problem_row(problem: RuleProblem) -> Row:
    return Row(
        (
            Cell(str(problem.line), "N"),
            Cell(visible(problem.rule), "text", ink="text2"),
            Cell(visible(problem.message), "text"),
            Cell(visible(problem.hint), "text", ink="text2"),
        )
    )
