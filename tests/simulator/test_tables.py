"""Half-visible transactions, holds, and copies that lag: what the service allows to happen, happens here."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from dynodesk.domain.errors import Busy, ConditionFailed, Throttled
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, ScanPlan
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Item, Number, String
from tests.simulator.reading import Network, SimulatedReader
from tests.simulator.tables import Conflict, Lags, Part, Service, Table
from tests.simulator.timeline import Steps, Timeline
from tests.simulator.writers import put_new, remove

INDEXED = TableInfo(
    "Events",
    KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "N"),)),
    (IndexInfo("ByKind", "GSI", KeySchema((KeyAttribute("kind", "S"),)), Projection("KEYS_ONLY")),),
)


def event(sort: int, **others: str) -> dict[str, String | Number]:
    return {"PK": String("p"), "SK": Number(str(sort)), **{name: String(text) for name, text in others.items()}}


def service_with(lags: Lags | None = None, capacity: float | None = None, seed: int = 0) -> tuple[Service, Table]:
    service = Service(Timeline(), random.Random(seed))
    return service, service.add(INDEXED, lags, capacity)


def reader_of(service: Service, network: Network | None = None) -> SimulatedReader:
    return SimulatedReader(service, network or Network(), service.chance)


def put(table: Table, item: dict[str, String | Number]) -> None:
    table.write(table.address({"PK": item["PK"], "SK": item["SK"]}), lambda _: item)


def sorts(items: Sequence[Item]) -> list[str]:
    return [value.text for item in items if isinstance(value := item["SK"], Number)]


def seen_through(reader: SimulatedReader, *, index: str | None = None, consistent: bool = False) -> list[str]:
    pages = reader.scan(ScanPlan("Events", index=index, consistent=consistent), Ticket())
    return sorts([item for page in pages for item in page.items])


def test_a_transaction_shows_part_by_part_and_holds_what_does_not_show_yet() -> None:
    halves = refused = 0
    for seed in range(50):
        service, table = service_with(seed=seed)
        addresses = [table.address(event(sort)) for sort in (1, 2)]
        parts: list[Part] = [(table, address, put_new(event(i))) for i, address in enumerate(addresses, 1)]
        reader = reader_of(service, Network(latency=lambda: 0.0))
        service.timeline.start(service.transact_write(parts, "token"))
        while service.timeline.step():
            there = [table.get(address) is not None for address in addresses]
            halves += any(there) and not all(there)
            for address, is_there in zip(addresses, there, strict=True):
                assert not (is_there and address in table.held)
            try:
                reader.transact_get([("Events", event(1)), ("Events", event(2))], Ticket())
            except Busy:
                refused += 1
                with pytest.raises(Conflict):
                    table.write(next(iter(table.held)), remove)
        assert all(table.get(address) is not None for address in addresses)
        assert not table.held
    assert halves >= 50
    assert refused >= 50


def test_a_transaction_whose_condition_fails_does_nothing() -> None:
    service, table = service_with()
    table.seed(event(2))
    parts: list[Part] = [(table, table.address(event(sort)), put_new(event(sort))) for sort in (1, 2)]
    service.timeline.start(service.transact_write(parts, "token"))
    with pytest.raises(ConditionFailed):
        service.timeline.advance(1.0)
    assert table.get(table.address(event(1))) is None
    assert not table.held


def test_a_token_works_once() -> None:
    service, table = service_with()
    parts: list[Part] = [(table, table.address(event(1)), put_new(event(1)))]
    for _ in range(2):
        service.timeline.start(service.transact_write(parts, "token"))
        service.timeline.advance(3.0)
    service.timeline.start(service.transact_write(parts, "another"))
    with pytest.raises(ConditionFailed):
        service.timeline.advance(3.0)


def test_copies_follow_in_their_own_time() -> None:
    service, table = service_with(Lags(index=lambda: 5.0, replica=lambda: 2.0, stream=lambda: 9.0))
    reader = reader_of(service, Network(latency=lambda: 0.0, key_gap=0.0))
    put(table, event(1, kind="like"))
    put(table, event(2))
    assert seen_through(reader, consistent=True) == ["1", "2"]
    assert seen_through(reader) == []
    service.timeline.advance(2.5)
    assert seen_through(reader) == ["1", "2"]
    assert seen_through(reader, index="ByKind") == []
    service.timeline.advance(3.0)
    assert seen_through(reader, index="ByKind") == ["1"]
    assert table.records() == []
    service.timeline.advance(4.0)
    assert [(record.old, record.new) for record in table.records()] == [
        (None, event(1, kind="like")),
        (None, event(2)),
    ]


def test_records_and_copies_keep_the_order_of_one_item() -> None:
    lags = iter((8.0, 1.0, 8.0, 1.0))
    service, table = service_with(Lags(replica=lambda: next(lags), stream=lambda: next(lags)))
    put(table, event(1, kind="old"))
    put(table, event(1, kind="new"))
    service.timeline.advance(9.0)
    assert table.replica.get(table.address(event(1))) == event(1, kind="new")
    assert [record.new for record in table.records()] == [event(1, kind="old"), event(1, kind="new")]
    arrivals = [record.arrives for record in table.records()]
    assert arrivals == sorted(arrivals)


def test_a_write_that_changes_nothing_leaves_no_record() -> None:
    _, table = service_with(Lags(stream=lambda: 0.0))
    table.seed(event(1))
    put(table, event(1))
    assert table.records() == []


def test_one_partition_is_throttled_and_recovers() -> None:
    service, table = service_with(capacity=3.0)
    for sort in range(3):
        put(table, event(sort))
    with pytest.raises(Throttled):
        put(table, event(3))
    put(table, {**event(4), "PK": String("another")})
    service.timeline.advance(0.5)
    put(table, event(3))


@pytest.mark.parametrize("descending", [False, True])
def test_pages_hold_every_key_once_in_order(descending: bool) -> None:
    service, table = service_with()
    table.seed(*(event(sort) for sort in range(23)), {**event(99), "PK": String("another")})
    reader = reader_of(service, Network(page_keys=4))
    plan = QueryPlan("Events", {"PK": String("p")}, consistent=True, descending=descending)
    pages = list(reader.query(plan, Ticket()))
    assert [len(page.items) for page in pages] == [4, 4, 4, 4, 4, 3]
    found = sorts([item for page in pages for item in page.items])
    assert found == [str(sort) for sort in (reversed(range(23)) if descending else range(23))]
    again = list(reader.query(plan, Ticket(), pages[1].cursor))
    assert [item for page in again for item in page.items] == [item for page in pages[2:] for item in page.items]


def test_a_page_is_no_snapshot() -> None:
    """The like lands behind the cursor, the unlike before it: one page that shows neither, which was never so."""
    never_was = 0
    for seed in range(200):
        service, table = service_with(seed=seed)
        table.seed(event(9))
        reader = reader_of(service, Network(page_keys=10, key_gap=0.5, latency=lambda: 0.1))

        def writes(table: Table = table) -> Steps:
            put(table, event(1))
            yield 0.0001
            table.write(table.address(event(9)), remove)

        table.seed(event(5))
        service.timeline.start(writes(), after=service.chance.uniform(0, 1.0))
        (page,) = reader.query(QueryPlan("Events", {"PK": String("p")}, consistent=True), Ticket())
        never_was += sorts(page.items) == ["5"]
    assert never_was > 0
