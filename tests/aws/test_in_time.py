from __future__ import annotations

import threading

import pytest

from dynodesk.aws.in_time import OutOfTimeError, in_time
from dynodesk.domain.progress import Cancelled, Ticket


def test_gives_the_result() -> None:
    assert in_time(lambda: 7, 5, Ticket()) == 7


@pytest.mark.parametrize("error", [KeyError("x"), TimeoutError("of the call itself"), SystemExit(3)])
def test_raises_what_the_call_raises(error: BaseException) -> None:
    def call() -> None:
        raise error

    with pytest.raises(type(error)) as raised:
        in_time(call, 5, Ticket())
    assert raised.value is error


def test_leaves_a_call_that_takes_too_long() -> None:
    release = threading.Event()
    with pytest.raises(OutOfTimeError):
        in_time(release.wait, 0.05, Ticket())
    release.set()


def test_leaves_a_call_when_cancelled() -> None:
    release, ticket = threading.Event(), Ticket()
    canceller = threading.Timer(0.05, ticket.cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        in_time(release.wait, 60, ticket)
    canceller.join()
    release.set()


def test_calls_nothing_once_cancelled() -> None:
    called = threading.Event()
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        in_time(called.set, 5, ticket)
    assert not called.is_set()
