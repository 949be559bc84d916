"""One reconcile run from rules to report: sweep, confirm, and account for everything that was not looked at."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import Clock, duration
from dynodesk.domain.errors import (
    CannotConnect,
    DynodeskError,
    InvalidValue,
    NotAllowed,
    ServiceFailed,
    TableMissing,
    Throttled,
)
from dynodesk.domain.findings import DRIFT, UNDECIDED, VERDICTS, Evidence, Finding, Report, RuleResult, Verdict
from dynodesk.domain.measures import Amount
from dynodesk.domain.pacing import BudgetSpent, Limits, Pace
from dynodesk.domain.ports import PageReader
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.domain.sweeping import SweptParent, TableSweeper
from dynodesk.domain.tallies import DEFAULT_SETTLE, DEFAULT_WAIT, TallyRule
from dynodesk.domain.values import EXACT, String, plain_digits
from dynodesk.reconcile.causes import causes_of
from dynodesk.reconcile.confirm import Conclusion, Refused
from dynodesk.reconcile.guards import every_language
from dynodesk.reconcile.looking import Suspect, look_through_index
from dynodesk.reconcile.pacing import PacedReader
from dynodesk.reconcile.schedule import Confirmed, Schedule
from dynodesk.reconcile.witness import Witness

_ENDS_THE_RUN = (CannotConnect, NotAllowed, TableMissing)
"""Faults that the next look would meet again; any other ends the one look."""
_OUT_OF_SERVICE = (Throttled, ServiceFailed)
"""Faults that may be those of one partition, each after much patience. `IN_A_ROW` looks that end so end the run."""
IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a run takes place, for the report."""

    identity: str
    endpoint: str
    region: str
    rules_file: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What to look at. Without `chosen` parents each table is swept, and what looks off is confirmed."""

    chosen: tuple[Suspect, ...] | None = None
    everyone: bool = False
    """Confirm every parent that the sweep saw, not only those that look off."""

    @property
    def words(self) -> str:
        if self.chosen is not None:
            return f"{len(self.chosen)} chosen parent{'' if len(self.chosen) == 1 else 's'}"
        return "whole table, every parent confirmed" if self.everyone else "whole table"


@dataclass(slots=True)
class _Share:
    """One rule's results as they come in."""

    rule: TallyRule
    parents: int = 0
    was_swept: bool = False
    is_named_wrong: bool = False
    """Whether no parent at all has the tally: more likely the rule says another name than they."""
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


class Run:
    """One run. `report` carries it out; use it once."""

    def __init__(
        self,
        rules: Sequence[TallyRule],
        scope: Scope,
        reader: PageReader,
        sweeper: TableSweeper,
        meter: Meter,
        origin: Origin,
        *,
        clock: Clock,
        limits: Limits | None = None,
        chance: random.Random | None = None,
        witness: Witness | None = None,
    ) -> None:
        """`meter` must count what `reader` and `sweeper` consume, and nothing else.

        With a `witness`, drift that would be probable is exact where the table's stream shows that nobody wrote.
        """
        self._rules, self._scope, self._meter, self._origin = rules, scope, meter, origin
        self._unpaced, self._sweeper = reader, sweeper
        self._clock, self._limits = clock, limits or Limits()
        self._chance = chance or random.Random()  # noqa: S311  (spreads retries; not a secret)
        self._witness = witness
        self._shares = {rule.name: _Share(rule) for rule in rules}
        self._notes: list[str] = list(_notes(rules, scope, has_witness=witness is not None))
        self._undecided: dict[int, Suspect] = {}
        self._now = 0.0
        self._found: Callable[[Finding], object] | None = None

    def report(self, ticket: Ticket, found: Callable[[Finding], object] | None = None) -> Report:
        """What the tallies are worth. `found` is called with each finding as soon as it is known.

        Cancelling, a spent budget or a lost connection end the run early, with a report of what was established and
        what was not. Raises `DynodeskError` only where nothing could be read at all.
        """
        started = self._clock.utc()
        self._now = datetime.fromisoformat(started).timestamp()
        pace = Pace(self._meter, self._limits, self._clock)
        reader = PacedReader(self._unpaced, pace)
        self._found = found
        stopped = None
        try:
            self._look(reader, pace, ticket)
        except Cancelled:
            stopped = "cancelled"
        except BudgetSpent:
            stopped = f"the budget of {self._limits.max_units} read units is spent"
        except DynodeskError as fault:
            if not self._meter.calls:
                raise
            stopped = f"{fault.message} [{fault.code}]"
            if fault.details:
                self._notes.append(f"What ended the run, for whoever looks into it: {fault.details}")
        self._leave_undecided(stopped)
        if self._witness is not None:
            self._notes += self._witness.notes
        if self._limits != Limits() and self._meter.calls and not self._meter.total:
            self._notes.append("The endpoint reports no read units: the limits on them could not be kept.")
        return Report(
            run_id=uuid.uuid4().hex[:12],
            started=started,
            ended=self._clock.utc(),
            identity=self._origin.identity,
            endpoint=self._origin.endpoint,
            region=self._origin.region,
            rules_file=self._origin.rules_file,
            scope=self._scope.words,
            complete=stopped is None and not self._undecided,
            stopped=stopped,
            read_units=self._meter.total,
            pages=reader.pages + self._sweeper.pages,
            notes=tuple(self._notes),
            rules=tuple(_result(share) for share in self._shares.values()),
        )

    def _look(self, reader: PacedReader, pace: Pace, ticket: Ticket) -> None:
        # One by one: what the sweep of one table saw is in the report even where that of the next one fails.
        for suspect in self._swept(pace, ticket) if self._scope.chosen is None else self._chosen(reader, ticket):
            self._undecided[len(self._undecided)] = suspect
        busy = self._confirm(self._undecided.copy(), reader, pace, ticket, again=False)
        # A parent that never stood still, or whose partition was hot, gets a second chance once the others are done.
        self._confirm(busy, reader, pace, ticket, again=True)

    def _chosen(self, reader: PacedReader, ticket: Ticket) -> Iterator[Suspect]:
        for suspect in self._scope.chosen or ():
            share = self._shares[suspect.rule.name]
            share.parents += 1
            if suspect.rule.children.is_consistent:
                yield suspect
                continue
            # The children of a few parents are not worth a Scan of their table; an index proves nothing.
            seen = look_through_index(reader, suspect, ticket, now=self._now)
            if isinstance(seen, Refused):
                self._add(share, _held(suspect))
                continue
            looked, problem = seen
            why = f"counted through {_index_name(suspect.rule)} only, which lags behind its table"
            finding = _unmeasured(looked, f"{problem}; {why}") if problem else _unconfirmed(looked, why)
            if finding is None:
                share.verdicts["ok"] += 1
                note = f"{share.rule.name}: {why}: a parent that looks right may have drifted."
                if note not in self._notes:
                    self._notes.append(note)
            else:
                self._add(share, finding)

    def _swept(self, pace: Pace, ticket: Ticket) -> Iterator[Suspect]:
        everyone = self._scope.everyone
        for swept in self._sweeper.sweep(self._rules, pace, ticket, everyone=everyone, now=self._now):
            rule = swept.rule
            share = self._shares[rule.name]
            share.parents, share.was_swept = swept.parents, True
            if swept.since and datetime.fromisoformat(swept.since).timestamp() < self._now:
                self._notes.append(
                    f"{rule.name}: its sweep was begun before this run, at {swept.since}: parents that looked right "
                    f"then may have drifted since."
                )
            for pattern in swept.unlike:
                table = rule.table if pattern == rule.parent else rule.children.table
                self._notes.append(f"{rule.name}: no item of {table} has a key like {pattern}.")
            items = swept.parents - sum(parent.tally is None for parent in swept.off)
            without = sum(parent.tally is not None and parent.tally.stored is None for parent in swept.off)
            if items and without == items:
                share.is_named_wrong = True
                self._notes.append(f"{rule.name}: no parent of {items} has {rule.attribute}: is the name right?")
            share.verdicts["ok"] += swept.parents - len(swept.off)
            for parent in swept.off:
                try:
                    key = rule.parent_key(parent.captures)
                except InvalidValue as problem:
                    self._add(share, _unjoinable(rule, parent, problem.message))
                else:
                    amount = None if parent.problem else parent.amount
                    yield Suspect(rule, parent.captures, key, parent.tally, amount)

    def _confirm(
        self, suspects: dict[int, Suspect], reader: PacedReader, pace: Pace, ticket: Ticket, *, again: bool
    ) -> dict[int, Suspect]:
        """Confirms them side by side. Returns those that were busy or throttled, unless it was their second chance."""
        numbers = {id(suspect): number for number, suspect in suspects.items()}
        schedule = Schedule(
            reader, self._sweeper, pace, self._clock, self._chance, ticket, now=self._now, witness=self._witness
        )
        busy: dict[int, Suspect] = {}
        in_a_row = 0
        for done, confirmed in enumerate(schedule.confirmed(suspects.values()), 1):
            number = numbers[id(confirmed.suspect)]
            if isinstance(confirmed.outcome, _ENDS_THE_RUN):
                raise confirmed.outcome
            in_a_row = in_a_row + 1 if isinstance(confirmed.outcome, _OUT_OF_SERVICE) else 0
            if isinstance(confirmed.outcome, DynodeskError) and in_a_row == IN_A_ROW:
                raise confirmed.outcome
            if not again and _may_pass(confirmed.outcome):
                busy[number] = confirmed.suspect
            else:
                self._decide(number, confirmed)
            note = f"Confirming {len(suspects)} parents, {schedule.waiting} waiting"
            ticket.checkpoint(Progress(done, len(suspects), note))
        return busy

    def _decide(self, number: int, confirmed: Confirmed) -> None:
        share = self._shares[confirmed.suspect.rule.name]
        if isinstance(confirmed.outcome, Conclusion):
            del self._undecided[number]
            if confirmed.outcome.verdict == "ok":
                share.verdicts["ok"] += 1
            else:
                concluded = _finding(confirmed, confirmed.outcome)
                causes = causes_of(concluded, share.rule, dict(confirmed.outcome.distinct))
                if share.is_named_wrong and concluded.stored is None:
                    causes = ()  # the rule is the likelier cause, and a note says so
                self._add(share, replace(concluded, causes=causes))
        elif (finding := _unconfirmed(confirmed.suspect, f"not confirmed: {confirmed.outcome.message}")) is not None:
            del self._undecided[number]
            self._add(share, finding)
        else:
            self._notes.append(f"{share.rule.name}: a parent could not be read: {confirmed.outcome.message}")

    def _leave_undecided(self, stopped: str | None) -> None:
        """Whatever has no verdict when the run ends is at most a suspect, and counted as not looked at."""
        if stopped is None:
            return
        if self._scope.chosen is None:
            self._notes += [f"{name}: not looked at" for name, share in self._shares.items() if not share.was_swept]
        for suspect in self._undecided.values():
            finding = _unconfirmed(suspect, f"not confirmed: {stopped}")
            if finding is not None:
                self._add(self._shares[suspect.rule.name], finding)
        if self._undecided:
            self._notes.append(f"{len(self._undecided)} parents were not confirmed")

    def _add(self, share: _Share, finding: Finding) -> None:
        share.verdicts[finding.verdict] += 1
        share.findings.append(finding)
        if self._found is not None:
            self._found(finding)


def _may_pass(outcome: Conclusion | DynodeskError) -> bool:
    return isinstance(outcome, Throttled) or (isinstance(outcome, Conclusion) and outcome.verdict == "busy")


def _result(share: _Share) -> RuleResult:
    return RuleResult(
        name=share.rule.name,
        table=share.rule.table,
        text=share.rule.words,
        parents=share.parents,
        verdicts={verdict: share.verdicts[verdict] for verdict in VERDICTS},
        findings=tuple(sorted(share.findings, key=Finding.sort_key)),
        guards=tuple(every_language(share.rule)) if any(f.verdict in DRIFT for f in share.findings) else (),
    )


_CAVEATS: dict[Verdict, str] = {"probable": "without a version attribute, changes that undo each other go unseen"}


def _finding(confirmed: Confirmed, conclusion: Conclusion) -> Finding:
    suspect = confirmed.suspect
    decided = conclusion.verdict not in UNDECIDED
    return Finding(
        rule=suspect.rule.name,
        verdict=conclusion.verdict,
        parent=suspect.key,
        stored=conclusion.tally.stored if conclusion.tally else None,
        real=conclusion.real,
        drift=conclusion.drift,
        low=conclusion.low,
        high=conclusion.high,
        reason=conclusion.reason or _CAVEATS.get(conclusion.verdict, ""),
        evidence=Evidence(
            passes=conclusion.passes if decided else 0,
            consistent=decided,
            version=conclusion.version and conclusion.verdict != "bounded",
            witnessed=conclusion.witnessed,
            tries=conclusion.tries,
            looks=confirmed.looks,
        ),
        proof=confirmed.proof,
    )


def _unconfirmed(suspect: Suspect, reason: str) -> Finding | None:
    """A suspect as the sweep left it; None where the sweep saw nothing off, or there was no sweep."""
    tally, count = suspect.tally, suspect.count
    number = tally.number if tally else None
    if count is None or (number is not None and _is_near(number, count, suspect.rule)):
        return None
    return Finding(
        rule=suspect.rule.name,
        verdict="suspect",
        parent=suspect.key,
        stored=tally.stored if tally else None,
        real=count,
        drift=None if number is None else EXACT.subtract(number, Decimal(count)),
        reason=reason,
    )


def _unmeasured(suspect: Suspect, reason: str) -> Finding:
    stored = suspect.tally.stored if suspect.tally else None
    return Finding(suspect.rule.name, "suspect", suspect.key, stored, None, None, reason=reason)


def _held(suspect: Suspect) -> Finding:
    return Finding(suspect.rule.name, "busy", suspect.key, None, None, None, reason="held by a writer")


def _is_near(number: Decimal, count: Amount, rule: TallyRule) -> bool:
    return EXACT.subtract(number, Decimal(count)).copy_abs() <= rule.tolerance


def _unjoinable(rule: TallyRule, parent: SweptParent, why: str) -> Finding:
    return Finding(
        rule=rule.name,
        verdict="incomparable",
        parent={name: String(text) for name, text in parent.captures.items()},
        stored=None,
        real=parent.amount,
        drift=None,
        reason=f"parent and children cannot be joined: {why}",
    )


def _index_name(rule: TallyRule) -> str:
    return f"index {rule.children.index.name}" if rule.children.index else "the table"


def _notes(rules: Sequence[TallyRule], scope: Scope, *, has_witness: bool) -> Iterator[str]:
    if scope.chosen is None and not scope.everyone:
        yield (
            "Parents that looked right in the sweep were not confirmed: drift that a write in flight hid at that "
            "moment may have been missed."
        )
    for rule in rules:
        usual = DEFAULT_WAIT[rule.writers]
        if rule.wait < usual:
            yield (
                f"{rule.name}: waits {duration(rule.wait)} for writes in flight, less than the {duration(usual)} for "
                f"{rule.writers} writers: its verdicts hold if nobody writes, or no write takes longer."
            )
        if rule.settle < DEFAULT_SETTLE:
            yield f"{rule.name}: settles {duration(rule.settle)} instead of {duration(DEFAULT_SETTLE)}."
        if rule.tolerance:
            yield f"{rule.name}: differences of up to {plain_digits(rule.tolerance)} are not called drift."
        if rule.is_sharded and not rule.shards:
            yield (
                f"{rule.name}: all shards of a parent have one partition key, so they spread no writes. "
                f"The shard belongs into the partition key."
            )
        if rule.version is None:
            unless = ", unless its stream shows that nobody wrote" if has_witness else ""
            yield f"{rule.name}: without a version attribute drift is probable at best{unless}."
