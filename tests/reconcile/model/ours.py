"""Our protocol as a tool of the model: the real state machine, one request at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from dynodesk.domain.tallies import Tally
from dynodesk.domain.tries import Pause, Waited
from dynodesk.domain.values import Number, String
from dynodesk.reconcile.confirm import (
    Conclusion,
    Confirmation,
    CountChildren,
    Counted,
    ParentSeen,
    Protocol,
    ReadParent,
    Refused,
    Reply,
    Wait,
)
from tests.reconcile.model.tools import Claim, End, Looking, Move, Position, Repair, Repairing, Seen, Tool, look
from tests.reconcile.model.world import PARENT, Scene, World

Answer = Seen | frozenset[str] | Literal["refused", "waited"]
"""A reply in the model's terms: the parent, the children counted, or a word."""


@dataclass(eq=False)
class Ours(Tool):
    """`Confirmation`, and where there is a repair, the write after an exact verdict.

    After `tries` tries a writer takes hold of the parent for good: what the machine says then is its verdict.
    """

    name: str
    protocol: Protocol
    repair: Repair | None = None
    version: Literal["shown", "frozen", "none"] = "shown"
    """What the tool sees of the version: `frozen` is one that writers do not raise."""
    shows_marker: bool = False
    """Whether the marker of repairs is part of the item, and so of its fingerprint."""
    compares_digests: bool = True
    tries: int = 1
    _machines: list[Confirmation] = field(init=False, default_factory=list)
    _numbers: dict[Confirmation, int] = field(init=False, default_factory=dict)
    _known: dict[tuple[Scene, int, Answer], int | Conclusion] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.ok_is_certain = self.version == "shown"
        self._number(Confirmation(self.protocol))

    def _between(self, scene: Scene, world: World, position: Looking) -> Iterator[Move]:
        match self._machines[position.state].request:
            case ReadParent():
                answer: Answer = "refused" if PARENT in world.held else look(world)
                yield "reads the parent", world, self._after(scene, world, position.state, answer)
            case Wait() if not position.waits_for & scene.in_flight(world):
                yield "has waited", world, self._after(scene, world, position.state, "waited")
            case _:
                pass

    def _counted(self, scene: Scene, world: World, position: Looking) -> Position:
        return self._after(scene, world, position.state, position.counted)

    def _after(self, scene: Scene, world: World, state: int, answer: Answer) -> Position:
        then = self._advanced(scene, state, answer)
        if isinstance(then, Conclusion):
            claim = _claim(then)
            is_repaired = self.repair is not None and then.verdict in {"exact", "probable"}
            return Repairing(claim, look(world), frozenset()) if is_repaired else End(claim)
        match self._machines[then].request:
            case CountChildren():
                return Looking(then, at=0)
            case Wait(why=why):
                waits_for = scene.half_visible(world) if why == "settle" else scene.in_flight(world)
                # With nothing to outlast, the wait may end at once; that the next step comes later is explored anyway.
                return Looking(then, waits_for) if waits_for else self._after(scene, world, then, "waited")
            case _:
                return Looking(then)

    def _advanced(self, scene: Scene, state: int, answer: Answer) -> int | Conclusion:
        # States of the model hold a machine by its number: hashing one for each of them would cost most of the time.
        known = self._known.get((scene, state, answer))
        if known is None:
            then = self._machines[state].after(self._reply(scene, answer))
            while isinstance(then, Confirmation) and isinstance(then.request, Pause):
                then = _given_up(then) if then.tries == self.tries else then.after(Waited())
            known = then if isinstance(then, Conclusion) else self._number(then)
            self._known[scene, state, answer] = known
        return known

    def _number(self, machine: Confirmation) -> int:
        if machine not in self._numbers:
            self._numbers[machine] = len(self._machines)
            self._machines.append(machine)
        return self._numbers[machine]

    def _reply(self, scene: Scene, answer: Answer) -> Reply:
        match answer:
            case Seen(exists=False):
                return ParentSeen(None)
            case Seen():
                version = {"shown": Decimal(answer.version), "frozen": Decimal(0), "none": None}[self.version]
                return ParentSeen(_tally(scene, answer), version, str(answer.marker) if self.shows_marker else "")
            case frozenset():
                return Counted(len(answer), "".join(sorted(answer)) if self.compares_digests else "")
            case "refused":
                return Refused()
            case "waited":
                return Waited()


def _tally(scene: Scene, seen: Seen) -> Tally:
    if seen.tally is None:
        return Tally(None, Decimal(0) if scene.missing_is_zero else None, "missing")
    text = str(seen.tally)
    return Tally(String(text), None, "a text") if scene.is_text else Tally(Number(text), Decimal(text))


def _given_up(machine: Confirmation) -> Conclusion:
    """What the machine says if from now on every read of the parent is refused."""
    then: Confirmation | Conclusion = machine
    while isinstance(then, Confirmation):
        then = then.after(Waited() if isinstance(then.request, Pause) else Refused())
    return then


def _claim(conclusion: Conclusion) -> Claim:
    match conclusion:
        case Conclusion(verdict="exact" | "probable", drift=Decimal() as drift):
            return Claim(conclusion.verdict, int(drift), int(drift))
        case Conclusion(verdict="bounded", low=Decimal() as low, high=Decimal() as high):
            return Claim("bounded", int(low), int(high))
        case Conclusion(verdict="orphans", real=int(real)):
            return Claim("orphans", real, real)
        case _:
            return Claim(conclusion.verdict)
