"""Time as long work sees it, so that tests can put their own in its place."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol

from dynodesk.domain.progress import Ticket


class Clock(Protocol):
    def now(self) -> float:
        """Seconds, from any start, never backwards."""

    def utc(self) -> str:
        """The time of day for evidence: UTC, ISO 8601."""

    def sleep(self, seconds: float, ticket: Ticket) -> None:
        """Raises `Cancelled` as soon as the ticket is."""


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def utc(self) -> str:
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def sleep(self, seconds: float, ticket: Ticket) -> None:
        ticket.sleep(seconds)


def duration(seconds: float) -> str:
    """`2 s`, `5 min`, `25 h`: the largest unit that leaves no rest."""
    for size, name in ((3600, "h"), (60, "min")):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g} {name}"
    return f"{seconds:g} s"
