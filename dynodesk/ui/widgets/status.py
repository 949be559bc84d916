"""The line at the bottom: what runs, what the session has consumed, whether anything can be written."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from PySide6.QtCore import QPoint, QTimer, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QProgressBar, QStatusBar

from dynodesk.domain.progress import Progress
from dynodesk.ui.jobs import Job
from dynodesk.ui.theme import Glyph, Text, metrics, px, tokens
from dynodesk.ui.widgets.controls import tool
from dynodesk.ui.widgets.layouts import area, divider, row
from dynodesk.ui.widgets.lines import Line

LOOK_EVERY = 500
"""Milliseconds between looks at the meters while something runs."""


def units_words(units: Decimal) -> str:
    """Read units as the status bar shows them; halves are exact."""
    if not units:
        return "nothing used yet"
    return f"{units.normalize() if units % 1 else units.quantize(Decimal(1)):,f} RCU"


def progress_words(title: str, progress: Progress) -> str:
    if progress.total:
        share = f"{title} {min(100, 100 * progress.done // progress.total)} %"
    else:
        share = f"{title}, {progress.done:,} so far" if progress.done else title
    return f"{share} · {progress.note}" if progress.note else share


class StatusStrip(QStatusBar):
    """Shows the job started last, and offers to stop any."""

    def __init__(self, consumed: Callable[[], Decimal]) -> None:
        super().__init__()
        m = metrics()
        self._consumed = consumed
        self._jobs: list[Job] = []
        self._idle, self._busy = Glyph("pass", "muted"), Glyph("sync", "accent")
        self._count = Text("No jobs", "muted")
        self._bar = QProgressBar()
        self._bar.setFixedSize(px(96), m.icon)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress of the job started last")
        self._words = Line(stretch=False)
        self._stop = tool("close", "Stop the job started last")
        self._all = tool("ellipsis", "Stop one of the running jobs")
        self._used = Text("", "text2")
        self._read_only = Text("Read-only", "muted")
        self._lock = Glyph("lock", "muted")
        strip = row(
            self._idle,
            self._busy,
            self._count,
            self._bar,
            self._words,
            self._stop,
            self._all,
            divider(),
            Text("Session", "muted"),
            self._used,
            None,
            self._lock,
            self._read_only,
            2,
            Text("Help  F1", "muted"),
            gap=2,
            margins=(2.5, 0, 3, 0),
        )
        self.setSizeGripEnabled(False)
        self.addWidget(area(strip, "window", "", m.bar - 2), 1)
        self._watch = QTimer(self)
        self._watch.setInterval(LOOK_EVERY)
        self._watch.timeout.connect(self.show_consumed)
        self._stop.clicked.connect(self.stop_last)
        self._all.clicked.connect(self._offer_all)
        self.set_read_only(False)
        self._show()

    @property
    def jobs(self) -> tuple[Job, ...]:
        return tuple(self._jobs)

    @property
    def words(self) -> str:
        """What is said of the job started last."""
        return self._words.text

    @property
    def used(self) -> str:
        return self._used.text()

    @Slot(object)
    def follow(self, job: Job) -> None:
        self._jobs.append(job)
        job.progressed.connect(self._progressed)
        job.ended.connect(self._ended)
        self._bar.setRange(0, 0)
        self._words.set_text(job.title)
        self._watch.start()
        self._show()

    @Slot()
    def stop_last(self) -> None:
        """Stops the newest job that is not stopping already."""
        for job in reversed(self._jobs):
            if not job.stopping:
                job.cancel()
                self._words.set_text(f"{job.title}, stopping")
                return

    def set_read_only(self, read_only: bool) -> None:
        self._lock.setVisible(read_only)
        self._read_only.setVisible(read_only)

    @Slot()
    def show_consumed(self) -> None:
        self._used.setText(units_words(self._consumed()))

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        job = self.sender()
        if not self._jobs or job is not self._jobs[-1] or self._jobs[-1].stopping:
            return
        total = progress.total or 0
        self._bar.setRange(0, 1000 if total else 0)  # a share: counts may be larger than the bar's 32 bits
        self._bar.setValue(min(1000, 1000 * progress.done // total) if total else 0)
        self._words.set_text(progress_words(self._jobs[-1].title, progress))

    @Slot()
    def _ended(self) -> None:
        self._jobs = [job for job in self._jobs if job is not self.sender()]
        if self._jobs:
            self._bar.setRange(0, 0)
            self._words.set_text(self._jobs[-1].title)
        else:
            self._watch.stop()
        self._show()

    @Slot()
    def _offer_all(self) -> None:
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        for job in self._jobs:
            menu.addAction(f"Stop: {job.title}", job.cancel)
        menu.popup(self._all.mapToGlobal(self._all.rect().topLeft()) - QPoint(0, menu.sizeHint().height()))

    def _show(self) -> None:
        n = len(self._jobs)
        self._count.setText("No jobs" if not n else f"{n} job{'s' if n > 1 else ''}")
        self._idle.setVisible(not n)
        for widget in (self._busy, self._bar, self._words, self._stop):
            widget.setVisible(bool(n))
        self._all.setVisible(n > 1)
        self.show_consumed()

    def paintEvent(self, _event: QPaintEvent) -> None:
        # drawn here: Qt keeps two pixels at the left of the first widget
        p, t = QPainter(self), tokens()
        p.fillRect(self.rect(), t.color("window"))
        p.fillRect(0, 0, self.width(), 1, t.color("line"))
