"""Live watch: the streams of the rules' tables are followed, and a write that leaves a tally wrong is named.

The engine is pure: parts of streams in, notices out. It knows no clock but the service's, as the records and the parts
tell it. Nothing is said to be missing before its time is up and everything that was written by then has been read; and
nothing is said of changes whose other half may have been written before the watch began, or into a gap.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from dynodesk.domain.clock import Clock, duration
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.findings import signed
from dynodesk.domain.item_json import readable
from dynodesk.domain.measures import Total
from dynodesk.domain.patterns import Captures
from dynodesk.domain.ports import TableCatalog
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.streams import OpenStream, Start, StreamPart, StreamReader, StreamRecord, check_images
from dynodesk.domain.tables import Key
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import EXACT, Item, Number, plain_digits, type_word
from dynodesk.reconcile.balance import Alone, Balance, Change
from dynodesk.reconcile.causes import cause_of_notice
from dynodesk.reconcile.notices import Notice, NoticeKind

ROUNDED = 2.0
"""Seconds by which two times of records may be apart more than the changes were: each leaves out up to one second."""
TOGETHER = 2.0
"""Seconds for which something overdue is kept, so that what was written with it becomes overdue as well."""
BETWEEN_ROUNDS = 0.25
"""Seconds between two rounds over all streams. Each shard has its own pace, which is slower."""

_Parent = tuple[tuple[str, str], ...]


def why_not_watched(rule: TallyRule) -> str:
    """Why a rule cannot be followed change by change; empty where it can."""
    if rule.measure.kind == "distinct":
        return "whether a child is another one of its kind does not show in the change itself"
    return ""


class Watch:
    """Follows rules. `within`: seconds that the other half of a change has, if less than a rule's `wait`."""

    def __init__(self, rules: Sequence[TallyRule], within: float | None = None) -> None:
        self._followed = [_Followed(rule, time_for(rule, within)) for rule in rules if not why_not_watched(rule)]
        self.records = 0

    @property
    def tables(self) -> frozenset[str]:
        return frozenset(table for each in self._followed for table in each.rule.tables)

    @property
    def open(self) -> int:
        """Changes that are too young to be judged."""
        return sum(each.open for each in self._followed)

    @property
    def unknown(self) -> int:
        """Changes that were not judged: their other half may lie before the watch, or in a gap."""
        return sum(each.unknown for each in self._followed)

    def take(self, part: StreamPart) -> tuple[Notice, ...]:
        self.records += len(part.records)
        return tuple(notice for each in self._followed if part.table in each.rule.tables for notice in each.take(part))


def time_for(rule: TallyRule, within: float | None) -> float:
    """Seconds that one half of a change of a rule has to follow the other."""
    return rule.wait if within is None else min(rule.wait, within)


def open_streams(
    watch: Watch, catalog: TableCatalog, reader: StreamReader, start: Start, ticket: Ticket
) -> list[OpenStream]:
    """The streams that a watch follows. Raises `InvalidRequest` where a table has none that tells enough."""
    tables = [catalog.describe(name, ticket) for name in sorted(watch.tables)]
    for table in tables:
        check_images(table)
    return [reader.open(table, start, ticket) for table in tables]


def follow(
    watch: Watch,
    streams: Sequence[OpenStream],
    clock: Clock,
    ticket: Ticket,
    seconds: float | None = None,
) -> Iterator[Notice]:
    """Notices as they come, for some seconds or until cancelled. Raises `Cancelled`, and what `OpenStream` raises."""
    began = clock.now()
    while True:
        for stream in streams:
            yield from watch.take(stream.read(ticket))
        if seconds is not None and clock.now() - began >= seconds:
            return
        ticket.checkpoint(Progress(watch.records, note=f"Watching, {watch.open:,} changes open, records"))
        clock.sleep(BETWEEN_ROUNDS, ticket)


@dataclass(frozen=True, slots=True)
class _Move:
    """What one record does to one parent. `begins` and `ends`: the parent is put where there was none, or deleted."""

    parent: _Parent
    change: Change | None = None
    begins: bool = False
    ends: bool = False
    spoils: bool = False
    """The tally was, or has become, something that nothing can be compared with."""


class _Followed:
    """One rule, over the streams of its tables."""

    def __init__(self, rule: TallyRule, within: float) -> None:
        self.rule = rule
        self.unknown = 0
        self._within = within
        self._read_to = dict.fromkeys(rule.tables, -math.inf)
        self._known_from = -math.inf
        self._pending: list[tuple[float, int, _Move]] = []
        """Moves by their time: they are looked at in that order, once none can come in between."""
        self._balances: dict[_Parent, Balance] = {}
        self._due: list[tuple[float, int, _Parent]] = []
        self._gone: set[_Parent] = set()
        self._turn = itertools.count()

    @property
    def open(self) -> int:
        return len(self._pending) + sum(balance.oldest is not None for balance in self._balances.values())

    def take(self, part: StreamPart) -> Iterator[Notice]:
        if part.lost:
            yield Notice("gap", self.rule.name, part.table, part.known_from, part.lost)
        for record in part.records:
            for move in self._moves(part.table, record):
                heapq.heappush(self._pending, (record.at, next(self._turn), move))
            if part.table == self.rule.table:
                yield from self._at_once(record)
        if part.known_from > self._known_from:
            self._known_from = part.known_from
            for balance in self._balances.values():
                balance.is_settled = balance.is_settled and balance.last >= self._blind_until
        self._read_to[part.table] = max(self._read_to[part.table], part.read_to)
        yield from self._advance(min(self._read_to.values()))

    # -- from records to moves

    def _moves(self, table: str, record: StreamRecord) -> Iterator[_Move]:
        if table == self.rule.children.table:
            yield from self._moves_of_child(record)
        if table == self.rule.table:
            yield from self._moves_of_parent(record)

    def _moves_of_parent(self, record: StreamRecord) -> Iterator[_Move]:
        captures = self.rule.parent_captures(record.key)
        if captures is None:
            return
        parent = self._parent(captures)
        before, after = self._number(record.old), self._number(record.new)
        is_whole = not self.rule.is_sharded
        begins, ends = is_whole and record.event == "INSERT", is_whole and record.event == "REMOVE"
        if before is None or after is None or self._is_removed(record):
            yield _Move(parent, None, begins, ends, spoils=True)
        elif before != after or begins or ends:
            words = f"went from {_shown(record.old, self.rule)} to {_shown(record.new, self.rule)}"
            moved = EXACT.subtract(after, before)
            change = Change("tally", self.rule.table, record, moved, words) if moved else None
            yield _Move(parent, change, begins, ends)

    def _moves_of_child(self, record: StreamRecord) -> Iterator[_Move]:
        """A child may leave one parent and join another."""
        before, after = self._worth(record.old), self._worth(record.new)
        for parent in dict.fromkeys((*before, *after)):
            moved = EXACT.subtract(after.get(parent, Decimal(0)), before.get(parent, Decimal(0)))
            if moved:
                yield _Move(parent, Change("child", self.rule.children.table, record, moved, _done(record, moved)))

    def _worth(self, child: Item | None) -> dict[_Parent, Decimal]:
        """What an item is worth to its parent; empty for none and for what is no child or does not count.

        A child past its time is one until Time to Live deletes it: nothing tells the stream when its time is over.
        """
        captures = None if child is None else self.rule.child_captures(child)
        if child is None or captures is None:
            return {}
        where = self.rule.children.where
        if where is not None and not where.holds(child):
            return {}
        total = Total(self.rule.measure)
        total.take(child, captures)
        return {} if total.problem else {self._parent(captures): Decimal(total.amount)}

    def _number(self, parent: Item | None) -> Decimal | None:
        """The tally as a number, 0 where there is none; None where it is something else."""
        value = None if parent is None else self.rule.attribute.find(parent)
        if value is None:
            return Decimal(0)
        return value.value if isinstance(value, Number) and value.is_valid else None

    def _is_removed(self, record: StreamRecord) -> bool:
        """Whether the parent lost its tally, and a missing one does not stand for 0."""
        if record.old is None or record.new is None or self.rule.missing == "zero":
            return False
        return self.rule.attribute.find(record.old) is not None and self.rule.attribute.find(record.new) is None

    def _parent(self, captures: Captures) -> _Parent:
        return tuple((name, captures[name]) for name in sorted(self.rule.joined))

    # -- what shows in one record

    def _at_once(self, record: StreamRecord) -> Iterator[Notice]:
        captures = self.rule.parent_captures(record.key)
        if captures is None or record.new is None:
            return
        before, after = self._number(record.old), self._number(record.new)
        attribute, now = self.rule.attribute, _shown(record.new, self.rule)
        if self._is_removed(record):
            yield self._notice("no number", record, self._parent(captures), f"{attribute} was removed", None)
        elif before is not None and after is None:
            yield self._notice("no number", record, self._parent(captures), f"{attribute} became {now}", None)
        # One of several shards, and a sum, may well be less than nothing.
        counts = self.rule.measure.kind != "sum" and not self.rule.is_sharded
        if counts and after is not None and after < 0 and (before is None or before >= 0):
            what = f"{attribute} went from {_shown(record.old, self.rule)} to {now}"
            yield self._notice("below zero", record, self._parent(captures), what, None)

    # -- what shows in time

    @property
    def _blind_until(self) -> float:
        """Before this, the other half of a change may be one that nobody has seen."""
        return self._known_from + self._within + ROUNDED

    def _advance(self, now: float) -> Iterator[Notice]:
        """Everything made before `now` has been seen."""
        while self._pending and self._pending[0][0] + 1 <= now:
            at, _, move = heapq.heappop(self._pending)
            yield from self._judge(at)
            self._make(at, move)
        yield from self._judge(now - 1)

    def _make(self, at: float, move: _Move) -> None:
        balance = self._balances.setdefault(move.parent, Balance(is_settled=True))
        balance.last = at
        if move.spoils:
            self.unknown += balance.forget()
        balance.is_settled = balance.is_settled and at >= self._blind_until and not move.spoils
        if move.begins:
            self._gone.discard(move.parent)
        if move.change is not None:
            balance.add(move.change)
        if move.ends:
            self._gone.add(move.parent)
        if move.parent in self._gone:
            balance.forgive_surplus()  # children that go with their parent lower no tally
        self._look_later(move.parent, balance)

    def _look_later(self, parent: _Parent, balance: Balance) -> None:
        if not balance.is_awaited:
            oldest = balance.last if balance.oldest is None else balance.oldest
            heapq.heappush(self._due, (oldest + self._within + ROUNDED + TOGETHER, next(self._turn), parent))
            balance.is_awaited = True

    def _judge(self, now: float) -> Iterator[Notice]:
        """Name what is overdue, where everything made before `now` is in its balance."""
        before = now - self._within - ROUNDED
        while self._due and self._due[0][0] < now:
            _, _, parent = heapq.heappop(self._due)
            balance = self._balances[parent]
            balance.is_awaited = False
            if balance.oldest is not None and balance.oldest < before - TOGETHER:
                alone = balance.overdue(before)
                if balance.is_settled:
                    yield from self._named(parent, alone)
                else:
                    self.unknown += len(alone)
            balance.pair_off(before)
            if balance.oldest is None and balance.last < before:
                del self._balances[parent]  # whatever begins now begins anew
            else:
                self._look_later(parent, balance)

    # -- in words

    def _named(self, parent: _Parent, alone: Sequence[Alone]) -> Iterator[Notice]:
        tallies = [one for one in alone if one.change.side == "tally" and one.change.record.event != "REMOVE"]
        children = [one for one in alone if one.change.side == "child"]
        yield from (self._orphans(parent, one) for one in alone if one not in tallies and one not in children)
        if not tallies:
            yield from (self._child_alone(parent, one) for one in children)
        elif children:
            drift = _sum(one.drift for one in (*tallies, *children))
            yield self._jump(parent, tallies[0].change, drift, _sum(one.left for one in children))
        else:
            yield from (self._tally_alone(parent, one) for one in tallies)

    @property
    def _in_time(self) -> str:
        return f"within {duration(self._within)}"

    def _child_alone(self, parent: _Parent, alone: Alone) -> Notice:
        change = alone.change
        what = f"{change.words}, and {self.rule.attribute} did not follow {self._in_time}"
        kind: NoticeKind = "expired" if change.record.by_ttl else "child alone"
        return self._notice(kind, change.record, parent, what, alone.drift, change.table)

    def _tally_alone(self, parent: _Parent, alone: Alone) -> Notice:
        change = alone.change
        answered = EXACT.subtract(change.amount, alone.left)
        if answered or (self.rule.measure.kind == "count" and change.amount.copy_abs() > 1):
            return self._jump(parent, change, alone.drift, answered)
        what = f"{self.rule.attribute} {change.words}, and no child changed {self._in_time}"
        return self._notice("tally alone", change.record, parent, what, alone.drift)

    def _jump(self, parent: _Parent, change: Change, drift: Decimal, of_children: Decimal) -> Notice:
        what = f"{self.rule.attribute} {change.words}, and its children changed by {signed(of_children)}"
        return self._notice("jump", change.record, parent, f"{what} {self._in_time}", drift)

    def _orphans(self, parent: _Parent, alone: Alone) -> Notice:
        was, left = _shown(alone.change.record.old, self.rule), plain_digits(alone.left.copy_abs())
        what = f"deleted with {self.rule.attribute} {was}, and children worth {left} were not deleted {self._in_time}"
        return self._notice("orphans", alone.change.record, parent, what, None)

    def _notice(
        self,
        kind: NoticeKind,
        record: StreamRecord,
        parent: _Parent,
        what: str,
        drift: Decimal | None,
        table: str = "",
    ) -> Notice:
        return Notice(
            kind,
            self.rule.name,
            table or self.rule.table,
            record.at,
            what,
            record.event,
            record.key,
            self._key(parent),
            drift,
            cause_of_notice(kind, self.rule, drift or Decimal(0)),
        )

    def _key(self, parent: _Parent) -> Key | None:
        try:
            return self.rule.parent_key(dict(parent))
        except InvalidValue:
            return None


def _sum(amounts: Iterable[Decimal]) -> Decimal:
    total = Decimal(0)
    for amount in amounts:
        total = EXACT.add(total, amount)
    return total


def _shown(parent: Item | None, rule: TallyRule) -> str:
    value = None if parent is None else rule.attribute.find(parent)
    if value is None:
        return "nothing"
    return value.text if isinstance(value, Number) else f"a {type_word(value)} ({readable(value)[:40]})"


def _done(record: StreamRecord, moved: Decimal) -> str:
    if record.by_ttl:
        return "expired"
    match record.event:
        case "INSERT":
            return "added"
        case "REMOVE":
            return "deleted"
        case "MODIFY":
            return f"changed what it counts by {signed(moved)}"
