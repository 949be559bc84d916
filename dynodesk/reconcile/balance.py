"""One tally and its children as a stream shows them moving: what moves on one side has to move on the other in time.

A child more, and a tally that falls, leave children uncounted; a child less, and a tally that rises, make up for it.
Every right operation comes out even within a certain time, in whatever order its writes are made, and whether it
counts each child or the sum of several. Then the oldest lack and the oldest surplus can be put together as well, and
none of them is older than that: whatever is left alone by that for longer was never made up for, by any operation.
Which write it most likely was is another matter: one that is left when tallies and children are put together with the
latest of the other.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from dynodesk.domain.streams import StreamRecord
from dynodesk.domain.values import EXACT

Side = Literal["child", "tally"]
SIDES: tuple[Side, Side] = ("child", "tally")


@dataclass(frozen=True, slots=True)
class Change:
    """By how much one record moved the tally, or what it should be. Never by nothing."""

    side: Side
    table: str
    record: StreamRecord
    amount: Decimal
    words: str
    """What happened, in a clause: `went from 3 to 4`, `deleted`."""

    @property
    def lack(self) -> Decimal:
        """By how much fewer children are counted than before; below zero where more are."""
        return self.amount if self.side == "child" else self.amount.copy_negate()


@dataclass(slots=True)
class _Open:
    at: float
    lack: Decimal
    """What is not made up for yet, with its sign."""
    change: Change


@dataclass(frozen=True, slots=True)
class Alone:
    """A change that nothing made up for."""

    change: Change
    drift: Decimal
    """By how much the tally is off through it: stored minus real."""

    @property
    def left(self) -> Decimal:
        """The part of the change's amount that was not answered."""
        return self.drift if self.change.side == "tally" else self.drift.copy_negate()


@dataclass(slots=True)
class Balance:
    """Of one parent. `is_settled`: nothing from before it was begun can answer, or call for an answer, any more."""

    is_settled: bool
    last: float = 0.0
    """When the last change was made."""
    is_awaited: bool = False
    """Whether somebody will look for what is overdue."""
    _uneven: deque[_Open] = field(default_factory=deque)
    """What is left when the oldest are put together: all of one sign."""
    _unpaired: list[_Open] = field(default_factory=list)
    """What is left when each is put together with the latest of the other side."""

    def add(self, change: Change) -> None:
        opened = _Open(change.record.at, change.lack, change)
        while opened.lack and self._uneven and _are_opposite(self._uneven[0], opened):
            if _settle(self._uneven[0], opened):
                self._uneven.popleft()
        if opened.lack:
            self._uneven.append(opened)
        opened = _Open(change.record.at, change.lack, change)
        for other in reversed(tuple(self._unpaired)):
            if opened.lack and other.change.side != change.side and _are_opposite(other, opened):
                _settle(other, opened)
        self._unpaired = [one for one in (*self._unpaired, opened) if one.lack]

    def forget(self) -> int:
        """Give up what is open; how many changes that were."""
        number = len(self._uneven)
        self._uneven.clear()
        self._unpaired.clear()
        return number

    def forgive_surplus(self) -> None:
        """Ask for no answer to children deleted. Of a parent that is gone."""
        self._uneven = deque(one for one in self._uneven if one.lack > 0)
        self._unpaired = [one for one in self._unpaired if one.lack > 0]

    @property
    def oldest(self) -> float | None:
        """When the oldest change was made that nothing made up for yet."""
        return self._uneven[0].at if self._uneven else None

    def pair_off(self, before: float) -> None:
        """Put together what was changed before a moment on one side and undone there, and then across the sides.

        So a consumer writes the sum of several changes. Each goes with the latest contrary one before it.
        """
        old = sorted((one for one in self._unpaired if one.at < before), key=lambda one: one.at)
        for group in ([one for one in old if one.change.side == side] for side in SIDES):
            _undo(group)
        _undo(old)
        self._unpaired = [one for one in self._unpaired if one.lack]

    def overdue(self, before: float) -> tuple[Alone, ...]:
        """What was changed before a moment and not made up for, taken out; the oldest first."""
        late = Decimal(0)
        while self._uneven and self._uneven[0].at < before:
            late = EXACT.add(late, self._uneven.popleft().lack)
        self.pair_off(before)
        found = []
        for one in sorted(self._unpaired, key=lambda one: one.at):
            if late and (one.lack > 0) == (late > 0):
                part = min(late.copy_abs(), one.lack.copy_abs()).copy_sign(late)
                late, one.lack = EXACT.subtract(late, part), EXACT.subtract(one.lack, part)
                found.append(Alone(one.change, part.copy_negate()))
        self._unpaired = [one for one in self._unpaired if one.lack]
        return tuple(found)


def _undo(in_time: list[_Open]) -> None:
    waiting: list[_Open] = []
    for one in in_time:
        while one.lack and waiting and _are_opposite(waiting[-1], one):
            if _settle(waiting[-1], one):
                waiting.pop()
        if one.lack:
            waiting.append(one)


def _are_opposite(one: _Open, other: _Open) -> bool:
    return (one.lack > 0) != (other.lack > 0)


def _settle(one: _Open, other: _Open) -> bool:
    """Let two opposite ones make up for each other; whether nothing of the first is left."""
    part = min(one.lack.copy_abs(), other.lack.copy_abs())
    one.lack = EXACT.subtract(one.lack, part.copy_sign(one.lack))
    other.lack = EXACT.subtract(other.lack, part.copy_sign(other.lack))
    return not one.lack
