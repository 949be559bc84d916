"""Statements that read, page after page: proven whole, stopped between pages, and never anything but a SELECT."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from dynodesk.aws.calls import Calls
from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.partiql import DynamoStatements
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import DamagedReply, InvalidRequest, ReadOnly, TableMissing
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.reads import Page
from dynodesk.domain.statements import Select, as_select
from dynodesk.domain.values import Binary, Boolean, Item, Null, Number, String
from tests.aws.tables import likes, make_table, plain_client, profile, unique
from tests.faults.proxy import Cut, Exchange, Fault, FaultProxy, Reply, Rewrite


@dataclass(frozen=True)
class Paged(Fault):
    """Answers as the service does, which hands out a statement's items in pages; the emulators send all at once."""

    items: int = 4
    with_key: bool = True

    def apply(self, exchange: Exchange) -> None:
        asked = json.loads(exchange.body)
        first = int(asked.pop("NextToken", "0"))
        reply = exchange.forwarded()
        body = json.loads(reply.body)
        found = body["Items"]
        body["Items"] = found[first : first + self.items]
        if first + self.items < len(found):
            body["NextToken"] = str(first + self.items)
            if self.with_key:
                body["LastEvaluatedKey"] = {name: body["Items"][-1][name] for name in ("PK", "SK")}
        whole = json.dumps(body).encode()
        exchange.send(Reply(reply.status, {**reply.headers, "Connection": "close"}, whole).head() + whole)
        exchange.hang_up()


@pytest.fixture
def statements(clients: Clients, meter: Meter, calls: Calls) -> DynamoStatements:
    return DynamoStatements(clients, meter, calls)


@pytest.fixture(scope="module")
def table(ministack: str) -> str:
    return make_table(plain_client(ministack), [*likes(10), *likes(3, "POST#b")])


def items(pages: Iterator[Page]) -> list[Item]:
    return [item for page in pages for item in page.items]


def sort_keys(found: list[Item]) -> list[str]:
    return [str(getattr(item["SK"], "text", "")) for item in found]


def test_a_select_finds_what_the_table_has(endpoint: str) -> None:
    table = make_table(plain_client(endpoint), [*likes(10), *likes(3, "POST#b")])
    clients = open_clients(profile(endpoint))
    statements = DynamoStatements(clients, Meter())
    try:
        # Without spaces around the signs, which not every server reads.
        asked = as_select(f"-- one\nSELECT * FROM \"{table}\" WHERE PK='POST#b' AND SK='LIKE#0001';")
        (found,) = items(statements.select(asked, Ticket()))
        assert found == {"PK": String("POST#b"), "SK": String("LIKE#0001"), "n": Number("1")}
        of_post = items(statements.select(as_select(f"SELECT * FROM \"{table}\" WHERE PK='POST#b'"), Ticket()))
        assert sort_keys(of_post) == ["LIKE#0000", "LIKE#0001", "LIKE#0002"]
        with pytest.raises(TableMissing):
            items(statements.select(as_select(f'SELECT * FROM "{unique("nowhere")}"'), Ticket()))
    finally:
        clients.close()


def test_pages_join_into_every_item_once(proxy: FaultProxy, statements: DynamoStatements, table: str) -> None:
    proxy.always("ExecuteStatement", Paged(4))
    asked = as_select(f"SELECT * FROM \"{table}\" WHERE PK = 'POST#a91f'")
    pages = list(statements.select(asked, Ticket()))
    assert [page.scanned for page in pages] == [4, 4, 2]
    assert sort_keys(items(iter(pages))) == [f"LIKE#{n:04}" for n in range(10)]
    assert proxy.counts["ExecuteStatement"] == 3


def test_a_statement_goes_on_from_a_cursor(proxy: FaultProxy, statements: DynamoStatements, table: str) -> None:
    proxy.always("ExecuteStatement", Paged(4, with_key=False))
    asked = as_select(f"SELECT * FROM \"{table}\" WHERE PK = 'POST#a91f'")
    first = next(statements.select(asked, Ticket()))
    rest = items(statements.select(asked, Ticket(), first.cursor))
    assert sort_keys([*first.items, *rest]) == [f"LIKE#{n:04}" for n in range(10)]


def test_values_are_sent_beside_the_text(proxy: FaultProxy, statements: DynamoStatements, table: str) -> None:
    seen: list[dict[str, Any]] = []

    class Seen(Fault):
        def apply(self, exchange: Exchange) -> None:
            seen.append(json.loads(exchange.body))
            exchange.send(exchange.forwarded().head() + exchange.forwarded().body)

    proxy.always("ExecuteStatement", Seen())
    values = (String("POST#b"), Number("1.0"), Binary(b"\x00\xff"), Boolean(value=True), Null())
    text = f'SELECT * FROM "{table}" WHERE PK = ? AND n = ? AND b <> ? AND t <> ? AND z <> ?'
    items(statements.select(as_select(text, values, consistent=True), Ticket()))
    assert seen[0]["Parameters"] == [{"S": "POST#b"}, {"N": "1.0"}, {"B": "AP8="}, {"BOOL": True}, {"NULL": True}]
    assert seen[0]["ConsistentRead"] is True


def test_the_meter_gets_what_each_page_took(
    proxy: FaultProxy, statements: DynamoStatements, table: str, meter: Meter
) -> None:
    proxy.always("ExecuteStatement", Paged(5))
    pages = list(statements.select(as_select(f'SELECT * FROM "{table}"'), Ticket()))
    assert all(page.units is not None for page in pages)
    assert meter.total == sum((page.units or Decimal(0) for page in pages), Decimal(0)) > 0


def forget_the_token(body: dict[str, Any]) -> None:
    body["LastEvaluatedKey"] = {"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#0001"}}


def same_token(body: dict[str, Any]) -> None:
    body["NextToken"] = "again"


def same_place(body: dict[str, Any]) -> None:
    body["NextToken"] = f"token {id(body)}"
    forget_the_token(body)


def no_token(body: dict[str, Any]) -> None:
    body["NextToken"] = 7


def no_items(body: dict[str, Any]) -> None:
    del body["Items"]


def no_item(body: dict[str, Any]) -> None:
    body["Items"][0] = {"PK": {"S": 1}}


@pytest.mark.parametrize("change", [forget_the_token, same_token, same_place, no_token, no_items, no_item])
def test_a_reply_that_cannot_be_right_is_not_believed(
    proxy: FaultProxy, statements: DynamoStatements, table: str, change: Any
) -> None:
    proxy.always("ExecuteStatement", Rewrite(change))
    with pytest.raises(DamagedReply):
        items(statements.select(as_select(f'SELECT * FROM "{table}"'), Ticket()))


def test_a_reply_that_was_cut_is_asked_for_again(proxy: FaultProxy, statements: DynamoStatements, table: str) -> None:
    proxy.on("ExecuteStatement", Cut(at=200))
    assert len(items(statements.select(as_select(f'SELECT * FROM "{table}"'), Ticket()))) == 13


def test_a_cancelled_statement_stops_before_the_next_page(
    proxy: FaultProxy, statements: DynamoStatements, table: str
) -> None:
    proxy.always("ExecuteStatement", Paged(4))
    ticket = Ticket()
    pages = statements.select(as_select(f'SELECT * FROM "{table}"'), ticket)
    next(pages)
    ticket.cancel()
    with pytest.raises(Cancelled):
        next(pages)
    assert proxy.counts["ExecuteStatement"] == 1


WRITES = (
    "DELETE FROM t WHERE PK = 'a' AND SK = 'b'",
    "-- SELECT\nDELETE FROM t WHERE PK = 'a' AND SK = 'b'",
    "--\rDELETE FROM t WHERE PK = 'a' /*\nSELECT * FROM t */",
    "/* SELECT * FROM t */ UPDATE t SET n = 1 WHERE PK = 'a'",
    "INSERT INTO t VALUE {'PK': 'a'}",
    "EXISTS(SELECT * FROM t WHERE PK = 'a')",
    "SELECT * FROM t; DELETE FROM t WHERE PK = 'a'",
    "SELECT * FROM t -- and no more",
    "",
)


@pytest.mark.parametrize("text", WRITES)
def test_nothing_but_a_plain_select_leaves_any_connection(clients: Clients, proxy: FaultProxy, text: str) -> None:
    writing = open_clients(profile(proxy.url, read_only=False))
    try:
        for client in (clients.reads, clients.writes, writing.reads, writing.writes):
            sender: Any = client
            with pytest.raises(ReadOnly):
                sender.execute_statement(Statement=text)
            request = SimpleNamespace(body=json.dumps({"Statement": text}).encode())
            with pytest.raises(ReadOnly):  # what has come past the first gate by some other way
                sender.meta.events.emit("before-send.dynamodb.ExecuteStatement", request=request)
            with pytest.raises(ReadOnly):
                sender.batch_execute_statement(Statements=[{"Statement": "SELECT * FROM t"}])
        statements = DynamoStatements(writing, Meter())
        with pytest.raises(ReadOnly):
            items(statements.select(Select(text, "t"), Ticket()))
    finally:
        writing.close()
    assert proxy.counts.total() == 0


def test_a_statement_with_other_values_than_it_takes_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="takes 2 values, not 1"):
        as_select("SELECT * FROM t WHERE PK = ? AND n = ?", (String("a"),))
