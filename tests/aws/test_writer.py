"""The guarded writer: every outcome told apart, nothing sent twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.writer import GuardedWriter
from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import (
    Busy,
    CannotConnect,
    DynodeskError,
    InvalidRequest,
    NotAllowed,
    OutcomeUnknown,
    ReadOnly,
    TableMissing,
    Throttled,
)
from dynodesk.domain.values import Binary, Map, Number, String
from dynodesk.domain.writes import Applied, GuardedUpdate, NotAsExpected
from tests.aws.tables import make_table, plain_client, profile
from tests.faults.proxy import HTML, THROTTLE, Answer, Cut, Drop, Fault, FaultProxy, Hang, LoseReply, Rewrite, error

LIKES, REPAIRED, BLOB = (AttributePath((name,)) for name in ("likes", "repaired", "blob"))
STATS, NESTED = AttributePath(("stats",)), AttributePath(("stats", "likes.total"))
KEY = {"PK": String("POST#a91f"), "SK": String("META")}


@pytest.fixture(scope="module")
def writing(ministack: str) -> Iterator[tuple[FaultProxy, Clients]]:
    with FaultProxy(ministack) as running:
        opened = open_clients(profile(running.url, read_only=False))
        yield running, opened
        opened.close()


@pytest.fixture
def proxy(writing: tuple[FaultProxy, Clients]) -> FaultProxy:
    writing[0].clear()
    return writing[0]


@pytest.fixture
def writer(writing: tuple[FaultProxy, Clients]) -> GuardedWriter:
    return GuardedWriter(writing[1], Meter(), seconds=3)


@pytest.fixture
def table(ministack: str) -> str:
    item = {"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}, "likes": {"N": "41"}, "blob": {"B": b"\x00"}}
    return make_table(plain_client(ministack), [item])


def stored(ministack: str, table: str) -> Any:
    client: Any = plain_client(ministack)
    return client.get_item(TableName=table, Key={"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}}).get("Item")


def add_two(table: str) -> GuardedUpdate:
    return GuardedUpdate(table, KEY, {LIKES: Number("41")}, add={LIKES: Number("2")})


def test_applied(writer: GuardedWriter, proxy: FaultProxy, table: str, ministack: str) -> None:
    update = GuardedUpdate(
        table,
        KEY,
        {LIKES: Number("41.0"), REPAIRED: None, BLOB: Binary(b"\x00")},
        add={LIKES: Number("-3")},
        put={REPAIRED: Map({"by": Binary(b"\xff"), "run.1": String("x")})},
    )
    outcome = writer.write(update)
    assert outcome == Applied(
        {
            **KEY,
            "likes": Number("38"),
            "blob": Binary(b"\x00"),
            "repaired": Map({"by": Binary(b"\xff"), "run.1": String("x")}),
        }
    )
    assert stored(ministack, table)["likes"] == {"N": "38"}
    assert stored(ministack, table)["repaired"] == {"M": {"by": {"B": b"\xff"}, "run.1": {"S": "x"}}}
    assert proxy.counts == {"UpdateItem": 1}


def test_a_nested_number(writer: GuardedWriter, table: str, ministack: str) -> None:
    client: Any = plain_client(ministack)
    stats = {"M": {"likes.total": {"N": "41"}, "views": {"N": "7"}}}
    client.put_item(TableName=table, Item={"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}, "stats": stats})
    update = GuardedUpdate(table, KEY, {NESTED: Number("41")}, add={NESTED: Number("-4")})
    assert writer.write(update) == Applied({**KEY, "stats": Map({"likes.total": Number("37"), "views": Number("7")})})
    assert stored(ministack, table)["stats"] == {"M": {"likes.total": {"N": "37"}, "views": {"N": "7"}}}
    assert isinstance(writer.write(update), NotAsExpected)


def test_nothing_is_added_to_what_is_not_there(writer: GuardedWriter, table: str, ministack: str) -> None:
    with pytest.raises(InvalidRequest):
        writer.write(GuardedUpdate(table, KEY, {LIKES: Number("41")}, add={REPAIRED: Number("2")}))
    assert "repaired" not in stored(ministack, table)


def test_not_as_expected_shows_the_item(writer: GuardedWriter, table: str, ministack: str) -> None:
    outcome = writer.write(GuardedUpdate(table, KEY, {LIKES: Number("40")}, add={LIKES: Number("2")}))
    assert isinstance(outcome, NotAsExpected)
    assert outcome.found == {**KEY, "likes": Number("41"), "blob": Binary(b"\x00")}
    assert stored(ministack, table)["likes"] == {"N": "41"}


def test_an_attribute_that_must_not_be_there(writer: GuardedWriter, table: str) -> None:
    outcome = writer.write(GuardedUpdate(table, KEY, {LIKES: None}, add={LIKES: Number("2")}))
    assert isinstance(outcome, NotAsExpected)


def test_an_item_that_is_gone_does_not_come_back(writer: GuardedWriter, table: str, ministack: str) -> None:
    client: Any = plain_client(ministack)
    client.delete_item(TableName=table, Key={"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}})
    outcome = writer.write(GuardedUpdate(table, KEY, {LIKES: None}, add={LIKES: Number("2")}))
    assert outcome == NotAsExpected(None)
    assert stored(ministack, table) is None


@pytest.mark.parametrize(
    "update",
    [
        GuardedUpdate("T", KEY, {}, add={LIKES: Number("1")}),
        GuardedUpdate("T", {}, {LIKES: Number("1")}, add={LIKES: Number("1")}),
        GuardedUpdate("T", KEY, {LIKES: Number("1")}),
        GuardedUpdate("T", KEY, {LIKES: Number("1")}, put={AttributePath(("SK",)): String("other")}),
        GuardedUpdate("T", KEY, {LIKES: Number("1")}, put={LIKES: Number("2")}, add={LIKES: Number("2")}),
        GuardedUpdate("T", KEY, {LIKES: Number("1")}, put={STATS: Number("2")}, add={NESTED: Number("2")}),
    ],
    ids=[
        "no condition",
        "no key",
        "no change",
        "changes the key",
        "changes one twice",
        "changes a map and what is in it",
    ],
)
def test_refused_before_it_is_sent(writer: GuardedWriter, proxy: FaultProxy, update: GuardedUpdate) -> None:
    with pytest.raises(InvalidRequest):
        writer.write(update)
    assert proxy.counts.total() == 0


APPLIED: dict[str, Fault] = {
    "reply lost": LoseReply(),
    "reply cut": Cut(),
    "reply cut before its body": Cut(at=0),
    "wrong checksum": Rewrite(headers={"x-amz-crc32": "1"}),
    "500 after it was applied": Rewrite(status=500, body=error("InternalServerError").body),
    "a proxy's 503 after it was applied": Rewrite(status=503, body=b"<html>"),
    "a web page after it was applied": Rewrite(body=b"<html>", headers={"Content-Type": "text/html"}),
    "no attributes in the reply": Rewrite(body=b"{}"),
    "reply at odds with itself": Rewrite(lambda body: body["Attributes"].update(likes={"N": "1", "S": "1"})),
}
NOT_APPLIED: dict[str, Fault] = {
    "dropped": Drop(),
    "500": error("InternalServerError", 500),
    "web page": HTML,
    "redirect": Answer(307, headers={"Location": "http://127.0.0.1:9/"}),
    "a proxy's 403": Answer(403, b"<html>no</html>", {"Content-Type": "text/html"}),
    "no answer": Hang(),
}


@pytest.mark.parametrize("name", [*APPLIED, *NOT_APPLIED])
def test_without_a_trustworthy_answer_the_outcome_is_unknown(
    writer: GuardedWriter, proxy: FaultProxy, table: str, ministack: str, name: str
) -> None:
    proxy.always("UpdateItem", {**APPLIED, **NOT_APPLIED}[name])
    with pytest.raises(OutcomeUnknown) as raised:
        writer.write(add_two(table))
    assert raised.value.written == "unknown"
    assert raised.value.hint
    assert proxy.counts["UpdateItem"] == 1
    assert stored(ministack, table)["likes"] == {"N": "43" if name in APPLIED else "41"}


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (THROTTLE, Throttled),
        (error("TransactionConflictException"), Busy),
        (error("AccessDeniedException"), NotAllowed),
        (error("ValidationException"), InvalidRequest),
        (error("ResourceNotFoundException"), TableMissing),
    ],
)
def test_a_refusal_is_certain(
    writer: GuardedWriter, proxy: FaultProxy, table: str, fault: Fault, expected: type[DynodeskError]
) -> None:
    proxy.always("UpdateItem", fault)
    with pytest.raises(expected) as raised:
        writer.write(add_two(table))
    assert raised.value.written == "nothing"
    assert proxy.counts["UpdateItem"] == 1


def test_what_never_left_was_not_written(ministack: str, table: str) -> None:
    with FaultProxy(ministack) as gone:
        opened = open_clients(profile(gone.url, read_only=False))
    with pytest.raises(CannotConnect) as raised:
        GuardedWriter(opened, Meter()).write(add_two(table))
    assert raised.value.written == "nothing"
    opened.close()


def test_a_read_only_connection_writes_nothing(clients: Clients, table: str, ministack: str) -> None:
    with pytest.raises(ReadOnly):
        GuardedWriter(clients, Meter()).write(add_two(table))
    assert stored(ministack, table)["likes"] == {"N": "41"}
