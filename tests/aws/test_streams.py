"""The stream reader on an emulator, and on a stand-in that does what emulators do not: shards that split and go."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from dynodesk.aws.calls import Calls
from dynodesk.aws.catalog import DynamoCatalog
from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.streams import EMPTY_IN_A_ROW, KEPT, DynamoStreams, OpenShards
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import DamagedReply, InvalidRequest, NotAllowed, TableMissing
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.streams import Start, StreamPart, StreamRecord, check_images
from dynodesk.domain.tables import TableInfo, TableStream
from dynodesk.domain.values import Number, String
from tests.aws.stream_server import ARN, Shard, StreamServer, record
from tests.aws.tables import make_table, plain_client, profile, unique
from tests.helpers.social import SCHEMA
from tests.helpers.virtual_clock import START, VirtualClock

LAG = 10.0
SOCIAL = TableInfo("Social", SCHEMA, stream=TableStream(ARN, "NEW_AND_OLD_IMAGES"))
NOW = START.timestamp()


@pytest.fixture
def server() -> Iterator[StreamServer]:
    with StreamServer() as running:
        yield running


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def streams(server: StreamServer, clock: VirtualClock) -> Iterator[DynamoStreams]:
    clients = open_clients(profile(server.url))
    calls_client = clients.stream_service()
    calls = Calls(clients, client=calls_client, sleep=lambda ticket, seconds: ticket.checkpoint())
    opened = DynamoStreams(clients, Meter(), clock=clock, calls=calls, lag=LAG)
    yield opened
    opened.close()
    calls_client.close()
    clients.close()


def sorts(records: tuple[StreamRecord, ...]) -> list[str]:
    return [record.key["SK"].text for record in records if isinstance(record.key["SK"], String)]


class Following:
    """Reads round after round, with time for the next one in between."""

    def __init__(self, streams: DynamoStreams, clock: VirtualClock, start: Start = "trim") -> None:
        self._clock = clock
        self._stream: OpenShards = streams.open(SOCIAL, start, Ticket())
        self.seen: list[str] = []
        self.lost: list[str] = []
        self.last: StreamPart | None = None

    def rounds(self, number: int, every: float = 1.0) -> StreamPart:
        for _ in range(number):
            part = self._stream.read(Ticket())
            assert self.last is None or part.read_to >= self.last.read_to
            self.last = part
            self.seen += sorts(part.records)
            self.lost += [part.lost] if part.lost else []
            self._clock.sleep(every, Ticket())
        assert self.last is not None
        return self.last


# A real emulator


def written(endpoint: str, view: str = "NEW_AND_OLD_IMAGES") -> str:
    """A table with a stream, and three writes to one item."""
    client: Any = plain_client(endpoint)
    name = unique("streamed")
    make_table(client, name=name)
    client.update_table(TableName=name, StreamSpecification={"StreamEnabled": True, "StreamViewType": view})
    key = {"PK": {"S": "POST#1"}, "SK": {"S": "META"}}
    client.put_item(TableName=name, Item={**key, "likeTally": {"N": "1"}})
    client.update_item(
        TableName=name,
        Key=key,
        UpdateExpression="ADD likeTally :by",
        ExpressionAttributeValues={":by": {"N": "2"}},
    )
    client.delete_item(TableName=name, Key=key)
    return name


def test_an_emulators_stream(endpoint: str) -> None:
    name = written(endpoint)
    clients = open_clients(profile(endpoint))
    streams = DynamoStreams(clients, Meter())
    table = DynamoCatalog(clients).describe(name, Ticket())
    check_images(table)
    stream = streams.open(table, "trim", Ticket())
    part = stream.read(Ticket())
    tallies = [
        tuple(None if image is None else image["likeTally"] for image in (each.old, each.new)) for each in part.records
    ]
    assert [each.event for each in part.records] == ["INSERT", "MODIFY", "REMOVE"]
    assert tallies == [(None, Number("1")), (Number("1"), Number("3")), (Number("3"), None)]
    assert {str(each.key["PK"]) for each in part.records} == {str(String("POST#1"))}
    assert not any(each.by_ttl for each in part.records)
    from_now = streams.open(table, "now", Ticket()).read(Ticket())
    assert from_now.records == ()
    assert from_now.known_from >= part.records[-1].at
    streams.close()
    clients.close()


def test_what_a_stream_must_carry(clients: Clients, catalog: DynamoCatalog, ministack: str) -> None:
    keys_only = catalog.describe(written(ministack, "KEYS_ONLY"), Ticket())
    with pytest.raises(InvalidRequest, match="carries KEYS_ONLY"):
        check_images(keys_only)
    without = catalog.describe(make_table(plain_client(ministack)), Ticket())
    assert without.stream is None
    with pytest.raises(InvalidRequest, match="has no stream"):
        check_images(without)
    streams = DynamoStreams(clients, Meter())
    with pytest.raises(InvalidRequest, match="has no stream"):
        streams.open(without, "now", Ticket())
    streams.close()


# Shards


def test_children_are_read_after_their_parents(
    server: StreamServer, streams: DynamoStreams, clock: VirtualClock
) -> None:
    server.shards = {
        "child-b": Shard("parent", [record("3", NOW)]),
        "child-a": Shard("parent", [record("4", NOW)]),
        "parent": Shard("gone long ago", [record("1", NOW - 60), record("2", NOW - 50)], ended=True),
    }
    server.page = 1
    following = Following(streams, clock)
    following.rounds(8)
    assert following.seen[:2] == ["1", "2"]
    assert sorted(following.seen[2:]) == ["3", "4"]
    assert following.lost == []


def test_a_shard_that_splits_while_it_is_read(
    server: StreamServer, streams: DynamoStreams, clock: VirtualClock
) -> None:
    server.write("first", record("1", NOW))
    following = Following(streams, clock, "now")
    assert following.rounds(2).records == ()
    server.write("first", record("2", NOW + 2))
    server.shards["first"].ended = True
    server.shards["left"] = Shard("first", [record("3", NOW + 3)])
    server.shards["right"] = Shard("first", [record("4", NOW + 3)])
    following.rounds(6)
    assert sorted(following.seen) == ["2", "3", "4"]
    assert following.seen[0] == "2"


def test_up_to_when_all_is_known(server: StreamServer, streams: DynamoStreams, clock: VirtualClock) -> None:
    server.write("busy", record("1", NOW))
    server.shards["quiet"] = Shard()
    following = Following(streams, clock, "now")
    part = following.rounds(1)
    assert part.read_to == -math.inf
    assert part.known_from == pytest.approx(NOW, abs=2)
    part = following.rounds(EMPTY_IN_A_ROW + int(LAG))
    told = clock.now() + NOW
    assert told - 2 * LAG < part.read_to < told - LAG + 1
    # By our clock it is the same moment, on the safe side of what the service's header leaves out.
    assert part.read_to - NOW - 2 <= part.caught_up <= part.read_to - NOW


def test_a_busy_shard_is_known_up_to_its_last_record(
    server: StreamServer, streams: DynamoStreams, clock: VirtualClock
) -> None:
    server.page = 1
    server.write("busy", *(record(f"{i}", NOW + i) for i in range(40)))
    following = Following(streams, clock)
    part = following.rounds(20)
    assert len(following.seen) == 20
    assert NOW + 19 - 1.5 * LAG <= part.read_to <= NOW + 19 - LAG  # no shard may have come since they were listed


def test_a_shard_is_left_alone_between_two_reads(
    server: StreamServer, streams: DynamoStreams, clock: VirtualClock
) -> None:
    server.write("only")
    following = Following(streams, clock)
    following.rounds(100, every=0.01)
    assert server.counts["GetRecords"] <= 4


def test_an_expired_place_is_found_again(server: StreamServer, streams: DynamoStreams, clock: VirtualClock) -> None:
    server.write("only", record("1", NOW))
    following = Following(streams, clock)
    following.rounds(1)
    server.write("only", record("2", NOW))
    server.expired.add("only")
    following.rounds(3)
    assert following.seen == ["1", "2"]
    assert following.lost == []
    assert ("GetShardIterator", {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": "1"}) in [
        (operation, {name: asked[name] for name in asked if name not in {"StreamArn", "ShardId"}})
        for operation, asked in server.asked
    ]


def test_a_place_that_expired_before_it_was_used_loses_records(
    server: StreamServer, streams: DynamoStreams, clock: VirtualClock
) -> None:
    server.write("only", record("1", NOW))
    following = Following(streams, clock, "now")
    server.expired.add("only")
    clock.sleep(900, Ticket())
    part = following.rounds(1)
    assert "expired" in part.lost
    assert part.known_from == pytest.approx(NOW + 900, abs=2)


def test_trimmed_records_are_told(server: StreamServer, streams: DynamoStreams, clock: VirtualClock) -> None:
    server.write("only", record("1", NOW))
    following = Following(streams, clock)
    following.rounds(1)
    server.write("only", record("2", NOW), record("3", NOW))
    server.shards["only"].trimmed = 2
    clock.sleep(KEPT, Ticket())
    following.rounds(3)
    assert following.seen == ["1", "3"]
    assert len(following.lost) == 1
    assert "24 hours" in following.lost[0]
    assert following.last is not None
    assert following.last.known_from == pytest.approx(NOW, abs=10)


def test_a_shard_that_goes_unread_is_told(server: StreamServer, streams: DynamoStreams, clock: VirtualClock) -> None:
    server.write("only", record("1", NOW))
    following = Following(streams, clock)
    following.rounds(1)
    server.shards = {"other": Shard(records=[record("9", NOW)])}
    following.rounds(8)
    assert following.seen == ["1", "9"]
    assert any("only" in lost for lost in following.lost)


def test_a_stream_that_is_switched_off(server: StreamServer, streams: DynamoStreams, clock: VirtualClock) -> None:
    server.write("only", record("1", NOW))
    following = Following(streams, clock)
    server.is_on = False
    server.shards["only"].ended = True
    with pytest.raises(TableMissing, match="switched off"):
        following.rounds(10)
    assert following.seen == ["1"]


def test_time_to_live_is_told_from_a_delete(server: StreamServer, streams: DynamoStreams, clock: VirtualClock) -> None:
    service = {"userIdentity": {"principalId": "dynamodb.amazonaws.com", "type": "Service"}}
    server.write("only", record("1", NOW, event="REMOVE", **service), record("2", NOW, event="REMOVE"))
    part = Following(streams, clock).rounds(1)
    assert [each.by_ttl for each in part.records] == [True, False]
    assert [each.new for each in part.records] == [None, None]


# Faults


@pytest.mark.parametrize("code", ["LimitExceededException", "ThrottlingException"])
def test_a_crowded_shard_is_asked_again(
    server: StreamServer, streams: DynamoStreams, clock: VirtualClock, code: str
) -> None:
    server.write("only", record("1", NOW))
    server.refusals = [("GetRecords", code)] * 3
    following = Following(streams, clock)
    following.rounds(1)
    assert following.seen == ["1"]
    assert server.counts["GetRecords"] == 4


def test_somebody_who_may_not_read_streams(server: StreamServer, streams: DynamoStreams) -> None:
    server.refusals = [("DescribeStream", "AccessDeniedException")]
    with pytest.raises(NotAllowed, match="dynamodb:DescribeStream"):
        streams.open(SOCIAL, "now", Ticket())


def test_cancelled_between_shards(server: StreamServer, streams: DynamoStreams) -> None:
    server.write("only", record("1", NOW))
    stream = streams.open(SOCIAL, "trim", Ticket())
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        stream.read(ticket)
    assert server.counts["GetRecords"] == 0


@pytest.mark.parametrize(
    "spoilt",
    [
        {"eventName": "UPSERT"},
        {"eventName": "INSERT", "dynamodb": {"Keys": {"PK": {"S": "a"}}}},
        {"eventName": "INSERT", "dynamodb": {"ApproximateCreationDateTime": 1, "Keys": {}}},
    ],
)
def test_a_record_that_is_none(
    server: StreamServer, streams: DynamoStreams, clock: VirtualClock, spoilt: dict[str, Any]
) -> None:
    server.write("only", {"dynamodb": {}, **spoilt})
    with pytest.raises(DamagedReply):
        Following(streams, clock).rounds(1)


def test_the_clock_of_the_service_is_its_own(streams: DynamoStreams, server: StreamServer, clock: VirtualClock) -> None:
    """`caught_up` is by our clock, whatever the service's shows."""
    server.write("only", record("1", NOW + timedelta(hours=1).total_seconds()))
    part = Following(streams, clock).rounds(1)
    assert part.caught_up <= clock.now()
