"""What composed requests cost, with and without knowing the items that they are about."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dynodesk.domain.action_units import ActionUnits, draft_units, get_units, units_of
from dynodesk.domain.actions import Action, CheckAction, DeleteAction, PutAction, UpdateAction, WriteAction
from dynodesk.domain.composition import Draft, DraftAction, check_draft
from dynodesk.domain.expressions import parse_changes, parse_where
from dynodesk.domain.values import Item, String
from tests.helpers.small_tables import SOCIAL, like, post

LIKE, POST = like("a91f", "7c20", 200), post("a91f", 41)
LIKE_KEY = {"PK": String("POST#a91f"), "SK": String("LIKE#USER#7c20")}
POST_KEY = {"PK": String("POST#a91f"), "SK": String("META")}
LARGE: Item = {**POST, "body": String("x" * 3_000)}
ADD = UpdateAction("Social", POST_KEY, parse_changes("ADD likeTally 1"), parse_where("attribute_exists(PK)"))
TABLES = {"Social": SOCIAL}


@pytest.mark.parametrize(
    ("action", "before", "units"),
    [
        (PutAction("Social", LIKE), {}, ActionUnits(2, {"GSI1": 1, "GSI2": 1}, True)),
        (PutAction("Social", LIKE), None, ActionUnits(2, {"GSI1": 1, "GSI2": 1}, False)),
        (
            PutAction("Social", LIKE, parse_where("attribute_not_exists(SK)")),
            None,
            ActionUnits(2, {"GSI1": 1, "GSI2": 1}, True),
        ),
        (
            PutAction("Social", LIKE, parse_where("attribute_not_exists(note)")),
            None,
            ActionUnits(2, {"GSI1": 1, "GSI2": 1}, False),
        ),
        (PutAction("Social", LIKE), LIKE, ActionUnits(2, {}, True)),
        (ADD, POST, ActionUnits(2, {}, True)),
        (ADD, LARGE, ActionUnits(6, {}, True)),
        (ADD, None, ActionUnits(2, {}, False)),
        (
            UpdateAction("Social", LIKE_KEY, parse_changes("SET likedAt = 5")),
            LIKE,
            ActionUnits(2, {"GSI1": 1, "GSI2": 2}, True),
        ),
        (UpdateAction("Social", POST_KEY, parse_changes("ADD title 1")), LARGE, ActionUnits(6, {}, True)),
        (DeleteAction("Social", LIKE_KEY), LIKE, ActionUnits(2, {"GSI1": 1, "GSI2": 1}, True)),
        (DeleteAction("Social", POST_KEY), LARGE, ActionUnits(6, {}, True)),
        (DeleteAction("Social", POST_KEY), {}, ActionUnits(2, {}, True)),
        (CheckAction("Social", POST_KEY, parse_where("likeTally > 1")), LARGE, ActionUnits(6, {}, True)),
        (CheckAction("Social", LIKE_KEY, parse_where("likedAt > 1")), LIKE, ActionUnits(2, {}, True)),
        (CheckAction("Social", POST_KEY, parse_where("likeTally > 1")), None, ActionUnits(2, {}, False)),
    ],
)
def test_an_action_takes_twice_the_units_of_its_table(
    action: WriteAction, before: Item | None, units: ActionUnits
) -> None:
    assert units_of(action, SOCIAL, before, transactional=True) == units
    alone = ActionUnits(units.table // 2, units.indexes, units.is_known)
    assert units_of(action, SOCIAL, before, transactional=False) == alone


def test_a_get_takes_all_of_the_item() -> None:
    item: Item = {**POST, "body": String("x" * 5_000)}
    assert [get_units(item, each).table for each in ("eventual", "strong", "transactional")] == [1, 2, 4]
    assert get_units({}, "eventual").table == Decimal("0.5")
    assert get_units({}, "transactional").words == "2 RCU"
    assert get_units(None, "eventual").words == "at least 0.5 RCU"


def unread(_action: Action) -> None:
    """No item was read."""


def test_the_words_of_a_whole_transaction() -> None:
    draft = Draft(
        "TransactWriteItems",
        (
            DraftAction("Put", "Social", tuple(LIKE.items()), condition="attribute_not_exists(SK)"),
            DraftAction("Update", "Social", tuple(POST_KEY.items()), "ADD likeTally 1", "attribute_exists(PK)"),
        ),
        token="t",
    )
    known = draft_units(check_draft(draft, TABLES), TABLES, lambda action: POST if action.kind == "Update" else None)
    assert [units and units.words for units in known.actions] == ["2 WCU + 1 GSI1 + 1 GSI2", "2 WCU"]
    assert known.words == "4 WCU + 1 for GSI1 + 1 for GSI2"
    assert draft_units(check_draft(draft, TABLES), TABLES, unread).words == "at least 4 WCU + 1 for GSI1 + 1 for GSI2"
    broken = Draft("TransactWriteItems", (draft.actions[0], DraftAction("Update", "Social")), token="t")
    assert draft_units(check_draft(broken, TABLES), TABLES, unread).words == "at least 2 WCU + 1 for GSI1 + 1 for GSI2"
    assert draft_units(check_draft(Draft("ExecuteStatement"), TABLES), TABLES, unread).words == ""


def test_reads_cost_as_they_are_asked() -> None:
    get = DraftAction("Get", "Social", tuple(POST_KEY.items()))
    for draft, words in (
        (Draft("GetItem", (get,)), "1 RCU"),
        (Draft("GetItem", (get,), consistent=False), "0.5 RCU"),
        (Draft("TransactGetItems", (get,)), "2 RCU"),
    ):
        assert draft_units(check_draft(draft, TABLES), TABLES, lambda _: POST).words == words
