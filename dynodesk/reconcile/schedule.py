"""Confirms many suspects side by side: while one waits, others are looked at."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dynodesk.domain.clock import Clock
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.findings import Look
from dynodesk.domain.item_json import readable
from dynodesk.domain.ports import PageReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import plain_digits
from dynodesk.reconcile import confirm
from dynodesk.reconcile.confirm import Conclusion, Confirmation, CountChildren, ParentSeen, Pause, ReadParent, Wait
from dynodesk.reconcile.looking import Suspect, count_children, read_parent


@dataclass(frozen=True, slots=True)
class Confirmed:
    """One suspect's end: a conclusion, or the fault that kept us from one."""

    suspect: Suspect
    outcome: Conclusion | DynodeskError
    looks: tuple[Look, ...]


@dataclass(slots=True)
class _Running:
    suspect: Suspect
    state: Confirmation
    looks: list[Look] = field(default_factory=list)


class Schedule:
    """Runs confirmations over one reader. Use it once: `confirmed` yields each suspect when it is decided.

    A confirmation that is due goes before one that has not begun, so that the time between the looks at one parent
    stays short however many there are.
    """

    def __init__(self, reader: PageReader, clock: Clock, chance: random.Random, ticket: Ticket) -> None:
        self._reader, self._clock, self._chance, self._ticket = reader, clock, chance, ticket
        self._due: list[tuple[float, int, _Running]] = []
        self._turn = itertools.count()

    @property
    def waiting(self) -> int:
        """Confirmations that have begun and wait for their time."""
        return len(self._due)

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
            if self._due and self._due[0][0] <= self._clock.now():
                return heapq.heappop(self._due)[2]
            suspect = next(fresh, None)
            if suspect is not None:
                return _Running(suspect, Confirmation(confirm.Protocol.of(suspect.rule)))
            if not self._due:
                return None
            self._clock.sleep(max(0.0, self._due[0][0] - self._clock.now()), self._ticket)

    def _advance(self, running: _Running) -> Confirmed | None:
        """Everything up to the next wait, or to the end."""
        while True:
            self._ticket.checkpoint()
            request = running.state.request
            match request:
                case Wait(seconds) | Pause(seconds):
                    time_out = seconds if isinstance(request, Wait) else self._chance.uniform(0, seconds)
                    self._put_off(running, time_out)
                    return None
                case ReadParent() | CountChildren():
                    try:
                        ended = self._step(running, request)
                    except DynodeskError as fault:
                        return Confirmed(running.suspect, fault, tuple(running.looks))
            if ended is not None:
                return Confirmed(running.suspect, ended, tuple(running.looks))

    def _step(self, running: _Running, request: ReadParent | CountChildren) -> Conclusion | None:
        at = self._clock.utc()
        reply: confirm.Reply
        if isinstance(request, ReadParent):
            reply = read_parent(self._reader, running.suspect, self._ticket)
            what, result = "Parent, transactional", _parent_words(running, reply)
        else:
            reply, pages = count_children(self._reader, running.suspect, self._ticket, contents=request.contents)
            number = len(running.state.counted) + 1
            what = f"Pass {number}, strong, {pages} page{'' if pages == 1 else 's'}"
            result = f"{reply.count} children · {reply.digest[:4]}…{reply.digest[-2:]}"
        running.looks.append(Look(at, what, result))
        after = running.state.after(reply)
        if isinstance(after, Conclusion):
            return after
        running.state = after
        return None

    def _put_off(self, running: _Running, seconds: float) -> None:
        request = running.state.request
        if isinstance(request, Wait):
            why = {"settle": "a half-visible transaction has settled", "in flight": "whatever was in flight has ended"}
            running.looks.append(Look(self._clock.utc(), f"Waited {seconds:g} s", why[request.why]))
        after = running.state.after(confirm.Waited())
        if isinstance(after, Conclusion):
            raise TypeError("a wait concludes nothing")
        running.state = after
        heapq.heappush(self._due, (self._clock.now() + seconds, next(self._turn), running))


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
