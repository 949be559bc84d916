"""What becomes of a composed request, and what it takes to run one.

What carries a run from intent to certainty is `composing.tries`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from dynodesk.composing.effects import Items
from dynodesk.composing.log import LoggedRequest
from dynodesk.domain.actions import (
    TOKEN_SECONDS,
    Action,
    ComposedRequest,
    PutAction,
    StatementTransaction,
    TransactWrite,
    actions_of,
    is_read,
)
from dynodesk.domain.clock import Clock
from dynodesk.domain.composed import Done, Refused, RequestSender
from dynodesk.domain.errors import DynodeskError, NotAllowed
from dynodesk.domain.ports import ItemReader, TableCatalog
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place, Recorder
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item
from dynodesk.domain.writes import Effect

TOKEN_MARGIN = 90
"""Seconds before the end of a token in which it is not used any more: what is sent may be a minute on its way."""

RunOutcome = Literal["done", "refused", "unknown", "not sent"]

Told = Callable[[str], object]
"""Hears what is going on, in words."""


@dataclass(frozen=True, slots=True)
class Sending:
    """When something was about to be sent for the first time."""

    at: str
    """UTC, ISO 8601."""
    now: float | None
    """By the `Clock` of this program; None: by another program, or by this one before it was started again."""

    def seconds_since(self, clock: Clock) -> float:
        """By the clock that went further: one stands still while the computer sleeps, the other may be set."""
        seconds = (_moment(clock.utc()) - _moment(self.at)).total_seconds()
        if self.now is not None:
            return max(seconds, clock.now() - self.now)
        return seconds if seconds >= 0 else float("inf")


@dataclass(frozen=True, slots=True)
class RunReport:
    """What became of a composed request."""

    id: str
    """Names the run in the journal."""
    request: ComposedRequest
    outcome: RunOutcome
    """`refused`: nothing was written, or read. `not sent`: nothing has left this program, or reached the service."""
    reason: str
    """In words, where there is more to say than the outcome; "" else."""
    result: Done | Refused | None
    """What the service answered; None where no answer came, an error, or none that fits what is known."""
    error: DynodeskError | None
    before: Items | None
    """The items before, in strongly consistent reads. None: not read, as those of reads and of statements."""
    after: Items | None
    """The items afterwards; None where they were not read."""
    seen: Effect | None
    """What the items said, read where no answer came: `likely`, `not applied` (what is late may still arrive), or
    `unclear`. None: they were not asked."""
    tries: int
    """Requests sent."""
    started: str
    ended: str
    """UTC, ISO 8601."""
    seconds: float
    """In all, with pauses and reads."""
    request_ids: tuple[str, ...]
    """Of all answers that had one."""
    first_sent: Sending | None
    """None: a read, or never sent."""

    @property
    def token(self) -> str:
        """Empty where there is none, or none that matters."""
        return token_of(self.request)

    @property
    def token_until(self) -> str:
        """Until when it is sent again with its token: UTC, ISO 8601; "" where it has none, or was never sent."""
        if not self.token or self.first_sent is None:
            return ""
        end = _moment(self.first_sent.at) + timedelta(seconds=TOKEN_SECONDS - TOKEN_MARGIN)
        return end.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @property
    def title(self) -> str:
        """The outcome in a few words."""
        match self.outcome:
            case "done":
                return "Looks applied" if self.seen == "likely" else "Done"
            case "refused":
                return "Refused"
            case "not sent":
                return "Not sent"
            case "unknown":
                words = {"likely": "Not certain, looks applied", "not applied": "Not certain, looks not applied"}
                return words.get(self.seen or "", "Not known whether it was applied")


def token_of(request: ComposedRequest) -> str:
    """The token that keeps a write from being done twice; empty where it has none."""
    if isinstance(request, TransactWrite | StatementTransaction) and not is_read(request):
        return request.token
    return ""


def what_can_be_done(report: RunReport, clock: Clock) -> str:
    """About a run that is not known to have been applied, in a sentence; "" where it is known."""
    if report.outcome != "unknown":
        return ""
    if not report.token:
        return "It has no token, so that it must not be sent again blindly: look at what it writes first."
    if seconds_left(report.first_sent, clock) > 0:
        return f"Until {report.token_until[11:19]} UTC it can be sent again safely, with its token."
    return "Its token has ended, so that it must not be sent again blindly: look at its items first."


_AS_NOTED: dict[str, RunOutcome] = {
    "applied": "done",
    "settled": "done",
    "refused": "refused",
    "not applied": "not sent",
}
"""What the journal says of a try. All else is not known, or nothing can tell it any more."""


def report_left_open(run: LoggedRequest) -> RunReport:
    """Of a run that the journal holds, so that it can be sent again or looked at.

    Raises `InvalidFile` where its request cannot be made again to the letter.
    """
    why = run.why if run.outcome else "the program ended before an answer was noted"
    first = Sending(run.at, None)
    return RunReport(
        run.id,
        run.request,
        _AS_NOTED.get(run.outcome, "unknown"),
        why,
        None,
        None,
        None,
        None,
        None,
        run.tries,
        run.at,
        run.at,
        0.0,
        (),
        first,
    )


def seconds_left(first: Sending | None, clock: Clock) -> float:
    return 0.0 if first is None else max(0.0, TOKEN_SECONDS - TOKEN_MARGIN - first.seconds_since(clock))


def _moment(utc: str) -> datetime:
    return datetime.fromisoformat(utc)


@dataclass(frozen=True, slots=True)
class RequestHands:
    """What runs composed requests at one connection."""

    place: Place
    catalog: TableCatalog
    sender: RequestSender
    reader: ItemReader
    journal: Recorder
    clock: Clock
    chance: random.Random

    def why_not_again(self, report: RunReport) -> str:
        """Why a request must not be sent again; "" where that is safe."""
        if is_read(report.request):
            return "It reads: run it once more."
        if report.first_sent is None:
            return "It was never sent: run it."
        if not report.token:
            return "It has no token: sent again, it might be done twice."
        if self.seconds_left(report) <= 0:
            return "Its token has ended, or is about to: sent again, it might be done twice. Look at its items instead."
        return ""

    def seconds_left(self, report: RunReport) -> float:
        """For how long it may be sent again with its token; 0 where it may not."""
        return seconds_left(report.first_sent, self.clock) if report.token else 0.0

    def items(self, request: ComposedRequest, ticket: Ticket) -> Items | None:
        """What is there under the keys of its actions; None where these are not known, or may not be read.

        Raises what `TableCatalog` and `ItemReader` raise, and `InvalidValue` for an item without its key.
        """
        actions = actions_of(request)
        if not actions:
            return None
        try:
            keys = [self._key(action, ticket) for action in actions]
            found: dict[str, Iterator[Item | None]] = {}
            for table in dict.fromkeys(action.table for action in actions):
                asked = [key for action, key in zip(actions, keys, strict=True) if action.table == table]
                found[table] = iter(self.reader.batch_get(table, asked, ticket, consistent=True))
        except NotAllowed:
            return None
        return tuple(next(found[action.table]) for action in actions)

    def _key(self, action: Action, ticket: Ticket) -> Key:
        if isinstance(action, PutAction):
            return self.catalog.describe(action.table, ticket).key_schema.key_of(action.item)
        return action.key
