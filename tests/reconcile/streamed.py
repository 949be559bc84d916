"""A table that is written in a script, and its stream: by shards, in any pieces, with everything that is promised."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from dynodesk.domain.streams import Event, StreamPart, StreamRecord
from dynodesk.domain.tables import Key, KeySchema
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Item, Number
from dynodesk.reconcile.notices import Notice
from dynodesk.reconcile.watch import Watch
from tests.helpers.social import SCHEMA, key

Change = Callable[[Item | None], Item | None]

T0 = 1_000_000.0
"""When the scripts begin."""


def keyed(partition: str, sort: str, schema: KeySchema = SCHEMA) -> dict[str, object]:
    return dict(schema.key_of(key(partition, sort)))


@dataclass
class Script:
    """Writes by their time. Each becomes a record, in the order of time, unless it changes nothing."""

    writes: list[tuple[float, str, str, Change, bool]] = field(default_factory=list)

    def write(self, at: float, partition: str, sort: str, change: Change, *, by_ttl: bool = False) -> None:
        self.writes.append((at, partition, sort, change, by_ttl))

    def put(self, at: float, partition: str, sort: str, more: Item | None = None) -> None:
        item: Item = {**key(partition, sort), **(more or {})}
        self.write(at, partition, sort, lambda _old: item)

    def delete(self, at: float, partition: str, sort: str, *, by_ttl: bool = False) -> None:
        self.write(at, partition, sort, lambda _old: None, by_ttl=by_ttl)

    def add(self, at: float, partition: str, by: int, attribute: str = "likeTally") -> None:
        self.write(at, partition, "META", adding(attribute, by))

    def set(self, at: float, partition: str, to: int, attribute: str = "likeTally") -> None:
        self.write(at, partition, "META", lambda old: {**(old or {}), attribute: Number(str(to))})

    def records(self, items: dict[tuple[str, str], Item] | None = None) -> list[StreamRecord]:
        """`items` are those that are there before."""
        there = dict(items or {})
        found = []
        for at, partition, sort, change, by_ttl in sorted(self.writes, key=lambda write: write[0]):
            old = there.get((partition, sort))
            new = change(old)
            if old == new:
                continue
            there.pop((partition, sort), None)
            if new is not None:
                there[partition, sort] = new
            event: Event = "INSERT" if old is None else "REMOVE" if new is None else "MODIFY"
            place: Key = SCHEMA.key_of(key(partition, sort))
            found.append(StreamRecord(event, place, old, new, float(math.floor(at)), by_ttl))
        return found


def adding(attribute: str, by: int) -> Change:
    def change(old: Item | None) -> Item | None:
        assert old is not None
        value = old.get(attribute)
        return {**old, attribute: Number(str((int(value.text) if isinstance(value, Number) else 0) + by))}

    return change


def parts(
    records: Sequence[StreamRecord], *, shards: int, chance: random.Random, table: str = "Social", known_from: float
) -> Iterator[StreamPart]:
    """The records in pieces: each item is in one shard, and shards are read at different speeds."""
    of_shard: list[list[StreamRecord]] = [[] for _ in range(shards)]
    places: dict[str, int] = {}
    for record in records:
        of_shard[places.setdefault(str(record.key), chance.randrange(shards))].append(record)
    done = [0] * shards
    read_to = -math.inf
    while any(at < len(found) for at, found in zip(done, of_shard, strict=True)):
        shard = chance.randrange(shards)
        take = chance.randint(0, 5)
        piece = of_shard[shard][done[shard] : done[shard] + take]
        done[shard] += len(piece)
        # Times are rounded down, so what is left in a shard was written from the second of its next record on.
        left = [found[at].at for at, found in zip(done, of_shard, strict=True) if at < len(found)]
        read_to = max(read_to, min(left, default=read_to))
        yield StreamPart(table, tuple(piece), read_to, read_to, known_from)
    end = max((record.at for record in records), default=T0) + 1e6
    yield StreamPart(table, (), end, end, known_from)


def notices(
    rules: Sequence[TallyRule],
    script: Script,
    *,
    items: dict[tuple[str, str], Item] | None = None,
    within: float | None = None,
    since: float = -math.inf,
    shards: int = 3,
    seed: int = 0,
) -> list[Notice]:
    """What a watch says that begins at `since`."""
    watch = Watch(rules, within)
    records = [record for record in script.records(items) if record.at >= since]
    said: list[Notice] = []
    for part in parts(records, shards=shards, chance=random.Random(seed), known_from=since):
        said += watch.take(part)
    assert watch.open == 0
    return said
