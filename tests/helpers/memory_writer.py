"""An `ItemWriter` over the items of a `MemoryReader`: conditions and updates by their text, and scripted bad luck."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from dynodesk.domain.errors import DynodeskError, InvalidExpression, InvalidRequest, OutcomeUnknown
from dynodesk.domain.expressions import parse_condition, parse_update
from dynodesk.domain.values import Item
from dynodesk.domain.writes import Applied, GuardedUpdate, NotAsExpected, expressions
from tests.helpers.memory_reader import MemoryReader

Luck = Literal["reply lost", "request lost", "arrives late"] | DynodeskError | None


class MemoryWriter:
    def __init__(self, reader: MemoryReader) -> None:
        self.reader = reader
        self.sent: list[GuardedUpdate] = []
        self.luck: list[Luck] = []
        """What happens to the next requests, in order; then nothing."""
        self.late: list[GuardedUpdate] = []
        """Requests that are still on their way after their sender gave them up."""
        self.before: Callable[[], object] = _nothing
        """Called before each request arrives."""
        self.after: Callable[[], object] = _nothing

    def update(self, update: GuardedUpdate) -> Applied | NotAsExpected:
        self.sent.append(update)
        self.before()
        luck = self.luck.pop(0) if self.luck else None
        if isinstance(luck, DynodeskError):
            raise luck
        if luck == "arrives late":
            self.late.append(update)
        if luck in {"request lost", "arrives late"}:
            raise OutcomeUnknown("no answer")
        outcome = self.arrive(update)
        self.after()
        if luck == "reply lost":
            raise OutcomeUnknown("no answer")
        return outcome

    def arrive(self, update: GuardedUpdate) -> Applied | NotAsExpected:
        words = expressions(update)
        item = self.reader.get(update.table, update.key)
        condition = parse_condition(words.condition, words.names, words.values)
        if not condition.holds(item or {}):
            return NotAsExpected(item)
        change = parse_update(words.update, words.names, words.values)
        try:
            changed: Item = change.apply(item or dict(update.key))
        except InvalidExpression as problem:
            raise InvalidRequest(problem.message) from problem
        self.reader.put(update.table, changed)
        return Applied({path.names[0]: changed[path.names[0]] for path in (*update.add, *update.put)})


def _nothing() -> None:
    pass
