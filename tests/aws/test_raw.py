"""Raw pages hold exactly what a reader of items reads, and are asked for in the same words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.raw import RawPages
from dynodesk.aws.reader import DynamoReader
from dynodesk.domain.bulk import RawPage
from dynodesk.domain.capacity import Consumed, Meter
from dynodesk.domain.errors import InvalidRequest, TableMissing
from dynodesk.domain.item_json import item_from_dynamodb
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition
from dynodesk.domain.values import Item, Number, String
from tests.aws.tables import likes, make_table, plain_client, profile, unique
from tests.aws.test_reader import ZOO
from tests.faults.proxy import JSON, Exchange, Fault, FaultProxy, Reply, Rewrite
from tests.helpers.raw_pages import texts_of

PARTITION = {"PK": String("POST#a91f")}


@pytest.fixture(scope="module")
def connected(endpoint: str) -> Iterator[Clients]:
    clients = open_clients(profile(endpoint))
    yield clients
    clients.close()


@pytest.fixture(scope="module")
def pages(connected: Clients) -> Iterator[RawPages]:
    raw = RawPages(connected, Meter())
    yield raw
    raw.close()


@pytest.fixture(scope="module")
def table(endpoint: str) -> str:
    rows = [{**row, "kind": {"S": "even" if n % 2 else "odd"}} for n, row in enumerate(likes(23))]
    return make_table(plain_client(endpoint), [*rows, *likes(9, "POST#b"), ZOO], index={"kind": "S", "SK": "S"})


def items(raw: Iterator[RawPage]) -> list[Item]:
    return [item_from_dynamodb(item) for page in raw for item in map(json.loads, texts_of(page))]


def key(row: dict[str, Any]) -> tuple[str, str]:
    return row["PK"]["S"], row["SK"]["S"]


def in_range(operator: Any, low: str, high: str | None = None) -> QueryPlan:
    condition = SortCondition(operator, String(low), String(high) if high else None)
    return QueryPlan("", PARTITION, sort=condition, sort_name="SK", page_limit=4)


PLANS: dict[str, ReadPlan] = {
    "scan": ScanPlan(""),
    "scan, pages of one": ScanPlan("", page_limit=1),
    "scan, pages of seven": ScanPlan("", page_limit=7),
    "scan, consistent": ScanPlan("", page_limit=10, consistent=True),
    "scan of an index": ScanPlan("", index="GSI1", page_limit=5),
    "scan, chosen attributes": ScanPlan("", attributes=("n", "m", "no such")),
    "query": QueryPlan("", PARTITION),
    "query, pages of four": QueryPlan("", PARTITION, page_limit=4, consistent=True),
    "query, the other way round": QueryPlan("", PARTITION, page_limit=4, descending=True),
    "query, chosen attributes": QueryPlan("", PARTITION, page_limit=4, attributes=("n", "PK")),
    "query of an index": QueryPlan("", {"kind": String("odd")}, index="GSI1", page_limit=3),
    "query that finds nothing": QueryPlan("", {"PK": String("nobody")}),
    "=": in_range("=", "LIKE#0007"),
    "<": in_range("<", "LIKE#0007"),
    "<=": in_range("<=", "LIKE#0007"),
    ">": in_range(">", "LIKE#0007"),
    ">=": in_range(">=", "LIKE#0007"),
    "between": in_range("between", "LIKE#0003", "LIKE#0012"),
    "begins_with": in_range("begins_with", "LIKE#001"),
}


@pytest.mark.parametrize("name", PLANS)
def test_the_pages_of_a_reader(connected: Clients, pages: RawPages, table: str, name: str) -> None:
    plan = replace(PLANS[name], table=table)
    reader = DynamoReader(connected, Meter())
    expected = list(reader.query(plan, Ticket()) if isinstance(plan, QueryPlan) else reader.scan(plan, Ticket()))
    found = list(pages.raw_pages(plan, Ticket()))
    assert [items(iter([page])) for page in found] == [list(page.items) for page in expected]
    assert [page.count for page in found] == [len(page.items) for page in expected]
    assert [(page.scanned, page.units) for page in found] == [(page.scanned, page.units) for page in expected]
    assert [page.cursor and item_from_dynamodb(json.loads(page.cursor)) for page in found] == [
        page.cursor for page in expected
    ]


def test_segments_share_a_table_among_them(pages: RawPages, table: str) -> None:
    parts = [
        [key(item) for page in segment for item in map(json.loads, texts_of(page))]
        for segment in (
            pages.raw_pages(ScanPlan(table, page_limit=3), Ticket(), segment=n, segments=4) for n in range(4)
        )
    ]
    together = [key(item) for item in [*likes(23), *likes(9, "POST#b"), ZOO]]
    assert sorted(each for part in parts for each in part) == sorted(together)


@pytest.mark.parametrize(
    "name", ["scan, pages of seven", "scan of an index", "query, pages of four", "query of an index"]
)
def test_a_read_goes_on_from_any_cursor(pages: RawPages, table: str, name: str) -> None:
    plan = replace(PLANS[name], table=table)
    whole = list(pages.raw_pages(plan, Ticket()))
    assert len(whole) > 3
    for at, page in enumerate(whole[:-1]):
        rest = items(pages.raw_pages(plan, Ticket(), start=page.cursor))
        assert rest == items(iter(whole[at + 1 :]))


def test_a_segment_goes_on_from_its_cursor(pages: RawPages, table: str) -> None:
    plan = ScanPlan(table, page_limit=2)
    for segment in range(3):
        whole = list(pages.raw_pages(plan, Ticket(), segment=segment, segments=3))
        for at, page in enumerate(whole[:-1]):
            rest = pages.raw_pages(plan, Ticket(), start=page.cursor, segment=segment, segments=3)
            assert items(rest) == items(iter(whole[at + 1 :]))


def test_numbers_keep_every_digit(pages: RawPages, table: str) -> None:
    (text,) = texts_of(next(pages.raw_pages(QueryPlan(table, {"PK": String("zoo")}), Ticket())))
    item = json.loads(text)
    for name in ("digits38", "beyond2to53", "fraction"):
        assert item[name] == ZOO[name]
        assert json.dumps(ZOO[name]["N"]).encode() in text
    assert item_from_dynamodb(item)["large"] == Number(ZOO["large"]["N"])


def test_a_table_that_does_not_exist(pages: RawPages) -> None:
    missing = unique("missing")
    with pytest.raises(TableMissing, match=missing):
        next(pages.raw_pages(ScanPlan(missing), Ticket()))


STARTS = [
    "",
    "null",
    "{}",
    "[]",
    "PK",
    '{"PK": "a"}',
    '{"PK": {"BOOL": true}}',
    '{"PK": {"S": "a"}, "PK": {"S": "b"}}',
    '{"PK": {"S": "a"}}, "TableName": "Other"',
    '{"PK": {"S": "a"}}}',
    '{"PK": {"S": "\\ud83d"}}',
    '{"PK": {"S": "\ud83d"}}',
    "[" * 100_000,
]


@pytest.mark.parametrize("start", STARTS, ids=lambda start: ascii(start)[:30])
def test_a_start_that_is_no_key_is_refused_at_once(raw: RawPages, proxy: FaultProxy, start: str) -> None:
    with pytest.raises(InvalidRequest, match="not a key"):
        raw.raw_pages(ScanPlan("any"), Ticket(), start=start)
    assert proxy.counts.total() == 0


@pytest.mark.parametrize(
    ("plan", "segment", "segments"),
    [
        (ScanPlan("any"), 4, 4),
        (ScanPlan("any"), -1, 4),
        (ScanPlan("any"), 0, 0),
        (ScanPlan("any"), 1, 1),
        (QueryPlan("any", PARTITION), 0, 2),
    ],
)
def test_segments_that_there_are_not(
    raw: RawPages, proxy: FaultProxy, plan: ReadPlan, segment: int, segments: int
) -> None:
    with pytest.raises(InvalidRequest, match="segment"):
        raw.raw_pages(plan, Ticket(), segment=segment, segments=segments)
    assert proxy.counts.total() == 0


def test_a_table_of_another_account_is_refused_at_once(raw: RawPages, proxy: FaultProxy) -> None:
    with pytest.raises(InvalidRequest, match="by their names alone"):
        raw.raw_pages(ScanPlan("arn:aws:dynamodb:eu-west-1:111122223333:table/Posts"), Ticket())
    assert proxy.counts.total() == 0


# -------------------------------------------------------------------------- what takes a proxy to see, on one emulator


class Pages(Fault):
    """Made-up replies, in their order; keeps the bytes of what was asked."""

    def __init__(self, *bodies: bytes) -> None:
        self.bodies = list(bodies)
        self.asked: list[bytes] = []

    def apply(self, exchange: Exchange) -> None:
        self.asked.append(exchange.body)
        body = self.bodies[len(self.asked) - 1]
        exchange.send(Reply(200, {"Content-Type": JSON}, body).head() + body)


CURSOR = '{ "PK":{"S":"caf\\u00e9 \\ud83d\\ude00 \\/"},\n "SK" : {"N":"1.50"} }'


def test_the_items_are_what_came_and_the_cursor_what_was_given(raw: RawPages, proxy: FaultProxy) -> None:
    items = ['{"é":{"N":"1.50"}}', '{ "e\\u0301" :\n{"S":"\\"}, {"}}']
    listed = " ,\t".join(items)
    first = f'{{"ScannedCount":3, "Count": 2,"LastEvaluatedKey":{CURSOR},"Items" : [ {listed} ]}}'.encode()
    last = b'{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":null}\n'
    script = Pages(first, last)
    proxy.always("Query", script)
    one, two = raw.raw_pages(QueryPlan("T", PARTITION, page_limit=3), Ticket())
    assert texts_of(one) == [item.encode() for item in items]
    assert (one.count, one.scanned, one.cursor, one.units) == (2, 3, CURSOR, None)
    assert (texts_of(two), two.count, two.scanned, two.cursor) == ([], 0, 0, None)
    assert one.received <= two.received
    assert one.received.endswith("Z")
    assert script.asked[1] == script.asked[0][:-1] + b',"ExclusiveStartKey":' + CURSOR.encode() + b"}"


@pytest.mark.parametrize("name", PLANS)
def test_a_request_is_in_the_words_of_the_client(
    raw: RawPages, reader: DynamoReader, proxy: FaultProxy, name: str
) -> None:
    plan = replace(PLANS[name], table="T")
    script = Pages(*[b'{"Items":[],"Count":0,"ScannedCount":0}'] * 2)
    for operation in ("Query", "Scan"):
        proxy.always(operation, script)
    list(raw.raw_pages(plan, Ticket()))
    list(reader.query(plan, Ticket()) if isinstance(plan, QueryPlan) else reader.scan(plan, Ticket()))
    assert script.asked[0] == script.asked[1]


def test_units_are_summed_by_table_and_index(raw: RawPages, proxy: FaultProxy, meter: Meter, ministack: str) -> None:
    table = make_table(plain_client(ministack), likes(6))
    said = {"TableName": table, "CapacityUnits": 128.5, "ReadCapacityUnits": 0}
    proxy.always("Scan", Rewrite(lambda body: body.update(ConsumedCapacity=said)))
    pages = list(raw.raw_pages(ScanPlan(table, page_limit=2), Ticket()))
    assert {page.units for page in pages} == {Decimal("128.5")}
    assert meter.parts() == (Consumed("Scan", table, "", Decimal("128.5") * len(pages)),)
    assert meter.calls == len(pages)


def test_a_page_is_fetched_when_it_is_wanted_and_none_after_a_cancel(
    raw: RawPages, proxy: FaultProxy, ministack: str
) -> None:
    table = make_table(plain_client(ministack), likes(6))
    ticket = Ticket()
    pages = raw.raw_pages(ScanPlan(table, page_limit=2), ticket)
    assert proxy.counts["Scan"] == 0
    next(pages)
    assert proxy.counts["Scan"] == 1
    ticket.cancel()
    with pytest.raises(Cancelled):
        next(pages)
    assert proxy.counts["Scan"] == 1
