"""The findings of a run as a grid, and the chosen one in full below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QSplitter

from dynodesk.domain.findings import Finding, Verdict
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.tallies import TallyRule
from dynodesk.reports.characters import json_text
from dynodesk.ui.actions import Action, button_for, make
from dynodesk.ui.pages.reconcile_evidence import EvidencePane
from dynodesk.ui.pages.reconcile_places import OpenCollection, Place, children_place, has_own_children, parent_place
from dynodesk.ui.pages.reconcile_rows import FINDING_COLUMNS, FindingRow, FindingsModel
from dynodesk.ui.theme import Row, face, metrics, px
from dynodesk.ui.widgets.grids import Grid, dress_grid

OPEN_COLLECTION = Action(
    "open-collection", "Open collection", "Browse the item collection of the chosen finding.", "", "list-tree"
)
OPEN_CHILDREN = Action(
    "open-children", "Open children", "Browse the children, which are in a collection of their own.", "", "list-tree"
)
COPY_FINDINGS = Action("copy-findings", "Copy rows", "Copy the chosen findings, one a line.", "", "copy")
COPY_KEY = Action("copy-key", "Copy key", "Copy the parent's key as DynamoDB JSON.", "Ctrl+Shift+C", "json")

SAMPLE = 200
"""Rows that column widths are measured on."""
NARROWEST, WIDEST = 6, 40
"""Characters of a column."""
MEASURED = (1, 2, 3, 4, 5, 6)
"""Columns whose width follows their content."""
GIVE_WAY, LEAST, REASON = (6, 1, 2), 96, 200
"""Columns that get narrower, in this order, down to a least width, until the reason has its own."""


class Results(QSplitter):
    """Grid above, evidence below. Selection, order and filter are the grid's own; whoever made it fills it."""

    chosen_changed = Signal()

    def __init__(self, open_collection: OpenCollection, plan_action: QAction) -> None:
        """`plan_action` acts on the chosen findings; its button is beside those of the finding that is shown."""
        super().__init__(Qt.Orientation.Vertical)
        self._open_collection = open_collection
        self._rules: Mapping[str, TallyRule] = {}
        self._fitting = self._widths_are_chosen = self._is_shared = False
        self.setChildrenCollapsible(False)
        self.model = FindingsModel(self)
        self.grid = Grid()
        self.grid.setModel(self.model)
        dress_grid(self.grid, "Findings")
        self.grid.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head = self.grid.horizontalHeader()
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        head.setSortIndicatorClearable(True)  # the third click gives the report's order back
        self.grid.setSortingEnabled(True)
        head.setStretchLastSection(True)
        for at, of in enumerate(FINDING_COLUMNS):
            self.grid.setColumnWidth(at, px(of.width))

        self.open_action = make(OPEN_COLLECTION, self, self._open)
        self.children_action = make(OPEN_CHILDREN, self, self._open_children)
        self._copy = make(COPY_FINDINGS, self.grid, self.copy_rows, Qt.ShortcutContext.WidgetShortcut)
        self._copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        self._copy_key = make(COPY_KEY, self.grid, self.copy_key, Qt.ShortcutContext.WidgetShortcut)
        self._opener = button_for(self.open_action)
        self._opener.setProperty("keys", "Enter")
        self._children = button_for(self.children_action)
        self._plan_action = plan_action
        self._planner = button_for(plan_action)
        plan_action.changed.connect(self._show_plan_action)
        self.evidence = EvidencePane(self._children, self._opener, self._planner)
        self.addWidget(self.grid)
        self.addWidget(self.evidence)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 1)
        self.grid.setMinimumHeight(4 * metrics().row)
        self.evidence.setMinimumHeight(7 * metrics().row)

        self.grid.selectionModel().currentRowChanged.connect(self._current_changed)
        self.grid.selectionModel().selectionChanged.connect(self.chosen_changed)
        self.grid.activated.connect(self._activated)
        self.grid.customContextMenuRequested.connect(self._offer)
        head.sectionResized.connect(self._resized)
        self._show_current()

    # -- filling it

    def begin(self, rules: Mapping[str, TallyRule]) -> None:
        """A run over these rules starts: no findings yet."""
        self._rules = rules
        self.model.clear()
        self.model.show_verdict(None)

    def add(self, rows: Sequence[FindingRow]) -> None:
        before = self.model.rowCount()
        self.model.add(rows)
        if before < SAMPLE:
            self._fit_columns()
        if not before and self.model.rowCount():
            self._go_to(0)

    def settle(self, rows: Sequence[FindingRow]) -> None:
        at_top = self.grid.currentIndex().row() <= 0
        self.model.settle(rows)
        self._fit_columns()
        if self.model.rowCount() and at_top:
            self._go_to(0)  # nobody has chosen one yet: the largest drift is the first to look at

    def show_verdict(self, verdict: Verdict | None) -> None:
        """Filters; the chosen finding stays chosen where it is still shown."""
        chosen = self.current
        self.model.show_verdict(verdict)
        if self.model.rowCount():
            self._go_to(max(0, -1 if chosen is None else self.model.row_of(chosen)))

    @property
    def current(self) -> Finding | None:
        return self.model.finding(self.grid.currentIndex())

    @property
    def chosen(self) -> list[Finding]:
        """The findings that are selected, in the order in which they are shown."""
        selection = self.grid.selectionModel().selection()  # ranges of rows: a list of all their cells would be long
        parts = [selection.at(part) for part in range(selection.count())]
        rows = sorted({row for part in parts for row in range(part.top(), part.bottom() + 1)})
        shown = self.model.shown
        return [shown[row].finding for row in rows if row < len(shown)]

    @Slot()
    def _show_plan_action(self) -> None:
        self._planner.setText(self._plan_action.text())
        self._planner.setAccessibleName(self._plan_action.text())
        self._planner.setAccessibleDescription(self._plan_action.statusTip())
        self._planner.setToolTip(self._plan_action.toolTip())

    def _go_to(self, at: int) -> None:
        self.grid.setCurrentIndex(self.model.index(at, 0))

    # -- what can be done with a finding

    @Slot()
    def copy_rows(self) -> None:
        rows = sorted({index.row() for index in self.grid.selectionModel().selectedRows()})
        lines = ["\t".join(cell.text for cell in self.model.row_at(at).cells) for at in rows]
        QGuiApplication.clipboard().setText("\n".join(lines))

    @Slot()
    def copy_key(self) -> None:
        if self.current is not None:
            QGuiApplication.clipboard().setText(json_text(item_to_dynamodb(self.current.parent)))

    @Slot()
    def _open(self) -> None:
        finding = self.current
        if finding is None or not self.open_action.isEnabled():
            return
        if finding.verdict == "orphans":  # there is no parent to show
            self._open_children()
        else:
            self._open_place(parent_place(finding, self._rules[finding.rule]))

    @Slot()
    def _open_children(self) -> None:
        finding = self.current
        if finding is not None:
            self._open_place(children_place(finding, self._rules[finding.rule]))

    def _open_place(self, place: Place | None) -> None:
        if place is not None:
            place.open_with(self._open_collection)

    @Slot(QModelIndex)
    def _activated(self, _index: QModelIndex) -> None:
        self._open()

    @Slot(QPoint)
    def _offer(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.addActions([self.open_action, self.children_action, self._plan_action])
        menu.addSeparator()
        menu.addActions([self._copy, self._copy_key])
        menu.popup(self.grid.viewport().mapToGlobal(at))

    # -- the chosen one

    @Slot()
    def _current_changed(self) -> None:
        self._show_current()

    def _show_current(self) -> None:
        finding = self.current
        self.evidence.setHidden(finding is None)
        if finding is not None and not self._is_shared:
            self._is_shared = True
            self.setSizes([1100, 900])  # shares of the height; later on it stays as it is drawn
        for action in (self.open_action, self._copy, self._copy_key):
            action.setEnabled(finding is not None)
        if finding is None:
            self.children_action.setEnabled(False)
            return
        rule = self._rules[finding.rule]
        self.open_action.setEnabled(parent_place(finding, rule) is not None)
        own = has_own_children(finding, rule) and finding.verdict != "orphans"
        self.children_action.setEnabled(own)
        self._children.setVisible(own)
        self.evidence.show_finding(finding, rule)

    # -- columns

    @Slot(int)
    def _resized(self, section: int) -> None:
        if section in MEASURED and not self._fitting:
            self._widths_are_chosen = True

    def _fit_columns(self) -> None:
        """To what they hold, unless somebody has drawn them. In a narrow window those give way that stand below too."""
        if self._widths_are_chosen or not self.model.rowCount():
            return
        rows = [self.model.row_at(at) for at in range(min(SAMPLE, self.model.rowCount()))]
        widths = {at: self._width_of(at, rows) for at in MEASURED}
        room = self.grid.width() - self.grid.verticalScrollBar().sizeHint().width() - self.grid.columnWidth(0)
        over = sum(widths.values()) + px(REASON) - room
        for at in GIVE_WAY:
            given = max(0, min(over, widths[at] - px(LEAST)))
            widths[at] -= given
            over -= given
        self._fitting = True
        for at, width in widths.items():
            self.grid.setColumnWidth(at, width)
        self._fitting = False

    def _width_of(self, column: int, rows: Sequence[Row]) -> int:
        words, value = face().measure, face(mono=True).measure
        digit = value.horizontalAdvance("0")
        title = face("caption", "medium").measure.horizontalAdvance(FINDING_COLUMNS[column].title) + metrics().icon
        width = max(title, NARROWEST * digit)
        for row in rows:
            cell = row.cells[column]
            width = max(width, (words if cell.kind == "text" else value).horizontalAdvance(cell.text))
        return min(width, WIDEST * digit) + 5 * metrics().unit

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()
