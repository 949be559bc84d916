"""Random items read, changed in one attribute, and saved: `python -m tests.editing.roundtrip --items 100000`.

Nothing but the changed attribute may be in the request, and everything else must be in the table as it was, character
by character. The edits go the whole way: staged, into a file and back, journalled, sent by the guarded writer.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.reader import DynamoReader
from dynodesk.aws.writer import GuardedWriter
from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.batches import PlainWrite, batches
from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.edits import Edit, StagedEdits, edit_from_json, edit_to_json
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_json import item_from_dynamodb, readable_key, to_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    Item,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
    check,
)
from dynodesk.domain.write_requests import expressions
from dynodesk.domain.writes import GuardedUpdate, write_from_json
from dynodesk.domain.writing import Hands
from dynodesk.editing.committing import commit, plan_commit
from tests.aws.tables import make_table, plain_client, profile
from tests.helpers import ministack
from tests.workbench.pages import Tagged
from tests.workbench.random_items import RandomItems

SCHEMA = KeySchema((KeyAttribute("pk", "S"),), (KeyAttribute("sk", "N"),))
MADE = 5_000
"""Mixtures that the items are made of."""
AT_ONCE = 1_000
MOST_SHOWN = 10

NEW_VALUES: tuple[Value, ...] = (
    String("typed\xa0here\r\nand\u2028there\x00\x0b💙"),
    String(""),
    Number("-12345678901234567890123456789012345678"),
    Number("1.50"),
    Binary(b"\x00\xff"),
    Boolean(False),
    Null(),
    StringSet(("z", "a")),
    NumberSet((Number("2"), Number("1.5"))),
    BinarySet((b"\xff", b"")),
    List((Null(), Map({"a.b": String("x")}))),
    Map({"": Null()}),
)


@dataclass
class ForgettingJournal:
    """Takes what JSON can say, and proves that the request can be read back from it."""

    records: int = 0
    wrong: list[str] = field(default_factory=list)

    def append(self, kind: str, payload: Mapping[str, object]) -> None:
        self.records += 1
        read = json.loads(json.dumps(payload))
        if kind == "intent" and repr(write_from_json(read)) != repr(write_from_json(payload)):
            self.wrong.append(f"the journal alters the request of {payload['id']}")


def differences(clients: Clients, table: str, count: int, journal: ForgettingJournal, made: int = MADE) -> list[str]:
    """What is not as it must be after `count` items were changed in one attribute each."""
    source, wrong = RandomItems(made), journal.wrong
    for start in range(0, count, AT_ONCE):
        items = [_storable(source.item(number)) for number in range(start, min(start + AT_ONCE, count))]
        wrong += _changed(clients, table, items, start, journal)
        if len(wrong) >= MOST_SHOWN:
            break
    return wrong[:MOST_SHOWN]


def _storable(tagged: Tagged) -> Item:
    """What of an item the service would take: among the mixtures is what only emulators hold."""
    found: dict[str, Value] = {}
    for name, value in item_from_dynamodb(tagged).items():
        with contextlib.suppress(InvalidValue):
            check(value)
            found[name] = value
    found.pop("M", None)  # the emulator takes an item that has it for a map
    # ... and finds an item by the spelling of its number only.
    return {**found, "sk": Number(Number(tagged["sk"]["N"]).canonical)}


def _changed(
    clients: Clients, table: str, items: Sequence[Item], seed: int, journal: ForgettingJournal
) -> Iterator[str]:
    reader, writer, ticket = DynamoReader(clients, Meter()), GuardedWriter(clients, Meter()), Ticket()
    keys = [SCHEMA.key_of(item) for item in items]
    for batch in batches(PlainWrite(key, item) for key, item in zip(keys, items, strict=True)):
        left = writer.write_batch(table, batch)
        if left:
            yield f"{len(left)} items could not be put"
    read = reader.batch_get(table, keys, ticket, consistent=True)
    for key, item in zip(keys, read, strict=True):
        if item is None:
            yield f"{readable_key(key)} was put and is not there"
    chance = random.Random(seed)
    found = [(key, item) for key, item in zip(keys, read, strict=True) if item is not None]
    edits = StagedEdits(Edit(table, key, item, with_a_change(item, chance)) for key, item in found)
    edits = StagedEdits(edit_from_json(json.loads(json.dumps(edit_to_json(edit)))) for edit in edits)
    if len(edits) != len(items):
        yield f"{len(items)} items were edited and {len(edits)} are staged"
    plan = plan_commit(edits)
    for planned in plan.edits:
        if not isinstance(planned.write, GuardedUpdate) or _sent_names(planned.write) != _changed_names(planned.edit):
            yield f"{planned.edit.title}: its request is not about what was changed"
    hands = Hands(reader, writer, journal, SystemClock(), chance)
    report = commit(plan, Place("", clients.endpoint_url, ""), hands, ticket)
    for result in report.results:
        if result.outcome != "applied":
            yield f"{result.planned.edit.title}: {result.outcome}: {result.reason}"
    now = reader.batch_get(table, [edit.key for edit in edits], ticket, consistent=True)
    for edit, item in zip(edits, now, strict=True):
        yield from _not_as_wanted(edit, item)


def with_a_change(item: Item, chance: random.Random) -> Item:
    """One attribute, or one within a map, replaced, removed or added."""
    paths = [path for path in _paths(item) if path.names[0] not in SCHEMA.names]
    kind = chance.random()
    if not paths or kind < 0.2:
        return AttributePath((f"added {chance.randrange(1000)} #:.[]",)).put_into(item, chance.choice(NEW_VALUES))
    path = chance.choice(paths)
    if kind < 0.4:
        return path.put_into(item, None)
    old = path.find(item)
    # A map in the place of a map is as many changes as they differ in.
    same = (lambda value: isinstance(value, Map)) if isinstance(old, Map) else (lambda value: value == old)
    return path.put_into(item, chance.choice([value for value in NEW_VALUES if not same(value)]))


def _paths(item: Mapping[str, Value], names: tuple[str, ...] = ()) -> Iterator[AttributePath]:
    for name, value in item.items():
        yield AttributePath((*names, name))
        if isinstance(value, Map):
            yield from _paths(value.entries, (*names, name))


def _sent_names(write: GuardedUpdate) -> set[str]:
    """All names in the request, its condition's included."""
    return {*expressions(write).names.values()}


def _changed_names(edit: Edit) -> set[str]:
    """Those of the changed path; whole attributes where a step within a map has no name. The key's is asked for."""
    (change,) = edit.changes
    names = change.path.names if all(change.path.names) else change.path.names[:1]
    return {SCHEMA.names[0], *names}


def _not_as_wanted(edit: Edit, found: Item | None) -> Iterator[str]:
    if found is None:
        yield f"{edit.title} is gone"
        return
    if found != edit.after:
        yield f"{edit.title} is not what it was made"
    (change,) = edit.changes
    untouched = {name: value for name, value in (edit.before or {}).items() if name != change.path.names[0]}
    for name, value in untouched.items():
        if name not in found or _exactly(found[name]) != _exactly(value):
            yield f"{edit.title}: {name!r} was not touched, and is not as it was"


def _exactly(value: Value) -> str:
    """Its text as the table gives it; a set may come in another order."""
    return json.dumps(_sorted(to_dynamodb(value)))


def _sorted(tagged: object) -> object:
    match tagged:
        case {"SS": [*members]} | {"NS": [*members]} | {"BS": [*members]}:
            return {"set": sorted(members)}
        case dict():
            return {name: _sorted(inner) for name, inner in sorted(tagged.items())}
        case list():
            return [_sorted(inner) for inner in tagged]
        case _:
            return tagged


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    count = parser.parse_args().items
    journal = ForgettingJournal()
    began = time.monotonic()
    with ministack.running() as url:
        clients = open_clients(profile(url, read_only=False))
        table = make_table(plain_client(url), keys={"pk": "S", "sk": "N"})
        wrong = differences(clients, table, count, journal)
        clients.close()
    for line in wrong:
        sys.stdout.write(line + "\n")
    sys.stdout.write(
        f"{count} items changed in one attribute each in {time.monotonic() - began:.0f} s, "
        f"{journal.records} records for the journal, {len(wrong) or 'no'} differences\n"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
