"""Work keeps to its rate and its budget, and a pause earns nothing."""

from __future__ import annotations

import threading
from decimal import Decimal

import pytest

from dynodesk.domain.capacity import Consumed, Meter
from dynodesk.domain.clock import Clock
from dynodesk.domain.pacing import BudgetSpent, Limits, Pace
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from tests.helpers.virtual_clock import VirtualClock


def spend(meter: Meter, units: str) -> None:
    meter.called((Consumed("Scan", "T", "", Decimal(units)),))


def test_the_budget_ends_the_work() -> None:
    meter = Meter()
    pace = Pace(meter, Limits(max_units=Decimal(2)), VirtualClock())
    pace.before_next(Ticket())
    spend(meter, "2")
    with pytest.raises(BudgetSpent):
        pace.before_next(Ticket())


def test_the_rate_is_kept_to() -> None:
    clock: Clock = VirtualClock()
    start, meter = clock.now(), Meter()
    pace = Pace(meter, Limits(rate=Decimal(2)), clock)
    spend(meter, "10")
    pace.before_next(Ticket())
    assert clock.now() - start == 5


class ResumingTicket(Ticket):
    """Its pause lasts a minute of a clock that is not the real one."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock

    def wait_while_paused(self) -> None:
        self._clock.sleep(60, Ticket())
        self.resume()


def test_the_time_of_a_pause_earns_no_units() -> None:
    clock = VirtualClock()
    start, meter = clock.now(), Meter()
    pace = Pace(meter, Limits(rate=Decimal(2)), clock)
    spend(meter, "10")
    ticket = ResumingTicket(clock)
    ticket.pause()
    pace.before_next(ticket)
    assert clock.now() - start == 65


def test_a_pause_holds_reads_and_their_parts_until_it_is_over() -> None:
    ticket = Ticket()
    part = Ticket(part_of=ticket)
    pace = Pace(Meter(), Limits(), VirtualClock())
    ticket.pause()
    assert part.paused
    went_on = threading.Event()

    def read() -> None:
        pace.before_next(part)
        went_on.set()

    reading = threading.Thread(target=read)
    reading.start()
    assert not went_on.wait(0.1)
    ticket.resume()
    assert went_on.wait(30)
    reading.join()


def test_a_pause_ends_when_the_work_is_cancelled() -> None:
    ticket = Ticket()
    ticket.pause()
    threading.Timer(0.05, ticket.cancel).start()
    with pytest.raises(Cancelled):
        Pace(Meter(), Limits(), VirtualClock()).before_next(ticket)


def test_what_has_arrived_is_worked_on_during_a_pause() -> None:
    said: list[Progress] = []
    ticket = Ticket(said.append)
    ticket.pause()
    ticket.checkpoint(Progress(1))
    assert said == [Progress(1)]
