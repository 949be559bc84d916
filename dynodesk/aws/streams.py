"""Streams, shard by shard: parents before their children, each at its own pace, and nothing lost without saying so.

A stream has a shard for each part of its table, for some hours; then other shards follow it. Changes of one item are
in order within a shard and from a shard to those that follow it, so a shard is read to its end before its children
are begun.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from dynodesk.aws.calls import Calls, Reply
from dynodesk.aws.wire import Wire, damaged, item_of, key_of, list_of
from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import Clock, SystemClock
from dynodesk.domain.errors import InvalidRequest, IteratorExpired, RecordsTrimmed, TableMissing
from dynodesk.domain.progress import Ticket
from dynodesk.domain.streams import EVENTS, Start, StreamPart, StreamRecord
from dynodesk.domain.tables import TableInfo, TableStream
from dynodesk.domain.values import Item

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients

LAG_AT_AWS, LAG_ELSEWHERE = 10.0, 1.0
"""Seconds after which a change is taken to be readable. AWS names no limit and speaks of less than a second; an
emulator writes the record together with the item."""
QUICK, SLOW = 0.25, 1.0
"""Seconds between two reads of a shard: of one that has more, and of one that had nothing. A shard takes five reads a
second from all its readers together, of which there may be two (Developer Guide, "Change data capture")."""
EMPTY_IN_A_ROW = 3
"""Replies without a record that are taken for the end of what there is: one alone may only be a stretch without any."""
KEPT = 24 * 3600.0
"""Seconds for which a stream keeps its records."""

_TTL_PRINCIPAL = "dynamodb.amazonaws.com"


class DynamoStreams:
    """The `StreamReader` of a connection. `lag`: seconds after which a change is taken to be readable."""

    def __init__(
        self,
        clients: Clients,
        meter: Meter,
        *,
        clock: Clock | None = None,
        calls: Calls | None = None,
        lag: float | None = None,
    ) -> None:
        self._client = clients.stream_service()
        self._calls = calls or Calls(clients, meter, client=self._client)
        self._clock = clock or SystemClock()
        self._lag = lag if lag is not None else LAG_AT_AWS if clients.is_aws else LAG_ELSEWHERE

    def open(self, table: TableInfo, start: Start, ticket: Ticket) -> OpenShards:
        if table.stream is None:
            raise InvalidRequest(f"{table.name} has no stream", hint="Switch one on first.")
        opened = OpenShards(self._calls, self._clock, table.name, table.stream, self._lag)
        opened.begin(start, ticket)
        return opened

    def close(self) -> None:
        self._client.close()


@dataclass(slots=True)
class _Shard:
    id: str
    parent: str
    start: Start
    read_to: float
    """By the service's clock: what was written to the shard before has been read."""
    iterator: str = ""
    """Where to read on; empty: to be asked for."""
    sequence: str = ""
    """Of the last record read."""
    due: float = -math.inf
    empty_replies: int = 0
    ended_at: float | None = None
    """By our clock: when it was read to its end."""


@dataclass(frozen=True, slots=True)
class _Described:
    shards: tuple[Wire, ...]
    is_on: bool
    service_time: float


@dataclass(frozen=True, slots=True)
class _Read:
    records: tuple[StreamRecord, ...]
    following: str | None
    """The next iterator; None: the shard has ended."""
    service_time: float


@dataclass(slots=True)
class OpenShards:
    """The `OpenStream` of a table."""

    _calls: Calls
    _clock: Clock
    _table: str
    _stream: TableStream
    _lag: float
    _shards: dict[str, _Shard] = field(default_factory=dict)
    _described: _Described | None = None
    _described_at: float = -math.inf
    _known_from: float = -math.inf
    _read_to: float = -math.inf
    _ahead: float = 0.0
    """How far the service's clock may be ahead of ours."""
    _lost: str = ""

    def begin(self, start: Start, ticket: Ticket) -> None:
        described = self._describe(ticket, start)
        if start == "now":
            self._known_from = described.service_time + 1
        for shard in self._shards.values():
            if start == "now" and shard.ended_at is None:
                shard.iterator = self._iterator(shard, ticket)

    def read(self, ticket: Ticket) -> StreamPart:
        self._lost = ""
        if self._clock.now() >= self._described_at + self._lag / 2:
            self._describe(ticket)
        records: list[StreamRecord] = []
        for shard in tuple(self._shards.values()):
            if self._can_be_read(shard) and shard.due <= self._clock.now():
                ticket.wait_while_paused()
                ticket.checkpoint()
                records += self._read_shard(shard, ticket)
        self._read_to = max(self._read_to, min(self._bounds()))
        return StreamPart(
            self._table, tuple(records), self._read_to, self._read_to - self._ahead, self._known_from, self._lost
        )

    # -- which shards there are

    def _describe(self, ticket: Ticket, start: Start = "trim") -> _Described:
        asked = self._clock.now()
        described = self._all_shards(ticket)
        self._note_time(described.service_time, asked)
        # A shard that nobody heard of when the stream was last described holds nothing older than that.
        since = self._described.service_time - self._lag if self._described is not None else -math.inf
        for listed in described.shards:
            name = _text(listed, "ShardId")
            if name not in self._shards:
                self._shards[name] = _Shard(name, str(listed.get("ParentShardId") or ""), start, since)
                if start == "now" and _has_ended(listed):
                    self._end(self._shards[name], asked)
        for shard in self._shards.values():
            self._begin_after_parent(shard)
        self._described, self._described_at = described, asked
        self._forget({_text(listed, "ShardId") for listed in described.shards})
        if not described.is_on and all(shard.ended_at is not None for shard in self._shards.values()):
            raise TableMissing(f"The stream of {self._table} was switched off.", hint="Switch it on, and begin anew.")
        return described

    def _all_shards(self, ticket: Ticket) -> _Described:
        shards: list[Wire] = []
        parameters: Wire = {"StreamArn": self._stream.arn}

        def understand(reply: Reply) -> tuple[Wire, float]:
            described = reply.body.get("StreamDescription")
            if not isinstance(described, dict):
                raise damaged("it has no StreamDescription")
            found = list_of(described, "Shards")
            if not all(isinstance(shard, dict) for shard in found):
                raise damaged("a shard is not an object")
            return described, self._service_time(reply)

        times = []
        while True:
            described, time = self._calls.read(
                "DescribeStream", parameters, understand, table=self._table, ticket=ticket, done=len(shards)
            )
            shards += described["Shards"]
            times.append(time)
            last = described.get("LastEvaluatedShardId")
            if last is None:
                is_on = described.get("StreamStatus") in {"ENABLED", "ENABLING"}
                return _Described(tuple(shards), is_on, min(times))
            if parameters.get("ExclusiveStartShardId") == last:
                raise damaged("its cursor stays where it is, so the list would never end")
            parameters = {**parameters, "ExclusiveStartShardId": last}

    def _forget(self, listed: set[str]) -> None:
        """Shards that are no longer kept: their records are gone, read or not."""
        for name in self._shards.keys() - listed:
            if self._shards.pop(name).ended_at is None:
                self._lose(f"shard {name} is no longer kept, and was not read to its end", self._now_at_service())

    def _can_be_read(self, shard: _Shard) -> bool:
        parent = self._shards.get(shard.parent)
        return shard.ended_at is None and (parent is None or parent.ended_at is not None)

    def _end(self, shard: _Shard, at: float) -> None:
        shard.ended_at = at
        for other in self._shards.values():
            self._begin_after_parent(other)

    def _begin_after_parent(self, shard: _Shard) -> None:
        parent = self._shards.get(shard.parent)
        if parent is not None and parent.ended_at is not None:
            shard.read_to = max(shard.read_to, parent.read_to)

    def _bounds(self) -> Iterator[float]:
        """The moments up to which everything was read, of each shard that may bring more."""
        if self._described is not None:
            yield self._described.service_time - self._lag
        parents = {shard.parent for shard in self._shards.values()}
        for shard in self._shards.values():
            # A shard that waits for its parent is bounded by that. What follows a shard may not be listed at once.
            if self._can_be_read(shard) or (shard.id not in parents and self._may_go_on(shard)):
                yield shard.read_to

    def _may_go_on(self, shard: _Shard) -> bool:
        return shard.ended_at is not None and self._described_at < shard.ended_at + self._lag

    # -- what is in a shard

    def _read_shard(self, shard: _Shard, ticket: Ticket) -> tuple[StreamRecord, ...]:
        asked = self._clock.now()
        try:
            shard.iterator = shard.iterator or self._iterator(shard, ticket)
            read = self._get_records(shard, ticket)
        except IteratorExpired:
            shard.iterator = ""
            if not shard.sequence and shard.start == "now":
                self._lose(f"the place in shard {shard.id} expired before anything was read there", math.inf)
            return ()
        except RecordsTrimmed:
            shard.iterator, shard.sequence, shard.start = "", "", "trim"
            self._lose(f"records of shard {shard.id} are older than 24 hours and gone", self._now_at_service() - KEPT)
            return ()
        except TableMissing:
            self._lose(f"shard {shard.id} is gone", self._now_at_service())
            del self._shards[shard.id]
            return ()
        self._note_time(read.service_time, asked)
        if shard.start == "now" and not shard.sequence and shard.due == -math.inf:
            self._known_from = max(self._known_from, read.service_time + 1)
        self._go_on(shard, read, asked)
        return read.records

    def _go_on(self, shard: _Shard, read: _Read, asked: float) -> None:
        shard.empty_replies = 0 if read.records else shard.empty_replies + 1
        is_at_tip = shard.empty_replies >= EMPTY_IN_A_ROW
        shard.due = asked + (SLOW if is_at_tip else QUICK)
        if read.records:
            shard.sequence = read.records[-1].sequence
            shard.read_to = max(shard.read_to, read.records[-1].at - 1)
        elif is_at_tip:
            shard.read_to = max(shard.read_to, read.service_time - self._lag)
        if read.following is None:
            self._end(shard, asked)
            self._described_at = -math.inf  # its children are needed
        else:
            shard.iterator = read.following

    def _iterator(self, shard: _Shard, ticket: Ticket) -> str:
        parameters: Wire = {"StreamArn": self._stream.arn, "ShardId": shard.id}
        if shard.sequence:
            parameters |= {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": shard.sequence}
        else:
            parameters["ShardIteratorType"] = "LATEST" if shard.start == "now" else "TRIM_HORIZON"

        def understand(reply: Reply) -> str:
            if shard.start == "trim" and not shard.sequence:
                self._known_from = max(self._known_from, self._service_time(reply) - KEPT)
            return _text(reply.body, "ShardIterator")

        return self._calls.read("GetShardIterator", parameters, understand, table=self._table, ticket=ticket)

    def _get_records(self, shard: _Shard, ticket: Ticket) -> _Read:
        def understand(reply: Reply) -> _Read:
            records = tuple(map(self._record, list_of(reply.body, "Records")))
            last = int(shard.sequence or -1)
            for record in records:
                if int(record.sequence) <= last:
                    raise damaged(f"a shard of {self._table} gives its records twice or out of order")
                last = int(record.sequence)
            following = reply.body.get("NextShardIterator")
            return _Read(records, str(following) if following else None, self._service_time(reply))

        return self._calls.read(
            "GetRecords", {"ShardIterator": shard.iterator}, understand, table=self._table, ticket=ticket
        )

    def _record(self, found: object) -> StreamRecord:
        if not isinstance(found, dict) or not isinstance(found.get("dynamodb"), dict):
            raise damaged("a record is not an object")
        change: Wire = found["dynamodb"]
        event, at, sequence = found.get("eventName"), change.get("ApproximateCreationDateTime"), None
        if event not in EVENTS or not isinstance(at, int | Decimal):
            raise damaged("a record does not say what happened, or when")
        sequence = _text(change, "SequenceNumber")
        if not sequence.isdecimal():
            raise damaged("a record has no place in its shard")
        by = found.get("userIdentity")
        by_ttl = isinstance(by, dict) and _TTL_PRINCIPAL in {by.get("PrincipalId"), by.get("principalId")}
        place = f"a record of {self._table}"
        return StreamRecord(
            EVENTS[EVENTS.index(event)],
            key_of(change.get("Keys"), f"the key in {place}"),
            _image(change, "OldImage", place),
            _image(change, "NewImage", place),
            float(at),  # a time, not data
            by_ttl,
            sequence,
        )

    # -- what time it is

    def _service_time(self, reply: Reply) -> float:
        """The service's clock when it answered; an endpoint that tells none is on this computer."""
        try:
            return parsedate_to_datetime(reply.date).timestamp()
        except ValueError:
            return math.floor(datetime.fromisoformat(self._clock.utc()).timestamp())

    def _note_time(self, service_time: float, asked: float) -> None:
        self._ahead = service_time + 1 - asked  # the header leaves out what is less than a second

    def _now_at_service(self) -> float:
        return self._clock.now() + self._ahead

    def _lose(self, why: str, known_from: float) -> None:
        self._lost = self._lost or why
        self._known_from = max(self._known_from, min(known_from, self._now_at_service()))


def _has_ended(described: Wire) -> bool:
    sequences = described.get("SequenceNumberRange")
    return isinstance(sequences, dict) and bool(sequences.get("EndingSequenceNumber"))


def _image(change: Wire, name: str, place: str) -> Item | None:
    return item_of(change[name], f"{name} in {place}") if change.get(name) is not None else None


def _text(described: Wire, name: str) -> str:
    found = described.get(name)
    if not isinstance(found, str) or not found:
        raise damaged(f"it has no {name}")
    return found
