"""Values that other programs alter or refuse: read from a table, shown, changed beside, typed, and written back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from dynodesk.cli.reading import sort_condition
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.item_json import from_dynamodb
from dynodesk.domain.item_text import item_from_dynamodb_text, item_from_plain_text
from dynodesk.domain.statements import parameter
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.typed_values import value_typed
from dynodesk.domain.values import Item, Number, String, Value, check
from dynodesk.ui.models.item_cells import VALUE
from dynodesk.ui.pages.browse_filter_values import typed_value
from dynodesk.ui.pages.item_editor import DYNAMODB_JSON, JSON, TREE
from tests.aws.tables import make_table
from tests.cases.conftest import OpenDesk, Place
from tests.cases.live_desk import LiveDesk, Tagged

PUBLIC_FILE = (
    Path(__file__).resolve().parents[3] / "shared/cases/files/f04-GamePlayerProfilesSchema.v3-facets-only.json"
)
SORTED = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "N"),))

# Numbers that are no doubles, that a decoder with 38 digits refuses, or that come back in another spelling.
HARD_NUMBERS = {
    "zeros behind one digit": "3" + "0" * 45,
    "zeros behind many": "98765432101234560000000000000000000000000",
    "exponent": "2.00000000000000009153E+44",
    "beyond 2^53": "1409876543210987653",
    "beyond 2^63": "9223372036854775809",
    "38 digits": "-12345678901234567890.123456789012345678",
    "largest": "9.9999999999999999999999999999999999999E+125",
    "smallest": "1E-130",
    "tenths": "40.20",
}


def key(sort: str) -> Tagged:
    return {"PK": {"S": "p"}, "SK": {"S": sort}}


def number_of(item: Item, name: str) -> Number:
    value = item[name]
    assert isinstance(value, Number)
    return value


def saved(desk: LiveDesk, item: Item, attribute: str, text: str) -> Tagged:
    """Type another value of one attribute, write it, and look at what is stored."""
    desk.edit(item)
    desk.type_over(attribute, text)
    result = desk.commit(desk.stage())
    assert result.outcome == "applied", result.reason
    sort = item["SK"]
    assert isinstance(sort, String)
    stored = desk.stored(key(sort.text))
    assert stored is not None
    return stored


def test_no_number_makes_a_page_unreadable_and_none_is_touched(open_desk: OpenDesk, place: Place) -> None:
    items: list[dict[str, Any]] = [
        {**key(name), "v": {"N": text}, "m": {"M": {"l": {"L": [{"N": text}]}}}, "note": {"S": "old"}}
        for name, text in HARD_NUMBERS.items()
    ]
    desk = open_desk(make_table(place[2], items))
    shown = desk.items
    assert len(shown) == len(HARD_NUMBERS)
    for item in shown:
        sort = item["SK"]
        assert isinstance(sort, String)
        before = desk.stored(key(sort.text))
        assert before is not None
        assert number_of(item, "v") == Number(HARD_NUMBERS[sort.text])
        assert desk.cell(item, "v") == number_of(item, "v").text == before["v"]["N"]
        assert desk.cell(item, "m") == "{l: [" + before["v"]["N"] + "]}"
        desk.edit(item)
        for form in (JSON, DYNAMODB_JSON, TREE):
            desk.page.inspector.show_as(form)
            assert not desk.page.inspector.is_changed
        desk.page.inspector.discard()
        after = saved(desk, item, "note", "new")
        assert after == {**before, "note": {"S": "new"}}
    assert all("v" not in body["ExpressionAttributeNames"].values() for body in desk.sent("UpdateItem"))


def test_a_number_that_comes_back_otherwise_written_is_nobody_elses_change(open_desk: OpenDesk, place: Place) -> None:
    desk = open_desk(make_table(place[2], [{**key("a"), "t": {"N": "2.00000000000000009153E+44"}, "n": {"N": "1"}}]))
    (item,) = desk.items
    desk.edit(item)
    tree = desk.page.inspector.editor.model
    tip = tree.find("t").siblingAtColumn(VALUE).data(Qt.ItemDataRole.ToolTipRole)
    assert (tip or number_of(item, "t").text) == "2.00000000000000009153E+44"
    desk.type_over("t", "2.000000000000000091530E44")
    assert not desk.page.inspector.is_changed
    desk.type_over("n", "2")
    edit = desk.stage()
    assert [change.path.names for change in edit.changes] == [("n",)]
    # What was read in one spelling is written where the table has the other.
    read = {**item, "t": Number("200000000000000009153" + "0" * 24)}
    result = desk.commit(Edit(edit.table, edit.key, read, {**read, "t": Number("7")}))
    assert result.outcome == "applied", result.reason


def test_neighbours_beyond_a_double_are_told_apart(open_desk: OpenDesk, place: Place) -> None:
    texts = ["1409876543210987652", "1409876543210987653", "1409876543210987654"]
    desk = open_desk(make_table(place[2], [{**key(text), "id": {"N": text}} for text in texts]))
    desk.page.form.filter.set_condition(parse_where(f"id = {texts[1]}"))
    (found,) = desk.run()
    assert desk.cell(found, "id") == texts[1]
    assert found["SK"] == String(texts[1])


TYPED = {"price": ("40.20", "40.2"), "ratio": ("0.1", "0.1"), "count": ("2e3", "2000"), "zero": ("-0", "0")}
"""What is typed, and what the service makes of it."""


def test_what_is_typed_is_what_is_sent(open_desk: OpenDesk, place: Place) -> None:
    numbers = {name: {"N": "5"} for name in TYPED}
    desk = open_desk(make_table(place[2], [{**key("a"), **numbers, "code": {"S": "5"}}]))
    desk.edit(desk.items[0])
    for name, (typed, _) in TYPED.items():
        desk.type_over(name, typed)
    assert desk.commit(desk.stage()).outcome == "applied"
    (sent,) = desk.sent("UpdateItem")
    stored = desk.stored(key("a"))
    assert stored is not None
    for name, (typed, normal) in TYPED.items():
        assert {"N": typed} in sent["ExpressionAttributeValues"].values()
        assert stored[name]["N"] in {typed, normal}  # an emulator may keep the spelling
    assert stored["code"] == {"S": "5"}


# What no number of the table is, each with a word of the reason.
REFUSED = [
    ("1" * 39, "39 significant digits"),
    ("0." + "7" * 39, "39 significant digits"),
    ("1E126", "outside the range"),
    ("-1E126", "outside the range"),
    ("1E-131", "outside the range"),
    *((text, "number") for text in ("7 ", " 7", "NaN", "Infinity", "-Infinity", "1_000", "0x10", "1,5", "1 000")),
    *((text, "number") for text in ("\uff11\uff12", "\u0663", "1e", "--1", "1.2.3", "\u2212" + "5")),
]
ACCEPTED = [
    "9.9999999999999999999999999999999999999E125",
    "1E-130",
    "1" * 38 + "0" * 20,
    "-0",
    "0E+5",
    "+5",
    "007",
    "1e5",
]

# Everywhere that a number is typed or pasted.
PLACES: dict[str, Callable[[str], object]] = {
    "row of the tree": lambda text: value_typed(text, Number("0")),
    "DynamoDB JSON": lambda text: item_from_dynamodb_text(json.dumps({"n": {"N": text}}), {})["n"],
    "set in DynamoDB JSON": lambda text: item_from_dynamodb_text(json.dumps({"n": {"NS": [text]}}), {})["n"],
    "key": lambda text: KeyAttribute("SK", "N").value(text),
    "filter": lambda text: typed_value("N", text),
    "document in a filter": lambda text: check_value(typed_value("M", json.dumps({"a": {"N": text}}))),
    "parameter of a statement": lambda text: parameter("N", text),
    "command line": lambda text: sort_condition(f"= {text}", SORTED),
}


def check_value(value: Value) -> Value:
    check(value)
    return value


@pytest.mark.parametrize("where", PLACES)
def test_what_is_no_number_is_refused_wherever_it_is_typed(where: str) -> None:
    for text, said in REFUSED:
        with pytest.raises(InvalidValue, match=said):
            PLACES[where](text)
    for text in ACCEPTED:
        PLACES[where](text)


@pytest.mark.parametrize("where", [name for name in PLACES if name != "command line"])
def test_no_number_is_an_empty_text(where: str) -> None:
    with pytest.raises(InvalidValue):
        PLACES[where]("")


@pytest.mark.parametrize("digits", ["1" * 39, "1E126", "1E-131"])
def test_a_number_that_cannot_be_stored_is_refused_in_plain_json(digits: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        item_from_plain_text(f'{{"n": {digits}}}', {"n": Number("1")})
    assert refused.value.position == 6


def test_sets_and_lists_stay_what_they_are_all_the_way(open_desk: OpenDesk, place: Place) -> None:
    item: dict[str, Any] = {
        **key("a"),
        "tags": {"SS": ["north", "south"]},
        "labels": {"L": [{"S": "north"}, {"S": "south"}]},
        "events": {"NS": ["300200", "300100"]},
        "title": {"S": "old"},
    }
    desk = open_desk(make_table(place[2], [item]))
    (read,) = desk.items
    desk.edit(read)
    inspector = desk.page.inspector
    inspector.show_as(JSON)
    typed = inspector.text.typed
    for name in ("tags", "labels"):
        start = typed.index("[", typed.index(f'"{name}"')) + 1
        typed = typed[:start] + '"west", ' + typed[start:]
    inspector.text.setPlainText(typed.replace('"old"', '"new"'))
    assert desk.commit(desk.stage()).outcome == "applied"
    (sent,) = desk.sent("UpdateItem")
    assert "events" not in sent["ExpressionAttributeNames"].values()
    stored = desk.stored(key("a"))
    assert stored is not None
    assert {*stored["tags"]["SS"]} == {"north", "south", "west"}
    assert [*map(str, stored["labels"]["L"])] == [*map(str, ({"S": "west"}, {"S": "north"}, {"S": "south"}))]
    assert {*stored["events"]["NS"]} == {"300200", "300100"}
    assert stored["title"] == {"S": "new"}


EMPTY: Tagged = {
    **key("empty"),
    "tags": {"L": []},
    "doc": {"M": {}},
    "note": {"S": ""},
    "bytes": {"B": b""},
    "inner": {"L": [{"S": ""}, {"B": b""}, {"NULL": True}, {"M": {"x": {"L": []}}}]},
    "n": {"N": "1"},
}


def test_what_is_empty_stays_empty(open_desk: OpenDesk, place: Place) -> None:
    desk = open_desk(make_table(place[2], [EMPTY]))
    (item,) = desk.items
    assert saved(desk, item, "n", "2") == {**EMPTY, "n": {"N": "2"}}
    # And as a new item, in one request.
    desk.page.inspector.duplicate_action.trigger()
    desk.page.inspector.editor.tree.close_editor()
    desk.type_over("SK", "copy")
    assert desk.commit(desk.stage()).outcome == "applied"
    assert desk.stored(key("copy")) == {**EMPTY, "SK": {"S": "copy"}, "n": {"N": "2"}}


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ('"s": {"SS": []}', "an empty set"),
        ('"m": {"M": {"s": {"NS": []}}}', "an empty set"),
        ('"l": {"L": [{"M": {"s": {"BS": []}}}]}', "an empty set"),
        ('"SK": {"S": ""}', "SK: a key cannot be empty"),
        ('"SK": {"NULL": true}', "SK"),
        ('"SK": {"N": "5"}', "SK"),
    ],
)
def test_what_cannot_be_stored_is_said_and_not_sent(
    open_desk: OpenDesk, place: Place, attributes: str, said: str
) -> None:
    desk = open_desk(make_table(place[2], [{**key("a"), "n": {"N": "1"}}]))
    desk.edit(desk.items[0])
    inspector = desk.page.inspector
    inspector.show_as(DYNAMODB_JSON)
    sort = "" if attributes.startswith('"SK"') else '"SK": {"S": "a"}, '
    inspector.text.setPlainText(f'{{"PK": {{"S": "p"}}, {sort}{attributes}}}')
    inspector.stage()
    assert desk.edits == []
    assert said in inspector.remark.text
    assert desk.sent("UpdateItem") == desk.sent("TransactWriteItems") == []


NOTHINGS: list[Tagged] = [
    {**key("1"), "v": {"NULL": True}},
    key("2"),
    {**key("3"), "v": {"S": ""}},
    {**key("4"), "v": {"S": "x"}},
]


FOUND = {
    "attribute_exists(v)": "134",
    "attribute_not_exists(v)": "2",
    "v = NULL": "1",
    "attribute_type(v, 'NULL')": "1",
    "v <> 'x'": "123",
    "v = ''": "3",
    "NOT v = 'x'": "123",
}


@pytest.mark.parametrize("place", ["ministack"], indirect=True)  # the other takes what is missing for NULL
def test_null_missing_and_empty_are_asked_for_apart(open_desk: OpenDesk, place: Place) -> None:
    desk = open_desk(make_table(place[2], NOTHINGS))
    for where, found in FOUND.items():
        desk.page.form.filter.set_condition(parse_where(where))
        assert sorted(desk.cell(item, "SK") for item in desk.run()) == [*found], where


# -- values that no value is


def wrapped(rows: int) -> list[dict[str, Any]]:
    """Rows of a model whose maps are wrapped once more than they should be, as published models have them."""
    good = {"PK": {"S": "ITEM#1"}, "price": {"N": "5"}}
    return [{**good, "stats": {"M": {"M": {f"a{row}": {"N": "1"}}}}} for row in range(rows)]


def malformed(rows: list[dict[str, Any]]) -> list[str]:
    found = []
    for row in rows:
        for name, value in row.items():
            try:
                from_dynamodb(value, name)
            except InvalidValue as problem:
                found.append(problem.message)
    return found


def test_a_map_wrapped_once_too_often_is_named_with_its_path() -> None:
    assert malformed(wrapped(3)) == [f"stats.M: 'a{row}' is not a type of DynamoDB" for row in range(3)]


@pytest.mark.skipif(not PUBLIC_FILE.exists(), reason="no copy of the public model lies beside the project")
def test_the_wrong_values_of_a_public_model_are_all_named() -> None:
    (model,) = json.loads(PUBLIC_FILE.read_text(encoding="utf-8"))["DataModel"]
    rows = [row for facet in model["TableFacets"] for row in facet.get("TableData", ())]
    found = malformed(rows)
    assert (len(rows), len(found)) == (14, 12)
    assert found[0].startswith("ItemAttributes.M: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"v": {"M": {"M": {"hp": {"N": "5"}}}}}', "hp"),
        ('{"v": {"S": "a", "N": "1"}}', "one type is expected"),
        ('{"v": {"T": "a"}}', "not a type"),
        ('{"v": {"NULL": false}}', "NULL"),
        ('{"v": {"NS": ["1", "1.0"]}}', "1 and 1.0, which are equal"),
        ('{"v": {"SS": ["a", 1]}}', "texts only"),
        ('{"v": {"L": {"S": "a"}}}', "L"),
        ('{"v": {"B": "AB=="}}', "base64"),
        ('{"v": {"B": "AA-_"}}', "base64"),
        ('{"v": {"S": "a"}, "v": {"S": "b"}}', "twice"),
        ('{"v": {"S": "\\udc00"}}', "surrogate"),
    ],
)
def test_what_is_no_value_is_refused_in_the_text(text: str, said: str) -> None:
    with pytest.raises(InvalidValue, match=said) as refused:
        item_from_dynamodb_text(text, {})
    assert refused.value.position is not None
