"""Blocking calls with a limit on the whole of their time.

Sockets have time limits for one step only: a name server that does not answer, or a reply that comes a byte a second,
keep to every one of them and never end. So each call has a thread of its own, which is left behind when the time is
up or the user does not want to wait. A thread left behind ends with its socket, and never keeps the program running.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from dynodesk.domain.progress import Ticket

T = TypeVar("T")

LOOK_EVERY = 0.1
"""Seconds between looks at the ticket."""


class OutOfTimeError(Exception):
    """The call did not end in time. What became of it is not known."""


def in_time(call: Callable[[], T], seconds: float, ticket: Ticket) -> T:
    """The result of `call`. Raises what it raises, `OutOfTimeError`, and `Cancelled` within a moment of being asked."""
    ticket.checkpoint()
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 (raised again where the result is awaited)
            future.set_exception(error)

    threading.Thread(target=run, name="dynodesk request", daemon=True).start()
    end = time.monotonic() + seconds
    while not future.done():
        ticket.checkpoint()
        left = end - time.monotonic()
        if left <= 0:
            raise OutOfTimeError
        try:
            return future.result(timeout=min(LOOK_EVERY, left))
        except TimeoutError:
            continue
    return future.result()
