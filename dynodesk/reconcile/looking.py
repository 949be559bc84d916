"""Carries out what the protocol asks for: the transactional read of a parent, the strong pass over its children."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b

from dynodesk.domain.errors import Busy, DamagedReply
from dynodesk.domain.item_json import readable_key, to_dynamodb
from dynodesk.domain.patterns import Captures
from dynodesk.domain.ports import PageReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan
from dynodesk.domain.tables import Key, KeySchema
from dynodesk.domain.tallies import Tally, TallyRule
from dynodesk.domain.values import (
    BinarySet,
    Item,
    List,
    Map,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
    order,
)
from dynodesk.reconcile.confirm import Counted, ParentSeen, Refused


@dataclass(frozen=True, slots=True)
class Suspect:
    """A parent to be confirmed, with what the sweep saw of it: nothing where somebody chose it."""

    rule: TallyRule
    captures: Captures
    key: Key
    tally: Tally | None = None
    count: int | None = None


def read_parent(reader: PageReader, suspect: Suspect, ticket: Ticket) -> ParentSeen | Refused:
    """The parent in one transactional read, or that a writer holds it."""
    try:
        (item,) = reader.transact_get([(suspect.rule.table, suspect.key)], ticket)
    except Busy:
        return Refused()
    if item is None:
        return ParentSeen(None)
    return ParentSeen(suspect.rule.tally(item), _version(suspect.rule, item), _digest([item]))


def _version(rule: TallyRule, item: Item) -> Decimal | None:
    value = item.get(rule.version) if rule.version else None
    return value.value if isinstance(value, Number) and value.is_valid else None


def count_children(reader: PageReader, suspect: Suspect, ticket: Ticket, *, contents: bool) -> tuple[Counted, int]:
    """One strongly consistent pass over all pages, and how many they were.

    Raises `DamagedReply` where the replies cannot be one pass in order: a key outside the condition, or one that does
    not come after the last.
    """
    rule = suspect.rule
    plan = rule.children_of(suspect.captures)
    if not contents:
        plan = _keys_only(plan, rule.schema)
    digest = blake2b(digest_size=16)
    count = pages = 0
    last: Key | None = None
    for page in reader.query(plan, ticket):
        pages += 1
        for item in page.items:
            key = rule.schema.key_of(item)
            _check_in_order(plan, rule.schema, last, key)
            last = key
            if rule.child_captures(item, suspect.captures) is None:
                continue
            count += 1
            _feed(digest, item if contents else key)
    return Counted(count, digest.hexdigest()), pages


def _keys_only(plan: QueryPlan, schema: KeySchema) -> QueryPlan:
    return QueryPlan(
        plan.table,
        plan.partition,
        sort=plan.sort,
        sort_name=plan.sort_name,
        consistent=plan.consistent,
        attributes=schema.names,
    )


def _check_in_order(plan: QueryPlan, schema: KeySchema, last: Key | None, key: Key) -> None:
    partition_matches = all(key[name] == value for name, value in plan.partition.items())
    if not partition_matches or not _within(plan, key):
        raise DamagedReply(
            f"a Query of {plan.table} returned an item that was not asked for: {readable_key(key)}",
            hint="The endpoint or a proxy before it is at fault. Nothing was concluded from this reply.",
        )
    if last is not None and not _rank(schema, last) < _rank(schema, key):
        raise DamagedReply(
            f"a Query of {plan.table} returned items twice or out of order: {readable_key(key)}",
            hint="The endpoint or a proxy before it is at fault. Nothing was concluded from this reply.",
        )


def _within(plan: QueryPlan, key: Key) -> bool:
    """Whether a key meets the sort condition: `children_of` uses no other operators than these two."""
    if plan.sort is None:
        return True
    value, wanted = key[plan.sort_name], plan.sort.low
    if plan.sort.operator == "begins_with" and isinstance(value, String) and isinstance(wanted, String):
        return value.text.startswith(wanted.text)
    return value == wanted


def _rank(schema: KeySchema, key: Key) -> tuple[object, ...]:
    return tuple(order(key[attribute.name]) for attribute in schema.sort)


def _digest(items: list[Item]) -> str:
    digest = blake2b(digest_size=16)
    for item in items:
        _feed(digest, item)
    return digest.hexdigest()


def _feed(digest: blake2b, item: Item) -> None:
    # Two replies may give a set in different orders; an item is the same whatever the order.
    stable = {name: to_dynamodb(_in_one_order(value)) for name, value in item.items()}
    digest.update(json.dumps(stable, sort_keys=True, separators=(",", ":")).encode("ascii"))
    digest.update(b"\n")


def _in_one_order(value: Value) -> Value:
    match value:
        case StringSet(members):
            return StringSet(tuple(sorted(members)))
        case NumberSet(numbers):
            return NumberSet(tuple(sorted(numbers, key=lambda number: number.text)))
        case BinarySet(blobs):
            return BinarySet(tuple(sorted(blobs)))
        case List(elements):
            return List(tuple(map(_in_one_order, elements)))
        case Map(entries):
            return Map({name: _in_one_order(entry) for name, entry in entries.items()})
        case _:
            return value
