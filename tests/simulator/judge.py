"""Judges verdicts by what was really so while they were reached."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Literal

from dynodesk.domain.findings import Finding, Look
from dynodesk.reconcile.confirm import Conclusion
from tests.reconcile.model.world import Truth
from tests.simulator.timeline import seconds_at

Judgement = Literal["true", "false", "missed", "undecided"]


def judged(said: Conclusion | Finding, truths: Collection[Truth]) -> Judgement:
    """`truths`: everything that was so at some instant of the measurement.

    A verdict is false if what it says was so at none of them. `ok` looks once: a drift that it does not see is missed.
    """
    drifts = [truth.amount for truth in truths if truth.kind == "drift"]
    match said.verdict:
        case "exact" | "probable":
            is_true = said.drift is not None and int(said.drift) in drifts
        case "bounded":
            is_true = said.low is not None and said.high is not None and any(said.low <= d <= said.high for d in drifts)
        case "orphans":
            is_true = bool(said.real) and Truth("orphans", int(said.real or 0)) in truths
        case "gone":
            is_true = Truth("orphans", 0) in truths
        case "incomparable":
            is_true = Truth("incomparable") in truths
        case "ok":
            return "true" if 0 in drifts else "missed"
        case _:
            return "undecided"
    return "true" if is_true else "false"


def words(said: Conclusion | Finding) -> str:
    if said.low is not None and said.high is not None:
        return f"{said.verdict} {said.low:+}…{said.high:+}"
    return f"{said.verdict} ({said.real} children)" if said.drift is None else f"{said.verdict} {said.drift:+}"


def listed(truths: Collection[Truth]) -> str:
    return ", ".join(sorted(f"{truth.kind} {truth.amount:+d}" for truth in truths))


def last_try(looks: Sequence[Look], settle: float) -> float:
    """When the try began that decided: its first look is the one before it let a transaction settle."""
    starts = [before.at for before, look in pairwise(looks) if look.what == f"Waited {settle:g} s"]
    return seconds_at(starts[-1] if starts else looks[0].at)
