"""One read at a time: sent, proven, and sent again where that can help.

botocore's own retries are off. They sleep for up to half a minute without hearing that the user has had enough, and
know nothing of replies that are damaged.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from botocore import xform_name
from botocore.client import BaseClient

from dynodesk.aws.faults import Fault, Retry, fault_of
from dynodesk.aws.in_time import OutOfTimeError, in_time
from dynodesk.aws.wire import BODY, Wire
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import CannotConnect, CredentialsRefused, DamagedReply
from dynodesk.domain.progress import Progress, Ticket

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients

S = TypeVar("S")
T = TypeVar("T")

FIRST_CALL_SECONDS = 8
"""For an endpoint that has never answered: the command line says within 10 s that it cannot be reached."""
CALL_SECONDS = 60
"""For everything else, from the signature to the last byte of the reply."""
MAX_RENEWALS = 2
"""Of the credentials for one read. More would help as little: the clock of this computer may be wrong."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a read is sent again after one kind of fault, and for how long. Waits double, from first to longest."""

    tries: int
    seconds: float
    first_wait: float
    longest_wait: float

    def wait(self, failures: int, chance: float) -> float:
        """Seconds to wait after so many failures; `chance` from 0 to 1 spreads those who failed together."""
        return min(self.longest_wait, self.first_wait * 2.0 ** min(failures - 1, 30)) * (0.5 + chance / 2)


@dataclass(frozen=True, slots=True)
class Patiences:
    """`Retry` to `Patience` for one sort of caller."""

    damaged: Patience
    failed: Patience
    unreachable: Patience
    throttled: Patience

    def of(self, retry: Retry) -> Patience | None:
        match retry:
            case Retry.DAMAGED:
                return self.damaged
            case Retry.FAILED:
                return self.failed
            case Retry.UNREACHABLE:
                return self.unreachable
            case Retry.THROTTLED:
                return self.throttled
            case Retry.NEVER | Retry.EXPIRED:
                return None


_DAMAGED = Patience(tries=4, seconds=60, first_wait=0.05, longest_wait=1)
_FAILED = Patience(tries=6, seconds=60, first_wait=0.05, longest_wait=2)
NO_CONTACT = Patience(tries=2, seconds=FIRST_CALL_SECONDS / 2, first_wait=0.3, longest_wait=0.3)
"""Before the first reply: most often the address is wrong, and no patience mends that."""
BRIEF = Patiences(
    damaged=_DAMAGED,
    failed=_FAILED,
    unreachable=Patience(tries=6, seconds=20, first_wait=0.1, longest_wait=2),
    throttled=Patience(tries=1000, seconds=20, first_wait=0.1, longest_wait=5),
)
"""For reads that nobody can cancel."""
LONG = Patiences(
    damaged=_DAMAGED,
    failed=_FAILED,
    unreachable=Patience(tries=1000, seconds=90, first_wait=0.1, longest_wait=5),
    throttled=Patience(tries=1000, seconds=300, first_wait=0.1, longest_wait=5),
)
"""For reads of many pages: they wait for the network and for capacity, and go on where they were."""


_NOTES = {
    Retry.THROTTLED: "Throttled: waiting for capacity",
    Retry.UNREACHABLE: "No answer: waiting for the network",
}


@dataclass(frozen=True, slots=True)
class Reply:
    body: Wire
    seconds: float
    """From the signature to the last byte, without waits and earlier tries."""
    date: str = ""
    """The service's clock, as the header says it."""
    request_id: str = ""


class Calls:
    """Sends the reads of a connection. Safe across threads.

    `meter` counts what was sent again, and why. `client` sends, the one for reads if not given. `sleep` waits, and
    raises `Cancelled` when cancelled.
    """

    def __init__(
        self,
        clients: Clients,
        meter: Meter | None = None,
        *,
        client: BaseClient | None = None,
        brief: Patiences = BRIEF,
        long: Patiences = LONG,
        first_seconds: float = FIRST_CALL_SECONDS,
        seconds: float = CALL_SECONDS,
        sleep: Callable[[Ticket, float], None] = Ticket.sleep,
    ) -> None:
        self._client = client or clients.reads
        self._clients = clients
        self._meter = meter
        self.brief, self.long = brief, long
        self.one_of_many = replace(long, throttled=brief.throttled)
        """For one of many reads: the others may have the capacity."""
        self._first_seconds, self._seconds = first_seconds, seconds
        self._sleep = sleep

    def read(
        self,
        operation: str,
        parameters: Mapping[str, object],
        understand: Callable[[Reply], T],
        *,
        table: str = "",
        ticket: Ticket | None = None,
        done: int = 0,
        patiences: Patiences | None = None,
    ) -> T:
        """As `answer`, of an operation of the client."""

        def send() -> Reply:
            return send_once(self._client, operation, parameters)

        return self.answer(operation, send, understand, table=table, ticket=ticket, done=done, patiences=patiences)

    def answer(
        self,
        operation: str,
        send: Callable[[], S],
        understand: Callable[[S], T],
        *,
        table: str = "",
        ticket: Ticket | None = None,
        done: int = 0,
        patiences: Patiences | None = None,
    ) -> T:
        """What `understand` makes of what `send` brings; a `DamagedReply` that it raises is one more damaged reply.

        `send` sends once, in a thread that may be left behind, and raises what botocore raises, or `Fault`.
        With a `ticket` it waits long for capacity and for the network, reporting that with `done`; without one it
        gives up soon; `patiences` says otherwise. Raises what `ItemReader` names.
        """
        patiences = patiences or (self.brief if ticket is None else self.long)
        failures = dict.fromkeys(Retry, 0)
        started = time.monotonic()
        sign_in = self._clients.sign_in
        while True:
            with _naming(self._clients):
                sign_in.ready(ticket or Ticket(), done=done)
            generation = sign_in.generation
            try:
                return understand(self._once(operation, send, table, ticket or Ticket()))
            except (Fault, DamagedReply) as problem:
                fault = Fault(problem, Retry.DAMAGED) if isinstance(problem, DamagedReply) else problem
                failures[fault.retry] += 1
                if fault.retry is Retry.EXPIRED and failures[fault.retry] <= MAX_RENEWALS:
                    asked = time.monotonic()
                    try:
                        sign_in.renew(generation, ticket or Ticket(), done=done)
                    except CredentialsRefused as refused:  # one for all who waited: each has its own request
                        details = "; ".join(filter(None, (fault.error.details, refused.details)))
                        with _naming(self._clients):
                            raise CredentialsRefused(refused.message, hint=refused.hint, details=details) from fault
                    started += time.monotonic() - asked  # a person may take any time
                    continue
                self._wait_or_raise(fault, failures[fault.retry], started, ticket or Ticket(), done, patiences)

    def wait_or_raise(self, fault: Fault, failures: int, since: float, ticket: Ticket, done: int) -> None:
        """Wait before the next try, telling the user why; or give up and raise the error.

        `failures` is how often this kind of fault was met since the monotonic time `since`.
        """
        self._wait_or_raise(fault, failures, since, ticket, done, self.long)

    def _wait_or_raise(
        self, fault: Fault, failures: int, since: float, ticket: Ticket, done: int, patiences: Patiences
    ) -> None:
        patience = patiences.of(fault.retry)
        if fault.retry is Retry.UNREACHABLE and not self._clients.answered.is_set():
            patience = NO_CONTACT
        if patience is None or failures >= patience.tries or time.monotonic() - since >= patience.seconds:
            if fault.retry is Retry.EXPIRED and isinstance(fault.error, CredentialsRefused):
                fault.error.connection = self._clients.access.profile.id
            raise fault.error from fault
        if fault.retry in _NOTES:
            ticket.checkpoint(Progress(done, note=_NOTES[fault.retry], is_waiting=True))
        if self._meter is not None:
            self._meter.retried(fault.retry.name.lower())
        self._sleep(ticket, patience.wait(failures, random.random()))  # noqa: S311 (spreads retries, hides nothing)

    def _once(self, operation: str, send: Callable[[], S], table: str, ticket: Ticket) -> S:
        answered = self._clients.answered
        seconds = self._seconds if answered.is_set() else self._first_seconds
        try:
            reply = in_time(send, seconds, ticket)
        except OutOfTimeError:
            message = f"{self._clients.endpoint_url} did not answer within {seconds:g} seconds."
            hint = "Check the network, the address and the port."
            raise Fault(CannotConnect(message, hint=hint, details=operation)) from None
        except Exception as error:
            fault = fault_of(error, table=table, operation=operation)
            if not isinstance(fault.error, CannotConnect):
                answered.set()
            if fault is error:
                raise
            raise fault from error
        answered.set()
        return reply


def send(clients: Clients, operation: str, parameters: Mapping[str, object], seconds: float, ticket: Ticket) -> Reply:
    """Send a write once. Raises what botocore raises, `DynodeskError`, `OutOfTimeError` and `Cancelled`."""
    with _naming(clients):
        clients.sign_in.ready_to_write(ticket)
    return in_time(lambda: send_once(clients.writes, operation, parameters), seconds, ticket)


@contextmanager
def _naming(clients: Clients) -> Iterator[None]:
    """A login that has ended is told with the connection that it was of."""
    try:
        yield
    except CredentialsRefused as refused:
        refused.connection = clients.access.profile.id
        raise


def send_once(client: BaseClient, operation: str, parameters: Mapping[str, object]) -> Reply:
    """The same on this thread, for as long as the sockets let it. Raises what botocore raises, and `Fault`."""
    started = time.monotonic()
    parsed = getattr(client, xform_name(operation))(**parameters)
    seconds = time.monotonic() - started
    about = parsed["ResponseMetadata"]
    return Reply(parsed[BODY], seconds, about["HTTPHeaders"].get("date", ""), about.get("RequestId", ""))
