"""A plan of repairs as rows and sentences: what changes, only if what, and what became of each. Nothing is Qt's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal

from dynodesk.domain.cells import visible
from dynodesk.domain.findings import signed
from dynodesk.domain.item_json import readable, readable_key
from dynodesk.domain.repairs import (
    REPAIR_MEANINGS,
    REPAIR_OUTCOMES,
    LeftOut,
    PlannedRepair,
    RepairOutcome,
    RepairPlan,
    RepairReport,
    RepairResult,
)
from dynodesk.domain.values import plain_digits
from dynodesk.domain.writes import GuardedUpdate
from dynodesk.reconcile.planning import USUAL_COUNT, USUAL_DELTA, USUAL_SHARE, RepairLimits, is_large
from dynodesk.reconcile.repair import waves
from dynodesk.ui.pages.reconcile_rows import MISSING, Column
from dynodesk.ui.theme import Cell, Row

COLUMNS = (
    Column("Verdict", 96),
    Column("Parent", 160),
    Column("Rule", 108),
    Column("Stored", 70, right=True),
    Column("Change", 66, right=True),
    Column("Then", 70, right=True),
    Column("Outcome", 100),
    Column("Only if", 200),
)
LEFT_OUT_COLUMNS = (Column("Rule", 120), Column("Parent", 220), Column("Why it is left out", 400))
INKS: dict[RepairOutcome, str] = {
    "repaired": "ok",
    "not needed": "muted",
    "unread": "danger",
    "refused": "danger",
    "not verified": "danger",
    "not held": "danger",
    "unknown": "slate",
    "unverified": "warn",
}


def repair_row(repair: PlannedRepair, result: RepairResult | None, *, is_over: bool) -> Row:
    return Row(
        (
            Cell(repair.verdict, "verdict"),
            Cell(visible(repair.parent_text), "S"),
            Cell(visible(repair.rule), "text", ink="text2"),
            MISSING if repair.stored is None else Cell(repair.stored.text, "N"),
            Cell(signed(repair.drift.copy_negate()), "N"),
            Cell(plain_digits(repair.real), "N"),
            Cell("", "text") if result is None else _outcome_cell(result, is_over=is_over),
            Cell(visible(condition_words(repair.update)), "S", ink="text2"),
        )
    )


def _outcome_cell(result: RepairResult, *, is_over: bool) -> Cell:
    if result.outcome == "unverified" and not is_over:
        return Cell("written…", "text", ink="text2")
    words = f"{result.outcome}, held" if result.held else result.outcome
    return Cell(words, "text", ink=INKS.get(result.outcome, "slate"))


def left_out_row(left: LeftOut) -> Row:
    return Row(
        (
            Cell(visible(left.rule), "text", ink="text2"),
            Cell(visible(readable_key(left.key)), "S"),
            Cell(visible(left.reason), "text"),
        )
    )


def condition_words(update: GuardedUpdate) -> str:
    """`likeTally = 41, rev = 318, no _reconciled`."""
    return ", ".join(
        f"no {path}" if value is None else f"{path} = {readable(value)}" for path, value in update.expected.items()
    )


def result_words(result: RepairResult) -> str:
    held = " Right once more when everything in flight had ended." if result.held else ""
    reason = f" {result.reason[0].upper()}{result.reason[1:]}." if result.reason else ""
    return f"{result.outcome.capitalize()}. {REPAIR_MEANINGS[result.outcome]}{held}{reason}"


def waves_words(repairs: Sequence[PlannedRepair]) -> str:
    """`1, then 5, then 19`, as they will be made."""
    sizes = [len(wave) for wave in waves(repairs)]
    if len(sizes) > 4:
        return f"{', then '.join(map(str, sizes[:4]))} at a time"
    return ", then ".join(map(str, sizes))


def wave_of(repairs: Sequence[PlannedRepair], at: int) -> tuple[int, int]:
    """Number of the wave that the repair `at` is in, and of all waves."""
    ends: list[int] = []
    for wave in waves(repairs):
        ends.append((ends[-1] if ends else 0) + len(wave))
    return next((number for number, end in enumerate(ends, 1) if at < end), len(ends)), len(ends)


def tables_words(plan: RepairPlan) -> str:
    return ", ".join(plan.tables)


def title_of(plan: RepairPlan) -> str:
    number = len(plan.repairs)
    if not number:
        return "No tally can be repaired"
    return f"Repair {'1 tally' if number == 1 else f'{number:,} tallies'} in {tables_words(plan)}"


def counted(report: RepairReport) -> str:
    """`3 planned: 2 repaired, 1 lost race`."""
    counts = Counter(result.outcome for result in report.results)
    parts = [f"{counts[outcome]:,} {outcome}" for outcome in REPAIR_OUTCOMES if counts[outcome]]
    return f"{len(report.results):,} planned: {', '.join(parts)}"


def beyond(plan: RepairPlan, limits: RepairLimits) -> Iterator[str]:
    """What in a plan is more than allowed, in sentences."""
    large = [repair for repair in plan.repairs if is_large(repair, limits)]
    if large:
        worst = large[-1]
        number = "1 repair changes" if len(large) == 1 else f"{len(large):,} repairs change"
        usual = f"{USUAL_DELTA} and more than {USUAL_SHARE:.0%} of what is stored"
        allowed = usual if limits.max_delta is None else plain_digits(limits.max_delta)
        yield f"{number} more than {allowed}, up to {worst.words} for {worst.parent_text}."
    if len(plan.repairs) > limits.max_repairs:
        yield f"{len(plan.repairs):,} repairs are more than the {limits.max_repairs:,} that are allowed in one plan."


def largest_change(plan: RepairPlan) -> Decimal:
    return max((repair.drift.copy_abs() for repair in plan.repairs), default=Decimal(0))


def usual_words() -> str:
    return f"Changes up to {USUAL_DELTA}, or {USUAL_SHARE:.0%} of what is stored; up to {USUAL_COUNT:,} repairs."
