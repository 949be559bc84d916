"""Items edited as text: what is not changed stays as it was, what is wrong is said with its place."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_json import item_from_dynamodb, item_to_dynamodb, to_plain
from dynodesk.domain.item_text import item_from_dynamodb_text, item_from_plain_text
from dynodesk.domain.placed_json import line_and_column
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
    Value,
    numbers,
)
from tests.domain.strategies import items, names

Read = Callable[[str, Item], dict[str, Value]]


def dynamodb_text(item: Item) -> str:
    return json.dumps(item_to_dynamodb(item), ensure_ascii=False, indent=2)


def plain_text(item: Item) -> str:
    return to_plain(item, indent=2)


FORMS = [(plain_text, item_from_plain_text), (dynamodb_text, item_from_dynamodb_text)]
IN_BOTH_FORMS = pytest.mark.parametrize(("write", "read"), FORMS, ids=["plain", "dynamodb"])


@IN_BOTH_FORMS
@given(items)
def test_a_text_that_nobody_changed_is_the_item_itself(write: Callable[[Item], str], read: Read, item: Item) -> None:
    found = read(write(item), item)
    assert list(found) == list(item)
    assert all(found[name] is item[name] for name in item)


@IN_BOTH_FORMS
@given(items, names, st.integers(0, 999))
def test_the_other_attributes_are_bit_equal_when_one_is_changed(
    write: Callable[[Item], str], read: Read, item: Item, name: str, number: int
) -> None:
    shown = {**item, name: Number(str(number))}
    like = dict(item)
    if not isinstance(like.get(name), Number):
        like.pop(name, None)
    found = read(write(shown), like)
    assert found[name] == Number(str(number))
    assert all(found[other] is like[other] for other in like if other != name)


def plain(text: str, **like: Value) -> dict[str, Value]:
    return item_from_plain_text(text, like)


def test_numbers_keep_their_digits() -> None:
    text = '{"id": 1203456789012345679, "big": 72057594037927937123, "n": 12345678901234567890.1, "x": 0.1, "e": 1E+3}'
    digits = {name: value.text for name, value in plain(text).items() if isinstance(value, Number)}
    assert digits == {
        "id": "1203456789012345679",
        "big": "72057594037927937123",
        "n": "12345678901234567890.1",
        "x": "0.1",
        "e": "1E+3",
    }


@pytest.mark.parametrize("stored", ["1.0", "1E0", "+1", "001", "1.00"])
def test_an_equal_number_keeps_the_spelling_that_is_stored(stored: str) -> None:
    (found,) = plain('{"n": 1}', n=Number(stored)).values()
    assert isinstance(found, Number)
    assert found.text == stored


def test_an_array_where_a_set_was_is_that_set() -> None:
    tags, labels = StringSet(("red", "blue")), List((String("red"), String("blue")))
    found = plain('{"tags": ["red", "blue", "green"], "labels": ["red", "blue", "green"]}', tags=tags, labels=labels)
    assert found["tags"] == StringSet(("red", "blue", "green"))
    assert found["labels"] == List((String("red"), String("blue"), String("green")))
    kept = plain('{"n": [2, 1.0], "b": ["AA=="]}', n=numbers(["1", "2.00"]), b=BinarySet((b"\0",)))
    assert repr(kept["n"]) == repr(numbers(["1", "2.00"]))
    assert kept["b"] == BinarySet((b"\0",))


def test_a_set_with_a_new_member_keeps_the_spellings_of_the_others() -> None:
    (found,) = plain('{"n": {"$numberSet": [1, 2, 3]}}', n=numbers(["1.0", "2E0"])).values()
    assert isinstance(found, NumberSet)
    assert [member.text for member in found.members] == ["1.0", "2E0", "3"]


def test_the_rest_of_a_changed_document_keeps_its_spelling() -> None:
    like = Map({"a": Number("1.0"), "l": List((Number("+2"), NumberSet((Number("03"),))))})
    text = '{"m": {"a": 1, "b": "new", "l": ["first", 2, {"$numberSet": [3]}]}}'
    (found,) = plain(text, m=like).values()
    assert isinstance(found, Map)
    inner = found.entries["l"]
    assert isinstance(inner, List)
    assert isinstance(like.entries["l"], List)
    assert found.entries["a"] is like.entries["a"]
    assert inner.elements[1] is like.entries["l"].elements[0]
    assert inner.elements[2] is like.entries["l"].elements[1]


@pytest.mark.parametrize(
    ("text", "like", "at"),
    [
        ('{"n": "5"}', {"n": Number("5")}, '"5"'),
        ('{"code": 5}', {"code": String("5")}, "5}"),
        ('{"s": 5}', {"s": StringSet(("5",))}, "5}"),
        ('{"b": "AA=="}', {"b": Binary(b"\0")}, '"AA'),
        ('{"l": {"$stringSet": ["a"]}, "m": []}', {"m": Map({})}, "[]"),
        ('{"on": null}', {"on": Boolean(value=True)}, "null"),
        ('{"m": {"n": "5"}}', {"m": Map({"n": Number("5")})}, '"5"'),
        ('{"l": [["a"], {"$stringSet": ["b"]}, 1]}', {"l": List((StringSet(("a",)), StringSet(("b",))))}, '["a"]'),
        ('{"nothing": "x"}', {"nothing": Null()}, '"x"'),
    ],
)
def test_a_change_of_type_that_nothing_says_is_refused_at_its_place(text: str, like: Item, at: str) -> None:
    with pytest.raises(InvalidValue) as raised:
        item_from_plain_text(text, like)
    assert raised.value.position == text.index(at)
    assert "DynamoDB JSON" in raised.value.hint


def test_a_mark_says_the_type_it_means() -> None:
    found = plain('{"l": {"$stringSet": ["a"]}}', l=StringSet(("b",)))
    assert found["l"] == StringSet(("a",))
    assert plain('{"l": {"$stringSet": ["a"]}}', l=List(()))["l"] == StringSet(("a",))
    assert plain('{"m": {"$map": {"$binary": "x"}}}')["m"] == Map({"$binary": String("x")})
    assert item_from_dynamodb_text('{"n": {"S": "5"}}', {"n": Number("5")})["n"] == String("5")


def test_elements_of_a_list_may_be_put_in_another_order() -> None:
    like = List((Number("1.0"), String("a"), List((Number("2"),))))
    (found,) = plain('{"l": ["a", [2], 1]}', l=like).values()
    assert found == List((String("a"), List((Number("2"),)), Number("1")))
    (found,) = plain('{"l": ["0", 1, "a", [2]]}', l=like).values()
    assert isinstance(found, List)
    assert found.elements[1] is like.elements[0]


def test_an_element_that_moved_keeps_its_types_and_not_those_of_the_one_before() -> None:
    one, other = Map({"t": StringSet(("a",)), "n": Number("1.0")}), Map({"t": List((String("b"),)), "n": String("x")})
    text = '{"l": [{"t": ["b"], "n": "x"}, {"t": {"$stringSet": ["a"]}, "n": 1}]}'
    (found,) = plain(text, l=List((one, other))).values()
    assert isinstance(found, List)
    assert found.elements[0] is other
    assert found.elements[1] is one
    (found,) = plain(
        '{"l": [["b"], {"$stringSet": ["a"]}]}', l=List((StringSet(("a",)), List((String("b"),))))
    ).values()
    assert found == List((List((String("b"),)), StringSet(("a",))))


def test_an_empty_list_stays_a_list_and_an_empty_set_is_refused() -> None:
    assert plain('{"l": []}', l=List(()))["l"] == List(())
    for text, like in (('{"s": []}', {"s": StringSet(("a",))}), ('{"s": {"$stringSet": []}}', {})):
        with pytest.raises(InvalidValue, match="empty set"):
            item_from_plain_text(text, like)
    assert plain('{"s": {"$stringSet": []}, "n": 1}', s=StringSet(())) == {"s": StringSet(()), "n": Number("1")}


def test_null_empty_and_missing_are_three_things() -> None:
    like: Item = {"null": Null(), "empty": String(""), "there": String("x")}
    found = plain('{"null": null, "empty": ""}', **like)
    assert found == {"null": Null(), "empty": String("")}
    assert found["null"] is like["null"]
    with pytest.raises(InvalidValue, match="would become a Null"):
        plain('{"empty": null}', **like)


@pytest.mark.parametrize("digits", ["1" + "0" * 40, "1234567890123456" + "0" * 25, "1E40", "1E+125", "1E-130"])
def test_numbers_with_many_zeros_are_numbers(digits: str) -> None:
    (found,) = plain(f'{{"n": {digits}}}').values()
    assert isinstance(found, Number)
    assert found.text == digits


WRONG = [
    # text, what is said, line, column
    ("", "ends where a value", 1, 1),
    ("[1]", "an item is an object", 1, 1),
    ('{"a": 1,}', "name of an attribute", 1, 9),
    ('{"a": 1\n "b": 2}', "comma or } is missing", 2, 2),
    ('{"a": 1} x', "more text after the end", 1, 10),
    ('{"a" 1}', "a colon is missing", 1, 6),
    ('{"a": }', "a value is missing", 1, 7),
    ('{"a": [1, ]}', "a value is missing", 1, 11),
    ('{"a": [1', "] is missing", 1, 9),
    ('{"a": nil}', "nil is no value", 1, 7),
    ('{"a": NaN}', "NaN is no value", 1, 7),
    ('{"a": 007}', "not how JSON writes", 1, 7),
    ('{"a": +5}', "not how JSON writes", 1, 7),
    ('{"a": .5}', "not how JSON writes", 1, 7),
    ('{"a": 1_000}', "not how JSON writes", 1, 7),
    ('{"a": 1,\n "b": 2,\n "a": 3}', "stands twice", 3, 2),
    ('{"a": "b\nc"}', "a line break cannot stand", 1, 9),
    ('{"a": "b\tc"}', "a tab cannot stand", 1, 9),
    ('{"a": "b', "does not end", 1, 7),
    ('{"a": "\\d"}', "is no escape", 1, 8),
    ('{"a": "\\ud800"}', "surrogate", 1, 7),
    ("{'a': 1}", "no meaning", 1, 2),
    ("{\u00a0}", "U\\+00A0 has no meaning", 1, 2),
    ('{"": 1}', "empty name", 1, 2),
    ('{"a": 1E126}', "outside the range", 1, 7),
    ('{"a": 1E-131}', "outside the range", 1, 7),
    (f'{{"a": {"1" * 39}}}', "39 significant digits", 1, 7),
    ('{"a": {"$stringSet": ["x", "x"]}}', "twice", 1, 28),
    ('{"a": {"$numberSet": [1, 1.0]}}', "the set holds 1 and 1.0, which are equal", 1, 26),
    ('{"a": {"$numberSet": ["1"]}}', "numbers only", 1, 23),
    ('{"a": {"$binary": "A"}}', "not base64", 1, 19),
    ('{"a": {"$binary": "AB=="}}', "not base64", 1, 19),
    ('{"a": {"$binary": ["AA=="]}}', "no content", 1, 19),
    ('{"a": {"$set": []}}', "not one of the marks", 1, 8),
    ('{"a": ' + "[" * 80 + "]" * 80 + "}", "nested deeper than 32", 1, 78),
    ('{"a": ' + "[" * 40 + "]" * 40 + "}", "nested deeper than 32", 1, 7),
]


@pytest.mark.parametrize(("text", "said", "line", "column"), WRONG)
def test_plain_json_that_is_wrong_is_refused_at_its_place(text: str, said: str, line: int, column: int) -> None:
    with pytest.raises(InvalidValue, match=said) as raised:
        plain(text)
    assert raised.value.position is not None
    assert line_and_column(text, raised.value.position) == (line, column)


WRONG_TAGS = [
    ('{"a": 1}', "a type is missing", 7),
    ('{"a": {}}', "one type is expected, found none", 7),
    ('{"a": {"S": "x", "N": "1"}}', "one type is expected, found S, N", 7),
    ('{"a": {"X": 1}}', '"X" is not a type', 8),
    ('{"a": {"N": 1}}', "a number is not the content of type N", 13),
    ('{"a": {"S": 1}}', "not the content of type S", 13),
    ('{"a": {"NULL": false}}', "false is not the content of type NULL", 16),
    ('{"a": {"SS": []}}', "empty set", 14),
    ('{"a": {"NS": ["1", "1.0"]}}', "the set holds 1 and 1.0, which are equal", 20),
    ('{"a": {"BS": ["AA==", "AA=="]}}', "twice", 23),
    ('{"a": {"BS": ["AB=="]}}', "not base64", 15),
    ('{"a": {"SS": "x"}}', "not the content of type SS", 14),
    ('{"a": {"NS": [1]}}', "numbers in quotes only", 15),
    ('{"a": {"N": "7 "}}', "not a number", 13),
    ('{"a": {"N": "NaN"}}', "not a number", 13),
]


@pytest.mark.parametrize(("text", "said", "column"), WRONG_TAGS)
def test_dynamodb_json_that_is_wrong_is_refused_at_its_place(text: str, said: str, column: int) -> None:
    with pytest.raises(InvalidValue, match=said) as raised:
        item_from_dynamodb_text(text, {})
    assert raised.value.position == column - 1


def test_a_map_wrapped_once_too_often_is_refused() -> None:
    with pytest.raises(InvalidValue, match="not a type"):
        item_from_dynamodb_text('{"a": {"M": {"M": {"b": {"S": "x"}}}}}', {})


def test_binary_within_documents_is_decoded_once() -> None:
    document = '{"b": {"B": "MQ=="}, "l": {"L": [{"B": "MQ=="}]}}'
    text = f'{{"b": {{"B": "MQ=="}}, "m": {{"M": {document}}}, "s": {{"BS": ["MQ==", "/w=="]}}}}'
    found = item_from_dynamodb_text(text, {})
    assert found == item_from_dynamodb(json.loads(text))
    assert found["s"] == BinarySet((b"1", b"\xff"))


def test_what_an_emulator_stores_stays_while_its_attribute_is_not_touched() -> None:
    like: Item = {"bad": Number("NaN"), "empty": StringSet(()), "long": Number("1" * 39), "n": Number("1")}
    for write, read in FORMS:
        found = read(write({**like, "n": Number("2")}), like)
        assert [found[name] for name in ("bad", "empty", "long")] == [like["bad"], like["empty"], like["long"]]
        assert found["n"] == Number("2")
        with pytest.raises(InvalidValue):
            read(write({**like, "more": Number("1" * 39)}), like)
