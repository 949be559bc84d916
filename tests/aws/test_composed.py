"""Composed requests as they are sent: each once where it writes, every refusal with the action it is about."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from dynodesk.aws.calls import Calls
from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.composed import DynamoRequests
from dynodesk.domain.actions import (
    BoundStatement,
    CheckAction,
    ComposedRequest,
    DeleteAction,
    GetAction,
    PutAction,
    SingleGet,
    SingleStatement,
    SingleWrite,
    StatementTransaction,
    TransactGet,
    TransactWrite,
    UpdateAction,
    new_token,
)
from dynodesk.domain.capacity import Consumed, Meter
from dynodesk.domain.composed import ActionReason, Done, Refused
from dynodesk.domain.errors import (
    Busy,
    DamagedReply,
    DynodeskError,
    InvalidExpression,
    InvalidRequest,
    OutcomeUnknown,
    ReadOnly,
    TableMissing,
    Throttled,
)
from dynodesk.domain.expressions import parse_changes, parse_paths, parse_where
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Binary, Item, Map, Number, String
from tests.aws.tables import make_table, plain_client, profile
from tests.faults.proxy import THROTTLE, Cut, Fault, FaultProxy, LoseReply, Rewrite, error

POST = {"PK": String("POST#a91f"), "SK": String("META")}
LIKE = {"PK": String("POST#a91f"), "SK": String("LIKE#ann")}
NEW = parse_where("attribute_not_exists(PK)")
ADD_ONE = parse_changes("ADD likes 1")
GONE = {"PK": String("POST#a91f"), "SK": String("GONE")}


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
def meter() -> Meter:
    return Meter()


@pytest.fixture
def requests(writing: tuple[FaultProxy, Clients], proxy: FaultProxy, meter: Meter) -> DynamoRequests:
    hasty = Calls(writing[1], meter, sleep=lambda ticket, _seconds: ticket.checkpoint())
    return DynamoRequests(writing[1], meter, hasty, seconds=3)


class Stored:
    """One table, in which a post is made anew for each test, seen by a client that knows nothing of our code."""

    def __init__(self, url: str) -> None:
        self.client: Any = plain_client(url)
        self.table = make_table(self.client)

    def reset(self) -> None:
        self.client.delete_item(TableName=self.table, Key={"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#ann"}})
        item = {"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}, "likes": {"N": "41"}, "blob": {"B": b"\x00"}}
        self.client.put_item(TableName=self.table, Item=item)

    def item(self, sort: str) -> Any:
        key = {"PK": {"S": "POST#a91f"}, "SK": {"S": sort}}
        return self.client.get_item(TableName=self.table, Key=key).get("Item")

    @property
    def likes(self) -> str:
        return str(self.item("META")["likes"]["N"])


@pytest.fixture(scope="module")
def one_table(ministack: str) -> Stored:
    return Stored(ministack)


@pytest.fixture
def stored(one_table: Stored) -> Stored:
    one_table.reset()
    return one_table


@pytest.fixture
def table(stored: Stored) -> str:
    return stored.table


def done(requests: DynamoRequests, request: ComposedRequest) -> tuple[Item | None, ...]:
    answer = requests.send(request, Ticket())
    assert isinstance(answer, Done)
    return answer.items


def like(table: str, token: str) -> TransactWrite:
    return TransactWrite((PutAction(table, LIKE, NEW), UpdateAction(table, POST, ADD_ONE)), token)


def statement(text: str, *parameters: Any) -> SingleStatement:
    return SingleStatement(BoundStatement(text, parameters))


# -------------------------------------------------------------------------------------------------------------- reads


def test_items_by_key(requests: DynamoRequests, table: str) -> None:
    post = {**POST, "likes": Number("41"), "blob": Binary(b"\x00")}
    assert done(requests, SingleGet(GetAction(table, POST))) == (post,)
    assert done(requests, SingleGet(GetAction(table, POST, parse_paths("likes")))) == ({"likes": Number("41")},)
    assert done(requests, SingleGet(GetAction(table, GONE))) == (None,)
    assert done(requests, TransactGet((GetAction(table, GONE), GetAction(table, POST)))) == (None, post)


def test_statements_that_read(requests: DynamoRequests, proxy: FaultProxy, table: str) -> None:
    found = done(requests, statement(f'SELECT likes FROM "{table}" WHERE PK=? -- all', String("POST#a91f")))
    assert found == ({"likes": Number("41")},)
    ((_, sent),) = proxy.bodies
    assert sent["Statement"] == f'SELECT likes FROM "{table}" WHERE PK = ?'
    assert "ReturnValuesOnConditionCheckFailure" not in sent
    both = [f"SELECT likes FROM \"{table}\" WHERE PK = 'POST#a91f' AND SK = '{sort}'" for sort in ("META", "GONE")]
    transaction = StatementTransaction(tuple(map(BoundStatement, both)), new_token())
    assert done(requests, transaction) == ({"likes": Number("41")}, None)


def test_a_select_that_goes_on(requests: DynamoRequests, proxy: FaultProxy, table: str) -> None:
    proxy.always("ExecuteStatement", Rewrite(lambda body: body.update(NextToken="more")))
    answer = requests.send(statement(f'SELECT * FROM "{table}"'), Ticket())
    assert isinstance(answer, Done)
    assert answer.goes_on


def test_reads_are_sent_again_and_proven(requests: DynamoRequests, proxy: FaultProxy, table: str) -> None:
    snapshot = TransactGet((GetAction(table, POST), GetAction(table, GONE)))
    proxy.on("TransactGetItems", Cut(), times=2)
    assert len(done(requests, snapshot)) == 2
    assert proxy.counts["TransactGetItems"] == 3
    proxy.always("TransactGetItems", Rewrite(lambda body: body["Responses"].pop()))
    with pytest.raises(DamagedReply, match="1 responses to 2 questions"):
        requests.send(snapshot, Ticket())


def test_a_snapshot_that_is_refused_says_which_item_is_held(
    requests: DynamoRequests, proxy: FaultProxy, table: str
) -> None:
    reasons = [{"Code": "None"}, {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}]
    proxy.always("TransactGetItems", error("TransactionCanceledException", more={"CancellationReasons": reasons}))
    answer = requests.send(TransactGet((GetAction(table, POST), GetAction(table, GONE))), Ticket())
    assert isinstance(answer, Refused)
    assert [reason.code for reason in answer.reasons] == ["None", "TransactionConflict"]
    assert (answer.will_pass, answer.request_id) == (True, "REQUEST7")
    assert proxy.counts["TransactGetItems"] == 1


# ------------------------------------------------------------------------------------------------------ single writes


def test_single_writes_tell_what_was_there(requests: DynamoRequests, table: str, stored: Stored) -> None:
    liked: Item = {**LIKE, "at": Map({"by": Binary(b"\xff")})}
    assert done(requests, SingleWrite(PutAction(table, liked, NEW))) == (None,)
    assert done(requests, SingleWrite(PutAction(table, LIKE))) == (liked,)
    assert done(requests, SingleWrite(DeleteAction(table, LIKE))) == (LIKE,)
    assert done(requests, SingleWrite(DeleteAction(table, LIKE))) == (None,)
    assert done(requests, SingleWrite(UpdateAction(table, POST, ADD_ONE))) == (
        {**POST, "likes": Number("42"), "blob": Binary(b"\x00")},
    )
    assert stored.likes == "42"
    assert stored.item("LIKE#ann") is None


@pytest.mark.parametrize("attributes", [{}, {"Attributes": {}}])
def test_what_takes_away_from_no_item_is_done_and_leaves_none(
    requests: DynamoRequests, proxy: FaultProxy, table: str, attributes: dict[str, object]
) -> None:
    """The service makes no item then, as emulators do."""

    def without_item(reply: dict[str, Any]) -> None:
        del reply["Attributes"]
        reply |= attributes

    proxy.on("UpdateItem", Rewrite(without_item))
    done = requests.send(SingleWrite(UpdateAction(table, GONE, parse_changes("REMOVE likes"))), Ticket())
    assert isinstance(done, Done)
    assert done.items == (None,)
    proxy.on("UpdateItem", Rewrite(without_item))
    with pytest.raises(OutcomeUnknown):
        requests.send(SingleWrite(UpdateAction(table, POST, parse_changes("SET likes = 5"))), Ticket())
    requests.send(SingleWrite(DeleteAction(table, GONE)), Ticket())


def test_a_condition_that_does_not_hold_shows_the_item(requests: DynamoRequests, table: str, stored: Stored) -> None:
    answer = requests.send(SingleWrite(UpdateAction(table, POST, ADD_ONE, parse_where("likes < 10"))), Ticket())
    assert isinstance(answer, Refused)
    (reason,) = answer.reasons
    assert (reason.code, reason.found) == (
        "ConditionalCheckFailed",
        {**POST, "likes": Number("41"), "blob": Binary(b"\x00")},
    )
    assert not answer.will_pass
    assert stored.likes == "41"


@pytest.mark.parametrize("fault", [LoseReply(), Cut(), Rewrite(status=500, body=error("InternalServerError").body)])
def test_without_a_trustworthy_answer_the_outcome_is_unknown(
    requests: DynamoRequests, proxy: FaultProxy, table: str, stored: Stored, fault: Fault
) -> None:
    proxy.always("UpdateItem", fault)
    with pytest.raises(OutcomeUnknown):
        requests.send(SingleWrite(UpdateAction(table, POST, ADD_ONE)), Ticket())
    assert proxy.counts["UpdateItem"] == 1
    assert stored.likes == "42"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("TransactionConflictException", Busy),
        ("ProvisionedThroughputExceededException", Throttled),
        ("ResourceNotFoundException", TableMissing),
        ("ValidationException", InvalidRequest),
    ],
)
def test_a_refusal_is_certain(
    requests: DynamoRequests, proxy: FaultProxy, table: str, code: str, expected: type[DynodeskError]
) -> None:
    proxy.always("UpdateItem", error(code))
    with pytest.raises(expected) as raised:
        requests.send(SingleWrite(UpdateAction(table, POST, ADD_ONE)), Ticket())
    assert raised.value.written == "nothing"
    assert proxy.counts["UpdateItem"] == 1


# ------------------------------------------------------------------------------------------------------- transactions


def test_a_like_sent_twice_with_one_token_counts_once(requests: DynamoRequests, table: str, stored: Stored) -> None:
    request = like(table, new_token())
    assert done(requests, request) == done(requests, request) == ()
    assert stored.likes == "42"


def test_a_cancelled_transaction_names_the_action_and_shows_its_item(
    requests: DynamoRequests, table: str, stored: Stored
) -> None:
    request = TransactWrite(
        (
            CheckAction(table, GONE, NEW),
            UpdateAction(table, POST, ADD_ONE, parse_where("likes = 7")),
            PutAction(table, LIKE),
        ),
        new_token(),
    )
    answer = requests.send(request, Ticket())
    assert isinstance(answer, Refused)
    first, second, third = answer.reasons
    assert (first.code, third.code) == ("None", "None")
    assert second.code == "ConditionalCheckFailed"
    assert second.message
    assert second.found == {**POST, "likes": Number("41"), "blob": Binary(b"\x00")}
    assert stored.likes == "41"
    assert stored.item("LIKE#ann") is None


@pytest.mark.parametrize(
    "reasons",
    [
        *(None, [], [{"Code": "None"}], [{"Code": "None"}, "nonsense"], [{"Item": 1}] * 2),
        *(
            [{"Code": "ConditionalCheckFailed"}, {}],
            [{"Code": "None"}, {"Code": None}],
            [{"Code": ""}, {"Code": "None"}],
        ),
    ],
)
def test_reasons_that_do_not_fit_the_actions_are_not_believed(
    requests: DynamoRequests, proxy: FaultProxy, table: str, reasons: object
) -> None:
    proxy.always("TransactWriteItems", error("TransactionCanceledException", more={"CancellationReasons": reasons}))
    with pytest.raises(OutcomeUnknown):
        requests.send(like(table, new_token()), Ticket())


def test_conflicts_are_shown_beside_their_actions(requests: DynamoRequests, proxy: FaultProxy, table: str) -> None:
    reasons = [{"Code": "None"}, {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}]
    proxy.always("TransactWriteItems", error("TransactionCanceledException", more={"CancellationReasons": reasons}))
    answer = requests.send(like(table, new_token()), Ticket())
    assert isinstance(answer, Refused)
    assert answer.reasons[1] == ActionReason("TransactionConflict", "Transaction is ongoing for the item", None)
    assert answer.will_pass


def test_one_token_for_two_requests_is_refused(requests: DynamoRequests, table: str, stored: Stored) -> None:
    token = new_token()
    done(requests, like(table, token))
    with pytest.raises(InvalidRequest, match="token of this request was used") as raised:
        requests.send(TransactWrite((UpdateAction(table, POST, ADD_ONE),), token), Ticket())
    assert raised.value.hint
    assert stored.likes == "42"


def test_a_transaction_in_progress_may_be_done_yet(requests: DynamoRequests, proxy: FaultProxy, table: str) -> None:
    proxy.always("TransactWriteItems", error("TransactionInProgressException"))
    with pytest.raises(OutcomeUnknown):
        requests.send(like(table, new_token()), Ticket())


# --------------------------------------------------------------------------------------------- statements that write


def test_statements_that_write(requests: DynamoRequests, proxy: FaultProxy, table: str, stored: Stored) -> None:
    insert = statement(f"INSERT INTO \"{table}\" VALUE {{'PK': 'POST#a91f', 'SK': 'LIKE#ann', 'n': ?}}", Number("1"))
    assert done(requests, insert) == ()
    answer = requests.send(insert, Ticket())
    assert isinstance(answer, Refused)
    assert [reason.code for reason in answer.reasons] == ["DuplicateItem"]
    where = "WHERE PK = 'POST#a91f' AND SK = 'LIKE#ann'"
    assert done(requests, statement(f'UPDATE "{table}" SET n = 2 {where} AND n = 1')) == ()
    assert stored.item("LIKE#ann")["n"] == {"N": "2"}
    answer = requests.send(statement(f'DELETE FROM "{table}" {where} AND n = 1'), Ticket())
    assert isinstance(answer, Refused)
    assert [reason.code for reason in answer.reasons] == ["ConditionalCheckFailed"]
    assert proxy.bodies[-1][1]["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"
    assert stored.item("LIKE#ann")["n"] == {"N": "2"}


def test_statements_in_one_transaction(requests: DynamoRequests, table: str, stored: Stored) -> None:
    insert = BoundStatement(f"INSERT INTO \"{table}\" VALUE {{'PK': 'POST#a91f', 'SK': 'LIKE#ann'}}")
    count = BoundStatement(f"UPDATE \"{table}\" SET likes = likes + 1 WHERE PK = 'POST#a91f' AND SK = 'META'")
    request = StatementTransaction((insert, count), new_token())
    assert done(requests, request) == done(requests, request) == ()
    assert stored.likes == "42"
    answer = requests.send(StatementTransaction((count, insert), new_token()), Ticket())
    assert isinstance(answer, Refused)
    assert [reason.code == "None" for reason in answer.reasons] == [True, False]
    assert stored.likes == "42"


def test_what_is_no_statement_is_not_sent(requests: DynamoRequests, proxy: FaultProxy) -> None:
    with pytest.raises(InvalidExpression):
        requests.send(statement("DROP TABLE t"), Ticket())
    assert proxy.counts.total() == 0


# ----------------------------------------------------------------------------------------------- units, and the gate


def test_units_are_counted_by_table_and_index(requests: DynamoRequests, proxy: FaultProxy, meter: Meter) -> None:
    capacity = {
        "TableName": "T",
        "CapacityUnits": 6.0,
        "Table": {"CapacityUnits": 4.0},
        "GlobalSecondaryIndexes": {"ByActor": {"CapacityUnits": 2.0}},
    }
    other = {"TableName": "U", "CapacityUnits": 2.0}
    proxy.always("TransactWriteItems", Rewrite(body=b"{}", status=200))
    answer = requests.send(like("T", new_token()), Ticket())
    assert isinstance(answer, Done)
    assert answer.consumed == ()
    proxy.clear()
    said = Rewrite(lambda body: body.update(ConsumedCapacity=[capacity, other]), body=b"{}", status=200)
    proxy.always("TransactWriteItems", said)
    answer = requests.send(like("T", new_token()), Ticket())
    assert isinstance(answer, Done)
    assert {*answer.consumed} == {*meter.parts()}
    assert {*meter.parts()} == {
        Consumed("TransactWriteItems", "T", "ByActor", Decimal(2)),
        Consumed("TransactWriteItems", "T", "", Decimal(4)),
        Consumed("TransactWriteItems", "U", "", Decimal(2)),
    }


def test_a_read_only_connection_reads_and_sends_no_write(proxy: FaultProxy, table: str, stored: Stored) -> None:
    reading = open_clients(profile(proxy.url))
    requests = DynamoRequests(reading, Meter())
    assert len(done(requests, statement(f'SELECT * FROM "{table}"'))) == 1
    proxy.clear()
    writes: list[ComposedRequest] = [
        SingleWrite(UpdateAction(table, POST, ADD_ONE)),
        like(table, new_token()),
        statement(f"DELETE FROM \"{table}\" WHERE PK = 'POST#a91f' AND SK = 'META'"),
        StatementTransaction((BoundStatement(f"INSERT INTO \"{table}\" VALUE {{'PK': 'a', 'SK': 'b'}}"),), new_token()),
    ]
    for request in writes:
        with pytest.raises(ReadOnly):
            requests.send(request, Ticket())
    reading.close()
    assert proxy.counts.total() == 0
    assert stored.likes == "41"


def test_a_throttled_read_waits_and_a_throttled_write_does_not(
    requests: DynamoRequests, proxy: FaultProxy, table: str
) -> None:
    proxy.on("GetItem", THROTTLE, times=3)
    assert len(done(requests, SingleGet(GetAction(table, POST)))) == 1
    proxy.on("PutItem", THROTTLE)
    with pytest.raises(Throttled):
        requests.send(SingleWrite(PutAction(table, LIKE)), Ticket())
    assert (proxy.counts["GetItem"], proxy.counts["PutItem"]) == (4, 1)
