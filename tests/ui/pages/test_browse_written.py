"""What a reading through a view has of an item that was just written."""

from __future__ import annotations

import pytest

from dynodesk.domain.collections import View
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition
from dynodesk.domain.values import String
from dynodesk.ui.pages.browse_written import carried, is_asked_for
from tests.helpers.small_tables import SOCIAL, like, post

BASE, GSI1 = View(SOCIAL), View(SOCIAL, "GSI1")
LIKE = like("a91f", "7c20", 200, reactions=("clap",))
HERE = {"PK": String("POST#a91f")}


def test_an_index_carries_its_keys_and_what_it_includes() -> None:
    copy = carried(LIKE, GSI1, ScanPlan("Social", "GSI1"))
    assert copy is not None
    assert set(copy) == {"PK", "SK", "GSI1PK", "GSI1SK", "likedAt"}
    assert carried(post("a91f", 1), GSI1, ScanPlan("Social", "GSI1")) is None


def test_a_projection_has_the_keys_and_what_it_asks_for() -> None:
    assert carried(LIKE, BASE, ScanPlan("Social", attributes=("kind",))) == {
        name: LIKE[name] for name in ("PK", "SK", "kind")
    }
    assert carried(LIKE, BASE, ScanPlan("Social")) == LIKE


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (ScanPlan("Social"), True),
        (QueryPlan("Social", HERE), True),
        (QueryPlan("Social", {"PK": String("POST#b002")}), False),
        (QueryPlan("Social", HERE, SortCondition("begins_with", String("META")), "SK"), False),
        (QueryPlan("Social", {**HERE, "SK": String("META")}, by_key=True), False),
    ],
)
def test_a_new_item_is_shown_where_no_condition_could_leave_it_out(plan: ReadPlan, expected: bool) -> None:
    assert is_asked_for(LIKE, BASE, plan) is expected
