"""What the Reconcile page says where it has no finding to show."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dynodesk.domain.findings import Report
from dynodesk.ui.pages.reconcile_notes import nothing_found


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
