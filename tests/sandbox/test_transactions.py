"""The same transactions and expressions to the sandbox and to another emulator, which answer them alike."""

import http.client
import json
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest
from moto.core.exceptions import JsonRESTError
from moto.core.responses import ActionResult

from dynodesk.sandbox.sample_table import create_request
from dynodesk.sandbox.seed import AUTHORIZATION
from dynodesk.sandbox.transactions import Tokens

pytestmark = pytest.mark.server

COUNTERS = "transacted-counters"
STREAMS = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}
ONE = {":one": {"N": "1"}}


@dataclass(frozen=True)
class Server:
    """An emulator with an empty table `COUNTERS`."""

    endpoint: str

    def ask(self, operation: str, **parameters: Any) -> tuple[str, dict[str, Any]]:
        """The name of the error, or "", and the decoded reply."""
        connection = http.client.HTTPConnection(urlsplit(self.endpoint).netloc, timeout=30)
        service = "DynamoDBStreams" if operation in STREAMS else "DynamoDB"
        headers = {
            "X-Amz-Target": f"{service}_20120810.{operation}",
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": AUTHORIZATION,
        }
        connection.request("POST", "/", json.dumps(parameters), headers)
        response = connection.getresponse()
        reply: dict[str, Any] = json.loads(response.read())
        connection.close()
        if response.status == 200:
            return "", reply
        assert response.status == 400, reply
        return reply["__type"].rpartition("#")[2], reply

    def write(self, *actions: dict[str, Any], **parameters: Any) -> tuple[str, dict[str, Any]]:
        return self.ask("TransactWriteItems", TransactItems=actions, **parameters)

    def reasons(self, *actions: dict[str, Any]) -> list[dict[str, Any]]:
        error, reply = self.write(*actions)
        assert error == "TransactionCanceledException"
        reasons: list[dict[str, Any]] = reply["CancellationReasons"]
        return reasons

    def items(self) -> dict[str, str | None]:
        """The number of each counter by its id."""
        _, reply = self.ask("Scan", TableName=COUNTERS, ConsistentRead=True)
        return {item["id"]["S"]: item["n"]["N"] for item in reply["Items"]}


@pytest.fixture(params=["sandbox", "ministack"])
def server(request: pytest.FixtureRequest, moto: str, ministack: str) -> Iterator[Server]:
    server = Server({"sandbox": moto, "ministack": ministack}[request.param])
    create = create_request(COUNTERS, [("id", "S")])
    create["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert server.ask("CreateTable", **create)[0] == ""
    yield server
    server.ask("DeleteTable", TableName=COUNTERS)


def put(name: str, number: int = 1, **more: Any) -> dict[str, Any]:
    return {"Put": {"TableName": COUNTERS, "Item": {"id": {"S": name}, "n": {"N": str(number)}}, **more}}


def update(name: str, expression: str = "ADD n :one", **more: Any) -> dict[str, Any]:
    values = {"ExpressionAttributeValues": ONE}
    return {
        "Update": {"TableName": COUNTERS, "Key": {"id": {"S": name}}, "UpdateExpression": expression, **values, **more}
    }


def new_token() -> str:
    return str(uuid.uuid4())


def test_a_transaction_sent_again_with_its_token_counts_once(server: Server) -> None:
    token = new_token()
    for _ in range(3):
        assert server.write(update("likes"), put("child"), ClientRequestToken=token)[0] == ""
    assert server.items() == {"likes": "1", "child": "1"}
    assert server.write(update("likes"), put("child"), ClientRequestToken=new_token())[0] == ""
    assert server.write(update("likes"))[0] == ""
    assert server.items()["likes"] == "3"


def test_transactions_at_the_same_time_all_count(server: Server) -> None:
    def like(thread: int) -> None:
        for number in range(5):
            assert server.write(put(f"{thread}-{number}"), update("likes"), ClientRequestToken=new_token())[0] == ""

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(like, range(8)))
    stored = server.items()
    assert (stored["likes"], len(stored)) == ("40", 41)


def test_a_token_with_other_content_is_refused(server: Server) -> None:
    token = new_token()
    server.write(update("likes"), ClientRequestToken=token)
    for actions, more in (
        ([update("others")], {}),
        ([update("likes"), put("child")], {}),
        ([update("likes")], {"ReturnConsumedCapacity": "TOTAL"}),
    ):
        error, reply = server.write(*actions, ClientRequestToken=token, **more)
        assert error == "IdempotentParameterMismatchException"
        assert reply["message"]
    assert server.items() == {"likes": "1"}


def test_a_cancelled_transaction_may_be_sent_again_with_its_token(server: Server) -> None:
    token = new_token()
    guarded = update("likes", ConditionExpression="attribute_exists(id)")
    assert server.write(guarded, ClientRequestToken=token)[0] == "TransactionCanceledException"
    server.write(put("likes", 41))
    assert server.write(guarded, ClientRequestToken=token)[0] == ""
    assert server.write(guarded, ClientRequestToken=token)[0] == ""
    assert server.items() == {"likes": "42"}


def test_binary_values_are_part_of_what_a_token_stands_for(server: Server) -> None:
    token = new_token()

    def with_bytes(data: str) -> dict[str, Any]:
        return {"Put": {"TableName": COUNTERS, "Item": {"id": {"S": "b"}, "n": {"N": "1"}, "data": {"B": data}}}}

    assert server.write(with_bytes("AP8="), ClientRequestToken=token)[0] == ""
    assert server.write(with_bytes("AP8="), ClientRequestToken=token)[0] == ""
    assert server.write(with_bytes("AP4="), ClientRequestToken=token)[0] == "IdempotentParameterMismatchException"


def test_statements_are_told_apart_by_their_token_too(server: Server) -> None:
    token = new_token()
    create = {"Statement": "INSERT INTO \"transacted-counters\" VALUE {'id': 'likes', 'n': 1}"}
    assert server.ask("ExecuteTransaction", TransactStatements=[create], ClientRequestToken=token)[0] == ""
    server.ask("DeleteItem", TableName=COUNTERS, Key={"id": {"S": "likes"}})
    assert server.ask("ExecuteTransaction", TransactStatements=[create], ClientRequestToken=token)[0] == ""
    assert server.items() == {}
    other = {"Statement": create["Statement"].replace("likes", "others")}
    error, _ = server.ask("ExecuteTransaction", TransactStatements=[other], ClientRequestToken=token)
    assert error == "IdempotentParameterMismatchException"


def test_a_cancelled_transaction_gives_a_reason_for_each_action_and_writes_nothing(server: Server) -> None:
    server.write(put("likes", 41), put("other", 7))
    old: dict[str, Any] = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    reasons = server.reasons(
        put("likes", ConditionExpression="attribute_not_exists(id)", **old),
        put("child"),
        update("missing", ConditionExpression="attribute_exists(id)", **old),
        {"Delete": {"TableName": COUNTERS, "Key": {"id": {"S": "other"}}}},
        update("unshown", ConditionExpression="attribute_exists(id)"),
    )
    assert [reason["Code"] for reason in reasons] == [
        "ConditionalCheckFailed",
        "None",
        "ConditionalCheckFailed",
        "None",
        "ConditionalCheckFailed",
    ]
    assert [reason.get("Item") for reason in reasons] == [{"id": {"S": "likes"}, "n": {"N": "41"}}] + [None] * 4
    assert server.items() == {"likes": "41", "other": "7"}


def test_an_action_that_does_not_fit_its_item_is_one_reason_among_others(server: Server) -> None:
    server.write(put("likes", 41))
    reasons = server.reasons(
        put("child"),
        update("missing", "SET n = n + :one"),
        update("likes", "SET a.b = :one"),
        put("other", ConditionExpression="attribute_exists(id)"),
    )
    assert [reason["Code"] for reason in reasons] == [
        "None",
        "ValidationError",
        "ValidationError",
        "ConditionalCheckFailed",
    ]
    assert reasons[1]["Message"] == "The provided expression refers to an attribute that does not exist in the item"
    assert server.items() == {"likes": "41"}


def test_a_transaction_of_statements_is_done_whole_or_not_at_all(server: Server) -> None:
    server.write(put("likes", 41))
    statements = [
        {"Statement": 'UPDATE "transacted-counters" SET n = 42 WHERE id = ?', "Parameters": [{"S": "likes"}]},
        {"Statement": 'UPDATE "transacted-counters" SET'},
    ]
    connection = http.client.HTTPConnection(urlsplit(server.endpoint).netloc, timeout=30)
    connection.request(
        "POST",
        "/",
        json.dumps({"TransactStatements": statements}),
        {"X-Amz-Target": "DynamoDB_20120810.ExecuteTransaction", "Authorization": AUTHORIZATION},
    )
    response = connection.getresponse()
    response.read()
    connection.close()
    assert response.status != 200
    assert server.items() == {"likes": "41"}


def test_who_follows_a_stream_sees_what_comes_after_a_cancelled_transaction(server: Server) -> None:
    (stream,) = server.ask("ListStreams", TableName=COUNTERS)[1]["Streams"]
    described = server.ask("DescribeStream", StreamArn=stream["StreamArn"])[1]["StreamDescription"]
    _, begun = server.ask(
        "GetShardIterator",
        StreamArn=stream["StreamArn"],
        ShardId=described["Shards"][0]["ShardId"],
        ShardIteratorType="TRIM_HORIZON",
    )
    server.write(put("before"))
    server.reasons(put("never"), put("missing", ConditionExpression="attribute_exists(id)"))
    server.write(put("after"))
    _, page = server.ask("GetRecords", ShardIterator=begun["ShardIterator"])
    assert [record["dynamodb"]["Keys"]["id"]["S"] for record in page["Records"]] == ["before", "after"]


@pytest.mark.parametrize("operation", ["TransactWriteItems", "ExecuteTransaction"])
def test_a_transaction_that_does_nothing_is_refused(server: Server, operation: str) -> None:
    actions = {"TransactWriteItems": "TransactItems", "ExecuteTransaction": "TransactStatements"}[operation]
    assert server.ask(operation, **{actions: []})[0] == "ValidationException"


def test_a_token_has_36_characters_at_the_most(server: Server) -> None:
    assert server.write(put("a"), ClientRequestToken="x" * 37)[0] == "ValidationException"
    assert server.write(put("a"), ClientRequestToken="x" * 36)[0] == ""


LONG = " OR ".join(["attribute_exists(n)"] * 180)
UNREADABLE = "attribute_exists("
UNDEFINED = "n = :nowhere"


@pytest.mark.parametrize("condition", [LONG, UNREADABLE, UNDEFINED])
def test_expressions_that_cannot_be_are_the_fault_of_the_request(server: Server, condition: str) -> None:
    server.write(put("likes"))
    key = {"TableName": COUNTERS, "Key": {"id": {"S": "likes"}}}
    asked: list[Callable[[], tuple[str, dict[str, Any]]]] = [
        lambda: server.write(put("likes", ConditionExpression=condition)),
        lambda: server.ask("PutItem", **put("likes", ConditionExpression=condition)["Put"]),
        lambda: server.ask("DeleteItem", **key, ConditionExpression=condition),
        lambda: server.ask("Scan", TableName=COUNTERS, FilterExpression=condition),
    ]
    assert [ask()[0] for ask in asked] == ["ValidationException"] * len(asked)


def test_an_update_may_be_as_long_as_an_expression_can_be(server: Server) -> None:
    longest = "SET n=:one"
    while len(longest) < 4064:
        longest += f",an_attribute_{len(longest):05}=:one"
    parameters = update("likes", longest)["Update"]
    assert server.ask("UpdateItem", **parameters)[0] == ""
    parameters["UpdateExpression"] = longest.ljust(4097)
    assert server.ask("UpdateItem", **parameters)[0] == "ValidationException"
    assert server.items() == {"likes": "1"}


def test_a_hundred_items_are_read_as_of_one_instant(server: Server) -> None:
    reads = [{"Get": {"TableName": COUNTERS, "Key": {"id": {"S": str(number)}}}} for number in range(101)]
    error, reply = server.ask("TransactGetItems", TransactItems=reads[:100])
    assert (error, len(reply["Responses"])) == ("", 100)
    assert server.ask("TransactGetItems", TransactItems=reads)[0] == "ValidationException"


def test_a_token_is_known_for_ten_minutes() -> None:
    now = 0.0
    tokens = Tokens(lambda: now)
    tokens.remember("one", b"content", ActionResult({"done": 1}))
    now = 599.9
    known = tokens.answer("one", b"content")
    assert known is not None
    assert known.result == {"done": 1}
    with pytest.raises(JsonRESTError):
        tokens.answer("one", b"other")
    now = 600.0
    assert tokens.answer("one", b"other") is None
