"""One parent, its children, and writers that change them in steps that others may see in between."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

PARENT = "parent"
"""The parent's name among the items that a transaction holds."""


class Stage(NamedTuple):
    """How far a writer is."""

    name: str
    pending: frozenset[str] = frozenset()
    """Of a transaction: the items in which it does not show yet."""
    read: int = 0
    """Of a read-modify-write: the tally it read."""


READY, HALF, DONE = Stage("ready"), Stage("half"), Stage("done")


class World(NamedTuple):
    """The table at one instant."""

    exists: bool
    """Whether there is a parent item."""
    tally: int | None
    version: int
    marker: int
    """Raised by a repair, and by nobody else."""
    children: frozenset[str]
    held: frozenset[str]
    """Items that a transaction holds: writes to them conflict, transactional reads of them are refused."""
    stages: tuple[Stage, ...]

    def at(self, writer: int, stage: Stage) -> World:
        return self._replace(stages=(*self.stages[:writer], stage, *self.stages[writer + 1 :]))

    def added(self, amount: int, raises: int = 1) -> World:
        """ADD to tally and version: a tally that is missing starts from zero."""
        return self._replace(tally=(self.tally or 0) + amount, version=self.version + raises)


class Truth(NamedTuple):
    """What an observer outside of time says at one instant, every operation under way taken as finished."""

    kind: str
    """`drift`, `orphans` (the parent does not exist), or `incomparable` (it has no number)."""
    amount: int = 0
    """Of drift: stored minus real. Of orphans: how many children there are."""


Step = tuple[str, World]


@dataclass(frozen=True)
class Writer(ABC):
    """Puts (`sign` +1) or deletes (-1) a child, and changes the tally by as much."""

    key: str
    sign: int = 1

    in_step = False
    """Whether tally and children agree whenever nothing is under way, and the version tells of every change."""

    @abstractmethod
    def steps(self, world: World, me: int) -> Iterator[Step]: ...

    def start(self) -> Stage:
        return READY

    def owed(self, stage: Stage) -> tuple[int, int]:
        """What the tally and the number of children will still change by when the operation under way ends."""
        return 0, 0

    def fits(self, world: World) -> bool:
        """Whether the child is there to be deleted, or not there to be put, and free."""
        return self.key not in world.held and (self.key in world.children) != (self.sign > 0)

    def changed(self, world: World) -> World:
        children = world.children | {self.key} if self.sign > 0 else world.children - {self.key}
        return world._replace(children=children)

    def __str__(self) -> str:
        return f"{type(self).__name__} {'+' if self.sign > 0 else '-'}{self.key}"


@dataclass(frozen=True)
class Transaction(Writer):
    """Prepares all items at once, then shows its change in one after the other, in any order."""

    more: tuple[str, ...] = ()
    """Further children that the same transaction puts or deletes."""
    raises: int = 1
    """What it raises the version by."""

    in_step = True

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.key, *self.more)

    def steps(self, world: World, me: int) -> Iterator[Step]:
        stage = world.stages[me]
        if stage == READY:
            items = frozenset((PARENT, *self.keys))
            if world.exists and not world.held & items and self.fits(world):
                yield "prepares", world._replace(held=world.held | items).at(me, Stage("committing", items))
            return
        for item in sorted(stage.pending):
            left = stage.pending - {item}
            then = world._replace(held=world.held - {item}).at(me, Stage("committing", left) if left else DONE)
            if item == PARENT:
                yield "shows in the parent", then.added(self.sign * len(self.keys), self.raises)
            else:
                children = then.children | {item} if self.sign > 0 else then.children - {item}
                yield f"shows in {item}", then._replace(children=children)

    def owed(self, stage: Stage) -> tuple[int, int]:
        tally = self.sign * len(self.keys) if PARENT in stage.pending else 0
        return tally, self.sign * len(stage.pending - {PARENT})


@dataclass(frozen=True)
class Stuck(Transaction):
    """A transaction that prepared before the world began, and stays so."""

    def start(self) -> Stage:
        return Stage("committing", frozenset((PARENT, *self.keys)))

    def steps(self, world: World, me: int) -> Iterator[Step]:
        yield from ()


@dataclass(frozen=True)
class AtOnce(Writer):
    """A transaction that shows in all items at the same moment."""

    in_step = True

    def steps(self, world: World, me: int) -> Iterator[Step]:
        if world.stages[me] == READY and PARENT not in world.held and world.exists and self.fits(world):
            yield "writes", self.changed(world).added(self.sign).at(me, DONE)


@dataclass(frozen=True)
class ChildFirst(Writer):
    """Two calls: the child, and later the tally."""

    def steps(self, world: World, me: int) -> Iterator[Step]:
        if world.stages[me] == READY and self.fits(world):
            yield "changes the child", self.changed(world).at(me, HALF)
        if world.stages[me] == HALF and world.exists and PARENT not in world.held:
            yield "adds to the tally", world.added(self.sign).at(me, DONE)

    def owed(self, stage: Stage) -> tuple[int, int]:
        return (self.sign if stage == HALF else 0), 0


@dataclass(frozen=True)
class TallyFirst(Writer):
    """Two calls: the tally, and later the child."""

    def steps(self, world: World, me: int) -> Iterator[Step]:
        if world.stages[me] == READY and world.exists and PARENT not in world.held and self.fits(world):
            yield "adds to the tally", world.added(self.sign).at(me, HALF)
        if world.stages[me] == HALF and self.key not in world.held:
            yield "changes the child", self.changed(world).at(me, DONE)

    def owed(self, stage: Stage) -> tuple[int, int]:
        return 0, (self.sign if stage == HALF else 0)


@dataclass(frozen=True)
class Crashed(Writer):
    """Changes the child and dies before the tally: real drift from that moment on."""

    def steps(self, world: World, me: int) -> Iterator[Step]:
        if world.stages[me] == READY and self.fits(world):
            yield "changes the child and dies", self.changed(world).at(me, DONE)


@dataclass(frozen=True)
class ReadModifyWrite(Writer):
    """Reads the tally and later writes one more than it read, whatever was written in between."""

    def steps(self, world: World, me: int) -> Iterator[Step]:
        stage = world.stages[me]
        if stage == READY:
            yield "reads the tally", world.at(me, Stage("read", read=world.tally or 0))
        elif stage != DONE and PARENT not in world.held:
            written = self.changed(world)._replace(tally=stage.read + self.sign, version=world.version + 1)
            yield "writes what it computed", written.at(me, DONE)


@dataclass(frozen=True)
class DeletesParent(Writer):
    """Deletes the parent item and leaves the children."""

    key: str = PARENT
    sign: int = -1

    def steps(self, world: World, me: int) -> Iterator[Step]:
        if world.stages[me] == READY and world.exists and PARENT not in world.held:
            yield "deletes it", world._replace(exists=False, tally=None, version=0).at(me, DONE)


@dataclass(frozen=True)
class CreatesParent(Writer):
    """Puts a parent item with a tally of zero."""

    key: str = PARENT

    def steps(self, world: World, me: int) -> Iterator[Step]:
        if world.stages[me] == READY and not world.exists:
            yield "creates it", world._replace(exists=True, tally=0, version=1).at(me, DONE)


@dataclass(frozen=True)
class Scene:
    """A world to begin with, who writes to it, and how many tools look at it."""

    name: str
    keys: str
    """One letter for each child that can exist, in key order."""
    children: str
    """Those that exist at the beginning."""
    tally: int | None
    writers: tuple[Writer, ...] = ()
    tools: int = 1
    exists: bool = True
    is_text: bool = False
    """Whether the tally is stored as a String."""
    missing_is_zero: bool = False

    def begin(self) -> World:
        stages = tuple(writer.start() for writer in self.writers)
        held = frozenset(item for stage in stages for item in stage.pending)
        return World(self.exists, self.tally, 7 if self.exists else 0, 0, frozenset(self.children), held, stages)

    def half_visible(self, world: World) -> frozenset[int]:
        """Transactions whose change shows in the parent, and in a child not yet."""
        return frozenset(i for i, stage in enumerate(world.stages) if stage.pending and PARENT not in stage.pending)

    def in_flight(self, world: World) -> frozenset[int]:
        """Writers that have begun and not ended."""
        return frozenset(i for i, stage in enumerate(world.stages) if stage not in {READY, DONE})

    def truth(self, world: World) -> Truth:
        tally, children = world.tally, len(world.children)
        for writer, stage in zip(self.writers, world.stages, strict=True):
            owed_tally, owed_children = writer.owed(stage)
            children += owed_children
            tally = None if tally is None else tally + owed_tally
        if not world.exists:
            return Truth("orphans", children)
        if self.is_text or (tally is None and not self.missing_is_zero):
            return Truth("incomparable")
        return Truth("drift", (tally or 0) - children)
