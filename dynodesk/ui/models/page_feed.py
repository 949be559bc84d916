"""Pages of a Query or Scan, read in a job and handed to the window in portions it can digest."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from dynodesk.domain.collections import Prepared
from dynodesk.domain.foreground import foreground
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reading import Portion, PreparedPage, Reading, State
from dynodesk.domain.tables import Key
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.models.kept_items import KeptItems

ROWS_AT_ONCE = 500
"""Items that are shown in one go: a millisecond or two of work."""
AT_MOST, PAUSE_MS = 4, 40
"""Portions for one picture, and how long it stands: to paint one takes longer than to take in the rows of it."""

Outcome = Literal["done", "stopped", "failed"]


class PageFeed(QObject):
    """Feeds one reading at a time. A newer one replaces the older: what that still delivers is dropped."""

    page_taken = Signal()
    """The current reading has counted another page."""
    items_ready = Signal(object)
    """A `Prepared` to be shown: part of a page that was counted."""
    failed = Signal(object)
    """The exception, before `ended`."""
    ended = Signal()
    """The current reading has come to its end, was stopped or failed: its `state` says which."""

    def __init__(self, reader: ItemReader, runner: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._reader, self._runner = reader, runner
        self._reading: Reading | None = None
        self._run: _Run | None = None
        self._waiting: deque[Prepared] = deque()
        self._outcome: Outcome | None = None
        self._kept = KeptItems(self)
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._show_some)

    @property
    def running(self) -> bool:
        return self._run is not None or bool(self._waiting)

    def start(self, reading: Reading, portion: Portion, title: str) -> None:
        """Read on from where `reading` is. Whatever was being read for another is given up."""
        self.drop()
        reading.state = "reading"
        self._reading, self._outcome = reading, None
        run = self._run = _Run(self._runner)
        run.arrived.connect(self._take)
        run.finished.connect(self._over)
        run.start(partial(_deliver, self._reader, reading, reading.cursor, portion, run.deliver), title, self._runner)
        self.destroyed.connect(run.cancel)  # nobody pays for pages of a closed tab

    def stop(self) -> None:
        """Ask the run to end; what has arrived is kept, and `ended` follows."""
        if self._run is not None:
            self._run.cancel()

    def drop(self) -> None:
        """Give the run up at once: nothing more of it arrives. Its reading stays where it is."""
        if self._reading is not None and self.running:
            while self._waiting:  # counted already, so it belongs to the reading whoever looks at it now
                self.items_ready.emit(self._waiting.popleft())
            self._reading.state = "stopped"
        if self._run is not None:
            self._run.cancel()
        self._turn.stop()
        self._run = self._reading = self._outcome = None

    @Slot(object, object)
    def _take(self, run: _Run, page: PreparedPage) -> None:
        if run is not self._run or self._reading is None:
            return
        self._reading.take(page.page)
        self._waiting.extend(page.prepared.portions(ROWS_AT_ONCE))
        self.page_taken.emit()
        if not self._turn.isActive():
            self._turn.start(0)

    @Slot()
    def _show_some(self) -> None:
        self._turn.setInterval(PAUSE_MS)
        for _ in range(AT_MOST):
            if not self._waiting:  # nor is there anything left where somebody began to read something else
                break
            prepared = self._waiting.popleft()
            with foreground:
                self.items_ready.emit(prepared)
            self._kept.count(len(prepared.entries))
        if not self._waiting:
            self._turn.stop()
            self._end_if_over()

    @Slot(object, object, object)
    def _over(self, run: _Run, outcome: Outcome, error: BaseException | None) -> None:
        if run is not self._run:
            return
        self._run, self._outcome = None, outcome
        if error is not None:
            self.failed.emit(error)
        self._end_if_over()

    def _end_if_over(self) -> None:
        if self._reading is None or self._outcome is None or self.running:
            return
        at_end: State = "complete" if self._reading.is_at_end else "more"
        self._reading.state = at_end if self._outcome == "done" else self._outcome
        self._outcome = None
        self.ended.emit()


class _Run(QObject):
    """The way of one run's pages to the GUI thread. Lives as long as its job: a worker may emit at any time."""

    arrived = Signal(object, object)
    finished = Signal(object, object, object)

    def __init__(self, runner: JobRunner) -> None:
        super().__init__(runner)
        self._job: Job | None = None

    def start(self, work: Callable[[Ticket], None], title: str, runner: JobRunner) -> None:
        self._job = runner.start(work, title=title, done=self._done, failed=self._fail)
        self._job.cancelled.connect(self._cancelled)
        self._job.ended.connect(self.deleteLater)

    def deliver(self, page: PreparedPage) -> None:
        """On the worker's thread."""
        self.arrived.emit(self, page)

    @Slot()
    def cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    @Slot(object)
    def _done(self, _result: object) -> None:
        self._finish("done", None)

    @Slot(object)
    def _fail(self, error: BaseException) -> None:
        self._finish("failed", error)

    @Slot()
    def _cancelled(self) -> None:
        self._finish("stopped", None)

    def _finish(self, outcome: Outcome, error: BaseException | None) -> None:
        self._job = None  # it deletes itself
        self.finished.emit(self, outcome, error)


def _deliver(
    reader: ItemReader,
    reading: Reading,
    start: Key | None,
    portion: Portion,
    deliver: Callable[[PreparedPage], None],
    ticket: Ticket,
) -> None:
    for page in reading.portion(reader, start, portion, ticket):
        deliver(page)
