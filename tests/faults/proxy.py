"""A proxy on loopback that spoils what passes through it, by script.

    with FaultProxy(endpoint) as proxy:
        proxy.on("Query", Cut(at=100), nth=2)
        ... a client with endpoint_url=proxy.url ...
        assert proxy.counts["Query"] == 3

It stands for DynamoDB: a reply that it passes on, or makes, carries the right length and checksum, unless the fault
says otherwise.
"""

from __future__ import annotations

import json
import random
import socket
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

JSON = "application/x-amz-json-1.0"
_HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive", "date", "server", "x-amz-crc32"}


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def head(self) -> bytes:
        """The first line and the headers; a header given as "" is left out, one that is given is sent as it is."""
        headers = {
            "Content-Length": str(len(self.body)),
            "x-amz-crc32": str(zlib.crc32(self.body)),
            **self.headers,
        }
        lines = [f"{name}: {value}" for name, value in headers.items() if value]
        return "\r\n".join([f"HTTP/1.1 {self.status} Spoiled", *lines, "", ""]).encode("latin-1")


class Exchange:
    """One request on its way: what a fault works with."""

    def __init__(self, handler: _Handler, operation: str, body: bytes) -> None:
        self.operation, self.body = operation, body
        self._handler = handler

    def forwarded(self, body: bytes | None = None) -> Reply:
        """The server's reply to the request, or to another body in its place."""
        return self._handler.forward(self.body if body is None else body)

    def send(self, data: bytes) -> None:
        self._handler.wfile.write(data)

    def wait(self, seconds: float) -> None:
        """Returns early when the proxy closes."""
        self._handler.proxy.closing.wait(seconds)

    def hang_up(self) -> None:
        self._handler.close_connection = True


class Fault:
    """What happens to a request. The default passes it on and its reply back."""

    def apply(self, exchange: Exchange) -> None:
        reply = exchange.forwarded()
        exchange.send(reply.head() + reply.body)


PASS = Fault()


@dataclass(frozen=True)
class Delay(Fault):
    """The reply comes later."""

    seconds: float

    def apply(self, exchange: Exchange) -> None:
        exchange.wait(self.seconds)
        PASS.apply(exchange)


@dataclass(frozen=True)
class Drop(Fault):
    """The server never sees the request; the connection is closed without a byte."""

    def apply(self, exchange: Exchange) -> None:
        exchange.hang_up()


@dataclass(frozen=True)
class Hang(Fault):
    """The server never sees the request, and the connection stays open without a byte."""

    def apply(self, exchange: Exchange) -> None:
        exchange.wait(600)
        exchange.hang_up()


@dataclass(frozen=True)
class LoseReply(Fault):
    """The server acts on the request; the connection is closed without a byte of its reply."""

    def apply(self, exchange: Exchange) -> None:
        exchange.forwarded()
        exchange.hang_up()


@dataclass(frozen=True)
class Cut(Fault):
    """The reply ends after `at` bytes of its body, in the middle if not given. `head` changes headers before that."""

    at: int | None = None
    head: Mapping[str, str] = field(default_factory=dict)

    def apply(self, exchange: Exchange) -> None:
        reply = exchange.forwarded()
        end = len(reply.body) // 2 if self.at is None else self.at
        exchange.send(replace(reply, headers={**reply.headers, **self.head}).head() + reply.body[:end])
        exchange.hang_up()


@dataclass(frozen=True)
class Drip(Fault):
    """The reply comes a byte at a time."""

    seconds: float = 0.02

    def apply(self, exchange: Exchange) -> None:
        reply = exchange.forwarded()
        exchange.send(reply.head())
        for byte in reply.body:
            exchange.wait(self.seconds)
            exchange.send(bytes([byte]))


@dataclass(frozen=True)
class Rewrite(Fault):
    """The server acts on the request; its reply is changed: its object, its bytes, its headers or its status."""

    change: Callable[[dict[str, Any]], object] | None = None
    """Changes the decoded object in place."""
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None

    def apply(self, exchange: Exchange) -> None:
        reply = exchange.forwarded()
        body = reply.body if self.body is None else self.body
        if self.change is not None:
            decoded = json.loads(body)
            self.change(decoded)
            body = json.dumps(decoded).encode()
        # Said beforehand: a client that does not know would send its next request into a connection that is closing.
        headers = {**reply.headers, "Connection": "close", **self.headers}
        changed = Reply(self.status or reply.status, headers, body)
        exchange.send(changed.head() + changed.body)
        exchange.hang_up()


@dataclass
class LeaveOut(Fault):
    """Of each batch to write, the server sees only a part at first: the rest comes back unprocessed, once."""

    share: float
    known: set[str] = field(default_factory=set)

    def apply(self, exchange: Exchange) -> None:
        asked = json.loads(exchange.body)
        ((table, requests),) = asked["RequestItems"].items()
        new = [request for request in requests if json.dumps(request, sort_keys=True) not in self.known]
        left = new[len(new) - round(len(new) * self.share) :]
        self.known |= {json.dumps(request, sort_keys=True) for request in new}
        passed = [request for request in requests if request not in left]
        body = {}
        if passed:
            body = json.loads(exchange.forwarded(json.dumps({**asked, "RequestItems": {table: passed}}).encode()).body)
        body["UnprocessedItems"] = {table: left} if left else {}
        exchange.send(Reply(200, {"Content-Type": JSON}, json.dumps(body).encode()).head() + json.dumps(body).encode())


@dataclass(frozen=True)
class Answer(Fault):
    """The server never sees the request: this comes back."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": JSON})

    def apply(self, exchange: Exchange) -> None:
        exchange.send(Reply(self.status, self.headers, self.body).head() + self.body)


@dataclass(frozen=True)
class Raw(Fault):
    """The server never sees the request: these bytes come back."""

    data: bytes

    def apply(self, exchange: Exchange) -> None:
        exchange.send(self.data)
        exchange.hang_up()


def error(
    code: str, status: int = 400, message: str = "as the script says", more: Mapping[str, object] | None = None
) -> Answer:
    """An error reply of DynamoDB."""
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": message, **(more or {})}
    return Answer(status, json.dumps(body).encode(), {"Content-Type": JSON, "x-amzn-RequestId": "REQUEST7"})


THROTTLE = error("ProvisionedThroughputExceededException")
HTML = Answer(200, b"<!doctype html><html><body>Sign in to the network</body></html>", {"Content-Type": "text/html"})


@dataclass
class _Rule:
    operation: str
    fault: Fault
    nth: int
    times: int | None
    share: float
    met: int = 0

    def applies(self, chance: float) -> bool:
        self.met += 1
        in_turn = self.met >= self.nth and (self.times is None or self.met < self.nth + self.times)
        return in_turn and chance < self.share


class FaultProxy:
    """Serves on 127.0.0.1 until closed. `upstream` is the endpoint of an emulator."""

    def __init__(self, upstream: str) -> None:
        self.upstream = urlsplit(upstream).netloc
        self.counts: Counter[str] = Counter()
        """Requests that arrived, by operation."""
        self.bodies: list[tuple[str, dict[str, Any]]] = []
        """Requests that arrived, in order."""
        self.closing = threading.Event()
        self._rules: list[_Rule] = []
        self._chance = random.Random(7)
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.proxy = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="fault proxy")

    def on(self, operation: str, fault: Fault, *, nth: int = 1, times: int | None = 1, share: float = 1.0) -> None:
        """From the `nth` request of that kind from now on, `times` in a row (None: all), spoil this share of them."""
        with self._lock:
            self._rules.append(_Rule(operation, fault, nth, times, share))

    def always(self, operation: str, fault: Fault, *, share: float = 1.0) -> None:
        self.on(operation, fault, times=None, share=share)

    def clear(self) -> None:
        """Pass everything on again, and count from zero."""
        with self._lock:
            self._rules.clear()
            self.counts.clear()
            self.bodies.clear()

    def fault_for(self, operation: str, body: bytes) -> Fault:
        with self._lock:
            self.counts[operation] += 1
            self.bodies.append((operation, json.loads(body)))
            # Every rule counts every request of its kind, also those that an earlier rule spoils.
            chosen = [
                rule.fault
                for rule in self._rules
                if rule.operation == operation and rule.applies(self._chance.random())
            ]
        return chosen[0] if chosen else PASS

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True  # a kept-alive connection would hold its thread until the client goes
    request_queue_size = 64
    proxy: FaultProxy

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up in the middle of what it asked for is what half of the scripts are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    @property
    def proxy(self) -> FaultProxy:
        return self.server.proxy

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        operation = self.headers.get("X-Amz-Target", "").rpartition(".")[2]
        self.proxy.fault_for(operation, body).apply(Exchange(self, operation, body))
        self.wfile.flush()
        if self.close_connection:
            self.connection.shutdown(socket.SHUT_RDWR)

    def forward(self, body: bytes) -> Reply:
        upstream = HTTPConnection(self.proxy.upstream, timeout=30)
        try:
            upstream.request("POST", self.path, body, {**self.headers, "Content-Length": str(len(body))})
            answer = upstream.getresponse()
            data = answer.read()
            headers = {name: value for name, value in answer.getheaders() if name.lower() not in _HOP_BY_HOP}
            return Reply(answer.status, headers, data)
        finally:
            upstream.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        """Says nothing."""
