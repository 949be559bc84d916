"""A Scan in several segments: every item once, in the same order every time, whatever it is stopped by."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dynodesk.domain.collections import View
from dynodesk.domain.errors import Throttled
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.parallel_scan import SegmentedReading, read_segments, reading_for
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.reading import EVERYTHING, Portion, Reading, read_portion
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan
from dynodesk.domain.values import String
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import READINGS, reading
from tests.helpers.virtual_clock import VirtualClock

VIEW = View(READINGS)
FOUR = ScanPlan("Readings", segments=4)
ALL = {(f"d-{device}", str(at)) for device in range(20) for at in range(10)}


@pytest.fixture
def reader() -> MemoryReader:
    reader = MemoryReader(READINGS)
    reader.put("Readings", *(reading(device, at) for device, at in sorted(ALL)))
    return reader


def new(plan: ReadPlan) -> Reading:
    return reading_for(plan, LoadedRows(VIEW))


def read_on(reader: MemoryReader, into: Reading, portion: Portion, ticket: Ticket | None = None) -> None:
    for page in into.portion(reader, into.cursor, portion, ticket or Ticket()):
        for insertion in into.rows.absorb(page.prepared):
            into.rows.insert(insertion)
        into.take(page.page)


def found(of: Reading) -> list[tuple[str, ...]]:
    return [tuple(part[1:] for part in entry.identity) for entry in of.rows.entries]


def test_only_a_scan_of_several_segments_has_them() -> None:
    assert isinstance(new(FOUR), SegmentedReading)
    for plan in (ScanPlan("Readings"), ScanPlan("Readings", segments=4, segment=1), QueryPlan("Readings", {})):
        assert not isinstance(new(plan), SegmentedReading)


def test_every_item_comes_once_and_in_the_same_order_every_time(reader: MemoryReader) -> None:
    orders = []
    for _ in range(3):
        whole = new(FOUR)
        read_on(reader, whole, Portion(EVERYTHING, page_items=7))
        assert whole.is_at_end
        assert not whole.has_more
        assert len(found(whole)) == len(ALL)
        assert set(found(whole)) == ALL
        orders.append(found(whole))
    assert orders[0] == orders[1] == orders[2]


def test_a_portion_is_never_exceeded_and_goes_on_exactly(reader: MemoryReader) -> None:
    parts = new(FOUR)
    for wanted in (50, 51, 101):
        read_on(reader, parts, Portion(wanted - len(found(parts))))
        assert parts.scanned == wanted
        assert parts.has_more
    read_on(reader, parts, Portion(EVERYTHING))
    assert not parts.has_more
    assert len(found(parts)) == len(ALL)
    assert set(found(parts)) == ALL


def test_fewer_items_than_segments(reader: MemoryReader) -> None:
    parts = new(ScanPlan("Readings", segments=16))
    read_on(reader, parts, Portion(3))
    assert parts.scanned == 3


def test_what_was_read_beside_a_failure_is_kept_and_the_rest_is_read_later(reader: MemoryReader) -> None:
    def refuse(plan: ReadPlan) -> None:
        if isinstance(plan, ScanPlan) and plan.segment == 1:
            raise Throttled("too much")

    parts = new(FOUR)
    reader.before_page = refuse
    with pytest.raises(Throttled):
        read_on(reader, parts, Portion(EVERYTHING))
    assert parts.has_more
    assert isinstance(parts, SegmentedReading)
    assert 1 in parts.unread
    assert 0 < len(found(parts)) < len(ALL)
    reader.before_page = lambda _plan: None
    read_on(reader, parts, Portion(EVERYTHING))
    assert len(found(parts)) == len(ALL)
    assert set(found(parts)) == ALL


def test_a_scan_that_was_stopped_goes_on(reader: MemoryReader) -> None:
    parts, ticket = new(FOUR), Ticket()
    pages = parts.portion(reader, None, Portion(EVERYTHING, page_items=5), ticket)
    for _ in range(3):
        page = next(pages)
        parts.rows.absorb(page.prepared)
        parts.take(page.page)
    ticket.cancel()
    with pytest.raises(Cancelled):
        next(pages)
    read_on(reader, parts, Portion(EVERYTHING))
    assert len(found(parts)) == len(ALL)
    assert set(found(parts)) == ALL


@pytest.mark.parametrize("segments", [1, 4])
def test_a_rate_is_kept_to(reader: MemoryReader, segments: int) -> None:
    clock, portion = VirtualClock(), Portion(EVERYTHING, page_items=5, rate=Decimal(2))
    plan = ScanPlan("Readings", segments=segments)
    if segments == 1:
        pages = list(read_portion(reader, plan, VIEW, None, portion, Ticket(), clock))
    else:
        pages = list(read_segments(reader, plan, VIEW, dict.fromkeys(range(segments)), portion, Ticket(), clock))
    units = sum((page.page.units or Decimal(0) for page in pages), Decimal(0))
    last_round = Decimal("0.5") * segments
    assert clock.now() >= float((units - last_round) / 2) > 0


def test_a_key_is_in_the_reader_as_it_was_put(reader: MemoryReader) -> None:
    whole = new(QueryPlan("Readings", {"device": String("d-3")}))
    read_on(reader, whole, Portion(EVERYTHING))
    assert len(found(whole)) == 10
