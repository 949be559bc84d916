"""Keeps a run within the read units it may take: so many in all, so many a second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from dynodesk.domain.capacity import Meter
from dynodesk.domain.ports import PageReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page, QueryPlan, ScanPlan
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item
from dynodesk.reconcile.schedule import Clock


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take. None: no limit."""

    max_units: Decimal | None = None
    """Read units after which the run ends, with what it has."""
    rate: Decimal | None = None
    """Read units a second."""


class BudgetSpent(Exception):
    """The run has taken what it may. Not an error: the report says what was not looked at."""


class PacedReader:
    """A reader that waits between replies, or ends the run, as the limits say. Counts the pages it passes on."""

    def __init__(self, reader: PageReader, meter: Meter, limits: Limits, clock: Clock, ticket: Ticket) -> None:
        self._reader, self._meter, self._limits, self._clock, self._ticket = reader, meter, limits, clock, ticket
        self._start = clock.now()
        self.pages = 0

    def query(self, plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._paced(self._reader.query(plan, ticket, start))

    def scan(self, plan: ScanPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._paced(self._reader.scan(plan, ticket, start))

    def transact_get(self, keys: Sequence[tuple[str, Key]], ticket: Ticket) -> tuple[Item | None, ...]:
        self._before_next()
        return self._reader.transact_get(keys, ticket)

    def _paced(self, pages: Iterator[Page]) -> Iterator[Page]:
        self._before_next()
        for page in pages:
            self.pages += 1
            yield page
            if page.cursor is not None:
                self._before_next()

    def _before_next(self) -> None:
        units = self._meter.total
        if self._limits.max_units is not None and units >= self._limits.max_units:
            raise BudgetSpent
        if self._limits.rate is not None:
            ahead = float(units / self._limits.rate) - (self._clock.now() - self._start)  # seconds, not data
            if ahead > 0:
                self._clock.sleep(ahead, self._ticket)
