"""What every tool that looks for drift does: read the parent, count key by key, write under guard."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tests.reconcile.model.world import PARENT, Scene, World

Field = Literal["tally", "version", "marker", "children"]


class Seen(NamedTuple):
    """What one read of the parent showed."""

    exists: bool
    tally: int | None
    version: int
    marker: int


class Claim(NamedTuple):
    """What a tool says in the end: a verdict of ours, `drift` of a naive tool, or `nothing`."""

    verdict: str
    low: int = 0
    high: int = 0
    """The ends of the drift. Of orphans: both are their number."""

    def __str__(self) -> str:
        amount = f"{self.low:+d}" if self.low == self.high else f"{self.low:+d}…{self.high:+d}"
        return self.verdict if self.verdict in {"ok", "nothing", "busy", "gone"} else f"{self.verdict} {amount}"


class Looking(NamedTuple):
    """A tool in the middle of a look. What `state` means is the tool's own affair."""

    state: int
    waits_for: frozenset[int] = frozenset()
    """Writers that must end, or show in full, before the wait under way is over."""
    at: int = -1
    """The key that the pass under way reads next; -1 between passes."""
    counted: frozenset[str] = frozenset()
    """The children that this pass, or between passes the last one, has seen."""


class Repairing(NamedTuple):
    """A tool about to write: the tally changes if the guarded fields are as seen."""

    claim: Claim
    seen: Seen
    counted: frozenset[str]
    taken: tuple[int, ...] = ()
    """What each request so far took from the tally: more than one where a reply was lost and the request sent again."""


class End(NamedTuple):
    claim: Claim
    repaired: int | None = None
    """What it took from the tally in all; None where it wrote nothing."""


Position = Looking | Repairing | End
START = Looking(0)
Move = tuple[str, World, Position]


def look(world: World) -> Seen:
    return Seen(world.exists, world.tally, world.version, world.marker)


@dataclass(frozen=True)
class Repair:
    guard: tuple[Field, ...]
    """What must be as seen: of `children`, all that were counted must still exist."""
    sets_count: bool = False
    """Whether the tally is set to what was counted; otherwise the drift is subtracted."""
    replies_lost: int = 0

    def steps(self, world: World, position: Repairing) -> Iterator[Move]:
        if PARENT in world.held:
            return  # the service refuses, and it is sent again later
        taken = position.taken
        if not self._holds(world, position):
            yield "is refused the repair", world, End(position.claim, sum(taken) if taken else None)
            return
        tally = world.tally or 0
        amount = tally - len(position.counted) if self.sets_count else position.claim.low
        repaired = world._replace(tally=tally - amount, version=world.version + 1, marker=world.marker + 1)
        taken = (*taken, amount)
        if len(taken) <= self.replies_lost:
            yield "repairs, the reply is lost", repaired, position._replace(taken=taken)
        else:
            yield "repairs", repaired, End(position.claim, sum(taken))

    def _holds(self, world: World, position: Repairing) -> bool:
        now, seen = look(world), position.seen
        holds: dict[Field, bool] = {
            "tally": now.tally == seen.tally,
            "version": now.version == seen.version,
            "marker": now.marker == seen.marker,
            "children": position.counted <= world.children,
        }
        return all(holds[name] for name in self.guard)


class Tool(ABC):
    """A protocol. Every move is one request, which the table serves at one instant."""

    name: str
    repair: Repair | None
    ok_is_certain: bool = False
    """Whether `ok` is meant to hold whatever writers do that keep tally, children and version in step."""

    @abstractmethod
    def _between(self, scene: Scene, world: World, position: Looking) -> Iterator[Move]:
        """The moves outside of a pass over the children."""

    @abstractmethod
    def _counted(self, scene: Scene, world: World, position: Looking) -> Position:
        """Where the tool stands after a pass."""

    def moves(self, scene: Scene, world: World, position: Position) -> Iterator[Move]:
        match position:
            case Looking(at=-1):
                yield from self._between(scene, world, position)
            case Looking():
                key = scene.keys[position.at]
                counted = position.counted | {key} if key in world.children else position.counted
                then = position._replace(at=position.at + 1, counted=counted)
                yield f"reads {key}", world, (self._counted(scene, world, then) if then.at == len(scene.keys) else then)
            case Repairing() if self.repair is not None:
                yield from self.repair.steps(world, position)
            case _:
                pass
