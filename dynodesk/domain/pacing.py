"""Keeps work within the read units it may take: so many in all, so many a second."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from decimal import Decimal

from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import Clock
from dynodesk.domain.progress import Ticket


@dataclass(frozen=True, slots=True)
class Limits:
    """What work may take. None: no limit."""

    max_units: Decimal | None = None
    """Read units after which the work ends, with what it has."""
    rate: Decimal | None = None
    """Read units a second."""


class BudgetSpent(Exception):
    """The work has taken what it may. Not an error: its result says what is not in it."""


class Pace:
    """Call `before_next` before each read. Units are those that `meter` counts. Safe across threads."""

    def __init__(self, meter: Meter, limits: Limits, clock: Clock) -> None:
        self._meter, self._limits, self._clock = meter, limits, clock
        self._start = clock.now()
        self._pause_end = self._start
        self._pausing = threading.Lock()

    def before_next(self, ticket: Ticket) -> None:
        """Waits as long as a pause lasts or the rate asks for. Raises `BudgetSpent`, and `Cancelled` during a wait."""
        while True:
            self._wait_while_paused(ticket)
            units = self._meter.total
            if self._limits.max_units is not None and units >= self._limits.max_units:
                raise BudgetSpent
            if self._limits.rate is None:
                return
            ahead = float(units / self._limits.rate) - (self._clock.now() - self._start)  # seconds, not data
            if ahead <= 0:
                return
            self._clock.sleep(ahead, ticket)

    def _wait_while_paused(self, ticket: Ticket) -> None:
        if not ticket.paused:
            return
        began = self._clock.now()
        ticket.wait_while_paused()
        with self._pausing:
            # The time of a pause, which several threads may have waited through, earns no units.
            now = self._clock.now()
            self._start += max(0.0, now - max(began, self._pause_end))
            self._pause_end = now
