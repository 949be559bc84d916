"""What the Reconcile page says where it has no finding to show."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dynodesk.domain.findings import Report, RuleResult
from dynodesk.ui.pages.reconcile_notes import all_right, nothing_found


@pytest.mark.parametrize(
    ("stopped", "first"),
    [
        ("cancelled", "The run ended early: cancelled."),
        (None, "post likes: a parent could not be read: The reply was cut short."),
    ],
)
def test_a_partial_run_says_why_it_is_one(stopped: str | None, first: str) -> None:
    notes = ("post likes: settles 0 s.", "post likes: a parent could not be read: The reply was cut short.")
    report = Report("", "", "", "", "", "", "", "", False, stopped, Decimal(0), 0, notes, ())
    assert nothing_found(report).lines == (first, "Nothing can be said of what was not looked at.")


def test_a_run_that_met_no_parent_does_not_say_that_all_is_well() -> None:
    def whole(parents: int) -> Report:
        rule = RuleResult("likes", "Social", "", parents, {"ok": parents}, ())
        return Report("", "", "", "", "", "", "", "", True, None, Decimal(0), 0, (), (rule,))

    assert all_right(whole(2)).title == "2 parents, all ok"
    nothing = all_right(whole(0))
    assert (nothing.role, nothing.title) == ("warn", "No parent was found: nothing was compared")
    assert nothing.lines[0].startswith("No item of Social has a key like those of the rules.")
