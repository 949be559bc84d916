"""The cheap look: one eventually consistent Scan feeds both sides of all rules of a table. It finds suspects, no
drift."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dynodesk.domain.errors import DamagedReply, InvalidValue
from dynodesk.domain.patterns import Captures, KeyPattern
from dynodesk.domain.ports import PageReader
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.reads import ScanPlan
from dynodesk.domain.tables import KeySchema
from dynodesk.domain.tallies import Tally, TallyRule
from dynodesk.domain.values import Item
from dynodesk.reconcile.looking import Suspect


@dataclass(slots=True)
class _Group:
    """What a sweep saw of one parent and its children."""

    tally: Tally | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class Unjoinable:
    """A parent or children with keys that lead to no other one for certain."""

    rule: TallyRule
    key: Captures
    count: int
    reason: str


class RuleSweep:
    """One rule's share of a sweep: groups items by what joins parent and child."""

    def __init__(self, rule: TallyRule) -> None:
        self.rule = rule
        self._names = tuple(sorted(rule.parent.captures))
        self._groups: dict[tuple[str, ...], _Group] = {}

    def take(self, item: Item) -> None:
        captures = self.rule.parent_captures(item)
        if captures is not None:
            self._group(captures).tally = self.rule.tally(item)
        captures = self.rule.child_captures(item)
        if captures is not None:
            self._group(captures).count += 1

    def _group(self, captures: Captures) -> _Group:
        return self._groups.setdefault(tuple(captures[name] for name in self._names), _Group())

    @property
    def parents(self) -> int:
        """Parents seen, those that only their children speak of included."""
        return len(self._groups)

    @property
    def unlike(self) -> Iterator[KeyPattern]:
        """The sides of the rule that no item is on: nobody wrote one yet, or the rule has another key than they."""
        groups = self._groups.values()
        if all(group.tally is None for group in groups):
            yield self.rule.parent
        if not any(group.count for group in groups):
            yield self.rule.children

    def suspects(self, *, everyone: bool) -> Iterator[Suspect | Unjoinable]:
        """Parents that look off; with `everyone`, all of them."""
        for joined, group in self._groups.items():
            if not everyone and not _looks_off(group):
                continue
            captures = dict(zip(self._names, joined, strict=True))
            try:
                key = self.rule.parent_key(captures)
            except InvalidValue as problem:
                yield Unjoinable(self.rule, captures, group.count, problem.message)
            else:
                yield Suspect(self.rule, captures, key, group.tally, group.count)


def _looks_off(group: _Group) -> bool:
    return group.tally is None or group.tally.number is None or group.tally.number != group.count


def sweep(rules: Sequence[TallyRule], reader: PageReader, ticket: Ticket) -> tuple[RuleSweep, ...]:
    """One Scan of the one table that the rules are about.

    Raises `DamagedReply` for an item without the table's key: it might be a parent or a child, nobody knows whose.
    """
    ((table, schema),) = {rule.table: rule.schema for rule in rules}.items()
    sweeps = tuple(RuleSweep(rule) for rule in rules)
    scanned = 0
    for page in reader.scan(ScanPlan(table), ticket):
        for item in page.items:
            _check_key(item, schema, table)
            for share in sweeps:
                share.take(item)
        scanned += page.scanned
        ticket.checkpoint(Progress(scanned, None, f"Scan of {table}: {scanned} items"))
    return sweeps


def _check_key(item: Item, schema: KeySchema, table: str) -> None:
    try:
        schema.key_of(item)
    except InvalidValue as problem:
        raise DamagedReply(
            f"a Scan of {table} returned an item that is none of the table: {problem.message}",
            hint="The endpoint or a proxy before it is at fault.",
        ) from problem
