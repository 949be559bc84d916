"""What a drift looks like it came from: sentences that name a likely bug, for somebody who has to find it.

Likely, not proven: the table shows what is, not who wrote it. Equal findings get equal sentences, so that a report can
count them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from dynodesk.domain.findings import Finding
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Number, String
from dynodesk.reconcile.notices import NoticeKind

_ORPHANS = (
    "The parent was deleted without its children, or a child is written without a condition that the parent exists."
)
_BELOW_ZERO = (
    "A tally below zero is lowered without a condition that the child was there: a delete that ran twice counted twice."
)
LEAST_DOUBLED = 2
"""Children below which twice their number is no pattern: 2 stored for 1 real is a drift of one like any other."""


def causes_of(finding: Finding, rule: TallyRule, distinct: Mapping[str, int]) -> tuple[str, ...]:
    """The likeliest first. `distinct` is how many different values each own capture of the counted children has."""
    match finding.verdict:
        case "exact" | "probable" | "bounded":
            return tuple(_of_drift(finding, rule, distinct))
        case "incomparable":
            return tuple(_of_no_number(finding, rule))
        case "orphans":
            return (_ORPHANS,)
        case _:
            return ()


def _of_drift(finding: Finding, rule: TallyRule, distinct: Mapping[str, int]) -> Iterator[str]:
    stored = finding.stored.value if isinstance(finding.stored, Number) and finding.stored.is_valid else Decimal(0)
    drift = finding.drift if finding.drift is not None else finding.low
    if rule.measure.kind == "size":
        yield f"{rule.attribute} and {rule.measure.of} are not changed by one UpdateItem, or an item is put over both."
        return
    for name, number in sorted(distinct.items()):
        if rule.measure.kind == "count" and finding.real is not None and stored == number < finding.real:
            yield (
                f"The tally is the number of different {{{name}}}: some have several children. The condition that a "
                f"child does not exist is on a key that holds more than {{{name}}}."
            )
    if finding.negative:
        yield _BELOW_ZERO
    elif finding.real is not None and finding.real >= LEAST_DOUBLED and stored == 2 * finding.real:
        yield (
            "Twice the real number: each change is applied twice, as by a consumer that is handed records more than "
            "once and does not remember them."
        )
    elif drift is not None and drift > 0:
        if rule.children.ttl is not None:
            yield _of_expiry(rule)
        yield (
            "Too high: a child was deleted without lowering the tally, or an increment was sent again after its reply "
            "was lost."
        )
    elif drift is not None:
        yield (
            "Too low: a child was written without raising the tally, or the tally was set from a number read earlier "
            "while others were counting."
        )


def cause_of_notice(kind: NoticeKind, rule: TallyRule, drift: Decimal) -> str:
    """Of something seen to happen; `drift` is stored minus real."""
    match kind:
        case "child alone":
            return (
                "The child is deleted in a call of its own: its writer does not know of the tally, or ended before it "
                "was lowered."
                if drift > 0
                else "The child is written in a call of its own: its writer does not know of the tally, or ended "
                "before it was raised."
            )
        case "tally alone":
            return (
                "Counted twice: sent again after its reply was lost, or handed to a consumer more than once, without a "
                "condition that the child is new."
                if drift > 0
                else "Counted off twice: nothing checks that the child was still there."
            )
        case "jump":
            return (
                "The tally is set to a number that was read earlier, instead of changed by one: what others counted "
                "in between is lost."
            )
        case "expired":
            return _of_expiry(rule)
        case "orphans":
            return _ORPHANS
        case "below zero":
            return _BELOW_ZERO
        case "no number":
            return "An item is put over the parent as a whole, or its tally sent as text."
        case "gap":
            return ""


def _of_expiry(rule: TallyRule) -> str:
    return (
        f"Children expire by Time to Live ({rule.children.ttl or 'of the table'}), and nothing lowers the tally when "
        f"one does: that takes a consumer of the table's stream."
    )


def _of_no_number(finding: Finding, rule: TallyRule) -> Iterator[str]:
    if finding.stored is None and finding.real is not None and finding.reason.endswith("is missing"):
        yield f"The parent is put as a whole by code that does not know {rule.attribute}, or is created without it."
    elif isinstance(finding.stored, String):
        yield f"A writer sends {rule.attribute} as text: numbers of forms and of JSON need to be made Numbers."
