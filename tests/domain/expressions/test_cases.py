"""What people have run into with expressions, each on items of our own: what holds, what is sent, what is refused."""

from __future__ import annotations

import pytest

from dynodesk.domain.expressions import (
    Condition,
    Placeholders,
    RequestExpressions,
    check_request,
    parse_changes,
    parse_condition,
    parse_update,
    parse_where,
)
from dynodesk.domain.expressions.conditions import Comparison, Exists
from dynodesk.domain.expressions.nodes import DocumentPath, Literal
from dynodesk.domain.expressions.projections import Projection
from dynodesk.domain.expressions.updates import Set, Update
from dynodesk.domain.item_json import from_plain
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import Boolean, Number, String, Value

TABLE = TableInfo("orders", KeySchema((KeyAttribute("pk", "S"),), (KeyAttribute("sk", "N"),)))


def found(condition: str | Condition, *items: str) -> list[int]:
    """The indexes of the items that meet the condition."""
    tree = parse_where(condition) if isinstance(condition, str) else condition
    return [number for number, item in enumerate(items) if tree.holds(from_plain(item))]


def test_not_equal_holds_for_what_is_missing() -> None:
    items = ['{"state": "paid"}', '{"state": "new"}', "{}", '{"state": null}', '{"state": 5}']
    assert found("state <> 'paid'", *items) == [1, 2, 3, 4]
    assert found("NOT state = 'paid'", *items) == [1, 2, 3, 4]
    assert found("attribute_exists(state) AND state <> 'paid'", *items) == [1, 3, 4]
    assert found("state <> other", *items) == [0, 1, 2, 3, 4]  # also where both are missing
    assert found("state = other", "{}", '{"state": 1, "other": 1.0}') == [1]


def test_types_are_not_compared_with_each_other() -> None:
    items = ['{"n": 3}', '{"n": 8}', '{"n": "3"}', "{}", '{"n": null}', '{"n": {"$numberSet": [3]}}']
    assert found("n < 9", *items) == [0, 1]
    assert found("n >= 0", *items) == [0, 1]
    assert found("n BETWEEN 0 AND 9", *items) == [0, 1]
    assert found("n < '9'", *items) == [2]
    assert found("n = 3", *items) == [0]
    assert found("n IN (3, '3')", *items) == [0, 2]
    assert found("NOT n < 9", *items) == [2, 3, 4, 5]


def test_null_missing_and_empty_are_three_things() -> None:
    items = ['{"v": null}', "{}", '{"v": ""}', '{"v": "text"}', '{"v": []}', '{"v": {}}']
    assert found("attribute_exists(v)", *items) == [0, 2, 3, 4, 5]
    assert found("attribute_not_exists(v)", *items) == [1]
    assert found("v = NULL", *items) == [0]
    assert found("attribute_type(v, 'NULL')", *items) == [0]
    assert found("size(v) = 0", *items) == [2, 4, 5]
    assert found("size(v) <> 0", *items) == [0, 1, 3]


@pytest.mark.parametrize("value", [Number("0"), Number("-0.0"), Boolean(False), String("")])
def test_zero_false_and_empty_are_values(value: Value) -> None:
    placeholders = Placeholders()
    assert Comparison(DocumentPath.of("v"), "=", Literal(value)).text(placeholders) == "#n0 = :v0"
    assert placeholders.values == {":v0": value}


def test_numbers_are_equal_by_value() -> None:
    assert found("n = 10", '{"n": 10.0}', '{"n": 1E1}', '{"n": 10.00}', '{"n": 100}') == [0, 1, 2]
    assert found('s = {"NS": ["1", "2.50"]}', '{"s": {"$numberSet": [2.5, 1.0]}}') == [0]
    assert found("contains(s, 2.500)", '{"s": {"$numberSet": [2.5, 1.0]}}', '{"s": [2.5]}') == [0, 1]
    assert found("id = 72057594037927937123", '{"id": 72057594037927937123}', '{"id": 72057594037927937000}') == [0]


def test_strings_are_ordered_by_their_utf8() -> None:
    assert found("s > '｡'", '{"s": "𐀂"}', '{"s": "é"}', '{"s": "｡"}') == [0]
    assert found("day BETWEEN '2026-01-30' AND '2026-01-31'", '{"day": "2026-01-31"}', '{"day": "2026-01-31T10"}') == [
        0
    ]


def test_sets_are_equal_whatever_their_order() -> None:
    items = ['{"t": {"$stringSet": ["a", "b"]}}', '{"t": {"$stringSet": ["b"]}}', '{"t": ["a", "b"]}']
    assert found('t = {"SS": ["b", "a"]}', *items) == [0]
    assert found('m = {"M": {"t": {"SS": ["b", "a"]}}}', '{"m": {"t": {"$stringSet": ["a", "b"]}}}') == [0]


def test_a_dot_in_a_name_is_no_step() -> None:
    top, nested = '{"pk": "1", "size.cm": 7}', '{"pk": "2", "size": {"cm": 7}}'
    for steps, text, hit in ((("size.cm",), "#n0 = :v0", 0), (("size", "cm"), "#n0.#n1 = :v0", 1)):
        condition = Comparison(DocumentPath(steps), "=", Literal(Number("7")))
        assert found(condition, top, nested) == [hit]
        assert condition.text(Placeholders()) == text
    updated = parse_changes("SET size.cm = 8").apply(from_plain(nested))
    assert updated == from_plain('{"pk": "2", "size": {"cm": 8}}')
    updated = parse_changes('SET "size.cm" = 8').apply(from_plain(top))
    assert updated == from_plain('{"pk": "1", "size.cm": 8}')


ODD = (
    "order-id",
    "_rev",
    "status",
    "my col",
    "likes#",
    "/path",
    "2026-01-01",
    "a[0]",
    ":v",
    "#n",
    '"',
    "%",
    "é",
    "AND",
)


@pytest.mark.parametrize("name", ODD)
def test_odd_names_work_everywhere(name: str) -> None:
    placeholders = Placeholders()
    path, inner = DocumentPath.of(name), DocumentPath.of("m", name)
    request = RequestExpressions(
        filter=Comparison(path, "<>", Literal(Number("1"))).text(placeholders),
        condition=Exists(inner).text(placeholders),
        update=Update(sets=(Set(inner, path),)).text(placeholders),
        projection=Projection((path, inner)).text(placeholders),
        names=placeholders.names,
        values=placeholders.values,
    )
    assert all(remark.severity == "warning" for remark in check_request(request))
    assert set(placeholders.names) == {"#n0", "#n1"}
    item = {name: Number("2"), "m": from_plain('{"x": {}}')["x"]}
    update = parse_update(request.update, request.names, request.values)
    assert parse_condition(request.condition, request.names, request.values).holds(update.apply(item))


def test_overlapping_paths_are_named() -> None:
    for text in ('SET m = {"M": {}} REMOVE m.k', "SET a = 1, a = 2", "REMOVE l[0][1], l[0]"):
        placeholders = Placeholders()
        update = parse_changes(text).text(placeholders)
        request = RequestExpressions(update=update, names=placeholders.names, values=placeholders.values)
        (error,) = (remark for remark in check_request(request) if remark.severity == "error")
        first, second = error.message.split(" and ", 1)
        assert first in text
        assert second.split()[0] in text


def test_removing_several_elements_counts_from_the_list_as_it_was() -> None:
    item = from_plain('{"pk": "u", "l": [10, 11, 12, 13, 14]}')
    assert parse_changes("REMOVE l[1], l[3]").apply(item)["l"] == from_plain('{"l": [10, 12, 14]}')["l"]
    assert parse_changes("SET l[99] = 15").apply(item)["l"] == from_plain('{"l": [10, 11, 12, 13, 14, 15]}')["l"]


def test_unused_placeholders_are_found_and_never_made() -> None:
    request = RequestExpressions(filter="n = :a", values={":a": Number("1"), ":b": Number("2")})
    assert [remark.unused for remark in check_request(request)] == [":b"]
    placeholders = Placeholders()
    tree = parse_condition(request.filter, request.names, request.values)
    assert tree.text(placeholders) == "#n0 = :v0"
    assert (placeholders.names, placeholders.values) == ({"#n0": "n"}, {":v0": Number("1")})


def test_an_update_of_what_is_not_there_makes_it() -> None:
    request = RequestExpressions(update="SET cnt = :n", values={":n": Number("3")})
    assert parse_update(request.update, {}, request.values).apply({"pk": String("gone")}, exists=False) == from_plain(
        '{"pk": "gone", "cnt": 3}'
    )
    (remark,) = check_request(request, TABLE)
    assert remark.severity == "warning"
    assert (remark.replacement, remark.names) == ("attribute_exists(#pk)", {"#pk": "pk"})
