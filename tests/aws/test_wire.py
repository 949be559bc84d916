"""Bytes to objects and values to requests, without a network."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest
from botocore.awsrequest import HeadersDict
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.aws.faults import Fault, Retry
from dynodesk.aws.wire import decoded, item_of, to_request
from dynodesk.domain.errors import DamagedReply
from dynodesk.domain.item_json import item_from_dynamodb
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    Item,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
)

JSON = "application/x-amz-json-1.0"


def headers(body: bytes, **more: str) -> Any:
    return HeadersDict(
        {"content-type": JSON, "content-length": str(len(body)), "x-amz-crc32": str(zlib.crc32(body)), **more}
    )


def test_a_whole_reply() -> None:
    body = '{"Items": [{"a": {"S": "é😀"}}], "Units": 0.5}'.encode()
    found = decoded(200, headers(body), body)
    assert found["Items"] == [{"a": {"S": "é😀"}}]
    assert str(found["Units"]) == "0.5"
    assert type(found["Units"]).__name__ == "Decimal"


@given(st.data())
def test_no_part_of_a_reply_passes_for_a_reply(data: st.DataObject) -> None:
    body = json.dumps({"Items": [{"PK": {"S": "a"}}] * 5, "Count": 5, "ScannedCount": 5}).encode()
    end = data.draw(st.integers(0, len(body) - 1))
    known: dict[str, str] = data.draw(
        st.sampled_from([{}, {"content-length": str(len(body))}, {"x-amz-crc32": str(zlib.crc32(body))}])
    )
    with pytest.raises(Fault) as raised:
        decoded(200, HeadersDict({"content-type": JSON, **known}), body[:end])
    assert isinstance(raised.value.error, DamagedReply)
    assert raised.value.retry is Retry.DAMAGED


@given(st.data())
def test_no_flipped_byte_passes_the_checksum(data: st.DataObject) -> None:
    body = bytearray(b'{"Items": [{"PK": {"S": "a"}, "n": {"N": "41"}}], "Count": 1, "ScannedCount": 1}')
    right = headers(bytes(body))
    at = data.draw(st.integers(0, len(body) - 1))
    body[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises(Fault) as raised:
        decoded(200, right, bytes(body))
    assert isinstance(raised.value.error, DamagedReply)


def test_a_chunked_reply_has_no_length_to_be_held_to() -> None:
    body = b"{}"
    assert decoded(200, headers(body, **{"content-length": "9", "transfer-encoding": "chunked"}), body) == {}


def test_an_item_nested_without_end_is_damage() -> None:
    value: dict[str, Any] = {"S": "in the middle"}
    for _ in range(5000):
        value = {"L": [value]}
    with pytest.raises(DamagedReply, match="nested deeper"):
        item_of({"a": value}, "the item")


def test_a_bad_value_is_named_with_its_place() -> None:
    with pytest.raises(DamagedReply, match=r"item 4 of T .*likes\[1\]\.a: 'X' is not a type"):
        item_of({"likes": {"L": [{"S": "a"}, {"M": {"a": {"X": 1}}}]}}, "item 4 of T")


EVERYTHING: Item = {
    "s": String("é\0"),
    "n": Number("1E125"),
    "b": Binary(b"\x00\xff"),
    "t": Boolean(value=False),
    "z": Null(),
    "ss": StringSet(("b", "a")),
    "ns": NumberSet((Number("1"), Number("2.50"))),
    "bs": BinarySet((b"", b"\x01")),
    "l": List((Binary(b"in a list"), Map({"deep": BinarySet((b"x",))}))),
    "m": Map({"b": Binary(b"in a map"), "": Null()}),
}


def test_binary_leaves_as_bytes_at_every_depth() -> None:
    """botocore writes the Base64: text here would be encoded twice."""
    request = to_request(EVERYTHING)
    assert request["b"] == {"B": b"\x00\xff"}
    assert request["l"]["L"][0] == {"B": b"in a list"}
    assert request["l"]["L"][1]["M"]["deep"] == {"BS": [b"x"]}

    def as_sent(part: Any) -> Any:
        match part:
            case bytes():
                return base64.b64encode(part).decode()
            case dict():
                return {name: as_sent(inner) for name, inner in part.items()}
            case list():
                return [as_sent(inner) for inner in part]
            case _:
                return part

    assert item_from_dynamodb(as_sent(request)) == EVERYTHING
