"""Items on the clipboard: what is pasted is what was stored."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.types import TypeSerializer

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_copy import items_text, python_literal
from dynodesk.domain.item_json import from_plain, item_from_dynamodb
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    Item,
    List,
    Map,
    Null,
    Number,
    String,
    StringSet,
    Value,
    numbers,
)

KEYS = ("PK", "SK")
ODD: Item = {
    "PK": String('POST#"a",\r\n1'),
    "SK": String("=1+2"),
    "big": Number("99999999999999999999999999999999999999"),
    "text": String("7"),
    "none": Null(),
    "empty": String(""),
    "yes": Boolean(value=True),
    "bytes": Binary(b"\x00\xff"),
    "tags": StringSet(("red", "blue")),
    "counts": numbers(["1", "2.50"]),
    "blobs": BinarySet((b"\x01",)),
    "list": List((Number("1E40"), String("\u202e'"), List(()))),
    "map": Map({"a.b": Map({}), "n": Number("-0.10")}),
}
PLAIN: Item = {"PK": String("A"), "SK": String("B"), "text": String("x")}


def evaluated(text: str) -> Any:
    return eval(text, {"Decimal": Decimal})  # noqa: S307  (what a person would paste into a program)


def sent_by_boto3(value: object) -> Any:
    return TypeSerializer().serialize(value)


def test_one_item_is_an_object_and_several_are_a_list() -> None:
    one, two = items_text([ODD], "json", (), KEYS), items_text([ODD, PLAIN], "json", (), KEYS)
    assert from_plain(one) == ODD
    assert from_plain(f'{{"items": {two}}}')["items"] == List((Map(ODD), Map(PLAIN)))
    assert items_text([], "json", (), KEYS) == "[]"
    tagged = json.loads(items_text([ODD, PLAIN], "dynamodb-json", (), KEYS))
    assert [item_from_dynamodb(item) for item in tagged] == [ODD, PLAIN]
    assert json.loads(items_text([PLAIN], "keys", (), KEYS)) == {"PK": "A", "SK": "B"}
    assert [key["SK"] for key in json.loads(items_text([ODD, PLAIN], "keys", (), KEYS))] == ["=1+2", "B"]


def test_python_gives_boto3_the_same_values() -> None:
    pasted = evaluated(items_text([ODD], "python", (), KEYS))
    sent = {name: sent_by_boto3(value) for name, value in pasted.items()}
    for name in ("tags", "counts", "blobs"):
        for tag, members in sent[name].items():
            sent[name] = {tag: sorted(members)}
    assert sent["bytes"] == {"B": b"\x00\xff"}
    assert sent["blobs"] == {"BS": [b"\x01"]}
    del sent["bytes"], sent["blobs"]
    wanted = {name: value for name, value in ODD.items() if name not in {"bytes", "blobs"}}
    assert item_from_dynamodb(sent) == wanted
    assert [item["SK"] for item in evaluated(items_text([ODD, PLAIN], "python", (), KEYS))] == ["=1+2", "B"]


@pytest.mark.parametrize(
    "digits",
    ["1", "-0", "0.1", "12.30", "1E40", "1" + 40 * "0", "1.234567890123456E40",
     "9.9999999999999999999999999999999999999E125", "1E-130", "1" + 125 * "0", "0." + 129 * "0" + "1",
     "-5", "+7", "007"],
)  # fmt: skip
def test_boto3_takes_every_number_that_the_service_has(digits: str) -> None:
    sent = sent_by_boto3(evaluated(python_literal(Number(digits))))
    assert Number(sent["N"]) == Number(digits)


def test_what_is_no_number_has_no_form_in_python() -> None:
    with pytest.raises(InvalidValue, match="NaN"):
        items_text([{**PLAIN, "n": Number("NaN")}], "python", (), KEYS)
    assert '"N": "NaN"' in items_text([{**PLAIN, "n": Number("NaN")}], "dynamodb-json", (), KEYS)


def test_csv_tells_missing_null_and_empty_apart_and_changes_no_text() -> None:
    columns = ("SK", "PK", "text", "none", "empty", "missing", "big", "yes", "bytes", "list")
    text = items_text([ODD, PLAIN], "csv", columns, KEYS)
    assert (
        text.splitlines(keepends=True)[0] == '"SK","PK","text","none","empty","missing","big","yes","bytes","list"\r\n'
    )
    assert text.endswith('"B","A","x",,,,,,,\r\n')
    assert ',NULL,"",,99999999999999999999999999999999999999,true,"00ff",' in text
    first, second = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert first[:3] == ["=1+2", 'POST#"a",\r\n1', "7"]
    assert second[:3] == ["B", "A", "x"]


def test_copying_many_items_can_be_stopped() -> None:
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        items_text([PLAIN], "json", (), KEYS, ticket)


@pytest.mark.parametrize(
    ("value", "text"), [(StringSet(()), "set()"), (String("\ud800"), r"'\ud800'"), (Null(), "None")]
)
def test_literals(value: Value, text: str) -> None:
    assert python_literal(value) == text
