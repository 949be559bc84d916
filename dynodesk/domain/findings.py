"""What a reconcile run established, in the words used everywhere: window, command line and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, get_args

from dynodesk.domain.item_json import readable, readable_key
from dynodesk.domain.measures import Amount
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Number, String, Value, order, plain_digits, type_tag

Verdict = Literal["ok", "exact", "probable", "bounded", "busy", "suspect", "incomparable", "orphans", "gone"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

MEANINGS: Mapping[Verdict, str] = {
    "ok": "The stored number equals the number of children.",
    "exact": "Drift of a known size: the tally, its version and the children stood still while they were read twice.",
    "probable": "Drift of this size, seen in three equal passes; without a version attribute that is no proof.",
    "bounded": "Certainly off, by an amount within the range: the parent was written while it was read.",
    "busy": "Changed every time it was looked at: nothing can be said now.",
    "suspect": "Seen off by one cheap look, and not confirmed.",
    "incomparable": "There is no number to compare, or the rule cannot find the children.",
    "orphans": "Children whose parent does not exist.",
    "gone": "The parent does not exist, and has no children: it was deleted meanwhile, or there never was one.",
}

DRIFT: frozenset[Verdict] = frozenset({"exact", "probable", "bounded", "orphans", "incomparable"})
"""Verdicts that say something is off."""
UNDECIDED: frozenset[Verdict] = frozenset({"busy", "suspect"})
"""Verdicts that leave the question open: a run that ends with one has not looked at everything."""


@dataclass(frozen=True, slots=True)
class Look:
    """One thing done to reach a verdict: when (UTC, ISO 8601), what, and what it showed."""

    at: str
    what: str
    result: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """How a verdict was reached."""

    passes: int = 0
    """Equal strongly consistent passes over the children that the verdict rests on."""
    consistent: bool = False
    """Whether every read it rests on was strongly consistent."""
    version: bool = False
    """Whether an attribute that every writer raises was seen to stand still."""
    witnessed: bool = False
    """Whether the table's stream shows that nothing was written from before the first look until after the last."""
    tries: int = 0
    looks: tuple[Look, ...] = ()

    @property
    def summary(self) -> str:
        """One short line: `2 strong passes, version unchanged`."""
        if not self.passes:
            return "not confirmed"
        passes = "1 strong pass" if self.passes == 1 else f"{self.passes} strong passes"
        # One pass claims nothing of standing still: a bounded parent was written during it.
        if self.version and self.passes > 1:
            return f"{passes}, version unchanged"
        return f"{passes}, stream witness" if self.witnessed else passes


@dataclass(frozen=True, slots=True)
class Proof:
    """How parent and children looked while they stood still. Where they look so again, the verdict still holds."""

    version: Decimal | None
    fingerprint: str
    """A digest of the whole parent: what counts where there is no version."""
    digest: str
    """Of the children, as the last pass saw them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A parent that is not `ok`. Drift is stored minus real, always with that sign."""

    rule: str
    verdict: Verdict
    parent: Key
    stored: Value | None
    """The tally as it is in the item, of whatever type; None where there is none."""
    real: Amount | None
    """What the rule's measure comes to, of most rules the number of children; None where that is not known."""
    drift: Decimal | None
    low: Decimal | None = None
    """With `high`: the ends of a `bounded` drift."""
    high: Decimal | None = None
    """Without `low`: what the drift was at most at one instant, where that is proven of a `probable` one."""
    reason: str = ""
    causes: tuple[str, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    proof: Proof | None = None
    """None where nothing was seen to stand still."""

    @property
    def negative(self) -> bool:
        """A stored count below zero: wrong by itself, whatever the children are."""
        return isinstance(self.stored, Number) and self.stored.is_valid and self.stored.value < 0

    @property
    def parent_text(self) -> str:
        return readable_key(self.parent)

    @property
    def stored_text(self) -> str:
        """As stored, exactly. A text is in quotes with its type, so that "12" is not taken for 12."""
        match self.stored:
            case None:
                return ""
            case Number():
                return self.stored.text
            case String(text):
                return f'"{text}" (S)'
            case other:
                return f"{readable(other)} ({type_tag(other)})"

    @property
    def real_text(self) -> str:
        return "" if self.real is None else plain_digits(Decimal(self.real))

    @property
    def drift_text(self) -> str:
        """With its sign: `+4`, `-2`, or a range `+12…+24`."""
        if self.low is not None and self.high is not None:
            return f"{signed(self.low)}…{signed(self.high)}"
        return "" if self.drift is None else signed(self.drift)

    def sort_key(self) -> tuple[object, ...]:
        """Largest drift first, those without one last, then by key in table order."""
        # copy_abs and copy_negate round nothing; abs() and - would, beyond 28 digits.
        ends = [end.copy_abs() for end in (self.drift, self.low, self.high) if end is not None]
        key = tuple(order(value) for value in self.parent.values())
        return (not ends, max(ends, default=Decimal(0)).copy_negate(), key)


def signed(value: Decimal) -> str:
    text = plain_digits(value)
    return f"+{text}" if value > 0 else text


Language = Literal["python", "javascript", "json"]
LANGUAGES: Mapping[Language, str] = {
    "python": "Python, boto3",
    "javascript": "JavaScript, SDK v3",
    "json": "JSON request",
}
"""Languages that guards are written in, as reports list them, with their names for people."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A write that changes child and tally together, in one language, with the table's own names."""

    language: Language
    title: str
    code: str


@dataclass(frozen=True, slots=True)
class RuleResult:
    """One rule's share of a run."""

    name: str
    table: str
    text: str
    """The rule in one line of words."""
    parents: int
    """Parents looked at, those that turned out missing included."""
    verdicts: Mapping[Verdict, int]
    findings: tuple[Finding, ...]
    """Everything that is not `ok`, sorted."""
    guards: tuple[Guard, ...] = ()
    """The writes that keep the tally right, as code, where drift was found."""
    causes: tuple[str, ...] = ()
    """What the findings together, or earlier runs, say of where drift comes from."""


@dataclass(frozen=True, slots=True)
class Report:
    """What one run established, and how. Counts are exact unless `complete` is False."""

    run_id: str
    started: str
    ended: str
    """UTC, ISO 8601."""
    identity: str
    endpoint: str
    region: str
    rules_file: str
    scope: str
    """What was looked at: `whole table` or the number of chosen parents."""
    complete: bool
    """False where parents may be wrong that are in no finding."""
    stopped: str | None
    """Why the run ended early, if it did."""
    read_units: Decimal
    pages: int
    notes: tuple[str, ...]
    """What a reader must know to trust the numbers: waits set to nothing, drift that a sweep may miss."""
    rules: tuple[RuleResult, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for rule in self.rules for finding in rule.findings)

    @property
    def verdicts(self) -> dict[Verdict, int]:
        return {verdict: sum(rule.verdicts.get(verdict, 0) for rule in self.rules) for verdict in VERDICTS}

    @property
    def found_drift(self) -> bool:
        return any(finding.verdict in DRIFT for finding in self.findings)

    @property
    def compared_nothing(self) -> bool:
        """True where none of the parents that were asked for exists."""
        parents = sum(rule.parents for rule in self.rules)
        return parents > 0 and self.verdicts["gone"] == parents

    @property
    def undecided(self) -> bool:
        """True where something was not looked at, or looked at without a verdict."""
        return not self.complete or any(finding.verdict in UNDECIDED for finding in self.findings)
