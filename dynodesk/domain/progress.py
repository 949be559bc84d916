"""How long work reports where it is and learns that it should stop."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass


class Cancelled(Exception):
    """The work was asked to stop."""


@dataclass(frozen=True, slots=True)
class Progress:
    """`total` is None where it cannot be known; `note` says what is going on, in words."""

    done: int
    total: int | None = None
    note: str = ""
    is_waiting: bool = False
    """Nothing moves until the network or the service does: worth a line where there is no progress bar."""


class Ticket:
    """Held by working code: a way to report, and to learn that it should stop or wait. Safe across threads.

    `part_of`: the ticket of the whole work, whose pauses are pauses of this part too.
    """

    REPORT_EVERY = 0.05
    """Seconds: a progress bar gains nothing from more than 20 reports a second."""

    LOOK_EVERY = 0.05
    """Seconds between two looks whether a pause is over."""

    def __init__(self, report: Callable[[Progress], object] | None = None, *, part_of: Ticket | None = None) -> None:
        self._report = report
        self._last = 0.0
        self._stop = threading.Event()
        self._paused: threading.Event = threading.Event() if part_of is None else part_of._paused
        self._calls: list[Callable[[], object]] = []

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set()

    def cancel(self) -> None:
        self._stop.set()
        for call in tuple(self._calls):
            call()

    @property
    def paused(self) -> bool:
        return self._paused.is_set()

    def pause(self) -> None:
        """Reading stops where the next reply would be asked for; what has arrived is still worked on."""
        self._paused.set()

    def resume(self) -> None:
        self._paused.clear()

    def wait_while_paused(self) -> None:
        """Call before a read. Raises `Cancelled` where a pause ends so."""
        while self.paused:
            self.sleep(self.LOOK_EVERY)

    @contextlib.contextmanager
    def on_cancel(self, call: Callable[[], object]) -> Iterator[None]:
        """Within it, cancelling also calls `call`, on the thread that cancels: for work that asks nobody meanwhile.

        `call` must return at once, and may be called more than once. No lock is held: it works in a signal handler.
        """
        self._calls.append(call)
        try:
            if self.cancelled:
                call()
            yield
        finally:
            self._calls.remove(call)

    def checkpoint(self, progress: Progress | None = None) -> None:
        """Call once a page. Raises `Cancelled`, and passes on as many reports as anybody can read."""
        if self._stop.is_set():
            raise Cancelled
        now = time.monotonic()
        if progress is not None and self._report is not None and now - self._last >= self.REPORT_EVERY:
            self._last = now
            self._report(progress)

    def sleep(self, seconds: float) -> None:
        """Wait, but not for longer than it takes to be cancelled: then raises `Cancelled`."""
        if self._stop.wait(seconds):
            raise Cancelled
