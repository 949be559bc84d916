"""The live watch: the streams of the rules' tables are followed, and each write that leaves a tally wrong is listed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from queue import Empty, SimpleQueue

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QDialog, QWidget

from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.streams import Start
from dynodesk.domain.tables import KeySchema
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.watch import BETWEEN_ROUNDS, Watch, follow, open_streams, why_not_watched
from dynodesk.ui.dialogs import watch_rows as rows
from dynodesk.ui.dialogs.outcome import Outcome
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.pages.reconcile_places import OpenCollection, Place
from dynodesk.ui.shell import Workspace
from dynodesk.ui.theme import Text, metrics, px
from dynodesk.ui.widgets.controls import button, combo
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import area, column, row

EVERY = 100
"""Milliseconds between two looks for notices that have come: nobody reads faster."""
STARTS: dict[str, Start] = {"what is written from now on": "now", "the oldest record, up to 24 h back": "trim"}


class WatchDialog(QDialog):
    """Stays beside its window, which can be used meanwhile; the watch ends with it. Show it with `show`."""

    def __init__(
        self,
        rules: Sequence[TallyRule],
        schemas: dict[str, KeySchema],
        workspace: Workspace,
        runner: JobRunner,
        open_collection: OpenCollection,
        window: QWidget | None = None,
    ) -> None:
        """`schemas` are those of the rules' tables, by name."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Watch")
        self._followed = tuple(rule for rule in rules if not why_not_watched(rule))
        self._schemas, self._workspace, self._runner = schemas, workspace, runner
        self._open_collection = open_collection
        self._job: Job | None = None
        self._came: SimpleQueue[rows.Seen] = SimpleQueue()
        self._number = 0
        self._state = ""
        self._look = QTimer(self)
        self._look.setInterval(EVERY)
        self._look.timeout.connect(self._take)

        self._count = Text("", "text2")
        self.starts = combo("Begin with", 250)
        self.starts.addItems(list(STARTS))
        heading = row(
            Text("Watch", size="title", weight="semibold"), self._count, None, Text("Begin with", "text2"),
            self.starts, gap=2,
        )  # fmt: skip
        says = Text("\n".join(rows.sentences(rules)), "text2", wrap=True)
        head = area(column(heading, says, gap=1.5, margins=(5, 4, 5, 3)), "window", "b")
        self.model = rows.NoticesModel()
        self.model.setParent(self)
        self.grid = Grid()
        self.grid.setModel(self.model)
        dress_grid(self.grid, "Notices, the newest first")
        self.grid.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        for at, of in enumerate(rows.COLUMNS):
            self.grid.setColumnWidth(at, px(of.width))
        self.grid.horizontalHeader().setStretchLastSection(True)
        self.detail = Text("", "text2", wrap=True)
        below = area(column(self.detail, None, margins=(5, 2, 5, 2)), "base", "t")
        below.setMinimumHeight(6 * metrics().line)
        self.outcome = Outcome()
        self.open_button = button("Open item", "go-to-file")
        self.copy_button = button("Copy", "copy")
        self.close_button = button("Close", keys="Esc")
        self.stop_button = button("Stop", "debug-stop")
        self.start_button = button("Start", "play", primary=True)
        self.start_button.setToolTip("Follow the streams. What is listed from a watch before goes.")
        foot = row(
            self.open_button, self.copy_button, None, self.close_button, self.stop_button, self.start_button,
            gap=2, margins=(5, 0, 5, 0),
        )  # fmt: skip
        parts = column(
            head, self.grid, below, self.outcome,
            area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0,
        )  # fmt: skip
        parts.setStretch(1, 1)
        self.setLayout(parts)
        self.grid.setMinimumHeight(5 * metrics().row)
        room = self.screen().availableSize()
        self.resize(min(px(1060), round(0.95 * room.width())), min(px(600), round(0.9 * room.height())))
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.grid)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)
        self.grid.selectionModel().currentRowChanged.connect(self._show_current)
        self.grid.activated.connect(self._open_item)
        self.open_button.clicked.connect(self._open_item)
        self.copy_button.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.reject)
        self.stop_button.clicked.connect(self._stop)
        self.start_button.clicked.connect(self._start)
        self._show_current()
        self._show_state()
        self.start_button.setFocus()
        if not self._followed:
            self.outcome.show_end("warning", "None of these rules can be watched", "Reconcile finds their drift.")

    @property
    def job(self) -> Job | None:
        return self._job

    # -- the watch

    @Slot()
    def _start(self) -> None:
        self.model.clear()
        self._number, self._state = 0, ""
        self._came = SimpleQueue()
        self.outcome.show_running("Opening the streams…")
        start = STARTS[self.starts.currentText()]
        self._job = self._runner.start(
            partial(_watch, self._followed, start, self._workspace, self._came),
            title="Watch",
            done=self._end,
            failed=self._failed,
        )
        self._job.progressed.connect(self._progressed)
        self._job.cancelled.connect(self._stopped)
        self._look.start()
        self._take()
        self._show_state()

    @Slot()
    def _stop(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self.outcome.show_running("Stopping…")
            self._show_state()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if self._job is not None and not self._job.stopping:
            self._state = progress.note
            self.outcome.show_progress(progress)

    @Slot()
    def _stopped(self) -> None:
        self._end()
        glyph, found = ("warning", self._count.text()) if self._number else ("pass", "nothing wrong seen")
        self.outcome.show_end(glyph, f"Stopped: {found}", self._state)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._end()
        self.outcome.show_error(error)

    @Slot(object)
    def _end(self, _over: object = None) -> None:
        self._job = None
        self._look.stop()
        self._take()
        self._show_state()

    def done(self, result: int) -> None:
        if self._job is not None:
            self._job.cancel()
        super().done(result)

    # -- what is shown

    @Slot()
    def _take(self) -> None:
        came: list[rows.Seen] = []
        try:
            while True:
                came.append(self._came.get_nowait())
        except Empty:
            self._number += len(came)
        if came:
            self.model.add(came)
            if not self.grid.currentIndex().isValid():
                self.grid.setCurrentIndex(self.model.index(0, 0))
        number = "1 notice" if self._number == 1 else f"{self._number:,} notices"
        self._count.setText(
            f"{number}, the newest {rows.MOST_KEPT:,} kept" if self._number > rows.MOST_KEPT else number
        )

    @Slot()
    def _show_state(self) -> None:
        idle = self._job is None
        had_focus = self.start_button.hasFocus() or self.stop_button.hasFocus()
        self.starts.setEnabled(idle)
        self.start_button.setEnabled(bool(self._followed))
        self.start_button.setVisible(idle)
        self.stop_button.setHidden(idle)
        self.stop_button.setEnabled(self._job is not None and not self._job.stopping)
        if had_focus:
            (self.start_button if idle else self.stop_button).setFocus()

    @Slot()
    def _show_current(self) -> None:
        notice = self.model.notice(self.grid.currentIndex())
        nothing = "What leaves a tally wrong appears here when the time of its other half is up."
        self.detail.setText(nothing if notice is None else "\n".join(rows.detail(notice)))
        self.open_button.setEnabled(notice is not None and notice.item is not None)
        self.copy_button.setEnabled(notice is not None)

    @Slot()
    def _copy(self) -> None:
        at = sorted({index.row() for index in self.grid.selectionModel().selectedRows()})
        lines = ["\t".join(cell.text for cell in self.model.row_at(row_).cells) for row_ in at]
        QGuiApplication.clipboard().setText("\n".join(lines))

    @Slot()
    def _open_item(self) -> None:
        notice = self.model.notice(self.grid.currentIndex())
        if notice is not None and notice.item is not None:
            names = [attribute.name for attribute in self._schemas[notice.table].partition]
            partition = {name: notice.item[name] for name in names}
            Place(notice.table, partition, notice.item).open_with(self._open_collection)


def _watch(
    rules: Sequence[TallyRule], start: Start, workspace: Workspace, came: SimpleQueue[rows.Seen], ticket: Ticket
) -> None:
    """On the worker's thread, until cancelled. Raises what `open_streams` and `follow` raise."""
    watch, clock = Watch(rules), SystemClock()
    reader = workspace.new_stream_reader(Meter(workspace.meter))
    streams = open_streams(watch, workspace.catalog, reader, start, ticket)
    while True:
        for notice in follow(watch, streams, clock, ticket, seconds=0):
            came.put(rows.seen(notice))
        ticket.checkpoint(Progress(0, note=rows.state_words(watch)))  # the words have the number
        clock.sleep(BETWEEN_ROUNDS, ticket)
