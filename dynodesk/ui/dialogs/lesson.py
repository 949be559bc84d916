"""The lesson on increments, as it happens: how many counts four ways of counting lose, or count twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QDialog, QScrollArea, QSpinBox, QWidget

from dynodesk.composing.lesson import METHODS, MOST_CLIENTS, MOST_INCREMENTS, ONE_LOST_IN, Place, Score, teach
from dynodesk.domain.foreground import foreground
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.ui.dialogs.lesson_rows import TITLES, CountTable
from dynodesk.ui.dialogs.outcome import Outcome
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.theme import Text, metrics, px, ui_font
from dynodesk.ui.widgets.connection_bar import STAGES
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import area, column, row
from dynodesk.ui.widgets.marks import Chip

Scores = tuple[Score, ...]

EVERY = 50
"""Milliseconds between two looks for scores that have come."""
INCREMENTS, CLIENTS = 100, 8
SAYS = (
    f"Many clients count with one counter at the same time, in four ways, each in turn. Of every {ONE_LOST_IN} "
    "replies one gets lost on purpose, and its client sends the write again, as an SDK does. All of it happens in a "
    "table of its own in the sandbox, which is deleted at the end."
)


class LessonDialog(QDialog):
    """Show it with `open`. What runs ends with it."""

    def __init__(self, place: Place, runner: JobRunner, window: QWidget | None = None) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Increment lesson")
        self._place, self._runner = place, runner
        self._job: Job | None = None
        self._asked = INCREMENTS
        self._came: deque[Scores] = deque(maxlen=1)
        """The newest scores, from the job's thread."""
        self._look = QTimer(self)
        self._look.setInterval(EVERY)
        self._look.timeout.connect(self._take)

        word, glyph, solid, ink = STAGES[place.profile.stage]
        heading = row(Text(self.windowTitle(), size="title", weight="semibold"), None, Chip(word, glyph, solid, ink))
        self.increments = _number("Increments", INCREMENTS, MOST_INCREMENTS)
        self.clients = _number("Clients at once", CLIENTS, MOST_CLIENTS)
        numbers = row(
            Text("Increments", "text2"), self.increments, 2, Text("by", "text2"), self.clients,
            Text("clients at once", "text2"), None, gap=2,
        )  # fmt: skip
        says = Text(SAYS, "text2", wrap=True)
        head = area(column(heading, says, numbers, gap=2, margins=(5, 4, 5, 3)), "window", "b")
        self.table = CountTable()
        self.outcome = Outcome()
        self.close_button = button("Close", keys="Esc")
        self.stop_button = button("Stop", "debug-stop")
        self.start_button = button("Start", "play", primary=True)
        foot = row(None, self.close_button, self.stop_button, self.start_button, gap=2, margins=(5, 0, 5, 0))
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        self._scroll.setAccessibleName("Ways of counting")
        self._scroll.setMinimumHeight(6 * metrics().row)
        self._scroll.setWidget(self.table)
        beside = self._scroll.verticalScrollBar().sizeHint().width()
        self._scroll.setMinimumWidth(self.table.minimumSizeHint().width() + beside)
        parts = column(
            head, self._scroll, self.outcome,
            area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0,
        )  # fmt: skip
        parts.setStretch(1, 1)
        self.setLayout(parts)
        room = self.screen().availableSize()
        self.resize(min(px(860), round(0.95 * room.width())), min(px(680), round(0.92 * room.height())))
        self.close_button.clicked.connect(self.reject)
        self.stop_button.clicked.connect(self._stop)
        self.start_button.clicked.connect(self._start)
        self._show([Score(method) for method in METHODS])
        self._show_state()
        self.start_button.setFocus()

    def event(self, event: QEvent) -> bool:
        """The clients, which are threads of this program, give way to what is painted."""
        if event.type() not in (QEvent.Type.UpdateRequest, QEvent.Type.LayoutRequest):
            return super().event(event)
        with foreground:
            return super().event(event)

    @property
    def job(self) -> Job | None:
        return self._job

    @Slot()
    def _start(self) -> None:
        self._asked = self.increments.value()
        self._came.clear()
        self.outcome.show_running("Making a table…")
        self._job = self._runner.start(
            partial(_teach, self._place, self._asked, self.clients.value(), self._came),
            title="Increment lesson",
            done=self._done,
            failed=self._failed,
        )
        self._job.cancelled.connect(self._stopped)
        self._look.start()
        self._show_state()

    @Slot()
    def _stop(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self.outcome.show_running("Stopping…")
            self._show_state()

    @Slot(object)
    def _done(self, scores: Scores) -> None:
        self._ended()
        self._show(scores)
        lost, twice = sum(score.lost for score in scores), sum(score.doubled for score in scores)
        right = [TITLES[score.method] for score in scores if not (score.lost or score.doubled)]
        self.outcome.show_end(
            "warning" if lost or twice else "pass",
            f"{lost:,} counts lost, {twice:,} counted twice",
            f"Exact: {', '.join(right)}." if right else "None was exact.",
        )

    @Slot()
    def _stopped(self) -> None:
        self._ended()
        self.outcome.show_end("warning", "Stopped", "The lesson's table is deleted.")

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._ended()
        self.outcome.show_error(error)

    def _ended(self) -> None:
        self._take()
        self._job = None
        self._look.stop()
        self._show_state()

    def done(self, result: int) -> None:
        if self._job is not None:
            self._job.cancel()
        super().done(result)

    @Slot()
    def _take(self) -> None:
        if not self._came:
            return
        scores = self._came.pop()
        self._show(scores)
        running = [score for score in scores if score.begun and not score.has_ended]
        if running and self._job is not None and not self._job.stopping:
            self.outcome.show_progress(Progress(0, note=f"{TITLES[running[0].method]}…"))

    def _show(self, scores: Sequence[Score]) -> None:
        with foreground:
            self.table.show_scores(scores, self._asked)

    @Slot()
    def _show_state(self) -> None:
        idle = self._job is None
        had_focus = self.start_button.hasFocus() or self.stop_button.hasFocus()
        self.increments.setEnabled(idle)
        self.clients.setEnabled(idle)
        self.start_button.setVisible(idle)
        self.stop_button.setHidden(idle)
        self.stop_button.setEnabled(self._job is not None and not self._job.stopping)
        if had_focus:
            (self.start_button if idle else self.stop_button).setFocus()


def _number(name: str, value: int, most: int) -> QSpinBox:
    made = QSpinBox()
    made.setRange(1, most)
    made.setValue(value)
    made.setFont(ui_font())
    made.setFixedWidth(px(80))
    made.setAccessibleName(name)
    made.setToolTip(f"From 1 to {most:,}")
    return made


def _teach(place: Place, increments: int, clients: int, came: deque[Scores], ticket: Ticket) -> Scores:
    """On the worker's thread."""
    return teach(place, increments, clients, came.append, ticket)
