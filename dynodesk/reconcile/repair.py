"""A plan applied: in waves, each looked at before the next, and ended by the first surprise."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Literal

from dynodesk.domain.clock import Clock
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.findings import UNDECIDED, Proof, signed
from dynodesk.domain.pacing import BudgetSpent, Pace
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.domain.repairs import (
    PLAN_SECONDS,
    SURPRISES,
    WAVES,
    PlannedRepair,
    RepairOutcome,
    RepairPlan,
    RepairReport,
    RepairResult,
)
from dynodesk.domain.sweeping import TableSweeper
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.tries import MAX_TRIES
from dynodesk.domain.values import Number, Value, plain_digits
from dynodesk.domain.writing import OUTCOME, Hands, Write, Written
from dynodesk.reconcile.confirm import Conclusion, Protocol
from dynodesk.reconcile.ledger import CHECK, END, RUN, Ledger, about, run_payload
from dynodesk.reconcile.looking import Suspect
from dynodesk.reconcile.planning import marker_path, repair_update
from dynodesk.reconcile.schedule import Confirmed, Schedule

LONGEST_HOLD = 300.0
"""Seconds. Where writers may be in flight for longer, nobody waits here to look once more: the next run does."""


COUNTED = "by a count of the children"
"""Why a write is noted as settled: nothing else told."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What looks at parents and children."""

    reader: ItemReader
    sweeper: TableSweeper
    pace: Pace
    clock: Clock
    chance: random.Random

    def confirmed(
        self, suspects: Iterable[Suspect], ticket: Ticket, protocol: Callable[[TallyRule], Protocol] = Protocol.of
    ) -> Iterator[Confirmed]:
        """Raises what `Schedule.confirmed` raises."""
        now = _moment(self.clock.utc())
        schedule = Schedule(
            self.reader, self.sweeper, self.pace, self.clock, self.chance, ticket, now=now, protocol=protocol
        )
        return schedule.confirmed(suspects)


@dataclass(slots=True)
class _Pending:
    """A repair that is not decided yet."""

    repair: PlannedRepair
    rule: TallyRule
    marker: Value | None = None
    """As read before the count that the repair rests on: whoever repairs in between sets another."""
    is_full: bool = False
    """Whether to go through the whole protocol: something moved since the plan was made."""
    tries: int = 0
    """Requests sent that wrote nothing."""


@dataclass(slots=True)
class _Applied:
    pending: _Pending
    written: Written
    at: float
    """On the clock."""


class RepairRun:
    """One plan, applied. Use it once.

    The plan has been checked and approved: here each of its repairs is confirmed again, written and verified.
    """

    def __init__(
        self,
        plan: RepairPlan,
        rules: Mapping[str, TallyRule],
        sight: Sight,
        hands: Hands,
        made: Mapping[str, str] | None = None,
    ) -> None:
        """`rules` has each rule of the plan by its name, `made` what an earlier run of the plan did, by repair."""
        self._plan, self._rules, self._sight, self._hands = plan, rules, sight, hands
        self._made = made or {}
        self.id = uuid.uuid4().hex[:12]
        self._results: dict[str, RepairResult] = {}
        self._surprise: RepairResult | None = None
        self._to_hold: list[_Applied] = []
        self._told: Callable[[RepairResult], object] | None = None

    def report(self, ticket: Ticket, told: Callable[[RepairResult], object] | None = None) -> RepairReport:
        """What became of the plan. `told` is called with each result as soon as it is known, and when it changes.

        Cancelling and lost connections end the run early; what is on its way then is brought to its end first. Raises
        `DynodeskError` where the journal does not take the run: then nothing was written.
        """
        started = self._sight.clock.utc()
        self._told = told
        self._hands.journal.append(RUN, run_payload(self.id, self._plan))
        stopped = None
        try:
            self._apply(ticket)
        except Cancelled:
            stopped = "cancelled"
        except BudgetSpent:
            stopped = "the budget of read units is spent"
        except DynodeskError as fault:
            stopped = f"{fault.message} [{fault.code}]"
        if self._surprise is not None:
            stopped = f"{self._surprise.repair.parent_text}: {self._surprise.outcome}"
        results = tuple(
            self._results.get(repair.id, RepairResult(repair, "not tried", f"the run ended before it: {stopped}"))
            for repair in self._plan.repairs
        )
        try:
            self._hands.journal.append(END, {"id": self.id, "stopped": stopped})
        except DynodeskError as fault:
            stopped = stopped or f"{fault.message} [{fault.code}]"
        return RepairReport(self.id, self._plan.id, started, self._sight.clock.utc(), stopped, results)

    def _apply(self, ticket: Ticket) -> None:
        for repair in self._plan.repairs:
            if repair.id in self._made:
                self._settle(repair, "not needed", self._made[repair.id])
        for wave in waves([repair for repair in self._plan.repairs if repair.id not in self._made]):
            self._verify(self._write(wave, ticket), ticket)
            self._hold(ticket, until_all_are_due=False)
            if self._is_surprised():
                return
        self._hold(ticket, until_all_are_due=True)

    # -- confirm again, and write

    def _write(self, wave: Sequence[PlannedRepair], ticket: Ticket) -> list[_Applied]:
        """Those that were written. Ends with the first surprise; what was written before it is among them."""
        # Also where this computer slept: what the plan rests on is too long ago by now.
        age = _moment(self._sight.clock.utc()) - _moment(self._plan.created)
        pending = [_Pending(repair, self._rules[repair.rule], is_full=age > PLAN_SECONDS) for repair in wave]
        applied: list[_Applied] = []
        while pending and not self._is_surprised():
            is_full = pending[0].is_full
            suspects: dict[int, tuple[_Pending, Suspect]] = {}
            for one in [one for one in pending if one.is_full is is_full]:
                pending.remove(one)
                suspect = self._suspect(one)
                if one.is_full is not is_full:
                    pending.append(one)
                elif suspect is not None:
                    suspects[id(suspect)] = one, suspect
            if self._is_surprised():
                break
            protocol = Protocol.of if is_full else _one_more_look
            for confirmed in self._sight.confirmed([suspect for _, suspect in suspects.values()], ticket, protocol):
                after = self._decide(suspects[id(confirmed.suspect)][0], confirmed, ticket)
                if isinstance(after, _Pending):
                    pending.append(after)
                elif after is not None:
                    applied.append(after)
                if self._is_surprised():
                    break
                self._progress(ticket)
        return applied

    def _suspect(self, one: _Pending) -> Suspect | None:
        """What to confirm. The marker is read first, so that a repair by somebody else is never overlooked."""
        repair, rule = one.repair, one.rule
        captures = rule.parent_captures(repair.key)
        if captures is None:
            self._settle(repair, "unread", "its key is not one that the rule is about")
            return None
        if rule.marker is not None:
            try:
                item = self._sight.reader.get(rule.table, repair.key, consistent=True)
            except DynodeskError as fault:
                self._settle(repair, "unread", fault.message)
                return None
            one.marker = item.get(rule.marker) if item else None
            one.is_full = one.is_full or one.marker != repair.marker_seen  # somebody repaired it since
        return Suspect(rule, captures, repair.key)

    def _decide(self, one: _Pending, confirmed: Confirmed, ticket: Ticket) -> _Pending | _Applied | None:
        repair, conclusion = one.repair, confirmed.outcome
        if isinstance(conclusion, DynodeskError):
            self._settle(repair, "unread", conclusion.message)
            return None
        decision = decide(repair, conclusion, confirmed.proof, is_full=one.is_full)
        if isinstance(decision, tuple):
            self._settle(repair, *decision)
            return None
        if decision == "look in full" or confirmed.proof is None:
            one.is_full = True
            return one
        written = self._hands.write(self._write_of(one, conclusion, confirmed.proof), ticket)
        match written.ending:
            case "applied":
                self._settle(repair, "unverified", written.reason, written.tries)
                return _Applied(one, written, self._sight.clock.now())
            case "likely":
                self._settle(repair, "unknown", written.reason, written.tries, is_final=False)
                return _Applied(one, written, self._sight.clock.now())
            case "refused":
                self._settle(repair, "refused", written.reason, written.tries)
            case "unknown" | "unclear":
                self._settle(repair, "unknown", written.reason, written.tries)
            case "lost race" | "not applied":
                one.tries += written.tries
                if one.tries < MAX_TRIES:
                    one.is_full = True
                    return one
                self._settle(repair, "lost race", written.reason, one.tries)
        return None

    def _write_of(self, one: _Pending, conclusion: Conclusion, proof: Proof) -> Write:
        repair, rule = one.repair, one.rule
        stored = conclusion.tally.stored if conclusion.tally else None
        number = stored if isinstance(stored, Number) else None
        update = repair_update(rule, repair.id, repair.key, number, repair.drift, proof.version, one.marker)
        version = next((path for path in update.add if path != rule.attribute), None)
        said = about("repair", self.id, rule.name, rule.attribute, version, Number(plain_digits(repair.drift)))
        return Write(repair.id, update, marker_path(rule), said)

    # -- look again afterwards

    def _verify(self, applied: Sequence[_Applied], ticket: Ticket) -> None:
        for one, confirmed in self._looked_at(applied, ticket):
            repair, conclusion = one.pending.repair, confirmed.outcome
            verdict = conclusion.verdict if isinstance(conclusion, Conclusion) else "unread"
            if one.written.ending == "likely":
                if not is_settled(conclusion, drift_if_applied=Decimal(0)):
                    self._settle(repair, "unknown", f"{one.written.reason}; counted again: {verdict}")
                    continue
                payload = {"id": repair.id, "try": one.written.tries, "outcome": "settled", "why": COUNTED}
                self._hands.journal.append(OUTCOME, payload)
            self._hands.journal.append(CHECK, {"id": repair.id, "verdict": verdict, **_seen(conclusion)})
            if verdict in {"ok", "gone"}:
                outcome: RepairOutcome = "settled" if one.written.ending == "likely" else "repaired"
                self._settle(repair, outcome, one.written.reason, one.written.tries)
                if verdict == "ok" and 0 < one.pending.rule.wait <= LONGEST_HOLD:
                    self._to_hold.append(one)
            elif verdict in UNDECIDED or verdict == "unread":
                self._settle(repair, "unverified", f"counted again: {_words(conclusion)}", one.written.tries)
                self._surprise = self._surprise or self._results[repair.id]  # nothing is built on what was not seen
            else:
                self._settle(repair, "not verified", f"counted again: {_words(conclusion)}", one.written.tries)

    def _hold(self, ticket: Ticket, *, until_all_are_due: bool) -> None:
        """Once more, when whatever was in flight at the repair has ended: does it hold?"""
        clock = self._sight.clock
        if until_all_are_due and self._to_hold:
            last = max(one.at + one.pending.rule.wait for one in self._to_hold)
            note = f"Waiting to see what holds, {len(self._to_hold)} of {len(self._plan.repairs)}"
            ticket.checkpoint(Progress(len(self._results), len(self._plan.repairs), note, is_waiting=True))
            clock.sleep(max(0.0, last - clock.now()), ticket)
        due = [one for one in self._to_hold if one.at + one.pending.rule.wait <= clock.now()]
        self._to_hold = [one for one in self._to_hold if one not in due]
        for one, confirmed in self._looked_at(due, ticket):
            repair, conclusion = one.pending.repair, confirmed.outcome
            verdict = conclusion.verdict if isinstance(conclusion, Conclusion) else "unread"
            self._hands.journal.append(CHECK, {"id": repair.id, "verdict": verdict, **_seen(conclusion)})
            if verdict in {"exact", "probable", "bounded"}:
                reason = f"counted again after {one.pending.rule.wait:g} s: {_words(conclusion)}"
                self._settle(repair, "not held", reason, one.written.tries)
            elif verdict in {"ok", "gone"}:
                self._results[repair.id] = replace(self._results[repair.id], held=True)

    def _looked_at(self, applied: Sequence[_Applied], ticket: Ticket) -> Iterator[tuple[_Applied, Confirmed]]:
        suspects = [Suspect(one.pending.rule, _captures(one.pending), one.pending.repair.key) for one in applied]
        by_suspect = {id(suspect): one for suspect, one in zip(suspects, applied, strict=True)}
        for confirmed in self._sight.confirmed(suspects, ticket):
            yield by_suspect[id(confirmed.suspect)], confirmed

    # -- results

    def _is_surprised(self) -> bool:
        return self._surprise is not None

    def _settle(
        self,
        repair: PlannedRepair,
        outcome: RepairOutcome,
        reason: str = "",
        tries: int = 0,
        *,
        is_final: bool = True,
    ) -> None:
        result = RepairResult(repair, outcome, reason, tries)
        self._results[repair.id] = result
        if is_final and outcome in SURPRISES and self._surprise is None:
            self._surprise = result
        if self._told is not None:
            self._told(result)

    def _progress(self, ticket: Ticket) -> None:
        ticket.checkpoint(Progress(len(self._results), len(self._plan.repairs), "Repairing"))


def _moment(utc: str) -> float:
    """Seconds since 1970."""
    return datetime.fromisoformat(utc).timestamp()


def made_before(plan: RepairPlan, ledger: Ledger) -> dict[str, str]:
    """Repairs of the plan that were made already, or may have been: none is made twice under one name."""
    made = {}
    for repair in plan.repairs:
        write = ledger.writes.get(repair.id)
        if ledger.undone(repair.id):
            made[repair.id] = "this plan has made it before, and it was taken back: for another, make a new plan"
        elif write is not None and write.outcome not in {"not applied", "lost race", "refused"}:
            made[repair.id] = f"this plan has made it before: {write.state}"
    return made


def waves(repairs: Sequence[PlannedRepair]) -> Iterator[Sequence[PlannedRepair]]:
    start = number = 0
    while start < len(repairs):
        size = WAVES[min(number, len(WAVES) - 1)]
        yield repairs[start : start + size]
        start, number = start + size, number + 1


def _one_more_look(rule: TallyRule) -> Protocol:
    """For what was confirmed before: if all is as it was then, one pass more is enough to say so."""
    return replace(
        Protocol.of(rule), wait=0.0, passes=1, passes_without_version=1, outlasts_last_pass=False, bounds=False
    )


def decide(
    repair: PlannedRepair, conclusion: Conclusion, proof: Proof | None, *, is_full: bool
) -> Literal["write", "look in full"] | tuple[RepairOutcome, str]:
    """What to do with a planned repair after another look at it; or how it ends, and why.

    After the whole protocol the drift has to be the planned one. After one look everything has to be: tally, version
    and children. Then nothing moved since the plan, and the looks of then and now are those of one long look.
    """
    match conclusion.verdict:
        case "ok":
            return "not needed", "it is right by now"
        case "gone":
            return "not needed", "the parent was deleted since"
        case "exact" | "probable" if is_full or proof == repair.proof:
            if conclusion.verdict == "probable" and repair.verdict == "exact":
                return "changed", "the parent has no version any more"
            if conclusion.drift == repair.drift:
                return "write"
            planned = signed(repair.drift)
            return "changed", f"its drift is {signed(conclusion.drift or repair.drift)} now, and {planned} was planned"
        case _ if not is_full:
            return "look in full"
        case "busy" | "bounded":
            return "busy", conclusion.reason
        case _:
            return "changed", conclusion.reason or f"it is {conclusion.verdict} now"


def is_settled(conclusion: Conclusion | DynodeskError, *, drift_if_applied: Decimal) -> bool:
    """Whether what a write was to do is done, where nothing else tells whether it was applied.

    Another program with the same rule may have done it: without a marker the two look the same. That the drift is as it
    was would prove nothing: a writer may have brought it back since.
    """
    if isinstance(conclusion, DynodeskError) or conclusion.verdict not in {"ok", "exact", "probable"}:
        return False
    drift = Decimal(0) if conclusion.verdict == "ok" else conclusion.drift
    return drift == drift_if_applied


def _captures(pending: _Pending) -> dict[str, str]:
    return pending.rule.parent_captures(pending.repair.key) or {}


def _seen(conclusion: Conclusion | DynodeskError) -> dict[str, object]:
    if isinstance(conclusion, DynodeskError):
        return {"why": conclusion.message}
    number = conclusion.tally.number if conclusion.tally else None
    return {
        "stored": None if number is None else plain_digits(number),
        "real": None if conclusion.real is None else plain_digits(Decimal(conclusion.real)),
    }


def _words(conclusion: Conclusion | DynodeskError) -> str:
    if isinstance(conclusion, DynodeskError):
        return conclusion.message
    drift = "" if conclusion.drift is None else f", drift {signed(conclusion.drift)}"
    return f"{conclusion.verdict}{drift}{': ' + conclusion.reason if conclusion.reason else ''}"
