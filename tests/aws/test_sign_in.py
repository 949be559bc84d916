"""One renewal for all who wait, and none that comes as a surprise."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from botocore.credentials import ReadOnlyCredentials

from dynodesk.aws.credentials import Fetched
from dynodesk.aws.sign_in import HeldCredentials, SignIn
from dynodesk.domain.errors import CannotConnect, CredentialsRefused
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.domain.sign_in import AsksInTurn, MfaQuestion, SignInAsker
from tests.helpers.signing_in import Allowed, Person

QUESTION = MfaQuestion("mfa", "device", "role")


class Bench:
    """Credentials with a number, for a code each; `left` seconds until they expire."""

    def __init__(self, *codes: str | None) -> None:
        self.person = Person("first", *codes)
        self.left = 3600.0
        self.fetched: list[str | None] = []
        self.before: Callable[[Ticket], object] = lambda _ticket: None
        self.sign_in = SignIn(self.fetch, AsksInTurn(self.person, Allowed()), Ticket())

    def fetch(self, asker: SignInAsker, ticket: Ticket, expired: ReadOnlyCredentials | None) -> Fetched:
        self.before(ticket)
        asker.mfa_code(QUESTION, ticket)
        self.fetched.append(None if expired is None else expired.access_key)
        self.left = 3600.0
        number = len(self.fetched)
        return Fetched(ReadOnlyCredentials(f"AKIA{number}", "s", "t"), lambda seconds: self.left < seconds)

    @property
    def waiting(self) -> int:
        flight = self.sign_in._flight
        return 0 if flight is None else flight.waiting

    @property
    def key(self) -> str | None:
        return self.sign_in.keys.access_key


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as running:
        yield running


def errors(of: list[Future[None]]) -> list[str]:
    return [type(each.exception(timeout=10)).__name__ for each in of]


def test_what_lasts_is_not_renewed() -> None:
    bench = Bench()
    bench.sign_in.ready(Ticket())
    assert bench.fetched == [None]


def test_what_is_about_to_expire_is_renewed_before_a_request_and_signed_with_from_then_on() -> None:
    bench = Bench("second")
    signer = HeldCredentials(bench.sign_in)
    assert signer.get_frozen_credentials().access_key == "AKIA1"
    bench.left = 59
    bench.sign_in.ready(Ticket())
    assert signer.get_frozen_credentials().access_key == "AKIA2"


def test_all_who_wait_share_one_question(pool: ThreadPoolExecutor) -> None:
    bench = Bench("second", "third")
    bench.person.let_answer.clear()
    generation, joined = bench.sign_in.generation, threading.Barrier(9)

    def work() -> None:
        joined.wait(10)
        bench.sign_in.renew(generation, Ticket())

    waiting = [pool.submit(work) for _ in range(8)]
    joined.wait(10)
    bench.person.let_answer.set()
    assert errors(waiting) == ["NoneType"] * 8
    assert len(bench.person.asked) == 2
    bench.sign_in.renew(generation, Ticket())  # who hears of it late is served already
    assert (len(bench.person.asked), bench.key) == (2, "AKIA2")
    assert bench.fetched == [None, "AKIA1"]


def test_a_person_who_gives_up_is_not_asked_by_the_others_again() -> None:
    bench = Bench(None, "third")
    bench.left = 0
    with pytest.raises(CredentialsRefused, match="sign-in was cancelled") as raised:
        bench.sign_in.ready(Ticket())
    assert "Sign in again" in raised.value.hint
    for _ in range(3):
        with pytest.raises(CredentialsRefused, match="when you were asked last"):
            bench.sign_in.ready(Ticket())
    assert len(bench.person.asked) == 2
    bench.sign_in.again(Ticket())
    bench.sign_in.ready(Ticket())
    assert (len(bench.person.asked), bench.key) == (3, "AKIA2")


def test_a_network_that_fails_is_no_answer_of_the_person() -> None:
    bench = Bench("second")
    bench.left = 0

    def fail(_ticket: Ticket) -> None:
        raise CannotConnect("no network")

    bench.before = fail
    with pytest.raises(CannotConnect):
        bench.sign_in.ready(Ticket())
    bench.before = lambda _ticket: None
    bench.sign_in.ready(Ticket())
    assert bench.key == "AKIA2"


def test_one_who_stops_waiting_leaves_the_question_to_the_others(pool: ThreadPoolExecutor) -> None:
    bench = Bench("second")
    bench.left = 0
    bench.person.let_answer.clear()
    one, other = Ticket(), Ticket()
    leaving, staying = pool.submit(bench.sign_in.ready, one), pool.submit(bench.sign_in.ready, other)
    _until(lambda: len(bench.person.asked) == 2 and bench.waiting == 2)
    one.cancel()
    assert isinstance(leaving.exception(timeout=10), Cancelled)
    bench.person.let_answer.set()
    assert staying.result(timeout=10) is None
    assert bench.key == "AKIA2"


def test_when_nobody_waits_any_more_the_question_is_withdrawn_and_asked_again_later(pool: ThreadPoolExecutor) -> None:
    bench = Bench("second")
    bench.left = 0
    bench.person.let_answer.clear()
    ticket = Ticket()
    leaving = pool.submit(bench.sign_in.ready, ticket)
    _until(lambda: len(bench.person.asked) == 2)
    ticket.cancel()
    assert isinstance(leaving.exception(timeout=10), Cancelled)
    _until(lambda: not bench.person._answering.locked())
    bench.person.let_answer.set()
    bench.sign_in.ready(Ticket())
    assert (len(bench.person.asked), bench.key) == (3, "AKIA2")


def test_a_write_waits_for_nobody(pool: ThreadPoolExecutor) -> None:
    bench = Bench("second")
    bench.left = 0
    with pytest.raises(CredentialsRefused, match="nothing was written"):
        bench.sign_in.ready_to_write(Ticket())
    assert len(bench.person.asked) == 1
    bench.person.let_answer.clear()
    reading = pool.submit(bench.sign_in.ready, Ticket())
    _until(lambda: len(bench.person.asked) == 2)
    with pytest.raises(CredentialsRefused, match="just being renewed: nothing was written"):
        bench.sign_in.ready_to_write(Ticket())
    bench.person.let_answer.set()
    reading.result(timeout=10)
    bench.sign_in.ready_to_write(Ticket())


def test_credentials_of_somebody_else_are_never_signed_with() -> None:
    bench = Bench("second", "third")

    def check(keys: ReadOnlyCredentials, _ticket: Ticket) -> None:
        if keys.access_key == "AKIA2":
            raise CredentialsRefused("somebody else")

    bench.sign_in.check_with(check)
    bench.left = 0
    with pytest.raises(CredentialsRefused, match="somebody else"):
        bench.sign_in.ready(Ticket())
    assert bench.key == "AKIA1"
    bench.sign_in.again(Ticket())
    assert bench.key == "AKIA3"


def test_whoever_waits_hears_what_for() -> None:
    bench, told = Bench("second"), list[Progress]()
    bench.left = 0
    bench.sign_in.ready(Ticket(told.append), done=41)
    assert told == [Progress(41, note="Signing in", is_waiting=True)]


def _until(true: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(1000):
        if true():
            return
        pause.wait(0.01)
    raise AssertionError("it never came to that")
