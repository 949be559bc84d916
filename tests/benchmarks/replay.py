"""A server of Scan that only sends bytes which lie ready: the same to everyone who asks, at next to no cost.

`python -m tests.benchmarks.replay FOLDER` prints its address in a line, and ends with its standard input.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

from tests.benchmarks.replay_pages import PROJECTED, TABLE, Replies, reply

_DESCRIPTION = reply(
    json.dumps(
        {
            "Table": {
                "TableName": TABLE,
                "TableStatus": "ACTIVE",
                "TableArn": f"arn:aws:dynamodb:us-east-1:123456789012:table/{TABLE}",
                "CreationDateTime": 1_760_000_000,
                "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
                "KeySchema": [
                    {"AttributeName": "PK", "KeyType": "HASH"},
                    {"AttributeName": "SK", "KeyType": "RANGE"},
                ],
            }
        }
    ).encode()
)


_TABLES = reply(json.dumps({"TableNames": [TABLE]}).encode())


class _Scans:
    """The replies to Scans of one kind: of whole items, or projected."""

    def __init__(self, folder: Path, name: str) -> None:
        self._file = (folder / f"{name}.bin").open("rb")
        self._replies = Replies(**json.loads((folder / f"{name}.json").read_text(encoding="ascii")))
        self._after = {(pk, sk): number + 1 for number, (pk, sk) in enumerate(self._replies.cursors)}

    def send(self, to: socket.socket, request: dict[str, Any]) -> None:
        pages = len(self._replies.pages)
        segment, segments = request.get("Segment", 0), request.get("TotalSegments", 1)
        number, end = pages * segment // segments, pages * (segment + 1) // segments
        start = request.get("ExclusiveStartKey")
        if start is not None:
            number = self._after[start["PK"]["S"], start["SK"]["S"]]
        offset, length = self._replies.pages[number] if number < end else self._replies.last
        while length:
            sent = os.sendfile(to.fileno(), self._file.fileno(), offset, length)
            offset, length = offset + sent, length - sent


class _Connection(StreamRequestHandler):
    disable_nagle_algorithm = True
    server: _Server

    def handle(self) -> None:
        while self.rfile.readline().startswith(b"POST "):
            operation, length = "", 0
            while (line := self.rfile.readline().strip()) != b"":
                name, _, value = line.decode("latin-1").partition(":")
                if name.lower() == "content-length":
                    length = int(value)
                elif name.lower() == "x-amz-target":
                    operation = value.rpartition(".")[2].strip()
            self._answer(operation, json.loads(self.rfile.read(length)))

    def _answer(self, operation: str, request: dict[str, Any]) -> None:
        if operation == "DescribeTable":
            self.request.sendall(_DESCRIPTION)
        elif operation == "ListTables":
            self.request.sendall(_TABLES)
        elif operation != "Scan" or request["TableName"] != TABLE:
            raise ValueError(f"only Scans of {TABLE} are answered, not {operation} {request}")
        else:
            self.server.scans[_is_projected(request)].send(self.request, request)


def _is_projected(request: dict[str, Any]) -> bool:
    expression = request.get("ProjectionExpression")
    if expression is None:
        return False
    names = request.get("ExpressionAttributeNames", {})
    wanted = {names.get(name.strip(), name.strip()) for name in expression.split(",")}
    if wanted != set(PROJECTED):
        raise ValueError(f"no replies lie ready for a projection to {expression} {names}")
    return True


class _Server(ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder: Path) -> None:
        self.scans = {False: _Scans(folder, "whole"), True: _Scans(folder, "projected")}
        super().__init__(("127.0.0.1", 0), _Connection)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.replay", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def main() -> None:
    with _Server(Path(sys.argv[1])) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)  # noqa: T201
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main()
