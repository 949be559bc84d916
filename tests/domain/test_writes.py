"""Guarded updates as requests and as data, and what an item says of whether one was applied."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.expressions import parse_condition, parse_update
from dynodesk.domain.values import Map, Number, String, Value
from dynodesk.domain.write_requests import expressions, request_json
from dynodesk.domain.writes import Effect, GuardedUpdate, effect_on, update_from_json, update_to_json
from tests.domain.strategies import values

KEY = {"PK": String("a"), "SK": String("b")}
TALLY, VERSION, MARK = (AttributePath((name,)) for name in ("n", "rev", "mark"))
NESTED = AttributePath(("stats", "likes.all"))
NUMBERS = st.integers(-(10**20), 10**20).map(lambda number: Number(str(number)))
PATHS = st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=3).map(lambda names: AttributePath(tuple(names)))


@st.composite
def updates(draw: st.DrawFn) -> GuardedUpdate:
    changed = draw(st.lists(PATHS, min_size=1, max_size=4, unique_by=lambda path: path.names[0]))
    changed = [path for path in changed if path.names[0] not in KEY] or [TALLY]
    at = draw(st.integers(0, len(changed)))
    expected = draw(st.dictionaries(PATHS, st.none() | values, min_size=1, max_size=3))
    add = {path: draw(NUMBERS) for path in changed[:at]}
    put = {path: draw(values) for path in changed[at:]}
    return GuardedUpdate("T", KEY, expected, add, put)


@given(updates())
@settings(max_examples=30)
def test_data_gives_the_same_update_back(update: GuardedUpdate) -> None:
    assert update_from_json(json.loads(json.dumps(update_to_json(update)))) == update


@given(updates())
@settings(max_examples=30)
def test_every_name_and_value_has_its_place_in_the_request(update: GuardedUpdate) -> None:
    words = expressions(update)
    condition = parse_condition(words.condition, words.names, words.values)
    change = parse_update(words.update, words.names, words.values)
    asked = {path.names[0] for path in update.expected} | {"PK"}
    assert condition.attributes == asked
    assert change.attributes == {path.names[0] for path in (*update.add, *update.put)}
    assert json.loads(json.dumps(request_json(update)))["TableName"] == "T"


@pytest.mark.parametrize(
    "update",
    [
        GuardedUpdate("T", KEY, {}, add={TALLY: Number("1")}),
        GuardedUpdate("T", {}, {TALLY: Number("1")}, add={TALLY: Number("1")}),
        GuardedUpdate("T", KEY, {TALLY: Number("1")}),
        GuardedUpdate("T", KEY, {TALLY: Number("1")}, put={AttributePath(("SK", "x")): Number("1")}),
        GuardedUpdate(
            "T", KEY, {TALLY: Number("1")}, add={NESTED: Number("1")}, put={AttributePath(("stats",)): Map({})}
        ),
    ],
)
def test_what_is_no_guarded_update(update: GuardedUpdate) -> None:
    with pytest.raises(InvalidRequest):
        expressions(update)


WITH_MARK = GuardedUpdate(
    "T",
    KEY,
    {TALLY: Number("41"), VERSION: Number("7"), MARK: None},
    add={TALLY: Number("-4"), VERSION: Number("1")},
    put={MARK: String("r1")},
)
WITHOUT = GuardedUpdate(
    "T", KEY, {TALLY: Number("41"), VERSION: Number("7")}, add={TALLY: Number("-4"), VERSION: Number("1")}
)


@pytest.mark.parametrize(
    ("item", "with_mark", "without"),
    [
        (None, "unclear", "unclear"),
        ({"n": Number("41.0"), "rev": Number("7")}, "not applied", "not applied"),
        ({"n": Number("37"), "rev": Number("8"), "mark": String("r1")}, "applied", "likely"),
        ({"n": Number("90"), "rev": Number("60"), "mark": String("r1")}, "applied", "unclear"),
        ({"n": Number("37"), "rev": Number("8"), "mark": String("r2")}, "unclear", "likely"),
        ({"n": Number("37"), "rev": Number("8")}, "not applied", "likely"),
        ({"n": Number("37"), "rev": Number("7")}, "not applied", "unclear"),
        ({"n": String("37"), "rev": Number("8")}, "not applied", "unclear"),
    ],
)
def test_what_an_item_says(item: Mapping[str, Value] | None, with_mark: Effect, without: Effect) -> None:
    assert effect_on(item, WITH_MARK, MARK) == with_mark
    assert effect_on(item, WITHOUT, None) == without
