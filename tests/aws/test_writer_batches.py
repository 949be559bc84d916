"""Batches: what the service left out comes back, and nothing else is believed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.writer import GuardedWriter
from dynodesk.domain.batches import PlainWrite
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import InvalidRequest, OutcomeUnknown, ReadOnly, Throttled
from dynodesk.domain.values import Binary, Number, String
from tests.aws.tables import likes, make_table, plain_client, profile
from tests.faults.proxy import THROTTLE, Fault, FaultProxy, LeaveOut, LoseReply, Rewrite


@pytest.fixture(scope="module")
def writing(ministack: str) -> Iterator[tuple[FaultProxy, Clients]]:
    with FaultProxy(ministack) as running:
        opened = open_clients(profile(running.url, read_only=False))
        yield running, opened
        opened.close()


@pytest.fixture
def proxy(writing: tuple[FaultProxy, Clients]) -> FaultProxy:
    writing[0].clear()
    return writing[0]


@pytest.fixture
def writer(writing: tuple[FaultProxy, Clients]) -> GuardedWriter:
    return GuardedWriter(writing[1], Meter(), seconds=3)


@pytest.fixture
def table(ministack: str) -> str:
    return make_table(plain_client(ministack), likes(5))


def deletion(number: int) -> PlainWrite:
    return PlainWrite({"PK": String("POST#a91f"), "SK": String(f"LIKE#{number:04}")})


def put(number: int) -> PlainWrite:
    key = deletion(number).key
    return PlainWrite(key, {**key, "n": Number("7.0"), "blob": Binary(b"\x00\xff")})


def stored(url: str, table: str) -> list[str]:
    client: Any = plain_client(url)
    return sorted(item["SK"]["S"] for item in client.scan(TableName=table)["Items"])


def test_puts_and_deletions_in_one_request(
    writer: GuardedWriter, proxy: FaultProxy, table: str, ministack: str
) -> None:
    assert writer.write_batch(table, [deletion(0), deletion(4), put(9), deletion(8)]) == ()
    assert stored(ministack, table) == ["LIKE#0001", "LIKE#0002", "LIKE#0003", "LIKE#0009"]
    assert proxy.counts == {"BatchWriteItem": 1}


def test_what_is_left_out_comes_back_and_is_not_sent_again(
    writer: GuardedWriter, proxy: FaultProxy, table: str, ministack: str
) -> None:
    proxy.always("BatchWriteItem", LeaveOut(2 / 3))
    writes = [deletion(0), deletion(1), put(9)]
    assert writer.write_batch(table, writes) == (writes[1], writes[2])
    assert stored(ministack, table) == ["LIKE#0001", "LIKE#0002", "LIKE#0003", "LIKE#0004"]
    assert proxy.counts == {"BatchWriteItem": 1}


SPOILT: dict[str, Fault] = {
    "reply lost": LoseReply(),
    "leaves out another table's": Rewrite(lambda body: body.update(UnprocessedItems={"Other": []})),
    "leaves out nothing that it can name": Rewrite(lambda body: body.update(UnprocessedItems=[])),
}


@pytest.mark.parametrize("name", SPOILT)
def test_without_a_trustworthy_answer_the_outcome_is_unknown(
    writer: GuardedWriter, proxy: FaultProxy, table: str, ministack: str, name: str
) -> None:
    proxy.always("BatchWriteItem", SPOILT[name])
    with pytest.raises(OutcomeUnknown):
        writer.write_batch(table, [deletion(0)])
    assert len(stored(ministack, table)) == 4
    assert proxy.counts == {"BatchWriteItem": 1}


@pytest.mark.parametrize(
    "request_",
    [
        {"DeleteRequest": {"Key": {"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#0003"}}}},
        {"DeleteRequest": {"Key": {"PK": {"S": "POST#a91f"}}}},
        {"PutRequest": {"Item": {"PK": {"S": "x"}}}},
        {"PutRequest": {}},
        "nonsense",
    ],
)
def test_what_was_not_sent_cannot_be_left_out(
    writer: GuardedWriter, proxy: FaultProxy, table: str, request_: object
) -> None:
    proxy.always("BatchWriteItem", Rewrite(lambda body: body.update(UnprocessedItems={table: [request_]})))
    with pytest.raises(OutcomeUnknown):
        writer.write_batch(table, [deletion(0)])


def test_a_refusal_is_certain(writer: GuardedWriter, proxy: FaultProxy, table: str) -> None:
    proxy.always("BatchWriteItem", THROTTLE)
    with pytest.raises(Throttled) as raised:
        writer.write_batch(table, [deletion(0)])
    assert raised.value.written == "nothing"


def test_refused_before_it_is_sent(writer: GuardedWriter, proxy: FaultProxy, table: str) -> None:
    for writes in ([], [deletion(0), deletion(0)], [deletion(0), put(0)], [deletion(n) for n in range(26)]):
        with pytest.raises(InvalidRequest):
            writer.write_batch(table, writes)
    assert proxy.counts.total() == 0


def test_a_read_only_connection_writes_nothing(clients: Clients, table: str, ministack: str) -> None:
    with pytest.raises(ReadOnly):
        GuardedWriter(clients, Meter()).write_batch(table, [deletion(0)])
    assert len(stored(ministack, table)) == 5
