"""A stand-in for the streams service on a real socket: shards that split, end, are trimmed and refuse."""

from __future__ import annotations

import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

JSON = "application/x-amz-json-1.0"
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/Social/stream/2026-01-01T00:00:00.000"


def record(sort: str, at: float, *, event: str = "INSERT", **more: Any) -> dict[str, Any]:
    keys = {"PK": {"S": "POST#1"}, "SK": {"S": sort}}
    image = {"NewImage": keys} if event == "INSERT" else {"OldImage": keys}
    change = {"ApproximateCreationDateTime": at, "Keys": keys, **image, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    return {"eventName": event, "dynamodb": change, **more}


@dataclass
class Shard:
    parent: str = ""
    records: list[dict[str, Any]] = field(default_factory=list)
    """By sequence number, from 1. None of what was trimmed is left out: `trimmed` counts it."""
    trimmed: int = 0
    ended: bool = False


@dataclass(frozen=True)
class Refusal(Exception):
    code: str


class StreamServer:
    """Serves on 127.0.0.1 until closed."""

    def __init__(self) -> None:
        self.shards: dict[str, Shard] = {}
        self.is_on = True
        self.page = 100
        """Shards in one reply of DescribeStream, and records in one of GetRecords."""
        self.expired: set[str] = set()
        """Shards whose iterators expired once."""
        self.refusals: list[tuple[str, str]] = []
        """(operation, code) of requests to be refused, in order."""
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.streams = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="stream server")

    @property
    def counts(self) -> Counter[str]:
        return Counter(operation for operation, _ in self.asked)

    def write(self, shard: str, *records: dict[str, Any]) -> None:
        self.shards.setdefault(shard, Shard()).records += records

    def answer(self, operation: str, asked: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            self.asked.append((operation, asked))
            if self.refusals and self.refusals[0][0] == operation:
                raise Refusal(self.refusals.pop(0)[1])
            match operation:
                case "DescribeStream":
                    return {"StreamDescription": self._described(asked.get("ExclusiveStartShardId"))}
                case "GetShardIterator":
                    return {"ShardIterator": self._iterator(asked)}
                case "GetRecords":
                    return self._records(asked["ShardIterator"])
                case _:
                    raise Refusal("UnknownOperationException")

    def _described(self, after: str | None) -> dict[str, Any]:
        names = list(self.shards)
        begin = names.index(after) + 1 if after else 0
        page = names[begin : begin + self.page]
        more = {"LastEvaluatedShardId": page[-1]} if begin + self.page < len(names) else {}
        return {
            "StreamArn": ARN,
            "StreamStatus": "ENABLED" if self.is_on else "DISABLED",
            "Shards": [self._shard(name) for name in page],
            **more,
        }

    def _shard(self, name: str) -> dict[str, Any]:
        shard = self.shards[name]
        numbers = {"StartingSequenceNumber": "1"}
        if shard.ended:
            numbers["EndingSequenceNumber"] = str(len(shard.records))
        parent = {"ParentShardId": shard.parent} if shard.parent else {}
        return {"ShardId": name, "SequenceNumberRange": numbers, **parent}

    def _iterator(self, asked: dict[str, Any]) -> str:
        name = asked["ShardId"]
        if name not in self.shards:
            raise Refusal("ResourceNotFoundException")
        shard = self.shards[name]
        match asked["ShardIteratorType"]:
            case "LATEST":
                place = len(shard.records)
            case "TRIM_HORIZON":
                place = shard.trimmed
            case "AFTER_SEQUENCE_NUMBER":
                place = int(asked["SequenceNumber"])
        return f"{name} {place}"

    def _records(self, iterator: str) -> dict[str, Any]:
        name, _, place = iterator.rpartition(" ")
        if name in self.expired:
            self.expired.discard(name)
            raise Refusal("ExpiredIteratorException")
        if name not in self.shards:
            raise Refusal("ResourceNotFoundException")
        shard, begin = self.shards[name], int(place)
        if begin < shard.trimmed:
            raise Refusal("TrimmedDataAccessException")
        page = shard.records[begin : begin + self.page]
        end = begin + len(page)
        numbered = [
            {**found, "dynamodb": {**found["dynamodb"], "SequenceNumber": str(begin + i)}}
            for i, found in enumerate(page, 1)
        ]
        over = shard.ended and end == len(shard.records)
        return {"Records": numbered, **({} if over else {"NextShardIterator": f"{name} {end}"})}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True  # a kept-alive connection would hold its thread until the client goes
    streams: StreamServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the body waits 40 ms behind its header
    server: _Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        target = self.headers.get("X-Amz-Target", "")
        try:
            assert target.startswith("DynamoDBStreams_20120810."), target
            status, answer = 200, self.server.streams.answer(target.rpartition(".")[2], asked)
        except Refusal as refusal:
            status, answer = 400, {"__type": f"com.amazonaws.dynamodb.v20120810#{refusal.code}", "message": "so"}
        body = json.dumps(answer).encode()
        # Without the Date that `send_response` adds: the time is the clock's of the test.
        self.send_response_only(status)
        self.send_header("Content-Type", JSON)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        """Says nothing."""
