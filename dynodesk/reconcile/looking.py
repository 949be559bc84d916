"""Carries out what the protocol asks for: the transactional read of a parent, the strong pass over its children."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from dynodesk.domain.children import Children
from dynodesk.domain.digests import digest_of, feed, new_digest
from dynodesk.domain.errors import Busy, DamagedReply, InvalidRequest
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.measures import Amount, Total
from dynodesk.domain.patterns import Captures
from dynodesk.domain.ports import PageReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import MAX_TRANSACTION_ITEMS, QueryPlan
from dynodesk.domain.tables import Key, KeySchema
from dynodesk.domain.tallies import Tally, TallyRule
from dynodesk.domain.values import EXACT, Item, Number, String, order
from dynodesk.reconcile.confirm import Counted, ParentSeen, Refused


@dataclass(frozen=True, slots=True)
class Suspect:
    """A parent to be confirmed, with what the sweep saw of it: nothing where somebody chose it."""

    rule: TallyRule
    captures: Captures
    key: Key
    tally: Tally | None = None
    count: Amount | None = None


def read_parent(reader: PageReader, suspect: Suspect, ticket: Ticket) -> ParentSeen | Refused:
    """The parent in one transactional read, or that a writer holds it. All items of a sharded one are read at once."""
    rule = suspect.rule
    keys = [suspect.key] if not rule.is_sharded else _shard_keys(reader, suspect, ticket)
    if len(keys) > MAX_TRANSACTION_ITEMS:
        raise InvalidRequest(
            f"{rule.name}: a parent has {len(keys)} shards, and at most {MAX_TRANSACTION_ITEMS} items are read at once"
        )
    try:
        seen = reader.transact_get([(rule.table, key) for key in keys], ticket) if keys else ()
    except Busy:
        return Refused()
    items = [item for item in seen if item is not None]
    if not items:
        return ParentSeen(None)
    tally = rule.tally_of_shards(items) if rule.is_sharded else rule.tally(items[0])
    return ParentSeen(tally, _version(rule, items), digest_of(items))


def _shard_keys(reader: PageReader, suspect: Suspect, ticket: Ticket) -> list[Key]:
    """The shards there are. One that comes while they are read is among them at the next look, which then differs."""
    rule = suspect.rule
    if rule.shards:
        return list(rule.shard_keys(suspect.captures))
    return [
        rule.schema.key_of(item)
        for page in reader.query(rule.shard_query(suspect.captures), ticket)
        for item in page.items
        if (captures := rule.parent_captures(item)) is not None and _agree(captures, suspect.captures)
    ]


def _agree(captures: Captures, wanted: Captures) -> bool:
    return all(captures.get(name) == text for name, text in wanted.items())


def _version(rule: TallyRule, items: Sequence[Item]) -> Decimal | None:
    """The version; of several items the sum, which rises with each write of any of them."""
    if rule.version is None:
        return None
    total = Decimal(0)
    for item in items:
        value = item.get(rule.version)
        if not isinstance(value, Number) or not value.is_valid:
            return None
        total = EXACT.add(total, value.value)
    return total


def count_children(
    reader: PageReader, suspect: Suspect, ticket: Ticket, *, contents: bool, now: float
) -> tuple[Counted, int]:
    """One strongly consistent pass over all pages, and how many they were. `now` decides what has expired.

    Raises `DamagedReply` where the replies cannot be one pass in order: a key outside the condition, or one that does
    not come after the last.
    """
    rule = suspect.rule
    needed = tuple(sorted(rule.child_attributes))
    digest = new_digest()
    total = Total(rule.measure)
    own = {name: set[str]() for name in sorted(rule.children.pattern.captures - rule.parent.captures)}
    if len(own) == 1:  # it differs from child to child
        own = {}
    pages = 0
    for plan in rule.children.queries(suspect.captures):
        # Without a list of attributes a local index gives what it has a copy of, and what it has not would be missing.
        asked = replace(plan, attributes=needed) if rule.not_in_index or not contents else plan
        last: Key | None = None
        for page in reader.query(asked, ticket):
            pages += 1
            for item in page.items:
                key = rule.children.key_schema.key_of(item) | rule.children.schema.key_of(item)
                _check_in_order(plan, rule, last, key)
                last = key
                captures = rule.child_captures(item, suspect.captures)
                if captures is None or not rule.children.counts(item, now):
                    continue
                total.take(item, captures)
                for name, seen in own.items():
                    seen.add(captures[name])
                feed(digest, item if contents else {name: item[name] for name in needed if name in item})
    distinct = tuple((name, len(seen)) for name, seen in own.items())
    return Counted(total.amount, digest.hexdigest(), total.problem, distinct), pages


def child_keys(reader: PageReader, suspect: Suspect, ticket: Ticket, *, now: float) -> Iterator[Key]:
    """The keys of a parent's children in their table, page by page."""
    children = suspect.rule.children
    for plan in children.queries(suspect.captures):
        for page in reader.query(replace(plan, attributes=tuple(sorted(children.attributes))), ticket):
            for item in page.items:
                if children.captures(item, suspect.captures) is not None and children.counts(item, now):
                    yield children.schema.key_of(item)


def look_through_index(
    reader: PageReader, suspect: Suspect, ticket: Ticket, *, now: float
) -> tuple[Suspect, str] | Refused:
    """What an index that lags behind its table shows of a chosen parent's children, beside the parent's tally.

    With it goes why the two cannot be compared, "" where they can.
    """
    rule = suspect.rule
    if rule.not_in_index:  # missing there is not missing: nothing can be counted by it
        return suspect, f"the index carries no copy of {', '.join(rule.not_in_index)}"
    parent = read_parent(reader, suspect, ticket)
    if isinstance(parent, Refused):
        return parent
    counted, _ = count_children(reader, suspect, ticket, contents=False, now=now)
    no_number = parent.tally.reason if parent.tally is not None and parent.tally.number is None else ""
    return replace(suspect, tally=parent.tally, count=counted.count), no_number or counted.problem


def _check_in_order(plan: QueryPlan, rule: TallyRule, last: Key | None, key: Key) -> None:
    partition_matches = all(key[name] == value for name, value in plan.partition.items())
    if not partition_matches or not _within(plan, key):
        raise DamagedReply(
            f"a Query of {plan.table} returned an item that was not asked for: {readable_key(key)}",
            hint="The endpoint or a proxy before it is at fault. Nothing was concluded from this reply.",
        )
    if last is not None and not _follows(plan, rule.children, last, key):
        raise DamagedReply(
            f"a Query of {plan.table} returned items twice or out of order: {readable_key(key)}",
            hint="The endpoint or a proxy before it is at fault. Nothing was concluded from this reply.",
        )


def _follows(plan: QueryPlan, children: Children, last: Key, key: Key) -> bool:
    """Items with equal keys of an index come in any order among themselves, but not twice running."""
    before, after = _rank(children.key_schema, last), _rank(children.key_schema, key)
    return before < after or (plan.index is not None and before == after and last != key)


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
