"""What a reader owes its callers, held against two emulators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from dynodesk.aws.clients import open_clients
from dynodesk.aws.reader import DynamoReader
from dynodesk.domain.capacity import Consumed, Meter
from dynodesk.domain.errors import InvalidRequest, TableMissing
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.reads import Page, QueryPlan, ScanPlan, SortCondition
from dynodesk.domain.tables import Key
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    Item,
    KeyValue,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
    order,
)
from tests.aws.tables import likes, make_table, plain_client, profile, unique
from tests.faults.proxy import FaultProxy, Rewrite


@pytest.fixture(scope="module")
def client(endpoint: str) -> Any:
    return plain_client(endpoint)


@pytest.fixture(scope="module")
def shared_reader(endpoint: str) -> Iterator[DynamoReader]:
    clients = open_clients(profile(endpoint))
    yield DynamoReader(clients, Meter())
    clients.close()


@pytest.fixture
def dynamo(shared_reader: DynamoReader) -> DynamoReader:
    """A reader without a proxy before the emulator."""
    return shared_reader


def items(pages: Iterator[Page]) -> list[Item]:
    return [item for page in pages for item in page.items]


def text(item: Item, name: str) -> str:
    value = item[name]
    assert isinstance(value, String)
    return value.text


@pytest.mark.parametrize("page_limit", [1, 7, 30, 31, None])
def test_pages_join_into_every_item_once(dynamo: DynamoReader, client: Any, page_limit: int | None) -> None:
    table = make_table(client, [*likes(30), *likes(5, "POST#b")])
    scanned = items(dynamo.scan(ScanPlan(table, page_limit=page_limit), Ticket()))
    assert sorted((text(item, "PK"), text(item, "SK")) for item in scanned) == sorted(
        (item["PK"]["S"], item["SK"]["S"]) for item in [*likes(30), *likes(5, "POST#b")]
    )
    queried = items(dynamo.query(QueryPlan(table, {"PK": String("POST#a91f")}, page_limit=page_limit), Ticket()))
    assert [text(item, "SK") for item in queried] == [f"LIKE#{n:04}" for n in range(30)]


def test_a_page_says_how_it_came_to_be(dynamo: DynamoReader, client: Any) -> None:
    table = make_table(client, likes(10))
    pages = list(dynamo.query(QueryPlan(table, {"PK": String("POST#a91f")}, page_limit=4), Ticket()))
    assert [page.scanned for page in pages] == [4, 4, 2]
    assert pages[0].cursor == {"PK": String("POST#a91f"), "SK": String("LIKE#0003")}
    assert pages[-1].cursor is None
    assert all(page.units is not None and page.units > 0 and page.seconds > 0 for page in pages)


def test_a_read_goes_on_from_a_cursor(dynamo: DynamoReader, client: Any) -> None:
    table = make_table(client, likes(10))
    plan = QueryPlan(table, {"PK": String("POST#a91f")}, page_limit=4)
    first = next(dynamo.query(plan, Ticket()))
    rest = items(dynamo.query(plan, Ticket(), first.cursor))
    assert [text(item, "SK") for item in (*first.items, *rest)] == [f"LIKE#{n:04}" for n in range(10)]


def test_pages_by_the_size_of_what_they_hold(dynamo: DynamoReader, client: Any) -> None:
    big = [{"PK": {"S": "big"}, "SK": {"S": str(n)}, "b": {"S": "x" * 300_000}} for n in range(8)]
    table = make_table(client, big)
    pages = list(dynamo.query(QueryPlan(table, {"PK": String("big")}), Ticket()))
    assert len(pages) > 1
    assert [text(item, "SK") for page in pages for item in page.items] == [str(n) for n in range(8)]


def test_only_as_many_items_are_read_as_asked_for(dynamo: DynamoReader, client: Any) -> None:
    table = make_table(client, likes(30))
    page = next(dynamo.scan(ScanPlan(table, page_limit=10), Ticket()))
    assert len(page.items) == page.scanned == 10
    assert page.cursor is not None


def test_the_other_way_round(dynamo: DynamoReader, client: Any) -> None:
    table = make_table(client, likes(5))
    found = items(dynamo.query(QueryPlan(table, {"PK": String("POST#a91f")}, descending=True, page_limit=2), Ticket()))
    assert [text(item, "SK") for item in found] == [f"LIKE#{n:04}" for n in (4, 3, 2, 1, 0)]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (SortCondition("=", String("LIKE#0002")), [2]),
        (SortCondition("<", String("LIKE#0002")), [0, 1]),
        (SortCondition("<=", String("LIKE#0002")), [0, 1, 2]),
        (SortCondition(">", String("LIKE#0002")), [3, 4]),
        (SortCondition(">=", String("LIKE#0002")), [2, 3, 4]),
        (SortCondition("between", String("LIKE#0001"), String("LIKE#0003")), [1, 2, 3]),
        (SortCondition("begins_with", String("LIKE#000")), [0, 1, 2, 3, 4]),
    ],
    ids=lambda condition: condition.operator if isinstance(condition, SortCondition) else "",
)
def test_ranges(dynamo: DynamoReader, client: Any, condition: SortCondition, expected: list[int]) -> None:
    table = make_table(client, likes(5))
    plan = QueryPlan(table, {"PK": String("POST#a91f")}, sort=condition, sort_name="SK")
    assert [item["n"] for item in items(dynamo.query(plan, Ticket()))] == [Number(str(n)) for n in expected]


AWKWARD_KEYS = [
    "plain",
    "with#hash",
    "'single' and \"double\"",
    "back\\slash",
    "new\nline\ttab",
    "nul\0byte",
    " spaces around ",
    "percent%20|pipe/slash:colon",
    "é composed",
    "e\u0301 decomposed",
    "😀 beyond the basic plane",
    "\uffff",
    "\u202eright to left",
    "0",
]


def test_one_item_by_its_key_is_a_page_of_one(dynamo: DynamoReader, client: Any) -> None:
    table = make_table(client, likes(3))
    there, gone = (
        QueryPlan(table, {"PK": String("POST#a91f")}, SortCondition("=", String(sort)), "SK", by_key=True)
        for sort in ("LIKE#0001", "LIKE#0009")
    )
    (page,) = dynamo.query(there, Ticket())
    assert ([item["n"] for item in page.items], page.scanned, page.cursor) == ([Number("1")], 1, None)
    (page,) = dynamo.query(replace(there, attributes=("n",)), Ticket())
    assert page.items == ({"n": Number("1")},)
    (page,) = dynamo.query(gone, Ticket())
    assert (page.items, page.scanned, page.cursor) == ((), 0, None)


def test_awkward_keys_in_table_order(dynamo: DynamoReader, client: Any) -> None:
    table = make_table(client, [{"PK": {"S": "p#'\"\0"}, "SK": {"S": key}} for key in AWKWARD_KEYS])
    found = items(dynamo.query(QueryPlan(table, {"PK": String("p#'\"\0")}, page_limit=3), Ticket()))
    assert [text(item, "SK") for item in found] == sorted(AWKWARD_KEYS, key=lambda key: order(String(key)))
    for key in AWKWARD_KEYS:
        wanted: Key = {"PK": String("p#'\"\0"), "SK": String(key)}
        assert dynamo.get(table, wanted) == wanted


NUMBERS = [
    "-99999999999999999999999999999999999999",
    "-1",
    "0",
    "1E-130",
    "0.1",
    "9",
    "10",
    "9007199254740993",
    "1E125",
]


def test_number_keys_in_order_of_their_value(dynamo: DynamoReader, client: Any) -> None:
    rows = [{"PK": {"S": "p"}, "SK": {"N": number}} for number in reversed(NUMBERS)]
    table = make_table(client, rows, keys={"PK": "S", "SK": "N"})
    found = items(dynamo.query(QueryPlan(table, {"PK": String("p")}, page_limit=2), Ticket()))
    assert [item["SK"] for item in found] == [Number(number) for number in NUMBERS]


def test_binary_keys(dynamo: DynamoReader, client: Any) -> None:
    blobs = [b"\x00", b"\x00\x01", b"\x7f", b"\x80", b"\xff"]
    table = make_table(
        client, [{"PK": {"B": b"\xfe"}, "SK": {"B": blob}} for blob in blobs], keys={"PK": "B", "SK": "B"}
    )
    found = items(dynamo.query(QueryPlan(table, {"PK": Binary(b"\xfe")}, page_limit=2), Ticket()))
    assert [item["SK"] for item in found] == [Binary(blob) for blob in blobs]
    assert dynamo.get(table, {"PK": Binary(b"\xfe"), "SK": Binary(b"\x80")}) is not None


ZOO: dict[str, Any] = {
    "PK": {"S": "zoo"},
    "SK": {"S": "1"},
    "digits38": {"N": "12345678901234567890123456789012345678"},
    "small": {"N": "1E-130"},
    "large": {"N": "9.9999999999999999999999999999999999999E+125"},
    "beyond2to53": {"N": "9007199254740993"},
    "fraction": {"N": "0.1"},
    "s": {"S": "\0é"},
    "empty": {"S": ""},
    "b": {"B": b"\x00\xff"},
    "emptyB": {"B": b""},
    "t": {"BOOL": True},
    "f": {"BOOL": False},
    "z": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": [b"\x01", b"\x02"]},
    "l": {"L": [{"N": "1"}, {"L": []}]},
    "m": {"M": {"a.b": {"B": b"deep"}, "e": {"M": {}}}},
}


def test_every_type_comes_back_exactly(dynamo: DynamoReader, client: Any) -> None:
    table = make_table(client, [ZOO])
    expected: Item = {
        "PK": String("zoo"),
        "SK": String("1"),
        "digits38": Number("12345678901234567890123456789012345678"),
        "small": Number("1E-130"),
        "large": Number("9.9999999999999999999999999999999999999E+125"),
        "beyond2to53": Number("9007199254740993"),
        "fraction": Number("0.1"),
        "s": String("\0é"),
        "empty": String(""),
        "b": Binary(b"\x00\xff"),
        "emptyB": Binary(b""),
        "t": Boolean(value=True),
        "f": Boolean(value=False),
        "z": Null(),
        "ss": StringSet(("a", "b")),
        "ns": NumberSet((Number("1"), Number("2.5"))),
        "bs": BinarySet((b"\x01", b"\x02")),
        "l": List((Number("1"), List(()))),
        "m": Map({"a.b": Binary(b"deep"), "e": Map({})}),
    }
    key: Key = {"PK": String("zoo"), "SK": String("1")}
    assert dynamo.get(table, key, consistent=True) == expected
    assert items(dynamo.scan(ScanPlan(table), Ticket())) == [expected]
    assert dynamo.batch_get(table, [key], Ticket()) == [expected]
    assert dynamo.transact_get([(table, key)], Ticket()) == (expected,)


def test_chosen_attributes_whatever_their_names(dynamo: DynamoReader, client: Any) -> None:
    row = {"PK": {"S": "p"}, "SK": {"S": "1"}, "count": {"N": "1"}, "a.b": {"N": "2"}, "a": {"N": "3"}, "x": {"N": "4"}}
    table = make_table(client, [row])
    chosen = ("count", "a.b", "PK")
    expected: list[Item] = [{"count": Number("1"), "a.b": Number("2"), "PK": String("p")}]
    assert items(dynamo.scan(ScanPlan(table, attributes=chosen), Ticket())) == expected
    assert items(dynamo.query(QueryPlan(table, {"PK": String("p")}, attributes=chosen), Ticket())) == expected


def test_a_key_whose_name_is_a_reserved_word(dynamo: DynamoReader, client: Any) -> None:
    table = make_table(client, [{"name": {"S": "p"}, "size.of": {"N": "1"}}], keys={"name": "S", "size.of": "N"})
    plan = QueryPlan(table, {"name": String("p")}, sort=SortCondition(">", Number("0")), sort_name="size.of")
    assert len(items(dynamo.query(plan, Ticket()))) == 1


def test_pages_of_an_index_whose_keys_are_all_equal(dynamo: DynamoReader, client: Any) -> None:
    rows = [{"PK": {"S": f"id{n}"}, "SK": {"S": "x"}, "kind": {"S": "widget"}} for n in range(50)]
    table = make_table(client, rows, index={"kind": "S"})
    plan = QueryPlan(table, {"kind": String("widget")}, index="GSI1", page_limit=10)
    pages = list(dynamo.query(plan, Ticket()))
    found = [text(item, "PK") for page in pages for item in page.items]
    assert len(found) == len(set(found)) == 50
    assert [len(page.items) for page in pages[:5]] == [10] * 5
    assert set(pages[0].cursor or ()) == {"PK", "SK", "kind"}


def test_a_scan_of_an_index_skips_items_without_its_key(dynamo: DynamoReader, client: Any) -> None:
    rows = [{"PK": {"S": "a"}, "SK": {"S": "1"}, "kind": {"S": "x"}}, {"PK": {"S": "a"}, "SK": {"S": "2"}}]
    table = make_table(client, rows, index={"kind": "S"})
    found = items(dynamo.scan(ScanPlan(table, index="GSI1"), Ticket()))
    assert [text(item, "SK") for item in found] == ["1"]


def test_what_does_not_exist_is_none(dynamo: DynamoReader, client: Any) -> None:
    table = make_table(client, likes(2))
    absent: Key = {"PK": String("POST#a91f"), "SK": String("nobody")}
    assert dynamo.get(table, absent) is None
    assert dynamo.transact_get([(table, absent)], Ticket()) == (None,)
    assert items(dynamo.query(QueryPlan(table, {"PK": String("nobody")}), Ticket())) == []


def test_a_batch_keeps_the_order_of_its_keys(dynamo: DynamoReader, client: Any) -> None:
    table = make_table(client, likes(230))
    wanted: list[Key] = [
        {"PK": String("POST#a91f"), "SK": String(f"LIKE#{n:04}")} for n in [*range(229, -1, -1), 5, 5, 9999]
    ]
    found = dynamo.batch_get(table, wanted, Ticket(), consistent=True)
    assert [item and item["SK"] for item in found] == [*(key["SK"] for key in wanted[:-1]), None]


def test_no_keys_no_items(dynamo: DynamoReader) -> None:
    assert dynamo.batch_get("no-such-table", [], Ticket()) == []
    assert dynamo.transact_get([], Ticket()) == ()


def test_a_table_that_does_not_exist(dynamo: DynamoReader) -> None:
    missing = unique("missing")
    key: Key = {"PK": String("a"), "SK": String("b")}
    with pytest.raises(TableMissing, match=missing):
        dynamo.get(missing, key)
    with pytest.raises(TableMissing):
        next(dynamo.scan(ScanPlan(missing), Ticket()))
    with pytest.raises(TableMissing):
        dynamo.batch_get(missing, [key], Ticket())
    with pytest.raises(TableMissing):
        dynamo.transact_get([(missing, key)], Ticket())


def test_a_snapshot_across_tables(dynamo: DynamoReader, client: Any) -> None:
    one, other = make_table(client, likes(2)), make_table(client, likes(2, "POST#b"))
    first: Key = {"PK": String("POST#a91f"), "SK": String("LIKE#0001")}
    second: Key = {"PK": String("POST#b"), "SK": String("LIKE#0000")}
    found = dynamo.transact_get([(one, first), (other, second), (one, second)], Ticket())
    assert [item and item["PK"] for item in found] == [String("POST#a91f"), String("POST#b"), None]


@pytest.mark.parametrize("count", [2, 101])
def test_a_snapshot_that_the_service_would_refuse(dynamo: DynamoReader, count: int) -> None:
    same: KeyValue = String("same")
    keys: list[tuple[str, Key]] = [("T", {"PK": same if count == 2 else String(str(n))}) for n in range(count)]
    with pytest.raises(InvalidRequest):
        dynamo.transact_get(keys, Ticket())


# -------------------------------------------------------------------------- what takes a proxy to see, on one emulator


def test_numbers_that_are_equal_are_one_key(reader: DynamoReader, proxy: FaultProxy, ministack: str) -> None:
    table = make_table(plain_client(ministack), [{"id": {"N": "1"}}], keys={"id": "N"})
    found = reader.batch_get(table, [{"id": Number("1")}, {"id": Number("1.0")}, {"id": Number("10E-1")}], Ticket())
    assert found == [{"id": Number("1")}] * 3
    assert proxy.bodies[0][1]["RequestItems"][table]["Keys"] == [{"id": {"N": "1"}}]


def test_batches_of_a_hundred(reader: DynamoReader, proxy: FaultProxy, ministack: str) -> None:
    table = make_table(plain_client(ministack), likes(3))
    reader.batch_get(table, [{"PK": String("POST#a91f"), "SK": String(str(n))} for n in range(201)], Ticket())
    assert [len(body["RequestItems"][table]["Keys"]) for _, body in proxy.bodies] == [100, 100, 1]


def saying(consumption: object) -> Rewrite:
    """The same reply, but it says what it consumed: emulators do so for some operations only."""
    return Rewrite(lambda body: body.update(ConsumedCapacity=consumption))


def test_units_are_summed_over_pages_by_table_and_index(
    reader: DynamoReader, proxy: FaultProxy, meter: Meter, ministack: str
) -> None:
    rows = [{**item, "kind": {"S": "like"}} for item in likes(3)]
    table = make_table(plain_client(ministack), rows, index={"kind": "S"})
    proxy.always("Query", saying({"TableName": table, "CapacityUnits": 128.5, "ReadCapacityUnits": 0}))
    pages = list(reader.query(QueryPlan(table, {"PK": String("POST#a91f")}, page_limit=1), Ticket()))
    assert len(pages) >= 3
    assert {page.units for page in pages} == {Decimal("128.5")}
    assert meter.parts() == (Consumed("Query", table, "", Decimal("128.5") * len(pages)),)
    assert meter.total == Decimal("128.5") * len(pages)


def test_the_parts_of_a_session(reader: DynamoReader, proxy: FaultProxy, meter: Meter, ministack: str) -> None:
    rows = [{**item, "kind": {"S": "like"}} for item in likes(3)]
    table = make_table(plain_client(ministack), rows, index={"kind": "S"})
    key: Key = {"PK": String("POST#a91f"), "SK": String("LIKE#0001")}
    for operation in ("BatchGetItem", "TransactGetItems"):
        proxy.always(operation, saying([{"TableName": table, "CapacityUnits": 2}]))
    reader.get(table, key)
    list(reader.query(QueryPlan(table, {"kind": String("like")}, index="GSI1"), Ticket()))
    reader.transact_get([(table, key)], Ticket())
    reader.batch_get(table, [key], Ticket())
    assert meter.calls == 4
    assert [(part.operation, part.table, part.index) for part in meter.parts()] == [
        ("BatchGetItem", table, ""),
        ("GetItem", table, ""),
        ("Query", table, "GSI1"),
        ("TransactGetItems", table, ""),
    ]


def test_consistency_is_asked_for_only_when_wanted(reader: DynamoReader, proxy: FaultProxy, ministack: str) -> None:
    table = make_table(plain_client(ministack), likes(1))
    key: Key = {"PK": String("POST#a91f"), "SK": String("LIKE#0000")}
    for consistent in (False, True):
        proxy.clear()
        reader.get(table, key, consistent=consistent)
        reader.batch_get(table, [key], Ticket(), consistent=consistent)
        list(reader.scan(ScanPlan(table, consistent=consistent), Ticket()))
        list(reader.query(QueryPlan(table, {"PK": String("POST#a91f")}, consistent=consistent), Ticket()))
        asked = [body["RequestItems"][table] if "RequestItems" in body else body for _, body in proxy.bodies]
        assert [body["ConsistentRead"] for body in asked] == [consistent] * 4


def test_no_page_is_fetched_after_a_cancel(reader: DynamoReader, proxy: FaultProxy, ministack: str) -> None:
    table = make_table(plain_client(ministack), likes(6))
    ticket = Ticket()
    pages = reader.scan(ScanPlan(table, page_limit=2), ticket)
    next(pages)
    ticket.cancel()
    with pytest.raises(Cancelled):
        next(pages)
    assert proxy.counts["Scan"] == 1


def test_no_page_is_fetched_before_it_is_wanted(reader: DynamoReader, proxy: FaultProxy, ministack: str) -> None:
    table = make_table(plain_client(ministack), likes(6))
    pages = reader.scan(ScanPlan(table, page_limit=2), Ticket())
    assert proxy.counts["Scan"] == 0
    next(pages)
    assert proxy.counts["Scan"] == 1
