from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.domain.actions import (
    BoundStatement,
    CheckAction,
    DeleteAction,
    GetAction,
    PutAction,
    SingleGet,
    SingleStatement,
    SingleWrite,
    TransactWrite,
    UpdateAction,
    WriteAction,
)
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.expressions import parse_changes, parse_where
from dynodesk.domain.expressions.nodes import DocumentPath, Literal
from dynodesk.domain.expressions.updates import Add, Update
from dynodesk.domain.foretelling import foretell
from dynodesk.domain.mirror import mirror
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import Item, KeyValue, Number, String, StringSet, Value
from tests.domain.expressions.generated import Generator

LIKES = TableInfo("Likes", KeySchema((KeyAttribute("pk", "S"),), (KeyAttribute("sk", "N"),)))
POSTS = TableInfo("Posts", KeySchema((KeyAttribute("pk", "S"),)))
TABLES = {"Likes": LIKES, "Posts": POSTS}
KEY: dict[str, KeyValue] = {"pk": String("p1")}


def put(item: Item, condition: str = "") -> PutAction:
    return PutAction("Posts", item, parse_where(condition) if condition else None)


def update(changes: str, condition: str = "attribute_exists(pk)") -> UpdateAction:
    return UpdateAction("Posts", KEY, parse_changes(changes), parse_where(condition) if condition else None)


def turned(action: WriteAction, *before: Item | None, rising: tuple[str, ...] = ()) -> str:
    """The one action of the mirror in words."""
    assert not isinstance(action, CheckAction)
    (back,) = mirror(SingleWrite(action), TABLES, before, rising=rising).actions
    match back:
        case UpdateAction():
            return f"{back.update} IF {back.condition}"
        case PutAction():
            return f"PUT {sorted(back.item)} IF {back.condition}"
        case DeleteAction() | CheckAction():
            return f"{back.kind} IF {back.condition}"


def test_the_mirror_of_a_like_is_its_unlike_and_the_like_again_is_the_mirror_of_that() -> None:
    child: dict[str, KeyValue] = {"pk": String("p1"), "sk": Number("7")}
    like = TransactWrite(
        (PutAction("Likes", child, parse_where("attribute_not_exists(sk)")), update("ADD likes 1")), "once"
    )
    unlike = mirror(like, TABLES)
    assert unlike.actions == (
        DeleteAction("Likes", child, parse_where("attribute_exists(sk)")),
        update("ADD likes -1"),
    )
    assert unlike.token not in {"", "once"}
    parent: Item = {**KEY, "likes": Number("4")}
    again = mirror(unlike, TABLES, (child, parent))
    assert again.actions == like.actions


@pytest.mark.parametrize(
    ("changes", "condition", "back"),
    [
        ("SET a = a + 2", "attribute_exists(pk)", "SET a = a - 2 IF attribute_exists(pk)"),
        ("SET a = a - 2", "attribute_exists(pk)", "SET a = a + 2 IF attribute_exists(pk)"),
        ("SET a = 2 + a", "attribute_exists(pk)", "SET a = a - 2 IF attribute_exists(pk)"),
        ("SET a = 2 - a", "attribute_exists(pk)", "SET a = 2 - a IF attribute_exists(pk)"),
        ("SET a = if_not_exists(a, 0) + 1", "attribute_exists(pk)", "SET a = a - 1 IF attribute_exists(pk)"),
        ("ADD a -0.5", "", "ADD a 0.5 IF attribute_exists(pk)"),
        ('ADD t {"SS": ["x"]}', "attribute_exists(pk)", 'DELETE t {"SS": ["x"]} IF attribute_exists(pk)'),
        ('DELETE t {"SS": ["x"]}', "attribute_exists(pk)", 'ADD t {"SS": ["x"]} IF attribute_exists(pk)'),
        # A guard about what is added to moves along; one about anything else stays.
        ("ADD a 1", "a < 10 AND owner = 'me'", "ADD a -1 IF attribute_exists(pk) AND a < 11 AND owner = 'me'"),
        ("ADD a 1", "attribute_exists(a)", "ADD a -1 IF attribute_exists(pk) AND attribute_exists(a)"),
        # What the condition tells does not have to be seen.
        ("SET a = 42", "a = 41", "SET a = 41 IF attribute_exists(pk) AND a = 42"),
        ("SET a = 42", "attribute_not_exists(a)", "REMOVE a IF attribute_exists(pk) AND a = 42"),
        ("REMOVE a", "a = 41", "SET a = 41 IF attribute_exists(pk) AND attribute_not_exists(a)"),
        ("SET a = 1", "attribute_not_exists(pk)", "Delete IF attribute_exists(pk)"),
    ],
)
def test_what_needs_no_item_is_turned_round_without(changes: str, condition: str, back: str) -> None:
    assert turned(update(changes, condition)) == back


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (update("SET a = 5"), "what a was before"),
        (update("SET a = b + 1"), "what a was before"),
        (update("REMOVE l[0]", "l[0] = 1"), "what l[0] was before"),
        (put({**KEY, "a": Number("1")}), "may have replaced an item"),
        (DeleteAction("Posts", KEY), "what it deleted"),
        (update('DELETE l[0] {"SS": ["x"]}'), "what l[0] was before"),
    ],
)
def test_what_needs_the_item_says_which_action_and_why(action: WriteAction, why: str) -> None:
    like = PutAction("Likes", {"pk": String("p1"), "sk": Number("7")}, parse_where("attribute_not_exists(pk)"))
    with pytest.raises(InvalidRequest) as caught:
        mirror(TransactWrite((like, action), "t"), TABLES)
    assert caught.value.message.startswith(f"Action 2, {action.kind} p1, cannot be turned round")
    assert why in caught.value.message


def test_what_was_there_decides_what_is_put_back() -> None:
    old: Item = {**KEY, "a": Number("1"), "t": StringSet(("x",))}
    assert turned(put({**KEY, "b": Number("2")}), old) == (
        'SET a = 1, t = {"SS": ["x"]} REMOVE b'
        " IF attribute_exists(pk) AND attribute_not_exists(a) AND attribute_not_exists(t) AND b = 2"
    )
    assert turned(put({**KEY, "b": Number("2")}), None) == "Delete IF attribute_exists(pk)"
    assert turned(DeleteAction("Posts", KEY), old) == "PUT ['a', 'pk', 't'] IF attribute_not_exists(pk)"
    assert turned(update("ADD a 1", ""), None) == "Delete IF attribute_exists(pk)"
    assert turned(update('ADD t {"SS": ["x", "y"]}'), old) == 'DELETE t {"SS": ["y"]} IF attribute_exists(pk)'
    assert turned(update("SET a = 5, n = 1"), old) == ("SET a = 1 REMOVE n IF attribute_exists(pk) AND a = 5 AND n = 1")


def test_more_than_one_update_can_put_back_is_left_to_people() -> None:
    old: Item = {**KEY, **{f"a{n}": Number("1") for n in range(151)}}
    with pytest.raises(InvalidRequest, match="more attributes than the condition of one update can look at"):
        mirror(SingleWrite(put(KEY)), TABLES, (old,))


def test_large_sets_are_compared_at_once() -> None:
    """Each member with each other one would take minutes."""
    many = StringSet(tuple(map(str, range(60_000))))
    adding = UpdateAction("Posts", KEY, Update(adds=(Add(DocumentPath.of("t"), Literal(many)),)))
    old = StringSet(many.members[:-1])
    assert turned(adding, {**KEY, "t": old}) == 'DELETE t {"SS": ["59999"]} IF attribute_exists(pk)'


def test_where_nothing_was_made_nothing_is_taken_back() -> None:
    for changes in ("REMOVE a", 'DELETE t {"SS": ["x"]}'):
        with pytest.raises(InvalidRequest, match="nothing to take back"):
            mirror(SingleWrite(update(changes, "")), TABLES, (None,))


def test_a_guard_that_no_number_can_say_any_more_is_left_out() -> None:
    most = "9" * 38
    assert turned(update("ADD a 0.5", f"a < {most}")) == "ADD a -0.5 IF attribute_exists(pk)"
    assert turned(update("ADD a -1", f"a <= {most}")) == f"ADD a 1 IF attribute_exists(pk) AND a <= {most[:-1]}8"


def test_a_version_rises_with_the_undo_too() -> None:
    like = update("SET rev = if_not_exists(rev, 0) + 1 ADD likes 1")
    assert turned(like, rising=("rev",)) == f"SET rev = if_not_exists(rev, 0) + 1 ADD likes -1 IF {like.condition}"
    versioned = update("SET title = 'b', rev = 8", "rev = 7")
    back = turned(versioned, {**KEY, "title": String("a"), "rev": Number("7")}, rising=("rev",))
    assert back == "SET title = 'a', rev = rev + 1 IF attribute_exists(pk) AND title = 'b' AND rev = 8"


def test_checks_stay_and_alone_take_nothing_back() -> None:
    check = CheckAction("Posts", KEY, parse_where("open = TRUE"))
    like = PutAction("Likes", {"pk": String("p1"), "sk": Number("7")}, parse_where("attribute_not_exists(pk)"))
    assert mirror(TransactWrite((check, like), "t"), TABLES).actions[0] is check
    with pytest.raises(InvalidRequest, match="nothing to take back"):
        mirror(TransactWrite((check,), "t"), TABLES)
    with pytest.raises(InvalidRequest, match="nothing to take back"):
        mirror(SingleWrite(DeleteAction("Posts", KEY)), TABLES, (None,))


def test_reads_and_statements_have_no_mirror() -> None:
    for request in (SingleGet(GetAction("Posts", KEY)), SingleStatement(BoundStatement("DELETE FROM Posts"))):
        with pytest.raises(InvalidRequest):
            mirror(request, TABLES)


def test_a_table_that_is_not_known_is_named() -> None:
    with pytest.raises(InvalidRequest, match="nothing is known of Others"):
        mirror(SingleWrite(DeleteAction("Others", KEY)), TABLES)


# ------------------------------------------------------------------------------------------------------------ property


def drawn(seed: int) -> tuple[TransactWrite, tuple[Item | None, ...]]:
    """Some writes of one item each, and the items."""
    random = Random(seed)
    generator = Generator(random, hostile=False)
    actions: list[WriteAction] = []
    before: list[Item | None] = []
    for number in range(random.randint(1, 3)):
        key = {"pk": String(f"p{number}")}
        item: dict[str, Value] | None = {**generator.item(), **key} if random.random() < 0.85 else None
        generator.about(item or {})
        exists = parse_where("attribute_exists(pk)") if item is not None else None
        missing = parse_where("attribute_not_exists(pk)") if item is None else None
        guard = random.choice((None, exists, missing))
        kind = random.random()
        if kind < 0.7:
            actions.append(UpdateAction("Posts", key, generator.valid_update(), guard))
        elif kind < 0.85:
            actions.append(PutAction("Posts", {**generator.item(), **key}, guard))
        else:
            actions.append(DeleteAction("Posts", key, guard))
        before.append(item)
    return TransactWrite(tuple(actions), "t"), tuple(before)


def keyed(request: TransactWrite, items: tuple[Item | None, ...]) -> dict[Value, Item | None]:
    return {
        (action.item if isinstance(action, PutAction) else action.key)["pk"]: item
        for action, item in zip(request.actions, items, strict=True)
    }


def run(request: TransactWrite, items: dict[Value, Item | None]) -> dict[Value, Item | None]:
    keys = list(keyed(request, (None,) * len(request.actions)))
    told = foretell(request, [items[key] for key in keys])
    assert told.is_done, (told.failed, told.invalid)
    return items | dict(zip(keys, told.after, strict=True))


@given(st.integers(0, 2**32))
def test_what_is_done_and_undone_leaves_the_items_as_they_were(seed: int) -> None:
    request, before = drawn(seed)
    told = foretell(request, before)
    if not told.is_done or told.after == before:
        return
    was, made = keyed(request, before), keyed(request, told.after)
    back = mirror(request, TABLES, before)
    assert run(back, made) == was
    forth = mirror(back, TABLES, tuple(made[key] for key in keyed(back, (None,) * len(back.actions))))
    assert run(forth, was) == made


@given(st.integers(0, 2**32))
def test_what_others_added_meanwhile_stays(seed: int) -> None:
    random = Random(seed)
    path = random.choice(("a", '"odd name"'))
    form = random.choice(("ADD {0} {1}", "SET {0} = {0} + {1}", "SET {0} = {0} - {1}", "SET {0} = {1} + {0}"))
    request = TransactWrite((update(form.format(path, random.randint(0, 10**9))),), "t")
    name = path.strip('"')
    stored = random.randint(-(10**9), 10**9)
    item: Item = {**KEY, name: Number(str(stored))}
    made = foretell(request, (item,)).after
    meanwhile = TransactWrite((update(f"ADD {path} 3"),), "t")
    (with_others,) = foretell(meanwhile, made).after
    (left,) = foretell(mirror(request, TABLES), (with_others,)).after
    assert left == {**KEY, name: Number(str(stored + 3))}
