import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from werkzeug.test import EnvironBuilder, run_wsgi_app

from dynodesk.domain.errors import CannotConnect, InvalidRequest
from dynodesk.domain.expressions import Placeholders, parse_where
from dynodesk.domain.item_json import item_from_dynamodb, item_to_dynamodb
from dynodesk.sandbox.sample_table import create_request
from dynodesk.sandbox.seed import Api
from dynodesk.sandbox.server import LARGEST_BODY, OneAtATime, listening

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

TARGET = "DynamoDB_20120810.ListTables"


def answer(
    app: "WSGIApplication", body: bytes = b"{}", target: str = TARGET, length: int | None = None
) -> tuple[str, dict[str, Any]]:
    """Status and decoded body of the reply to one request, which may promise another length than it has."""
    environ = EnvironBuilder(method="POST", data=body, headers=[("X-Amz-Target", target)]).get_environ()
    if length is not None:
        environ["CONTENT_LENGTH"] = str(length)
    chunks, status, _ = run_wsgi_app(app, environ, buffered=True)
    return status, json.loads(b"".join(chunks))


def in_threads(count: int, work: Callable[[], object]) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class CrowdedApp:
    """Remembers the most requests that were inside it at once."""

    def __init__(self) -> None:
        self.most = 0
        self._inside = 0
        self._counting = threading.Lock()

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        with self._counting:
            self._inside += 1
            self.most = max(self.most, self._inside)
        start_response("200 OK", [])
        time.sleep(0.02)
        yield b"{}"  # half of the work is done while the reply is read
        time.sleep(0.02)
        with self._counting:
            self._inside -= 1


def test_one_request_at_a_time_reaches_the_application() -> None:
    unguarded = CrowdedApp()
    in_threads(8, lambda: answer(unguarded))
    assert unguarded.most > 1, "this test does not crowd the application"

    guarded = CrowdedApp()
    turnstile = OneAtATime(guarded)
    in_threads(8, lambda: answer(turnstile))
    assert guarded.most == 1


def test_a_request_that_fails_inside_gives_its_turn_back() -> None:
    def broken(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        raise ZeroDivisionError

    turnstile = OneAtATime(broken)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            answer(turnstile)


def test_only_dynamodb_is_let_in() -> None:
    app = CrowdedApp()
    for target in ("", "AmazonSSM.GetParameter", "TrentService.Encrypt"):
        status, said = answer(OneAtATime(app), target=target)
        assert (status, said["__type"].partition("#")[2]) == ("400 Bad Request", "UnknownOperationException")
    assert app.most == 0


def test_a_body_that_is_too_large_is_refused_unread() -> None:
    app = CrowdedApp()
    status, _ = answer(OneAtATime(app), body=b" " * (LARGEST_BODY + 1))
    assert status == "413 Content Too Large"
    assert app.most == 0


def test_a_body_that_ends_early_never_reaches_the_application() -> None:
    app = CrowdedApp()
    status, _ = answer(OneAtATime(app), body=b'{"TableName": "So', length=100)
    assert status == "400 Bad Request"
    assert app.most == 0


@pytest.mark.server
def test_a_slow_client_delays_nobody(sandbox: str) -> None:
    address = (urlsplit(sandbox).hostname, urlsplit(sandbox).port)
    head = f"POST / HTTP/1.1\r\nHost: sandbox\r\nX-Amz-Target: {TARGET}\r\nContent-Length: 2\r\n\r\n{{".encode()
    with socket.create_connection(address) as slow, socket.create_connection(address) as silent:
        slow.sendall(head)
        assert "Social" in Api(sandbox).call("ListTables", {})["TableNames"]
        slow.sendall(b"}")  # and it is served as soon as it has said everything
        assert slow.recv(12) == b"HTTP/1.1 200"
        silent.close()


@pytest.mark.server
def test_updates_at_the_same_time_all_count(sandbox: str) -> None:
    api = Api(sandbox)
    api.call("CreateTable", create_request("Counters", [("id", "S")]))
    update = {
        "TableName": "Counters",
        "Key": {"id": {"S": "all"}},
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    in_threads(8, lambda: [Api(sandbox).call("UpdateItem", update) for _ in range(10)])
    assert api.call("GetItem", {"TableName": "Counters", "Key": update["Key"]})["Item"]["n"] == {"N": "80"}
    api.call("DeleteTable", {"TableName": "Counters"})


@pytest.mark.server
@pytest.mark.parametrize(
    "authorization",
    [
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20250102/eu-west-1/dynamodb/aws4_request, Signature=ab",
        "AWS4-HMAC-SHA256 Credential=000000000042/20250102/us-east-1/dynamodb/aws4_request, Signature=ab",
        "Bearer nonsense",
        None,
    ],
)
def test_whatever_keys_and_region_are_used_the_tables_are_there(sandbox: str, authorization: str | None) -> None:
    connection = http.client.HTTPConnection(urlsplit(sandbox).netloc, timeout=10)
    headers = {"X-Amz-Target": TARGET} | ({"Authorization": authorization} if authorization else {})
    connection.request("POST", "/", b"{}", headers)
    assert "Social" in json.loads(connection.getresponse().read())["TableNames"]
    connection.close()


@pytest.mark.server
def test_a_server_that_is_left_alone_ends_before_it_has_filled_its_tables() -> None:
    command = [sys.executable, "-m", "dynodesk.sandbox.server", "--scale", "100"]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"")


def test_a_port_in_use_is_an_error_that_names_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotConnect, match=f"Port {port} on 127.0.0.1"):
            listening(port, CrowdedApp())


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_cannot_be_is_an_error(port: int) -> None:
    with pytest.raises(InvalidRequest, match=f"Port {port} "):
        listening(port, CrowdedApp())


@pytest.mark.server
@pytest.mark.parametrize(
    "condition", ["likeTally > 10", "likeTally <= 10", "likeTally BETWEEN 1 AND 10", "NOT likeTally < 0"]
)
def test_values_of_two_types_are_compared_as_the_service_compares_them(sandbox: str, condition: str) -> None:
    items = _scanned(Api(sandbox), {})
    assert {next(iter(item["likeTally"])) for item in items if "likeTally" in item} >= {"N", "S"}
    where, placeholders = parse_where(condition), Placeholders()
    request = {
        "FilterExpression": where.text(placeholders),
        "ExpressionAttributeNames": placeholders.names,
        "ExpressionAttributeValues": item_to_dynamodb(placeholders.values),
    }
    expected = [item for item in items if where.holds(item_from_dynamodb(item))]
    assert 0 < len(expected) < len(items)
    assert _scanned(Api(sandbox), request) == expected


def _scanned(api: Api, request: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    start: dict[str, Any] = {}
    while True:
        reply = api.call("Scan", {"TableName": "Social", **request, **start})
        found += reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return found
        start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}
