from __future__ import annotations

from dynodesk.domain.actions import CheckAction, DeleteAction, PutAction, SingleWrite, TransactWrite, UpdateAction
from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions import parse_changes, parse_where
from dynodesk.domain.foretelling import foretell
from dynodesk.domain.values import Item, KeyValue, Number, String

KEY: dict[str, KeyValue] = {"pk": String("a")}
ITEM: Item = {**KEY, "n": Number("41")}


def test_each_action_leaves_its_item() -> None:
    new: Item = {"pk": String("b")}
    actions = (
        PutAction("T", new, parse_where("attribute_not_exists(pk)")),
        UpdateAction("T", KEY, parse_changes("ADD n 1")),
        DeleteAction("T", {"pk": String("c")}),
        CheckAction("T", {"pk": String("d")}, parse_where("n = 41")),
    )
    told = foretell(TransactWrite(actions, "t"), (None, ITEM, ITEM, ITEM))
    assert told.is_done
    assert told.after == (new, {**KEY, "n": Number("42")}, None, ITEM)


def test_one_condition_that_fails_leaves_everything() -> None:
    actions = (
        DeleteAction("T", {"pk": String("c")}),
        UpdateAction("T", KEY, parse_changes("ADD n 1"), parse_where("n = 40")),
    )
    told = foretell(TransactWrite(actions, "t"), (ITEM, ITEM))
    assert (told.failed, told.invalid, told.is_done) == ((False, True), None, False)
    assert told.after == (ITEM, ITEM)


def test_an_update_makes_an_item_of_its_key() -> None:
    told = foretell(SingleWrite(UpdateAction("T", KEY, parse_changes("REMOVE x ADD n 1"))), (None,))
    assert told.after == ({**KEY, "n": Number("1")},)


def test_an_update_that_only_takes_away_makes_no_item() -> None:
    for changes in ("REMOVE x, l[0]", 'DELETE t {"SS": ["x"]}'):
        told = foretell(SingleWrite(UpdateAction("T", KEY, parse_changes(changes))), (None,))
        assert (told.is_done, told.after) == (True, (None,))


def test_what_the_service_does_not_take_is_said() -> None:
    missing = foretell(SingleWrite(UpdateAction("T", KEY, parse_changes("SET m = m + 1"))), (ITEM,))
    assert isinstance(missing.invalid, InvalidExpression)
    large = foretell(SingleWrite(PutAction("T", {**KEY, "x": String("x" * 410_000)})), (ITEM,))
    assert isinstance(large.invalid, InvalidValue)
    assert (large.is_done, large.after) == (False, (ITEM,))


def test_what_an_update_leaves_alone_may_be_what_only_an_emulator_holds() -> None:
    odd: Item = {**ITEM, "odd": Number("NaN")}
    assert foretell(SingleWrite(UpdateAction("T", KEY, parse_changes("ADD n 1"))), (odd,)).is_done
