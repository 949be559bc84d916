"""All that is known of a table: keys, indexes, billing, streams, what expires and what can be had back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import QScrollArea, QSplitter, QWidget

from dynodesk.domain.errors import DynodeskError, TableMissing
from dynodesk.domain.progress import Ticket
from dynodesk.domain.table_changes import TableChange, operation, recreated, request
from dynodesk.domain.table_work import PastChange
from dynodesk.domain.tables import TableDetails, TableInfo
from dynodesk.reports import table_wording as words
from dynodesk.ui.actions import DELETE_TABLE, Action, button_for, make
from dynodesk.ui.dialogs.table_change import TableChangeDialog, TableTools
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.table_details_parts import ChangeRows, Facts, IndexGrid
from dynodesk.ui.theme import icon, metrics, px
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, column, panel_header, row
from dynodesk.ui.widgets.lines import Line
from dynodesk.ui.widgets.marks import Chip
from dynodesk.ui.widgets.request_view import RequestView

REFRESH = Action("refresh-details", "Refresh", "Ask again for everything about the table.", "F5", "refresh")
BROWSE = Action("browse-table", "Browse items", "Open the table, or the index that is chosen.", "", "table")
ADD_INDEX = Action("add-index", "Add an index…", "Make a global index of the table.", "", "add")
DELETE_INDEX = Action("delete-index", "Delete the index…", "Delete the global index that is chosen.", "", "trash")


@dataclass(frozen=True, slots=True)
class DetailsFrame:
    """What the window does for a page of details."""

    browse: Callable[[str, str | None], object]
    """Opens a table, or an index of it."""
    changed: Callable[[TableChange], object]
    """Told of each change that the service has taken, and once more when it is made."""


class TableDetailsPage(QWidget):
    """Reads when it is first shown, and again when it is asked to."""

    loaded = Signal(object)
    """`TableDetails`, as they were read."""

    def __init__(self, table: str, tools: TableTools, runner: JobRunner, frame: DetailsFrame) -> None:
        super().__init__()
        self.table = table
        self._tools, self._runner, self._frame = tools, runner, frame
        self._info: TableInfo | None = None
        self._is_reading = self._was_read = self._has_focused = False
        self.setWindowTitle(f"{table} · details")
        self.setWindowIcon(icon("note"))
        self.setAccessibleName(f"Details of {table}")
        self.refresh_action = make(REFRESH, self, self.refresh)
        self.browse_action = make(BROWSE, self, self._browse)
        self.add_action = make(ADD_INDEX, self, self._add_index)
        self.delete_index_action = make(DELETE_INDEX, self, self._delete_index)
        # No action of the page: it is the window's, which acts on the table of the tab that is seen.
        self.delete_button = button("Delete the table…", "trash", tone="danger")
        self.delete_button.clicked.connect(self._delete_table)
        self._state = row(gap=1.5)
        self._chip: Chip | None = None
        self.facts = Facts()
        self.indexes = IndexGrid()
        self.changes = ChangeRows()
        self.request = RequestView("Request that makes such a table")
        self._arrange()
        self.indexes.grid.selectionModel().currentRowChanged.connect(self._show_actions)
        self.indexes.grid.doubleClicked.connect(self._browse)
        self.request.show_nothing("Known once the table is described.")
        self._show_state("reading…", "text2")
        self._show_actions()

    def _arrange(self) -> None:
        name = Line(self.table, "text", mono=True, stretch=False)
        name.setToolTip(self.table)
        shown = (self.refresh_action, self.browse_action, self.add_action, self.delete_index_action)
        self._buttons = {action: button_for(action) for action in shown}
        buttons = FlowLayout(*self._buttons.values(), self.delete_button, gap=1.5)
        titled = row(name, self._state, None, gap=2)
        head = area(column(titled, buttons, gap=2, margins=(5, 3, 5, 3)), "window", "b")
        made = panel_header("Changes made from here", note="As the journal tells of them.")
        self._indexes_header = panel_header("Indexes")
        parts = column(self.facts, self._indexes_header, self.indexes, made, self.changes, None, gap=0)
        scroll = QScrollArea()
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        scroll.setAccessibleName("Details")
        scroll.setWidget(area(parts, "base"))
        left = Area("base")
        left.setLayout(column(head, scroll, gap=0))
        halves = QSplitter()
        halves.setChildrenCollapsible(False)
        halves.addWidget(left)
        halves.addWidget(self.request)
        halves.setStretchFactor(0, 1)
        halves.setSizes([px(760), px(400)])
        self.setLayout(column(halves, gap=0))
        self.setMinimumHeight(20 * metrics().row)

    # -- reading

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._was_read:
            self._was_read = True
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        if self._is_reading:
            return
        self._is_reading = True
        work = partial(_read, self._tools, self.table)
        job = self._runner.start(work, title=f"Describe {self.table}", done=self._show, failed=self._failed)
        job.cancelled.connect(self._ended)
        self._show_actions()

    @Slot(object)
    def _show(self, read: _Read) -> None:
        self._ended()
        details = read.details
        self.changes.show_changes(read.past)
        info = details.info
        is_gone = isinstance(info, TableMissing)
        for part in (self._indexes_header, self.indexes):
            part.setHidden(is_gone)
        if is_gone:
            self.facts.show_gone(self.table)
        else:
            self._show_facts(details)
        if isinstance(info, TableInfo):
            self._info = info
            self.indexes.show_indexes(info.indexes, info.billing)
            made = recreated(info)
            self.request.show_request(operation(made), request(made))
            self._show_state(info.status, "ok" if info.status == "ACTIVE" else "warn")
        else:
            self._info = None
            self.indexes.show_indexes((), "")
            self.request.show_nothing("Not known: the table was not described.")
            self._show_state("does not exist" if is_gone else "not described", "warn")
        self._show_actions()
        if not self._has_focused:
            self._has_focused = True
            if self.isAncestorOf(self.window().focusWidget()):  # the tabs have given it to the first field
                self._buttons[self.refresh_action].setFocus()
        self.loaded.emit(details)

    def _show_facts(self, details: TableDetails) -> None:
        expiry, recovery = details.time_to_live, details.recovery
        self.facts.show_info(details.info)
        self.facts.show_fact(
            "Time to Live", expiry if isinstance(expiry, DynodeskError) else words.time_to_live_words(expiry)
        )
        self.facts.show_fact(
            "Point-in-time recovery",
            recovery if isinstance(recovery, DynodeskError) else words.recovery_words(recovery),
        )

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._ended()
        self._runner.error_raised.emit(error)

    @Slot()
    def _ended(self) -> None:
        self._is_reading = False
        self._show_actions()

    def _show_state(self, word: str, ink: str) -> None:
        if self._chip is not None:
            self._chip.hide()
            self._chip.deleteLater()
        self._chip = Chip(word, ink=ink)
        self._state.addWidget(self._chip)

    # -- actions

    @Slot()
    def _show_actions(self) -> None:
        info, index = self._info, self.indexes.current
        why = self._tools.refusal
        no_table = "" if info is not None else "The table is not described."
        protected = "Its deletion protection is on." if info is not None and info.is_protected else ""
        no_index = "Choose a global index." if index is None or index.kind != "GSI" else ""
        self.refresh_action.setEnabled(not self._is_reading)
        self.browse_action.setEnabled(info is not None)
        for action, of, refusal in (
            (self.add_action, ADD_INDEX, why or no_table),
            (self.delete_index_action, DELETE_INDEX, why or no_table or no_index),
        ):
            action.setToolTip(refusal or of.tip)
            self._buttons[action].setToolTip(refusal or of.tip)
            action.setEnabled(not refusal)
        refusal = why or no_table or protected
        self.delete_button.setToolTip(refusal or DELETE_TABLE.tip)
        self.delete_button.setEnabled(not refusal)

    @Slot()
    def _browse(self) -> None:
        index = self.indexes.current
        self._frame.browse(self.table, None if index is None else index.name)

    def _add_index(self) -> None:
        from dynodesk.ui.dialogs.create_table import CreateIndexDialog  # noqa: PLC0415  (not needed before)

        if self._info is not None:
            self._open(CreateIndexDialog(self._info, self._tools, self._runner, self.window()))

    def _delete_index(self) -> None:
        from dynodesk.ui.dialogs.delete_table import DeleteIndexDialog  # noqa: PLC0415  (not needed before)

        index = self.indexes.current
        if self._info is not None and index is not None:
            self._open(DeleteIndexDialog(self._info, index.name, self._tools, self._runner, self.window()))

    @Slot()
    def _delete_table(self) -> None:
        from dynodesk.ui.dialogs.delete_table import DeleteTableDialog  # noqa: PLC0415  (not needed before)

        if self._info is not None:
            self._open(DeleteTableDialog(self._info, self._tools, self._runner, self.window()))

    def _open(self, dialog: TableChangeDialog) -> None:
        for told in (dialog.taken, dialog.settled):
            told.connect(self._frame.changed)  # also once this page is closed
            told.connect(self.refresh)
        dialog.show()


@dataclass(frozen=True, slots=True)
class _Read:
    details: TableDetails
    past: tuple[PastChange, ...] | DynodeskError


def _read(tools: TableTools, table: str, ticket: Ticket) -> _Read:
    details = tools.tables.details(table, ticket)
    try:
        return _Read(details, tools.hands().past(table))
    except DynodeskError as damaged:  # the journal's state hides nothing of the table
        return _Read(details, damaged)
