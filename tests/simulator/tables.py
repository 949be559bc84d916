"""The tables themselves: what is visible, what transactions hold, and the copies that lag behind.

Every write to one item happens at one instant. A transaction holds its items from its prepares on, and then shows in
one after the other: whoever reads in between sees half of it.
"""

from __future__ import annotations

import hashlib
import random
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from dynodesk.domain.errors import ConditionFailed, TableMissing, Throttled
from dynodesk.domain.tables import Key, KeyAttribute, KeySchema, KeyType, TableInfo
from dynodesk.domain.values import Binary, Item, KeyValue, Number, String, order
from tests.simulator.timeline import Steps, Timeline

Place = tuple[tuple[int, bytes | Decimal], ...]
Address = tuple[Place, Place]
"""Where an item is: its partition, and its place in it."""
Change = Callable[[Item | None], Item | None]
"""What a write makes of the item that is there. Raises `ConditionFailed` where its condition does not hold."""


class Conflict(Exception):
    """A transaction holds the item (TransactionConflictException), or still runs under this token."""


class Watcher(Protocol):
    """Is told of every change at the instant that it happens."""

    def decided(self, table: Table, address: Address, old: Item | None, new: Item | None) -> None:
        """A transaction will change the item, and nobody can see it yet."""

    def shown(self, table: Table, address: Address, old: Item | None, new: Item | None, *, was_decided: bool) -> None:
        """The item is another one from now on."""


class Copy:
    """The rows of a table or of an index in the service's order: by hash of the partition key, then by sort key."""

    def __init__(self, schema: KeySchema, base: KeySchema | None = None) -> None:
        self._schema, self._base = schema, base
        self._order: list[tuple[bytes, Place]] = []
        self._places: dict[Place, list[Place]] = {}
        self._items: dict[Address, Item] = {}

    def address(self, item: Item) -> Address | None:
        """Where the item has its row; None: a sparse index has none of it."""
        partition = _places(item, self._schema.partition)
        place = _places(item, self._schema.sort)
        if partition is None or place is None:
            return None
        # Index keys need not be unique: the base key tells rows apart.
        own = () if self._base is None else _places(item, self._base.attributes) or ()
        return partition, place + own

    def get(self, address: Address) -> Item | None:
        return self._items.get(address)

    def set(self, address: Address, item: Item | None) -> None:
        partition, place = address
        if item is None:
            if self._items.pop(address, None) is not None:
                places = self._places[partition]
                del places[bisect_left(places, place)]
            return
        if address not in self._items:
            if partition not in self._places:
                self._places[partition] = []
                insort(self._order, (_hash(partition), partition))
            insort(self._places[partition], place)
        self._items[address] = item

    def replace(self, old: Item | None, new: Item | None) -> None:
        """Follow a change of the base table."""
        before = self.address(old) if old is not None else None
        after = self.address(new) if new is not None else None
        if before is not None and before != after:
            self.set(before, None)
        if after is not None:
            self.set(after, new)

    def following(self, after: Address | None, partition: Place | None) -> Iterator[tuple[Address, Item]]:
        """Rows behind a place as they are now: those of one partition, or from there on all."""
        if partition is not None:
            yield from self._in_partition(partition, after[1] if after else None)
            return
        start = 0
        if after is not None:
            yield from self._in_partition(after[0], after[1])
            start = bisect_right(self._order, (_hash(after[0]), after[0]))
        for _, each in self._order[start:]:
            yield from self._in_partition(each, None)

    def _in_partition(self, partition: Place, after: Place | None) -> Iterator[tuple[Address, Item]]:
        places = self._places.get(partition, ())
        for place in places[bisect_right(places, after) if after is not None else 0 :]:
            address = partition, place
            yield address, self._items[address]

    def back(self, before: Address | None, partition: Place) -> Iterator[tuple[Address, Item]]:
        """Rows of one partition before a place, last first."""
        places = self._places.get(partition, ())
        for place in reversed(places[: bisect_left(places, before[1]) if before else None]):
            yield (partition, place), self._items[partition, place]


@dataclass(frozen=True, slots=True)
class Record:
    """One change in the stream. It can be read from `arrives` on; those of one item arrive in their order."""

    sequence: int
    arrives: float
    address: Address
    old: Item | None
    new: Item | None


@dataclass
class Lags:
    """How far behind the truth what follows may be: each a draw of seconds."""

    index: Callable[[], float] = lambda: 0.05
    replica: Callable[[], float] | None = None
    """What eventually consistent reads see; None: the visible state."""
    stream: Callable[[], float] | None = None
    """None: the table has no stream."""


class Table:
    """One table. `capacity`: requests a second that one partition takes, in the long run; None: any number."""

    def __init__(
        self, info: TableInfo, timeline: Timeline, lags: Lags | None = None, capacity: float | None = None
    ) -> None:
        self.info, self.capacity = info, capacity
        self._timeline, self._lags = timeline, lags or Lags()
        self.rows = Copy(info.key_schema)
        self.indexes = {index.name: Copy(index.key_schema, info.key_schema) for index in info.indexes}
        self.replica = Copy(info.key_schema) if self._lags.replica else self.rows
        self.held: set[Address] = set()
        self.stream: list[Record] = []
        self.on_record: Callable[[Record], object] | None = None
        """Called when a record is written, long before it can be read."""
        self.watchers: list[Watcher] = []
        self._arrived: defaultdict[tuple[str, Address], float] = defaultdict(float)
        self._tokens: dict[Place, tuple[float, float]] = {}

    def address(self, key: Key) -> Address:
        address = self.rows.address(key)
        assert address is not None
        return address

    def seed(self, *items: Item) -> None:
        """Items that have always been there: in every copy, in no stream."""
        for item in items:
            for copy in {id(each): each for each in (self.rows, self.replica, *self.indexes.values())}.values():
                copy.replace(None, item)

    def get(self, address: Address) -> Item | None:
        return self.rows.get(address)

    def write(self, address: Address, change: Change) -> None:
        """One PutItem, UpdateItem or DeleteItem. Raises `Throttled`, `Conflict`, `ConditionFailed`."""
        self.take(address[0])
        self.check_free(address)
        old = self.rows.get(address)
        self.show(address, old, change(old), was_decided=False)

    def check_free(self, address: Address) -> None:
        if address in self.held:
            raise Conflict

    def show(self, address: Address, old: Item | None, new: Item | None, *, was_decided: bool) -> None:
        self.rows.set(address, new)
        for watcher in self.watchers:
            watcher.shown(self, address, old, new, was_decided=was_decided)
        for name, index in self.indexes.items():
            self._timeline.start(_later(index, old, new), self._lag(name, address, self._lags.index))
        if self._lags.replica is not None:
            self._timeline.start(_later(self.replica, old, new), self._lag("", address, self._lags.replica))
        if self._lags.stream is not None and old != new:
            arrives = self._timeline.now() + self._lag("stream", address, self._lags.stream)
            self.stream.append(Record(len(self.stream), arrives, address, old, new))
            if self.on_record is not None:
                self.on_record(self.stream[-1])

    def records(self) -> list[Record]:
        """What a reader of the stream has by now."""
        now = self._timeline.now()
        return [record for record in self.stream if record.arrives <= now]

    def take(self, partition: Place) -> None:
        """Use the partition's capacity for one request. Raises `Throttled`: nothing was done."""
        if self.capacity is None:
            return
        now = self._timeline.now()
        tokens, at = self._tokens.get(partition, (self.capacity, now))
        tokens = min(self.capacity, tokens + (now - at) * self.capacity)
        self._tokens[partition] = (tokens - 1 if tokens >= 1 else tokens, now)
        if tokens < 1:
            raise Throttled(f"a partition of {self.info.name} takes {self.capacity:g} requests a second")

    def _lag(self, follower: str, address: Address, draw: Callable[[], float]) -> float:
        # Followers see the changes of one item in their order.
        now = self._timeline.now()
        arrives = max(now + draw(), self._arrived[follower, address])
        self._arrived[follower, address] = arrives
        return arrives - now


Part = tuple[Table, Address, Change]


@dataclass
class Service:
    """All tables, and the transactions over them."""

    timeline: Timeline
    chance: random.Random
    longest_skew: float = 1.9
    """Seconds between the first and the last part of a transaction that becomes visible, at most."""
    tables: dict[str, Table] = field(default_factory=dict)
    _tokens: dict[str, bool] = field(default_factory=dict)
    """Of transactions by their token: whether it is through."""

    def add(self, info: TableInfo, lags: Lags | None = None, capacity: float | None = None) -> Table:
        self.tables[info.name] = Table(info, self.timeline, lags, capacity)
        return self.tables[info.name]

    def table(self, name: str) -> Table:
        if name not in self.tables:
            raise TableMissing(f"there is no table {name}")
        return self.tables[name]

    def transact_write(self, parts: Sequence[Part], token: str) -> Steps:
        """TransactWriteItems: prepares every item, decides, and then shows the parts in any order. Acknowledged last.

        Raises `Throttled`, `Conflict` and `ConditionFailed` before it is decided: nothing was done then. With the token
        of one that is through it does nothing.
        """
        done = self._tokens.get(token)
        if done:
            return
        if done is False:
            raise Conflict
        self._tokens[token] = False
        pending: list[tuple[Table, Address, Item | None, Item | None]] = []
        try:
            for table, address, change in self.chance.sample(parts, len(parts)):
                if pending:
                    yield self._moment()
                table.take(address[0])
                table.check_free(address)
                old = table.get(address)
                new = change(old)
                table.held.add(address)
                pending.append((table, address, old, new))
            yield self._moment()
        except (Conflict, ConditionFailed, Throttled):
            for table, address, _, _ in pending:
                table.held.discard(address)
            del self._tokens[token]
            raise
        for table, address, old, new in pending:
            for watcher in table.watchers:
                watcher.decided(table, address, old, new)
        yield self._moment()
        yield from self._show(pending)
        self._tokens[token] = True

    def _show(self, pending: list[tuple[Table, Address, Item | None, Item | None]]) -> Steps:
        self.chance.shuffle(pending)
        spread = self._skew()
        offsets = sorted((0.0, *(self.chance.uniform(0, spread) for _ in pending[1:])))
        for i, (table, address, old, new) in enumerate(pending):
            if i:
                yield offsets[i] - offsets[i - 1]
            table.held.discard(address)
            table.show(address, old, new, was_decided=True)

    def _moment(self) -> float:
        return self.chance.uniform(0, 0.004)

    def _skew(self) -> float:
        """Mostly milliseconds, sometimes as long as there can be."""
        kind = self.chance.random()
        if kind < 0.7:
            return self.chance.uniform(0, 0.01)
        return self.chance.uniform(0, min(0.2, self.longest_skew) if kind < 0.9 else self.longest_skew)


def _later(copy: Copy, old: Item | None, new: Item | None) -> Steps:
    copy.replace(old, new)
    yield from ()


def _places(item: Item, attributes: Sequence[KeyAttribute]) -> Place | None:
    places = []
    for attribute in attributes:
        value = item.get(attribute.name)
        if not isinstance(value, _CLASSES[attribute.type]):
            return None
        places.append(order(value))
    return tuple(places)


_CLASSES: dict[KeyType, type[KeyValue]] = {"S": String, "N": Number, "B": Binary}


def _hash(partition: Place) -> bytes:
    return hashlib.md5(repr(partition).encode(), usedforsecurity=False).digest()
