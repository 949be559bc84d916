"""Work in the background: one call, one outcome, announced on the GUI thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal, Slot
from shiboken6 import Shiboken

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.progress import Cancelled, Ticket

log = logging.getLogger(__name__)

Result = TypeVar("Result")


class Job(QObject):
    """One call in the background.

    - `succeeded`, `failed` or `cancelled` is emitted once, then `ended`, always on the GUI thread.
    - `progressed` carries a `Progress`, at most 20 times a second.
    - The runner keeps it alive; it deletes itself after `ended`.
    """

    progressed = Signal(object)
    succeeded = Signal(object)
    failed = Signal(object)
    cancelled = Signal()
    ended = Signal()
    # The hops from the worker to the GUI thread. Both wait in its queue, so whoever connects in the turn that started
    # the job hears everything, however soon the worker spoke.
    _reported = Signal(object)
    _settled = Signal(object, object)

    def __init__(self, title: str, work: Callable[[Ticket], object], parent: QObject) -> None:
        super().__init__(parent)
        self.title = title
        self._work = work
        self._ticket = Ticket(self._reported.emit)
        self._reported.connect(self.progressed, Qt.ConnectionType.QueuedConnection)
        self._settled.connect(self._announce, Qt.ConnectionType.QueuedConnection)

    def cancel(self) -> None:
        self._ticket.cancel()

    @property
    def stopping(self) -> bool:
        return self._ticket.cancelled

    def pause(self) -> None:
        """What the job reads is not asked for until `resume`; a job that reads nothing goes on."""
        self._ticket.pause()

    def resume(self) -> None:
        self._ticket.resume()

    @property
    def paused(self) -> bool:
        return self._ticket.paused

    def run(self) -> None:
        """On the worker's thread: emit, touch nothing else."""
        try:
            self._ticket.checkpoint()  # it may have been cancelled while it waited for a thread
            self._settled.emit(self._work(self._ticket), None)
        except BaseException as error:  # noqa: BLE001  # a pool thread has nobody else to tell
            self._settled.emit(None, error)

    @Slot(object, object)
    def _announce(self, result: object, error: BaseException | None) -> None:
        if error is None:
            self.succeeded.emit(result)
        elif isinstance(error, Cancelled):
            self.cancelled.emit()
        else:
            _log(error)
            self.failed.emit(error)
        self.ended.emit()
        self.deleteLater()


def _while_it_lives(answer: Callable[[Result], object]) -> Callable[[Result], object]:
    """Qt drops a connection to a method with its object, but knows nothing of the object behind a partial."""
    owner = getattr(answer.func, "__self__", None) if isinstance(answer, partial) else None
    if not isinstance(owner, QObject):
        return answer

    def tell(result: Result) -> None:
        if Shiboken.isValid(owner):
            answer(result)

    return tell


def _log(error: BaseException) -> None:
    """Without the job's title, which may name a key."""
    if isinstance(error, DynodeskError):
        log.info("A job failed: %s", error)
    else:
        log.error("A job failed", exc_info=error)


class JobRunner(QObject):
    """Starts jobs on threads of its own. Call `shutdown` before anything they use is closed."""

    started = Signal(object)
    """A `Job` that now runs, for whoever lists running work."""
    error_raised = Signal(object)
    """The exception of a job whose starter claimed no failures."""
    error_settled = Signal(object)
    """An exception that was raised before: the same was done since, and did not fail."""

    def __init__(self, threads: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # the first children: destroyed first, and wait for their threads
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(threads)
        self._quiet = QThreadPool(self)
        """What is to be on the disk in a moment does not wait for reads that may take hours."""
        self._quiet.setMaxThreadCount(1)

    def start(
        self,
        work: Callable[[Ticket], Result],
        *,
        title: str,
        done: Callable[[Result], object],
        failed: Callable[[BaseException], object] | None = None,
        quiet: bool = False,
    ) -> Job:
        """Run `work` on a worker thread and hand its result to `done` on the GUI thread.

        `done` and `failed` should be bound methods of a QObject, or partials of one: the answer for a closed page
        disappears quietly. `title` names the work in the status bar; `quiet` work of a
        moment, which nobody asked for, is not shown there and does not wait for the rest.
        """
        job = Job(title, work, parent=self)
        job.succeeded.connect(_while_it_lives(done))
        job.failed.connect(self.error_raised if failed is None else _while_it_lives(failed))
        if not quiet:
            self.started.emit(job)
        (self._quiet if quiet else self._pool).start(job.run)
        return job

    def shutdown(self, wait_ms: int = 5_000) -> bool:
        """Ask everything to stop and wait. False when something did not stop in time."""
        for job in self.findChildren(Job):
            job.cancel()
        return self._pool.waitForDone(wait_ms) and self._quiet.waitForDone(wait_ms)
