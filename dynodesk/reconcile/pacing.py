"""Keeps a run within the read units it may take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dynodesk.domain.pacing import Pace
from dynodesk.domain.ports import PageReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page, QueryPlan, ScanPlan
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item


class PacedReader:
    """A reader that waits between replies, or ends the run, as the pace says. Counts the pages it passes on."""

    def __init__(self, reader: PageReader, pace: Pace) -> None:
        self._reader, self._pace = reader, pace
        self.pages = 0

    def query(self, plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._paced(self._reader.query(plan, ticket, start), ticket)

    def scan(self, plan: ScanPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._paced(self._reader.scan(plan, ticket, start), ticket)

    def transact_get(self, keys: Sequence[tuple[str, Key]], ticket: Ticket) -> tuple[Item | None, ...]:
        self._pace.before_next(ticket)
        return self._reader.transact_get(keys, ticket)

    def _paced(self, pages: Iterator[Page], ticket: Ticket) -> Iterator[Page]:
        self._pace.before_next(ticket)
        for page in pages:
            self.pages += 1
            yield page
            if page.cursor is not None:
                self._pace.before_next(ticket)
