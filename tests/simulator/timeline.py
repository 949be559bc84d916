"""Virtual time. What is due happens when somebody waits: a pause of 25 hours costs nothing."""

from __future__ import annotations

import heapq
import itertools
import math
import threading
from collections.abc import Callable, Generator, Iterator
from datetime import UTC, datetime, timedelta

from dynodesk.domain.progress import Ticket

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

Steps = Generator[float, None, None]
"""A process: what it does between two `yield`s happens at one instant, what it yields are seconds until the next."""


class Timeline:
    """A `Clock`, and the scheduler of all processes. Deterministic: what is due at the same time goes in turn."""

    def __init__(self) -> None:
        self._now = 0.0
        self._due: list[tuple[float, int, Iterator[float]]] = []
        self._turn = itertools.count()
        self._inside: InThread | None = None
        self._limit = math.inf
        """Until when those in threads may go on: that of the wait outside of them."""
        self.after_step: Callable[[], object] = _nothing
        """Called after each step of a process, before anybody else goes on."""

    # -- Clock

    def now(self) -> float:
        return self._now

    def utc(self) -> str:
        return moment(self._now)

    def sleep(self, seconds: float, ticket: Ticket) -> None:
        ticket.checkpoint()
        self.advance(seconds)
        ticket.checkpoint()

    # -- the scheduler

    def start(self, steps: Iterator[float], after: float = 0.0) -> None:
        """Begin a process `after` seconds from now."""
        heapq.heappush(self._due, (self._now + after, next(self._turn), steps))

    def advance(self, seconds: float) -> None:
        """Let time pass, with everything that is due in it."""
        end = self._now + seconds
        due = self._due
        if self._inside is None:
            self._limit = end
            while due and due[0][0] <= end:
                self.step()
            self._limit = math.inf
            self._now = end
            return
        # To change threads is slow: on this one everything can happen but the steps of another one.
        stop = min(end, self._limit)
        while due and due[0][0] <= stop and not isinstance(due[0][2], InThread):
            self.step()
        if end <= self._limit and not (due and due[0][0] <= end):
            self._now = end
        else:
            self._inside.pause(end - self._now)

    def step(self) -> bool:
        """Let the next step of any process happen. False: there is none."""
        if not self._due:
            return False
        self._now, _, steps = heapq.heappop(self._due)
        seconds = next(steps, None)
        if seconds is not None:
            heapq.heappush(self._due, (self._now + seconds, next(self._turn), steps))
        self.after_step()
        return True

    def in_thread(self, work: Callable[[], object]) -> InThread:
        """A process made of ordinary code that waits on this clock: a second tool beside the first."""
        return InThread(self, work)

    def enter(self, thread: InThread | None) -> None:
        self._inside = thread


class InThread(Iterator[float]):
    """Code that calls `sleep`, as steps. Its thread runs only while the others wait for its next step.

    What the code raises is raised by the step in which it did.
    """

    def __init__(self, timeline: Timeline, work: Callable[[], object]) -> None:
        self._timeline, self._work = timeline, work
        self._go, self._back = threading.Lock(), threading.Lock()
        self._go.acquire()
        self._back.acquire()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._pause: float | None = 0.0
        self._fault: BaseException | None = None

    @property
    def is_over(self) -> bool:
        return self._pause is None

    def __next__(self) -> float:
        if self.is_over:
            raise StopIteration
        self._timeline.enter(self)
        if self._thread.ident is None:
            self._thread.start()
        else:
            self._go.release()
        self._back.acquire()
        self._timeline.enter(None)
        if self._pause is not None:
            return self._pause
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        raise StopIteration

    def pause(self, seconds: float) -> None:
        """On the thread: hand over, and go on when the time has come."""
        self._pause = seconds
        self._back.release()
        self._go.acquire()

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as fault:  # noqa: BLE001  (raised again by the step)
            self._fault = fault
        self._pause = None
        self._back.release()


def moment(seconds: float) -> str:
    """A time of the timeline as evidence has it, to the microsecond."""
    return (START + timedelta(seconds=seconds)).isoformat(timespec="microseconds").replace("+00:00", "Z")


def seconds_at(text: str) -> float:
    """The time of the timeline that `moment` wrote."""
    return (datetime.fromisoformat(text) - START).total_seconds()


def _nothing() -> None:
    pass
