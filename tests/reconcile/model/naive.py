"""Protocols that tools have been built on, from none to nearly right. They show that the checker finds mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from tests.reconcile.model.tools import START, Claim, End, Looking, Move, Position, Repair, Repairing, Seen, Tool, look
from tests.reconcile.model.world import PARENT, Scene, World

Fence = Literal["tally", "version", "marker"]


@dataclass(frozen=True)
class Progress:
    """Where a naive tool stands between two requests."""

    seen: Seen | None = None
    passes: tuple[frozenset[str], ...] = ()


@dataclass(eq=False)
class Naive(Tool):
    """Reads the parent, counts the children one or more times, and writes."""

    name: str
    repair: Repair | None
    fence: tuple[Fence, ...] = ()
    """What must be the same when the parent is read again after each pass; nothing: it is not read again."""
    is_transactional: bool = False
    """Whether the parent is read in transactional reads."""
    settles: bool = False
    """Whether it waits, after the first read, for what is half visible then."""
    passes: int = 1
    """How many passes must see the same children."""
    outlasts: bool = False
    """Whether it waits, between passes, for what is in flight."""
    _states: list[Progress] = field(init=False, default_factory=lambda: [Progress()])
    _numbers: dict[Progress, int] = field(init=False, default_factory=lambda: {Progress(): START.state})

    def _between(self, scene: Scene, world: World, position: Looking) -> Iterator[Move]:
        progress = self._states[position.state]
        if position.waits_for:
            if not position.waits_for & scene.in_flight(world):
                yield "has waited", world, self._checked(world, position.state)
        elif self.is_transactional and PARENT in world.held:
            return  # refused, and read again later
        elif progress.seen is None:
            begun = self._number(Progress(look(world)))
            yield "reads the parent", world, self._pass(begun, scene.half_visible(world) if self.settles else None)
        else:
            yield "reads the parent again", world, self._judged(scene, world, position.state)

    def _counted(self, scene: Scene, world: World, position: Looking) -> Position:
        progress = self._states[position.state]
        state = self._number(Progress(progress.seen, (*progress.passes, position.counted)))
        return Looking(state) if self.fence else self._judged(scene, world, state)

    def _judged(self, scene: Scene, world: World, state: int) -> Position:
        seen, passes = self._states[state].seen, self._states[state].passes
        assert seen is not None
        if self._has_moved(seen, world) or len(set(passes)) > 1:
            return End(Claim("nothing"))
        if len(passes) < self.passes:
            return self._pass(state, scene.in_flight(world) if self.outlasts else None)
        drift = (seen.tally or 0) - len(passes[-1])
        claim = Claim("drift", drift, drift)
        if drift == 0:
            return End(Claim("nothing"))
        return Repairing(claim, seen, passes[-1]) if self.repair is not None else End(claim)

    def _checked(self, world: World, state: int) -> Position:
        """A wait is over: the parent is read in the same moment, for the sake of a smaller model."""
        seen = self._states[state].seen
        return End(Claim("nothing")) if seen and self._has_moved(seen, world) else Looking(state, at=0)

    def _has_moved(self, seen: Seen, world: World) -> bool:
        now = look(world)
        return any(getattr(now, name) != getattr(seen, name) for name in self.fence)

    def _pass(self, state: int, waits_for: frozenset[int] | None) -> Looking:
        return Looking(state, waits_for) if waits_for else Looking(state, at=0)

    def _number(self, progress: Progress) -> int:
        if progress not in self._numbers:
            self._numbers[progress] = len(self._states)
            self._states.append(progress)
        return self._numbers[progress]
