"""Ranges of texts that take in more than was meant, or less."""

from __future__ import annotations

import pytest

from dynodesk.domain.key_ranges import range_remark
from dynodesk.domain.reads import SortCondition
from dynodesk.domain.values import Number, String

KINDS = ("AUTHOR#1", "POST#1", "POST#2", "SITE#x")
DAYS = ("2024-01-30T23:00:00Z", "2024-01-31", "2024-01-31T00:00:00Z", "2024-02-01T00:00:00Z")


@pytest.mark.parametrize(
    ("condition", "seen", "said"),
    [
        (SortCondition("<", String("SITE#x")), KINDS, "AUTHOR#1 is in this range too. For SITE# alone"),
        (SortCondition(">=", String("POST#1")), KINDS, "SITE#x is in this range too. For POST# alone"),
        (SortCondition(">", String("SITE#a")), KINDS, ""),
        (SortCondition("<", String("AUTHOR#2")), KINDS, ""),
        (
            SortCondition("between", String("2024-01-30"), String("2024-01-31")),
            DAYS,
            "2024-01-31T00:00:00Z goes on after 2024-01-31: it lies above it",
        ),
        (SortCondition("<=", String("2024-01-31")), DAYS, "2024-01-31T00:00:00Z goes on after"),
        (SortCondition("between", String("2024-01-30"), String("2024-01-31\U0010ffff")), DAYS, ""),
        (SortCondition("begins_with", String("POST#")), KINDS, ""),
        (SortCondition("=", String("POST#1")), KINDS, ""),
        (SortCondition("<", Number("3")), KINDS, ""),
        (SortCondition("<", String("m")), KINDS, ""),
    ],
)
def test_remarks(condition: SortCondition, seen: tuple[str, ...], said: str) -> None:
    remark = range_remark(condition, seen)
    assert remark.startswith(said)
    assert bool(remark) == bool(said)
