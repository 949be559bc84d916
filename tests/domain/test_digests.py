"""Digests of items: equal for equal ones, and for no others."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from dynodesk.domain.digests import digest_of
from dynodesk.domain.item_json import item_from_dynamodb, item_to_dynamodb
from dynodesk.domain.values import Binary, BinarySet, Item, List, Map, Null, Number, NumberSet, String, StringSet, Value
from tests.domain.strategies import items


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Number("1"), Number("1.0")),
        (Number("-0"), Number("0E5")),
        (StringSet(("a", "b")), StringSet(("b", "a"))),
        (NumberSet((Number("10"), Number("9"))), NumberSet((Number("9.0"), Number("1E1")))),
        (BinarySet((b"b", b"a")), BinarySet((b"a", b"b"))),
        (Map({"a": Null(), "b": String("")}), Map({"b": String(""), "a": Null()})),
        (
            List((Map({"s": NumberSet((Number("1"), Number("2")))}),)),
            List((Map({"s": NumberSet((Number("2"), Number("1.0")))}),)),
        ),
    ],
)
def test_equal(one: Value, other: Value) -> None:
    assert one == other
    assert digest_of([{"a": one}]) == digest_of([{"a": other}])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Number("1"), String("1")),
        (String("a\xa0"), String("a ")),
        (String(""), Null()),
        (List((String("a"), String("b"))), List((String("b"), String("a")))),
        (StringSet(("a",)), List((String("a"),))),
        (Binary(b"a"), String("YQ==")),
    ],
)
def test_not_equal(one: Value, other: Value) -> None:
    assert digest_of([{"a": one}]) != digest_of([{"a": other}])


def test_where_one_item_ends_counts() -> None:
    assert digest_of([{"a": Null()}, {}]) != digest_of([{"a": Null()}]) != digest_of([])


@given(items)
@settings(max_examples=30)
def test_a_way_through_json_changes_nothing(item: Item) -> None:
    assert digest_of([item_from_dynamodb(item_to_dynamodb(item))]) == digest_of([item])
