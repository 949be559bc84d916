"""What earlier runs of a rule found, and what their course says: where drift grows, a writer still makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise

from dynodesk.domain.findings import DRIFT, VERDICTS, Finding, Report, RuleResult, Verdict
from dynodesk.domain.values import EXACT, plain_digits

TREND = 3
"""Runs that a trend takes: two numbers make none."""
NAMED = 5
"""Runs that are named in words, the latest ones."""

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@dataclass(frozen=True, slots=True)
class Where:
    """What was looked at. The same rule about another table, account or endpoint has a history of its own."""

    rule_hash: str
    """Of what the rule says: a rule that is changed begins anew."""
    table: str
    endpoint: str
    region: str
    account: str
    """"" where nobody is signed in."""


@dataclass(frozen=True, slots=True)
class PastRun:
    """One rule's share of one run that ended."""

    where: Where
    rule: str
    run_id: str
    started: str
    """UTC, ISO 8601."""
    scope: str
    complete: bool
    stopped: str | None
    parents: int
    verdicts: Mapping[Verdict, int]
    drift: Decimal
    """The sizes of all drifts of known size added up, of ranges the end that is nearer to zero."""

    @property
    def off(self) -> int:
        return sum(self.verdicts.get(verdict, 0) for verdict in DRIFT)

    @property
    def counts(self) -> bool:
        """Whether it can be held against others: the whole table was looked at, to the end."""
        return self.complete and self.scope.startswith("whole table")

    @property
    def why_not(self) -> str:
        """Why it does not count, in words; "" where it does."""
        if self.counts:
            return ""
        return self.scope if self.complete else f"partial: {self.stopped}" if self.stopped else "partial"

    @property
    def time(self) -> datetime:
        return datetime.fromisoformat(self.started).astimezone(UTC)

    @property
    def drift_text(self) -> str:
        whole, point, part = plain_digits(self.drift).partition(".")
        return f"{int(whole):,}{point}{part}"


def past_runs(report: Report, hashes: Mapping[str, str]) -> Iterator[PastRun]:
    """The report as history keeps it. `hashes` has the hash of every rule by its name."""
    for rule in report.rules:
        yield PastRun(
            where=where_of(report, rule, hashes[rule.name]),
            rule=rule.name,
            run_id=report.run_id,
            started=report.started,
            scope=report.scope,
            complete=report.complete,
            stopped=report.stopped,
            parents=rule.parents,
            verdicts={verdict: rule.verdicts.get(verdict, 0) for verdict in VERDICTS},
            drift=_size(rule),
        )


def where_of(report: Report, rule: RuleResult, rule_hash: str) -> Where:
    return Where(rule_hash, rule.table, report.endpoint, report.region, account_of(report.identity))


def account_of(identity: str) -> str:
    """The account of an ARN: who signed in, or in which role, makes no other table of it. "" for other identities."""
    parts = identity.split(":")
    return parts[4] if parts[0] == "arn" and len(parts) > 5 else ""


def _size(rule: RuleResult) -> Decimal:
    total = Decimal(0)
    for finding in rule.findings:
        if finding.verdict in DRIFT:
            total = EXACT.add(total, _least(finding))
    return total


def _least(finding: Finding) -> Decimal:
    ends = [end.copy_abs() for end in (finding.low, finding.high) if end is not None]
    if finding.drift is not None:
        return finding.drift.copy_abs()
    return min(ends, default=Decimal(0))


# --------------------------------------------------------------------------------------------------------- the course


@dataclass(frozen=True, slots=True)
class Course:
    """How the drift of a rule went on over the runs that count."""

    runs: tuple[PastRun, ...]
    """Those that count, oldest first."""

    @classmethod
    def of(cls, runs: Sequence[PastRun]) -> Course:
        return cls(tuple(sorted((run for run in runs if run.counts), key=lambda run: run.time)))

    @property
    def is_growing(self) -> bool:
        return self._steps(lambda before, after: before < after)

    @property
    def word(self) -> str:
        """`growing`, `shrinking`, `steady` or `changing`; "" where there are too few runs to say."""
        if len(self.runs) < TREND:
            return ""
        if self.is_growing:
            return "growing"
        if self._steps(lambda before, after: before > after):
            return "shrinking"
        return "steady" if self._steps(lambda before, after: before == after) else "changing"

    @property
    def words(self) -> str:
        """`2,936 on 3 May, 5,872 on 4 May, 6,606 on 5 May: growing`."""
        latest = self.runs[-NAMED:]
        days = [run.time.date() for run in latest]
        one_year = len({day.year for day in days}) == 1
        one_each = len(set(days)) == len(days)
        named = ", ".join(
            f"{run.drift_text} on {_day(run.time, with_year=not one_year, with_time=not one_each)}" for run in latest
        )
        return f"{named}: {self.word}" if self.word else named

    @property
    def cause(self) -> str:
        """What a drift that grows says of its writers; "" where it does not grow."""
        if not self.is_growing:
            return ""
        return (
            f"The drift grows from run to run ({self.words}): a writer still makes it. Look for bulk or background "
            f"deletes that leave the tally out, and for a floor at zero, which swallows what should be taken away. "
            f"Until it is found, a repair does not last."
        )

    def _steps(self, holds: Callable[[Decimal, Decimal], bool]) -> bool:
        """Whether each of the latest runs stands so to the one before it."""
        latest = self.runs[-TREND:]
        return len(latest) == TREND and all(holds(before.drift, after.drift) for before, after in pairwise(latest))


def _day(time: datetime, *, with_year: bool, with_time: bool) -> str:
    year = f" {time.year}" if with_year else ""
    clock = f" {time:%H:%M}" if with_time else ""
    return f"{time.day} {_MONTHS[time.month - 1]}{year}{clock}"
