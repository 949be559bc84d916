"""Time that passes only when somebody waits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from dynodesk.domain.progress import Ticket

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class VirtualClock:
    """A `Clock` for tests. `at` calls something when a moment is reached, in the middle of a wait."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._events: list[tuple[float, Callable[[], object]]] = []
        self.slept: list[float] = []

    def now(self) -> float:
        return self._seconds

    def utc(self) -> str:
        return (START + timedelta(seconds=self._seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def sleep(self, seconds: float, ticket: Ticket) -> None:
        ticket.checkpoint()
        self.slept.append(seconds)
        end = self._seconds + seconds
        while self._events and self._events[0][0] <= end:
            self._seconds, event = self._events.pop(0)
            event()
        self._seconds = end
        ticket.checkpoint()

    def at(self, seconds: float, event: Callable[[], object]) -> None:
        self._events.append((seconds, event))
        self._events.sort(key=lambda entry: entry[0])
