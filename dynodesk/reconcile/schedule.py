"""Confirms many suspects side by side: while one waits, others are looked at."""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal

from dynodesk.domain.clock import Clock
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.findings import Look, Proof
from dynodesk.domain.item_json import readable
from dynodesk.domain.pacing import Pace
from dynodesk.domain.ports import PageReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.sweeping import TableSweeper
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.tries import Pause, Waited
from dynodesk.domain.values import plain_digits
from dynodesk.reconcile import confirm
from dynodesk.reconcile.confirm import (
    Conclusion,
    Confirmation,
    CountChildren,
    Counted,
    ParentSeen,
    Protocol,
    ReadParent,
    Wait,
)
from dynodesk.reconcile.looking import Suspect, count_children, read_parent
from dynodesk.reconcile.proofs import may_be_proven, prove_too_low
from dynodesk.reconcile.witness import EVERY, Witness

_WITNESSED = {
    "quiet": "no record of parent or children from before the first look until after the last",
    "written": "parent or children were written meanwhile: the verdict is withdrawn",
    "cannot tell": "it cannot tell whether anybody wrote",
}


@dataclass(frozen=True, slots=True)
class Confirmed:
    """One suspect's end: a conclusion, or the fault that kept us from one."""

    suspect: Suspect
    outcome: Conclusion | DynodeskError
    looks: tuple[Look, ...]
    proof: Proof | None = None
    """How parent and children looked while they stood still; None where they are not known to have drifted."""


@dataclass(slots=True)
class _Running:
    suspect: Suspect
    state: Confirmation
    looks: list[Look] = field(default_factory=list)
    since: int = 0
    """The witness's mark before the first look of this try."""
    claim: Conclusion | None = None
    """What is concluded unless the witness saw somebody write, up to `until` on the clock."""
    until: float = 0.0


class Schedule:
    """Runs confirmations over one reader. Use it once: `confirmed` yields each suspect when it is decided.

    A confirmation that is due goes before one that has not begun, so that the time between the looks at one parent
    stays short however many there are. Children that only a global secondary index holds together are counted in
    strongly consistent Scans of their table: one pass for all suspects that wait for one.
    """

    def __init__(
        self,
        reader: PageReader,
        sweeper: TableSweeper,
        pace: Pace,
        clock: Clock,
        chance: random.Random,
        ticket: Ticket,
        *,
        now: float,
        protocol: Callable[[TallyRule], Protocol] = Protocol.of,
        witness: Witness | None = None,
    ) -> None:
        """`now`, in seconds since 1970, decides what has expired; `protocol` says how sure to be.

        A `witness` is asked before anything is called probable.
        """
        self._reader, self._clock, self._chance, self._ticket, self._now = reader, clock, chance, ticket, now
        self._sweeper, self._pace, self._protocol = sweeper, pace, protocol
        self._witness = witness
        self._due: list[tuple[float, int, _Running]] = []
        self._for_scan: list[_Running] = []
        self._turn = itertools.count()

    @property
    def waiting(self) -> int:
        """Confirmations that have begun and wait for their time."""
        return len(self._due) + len(self._for_scan)

    def confirmed(self, suspects: Iterable[Suspect]) -> Iterator[Confirmed]:
        """Raises `Cancelled`; faults of single looks end the one suspect, not the run."""
        fresh = iter(suspects)
        while True:
            running = self._next(fresh)
            if running is None:
                return
            ended = self._advance(running)
            if ended is not None:
                yield ended

    def _next(self, fresh: Iterator[Suspect]) -> _Running | None:
        while True:
            self._ticket.checkpoint()
            if self._witness is not None:
                self._witness.follow(self._ticket)
            if self._due and self._due[0][0] <= self._clock.now():
                return heapq.heappop(self._due)[2]
            suspect = next(fresh, None)
            if suspect is not None:
                return _Running(suspect, Confirmation(self._protocol(suspect.rule)))
            if self._for_scan and not self._is_due_within(max(one.suspect.rule.settle for one in self._for_scan)):
                self._scan()
                continue
            if not self._due:
                return None
            longest = math.inf if self._witness is None else EVERY
            self._clock.sleep(min(longest, max(0.0, self._due[0][0] - self._clock.now())), self._ticket)

    def _is_due_within(self, seconds: float) -> bool:
        """Whether another one may soon join the Scan."""
        return bool(self._due) and self._due[0][0] - self._clock.now() <= seconds

    def _advance(self, running: _Running) -> Confirmed | None:
        """Everything up to the next wait, or to the end."""
        while True:
            self._ticket.checkpoint()
            if running.claim is not None:
                ended = self._heard(running, running.claim)
                if ended is not None:
                    return Confirmed(running.suspect, ended, tuple(running.looks), _proof(running, ended))
                if running.claim is not None:
                    self._push(running, EVERY)
                    return None
            request = running.state.request
            match request:
                case Wait(seconds) | Pause(seconds):
                    time_out = seconds if isinstance(request, Wait) else self._chance.uniform(0, seconds)
                    self._put_off(running, time_out)
                    return None
                case CountChildren() if not running.suspect.rule.children.is_consistent:
                    self._for_scan.append(running)
                    return None
                case ReadParent() | CountChildren():
                    try:
                        ended = self._step(running, request)
                    except DynodeskError as fault:
                        return Confirmed(running.suspect, fault, tuple(running.looks))
            if ended is None:
                continue
            if self._witness is None or ended.verdict != "probable" or not self._witness.covers(running.suspect.rule):
                return Confirmed(running.suspect, ended, tuple(running.looks), _proof(running, ended))
            running.claim, running.until = ended, self._clock.now()

    def _heard(self, running: _Running, claim: Conclusion) -> Conclusion | None:
        """What the witness makes of a claim; None where it has to be asked again, or the claim is withdrawn."""
        says = (
            "cannot tell"
            if self._witness is None
            else self._witness.says(running.suspect, running.since, running.until)
        )
        if says == "not yet":
            return None
        running.claim = None
        running.looks.append(Look(self._clock.utc(), "Stream witness", _WITNESSED[says]))
        match says:
            case "quiet":
                reason = claim.tally.reason if claim.tally else ""
                return replace(claim, verdict="exact", witnessed=True, high=None, reason=reason)
            case "written":
                after = running.state.withdrawn()
                if isinstance(after, Conclusion):
                    return after
                running.state = after
                return None
            case _:
                return claim

    def _step(self, running: _Running, request: ReadParent | CountChildren) -> Conclusion | None:
        at = self._clock.utc()
        reply: confirm.Reply
        if isinstance(request, ReadParent):
            if self._witness is not None and running.state.before is None:
                running.since = self._witness.mark()
            reply = read_parent(self._reader, running.suspect, self._ticket)
            look = Look(at, "Parent, transactional", _parent_words(running, reply))
        else:
            reply, pages = count_children(
                self._reader, running.suspect, self._ticket, contents=request.contents, now=self._now
            )
            look = _pass_look(at, running, reply, f"{pages} page{'' if pages == 1 else 's'}")
        running.looks.append(look)
        after = running.state.after(reply)
        if isinstance(after, Conclusion):
            return self._proven(running, after)
        running.state = after
        return None

    def _proven(self, running: _Running, conclusion: Conclusion) -> Conclusion:
        """The conclusion, with the proof that one more read may give. Without that read it holds all the same."""
        if not may_be_proven(running.suspect, conclusion):
            return conclusion
        at = self._clock.utc()
        try:
            proof = prove_too_low(self._reader, running.suspect, self._ticket, now=self._now)
        except DynodeskError as fault:  # large children, for one, are more than a transaction may read
            running.looks.append(Look(at, "Parent and children, transactional", f"could not be read: {fault.message}"))
            return conclusion
        if proof is None:
            return conclusion
        running.looks.append(Look(at, f"Parent and {proof.children} children, transactional", proof.words))
        return replace(conclusion, high=proof.drift, reason=proof.words)

    def _scan(self) -> None:
        """One pass for all that wait for one of the same table. A fault in it raises: it is everybody's."""
        together = _same_scan(self._for_scan)
        self._for_scan = [running for running in self._for_scan if running not in together]
        at = self._clock.utc()
        swept = self._sweeper.pass_over(
            [(running.suspect.rule, running.suspect.captures) for running in together],
            self._pace,
            self._ticket,
            contents=_wants_contents(together[0]),
            now=self._now,
        )
        for running, seen in zip(together, swept, strict=True):
            counted = Counted(seen.amount, seen.digest, seen.problem)
            running.looks.append(_pass_look(at, running, counted, f"Scan of {running.suspect.rule.children.table}"))
            self._go_on(running, counted, after_seconds=0)

    def _put_off(self, running: _Running, seconds: float) -> None:
        request = running.state.request
        if isinstance(request, Wait):
            why = {"settle": "a half-visible transaction has settled", "in flight": "whatever was in flight has ended"}
            running.looks.append(Look(self._clock.utc(), f"Waited {seconds:g} s", why[request.why]))
        self._go_on(running, Waited(), after_seconds=seconds)

    def _go_on(self, running: _Running, reply: confirm.Reply, after_seconds: float) -> None:
        after = running.state.after(reply)
        if isinstance(after, Conclusion):
            raise TypeError(f"{reply!r} concludes nothing")
        running.state = after
        self._push(running, after_seconds)

    def _push(self, running: _Running, seconds: float) -> None:
        heapq.heappush(self._due, (self._clock.now() + seconds, next(self._turn), running))


def _proof(running: _Running, conclusion: Conclusion) -> Proof | None:
    seen, counted = running.state.before, running.state.counted
    if conclusion.verdict not in {"exact", "probable"} or seen is None:
        return None
    return Proof(seen.version, seen.fingerprint, counted[-1].digest)


def _wants_contents(running: _Running) -> bool:
    request = running.state.request
    return isinstance(request, CountChildren) and request.contents


def _same_scan(waiting: list[_Running]) -> list[_Running]:
    """Those that the Scan for the first of them serves as well."""

    def kind(running: _Running) -> tuple[str, bool]:
        return running.suspect.rule.children.table, _wants_contents(running)

    return [running for running in waiting if kind(running) == kind(waiting[0])]


def _pass_look(at: str, running: _Running, counted: Counted, read: str) -> Look:
    number = len(running.state.counted) + 1
    measured = counted.problem or _amount_words(running, counted)
    return Look(at, f"Pass {number}, strong, {read}", f"{measured} · {counted.digest[:4]}…{counted.digest[-2:]}")


def _amount_words(running: _Running, counted: Counted) -> str:
    amount = plain_digits(Decimal(counted.count))
    kind = running.suspect.rule.measure.kind
    return f"{amount} children" if kind == "count" else f"{kind} {amount}"


def _parent_words(running: _Running, reply: confirm.Reply) -> str:
    rule = running.suspect.rule
    if not isinstance(reply, ParentSeen):
        return "refused: a write transaction holds it"
    if reply.tally is None:
        return "does not exist"
    stored = "missing" if reply.tally.stored is None else readable(reply.tally.stored)
    words = f"{rule.attribute} {stored}"
    if reply.version is not None:
        words += f" · {rule.version} {plain_digits(reply.version)}"
    elif rule.version:
        words += f" · no {rule.version}"
    if running.state.before == reply:
        words += ", unchanged"
    return words
