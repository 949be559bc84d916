"""Bytes to units, and the sums of a session."""

from __future__ import annotations

import threading
from decimal import Decimal

import pytest

from dynodesk.domain.capacity import Consistency, Consumed, Meter, read_units, write_units


@pytest.mark.parametrize(
    ("size", "consistency", "units"),
    [
        (0, "eventual", "0.5"),
        (0, "strong", "1"),
        (0, "transactional", "2"),
        (1, "strong", "1"),
        (4096, "strong", "1"),
        (4097, "strong", "2"),
        (4097, "eventual", "1"),
        (4097, "transactional", "4"),
        (3 * 4096, "eventual", "1.5"),
        (1024 * 1024, "eventual", "128"),
        (400 * 1024, "transactional", "200"),
    ],
)
def test_read_units(size: int, consistency: Consistency, units: str) -> None:
    assert read_units(size, consistency) == Decimal(units)


@pytest.mark.parametrize(
    ("size", "transactional", "units"),
    [(0, False, 1), (1024, False, 1), (1025, False, 2), (1, True, 2), (3 * 1024, True, 6), (400 * 1024, False, 400)],
)
def test_write_units(size: int, *, transactional: bool, units: int) -> None:
    assert write_units(size, transactional=transactional) == units


def test_a_like_costs_more_where_the_parent_is_large() -> None:
    def like(parent: int) -> int:
        return write_units(200, transactional=True) + write_units(parent, transactional=True)

    assert like(1024) == 4
    assert like(3 * 1024) == 8


def consumed(table: str, index: str, units: str, operation: str = "Query") -> Consumed:
    return Consumed(operation, table, index, Decimal(units))


def test_a_meter_sums_by_operation_table_and_index() -> None:
    meter = Meter()
    assert (meter.total, meter.calls, meter.parts()) == (Decimal(0), 0, ())
    meter.called((consumed("B", "", "0.5"), consumed("B", "by user", "1.5")))
    meter.called((consumed("B", "", "1"),))
    meter.called((consumed("A", "", "2", "Scan"),))
    meter.called(())
    assert meter.calls == 4
    assert meter.total == 5
    assert meter.parts() == (
        consumed("B", "", "1.5"),
        consumed("B", "by user", "1.5"),
        consumed("A", "", "2", "Scan"),
    )


def test_a_part_counts_for_the_whole_too() -> None:
    session = Meter()
    run = Meter(session)
    session.called((consumed("A", "", "1"),))
    run.called((consumed("A", "", "0.5"),))
    assert (run.total, run.calls) == (Decimal("0.5"), 1)
    assert (session.total, session.calls) == (Decimal("1.5"), 2)


def test_many_threads_lose_nothing() -> None:
    meter = Meter(Meter())

    def calls() -> None:
        for _ in range(500):
            meter.called((consumed("A", "", "0.5"),))

    threads = [threading.Thread(target=calls) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (meter.calls, meter.total) == (4000, Decimal(2000))


def test_calls_sent_again_are_counted_by_reason_in_the_part_and_the_whole() -> None:
    whole = Meter()
    part = Meter(whole)
    for reason in ("throttled", "damaged", "throttled"):
        part.retried(reason)
    whole.retried("failed")
    assert part.retries == {"throttled": 2, "damaged": 1}
    assert whole.retries == {"throttled": 2, "damaged": 1, "failed": 1}
    assert whole.calls == 0
