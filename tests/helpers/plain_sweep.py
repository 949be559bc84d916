"""A `TableSweeper` that takes one item after the other: slow, and simple enough to be believed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import blake2b

from dynodesk.domain.errors import DamagedReply, InvalidValue
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.measures import Total
from dynodesk.domain.pacing import Pace
from dynodesk.domain.patterns import Captures, KeyPattern
from dynodesk.domain.ports import PageReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ScanPlan
from dynodesk.domain.sweeping import SweptParent, SweptRule
from dynodesk.domain.tables import KeySchema
from dynodesk.domain.tallies import Tally, TallyRule
from dynodesk.domain.values import EXACT, Item


class PlainSweeper:
    def __init__(self, reader: PageReader) -> None:
        self._reader = reader
        self.pages = 0

    def sweep(
        self, rules: Sequence[TallyRule], pace: Pace, ticket: Ticket, *, everyone: bool, now: float
    ) -> Iterator[SweptRule]:
        shares = [_Share(rule, now) for rule in rules]
        unread = {name: schema for rule in rules for name, schema in _tables(rule).items()}
        for table in tuple(unread):
            for item in self._items(ScanPlan(table), unread.pop(table), pace, ticket):
                for share in shares:
                    share.take(table, item)
            for share in tuple(shares):
                if not share.rule.tables & unread.keys():
                    shares.remove(share)
                    yield share.swept(everyone=everyone)

    def pass_over(
        self, asked: Sequence[tuple[TallyRule, Captures]], pace: Pace, ticket: Ticket, *, contents: bool, now: float
    ) -> tuple[SweptParent, ...]:
        if not asked:
            return ()
        ((table, schema),) = {rule.children.table: rule.children.schema for rule, _ in asked}.items()
        groups = [_Group(rule) for rule, _ in asked]
        seen: list[list[str]] = [[] for _ in asked]
        for item in self._items(ScanPlan(table, consistent=True), schema, pace, ticket):
            for (rule, wanted), group, texts in zip(asked, groups, seen, strict=True):
                captures = rule.child_captures(item, wanted)
                if captures is not None and rule.children.counts(item, now):
                    group.total.take(item, captures)
                    looked_at = item if contents else {name: item[name] for name in rule.child_attributes & item.keys()}
                    texts.append(json.dumps(item_to_dynamodb(looked_at), sort_keys=True))
        return tuple(
            SweptParent(captures, None, group.total.amount, group.total.problem, _digest(texts))
            for (_, captures), group, texts in zip(asked, groups, seen, strict=True)
        )

    def _items(self, plan: ScanPlan, schema: KeySchema, pace: Pace, ticket: Ticket) -> Iterator[Item]:
        pages = self._reader.scan(plan, ticket)
        while True:
            pace.before_next(ticket)
            page = next(pages, None)
            if page is None:
                return
            self.pages += 1
            for item in page.items:
                try:
                    schema.key_of(item)
                except InvalidValue as problem:
                    raise DamagedReply(
                        f"a Scan of {plan.table} returned an item that is none of the table: {problem.message}"
                    ) from problem
                yield item
            ticket.checkpoint()


def _tables(rule: TallyRule) -> dict[str, KeySchema]:
    return {rule.table: rule.schema, rule.children.table: rule.children.schema}


@dataclass
class _Group:
    """What was seen of one parent and its children."""

    rule: TallyRule
    items: list[Item] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.total = Total(self.rule.measure)

    @property
    def tally(self) -> Tally | None:
        if not self.items:
            return None
        return self.rule.tally_of_shards(self.items) if self.rule.is_sharded else self.rule.tally(self.items[-1])


class _Share:
    """One rule's share of a sweep."""

    def __init__(self, rule: TallyRule, now: float) -> None:
        self.rule, self._now = rule, now
        self._names = tuple(sorted(rule.joined))
        self._groups: dict[tuple[str, ...], _Group] = {}
        self._parent_seen = self._child_seen = False

    def take(self, table: str, item: Item) -> None:
        if table == self.rule.table:
            captures = self.rule.parent_captures(item)
            if captures is not None:
                self._parent_seen = True
                self._group(captures).items.append(item)
        if table == self.rule.children.table:
            captures = self.rule.child_captures(item)
            if captures is not None:
                self._child_seen = True
                if self.rule.children.counts(item, self._now):
                    self._group(captures).total.take(item, captures)

    def _group(self, captures: Captures) -> _Group:
        return self._groups.setdefault(tuple(captures[name] for name in self._names), _Group(self.rule))

    def swept(self, *, everyone: bool) -> SweptRule:
        off = []
        for joined, group in sorted(self._groups.items()):
            tally, total = group.tally, group.total
            if everyone or _looks_off(tally, total, self.rule):
                captures = dict(zip(self._names, joined, strict=True))
                off.append(SweptParent(captures, tally, total.amount, total.problem))
        return SweptRule(self.rule, len(self._groups), tuple(off), tuple(self._unlike()))

    def _unlike(self) -> Iterator[KeyPattern]:
        if not self._parent_seen:
            yield self.rule.parent
        if not self._child_seen and self.rule.children.pattern != self.rule.parent:
            yield self.rule.children.pattern


def _looks_off(tally: Tally | None, total: Total, rule: TallyRule) -> bool:
    if tally is None or tally.number is None or total.problem:
        return True
    return EXACT.subtract(tally.number, Decimal(total.amount)).copy_abs() > rule.tolerance


def _digest(texts: list[str]) -> str:
    return blake2b("\n".join(sorted(texts)).encode(), digest_size=16).hexdigest()
