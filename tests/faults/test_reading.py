"""Every fault that a read can meet: it is overcome, or it ends in an error that says what to do. Never in a page."""

from __future__ import annotations

import gc
import threading
from itertools import islice
from typing import Any

import pytest

from dynodesk.aws.calls import Calls, Patience, Patiences
from dynodesk.aws.clients import Clients
from dynodesk.aws.reader import DynamoReader
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import (
    Busy,
    CannotConnect,
    CredentialsRefused,
    DamagedReply,
    DynodeskError,
    NotAllowed,
    NotDynamoDB,
    ServiceFailed,
    TableMissing,
    Throttled,
)
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.domain.reads import Page, QueryPlan, ScanPlan
from dynodesk.domain.values import Number, String
from tests.aws.tables import likes, make_table, plain_client
from tests.faults.proxy import (
    JSON,
    THROTTLE,
    Answer,
    Cut,
    Drip,
    Drop,
    Fault,
    FaultProxy,
    Hang,
    Rewrite,
    error,
)
from tests.faults.spoilt import (
    ALL,
    HASTY,
    ZIPPED,
    EmptyPages,
    passing,
    registered,
    two_type_tags,
)

PARTITION = {"PK": String("POST#a91f")}
COUNT = 30


@pytest.fixture(scope="module")
def table(ministack: str) -> str:
    return make_table(plain_client(ministack), likes(COUNT))


def plan(table: str) -> QueryPlan:
    return QueryPlan(table, PARTITION, page_limit=8)


def numbers(pages: list[Page]) -> list[int]:
    return [int(number.text) for page in pages for item in page.items if isinstance(number := item["n"], Number)]


def test_one_reply_cut_in_the_middle_of_a_query_page(reader: DynamoReader, proxy: FaultProxy, table: str) -> None:
    proxy.on("Query", Cut(), nth=2)
    pages = list(reader.query(plan(table), Ticket()))
    assert numbers(pages) == list(range(COUNT))
    assert [len(page.items) for page in pages] == [8, 8, 8, 6]
    assert proxy.counts["Query"] == 5
    asked_for = [body.get("ExclusiveStartKey") for operation, body in proxy.bodies if operation == "Query"]
    assert asked_for[1] == asked_for[2]


def hasty(clients: Clients, **more: Any) -> DynamoReader:
    """A reader that tries as it always does, without the waits."""
    return DynamoReader(clients, Meter(), Calls(clients, brief=HASTY, long=HASTY, **more))


@pytest.mark.parametrize("name", ALL)
def test_a_fault_that_stays_ends_in_an_error_and_no_page(
    clients: Clients, proxy: FaultProxy, table: str, name: str
) -> None:
    fault, expected = ALL[name]
    proxy.always("Query", fault)
    pages: list[Page] = []
    with pytest.raises(DynodeskError) as raised:
        pages.extend(hasty(clients).query(plan(table), Ticket()))
    assert type(raised.value) is expected
    assert pages == []
    assert raised.value.code in set(registered())
    assert raised.value.message
    assert raised.value.hint
    assert raised.value.written == "nothing"


@pytest.mark.parametrize("name", list(passing()))
def test_a_fault_that_passes_leaves_no_trace(clients: Clients, proxy: FaultProxy, table: str, name: str) -> None:
    proxy.on("Query", ALL[name][0], nth=2)
    assert numbers(list(hasty(clients).query(plan(table), Ticket()))) == list(range(COUNT))
    assert proxy.counts["Query"] == 5


@pytest.mark.parametrize("name", ["denied", "no table", "web page", "redirect 307", "validation", "expired"])
def test_what_cannot_pass_is_not_tried_again(clients: Clients, proxy: FaultProxy, table: str, name: str) -> None:
    proxy.always("Query", ALL[name][0])
    with pytest.raises(DynodeskError):
        list(hasty(clients).query(plan(table), Ticket()))
    assert proxy.counts["Query"] == 1


def test_damage_is_tried_four_times(clients: Clients, proxy: FaultProxy, table: str) -> None:
    proxy.always("Query", Cut())
    with pytest.raises(DamagedReply):
        list(hasty(clients).query(plan(table), Ticket()))
    assert proxy.counts["Query"] == 4


def test_a_damaged_item_is_named(clients: Clients, proxy: FaultProxy, table: str) -> None:
    proxy.always("Query", Rewrite(two_type_tags))
    with pytest.raises(DamagedReply) as raised:
        list(hasty(clients).query(plan(table), Ticket()))
    assert f"item 3 of {table} in POST#a91f" in raised.value.message
    assert "n: expected one type tag, found N, S" in raised.value.message


def test_a_compressed_reply_is_read(clients: Clients, proxy: FaultProxy, table: str) -> None:
    proxy.always("Query", Answer(200, ZIPPED, {"Content-Type": JSON, "Content-Encoding": "gzip"}))
    assert [page.items for page in hasty(clients).query(plan(table), Ticket())] == [()]


def test_a_redirect_is_not_followed(clients: Clients, proxy: FaultProxy, table: str) -> None:
    with FaultProxy(proxy.url) as elsewhere:
        proxy.always("Query", Answer(307, headers={"Location": f"{elsewhere.url}/"}))
        with pytest.raises(NotDynamoDB, match=r"127\.0\.0\.1"):
            list(hasty(clients).query(plan(table), Ticket()))
        assert elsewhere.counts.total() == 0


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_redirect_that_urllib3_stumbles_over(clients: Clients, proxy: FaultProxy, table: str) -> None:
    # It wants to rewrite the headers for a GET, cannot, and forgets the socket.
    proxy.always("Query", Answer(303, headers={"Location": "http://127.0.0.1:9/"}))
    with pytest.raises(CannotConnect, match="failed"):
        list(hasty(clients).query(plan(table), Ticket()))
    gc.collect()


def test_a_clock_that_is_wrong_is_shown_beside_the_right_one(clients: Clients, proxy: FaultProxy, table: str) -> None:
    date = {"Content-Type": JSON, "Date": "Tue, 05 Mar 2019 10:20:00 GMT"}
    proxy.always("Query", Answer(403, error("InvalidSignatureException").body, date))
    with pytest.raises(CredentialsRefused, match=r"clock is wrong: it says .* UTC, the service 2019-03-05 10:20 UTC"):
        list(hasty(clients).query(plan(table), Ticket()))


@pytest.mark.parametrize(
    ("code", "member"),
    [
        ("ThrottlingException", "throttlingReasons"),
        ("ProvisionedThroughputExceededException", "ThrottlingReasons"),
        ("RequestLimitExceeded", "ThrottlingReasons"),
    ],
)
def test_what_support_needs_is_in_the_details(
    clients: Clients, proxy: FaultProxy, table: str, code: str, member: str
) -> None:
    reason = {"reason": "TableReadKeyRangeThroughputExceeded", "resource": "arn:aws:dynamodb:x:1:table/T"}
    proxy.always("Query", error(code, more={member: [reason]}))
    with pytest.raises(Throttled) as raised:
        list(hasty(clients).query(plan(table), Ticket()))
    assert raised.value.details == (
        f"Query: {code} (HTTP 400), request REQUEST7; TableReadKeyRangeThroughputExceeded arn:aws:dynamodb:x:1:table/T"
    )


def test_a_refusal_names_the_permission(clients: Clients, proxy: FaultProxy, table: str) -> None:
    said = "User: arn:aws:iam::1:user/x is not authorized to perform: kms:Decrypt on resource: arn:aws:kms:x"
    proxy.on("Query", error("AccessDeniedException", message=said))
    proxy.on("Query", error("AccessDeniedException"), nth=2)
    for action in ("kms:Decrypt", "dynamodb:Query"):
        with pytest.raises(NotAllowed, match=action):
            list(hasty(clients).query(plan(table), Ticket()))


# --------------------------------------------------------------------------------------------- patience and cancelling


def test_a_scan_under_faults_has_every_item_once(clients: Clients, proxy: FaultProxy, table: str) -> None:
    proxy.always("Scan", THROTTLE, share=0.3)
    proxy.always("Scan", Cut(), share=0.1)
    proxy.always("Scan", error("InternalServerError", 500), share=0.1)
    many = Patience(tries=50, seconds=60, first_wait=0, longest_wait=0)
    calls = Calls(clients, long=Patiences(many, many, many, many))
    pages = list(DynamoReader(clients, Meter(), calls).scan(ScanPlan(table, page_limit=1), Ticket()))
    assert numbers(pages) == list(range(COUNT))
    assert proxy.counts["Scan"] > len(pages)


def test_a_throttled_scan_waits_and_keeps_its_place(
    reader: DynamoReader, proxy: FaultProxy, table: str, waits: list[float]
) -> None:
    proxy.on("Scan", THROTTLE, nth=2, times=20)
    reports: list[Progress] = []
    pages = list(reader.scan(ScanPlan(table, page_limit=8), Ticket(reports.append)))
    assert numbers(pages) == list(range(COUNT))
    assert len(waits) == 20
    assert waits[0] <= 0.1
    assert max(waits) <= 5
    assert waits[-1] >= 2.5
    assert "Throttled: waiting for capacity" in {report.note for report in reports}
    starts = [body.get("ExclusiveStartKey") for operation, body in proxy.bodies if operation == "Scan"]
    assert all(start == starts[1] for start in starts[1:22])


@pytest.mark.parametrize("fault", [THROTTLE, Drop(), Cut()], ids=["throttled", "unreachable", "damaged"])
def test_cancelling_ends_the_waiting(clients: Clients, proxy: FaultProxy, table: str, fault: Fault) -> None:
    long = Patience(tries=1000, seconds=600, first_wait=300, longest_wait=300)
    reader = DynamoReader(clients, Meter(), Calls(clients, long=Patiences(long, long, long, long)))
    ticket = Ticket()
    pages = reader.query(plan(table), ticket)
    next(pages)
    proxy.always("Query", fault)
    canceller = threading.Timer(0.2, ticket.cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        next(pages)
    canceller.join()
    assert proxy.counts["Query"] == 2


def test_cancelling_does_not_wait_for_a_reply_that_does_not_come(
    clients: Clients, proxy: FaultProxy, table: str
) -> None:
    proxy.on("Query", Hang(), nth=2)
    ticket = Ticket()
    pages = hasty(clients).query(plan(table), ticket)
    next(pages)
    canceller = threading.Timer(0.2, ticket.cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        next(pages)
    canceller.join()


@pytest.mark.parametrize(
    "fault", [THROTTLE, Drop(), Cut(), Hang()], ids=["throttled", "unreachable", "damaged", "hangs"]
)
def test_cancelling_ends_a_snapshot(clients: Clients, proxy: FaultProxy, table: str, fault: Fault) -> None:
    long = Patience(tries=1000, seconds=600, first_wait=300, longest_wait=300)
    patiences = Patiences(long, long, long, long)
    reader = DynamoReader(clients, Meter(), Calls(clients, brief=patiences, long=patiences))
    reader.get(table, keys(1)[0])
    proxy.always("TransactGetItems", fault)
    ticket = Ticket()
    canceller = threading.Timer(0.2, ticket.cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        reader.transact_get([(table, keys(1)[0])], ticket)
    canceller.join()
    assert proxy.counts["TransactGetItems"] == 1


def test_a_snapshot_does_not_wait_long_for_capacity_that_others_may_have(
    clients: Clients, proxy: FaultProxy, table: str, waits: list[float]
) -> None:
    brief, long = (Patience(tries=tries, seconds=60, first_wait=0, longest_wait=0) for tries in (2, 3))
    calls = Calls(clients, brief=Patiences(brief, brief, brief, brief), long=Patiences(long, long, long, long))
    reader = DynamoReader(clients, Meter(), calls)
    proxy.always("TransactGetItems", THROTTLE)
    with pytest.raises(Throttled):
        reader.transact_get([(table, keys(1)[0])], Ticket())
    assert proxy.counts["TransactGetItems"] == 2
    proxy.clear()
    proxy.always("TransactGetItems", Cut())
    with pytest.raises(DamagedReply):
        reader.transact_get([(table, keys(1)[0])], Ticket())
    assert proxy.counts["TransactGetItems"] == 3


def test_a_reply_that_drips_runs_out_of_time(clients: Clients, proxy: FaultProxy, table: str) -> None:
    reader = hasty(clients, seconds=0.5)
    pages = reader.query(plan(table), Ticket())
    next(pages)
    proxy.always("Query", Drip(0.05))
    with pytest.raises(CannotConnect, match=r"did not answer within 0\.5 seconds"):
        next(pages)


def test_an_endpoint_that_never_answered_gets_little_time(
    clients: Clients, proxy: FaultProxy, table: str, waits: list[float]
) -> None:
    proxy.always("Query", Hang())
    with pytest.raises(CannotConnect, match=r"did not answer within 0\.3 seconds"):
        list(hasty(clients, first_seconds=0.3).query(plan(table), Ticket()))
    assert proxy.counts["Query"] == 1


def test_a_connection_that_was_there_before_is_waited_for(
    reader: DynamoReader, proxy: FaultProxy, table: str, waits: list[float]
) -> None:
    proxy.on("Scan", Drop(), nth=3, times=10)
    assert numbers(list(reader.scan(ScanPlan(table, page_limit=8), Ticket()))) == list(range(COUNT))
    assert len(waits) == 10


def test_a_reader_counts_what_it_sends_again(clients: Clients, proxy: FaultProxy, table: str) -> None:
    proxy.on("Scan", Cut(), nth=2)
    meter = Meter()
    assert numbers(list(DynamoReader(clients, meter).scan(ScanPlan(table, page_limit=8), Ticket()))) == list(
        range(COUNT)
    )
    assert meter.retries == {"damaged": 1}
    assert meter.calls == 4


def test_a_first_connection_is_tried_twice(
    reader: DynamoReader, proxy: FaultProxy, table: str, waits: list[float]
) -> None:
    proxy.always("Scan", Drop())
    with pytest.raises(CannotConnect):
        list(reader.scan(ScanPlan(table), Ticket()))
    assert proxy.counts["Scan"] == 2
    assert sum(waits) < 1


# ------------------------------------------------------------------------------------------------------------ cursors


def test_an_empty_page_is_not_the_end(clients: Clients, proxy: FaultProxy, table: str) -> None:
    proxy.always("Query", EmptyPages(lambda start: str(int(start or 0) + 1) if start != "300" else ""))
    pages = list(hasty(clients).query(plan(table), Ticket()))
    assert len(pages) == 301
    assert all(page.items == () and page.scanned == 5 for page in pages)
    assert pages[-1].cursor is None


@pytest.mark.parametrize("circle", [1, 2, 3, 7])
def test_a_cursor_that_comes_back_is_an_error(clients: Clients, proxy: FaultProxy, table: str, circle: int) -> None:
    way_in = 5
    proxy.always("Query", EmptyPages(lambda start: str((int(start or 0) + 1 - way_in) % circle + way_in)))
    with pytest.raises(DamagedReply, match="cursor"):
        list(islice(hasty(clients).query(plan(table), Ticket()), 1000))
    assert proxy.counts["Query"] <= 3 * (way_in + circle)


def test_a_cursor_that_is_the_start_is_an_error(clients: Clients, proxy: FaultProxy, table: str) -> None:
    start = {"PK": String("POST#a91f"), "SK": String("same")}
    proxy.always("Query", EmptyPages(lambda _: "same"))
    with pytest.raises(DamagedReply, match="cursor"):
        list(hasty(clients).query(plan(table), Ticket(), start))


# ------------------------------------------------------------------------------------------ batches, snapshots, by key


def keys(*suffixes: int) -> list[dict[str, String]]:
    return [{**PARTITION, "SK": String(f"LIKE#{n:04}")} for n in suffixes]


def leave_out(count: int) -> Rewrite:
    """BatchGetItem leaves so many of the keys for later."""

    def change(body: dict[str, Any]) -> None:
        ((table, items),) = body["Responses"].items()
        left = [{name: item[name] for name in ("PK", "SK")} for item in items[:count]]
        del items[:count]
        body["UnprocessedKeys"] = {table: {"Keys": left}}

    return Rewrite(change)


def test_unprocessed_keys_are_asked_for_again(
    reader: DynamoReader, proxy: FaultProxy, table: str, waits: list[float]
) -> None:
    proxy.on("BatchGetItem", leave_out(9))
    proxy.on("BatchGetItem", leave_out(9), nth=2)
    proxy.on("BatchGetItem", leave_out(2), nth=3)
    found = reader.batch_get(table, keys(*range(9), 7777), Ticket())
    assert [item and item["n"] for item in found] == [*(Number(str(n)) for n in range(9)), None]
    assert [len(body["RequestItems"][table]["Keys"]) for _, body in proxy.bodies] == [10, 9, 9, 2]
    assert len(waits) == 3
    assert waits[1] > waits[0] / 2


def test_keys_that_stay_unprocessed_are_an_error_and_never_absent(
    clients: Clients, proxy: FaultProxy, table: str
) -> None:
    proxy.always("BatchGetItem", leave_out(2))
    with pytest.raises(Throttled):
        hasty(clients).batch_get(table, keys(0, 1), Ticket())
    assert proxy.counts["BatchGetItem"] == 4


def stranger(body: dict[str, Any]) -> None:
    ((_, items),) = body["Responses"].items()
    items[0]["SK"] = {"S": "LIKE#0029"}


def twice(body: dict[str, Any]) -> None:
    ((_, items),) = body["Responses"].items()
    items.append(items[0])


def found_and_left(body: dict[str, Any]) -> None:
    ((table, items),) = body["Responses"].items()
    body["UnprocessedKeys"] = {table: {"Keys": [{name: items[0][name] for name in ("PK", "SK")}]}}


def no_responses(body: dict[str, Any]) -> None:
    body.clear()


@pytest.mark.parametrize("change", [stranger, twice, found_and_left, no_responses])
def test_a_batch_at_odds_with_itself(clients: Clients, proxy: FaultProxy, table: str, change: Any) -> None:
    proxy.always("BatchGetItem", Rewrite(change))
    with pytest.raises(DamagedReply):
        hasty(clients).batch_get(table, keys(0, 1, 2), Ticket())


def test_another_item_than_the_one_asked_for(clients: Clients, proxy: FaultProxy, table: str) -> None:
    proxy.always("GetItem", Rewrite(lambda body: body["Item"].update(SK={"S": "LIKE#0005"})))
    with pytest.raises(DamagedReply, match="another item"):
        hasty(clients).get(table, keys(4)[0])


def cancelled(*codes: str) -> Answer:
    return error("TransactionCanceledException", more={"CancellationReasons": [{"Code": code} for code in codes]})


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (cancelled("None", "TransactionConflict"), Busy),
        (error("TransactionInProgressException"), Busy),
        (cancelled("ThrottlingError", "None"), Throttled),
        (cancelled("AccessDenied"), NotAllowed),
        (cancelled("ValidationError"), ServiceFailed),
        (error("TransactionCanceledException"), ServiceFailed),
        (Rewrite(lambda body: body["Responses"].pop()), DamagedReply),
        (Rewrite(lambda body: body["Responses"].reverse()), DamagedReply),
        (Rewrite(lambda body: body["Responses"].append({})), DamagedReply),
        (Answer(200, b"{}"), DamagedReply),
    ],
    ids=[
        "conflict",
        "in progress",
        "throttled",
        "denied",
        "invalid",
        "no reasons",
        "one less",
        "swapped",
        "more",
        "{}",
    ],
)
def test_a_snapshot_is_whole_or_an_error(
    clients: Clients, proxy: FaultProxy, table: str, fault: Fault, expected: type[DynodeskError]
) -> None:
    proxy.always("TransactGetItems", fault)
    with pytest.raises(expected):
        hasty(clients).transact_get([(table, key) for key in keys(1, 2)], Ticket())


def test_an_endpoint_without_snapshots_says_so(clients: Clients, proxy: FaultProxy, table: str) -> None:
    proxy.always("TransactGetItems", error("UnknownOperationException"))
    with pytest.raises(ServiceFailed, match="no transactional reads"):
        hasty(clients).transact_get([(table, keys(1)[0])], Ticket())


def test_a_snapshot_that_is_denied_names_the_permission_that_it_needs(
    clients: Clients, proxy: FaultProxy, table: str
) -> None:
    proxy.always("TransactGetItems", error("AccessDeniedException"))
    with pytest.raises(NotAllowed, match="may not do dynamodb:GetItem"):
        hasty(clients).transact_get([(table, keys(1)[0])], Ticket())


def test_a_conflict_is_left_to_the_caller(clients: Clients, proxy: FaultProxy, table: str) -> None:
    proxy.always("TransactGetItems", cancelled("TransactionConflict"))
    with pytest.raises(Busy):
        hasty(clients).transact_get([(table, keys(1)[0])], Ticket())
    assert proxy.counts["TransactGetItems"] == 1


def test_reads_without_a_ticket_give_up_sooner(
    clients: Clients, proxy: FaultProxy, table: str, waits: list[float]
) -> None:
    hurried = Patience(tries=2, seconds=60, first_wait=0, longest_wait=0)
    calls = Calls(clients, brief=Patiences(hurried, hurried, hurried, hurried))
    proxy.always("GetItem", THROTTLE)
    with pytest.raises(Throttled):
        DynamoReader(clients, Meter(), calls).get(table, keys(1)[0])
    assert proxy.counts["GetItem"] == 2


def test_a_table_deleted_while_it_is_read(reader: DynamoReader, proxy: FaultProxy, ministack: str) -> None:
    client: Any = plain_client(ministack)
    table = make_table(client, likes(4))
    pages = reader.scan(ScanPlan(table, page_limit=2), Ticket())
    next(pages)
    client.delete_table(TableName=table)
    with pytest.raises(TableMissing):
        next(pages)


@pytest.mark.parametrize("name", ["cut in the body", "two type tags", "web page", "throttled", "reply lost"])
def test_an_error_shows_what_it_came_from_and_no_error_comes_from_itself(
    clients: Clients, proxy: FaultProxy, table: str, name: str
) -> None:
    proxy.always("Query", ALL[name][0])
    with pytest.raises(DynodeskError) as raised:
        list(hasty(clients).query(plan(table), Ticket()))
    chain: list[BaseException] = [raised.value]
    while (cause := chain[-1].__cause__) is not None:
        assert cause not in chain
        chain.append(cause)
