"""Whole items, deletions and moves: guarded on real servers, every outcome told apart, nothing sent twice."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.wire import to_request
from dynodesk.aws.writer import GuardedWriter
from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import Busy, DynodeskError, InvalidRequest, NotAllowed, OutcomeUnknown, ReadOnly, Throttled
from dynodesk.domain.values import Binary, Map, Number, NumberSet, String, StringSet, Value
from dynodesk.domain.writes import (
    Applied,
    GuardedDelete,
    GuardedMove,
    GuardedPut,
    GuardedUpdate,
    GuardedWrite,
    NotAsExpected,
)
from tests.aws.tables import make_table, plain_client, profile
from tests.faults.proxy import HTML, Answer, Cut, Drop, Fault, FaultProxy, Hang, LoseReply, Rewrite, error

KEY = {"PK": String("POST#a91f"), "SK": String("META")}
TARGET = {"PK": String("POST#a91f"), "SK": String("DRAFT")}
ITEM: dict[str, Value] = {
    **KEY,
    "likes": Number("41"),
    "a.b": Binary(b"\x00\xff"),
    "tags": StringSet(("b", "a")),
    "stats": Map({"views": NumberSet((Number("2"), Number("1")))}),
    "text": String("a\xa0b\r\nc\u2028\x00"),
}
AS_READ = {AttributePath((name,)): value for name, value in ITEM.items() if name not in KEY}


@dataclass
class Place:
    table: str
    client: Any
    """One that knows nothing of our code."""
    clients: Clients
    proxy: FaultProxy
    meter: Meter
    writer: GuardedWriter

    def stored(self, key: dict[str, String]) -> Any:
        return self.client.get_item(TableName=self.table, Key=to_request(key), ConsistentRead=True).get("Item")


@pytest.fixture(scope="module")
def one_place(endpoint: str) -> Iterator[Place]:
    with FaultProxy(endpoint) as proxy:
        clients, client = open_clients(profile(proxy.url, read_only=False)), plain_client(endpoint)
        meter = Meter()
        yield Place(make_table(client), client, clients, proxy, meter, GuardedWriter(clients, meter, seconds=3))
        clients.close()


@pytest.fixture
def place(one_place: Place) -> Place:
    """With the item in the table, and nothing else."""
    one_place.proxy.clear()
    for key in (KEY, TARGET):
        one_place.client.delete_item(TableName=one_place.table, Key=to_request(key))
    one_place.client.put_item(TableName=one_place.table, Item=to_request(ITEM))
    return one_place


def writes(table: str) -> dict[str, GuardedWrite]:
    moved = GuardedPut(table, TARGET, {**ITEM, **TARGET})
    delete = GuardedDelete(table, KEY, AS_READ)
    return {
        "put": moved,
        "replace": GuardedPut(table, KEY, {**KEY, "likes": Number("42")}, AS_READ),
        "remove": GuardedUpdate(
            table, KEY, {AttributePath(("likes",)): Number("41")}, remove=(AttributePath(("likes",)),)
        ),
        "delete": delete,
        "move": GuardedMove(moved, delete, secrets.token_hex(8)),
    }


KINDS = tuple(writes("T"))


@pytest.mark.parametrize("kind", KINDS)
def test_applied(place: Place, kind: str) -> None:
    write = writes(place.table)[kind]
    outcome = place.writer.write(write)
    assert isinstance(outcome, Applied)
    left = {
        "put": {**ITEM, **TARGET},
        "replace": {**KEY, "likes": Number("42")},
        "remove": {name: value for name, value in ITEM.items() if name != "likes"},
        "delete": None,
        "move": {**ITEM, **TARGET},
    }
    assert outcome.item == left[kind]
    assert (place.stored(KEY) is None) == (kind in {"delete", "move"})
    assert (place.stored(TARGET) is None) == (kind not in {"put", "move"})
    assert place.proxy.counts == {write.operation: 1}


def test_what_was_put_comes_back_bit_by_bit(place: Place) -> None:
    place.writer.write(GuardedPut(place.table, TARGET, {**ITEM, **TARGET}))
    found = place.stored(TARGET)
    assert sorted(found.pop("tags")["SS"]) == ["a", "b"]
    assert sorted(found.pop("stats")["M"]["views"]["NS"]) == ["1", "2"]
    assert found == {
        **to_request(TARGET),
        "likes": {"N": "41"},
        "a.b": {"B": b"\x00\xff"},
        "text": {"S": "a\xa0b\r\nc\u2028\x00"},
    }


@pytest.mark.parametrize("kind", KINDS)
def test_not_as_expected_shows_the_item_and_writes_nothing(place: Place, kind: str) -> None:
    """Somebody was faster by one attribute."""
    spoilt = TARGET if kind == "put" else KEY
    key = to_request(spoilt)
    place.client.put_item(TableName=place.table, Item={**key, "likes": {"N": "90"}})
    outcome = place.writer.write(writes(place.table)[kind])
    assert outcome == NotAsExpected({**spoilt, "likes": Number("90")})
    assert place.stored(spoilt) == {**key, "likes": {"N": "90"}}
    assert place.stored(TARGET if spoilt is KEY else KEY) is None or kind == "put"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "put"])
def test_an_item_that_is_gone(place: Place, kind: str) -> None:
    place.client.delete_item(TableName=place.table, Key=to_request(KEY))
    assert place.writer.write(writes(place.table)[kind]) == NotAsExpected(None)
    assert place.stored(KEY) is None
    assert place.stored(TARGET) is None


def test_which_of_the_two_was_refused(place: Place) -> None:
    """Reasons are in the order of the actions: the item with the new key, then the old one."""
    place.client.put_item(TableName=place.table, Item=to_request(TARGET))
    outcome = place.writer.write(writes(place.table)["move"])
    assert outcome == NotAsExpected({**TARGET}, at_target=True)
    assert place.stored(KEY) is not None


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        (["TransactionConflict", "None"], Busy),
        (["None", "ThrottlingError"], Throttled),
        (["None", "ProvisionedThroughputExceeded"], Throttled),
        (["None", "AccessDenied"], NotAllowed),
        (["ValidationError", "None"], InvalidRequest),
        (["ItemCollectionSizeLimitExceeded", "None"], DynodeskError),
        ([], DynodeskError),
    ],
)
def test_reasons_to_cancel(place: Place, reasons: list[str], expected: type[DynodeskError]) -> None:
    more = {"CancellationReasons": [{"Code": code, "Message": "the service says why"} for code in reasons]}
    place.proxy.always("TransactWriteItems", error("TransactionCanceledException", more=more))
    with pytest.raises(expected) as raised:
        place.writer.write(writes(place.table)["move"])
    assert raised.value.written == "nothing"
    if expected is InvalidRequest:
        assert "the service says why" in raised.value.message


APPLIED: dict[str, Fault] = {
    "reply lost": LoseReply(),
    "reply cut": Cut(),
    "500 after it was applied": Rewrite(status=500, body=error("InternalServerError").body),
    "a web page after it was applied": Rewrite(body=b"<html>", headers={"Content-Type": "text/html"}),
}
NOT_APPLIED: dict[str, Fault] = {
    "dropped": Drop(),
    "500": error("InternalServerError", 500),
    "web page": HTML,
    "redirect": Answer(307, headers={"Location": "http://127.0.0.1:9/"}),
}


@pytest.mark.parametrize("kind", ["put", "delete", "move"])
@pytest.mark.parametrize("name", [*APPLIED, *NOT_APPLIED])
def test_without_a_trustworthy_answer_the_outcome_is_unknown(place: Place, kind: str, name: str) -> None:
    write = writes(place.table)[kind]
    place.proxy.always(write.operation, {**APPLIED, **NOT_APPLIED}[name])
    with pytest.raises(OutcomeUnknown):
        place.writer.write(write)
    assert place.proxy.counts == {write.operation: 1}
    was_applied = place.stored(KEY) is None if kind != "put" else place.stored(TARGET) is not None
    assert was_applied == (name in APPLIED)


def test_no_answer(place: Place) -> None:
    place.proxy.always("DeleteItem", Hang())
    with pytest.raises(OutcomeUnknown):
        GuardedWriter(place.clients, Meter(), seconds=0.2).write(writes(place.table)["delete"])


def test_a_move_that_is_sent_again_is_made_once(place: Place) -> None:
    """The service knows its token again; an emulator that does not finds the condition broken."""
    move = writes(place.table)["move"]
    assert isinstance(place.writer.write(move), Applied)
    again = place.writer.write(move)
    assert isinstance(again, Applied) or again.at_target or again.found is None
    assert (place.stored(KEY), place.stored(TARGET) is None) == (None, False)


def test_units_are_counted(place: Place) -> None:
    before = place.meter.calls
    place.writer.write(writes(place.table)["move"])
    assert place.meter.calls == before + 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_read_only_connection_writes_nothing(place: Place, kind: str) -> None:
    clients = open_clients(profile(place.proxy.url))
    with pytest.raises(ReadOnly):
        GuardedWriter(clients, Meter()).write(writes(place.table)[kind])
    clients.close()
    assert place.proxy.counts.total() == 0
