"""The proxy itself: what it counts, when its rules apply, what it makes of a reply."""

from __future__ import annotations

import http.client
import json
import zlib
from typing import Any

import pytest

from tests.faults.proxy import HTML, THROTTLE, Answer, Cut, Drip, Drop, FaultProxy, LoseReply, Rewrite


def ask(proxy: FaultProxy, operation: str = "ListTables") -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", int(proxy.url.rpartition(":")[2]), timeout=10)
    try:
        headers = {
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/dynamodb/aws4_request, Signature=0",
        }
        connection.request("POST", "/", b"{}", headers)
        reply = connection.getresponse()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()
    finally:
        connection.close()


def test_passes_on_with_length_and_checksum(proxy: FaultProxy) -> None:
    status, headers, body = ask(proxy)
    assert status == 200
    assert "TableNames" in json.loads(body)
    assert int(headers["content-length"]) == len(body)
    assert int(headers["x-amz-crc32"]) == zlib.crc32(body)
    assert proxy.counts == {"ListTables": 1}
    assert proxy.bodies == [("ListTables", {})]


def test_a_rule_applies_to_its_operation_and_turn_only(proxy: FaultProxy) -> None:
    proxy.on("ListTables", THROTTLE, nth=2, times=2)
    proxy.always("Scan", THROTTLE)
    assert [ask(proxy)[0] for _ in range(5)] == [200, 400, 400, 200, 200]


def test_a_rule_can_spoil_a_share(proxy: FaultProxy) -> None:
    proxy.always("ListTables", THROTTLE, share=0.5)
    assert {ask(proxy)[0] for _ in range(30)} == {200, 400}


def test_cut_promises_more_than_it_sends(proxy: FaultProxy) -> None:
    proxy.on("ListTables", Cut(at=3))
    with pytest.raises(http.client.IncompleteRead) as cut:
        ask(proxy)
    assert len(cut.value.partial) == 3


@pytest.mark.parametrize(("fault", "arrived"), [(Drop(), False), (LoseReply(), True)])
def test_closing_without_a_byte(proxy: FaultProxy, fault: Any, arrived: bool) -> None:
    reached: list[bytes] = []

    class Watched(FaultProxy):
        pass

    with Watched(proxy.url) as front:
        front.on("ListTables", fault)
        with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)) as closed:
            reached.append(ask(front)[2])
        assert closed.value is not None
    assert proxy.counts["ListTables"] == arrived


def test_rewrites_keep_length_and_checksum_right(proxy: FaultProxy) -> None:
    def rename(body: dict[str, Any]) -> None:
        body["TableNames"] = ["only"]

    proxy.on("ListTables", Rewrite(rename))
    _, headers, body = ask(proxy)
    assert json.loads(body)["TableNames"] == ["only"]
    assert int(headers["x-amz-crc32"]) == zlib.crc32(body)


def test_headers_can_lie_or_be_left_out(proxy: FaultProxy) -> None:
    proxy.on("ListTables", Rewrite(headers={"x-amz-crc32": "7"}))
    proxy.on("ListTables", Rewrite(headers={"x-amz-crc32": ""}), nth=2)
    assert ask(proxy)[1]["x-amz-crc32"] == "7"
    assert "x-amz-crc32" not in ask(proxy)[1]


def test_answers_of_its_own(proxy: FaultProxy) -> None:
    proxy.on("ListTables", HTML)
    proxy.on("ListTables", Answer(307, headers={"Location": "http://elsewhere.example/"}), nth=2)
    assert ask(proxy)[2].startswith(b"<!doctype html>")
    status, headers, _ = ask(proxy)
    assert (status, headers["location"]) == (307, "http://elsewhere.example/")


def test_drip_delivers_everything_in_the_end(proxy: FaultProxy) -> None:
    proxy.on("ListTables", Drip(0.0001))
    assert "TableNames" in json.loads(ask(proxy)[2])
