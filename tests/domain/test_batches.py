"""Batches without conditions: what one request takes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from dynodesk.domain.batches import PlainWrite, batch_json, batches, check_batch, plain_from_json, plain_to_json
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Binary, Item, Number, String
from tests.domain.strategies import items


def key(number: int) -> Key:
    return {"PK": String("POST#a91f"), "n": Number(str(number))}


def deletes(count: int) -> list[PlainWrite]:
    return [PlainWrite(key(number)) for number in range(count)]


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (1, [1]), (25, [25]), (26, [25, 1]), (60, [25, 25, 10])])
def test_25_at_most(count: int, sizes: list[int]) -> None:
    found = [*batches(deletes(count))]
    assert [len(portion) for portion in found] == sizes
    assert [write for portion in found for write in portion] == deletes(count)


def test_16_megabytes_at_most() -> None:
    large = [PlainWrite(key(n), {**key(n), "blob": Binary(b"x" * 1_000_000)}) for n in range(20)]
    assert [len(portion) for portion in batches(large)] == [16, 4]
    with pytest.raises(InvalidRequest):
        check_batch(large)


def test_a_key_is_written_once() -> None:
    with pytest.raises(InvalidRequest, match=r"POST#a91f / 1\.0 is written twice"):
        [*batches([PlainWrite(key(1)), PlainWrite({"PK": String("POST#a91f"), "n": Number("1.0")})])]
    with pytest.raises(InvalidRequest):  # also where they would be in two requests
        [*batches([*deletes(26), PlainWrite(key(0))])]


def test_the_request() -> None:
    writes = [PlainWrite(key(1)), PlainWrite(key(2), {**key(2), "blob": Binary(b"\x00")})]
    assert batch_json("T", writes) == {
        "RequestItems": {
            "T": [
                {"DeleteRequest": {"Key": {"PK": {"S": "POST#a91f"}, "n": {"N": "1"}}}},
                {"PutRequest": {"Item": {"PK": {"S": "POST#a91f"}, "n": {"N": "2"}, "blob": {"B": "AA=="}}}},
            ]
        }
    }
    with pytest.raises(InvalidRequest):
        batch_json("T", [])


@given(items)
@settings(max_examples=30)
def test_the_journal_gives_the_same_writes_back(item: Item) -> None:
    for write in (PlainWrite(key(1)), PlainWrite(key(1), {**item, **key(1)})):
        assert repr(plain_from_json(json.loads(json.dumps(plain_to_json(write))))) == repr(write)
