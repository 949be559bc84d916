import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from dynodesk.domain.errors import CannotConnect, InvalidRequest, NotDynamoDB, ServiceFailed
from dynodesk.domain.item_json import item_from_dynamodb
from dynodesk.domain.values import Value
from dynodesk.sandbox import seed as seeding
from dynodesk.sandbox.sample_table import SampleTable, create_request
from dynodesk.sandbox.samples import sample_tables
from dynodesk.sandbox.seed import Api, seed
from tests.sandbox.conftest import Scan

Answer = Callable[[str, dict[str, Any]], tuple[int, bytes]]
"""From the operation and its request to the status and the body of the reply."""

FEW = SampleTable("Few", create_request("Few", [("id", "S")]), tuple({"id": {"S": str(n)}} for n in range(30)))


@contextmanager
def emulator(answer: Answer) -> Iterator[str]:
    """The endpoint of a server that speaks the protocol and answers as told."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = answer(self.headers["X-Amz-Target"].partition(".")[2], request)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name of the base class)
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://dynamodb.us-east-1.amazonaws.com",
        "http://dynamodb.us-east-1.amazonaws.com",
        "http://10.0.0.7:8000",
        "http://0.0.0.0:8000",
        "http://127.0.0.1.example.com:8000",
        "http://localhost@example.com:8000",
        "https://127.0.0.1:8000",
        "127.0.0.1:8000",
        "http://127.0.0.1:port",
        "http://[::1",
        "",
    ],
)
def test_nothing_but_this_machine_is_ever_written_to(endpoint: str) -> None:
    with pytest.raises(InvalidRequest, match="only written to an emulator on this machine"):
        seed(endpoint, [FEW])


@pytest.mark.server
def test_every_item_comes_back_equal(sandbox: str, scan: Scan) -> None:
    def by_key(table: SampleTable, items: Any) -> dict[str, dict[str, Value]]:
        names = [part["AttributeName"] for part in table.create["KeySchema"]]
        return {json.dumps([item[name] for name in names]): item_from_dynamodb(item) for item in items}

    for table in sample_tables():
        assert by_key(table, scan(sandbox, table.name)) == by_key(table, table.items)


@pytest.mark.server
def test_a_table_that_exists_stops_it_before_anything_is_written(sandbox: str) -> None:
    before = Api(sandbox).call("ListTables", {})
    with pytest.raises(InvalidRequest, match='A table "Stats" exists'):
        seed(sandbox, [FEW, *(table for table in sample_tables() if table.name == "Stats")])
    assert Api(sandbox).call("ListTables", {}) == before


def test_a_name_on_the_second_page_of_tables_counts_too() -> None:
    created = []

    def answer(operation: str, request: dict[str, Any]) -> tuple[int, bytes]:
        if operation != "ListTables":
            created.append(operation)
        first = "ExclusiveStartTableName" not in request
        page = {"TableNames": ["Aa"], "LastEvaluatedTableName": "Aa"} if first else {"TableNames": ["Few"]}
        return 200, json.dumps(page).encode()

    with emulator(answer) as endpoint, pytest.raises(InvalidRequest, match='"Few" exists'):
        seed(endpoint, [FEW])
    assert not created


def test_waits_for_the_index_and_sends_again_what_was_not_processed() -> None:
    taken: list[str] = []
    described = 0

    def answer(operation: str, request: dict[str, Any]) -> tuple[int, bytes]:
        nonlocal described
        reply: dict[str, Any] = {}
        match operation:
            case "ListTables":
                reply = {"TableNames": []}
            case "DescribeTable":
                described += 1
                state = "ACTIVE" if described > 2 else "CREATING"
                reply = {"Table": {"TableStatus": "ACTIVE", "GlobalSecondaryIndexes": [{"IndexStatus": state}]}}
            case "BatchWriteItem":
                assert described > 2, "written before the index was active"
                puts = request["RequestItems"]["Few"]
                assert 0 < len(puts) <= 25
                taken.extend(put["PutRequest"]["Item"]["id"]["S"] for put in puts[:10])
                reply = {"UnprocessedItems": {"Few": puts[10:]} if puts[10:] else {}}
        return 200, json.dumps(reply).encode()

    with emulator(answer) as endpoint:
        seed(endpoint, [FEW])
    assert sorted(taken, key=int) == [str(n) for n in range(30)]


def test_items_that_are_never_processed_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeding, "PATIENCE", 0.2)

    def answer(operation: str, request: dict[str, Any]) -> tuple[int, bytes]:
        reply = {
            "ListTables": {"TableNames": []},
            "DescribeTable": {"Table": {"TableStatus": "ACTIVE"}},
            "BatchWriteItem": {"UnprocessedItems": request.get("RequestItems")},
        }
        return 200, json.dumps(reply.get(operation, {})).encode()

    with emulator(answer) as endpoint, pytest.raises(ServiceFailed, match="25 of a batch are left"):
        seed(endpoint, [FEW])


def test_a_refusal_is_passed_on_in_its_own_words() -> None:
    refusal = {"__type": "com.amazonaws.dynamodb.v20120810#LimitExceededException", "message": "Too many tables."}
    with (
        emulator(lambda _operation, _request: (400, json.dumps(refusal).encode())) as endpoint,
        pytest.raises(ServiceFailed, match=r"ListTables was refused .* Too many tables") as caught,
    ):
        seed(endpoint, [FEW])
    assert caught.value.details == "LimitExceededException"


@pytest.mark.parametrize("body", [b"<html>It works!</html>", b"[]", b"", b"\xff", b"{}"])
def test_another_service_is_recognised(body: bytes) -> None:
    with emulator(lambda _operation, _request: (200, body)) as endpoint, pytest.raises(NotDynamoDB):
        seed(endpoint, [FEW])


def test_nobody_there() -> None:
    with emulator(lambda _operation, _request: (200, b"")) as endpoint:
        pass
    with pytest.raises(CannotConnect):
        seed(endpoint, [FEW])
