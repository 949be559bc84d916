"""What an update makes of an item, and what the service would not do."""

from __future__ import annotations

import pytest

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions import parse_changes
from dynodesk.domain.expressions.updates import Update
from dynodesk.domain.item_json import from_plain, to_plain

ITEM = """{
    "pk": "POST#1", "likes": 41, "half": 0.5, "title": "Hello", "a.b": "one name", "gone": null,
    "a": {"b": "nested", "n": 1, "list": ["x", {"deep": 1}]},
    "l": ["a", "b", "c", "d", "e"],
    "tags": {"$stringSet": ["red", "blue"]}, "ids": {"$numberSet": [1, 2.50]}, "raw": {"$binarySet": ["AA==", "/w=="]}
}"""


def after(text: str, item: str = ITEM, *, exists: bool = True) -> dict[str, object]:
    return dict(parse_changes(text).apply(from_plain(item), exists=exists))


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("SET likes = likes + 1", "likes", "42"),
        ("SET likes = likes - 50", "likes", "-9"),
        ("set likes = 100 - likes", "likes", "59"),
        ("SET likes = (half) + 1E-3", "likes", "0.501"),
        ("SET likes = (likes + 1)", "likes", "42"),
        ("SET n = if_not_exists(n, 0) + 1", "n", "1"),
        ("SET likes = if_not_exists(likes, 0) + 1", "likes", "42"),
        ("SET likes = if_not_exists(x.y[3], if_not_exists(z, half))", "likes", "0.5"),
        ("ADD likes 1", "likes", "42"),
        ("ADD likes -1", "likes", "40"),
        ("ADD n 5", "n", "5"),
        ("ADD a.n 2", "a", '{"b": "nested", "n": 3, "list": ["x", {"deep": 1}]}'),
        ("SET copy = title REMOVE title", "copy", '"Hello"'),
        ("SET a.b = 'new'", "a", '{"b": "new", "n": 1, "list": ["x", {"deep": 1}]}'),
        ("SET \"a.b\" = 'new'", "a.b", '"new"'),
        (
            "SET a.list[1].deep = a.n, a.c = a.b",
            "a",
            '{"b": "nested", "n": 1, "list": ["x", {"deep": 1}], "c": "nested"}',
        ),
        ("REMOVE a.list[1].deep, a.n, a.nothing", "a", '{"b": "nested", "list": ["x", {}]}'),
        ("REMOVE l[1], l[3]", "l", '["a", "c", "e"]'),
        ("REMOVE l[3], l[1]", "l", '["a", "c", "e"]'),
        ("REMOVE l[1] SET l[3] = 'D'", "l", '["a", "c", "D", "e"]'),
        ("REMOVE l[99]", "l", '["a", "b", "c", "d", "e"]'),
        ("SET l[99] = 'Z'", "l", '["a", "b", "c", "d", "e", "Z"]'),
        ("SET l[84] = 4, l[7] = 1, l[50] = 3, l[17] = 2", "l", '["a", "b", "c", "d", "e", 1, 2, 3, 4]'),
        ("SET l[0] = l[4], l[4] = l[0]", "l", '["e", "b", "c", "d", "a"]'),
        ("SET l = list_append(l, l)", "l", '["a", "b", "c", "d", "e", "a", "b", "c", "d", "e"]'),
        ('SET n = list_append(if_not_exists(n, {"L": []}), {"L": [{"N": "1"}]})', "n", "[1]"),
        ('SET l = list_append({"L": [{"NULL": true}]}, l)', "l", '[null, "a", "b", "c", "d", "e"]'),
        ("SET gone = NULL, likes = TRUE", "likes", "true"),
        ('ADD tags {"SS": ["blue", "green"]}', "tags", '{"$stringSet": ["red", "blue", "green"]}'),
        ('ADD ids {"NS": ["2.5", "1E0", "3"]}', "ids", '{"$numberSet": [1, 2.50, 3]}'),
        ('ADD raw {"BS": ["AA==", "AQ=="]}', "raw", '{"$binarySet": ["AA==", "/w==", "AQ=="]}'),
        ('ADD fresh {"SS": ["x"]}', "fresh", '{"$stringSet": ["x"]}'),
        ('DELETE tags {"SS": ["blue", "green"]}', "tags", '{"$stringSet": ["red"]}'),
        ('DELETE ids {"NS": ["1.0"]}', "ids", '{"$numberSet": [2.50]}'),
        ('DELETE raw {"BS": ["/w=="]}', "raw", '{"$binarySet": ["AA=="]}'),
    ],
)
def test_computes_from_the_item_as_it_was(text: str, attribute: str, value: str) -> None:
    update = parse_changes(text)
    before = from_plain(ITEM)
    result = update.apply(before)
    assert to_plain({"v": result[attribute]}) == to_plain(from_plain(f'{{"v": {value}}}'))
    assert before == from_plain(ITEM)
    touched = {action.path.attribute for action in update.actions}
    assert {name: kept for name, kept in result.items() if name not in touched} == {
        name: kept for name, kept in before.items() if name not in touched
    }


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("REMOVE likes", "likes"),
        ("REMOVE nothing", "nothing"),
        ('DELETE tags {"SS": ["red", "blue"]}', "tags"),
        ('DELETE ids {"NS": ["1", "2.5"]}', "ids"),
        ('DELETE nothing {"SS": ["red"]}', "nothing"),
    ],
)
def test_leaves_no_attribute(text: str, attribute: str) -> None:
    assert attribute not in after(text)


@pytest.mark.parametrize(
    ("text", "message", "place", "hint"),
    [
        ("SET n = n + 1", "n is not in the item", "n", "if_not_exists(n, …)"),
        ("SET n = x.y", "x.y is not in the item", "x.y", ""),
        ("SET likes = title + 1", "title is a String: + takes numbers", "title", ""),
        ("SET likes = likes - NULL", "NULL is a Null", "NULL", ""),
        ("SET l = list_append(l, title)", "title is a String: list_append", "title", ""),
        ("SET a.b.c = 1", "a.b.c leads through", "a.b.c", "of its own"),
        ("SET new.b = 1", "new.b leads through", "new.b", ""),
        ("SET a[0] = 1", "a[0] leads through", "a[0]", ""),
        ("SET l.b = 1", "l.b leads through", "l.b", ""),
        ("SET l[9].b = 1", "l[9].b leads through", "l[9].b", ""),
        ("REMOVE new.b", "new.b leads through", "new.b", ""),
        ("REMOVE title[0]", "title[0] leads through", "title[0]", ""),
        ("ADD title 1", "title is a String: ADD of a Number needs one", "title", ""),
        ("ADD likes 'x'", "'x' is a String: ADD takes a number or a set", "'x'", ""),
        ('ADD tags {"NS": ["1"]}', "tags is a String set", "tags", ""),
        ("ADD new.n 1", "new.n leads through", "new.n", ""),
        ("DELETE tags 'red'", "DELETE takes a set", "'red'", ""),
        ('DELETE ids {"SS": ["1"]}', "ids is a Number set", "ids", ""),
        ('DELETE likes {"NS": ["1"]}', "likes is a Number: DELETE", "likes", ""),
        ("SET likes = likes + 1E125", "digits", "likes + 1E125", "not be rounded"),
        ("ADD likes 1E-130", "digits", "likes 1E-130", "not be rounded"),
        ("SET likes = 9E125 + 9E125", "outside the range", "9E125 + 9E125", ""),
        ("SET likes = 1, likes = 2", "likes and likes are changed in one update", "likes", ""),
        ("SET a = 1 REMOVE a.b", "a and a.b lie within", "a.b", ""),
        ("SET l[1][2] = 1, l[1] = 2", "l[1][2] and l[1] lie within", "l[1]", ""),
        ("SET a.b = 1, a[1] = 2", "for a map and for a list", "a[1]", ""),
    ],
)
def test_says_what_the_service_would_refuse(text: str, message: str, place: str, hint: str) -> None:
    with pytest.raises(InvalidExpression) as refused:
        after(text)
    problem = refused.value
    assert message in problem.message
    assert hint in problem.hint
    assert text[problem.offset : problem.offset + problem.length] == place


@pytest.mark.parametrize(
    ("stored", "delta", "total"),
    [
        ("99999999999999999999999999999999999999", "-1", "99999999999999999999999999999999999998"),
        ("0.1", "0.2", "0.3"),
        ("1E37", "1", "10000000000000000000000000000000000001"),
        ("1.0", "1.00", "2"),
        ("-9.9999999999999999999999999999999999999E125", "9.9999999999999999999999999999999999999E125", "0"),
    ],
)
def test_counts_exactly(stored: str, delta: str, total: str) -> None:
    item = f'{{"n": {stored}}}'
    assert to_plain(parse_changes(f"ADD n {delta}").apply(from_plain(item))) == f'{{"n": {total}}}'
    assert to_plain(parse_changes(f"SET n = n + {delta}").apply(from_plain(item))) == f'{{"n": {total}}}'


def test_a_missing_item_starts_from_its_key() -> None:
    key = '{"pk": "gone"}'
    assert after("ADD likes 1", key, exists=False) == dict(from_plain('{"pk": "gone", "likes": 1}'))
    assert after("REMOVE a.b, l[0], likes", key, exists=False) == dict(from_plain(key))
    with pytest.raises(InvalidExpression):
        after("SET a.b = 1", key, exists=False)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("", "empty", ""),
        ("likes = 1", "one of SET, REMOVE, ADD, DELETE is missing", "likes"),
        ("SET likes", "= is missing", ""),
        ("SET likes = 1 SET half = 2", "SET stands twice", "SET"),
        ("SET likes = 1 + 2 + 3", "'+' cannot follow", "+"),
        ("SET likes = if_not_exists(likes, 1 + 2)", "no + within a function", "+"),
        ("SET likes = If_Not_Exists(likes, 1)", "no function If_Not_Exists", "If_Not_Exists"),
        ("SET likes = if_not_exists(1, 2)", "takes the path of an attribute first", "1"),
        ("SET likes = list_append(l)", "takes 2 operands, not 1", "list_append(l)"),
        ("SET likes = size(l)", "no function size in updates", "size"),
        ("SET likes = 1,", "the name of an attribute is missing", ""),
        ("SET likes = 1, REMOVE half", "REMOVE is a keyword", "REMOVE"),
        ("SET 'likes' = 1", "the name of an attribute is missing", "'likes'"),
        ("ADD likes = 1", "a value is missing", "="),
        ("ADD likes half", "a value is missing", "half"),
        ("REMOVE likes half", "'half' cannot follow", "half"),
    ],
)
def test_says_what_cannot_be_read_and_where(text: str, message: str, place: str) -> None:
    with pytest.raises(InvalidExpression) as refused:
        parse_changes(text)
    problem = refused.value
    assert message in problem.message
    assert text[problem.offset : problem.offset + problem.length] == place


def test_a_minus_before_a_number_is_a_difference_where_something_stands_before_it() -> None:
    assert str(parse_changes("SET n = n -1")) == "SET n = n - 1"
    assert str(parse_changes("SET n = n - -1")) == "SET n = n - -1"
    assert str(parse_changes("ADD n -1 REMOVE x SET m = -1")) == "SET m = -1 REMOVE x ADD n -1"


def test_an_update_changes_something() -> None:
    with pytest.raises(ValueError, match="changes something"):
        Update()
