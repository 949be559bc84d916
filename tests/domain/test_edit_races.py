"""An edit on top of what somebody else made of the item: nothing of theirs is lost, nothing of ours is forced."""

from __future__ import annotations

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.edit_races import Race
from dynodesk.domain.edits import Edit
from dynodesk.domain.values import Item, Map, Number, String, Value

KEY = {"PK": String("POST#1")}


def item(**attributes: Value) -> dict[str, Value]:
    return {**KEY, **attributes}


def race(before: Item | None, after: Item | None, found: Item | None) -> Race:
    return Race(Edit("Posts", KEY, before, after), found)


def test_what_only_one_side_changed_is_merged() -> None:
    met = race(
        item(likes=Number("4"), title=String("a")),
        item(likes=Number("5"), title=String("a")),
        item(likes=Number("4"), title=String("b"), by=String("bob")),
    )
    assert [(str(one.path), one.is_mine, one.is_theirs) for one in met.attributes] == [
        ("likes", True, False),
        ("title", False, True),
        ("by", False, True),
    ]
    assert met.conflicts == ()
    rebased = met.rebased()
    assert rebased is not None
    assert rebased.before == met.found
    assert rebased.after == item(likes=Number("5"), title=String("b"), by=String("bob"))
    assert [str(change.path) for change in rebased.changes] == ["likes"]


def test_a_conflict_is_theirs_until_a_person_says_it_is_mine() -> None:
    met = race(item(likes=Number("4")), item(likes=Number("5")), item(likes=Number("9")))
    (conflict,) = met.conflicts
    assert (conflict.read, conflict.now, conflict.wanted) == (Number("4"), Number("9"), Number("5"))
    assert met.rebased() is None
    mine = met.rebased({conflict.path})
    assert mine is not None
    assert mine.before == item(likes=Number("9"))
    assert mine.after == item(likes=Number("5"))


def test_both_made_the_same_change() -> None:
    met = race(item(likes=Number("4")), item(likes=Number("5")), item(likes=Number("5.0")))
    assert met.conflicts == ()
    assert met.rebased() is None


def test_within_a_map_each_part_is_for_itself() -> None:
    met = race(
        item(client=Map({"app": String("web"), "os": String("Linux")})),
        item(client=Map({"app": String("cli"), "os": String("Linux")})),
        item(client=Map({"app": String("web"), "os": String("BSD")})),
    )
    rebased = met.rebased()
    assert rebased is not None
    assert rebased.after == item(client=Map({"app": String("cli"), "os": String("BSD")}))


def test_a_map_that_one_side_replaced_is_one_conflict() -> None:
    met = race(
        item(client=Map({"app": String("web")})),
        item(client=Map({"app": String("cli")})),
        item(client=String("gone")),
    )
    (conflict,) = met.conflicts
    assert conflict.path == AttributePath(("client",))
    mine = met.rebased({conflict.path})
    assert mine is not None
    assert mine.after == item(client=Map({"app": String("cli")}))


def test_an_item_deleted_meanwhile_is_made_anew_only_where_there_is_none() -> None:
    met = race(item(likes=Number("4")), item(likes=Number("5")), None)
    again = met.rebased()
    assert again is not None
    assert again.before is None
    assert again.kind == "new"
    assert again.after == item(likes=Number("5"))


def test_a_deletion_is_of_the_item_as_found() -> None:
    met = race(item(likes=Number("4")), None, item(likes=Number("9")))
    again = met.rebased()
    assert again is not None
    assert (again.before, again.after) == (item(likes=Number("9")), None)
    assert race(item(likes=Number("4")), None, None).rebased() is None


def test_a_new_item_where_there_is_one_adds_to_it() -> None:
    met = race(None, item(likes=Number("1"), note=String("mine")), item(likes=Number("7"), by=String("bob")))
    (conflict,) = met.conflicts
    assert str(conflict.path) == "likes"
    again = met.rebased()
    assert again is not None
    assert again.before == met.found
    assert again.after == item(likes=Number("7"), by=String("bob"), note=String("mine"))


def test_a_move_keeps_what_others_changed() -> None:
    moved: Item = {"PK": String("POST#2"), "likes": Number("4")}
    met = race(item(likes=Number("4")), moved, item(likes=Number("9")))
    again = met.rebased()
    assert again is not None
    assert again.kind == "moved"
    assert again.after == {"PK": String("POST#2"), "likes": Number("9")}
