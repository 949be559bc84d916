"""Judges verdicts by what was really so while they were reached."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from typing import Literal

from dynodesk.domain.findings import Look
from dynodesk.reconcile.confirm import Conclusion
from tests.reconcile.model.world import Truth

Judgement = Literal["true", "false", "missed", "undecided"]


def judged(conclusion: Conclusion, truths: Collection[Truth]) -> Judgement:
    """`truths`: everything that was so at some instant of the measurement.

    A verdict is false if what it says was so at none of them. `ok` looks once: a drift that it does not see is missed.
    """
    drifts = [truth.amount for truth in truths if truth.kind == "drift"]
    match conclusion:
        case Conclusion(verdict="exact" | "probable", drift=Decimal() as drift):
            is_true = int(drift) in drifts
        case Conclusion(verdict="bounded", low=Decimal() as low, high=Decimal() as high):
            is_true = any(low <= drift <= high for drift in drifts)
        case Conclusion(verdict="orphans", real=int(real)):
            is_true = real > 0 and Truth("orphans", real) in truths
        case Conclusion(verdict="gone"):
            is_true = Truth("orphans", 0) in truths
        case Conclusion(verdict="incomparable"):
            is_true = Truth("incomparable") in truths
        case Conclusion(verdict="ok"):
            return "true" if 0 in drifts else "missed"
        case _:
            return "undecided"
    return "true" if is_true else "false"


def last_try(looks: Collection[Look], settle: float) -> str:
    """When the try began that decided: its first look is the one before it let a transaction settle."""
    start = ""
    before = ""
    for look in looks:
        if look.what == f"Waited {settle:g} s":
            start = before
        before = look.at
    return start or next(iter(looks)).at
