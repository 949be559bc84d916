"""The lesson on increments: many clients count with one counter at once, in four ways, and the table tells the result.

Each way is given the same number of increments to make, by as many clients, and the same replies get lost: the client
does not know whether its write was done, and sends it again. What is lost and what is counted twice is not worked out
from the way: it is the difference between what the clients were told and what the counter says.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Literal, get_args

from dynodesk.domain.actions import (
    ComposedRequest,
    GetAction,
    PutAction,
    SingleGet,
    SingleWrite,
    TransactWrite,
    UpdateAction,
    new_token,
)
from dynodesk.domain.composed import Done, Refused, RequestSender
from dynodesk.domain.errors import Busy, InvalidRequest, ServiceFailed
from dynodesk.domain.expressions import parse_changes, parse_where
from dynodesk.domain.foreground import foreground
from dynodesk.domain.ports import TableCatalog
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.table_changes import CreateTable, DeleteTable
from dynodesk.domain.table_work import Tables
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.values import Number, String

Method = Literal["read-modify-write", "add", "condition", "transaction"]
METHODS: tuple[Method, ...] = get_args(Method)

MOST_INCREMENTS, MOST_CLIENTS = 1_000, 16
ONE_LOST_IN = 10
"""Of so many increments, one has its reply lost."""
SEED = 41
"""Chooses the increments whose replies are lost: the same in every lesson of one length."""
EVERY = 0.1
"""Seconds between two looks at the counter."""

KEY, TALLY = "id", "n"


@dataclass(frozen=True, slots=True)
class Score:
    """How far one way of counting is. While it runs, `lost` and `doubled` are the least that they can be."""

    method: Method
    told: int = 0
    """Increments of which a client was told that they are done."""
    stored: int = 0
    """What the counter says. It was read after `told` was counted, and before `begun` was."""
    begun: int = 0
    """Increments that a client has set out to make."""
    retries: int = 0
    """Writes that were refused since somebody else's came first, and begun anew."""
    unheard: int = 0
    """Replies that got lost."""
    seconds: float = 0.0
    has_ended: bool = False

    @property
    def lost(self) -> int:
        return max(0, self.told - self.stored)

    @property
    def doubled(self) -> int:
        return max(0, self.stored - self.begun)


Told = Callable[[tuple[Score, ...]], object]
"""Hears the scores of all ways, in the order of `METHODS`. It is called on the thread that runs the lesson."""


@dataclass(frozen=True, slots=True)
class Place:
    """A connection, as far as the lesson needs it."""

    profile: Profile
    sender: RequestSender
    catalog: TableCatalog
    tables: Tables


def teach(place: Place, increments: int, clients: int, told: Told, ticket: Ticket) -> tuple[Score, ...]:
    """Counts in all four ways, one after another, in a table of its own that is deleted at the end, whatever happens.

    Raises `InvalidRequest` anywhere but in the sandbox and for numbers out of range, `Cancelled` when told to stop,
    and what the connection raises.
    """
    if place.profile.kind != "sandbox":
        raise InvalidRequest("The lesson loses counts: it is given in the sandbox only.", hint="Open the sandbox.")
    if not (1 <= increments <= MOST_INCREMENTS and 1 <= clients <= MOST_CLIENTS):
        raise InvalidRequest(
            f"The lesson takes 1 to {MOST_INCREMENTS:,} increments by 1 to {MOST_CLIENTS} clients at once."
        )
    scores = [Score(method) for method in METHODS]
    told(tuple(scores))
    with _scratch_table(place, ticket) as table:
        for at, method in enumerate(METHODS):

            def heard(score: Score, at: int = at) -> None:
                scores[at] = score
                told(tuple(scores))

            _Run(place.sender, table, method, increments, clients, ticket).carry_out(heard)
    return tuple(scores)


@contextlib.contextmanager
def _scratch_table(place: Place, ticket: Ticket) -> Iterator[str]:
    name = f"increment-lesson-{uuid.uuid4().hex[:8]}"
    place.tables.send(CreateTable(name, KeySchema((KeyAttribute(KEY, "S"),))))
    try:
        while place.catalog.describe(name, ticket).status != "ACTIVE":
            ticket.sleep(EVERY)
        yield name
    finally:
        place.tables.send(DeleteTable(place.catalog.describe(name, Ticket())))


@dataclass(slots=True)
class _Counts:
    """What the clients of one way have done so far, together."""

    told: int = 0
    begun: int = 0
    retries: int = 0
    unheard: int = 0


class _Run:
    """One way of counting, carried out."""

    def __init__(
        self, sender: RequestSender, table: str, method: Method, increments: int, clients: int, ticket: Ticket
    ) -> None:
        self._sender, self._table, self._method = sender, table, method
        self._increments, self._clients, self._ticket = increments, clients, ticket
        self._key = {KEY: String(f"counted by {method}")}
        self._count: Callable[[int], None] = {
            "read-modify-write": self._read_modify_write,
            "add": self._add,
            "condition": self._write_under_condition,
            "transaction": self._transact,
        }[method]
        chance = random.Random(SEED)  # noqa: S311  (the same choice every time is what it is for)
        self._to_be_lost = set(chance.sample(range(increments), increments // ONE_LOST_IN))
        """Numbers of the increments whose reply is still to be lost."""
        self._counts = _Counts()
        self._lock = threading.Lock()
        self._crew = Ticket(part_of=ticket)
        """Of all clients: when one of them fails, the others stop."""

    def carry_out(self, told: Callable[[Score], object]) -> None:
        """Tells the score every tenth of a second, and at the end. Raises what the first client raised that failed."""
        self._sender.send(SingleWrite(PutAction(self._table, {**self._key, TALLY: Number("0")})), self._ticket)
        began = time.monotonic()
        with ThreadPoolExecutor(self._clients, "lesson") as threads, self._ticket.on_cancel(self._crew.cancel):
            clients = [threads.submit(self._work) for _ in range(self._clients)]
            try:
                while wait(clients, EVERY).not_done and not self._crew.cancelled:
                    told(self._score(time.monotonic() - began))
            finally:
                self._crew.cancel()
        seconds = time.monotonic() - began
        self._ticket.checkpoint()
        for failure in filter(None, (client.exception() for client in clients)):
            if not isinstance(failure, Cancelled):
                raise failure
        told(replace(self._score(seconds), has_ended=True))

    def _score(self, seconds: float) -> Score:
        told = self._counts.told
        stored = self._read(self._ticket)
        counts = self._counts
        return Score(self._method, told, stored, counts.begun, counts.retries, counts.unheard, seconds)

    # -- a client

    def _work(self) -> None:
        try:
            while (number := self._next()) is not None:
                self._count(number)
                with self._lock:
                    self._counts.told += 1
        except BaseException:
            self._crew.cancel()
            raise

    def _next(self) -> int | None:
        """The number of an increment that nobody has set out to make; None: all are taken."""
        with self._lock:
            number = self._counts.begun
            if number == self._increments:
                return None
            self._counts.begun += 1
            return number

    def _read_modify_write(self, number: int) -> None:
        value = self._read(self._crew)
        self._heard(number, self._update(f"SET {TALLY} = {value + 1}"))

    def _add(self, number: int) -> None:
        self._heard(number, self._update(f"ADD {TALLY} 1", f"attribute_exists({KEY})"))

    def _write_under_condition(self, number: int) -> None:
        while True:
            value = self._read(self._crew)
            request = self._update(f"SET {TALLY} = {value + 1}", f"{TALLY} = {value}")
            if isinstance(self._heard(number, request), Done):
                return
            self._count_retry()

    def _transact(self, number: int) -> None:
        child = {KEY: String(f"child {number}")}
        put = PutAction(self._table, child, parse_where(f"attribute_not_exists({KEY})"))
        request = TransactWrite((put, self._update(f"ADD {TALLY} 1", f"attribute_exists({KEY})").action), new_token())
        while isinstance(outcome := self._heard(number, request), Refused):
            if any(reason.code not in {"None", "TransactionConflict"} for reason in outcome.reasons):
                raise ServiceFailed("A transaction of the lesson was cancelled for another reason than a conflict.")
            self._count_retry()

    def _update(self, changes: str, condition: str | None = None) -> SingleWrite:
        guard = None if condition is None else parse_where(condition)
        return SingleWrite(UpdateAction(self._table, self._key, parse_changes(changes), guard))

    def _heard(self, number: int, request: ComposedRequest) -> Done | Refused:
        """What came of the request. Where it was done and the reply gets lost, of the same request sent again."""
        outcome = self._sent(request)
        with self._lock:
            is_lost = isinstance(outcome, Done) and number in self._to_be_lost
            if is_lost:
                self._to_be_lost.remove(number)
                self._counts.unheard += 1
        return self._sent(request) if is_lost else outcome

    def _sent(self, request: ComposedRequest) -> Done | Refused:
        while True:
            self._crew.checkpoint()
            foreground.give_way()
            try:
                return self._sender.send(request, self._crew)
            except Busy:
                self._count_retry()

    def _count_retry(self) -> None:
        with self._lock:
            self._counts.retries += 1

    def _read(self, ticket: Ticket) -> int:
        outcome = self._sender.send(SingleGet(GetAction(self._table, self._key)), ticket)
        item = outcome.items[0] if isinstance(outcome, Done) else None
        value = None if item is None else item.get(TALLY)
        if not isinstance(value, Number):
            raise ServiceFailed("The counter of the lesson is not there any more.", hint="Start the lesson again.")
        return int(value.text)
