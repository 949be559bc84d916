"""The stream as a witness: a drift without a version attribute is exact if nobody wrote while it was looked at.

A tally and its children that looked the same in every pass may have moved away and back in between. Where no record of
either was written from before the first look until after the last, they did not. The wait between the looks is longer
than anything can be in flight, so what was half done at the first look would have left a record as well, or is dead.

Records arrive late, and a stream tells no end. So the left edge is taken by the order of reading: whatever is read
after a mark may have been written after it. The right edge is what the reader of the stream states: that everything
written before a moment has been handed over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dynodesk.domain.clock import Clock
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.patterns import Captures
from dynodesk.domain.progress import Ticket
from dynodesk.domain.streams import IMAGES, OpenStream, StreamPart, StreamReader, StreamRecord
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.looking import Suspect

Says = Literal["quiet", "written", "not yet", "cannot tell"]

EVERY = 1.0
"""Seconds between two rounds over the streams."""
PATIENCE = 90.0
"""Seconds after the last look within which the stream has to show that nothing was written before it."""

_Parent = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(slots=True)
class _Stream:
    table: TableInfo
    stream: OpenStream | None = None
    caught_up: float = -math.inf
    known_from: float = -math.inf
    spoilt: int = 0
    """The mark after which records were lost, or may have been."""
    silent: str = ""
    """Why nothing more is heard from it."""


class Witness:
    """Follows the streams of the rules' tables from its first `follow` on. Not safe across threads."""

    def __init__(
        self, rules: Sequence[TallyRule], tables: Mapping[str, TableInfo], reader: StreamReader, clock: Clock
    ) -> None:
        """`tables` has those of the rules by name."""
        self._rules, self._reader, self._clock = rules, reader, clock
        self._streams = {name: _Stream(info, silent=_why_not(info, rules)) for name, info in tables.items()}
        self._written: dict[_Parent, int] = {}
        """The mark at which a parent, or one of its children, was last seen written."""
        self._mark = 0
        self._due = -math.inf

    @property
    def notes(self) -> Iterator[str]:
        """Of which tables nothing is heard, and why."""
        return (f"No stream witness for {name}: {each.silent}" for name, each in self._streams.items() if each.silent)

    def covers(self, rule: TallyRule) -> bool:
        return not any(self._streams[name].silent for name in rule.tables)

    def follow(self, ticket: Ticket) -> None:
        """Take in what is new. Cheap where it is called often. Raises `Cancelled`.

        A stream that cannot be read any more falls silent: that ends no run.
        """
        if self._clock.now() < self._due:
            return
        self._due = self._clock.now() + EVERY
        for each in self._streams.values():
            if each.silent:
                continue
            try:
                is_new = each.stream is None
                each.stream = each.stream or self._reader.open(each.table, "now", ticket)
                self._take(each, each.stream.read(ticket), is_new=is_new)
            except DynodeskError as problem:
                each.silent = problem.message

    def mark(self) -> int:
        """A place in the order of reading: to be taken before the first look."""
        self._mark += 1
        return self._mark

    def says(self, suspect: Suspect, since: int, until: float) -> Says:
        """Whether parent or children were written since a mark, up to a moment by our clock."""
        rule = suspect.rule
        if self._written.get(_parent(rule, suspect.captures), 0) >= since:
            return "written"
        streams = [self._streams[name] for name in rule.tables]
        if not self.covers(rule) or any(each.spoilt >= since for each in streams):
            return "cannot tell"
        if all(each.caught_up > until for each in streams):
            return "quiet"
        return "not yet" if self._clock.now() < until + PATIENCE else "cannot tell"

    def _take(self, each: _Stream, part: StreamPart, *, is_new: bool) -> None:
        each.caught_up = max(each.caught_up, part.caught_up)
        if part.lost or (part.known_from > each.known_from and not is_new):
            each.spoilt = self._mark
        each.known_from = max(each.known_from, part.known_from)
        for record in part.records:
            for rule in self._rules:
                for captures in _touched(rule, part.table, record):
                    self._written[_parent(rule, captures)] = self._mark


def _touched(rule: TallyRule, table: str, record: StreamRecord) -> Iterator[Captures]:
    """The parents that a record is about, whatever it changed of them or of a child of theirs."""
    if table == rule.table and (captures := rule.parent_captures(record.key)) is not None:
        yield captures
    if table == rule.children.table:
        for item in (record.key, record.old, record.new):
            if item is not None and (captures := rule.child_captures(item)) is not None:
                yield captures


def _parent(rule: TallyRule, captures: Captures) -> _Parent:
    return rule.name, tuple((name, captures[name]) for name in sorted(rule.joined))


def _why_not(table: TableInfo, rules: Sequence[TallyRule]) -> str:
    if table.stream is None:
        return "it has no stream"
    behind_index = any(rule.children.table == table.name and rule.children.index is not None for rule in rules)
    if behind_index and table.stream.view != IMAGES:
        return f"its stream carries {table.stream.view}, which does not show under which key of the index a child was"
    return ""
