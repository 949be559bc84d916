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
from dynodesk.domain.writes import (
    Effect,
    GuardedDelete,
    GuardedMove,
    GuardedPut,
    GuardedUpdate,
    GuardedWrite,
    effect_on,
    update_from_json,
    update_to_json,
    write_from_json,
    write_to_json,
)
from tests.domain.strategies import items, values

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
    put = {path: draw(values) for path in changed[at:-1]}
    within = tuple(draw(st.lists(PATHS, max_size=2)))
    unguarded = tuple(draw(st.lists(st.text(max_size=3), max_size=2)))
    remove = tuple(path for path in changed[max(at, len(changed) - 1) :])
    return GuardedUpdate("T", KEY, expected, add, put, remove, within, unguarded)


@st.composite
def puts(draw: st.DrawFn) -> GuardedPut:
    expected = draw(st.none() | st.dictionaries(PATHS, st.none() | values, max_size=3))
    return GuardedPut("T", KEY, {**draw(items), **KEY}, expected, ("a",) if expected else ())


@st.composite
def deletes(draw: st.DrawFn) -> GuardedDelete:
    return GuardedDelete("T", KEY, draw(st.dictionaries(PATHS, st.none() | values, max_size=3)), ("b",))


@st.composite
def moves(draw: st.DrawFn) -> GuardedMove:
    target = {"PK": String("a"), "SK": String("c")}
    return GuardedMove(GuardedPut("T", target, {**draw(items), **target}), draw(deletes()), "commit-7")


WRITES: st.SearchStrategy[GuardedWrite] = st.one_of(updates(), puts(), deletes(), moves())


@given(updates())
@settings(max_examples=30)
def test_data_gives_the_same_update_back(update: GuardedUpdate) -> None:
    assert update_from_json(json.loads(json.dumps(update_to_json(update)))) == update


@given(WRITES)
@settings(max_examples=50)
def test_the_journal_gives_the_same_write_back(write: GuardedWrite) -> None:
    payload = {"what": "edit", **write_to_json(write)}
    assert repr(write_from_json(json.loads(json.dumps(payload)))) == repr(write)


def test_an_update_of_a_repair_is_written_as_it_always_was() -> None:
    """The hash of a plan is over it."""
    assert set(update_to_json(WITH_MARK)) == {"table", "key", "expected", "add", "put"}


@given(updates())
@settings(max_examples=30)
def test_every_name_and_value_has_its_place_in_the_request(update: GuardedUpdate) -> None:
    words = expressions(update)
    condition = parse_condition(words.condition, words.names, words.values)
    change = parse_update(words.update, words.names, words.values)
    asked = {path.names[0] for path in (*update.expected, *update.within)} | {"PK"}
    assert condition.attributes == asked
    assert change.attributes == {path.names[0] for path in (*update.add, *update.put, *update.remove)}
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


ITEM: dict[str, Value] = {**KEY, "n": Number("41"), "title": String("a")}
PUT = GuardedPut("T", KEY, ITEM)
REPLACED = GuardedPut("T", KEY, ITEM, {TALLY: Number("40")})
REMOVAL = GuardedUpdate("T", KEY, {TALLY: Number("41"), NESTED: None}, put={NESTED: Number("1")}, remove=(TALLY,))
DELETE = GuardedDelete("T", KEY, {TALLY: Number("41"), AttributePath(("title",)): String("a")})


@pytest.mark.parametrize(
    ("write", "item", "effect"),
    [
        (PUT, None, "not applied"),
        (PUT, {**ITEM, "n": Number("41.0")}, "likely"),
        (PUT, {**ITEM, "n": Number("42")}, "unclear"),
        (REPLACED, {**ITEM, "n": Number("40")}, "not applied"),
        (REPLACED, ITEM, "likely"),
        (REPLACED, {**ITEM, "n": Number("42")}, "unclear"),
        (REPLACED, None, "unclear"),
        (REMOVAL, ITEM, "not applied"),
        (REMOVAL, {**KEY, "stats": Map({"likes.all": Number("1")})}, "likely"),
        (REMOVAL, {**ITEM, "stats": Map({"likes.all": Number("1")})}, "unclear"),
        (DELETE, None, "likely"),
        (DELETE, ITEM, "not applied"),
        (DELETE, {**ITEM, "added": Number("1")}, "not applied"),
        (DELETE, {**ITEM, "n": Number("42")}, "unclear"),
    ],
)
def test_what_an_item_says_of_the_other_writes(
    write: GuardedWrite, item: Mapping[str, Value] | None, effect: Effect
) -> None:
    assert effect_on(item, write) == effect


NEW_KEY = {"PK": String("a"), "SK": String("c")}
MOVE = GuardedMove(GuardedPut("T", NEW_KEY, {**ITEM, **NEW_KEY}), DELETE, "token")


@pytest.mark.parametrize(
    ("item", "target", "effect"),
    [
        (ITEM, None, "not applied"),
        (None, {**ITEM, **NEW_KEY}, "likely"),
        (None, {**ITEM, **NEW_KEY, "n": Number("42")}, "unclear"),
        (None, None, "unclear"),
        (ITEM, {**ITEM, **NEW_KEY}, "not applied"),
        ({**ITEM, "n": Number("42")}, None, "unclear"),
    ],
)
def test_what_two_items_say_of_a_move(
    item: Mapping[str, Value] | None, target: Mapping[str, Value] | None, effect: Effect
) -> None:
    assert effect_on(item, MOVE, target=target) == effect


@pytest.mark.parametrize(
    "write",
    [
        GuardedPut("T", KEY, {**ITEM, "SK": String("c")}),
        GuardedPut("T", {}, ITEM),
        GuardedDelete("T", {}, {}),
        GuardedMove(GuardedPut("T", KEY, ITEM), DELETE, "token"),
        GuardedMove(GuardedPut("T", NEW_KEY, {**ITEM, **NEW_KEY}, {TALLY: None}), DELETE, "token"),
    ],
)
def test_what_is_no_guarded_write(write: GuardedWrite) -> None:
    with pytest.raises(InvalidRequest):
        request_json(write)


def test_the_requests() -> None:
    assert request_json(PUT) == {
        "TableName": "T",
        "Item": {"PK": {"S": "a"}, "SK": {"S": "b"}, "n": {"N": "41"}, "title": {"S": "a"}},
        "ConditionExpression": "attribute_not_exists(#n0)",
        "ExpressionAttributeNames": {"#n0": "PK"},
    }
    assert request_json(DELETE) == {
        "TableName": "T",
        "Key": {"PK": {"S": "a"}, "SK": {"S": "b"}},
        "ConditionExpression": "attribute_exists(#n0) AND #n1 = :v0 AND #n2 = :v1",
        "ExpressionAttributeNames": {"#n0": "PK", "#n1": "n", "#n2": "title"},
        "ExpressionAttributeValues": {":v0": {"N": "41"}, ":v1": {"S": "a"}},
    }
    removal = request_json(REMOVAL)
    assert removal["UpdateExpression"] == "SET #n2.#n3 = :v1 REMOVE #n1"
    assert removal["ConditionExpression"] == "attribute_exists(#n0) AND #n1 = :v0 AND attribute_not_exists(#n2.#n3)"
    move = request_json(MOVE)
    assert [*move] == ["TransactItems", "ClientRequestToken"]
    assert [[*action] for action in move["TransactItems"]] == [["Put"], ["Delete"]]
    assert move["TransactItems"][1]["Delete"] == request_json(DELETE)
