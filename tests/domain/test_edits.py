"""Edits that are not written yet: what counts as a change, what could be written, and how edits of one item merge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.collections import Identity, identity
from dynodesk.domain.edits import Change, Edit, StagedEdits, check_edit, edit_from_json, edit_to_json
from dynodesk.domain.errors import InvalidFile, InvalidRequest, InvalidValue
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
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
)
from tests.domain.strategies import items

SCHEMA = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
INDEX = KeySchema((KeyAttribute("actor", "S"),), (KeyAttribute("at", "N"),))
TABLE = TableInfo("Social", SCHEMA, (IndexInfo("ByActor", "GSI", INDEX, Projection("KEYS_ONLY")),))


def keyed(sort: str = "META", **attributes: Value) -> dict[str, Value]:
    return {"PK": String("POST#a91f"), "SK": String(sort), **attributes}


def edit(before: Item | None, after: Item | None) -> Edit:
    return Edit("Social", SCHEMA.key_of(before or after or {}), before, after)


def place(sort: str) -> Identity:
    return identity(keyed(sort), SCHEMA.names)


def path(*names: str) -> AttributePath:
    return AttributePath(names)


# -------------------------------------------------------------------------------------------------- what has changed


def test_kinds() -> None:
    item = keyed(title=String("a"))
    assert edit(None, item).kind == "new"
    assert edit(item, None).kind == "deleted"
    assert edit(item, keyed(title=String("b"))).kind == "edited"
    moved = edit(item, keyed("DRAFT", title=String("a")))
    assert (moved.kind, moved.target, moved.new_key) == ("moved", place("DRAFT"), SCHEMA.key_of(keyed("DRAFT")))


def test_a_number_key_in_another_spelling_is_the_same_key() -> None:
    before, after = {"n": Number("7"), "a": Number("1")}, {"n": Number("7.0"), "a": Number("2")}
    assert Edit("T", {"n": Number("7")}, before, after).kind == "edited"


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [
        ({"PK": String("a")}, None, None),
        ({"PK": String("a")}, {"PK": String("b")}, None),
        ({"PK": String("a")}, None, {"SK": String("b")}),
        ({}, None, {"PK": String("b")}),
    ],
)
def test_an_edit_is_of_the_item_with_its_key(key: Any, before: Item | None, after: Item | None) -> None:
    with pytest.raises(ValueError, match="has its key"):
        Edit("T", key, before, after)


def test_changes_look_into_maps_and_take_everything_else_whole() -> None:
    before = keyed(
        stats=Map({"likes.total": Number("41"), "views": Number("7"), "deep": Map({"a": Null()})}),
        tags=List((String("a"), String("b"))),
        gone=Null(),
    )
    after = keyed(
        stats=Map({"likes.total": Number("42"), "views": Number("7.0"), "deep": Map({}), "new": Boolean(True)}),
        tags=List((String("a"),)),
        added=String(""),
    )
    assert edit(before, after).changes == (
        Change(path("stats", "likes.total"), Number("41"), Number("42")),
        Change(path("stats", "deep", "a"), Null(), None),
        Change(path("stats", "new"), None, Boolean(True)),
        Change(path("tags"), List((String("a"), String("b"))), List((String("a"),))),
        Change(path("gone"), Null(), None),
        Change(path("added"), None, String("")),
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (Number("1"), Number("1.0")),
        (Number("-0"), Number("0")),
        (StringSet(("a", "b")), StringSet(("b", "a"))),
        (NumberSet((Number("1"), Number("2"))), NumberSet((Number("2.0"), Number("1E0")))),
        (BinarySet((b"\0", b"\1")), BinarySet((b"\1", b"\0"))),
        (List((Map({"s": StringSet(("a", "b"))}),)), List((Map({"s": StringSet(("b", "a"))}),))),
    ],
)
def test_the_same_value_otherwise_written_is_no_change(old: Value, new: Value) -> None:
    assert edit(keyed(a=old), keyed(a=new)).changes == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (Number("1"), String("1")),
        (Number("1"), Boolean(True)),
        (Null(), String("")),
        (String("a\xa0b"), String("a b")),
        (String("a\r\nb"), String("a\nb")),
        (String("a\u2028b"), String("a\nb")),
        (String("e\u0301"), String("é")),
        (List(()), Map({})),
        (StringSet(("a",)), List((String("a"),))),
        (Binary(b"a"), String("a")),
        (Number("12345678901234567890123456789012345678"), Number("12345678901234567890123456789012345679")),
    ],
)
def test_another_value_is_a_change(old: Value, new: Value) -> None:
    assert edit(keyed(a=old), keyed(a=new)).changes == (Change(path("a"), old, new),)


@given(items, items)
@settings(max_examples=50)
def test_the_changes_make_one_item_of_the_other(old: Item, new: Item) -> None:
    before, after = {**old, **keyed()}, {**new, **keyed()}
    made: Item = before
    for change in edit(before, after).changes:
        assert change.path.find(before) == change.before
        made = change.path.put_into(made, change.after)
    assert made == after


def test_units_are_those_of_the_larger_item_and_twice_in_a_transaction() -> None:
    small, large = keyed(), keyed(text=String("x" * 3000))
    assert edit(large, small).units == edit(small, large).units == 3
    assert edit(large, {**large, "SK": String("DRAFT")}).units == 12
    assert edit(small, None).units == 1


# ------------------------------------------------------------------------------------------- what would be refused


def deep(levels: int) -> Value:
    value: Value = String("x")
    for _ in range(levels):
        value = List((value,))
    return value


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (keyed(a=StringSet(())), "a: an empty set"),
        (keyed(a=NumberSet((Number("1"), Number("1.0")))), "a: a set holds the same member twice"),
        (keyed(a=Number("1E126")), "a: 1E126 is outside the range"),
        (keyed(a=Number("1" * 39)), "a: 1+… has 39 significant digits"),
        (keyed(a=deep(32)), "nested deeper than 32 levels"),
        (keyed(a=String("\ud800")), "a: character 1 is half of a surrogate pair"),
        (keyed(a=Map({"": Null()})), "a: an attribute has an empty name"),
        ({**keyed(), "": Null()}, "an attribute has an empty name"),
        (
            keyed(a=Binary(b"x" * 300_000), b=String("y" * 120_000)),
            r"the item has 42\d\d\d\d bytes; DynamoDB takes 409600",
        ),
        (keyed(actor=Number("5")), "actor is a key of the index ByActor with type S, this is a Number"),
        (keyed(actor=Null()), "actor is a key of the index ByActor"),
        (keyed(actor=String("")), "index ByActor: key attribute actor: a key cannot be empty"),
        (keyed(at=String("yesterday")), "at is a key of the index ByActor with type N"),
        (keyed(actor=String("x" * 2049)), "index ByActor: key attribute actor: 2049 bytes"),
    ],
)
def test_what_the_service_would_refuse(after: Item, words: str) -> None:
    for before in (None, keyed(actor=String("ACTOR#alice"), at=Number("1"))):
        with pytest.raises(InvalidValue, match=words):
            check_edit(edit(before, after), TABLE)


def test_the_largest_attributes_are_named() -> None:
    with pytest.raises(InvalidValue) as raised:
        check_edit(edit(None, keyed(a=String("x"), b=Binary(b"x" * 400_000), c=String("y" * 20_000))), TABLE)
    assert raised.value.hint.startswith("Largest attributes: b, c,")


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (keyed(""), "key attribute SK: a key cannot be empty"),
        (keyed("x" * 1025), "key attribute SK: 1025 bytes"),
        ({**keyed(), "SK": Number("1")}, "key attribute SK is a Number, the table says S"),
        ({"PK": String("POST#a91f")}, "key attribute SK is missing"),
    ],
)
def test_a_new_key_must_be_one(after: Item, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        check_edit(edit(keyed(), after), TABLE)


def test_an_index_key_may_be_removed() -> None:
    check_edit(edit(keyed(actor=String("ACTOR#alice")), keyed()), TABLE)


def test_what_is_left_alone_may_be_odd() -> None:
    """Emulators store what the service would not: an update does not send it."""
    odd: dict[str, Value] = {"old": NumberSet(()), "nan": Number("NaN"), "deep": deep(40), "at": String("no number")}
    check_edit(edit({**keyed(), **odd}, {**keyed(), **odd, "title": String("b")}), TABLE)
    with pytest.raises(InvalidValue):
        check_edit(edit({**keyed(), **odd}, {**odd, **keyed("OTHER")}), TABLE)  # moved: all of it is sent


def test_an_edit_of_another_table_is_not_checked_for_this_one() -> None:
    with pytest.raises(InvalidValue, match="has another one"):
        check_edit(Edit("Social", {"id": String("x")}, None, {"id": String("x")}), TABLE)


# ------------------------------------------------------------------------------------------------------------- staged


def test_edits_of_one_item_become_one() -> None:
    staged = StagedEdits()
    first, second, third = keyed(a=Number("1")), keyed(a=Number("2")), keyed(a=Number("2"), b=Null())
    staged.stage(edit(first, second))
    merged = staged.stage(edit(second, third))
    assert merged == edit(first, third)
    assert list(staged) == [merged]
    assert staged.stage(edit(third, keyed(a=Number("1.0")))) is None
    assert len(staged) == 0


def test_before_stays_what_was_read_first() -> None:
    staged = StagedEdits([edit(keyed(a=Number("1")), keyed(a=Number("2")))])
    merged = staged.stage(edit(keyed(a=Number("9")), keyed(a=Number("3"))))
    assert merged == edit(keyed(a=Number("1")), keyed(a=Number("3")))


def test_a_new_item_that_is_deleted_was_never_there() -> None:
    staged = StagedEdits([edit(None, keyed())])
    assert staged.stage(edit(keyed(), None)) is None
    assert len(staged) == 0


def test_a_new_item_may_get_another_key() -> None:
    staged = StagedEdits([edit(None, keyed())])
    assert staged.stage(edit(keyed(), keyed("DRAFT"))) == edit(None, keyed("DRAFT"))
    assert [one.identity for one in staged] == [place("DRAFT")]
    assert staged.find("Social", place("META")) is None


def test_a_new_item_in_the_place_of_a_deleted_one_is_an_edit() -> None:
    staged = StagedEdits([edit(keyed(a=Number("1")), None)])
    merged = staged.stage(edit(None, keyed(b=Number("2"))))
    assert merged == edit(keyed(a=Number("1")), keyed(b=Number("2")))
    assert merged is not None
    assert merged.kind == "edited"


def test_a_new_item_does_not_replace_one_that_is_staged() -> None:
    for after in (keyed(a=Null()), keyed("DRAFT")):
        staged = StagedEdits([edit(keyed(), after)])
        with pytest.raises(InvalidRequest, match="is in the table"):
            staged.stage(edit(None, keyed(b=Null())))


def test_a_moved_item_is_found_and_edited_under_both_keys() -> None:
    staged = StagedEdits([edit(keyed(), keyed("DRAFT"))])
    found = staged.find("Social", place("DRAFT"))
    assert found is not None
    assert found == staged.find("Social", place("META"))
    merged = staged.stage(edit(keyed("DRAFT"), keyed("DRAFT", a=Null())))
    assert merged == edit(keyed(), keyed("DRAFT", a=Null()))
    assert staged.stage(edit(keyed("DRAFT", a=Null()), keyed())) is None


def test_two_edits_never_need_one_key() -> None:
    staged = StagedEdits([edit(keyed(), keyed("DRAFT")), edit(keyed("OLD"), None)])
    for other in (edit(None, keyed("DRAFT")), edit(keyed("X"), keyed("DRAFT")), edit(keyed("X"), keyed("OLD"))):
        with pytest.raises(InvalidRequest, match="needs the same key"):
            staged.stage(other)
    assert len(staged) == 2


@given(
    st.lists(st.tuples(st.sampled_from("ABCD"), st.none() | st.sampled_from("ABCD"), st.integers(0, 2)), max_size=12)
)
@settings(max_examples=150)
def test_whatever_is_staged_and_unstaged_no_key_is_needed_twice(steps: list[tuple[str, str | None, int]]) -> None:
    """Against a table where all four items are, edited through what is staged, as a grid shows it."""
    staged = StagedEdits()
    for name, target, number in steps:
        found = staged.find("Social", place(name))
        shown = keyed(name) if found is None else found.after
        if shown is None or identity(shown, SCHEMA.names) != place(name):
            staged.unstage("Social", SCHEMA.key_of(keyed(name)))
            continue
        after = None if target is None else keyed(target, n=Number(str(number)))
        if target is not None and target != name and staged.find("Social", place(target)) is None:
            staged.unstage("Social", SCHEMA.key_of(keyed(target)))
        try:
            staged.stage(edit(shown, after))
        except InvalidRequest:
            continue
    targets = [one.target for one in staged if one.target is not None]
    assert len(targets) == len(set(targets))
    for one in staged:
        assert staged.find("Social", one.identity) is one
        if one.target is not None:
            assert staged.find("Social", one.target) is one
    again = StagedEdits(edit_from_json(edit_to_json(one)) for one in staged)
    assert [*again] == [*staged]
    for one in staged:
        assert staged.unstage("Social", one.key) is one
    assert [staged.find("Social", place(name)) for name in "ABCD"] == [None] * 4


def test_edits_by_table_and_away_again() -> None:
    other = Edit("Other", {"id": Number("1")}, None, {"id": Number("1")})
    staged = StagedEdits([edit(keyed(), None), other])
    assert staged.of("Other") == (other,)
    assert staged.find("Other", place("META")) is None
    assert staged.unstage("Other", {"id": Number("1.0")}) == other
    assert staged.unstage("Other", {"id": Number("1")}) is None
    assert len(staged) == 1


HARD = "a\xa0b\r\nc\u2028d\u2029e\x00\x0b\x1b\x85\ufeff\u200d💙\ud800"


@given(items, items)
@settings(max_examples=50)
def test_a_file_gives_the_same_edits_back(old: Item, new: Item) -> None:
    before, after = {**old, **keyed()}, {**new, **keyed(hard=String(HARD), number=Number("+01.50E+3"))}
    staged = StagedEdits(
        [edit(before, after), edit(None, keyed("NEW", **{HARD: Binary(b"\x00\xff")})), edit(keyed("OLD"), None)]
    )
    read = [edit_from_json(json.loads(json.dumps(edit_to_json(one)))) for one in staged]
    assert [*read] == [*staged]
    assert repr([*read]) == repr([*staged])  # spellings and orders included, which equality looks through


@pytest.mark.parametrize(
    "damaged",
    [
        {},
        {"table": "T", "key": {"PK": {"S": "a"}}, "before": None, "after": None},
        {"table": "T", "key": {"PK": {"X": "a"}}, "before": None, "after": {}},
        {"table": "T", "key": 7, "before": None, "after": {}},
        [],
        None,
    ],
)
def test_a_damaged_file_is_told(damaged: Any) -> None:
    with pytest.raises(InvalidFile):
        edit_from_json(damaged)


def test_a_mapping_of_any_kind_may_be_an_item() -> None:
    frozen: Mapping[str, Value] = keyed()
    assert edit(frozen, None).title == "POST#a91f / META"
