"""All that is done with composed requests at one connection."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from dynodesk.composing.effects import Items, effect_of
from dynodesk.composing.log import RequestLog, outcome_payload
from dynodesk.composing.running import RequestHands, RunReport, Told
from dynodesk.composing.tries import Run
from dynodesk.domain.actions import ComposedRequest, is_read
from dynodesk.domain.clock import Clock
from dynodesk.domain.composed import RequestSender
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.ports import ItemReader, TableCatalog
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import KeptJournal, Place
from dynodesk.domain.writing import OUTCOME


@dataclass(frozen=True, slots=True)
class RequestDesk:
    """What writes holds the journal for as long as it does: `holding` raises `ReadOnly` where nothing may be written.

    `run`, `send_again`, `look`, `items` and `log` read or write the network or the disk: for worker threads. `told` is
    called on the thread that called.
    """

    place: Place
    catalog: TableCatalog
    sender: RequestSender
    reader: ItemReader
    journal: KeptJournal
    clock: Clock
    chance: random.Random
    holding: Callable[[], AbstractContextManager[None]]

    def run(self, request: ComposedRequest, ticket: Ticket, told: Told | None = None) -> RunReport:
        """What became of it, errors of the service and of the network included.

        Raises `ReadOnly` for a write on a connection that only reads, before anything is noted or sent;
        `FileNotWritten` where another program writes for long; `InvalidExpression` for a statement that is none;
        `Cancelled` where it was told to stop before the request was sent.
        """
        run = Run(self._hands, request, ticket, told or _nobody)
        if is_read(request):
            return run.read()
        with self.holding():
            return run.write()

    def send_again(self, report: RunReport, ticket: Ticket, told: Told | None = None) -> RunReport:
        """The same with the same token: however often, it is done once. Raises as `run`, and `InvalidRequest` with
        the reason where it cannot be sent again.
        """
        with self.holding():
            if why := self.why_not_again(report):
                raise InvalidRequest(why, hint="Nothing was sent.")
            return Run.again(self._hands, report, ticket, told or _nobody).write()

    def why_not_again(self, report: RunReport) -> str:
        """Why a request must not be sent again; "" where that is safe, as of now."""
        return self._hands.why_not_again(report)

    def seconds_left(self, report: RunReport) -> float:
        """For how long a request may be sent again with its token; 0 where it may not."""
        return self._hands.seconds_left(report)

    def look(self, report: RunReport, ticket: Ticket) -> RunReport:
        """The items of a request as they are now, and what they say of whether it was applied. Sends nothing again.

        What nothing can settle any more is noted as unclear. Raises as `run`, and what reading and the journal raise.
        """
        started, began = self.clock.utc(), self.clock.now()
        with self.holding():
            after = self._hands.items(report.request, ticket)
            seen = None
            if report.before is not None and after is not None:
                seen = effect_of(report.request, report.before, after)
            is_over = after is not None and seen != "not applied" and self.seconds_left(report) <= 0
            if report.outcome == "unknown" and is_over:
                why = "its items were looked at, and nothing else can tell"
                self.journal.append(OUTCOME, outcome_payload(report.id, report.tries, "unclear", why))
        seconds, ended = self.clock.now() - began, self.clock.utc()
        return replace(report, after=after, seen=seen, started=started, ended=ended, seconds=seconds)

    def items(self, request: ComposedRequest, ticket: Ticket) -> Items | None:
        """What is there now under the keys of its actions; None for statements, and where it may not be read.

        Raises what `TableCatalog` and `ItemReader` raise, and `InvalidValue` for an item without its key.
        """
        return self._hands.items(request, ticket)

    def log(self) -> RequestLog:
        return RequestLog.of(self.journal.records())

    @property
    def _hands(self) -> RequestHands:
        return RequestHands(self.place, self.catalog, self.sender, self.reader, self.journal, self.clock, self.chance)


def _nobody(_words: str) -> None:
    pass
