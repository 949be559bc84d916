"""A `TableWriter` over the items of a `MemoryReader`: conditions and updates by their text, and scripted bad luck."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from dynodesk.domain.batches import PlainWrite, check_batch
from dynodesk.domain.errors import DynodeskError, InvalidExpression, InvalidRequest, OutcomeUnknown
from dynodesk.domain.expressions import parse_condition, parse_update
from dynodesk.domain.write_requests import expressions
from dynodesk.domain.writes import (
    Applied,
    GuardedDelete,
    GuardedMove,
    GuardedPut,
    GuardedUpdate,
    GuardedWrite,
    NotAsExpected,
)
from tests.helpers.memory_reader import MemoryReader

Luck = Literal["reply lost", "request lost", "arrives late"] | DynodeskError | None


class MemoryWriter:
    def __init__(self, reader: MemoryReader) -> None:
        self.reader = reader
        self.sent: list[GuardedWrite] = []
        self.batches: list[tuple[PlainWrite, ...]] = []
        self.leaves_out: list[int] = []
        """How many of each of the next batches are left out."""
        self.luck: list[Luck] = []
        """What happens to the next requests, in order; then nothing."""
        self.late: list[GuardedWrite] = []
        """Requests that are still on their way after their sender gave them up."""
        self.before: Callable[[], object] = _nothing
        """Called before each request arrives."""
        self.after: Callable[[], object] = _nothing

    def write(self, write: GuardedWrite) -> Applied | NotAsExpected:
        self.sent.append(write)
        self.before()
        luck = self.luck.pop(0) if self.luck else None
        if isinstance(luck, DynodeskError):
            raise luck
        if luck == "arrives late":
            self.late.append(write)
        if luck in {"request lost", "arrives late"}:
            raise OutcomeUnknown("no answer")
        outcome = self.arrive(write)
        self.after()
        if luck == "reply lost":
            raise OutcomeUnknown("no answer")
        return outcome

    def write_batch(self, table: str, writes: Sequence[PlainWrite]) -> tuple[PlainWrite, ...]:
        check_batch(writes)
        self.batches.append(tuple(writes))
        self.before()
        luck = self.luck.pop(0) if self.luck else None
        if isinstance(luck, DynodeskError):
            raise luck
        left = self.leaves_out.pop(0) if self.leaves_out else 0
        done = tuple(writes) if left == 0 else tuple(writes[:-left])
        for write in done if luck != "request lost" else ():
            if write.item is not None:
                self.reader.put(table, write.item)
            elif self.reader.get(table, write.key) is not None:
                self.reader.delete(table, write.key)
        if luck is not None:
            raise OutcomeUnknown("no answer")
        return tuple(writes[len(done) :])

    def arrive(self, write: GuardedWrite) -> Applied | NotAsExpected:
        if isinstance(write, GuardedMove):
            return self._arrive_both(write)
        words = expressions(write)
        item = self.reader.get(write.table, write.key)
        if not parse_condition(words.condition, words.names, words.values).holds(item or {}):
            return NotAsExpected(item)
        match write:
            case GuardedDelete():
                self.reader.delete(write.table, write.key)
                return Applied(None)
            case GuardedPut():
                changed = write.item
            case GuardedUpdate():
                change = parse_update(words.update, words.names, words.values)
                try:
                    changed = change.apply(item or dict(write.key))
                except InvalidExpression as problem:
                    raise InvalidRequest(problem.message) from problem
        self.reader.put(write.table, changed)
        return Applied(changed)

    def _arrive_both(self, move: GuardedMove) -> Applied | NotAsExpected:
        target = self.reader.get(move.put.table, move.put.key)
        deleted = self.arrive(move.delete) if target is None else NotAsExpected(target, at_target=True)
        return deleted if isinstance(deleted, NotAsExpected) else self.arrive(move.put)


def _nothing() -> None:
    pass
