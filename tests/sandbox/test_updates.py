"""What an update leaves of nothing, in the sandbox. Emulators make an item of its key; the service does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dynodesk.sandbox.sample_table import create_request
from tests.sandbox.test_transactions import COUNTERS, Server

pytestmark = pytest.mark.server
TAKE_AWAY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("REMOVE n", {}),
    ("REMOVE #set", {"ExpressionAttributeNames": {"#set": "SET"}}),
    ("DELETE t :t", {"ExpressionAttributeValues": {":t": {"SS": ["a"]}}}),
)


@pytest.fixture(params=[(), ("sort",)], ids=["without a sort key", "with a sort key"])
def sandbox(request: pytest.FixtureRequest, moto: str) -> Iterator[tuple[Server, dict[str, Any]]]:
    server = Server(moto)
    keys = ["id", *request.param]
    create = create_request(COUNTERS, [(name, "S") for name in keys])
    create["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert server.ask("CreateTable", **create)[0] == ""
    yield server, {name: {"S": "none"} for name in keys}
    server.ask("DeleteTable", TableName=COUNTERS)


def stored(server: Server) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = server.ask("Scan", TableName=COUNTERS, ConsistentRead=True)[1]["Items"]
    return items


def changes(server: Server) -> list[str]:
    arn = server.ask("DescribeTable", TableName=COUNTERS)[1]["Table"]["LatestStreamArn"]
    (shard,) = server.ask("DescribeStream", StreamArn=arn)[1]["StreamDescription"]["Shards"]
    at = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = server.ask("GetShardIterator", **at)[1]["ShardIterator"]
    return [record["eventName"] for record in server.ask("GetRecords", ShardIterator=iterator)[1]["Records"]]


def test_what_only_takes_away_makes_no_item(sandbox: tuple[Server, dict[str, Any]]) -> None:
    server, key = sandbox
    for expression, more in TAKE_AWAY:
        asked = {"TableName": COUNTERS, "Key": key, "UpdateExpression": expression, **more}
        error, reply = server.ask("UpdateItem", **asked, ReturnValues="ALL_NEW")
        assert (error, reply.get("Attributes", {})) == ("", {})
        assert server.write({"Update": asked})[0] == ""
    assert (stored(server), changes(server)) == ([], [])


def test_whatever_else_an_update_does_makes_or_keeps_the_item(sandbox: tuple[Server, dict[str, Any]]) -> None:
    server, key = sandbox
    asked = {"TableName": COUNTERS, "Key": key}
    both = {**asked, "UpdateExpression": "REMOVE t ADD n :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}
    assert server.ask("UpdateItem", **both)[0] == ""
    assert server.ask("UpdateItem", **asked, UpdateExpression="REMOVE n")[0] == ""
    assert stored(server) == [key]
    assert changes(server)[-1] == "MODIFY"
