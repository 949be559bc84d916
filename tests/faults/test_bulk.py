"""Every fault that a read of raw pages can meet: it is overcome, or it ends in an error. Never in a page."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Iterator
from itertools import islice
from typing import Any, Protocol

import pytest

from dynodesk.aws.calls import Calls, Patience, Patiences
from dynodesk.aws.clients import Clients
from dynodesk.aws.raw import RawPages
from dynodesk.domain.bulk import RawPage
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import (
    CannotConnect,
    CredentialsRefused,
    DamagedReply,
    DynodeskError,
    NotDynamoDB,
    TableMissing,
    Throttled,
)
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.domain.reads import QueryPlan, ScanPlan
from dynodesk.domain.values import String
from tests.aws.tables import likes, make_table, plain_client
from tests.faults.bulk import fill, read_through_faults
from tests.faults.proxy import JSON, THROTTLE, Answer, Cut, Drip, Drop, Fault, FaultProxy, Hang, Rewrite, error
from tests.faults.spoilt import ALL, HASTY, ZIPPED, EmptyPages, passing, registered
from tests.helpers.raw_pages import texts_of

PARTITION = {"PK": String("POST#a91f")}
COUNT = 30

WITHIN_ITEMS = {"two type tags", "unknown type", "broken Base64", "another partition"}
"""Damage that a right checksum comes with, and that only shows when items are taken apart."""


def items_are_no_objects(body: dict[str, Any]) -> None:
    body["Items"][3] = [body["Items"][3]]


def nothing_among_the_items(body: dict[str, Any]) -> None:
    body["Items"][0] = None


def raw_bytes(item: bytes) -> Answer:
    return Answer(200, b'{"Items":[%s],"Count":1,"ScannedCount":1}' % item)


MORE: dict[str, tuple[Fault, type[DynodeskError]]] = {
    "an item is a list": (Rewrite(items_are_no_objects), DamagedReply),
    "an item is null": (Rewrite(nothing_among_the_items), DamagedReply),
    "Items are null": (Answer(200, b'{"Items":null,"Count":0,"ScannedCount":0}'), DamagedReply),
    "not UTF-8 in a value": (raw_bytes(b'{"a":{"S":"\xff"}}'), DamagedReply),
    "not UTF-8 in a name": (raw_bytes(b'{"\xc0\x80":{"S":"a"}}'), DamagedReply),
    "a line break in a text": (raw_bytes(b'{"a":{"S":"\n"}}'), DamagedReply),
    "the other half of a surrogate pair": (raw_bytes(b'{"a":{"S":"\\udc00"}}'), DamagedReply),
    "two halves that are no pair": (raw_bytes(b'{"a":{"S":"\\ud83d\\u0041"}}'), DamagedReply),
    "an item is not a number": (raw_bytes(b'{"a":NaN}'), DamagedReply),
    "a comma too many": (raw_bytes(b'{"a":{"S":"a"},}'), DamagedReply),
    "an item nested without end": (raw_bytes(b'{"a":' + b"[" * 100_000), DamagedReply),
    "something after the end": (Answer(200, b'{"Items":[],"Count":0,"ScannedCount":0}{}'), DamagedReply),
    "Count is a fraction": (Answer(200, b'{"Items":[],"Count":0.0,"ScannedCount":0}'), DamagedReply),
    "ScannedCount too small": (Answer(200, b'{"Items":[{}],"Count":1,"ScannedCount":0}'), DamagedReply),
}
EVERY = {name: fault for name, fault in ALL.items() if name not in WITHIN_ITEMS} | MORE


class Hasty(Protocol):
    def __call__(self, meter: Meter | None = None, **more: Any) -> RawPages: ...


@pytest.fixture(scope="module")
def table(ministack: str) -> str:
    return make_table(plain_client(ministack), likes(COUNT))


@pytest.fixture
def hasty(clients: Clients) -> Iterator[Hasty]:
    """Makes readers that try as they always do, without the waits."""
    made: list[RawPages] = []

    def make(meter: Meter | None = None, **more: Any) -> RawPages:
        meter = meter or Meter()
        made.append(RawPages(clients, meter, Calls(clients, meter, **{"long": HASTY, **more})))
        return made[-1]

    yield make
    for pages in made:
        pages.close()


def plan(table: str) -> QueryPlan:
    return QueryPlan(table, PARTITION, page_limit=8)


def numbers(pages: list[RawPage]) -> list[int]:
    return [int(item["n"]["N"]) for page in pages for item in map(json.loads, texts_of(page))]


@pytest.mark.parametrize("name", EVERY)
def test_a_fault_that_stays_ends_in_an_error_and_no_page(
    hasty: Hasty, proxy: FaultProxy, table: str, name: str
) -> None:
    fault, expected = EVERY[name]
    proxy.always("Query", fault)
    pages: list[RawPage] = []
    with pytest.raises(DynodeskError) as raised:
        pages.extend(hasty().raw_pages(plan(table), Ticket()))
    assert type(raised.value) is expected
    assert pages == []
    assert raised.value.code in set(registered())
    assert raised.value.message
    assert raised.value.hint
    assert raised.value.written == "nothing"


@pytest.mark.parametrize("name", [name for name in [*passing(), *MORE] if name not in WITHIN_ITEMS])
def test_a_fault_that_passes_leaves_no_trace(hasty: Hasty, proxy: FaultProxy, table: str, name: str) -> None:
    proxy.on("Query", EVERY[name][0], nth=2)
    meter = Meter()
    assert numbers(list(hasty(meter).raw_pages(plan(table), Ticket()))) == list(range(COUNT))
    assert proxy.counts["Query"] == 5
    assert sum(meter.retries.values()) == 1


@pytest.mark.parametrize("name", ["denied", "no table", "web page", "redirect 307", "validation", "expired"])
def test_what_cannot_pass_is_not_tried_again(hasty: Hasty, proxy: FaultProxy, table: str, name: str) -> None:
    proxy.always("Query", EVERY[name][0])
    meter = Meter()
    with pytest.raises(DynodeskError):
        list(hasty(meter).raw_pages(plan(table), Ticket()))
    assert proxy.counts["Query"] == 1
    assert meter.retries == {}


def test_what_is_sent_again_is_counted_by_reason(hasty: Hasty, proxy: FaultProxy, table: str) -> None:
    meter = Meter()
    script = (THROTTLE, THROTTLE, Cut(), error("InternalServerError", 500), Drop())
    for at, fault in enumerate(script, start=2):
        proxy.on("Query", fault, nth=at)
    assert numbers(list(hasty(meter).raw_pages(plan(table), Ticket()))) == list(range(COUNT))
    assert meter.retries == {"throttled": 2, "damaged": 1, "failed": 1, "unreachable": 1}
    assert meter.calls == 4


def test_a_compressed_reply_is_read(hasty: Hasty, proxy: FaultProxy, table: str) -> None:
    proxy.always("Query", Answer(200, ZIPPED, {"Content-Type": JSON, "Content-Encoding": "gzip"}))
    (page,) = hasty().raw_pages(plan(table), Ticket())
    assert texts_of(page) == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(hasty: Hasty, proxy: FaultProxy, table: str, status: int) -> None:
    with FaultProxy(proxy.url) as elsewhere:
        proxy.always("Query", Answer(status, headers={"Location": f"{elsewhere.url}/"}))
        with pytest.raises((NotDynamoDB, CannotConnect)):
            list(hasty().raw_pages(plan(table), Ticket()))
        gc.collect()  # what urllib3 forgets of a 303 is forgotten here
        assert elsewhere.counts.total() == 0


def test_a_clock_that_is_wrong_is_shown_beside_the_right_one(hasty: Hasty, proxy: FaultProxy, table: str) -> None:
    date = {"Content-Type": JSON, "Date": "Tue, 05 Mar 2019 10:20:00 GMT"}
    proxy.always("Query", Answer(403, error("InvalidSignatureException").body, date))
    with pytest.raises(CredentialsRefused, match=r"clock is wrong: it says .* UTC, the service 2019-03-05 10:20 UTC"):
        list(hasty().raw_pages(plan(table), Ticket()))


@pytest.mark.parametrize(
    ("code", "member"),
    [
        ("ThrottlingException", "throttlingReasons"),
        ("ProvisionedThroughputExceededException", "ThrottlingReasons"),
        ("RequestLimitExceeded", "ThrottlingReasons"),
    ],
)
def test_what_support_needs_is_in_the_details(
    hasty: Hasty, proxy: FaultProxy, table: str, code: str, member: str
) -> None:
    reason = {"reason": "TableReadKeyRangeThroughputExceeded", "resource": "arn:aws:dynamodb:x:1:table/T"}
    proxy.always("Query", error(code, more={member: [reason]}))
    with pytest.raises(Throttled) as raised:
        list(hasty().raw_pages(plan(table), Ticket()))
    assert raised.value.details == (
        f"Query: {code} (HTTP 400), request REQUEST7; TableReadKeyRangeThroughputExceeded arn:aws:dynamodb:x:1:table/T"
    )


# --------------------------------------------------------------------------------------------- patience and cancelling


def test_a_throttled_scan_waits_and_keeps_its_place(
    raw: RawPages, proxy: FaultProxy, table: str, waits: list[float]
) -> None:
    proxy.on("Scan", THROTTLE, nth=2, times=20)
    reports: list[Progress] = []
    pages = list(raw.raw_pages(ScanPlan(table, page_limit=8), Ticket(reports.append)))
    assert numbers(pages) == list(range(COUNT))
    assert len(waits) == 20
    assert waits[-1] >= 2.5
    assert "Throttled: waiting for capacity" in {report.note for report in reports}
    starts = [body.get("ExclusiveStartKey") for operation, body in proxy.bodies if operation == "Scan"]
    assert all(start == starts[1] for start in starts[1:22])


@pytest.mark.parametrize(
    "fault", [THROTTLE, Drop(), Cut(), Hang()], ids=["throttled", "unreachable", "damaged", "hangs"]
)
def test_cancelling_ends_the_waiting(hasty: Hasty, proxy: FaultProxy, table: str, fault: Fault) -> None:
    long = Patience(tries=1000, seconds=600, first_wait=300, longest_wait=300)
    ticket = Ticket()
    pages = hasty(long=Patiences(long, long, long, long)).raw_pages(plan(table), ticket)
    next(pages)
    proxy.always("Query", fault)
    canceller = threading.Timer(0.2, ticket.cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        next(pages)
    canceller.join()
    assert proxy.counts["Query"] == 2


def test_a_reply_that_drips_runs_out_of_time(hasty: Hasty, proxy: FaultProxy, table: str) -> None:
    pages = hasty(seconds=0.5).raw_pages(plan(table), Ticket())
    next(pages)
    proxy.always("Query", Drip(0.05))
    with pytest.raises(CannotConnect, match=r"did not answer within 0\.5 seconds"):
        next(pages)


def test_an_endpoint_that_never_answered_gets_little_time(hasty: Hasty, proxy: FaultProxy, table: str) -> None:
    proxy.always("Query", Hang())
    with pytest.raises(CannotConnect, match=r"did not answer within 0\.3 seconds"):
        list(hasty(first_seconds=0.3).raw_pages(plan(table), Ticket()))
    assert proxy.counts["Query"] == 1


def test_a_table_deleted_while_it_is_read(raw: RawPages, proxy: FaultProxy, ministack: str) -> None:
    client: Any = plain_client(ministack)
    table = make_table(client, likes(4))
    pages = raw.raw_pages(ScanPlan(table, page_limit=2), Ticket())
    next(pages)
    client.delete_table(TableName=table)
    with pytest.raises(TableMissing):
        next(pages)


# ------------------------------------------------------------------------------------------------------------ cursors


def test_an_empty_page_is_not_the_end(hasty: Hasty, proxy: FaultProxy, table: str) -> None:
    proxy.always("Query", EmptyPages(lambda start: str(int(start or 0) + 1) if start != "300" else ""))
    pages = list(hasty().raw_pages(plan(table), Ticket()))
    assert len(pages) == 301
    assert all(page.count == 0 and page.scanned == 5 for page in pages)
    assert pages[-1].cursor is None


@pytest.mark.parametrize("circle", [1, 2, 3, 7])
def test_a_cursor_that_comes_back_is_an_error(hasty: Hasty, proxy: FaultProxy, table: str, circle: int) -> None:
    way_in = 5
    proxy.always("Query", EmptyPages(lambda start: str((int(start or 0) + 1 - way_in) % circle + way_in)))
    with pytest.raises(DamagedReply, match="cursor"):
        list(islice(hasty().raw_pages(plan(table), Ticket()), 1000))
    assert proxy.counts["Query"] <= 3 * (way_in + circle)


def test_a_cursor_that_is_the_start_is_an_error(hasty: Hasty, proxy: FaultProxy, table: str) -> None:
    start = '{ "SK":{"S":"same"}, "PK":{"S":"POST#a91f"} }'
    proxy.always("Query", EmptyPages(lambda _: "same"))
    with pytest.raises(DamagedReply, match="cursor"):
        list(hasty().raw_pages(plan(table), Ticket(), start=start))


# --------------------------------------------------------------------------------------------------------- in earnest


@pytest.mark.slow
def test_a_scan_in_segments_under_faults_has_every_item_once(ministack: str) -> None:
    figures = read_through_faults(ministack, fill(ministack, 4_000), 4_000, page_limit=20)
    assert (figures.missing, figures.repeated, figures.strange) == (0, 0, 0)
    assert figures.pages >= 200
    assert figures.requests == figures.pages + sum(figures.retries.values())
    assert figures.retries["throttled"] > figures.pages / 5
