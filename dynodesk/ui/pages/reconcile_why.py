"""Why a verdict can be trusted, or how far not: sentences from the evidence, and nothing beyond it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from dynodesk.domain.clock import duration
from dynodesk.domain.findings import MEANINGS, Finding, Look, Verdict, signed
from dynodesk.domain.measures import Amount
from dynodesk.domain.tallies import DEFAULT_SETTLE, DEFAULT_WAIT, TallyRule, Writers
from dynodesk.domain.values import plain_digits

TITLES: dict[Verdict, str] = {
    "ok": "Why this is right",
    "exact": "Why this is certain",
    "probable": "Why this is likely, and not proven",
    "bounded": "What is certain, and what is not",
    "busy": "Why there is no verdict",
    "suspect": "Why this is only a suspicion",
    "incomparable": "Why nothing can be compared",
    "orphans": "Why these are orphans",
    "gone": "Why there is nothing to compare any more",
}
WRITERS: dict[Writers, str] = {
    "transaction": "a transactional writer",
    "two-step": "a two-step writer",
    "async": "an asynchronous writer",
}


@dataclass(frozen=True, slots=True)
class Why:
    title: str
    sentences: tuple[str, ...]


def why(finding: Finding, rule: TallyRule) -> Why:
    """What the verdict means, what was seen that supports it, and what would overturn it."""
    return Why(TITLES[finding.verdict], (MEANINGS[finding.verdict], *_sentences(finding, rule)))


def clock_time(at: str) -> str:
    """The time of day of an ISO 8601 time: `12:04:31.208`."""
    return at.partition("T")[2].rstrip("Z") or at


def _sentences(finding: Finding, rule: TallyRule) -> Iterator[str]:
    match finding.verdict:
        case "exact":
            yield from _stood_still(finding, rule, f"neither {rule.attribute} nor {rule.version} moved")
            yield from _outlasted(rule)
        case "probable":
            yield from _stood_still(finding, rule, "the parent item was the same in every one of {reads} reads")
            yield from _no_version(rule)
            yield from _outlasted(rule)
        case "orphans":
            yield from _stood_still(finding, rule, "the parent did not exist in any of {reads} reads")
            yield from _outlasted(rule)
        case "bounded":
            yield from _bounds(finding, rule)
        case "busy":
            yield from _unrest(finding, rule)
        case "incomparable":
            yield from _no_comparison(finding, rule)
        case "suspect":
            yield from _one_look(finding, rule)
        case _:
            yield from _reason(finding)
    if finding.negative:
        yield "The stored number is below zero, which no count can be."
    if finding.evidence.passes:
        yield f"Every read it rests on was strongly consistent, of the base table {rule.table}."


def _stood_still(finding: Finding, rule: TallyRule, parent: str) -> Iterator[str]:
    looks = _last_try(finding.evidence.looks)
    reads = sum(look.what.startswith("Parent") for look in looks)
    passes, children = _passes(finding.evidence.passes), _children(finding.real, rule)
    yield f"{passes} saw the same {children}, and {parent.replace('{reads}', str(reads))}{_between(looks)}."
    if finding.evidence.tries > 1:
        yield f"{_earlier(finding.evidence.tries - 1)} disturbed by a writer and not used."


def _outlasted(rule: TallyRule) -> Iterator[str]:
    usual = DEFAULT_WAIT[rule.writers]
    writer = WRITERS[rule.writers]
    if rule.wait >= usual and rule.settle >= DEFAULT_SETTLE:
        yield f"The wait of {duration(rule.wait)} outlasts whatever {writer} had begun before the first read."
    else:
        waits = f"{duration(rule.settle)} + {duration(rule.wait)}"
        needed = f"{duration(DEFAULT_SETTLE)} + {duration(usual)}"
        yield (
            f"This rule waits {waits}; to outlast what {writer} has under way takes {needed}. "
            "So it holds if nobody writes, or no write takes longer."
        )


def _no_version(rule: TallyRule) -> Iterator[str]:
    yield "A value that moved away and back between two reads would not have been seen."
    if rule.version is None:
        yield (
            "Proof needs an attribute that every writer of the parent raises in the same write, named in the rule as "
            "version."
        )
    else:
        yield f"The rule's version attribute {rule.version} is no Number on this parent, or is missing."


def _bounds(finding: Finding, rule: TallyRule) -> Iterator[str]:
    if finding.low is None or finding.high is None:
        return
    yield (
        f"{rule.attribute} was {finding.stored_text} and the pass counted {_children(finding.real, rule)}; the parent "
        f"was {finding.reason}, and each write can have changed one child behind the pass."
    )
    yield f"So the drift is at least {signed(finding.low)} and at most {signed(finding.high)}, and not 0."
    if finding.evidence.tries > 1:
        yield f"None of {finding.evidence.tries} tries found the parent at rest."


def _unrest(finding: Finding, rule: TallyRule) -> Iterator[str]:
    yield from _reason(finding)
    if rule.version is None:
        yield "With a version attribute in the rule, a busy parent gets a range at least."
    yield "Run again at a quieter time."


def _no_comparison(finding: Finding, rule: TallyRule) -> Iterator[str]:
    yield from _reason(finding)
    if finding.evidence.passes:
        yield f"A pass counted {_children(finding.real, rule)}."
    if finding.stored is None and finding.evidence.passes and rule.missing == "report":
        yield 'With missing = "zero" in the rule, a missing tally is compared as 0.'


def _one_look(finding: Finding, rule: TallyRule) -> Iterator[str]:
    stored = finding.stored_text or "no number"
    yield f"The sweep, an eventually consistent Scan, saw {stored} stored and {_children(finding.real, rule)}."
    yield "A write under way at that moment looks just the same."
    if finding.reason:
        yield f"It was {finding.reason.rstrip('.')}."


def _reason(finding: Finding) -> Iterator[str]:
    if finding.reason:  # it may begin with an attribute's name: its case is not ours to change
        yield finding.reason if finding.reason.endswith(".") else f"{finding.reason}."


def _last_try(looks: Sequence[Look]) -> Sequence[Look]:
    """Looks of the try that ended in the verdict: from the read of the parent before its first pass."""
    first_pass = max((at for at, look in enumerate(looks) if look.what.startswith("Pass 1,")), default=0)
    begins = (at for at in range(first_pass, -1, -1) if looks[at].what.startswith("Parent"))
    return looks[next(begins, 0) :] if looks else ()


def _between(looks: Sequence[Look]) -> str:
    return f" between {clock_time(looks[0].at)} and {clock_time(looks[-1].at)} UTC" if looks else ""


def _passes(number: int) -> str:
    return {1: "One pass", 2: "Both passes", 3: "All three passes"}.get(number, f"All {number} passes")


def _children(number: Amount | None, rule: TallyRule) -> str:
    if number is None:
        return "no children"
    if rule.measure.kind != "count":
        return f"a {rule.measure.kind} of {plain_digits(Decimal(number))}"
    return "1 child" if number == 1 else f"{number:,} children"


def _earlier(tries: int) -> str:
    return "An earlier try was" if tries == 1 else f"{tries} earlier tries were"
