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


PLAIN_WRITES = (
    "DELETE FROM t WHERE PK = 'a' AND SK = 'b'",
    "update t SET n = 1 WHERE PK = 'a'",
    "INSERT INTO t VALUE {'PK': 'a'}",
)
TRICKS = (
    "-- SELECT\nDELETE FROM t WHERE PK = 'a' AND SK = 'b'",
    "--\rDELETE FROM t WHERE PK = 'a' /*\nSELECT * FROM t */",
    "/* SELECT * FROM t */ UPDATE t SET n = 1 WHERE PK = 'a'",
    "SELECT * FROM t; DELETE FROM t WHERE PK = 'a'",
    "SELECT * FROM t -- and no more",
    "SELECT * FROM (DELETE FROM t WHERE PK = 'a')",
    "(DELETE FROM t WHERE PK = 'a')",
    "EXPLAIN DELETE FROM t WHERE PK = 'a'",
    "REPLACE INTO t <<{'PK': 'a'}>>",
    "FROM t WHERE PK = 'a' REMOVE n",
    "\ufeffDELETE FROM t WHERE PK = 'a'",
    "ＤELETE FROM t WHERE PK = 'a'",
    "",
)
"""Refused wherever they are sent: what they do is not what stands there, or no statement is."""
CONDITION = "EXISTS(SELECT * FROM t WHERE PK = 'a')"


def stopped(client: Any, operation: str, parameters: dict[str, Any]) -> bool:
    """Whether the gate stops it, as parameters and as the request that is about to leave."""
    request = SimpleNamespace(body=json.dumps(parameters).encode())
    found = []
    for arguments in ({"params": parameters}, {"request": request}):
        event = f"{'before-send' if 'request' in arguments else 'provide-client-params'}.dynamodb.{operation}"
        try:
            client.meta.events.emit(event, **arguments)
        except ReadOnly:
            found.append(True)
        else:
            found.append(False)
    assert found[0] == found[1]
    return found[0]


def in_every_way(text: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("ExecuteStatement", {"Statement": text}),
        ("ExecuteTransaction", {"TransactStatements": [{"Statement": text}]}),
        ("ExecuteTransaction", {"TransactStatements": [{"Statement": "SELECT * FROM t"}, {"Statement": text}]}),
        ("BatchExecuteStatement", {"Statements": [{"Statement": text}]}),
    ]


@pytest.fixture(scope="module")
def writing(ministack: str) -> Iterator[Clients]:
    opened = open_clients(profile(ministack, read_only=False))
    yield opened
    opened.close()


@pytest.mark.parametrize("text", [*PLAIN_WRITES, *TRICKS, CONDITION, "DELETE\x00FROM t", "DELETE FROM t /* SELECT"])
def test_nothing_but_a_plain_select_leaves_what_reads(
    clients: Clients, writing: Clients, proxy: FaultProxy, text: str
) -> None:
    for client in (clients.reads, clients.writes, writing.reads):
        assert [stopped(client, *sent) for sent in in_every_way(text)] == [True] * 4
    sender: Any = clients.writes
    with pytest.raises(ReadOnly):
        sender.execute_statement(Statement=text)
    with pytest.raises(ReadOnly):
        sender.execute_transaction(TransactStatements=[{"Statement": text}])
    statements = DynamoStatements(clients, Meter())
    with pytest.raises(ReadOnly):
        items(statements.select(Select(text, "t"), Ticket()))
    assert proxy.counts.total() == 0


@pytest.mark.parametrize("text", TRICKS)
def test_no_trick_leaves_what_writes(writing: Clients, text: str) -> None:
    assert [stopped(writing.writes, *sent) for sent in in_every_way(text)] == [True] * 4


@pytest.mark.parametrize("text", [*PLAIN_WRITES, CONDITION, "SELECT * FROM t"])
def test_plain_statements_leave_what_writes_and_no_batch_of_them(writing: Clients, text: str) -> None:
    assert [stopped(writing.writes, *sent) for sent in in_every_way(text)] == [False, False, False, True]
    assert stopped(writing.writes, "ExecuteTransaction", {"TransactStatements": []})


def test_a_statement_with_other_values_than_it_takes_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="takes 2 values, not 1"):
        as_select("SELECT * FROM t WHERE PK = ? AND n = ?", (String("a"),))
