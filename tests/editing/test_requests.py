"""The request of an edit: only what changed, guarded by what was read, within what one expression may hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.expressions import check_request, parse_condition, parse_update
from dynodesk.domain.expressions.remarks import RequestExpressions
from dynodesk.domain.values import List, Map, Null, Number, String, Value
from dynodesk.domain.write_requests import expressions
from dynodesk.domain.writes import GuardedDelete, GuardedMove, GuardedPut, GuardedUpdate
from dynodesk.editing.requests import guarded_write
from tests.domain.strategies import items, values
from tests.editing.edit_bench import POSTS, SCHEMA, edit, post


def path(*names: str) -> AttributePath:
    return AttributePath(names)


def test_an_update_has_what_changed_and_nothing_else() -> None:
    before = post(likes=Number("41"), title=String("a"), stats=Map({"views": Number("7"), "a.b": Null()}))
    after = post(likes=Number("42"), stats=Map({"views": Number("8"), "a.b": Null(), "new": Null()}))
    write = guarded_write(edit(before, after), "t")
    assert write == GuardedUpdate(
        "Posts",
        {"PK": String("POST#a91f"), "SK": String("META")},
        {
            path("likes"): Number("41"),
            path("title"): String("a"),
            path("stats", "views"): Number("7"),
            path("stats", "new"): None,
        },
        put={path("likes"): Number("42"), path("stats", "views"): Number("8"), path("stats", "new"): Null()},
        remove=(path("title"),),
        within=(path("stats"),),
    )


def test_new_deleted_and_moved() -> None:
    item = post(likes=Number("41"), title=String("a"))
    moved = {**item, "SK": String("DRAFT")}
    key, target = SCHEMA.key_of(item), SCHEMA.key_of(moved)
    deletion = GuardedDelete("Posts", key, {path("likes"): Number("41"), path("title"): String("a")})
    assert guarded_write(edit(None, item), "t") == GuardedPut("Posts", key, item)
    assert guarded_write(edit(item, None), "t") == deletion
    assert guarded_write(edit(item, moved), "t") == GuardedMove(GuardedPut("Posts", target, moved), deletion, "t")


@given(items, items)
@settings(max_examples=60)
def test_it_makes_of_the_one_item_the_other_and_asks_for_the_one(old: dict[str, Value], new: dict[str, Value]) -> None:
    before, after = {**old, **post()}, {**new, **post()}
    if before == after:
        return
    write = guarded_write(edit(before, after), "t")
    assert isinstance(write, GuardedUpdate)
    words = expressions(write)
    condition = parse_condition(words.condition, words.names, words.values)
    change = parse_update(words.update, words.names, words.values)
    assert condition.holds(before)
    assert not condition.holds({})
    assert change.apply(before) == after
    assert change.attributes == {name for name in {*before, *after} if before.get(name) != after.get(name)}
    others = {**before, "another attribute": Null()}
    assert change.apply(others) == {**after, "another attribute": Null()}


@given(st.dictionaries(st.text(min_size=1, max_size=3), values, min_size=1, max_size=3), values)
@settings(max_examples=40)
def test_who_changed_the_same_is_never_overwritten(old: dict[str, Value], now: Value) -> None:
    before = {**post(), "m": Map(old)}
    name = next(iter(old))
    after = {**before, "m": Map({**old, name: String("mine")})}
    theirs = {**before, "m": Map({**old, name: now})}
    if old[name] in (now, String("mine")):
        return
    write = guarded_write(edit(before, after), "t")
    assert isinstance(write, GuardedUpdate)
    words = expressions(write)
    assert not parse_condition(words.condition, words.names, words.values).holds(theirs)


def test_a_map_that_became_something_else_is_a_lost_race_and_no_refusal() -> None:
    before, after = post(stats=Map({})), post(stats=Map({"new": Null()}))
    write = guarded_write(edit(before, after), "t")
    assert isinstance(write, GuardedUpdate)
    words = expressions(write)
    condition = parse_condition(words.condition, words.names, words.values)
    assert condition.holds(before)
    for now in (String("x"), List(()), Map({"new": Number("1")})):
        assert not condition.holds(post(stats=now))


def many(count: int, start: int = 0) -> dict[str, Value]:
    return {f"a{number:05}": Number(str(start + number)) for number in range(count)}


def is_sendable(write: GuardedUpdate | GuardedPut | GuardedDelete) -> bool:
    words = expressions(write)
    request = RequestExpressions(names=words.names, values=words.values, condition=words.condition, update=words.update)
    return [remark.message for remark in check_request(request, POSTS) if remark.severity == "error"] == []


@pytest.mark.parametrize("count", [1, 100, 149])
def test_all_is_guarded_as_long_as_that_fits(count: int) -> None:
    write = guarded_write(edit({**post(), **many(count)}, {**post(), **many(count, 1)}), "t")
    assert isinstance(write, GuardedUpdate)
    assert (len(write.expected), len(write.put), write.unguarded) == (count, count, ())
    assert is_sendable(write)


def test_many_changes_in_maps_become_few_of_whole_attributes() -> None:
    before, after = post(m=Map(many(2000)), n=Map(many(3))), post(m=Map(many(2000, 1)), n=Map(many(3, 1)))
    write = guarded_write(edit(before, after), "t")
    assert isinstance(write, GuardedUpdate)
    assert write.expected == {path("m"): before["m"], path("n"): before["n"]}
    assert write.put == {path("m"): after["m"], path("n"): after["n"]}
    assert is_sendable(write)


def test_a_name_within_a_map_that_no_request_can_say() -> None:
    before, after = post(m=Map({"": Number("1"), "a": Number("1")})), post(m=Map({"": Number("2"), "a": Number("1")}))
    write = guarded_write(edit(before, after), "t")
    assert isinstance(write, GuardedUpdate)
    assert [*write.put] == [path("m")]


def test_what_is_not_guarded_is_named() -> None:
    write = guarded_write(edit({**post(), **many(200)}, {**post(), **many(200, 1)}), "t")
    assert isinstance(write, GuardedUpdate)
    assert (len(write.expected), len(write.put), len(write.unguarded)) == (149, 200, 51)
    assert {path(name) for name in write.unguarded} | {*write.expected} == {*write.put}
    assert is_sendable(write)


@pytest.mark.parametrize(("count", "guarded"), [(130, 130), (131, 127), (149, 127), (250, 127), (9_000, 127)])
def test_added_attributes_take_more_room_in_a_condition(count: int, guarded: int) -> None:
    write = guarded_write(edit(post(), {**post(), **many(count)}), "t")
    assert isinstance(write, GuardedUpdate if count < 300 else GuardedPut)
    assert write.expected is not None
    assert (len(write.expected), len(write.unguarded)) == (guarded, count - guarded)
    assert is_sendable(write)


def test_more_changes_than_an_update_takes_replace_the_item() -> None:
    before, after = {**post(old=Null()), **many(9_000)}, {**post(old=Null()), **many(9_000, 1)}
    write = guarded_write(edit(before, after), "t")
    assert isinstance(write, GuardedPut)
    assert write.item == after
    assert write.expected is not None
    assert (len(write.expected), len(write.unguarded)) == (149, 9_001 - 149)
    assert is_sendable(write)


def test_a_deletion_guards_numbers_first() -> None:
    """A count or a version is what another writer changes."""
    texts: dict[str, Value] = {f"t{number:05}": String("x") for number in range(300)}
    write = guarded_write(edit({**post(), **texts, "rev": Number("7")}, None), "t")
    assert isinstance(write, GuardedDelete)
    assert next(iter(write.expected)) == path("rev")
    assert (len(write.expected), len(write.unguarded)) == (149, 152)
    assert is_sendable(write)


def test_an_item_of_nothing_but_its_key_is_deleted_only_where_it_is() -> None:
    write = guarded_write(edit(post(), None), "t")
    assert isinstance(write, GuardedDelete)
    assert expressions(write).condition == "attribute_exists(#n0)"
    assert is_sendable(write)
