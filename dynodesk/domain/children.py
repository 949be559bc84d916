"""Which items a rule counts: where they are, what their keys look like, and which of them do not count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from dynodesk.domain.expressions import Condition
from dynodesk.domain.patterns import NOTHING_KNOWN, Captures, KeyPattern
from dynodesk.domain.reads import QueryPlan, SortCondition
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema
from dynodesk.domain.values import Item, Number, String

SHARD = "shard"
"""The capture that numbers the parts of a tally, or of its children, that are spread over several keys."""

TTL_MEMORY = 5 * 365.25 * 24 * 3600
"""Seconds. What expired longer ago than this, Time to Live leaves alone (Developer Guide, "Time to Live")."""


@dataclass(frozen=True, slots=True)
class Children:
    table: str
    schema: KeySchema
    """The key of the table: what tells one child from another."""
    pattern: KeyPattern
    """Over the table's key, or over the index's."""
    index: IndexInfo | None = None
    """Where the children of one parent are found together, if not under the table's own key."""
    where: Condition | None = None
    ttl: str | None = None
    """The Time to Live attribute of the table; None where nothing expires, or nobody may know."""
    ignores_expired: bool = False
    """Whether a child past its time no longer counts; otherwise it counts until it is gone."""
    shards: tuple[str, ...] = ()
    """What `{shard}` may be where it is part of a partition key; empty: it is not."""

    def __str__(self) -> str:
        where = f" where {self.where}" if self.where else ""
        behind = f"{self.index.name}: " if self.index else ""
        return f"{behind}{self.pattern}{where}"

    @property
    def key_schema(self) -> KeySchema:
        """The schema that the pattern is about."""
        return self.schema if self.index is None else self.index.key_schema

    @property
    def is_consistent(self) -> bool:
        """Whether a Query for the children of one parent sees every write: a global secondary index lags behind."""
        return self.index is None or self.index.allows_consistent_read

    @property
    def needed(self) -> tuple[KeyAttribute, ...]:
        """Key attributes without which an item is no child, whatever the pattern says: those of a local index."""
        return () if self.index is None or not self.is_consistent else self.index.key_schema.attributes

    @property
    def attributes(self) -> frozenset[str]:
        """Everything of a child that is looked at: to tell it from others, to match it and to see whether it counts."""
        names = {*self.schema.names, *self.key_schema.names}
        if self.where is not None:
            names |= self.where.attributes
        return frozenset(names if self.expires is None else {*names, self.expires})

    @property
    def expires(self) -> str | None:
        """The attribute whose time decides whether a child counts, if one does."""
        return self.ttl if self.ignores_expired else None

    def captures(self, item: Item, known: Captures = NOTHING_KNOWN) -> dict[str, str] | None:
        """What an item says of its parent, or None where it is no child; with `known`, only of that parent.

        What is not in a local index is no child in it. A global one may lack items that belong to it, so that children
        are told by what they are like.
        """
        if not all(one.is_in(item) for one in self.needed):
            return None
        captures = self.pattern.match(item, self.key_schema, known)
        if captures is not None and self.shards and captures[SHARD] not in self.shards:
            return None
        return captures

    def counts(self, child: Item, now: float) -> bool:
        """Whether a child counts at `now`, in seconds since 1970: by the condition, and unless it has expired."""
        if self.where is not None and not self.where.holds(child):
            return False
        if self.expires is None:
            return True
        at = child.get(self.expires)
        if not isinstance(at, Number) or not at.is_valid:
            return True
        return not Decimal(now - TTL_MEMORY) < at.value <= Decimal(now)

    def queries(self, captures: Captures) -> tuple[QueryPlan, ...]:
        """The Queries that together hold all children of one parent and little else.

        Not everything they return is a child: each item is matched against the pattern still.
        """
        return tuple(self._query(known) for known in self._partitions(captures))

    def _partitions(self, captures: Captures) -> Iterator[Captures]:
        if not self.shards:
            yield captures
        for shard in self.shards:
            yield {**captures, SHARD: shard}

    def _query(self, captures: Captures) -> QueryPlan:
        partition = {
            attribute.name: attribute.value(self.pattern.attributes[attribute.name].fill(captures))
            for attribute in self.key_schema.partition
        }
        condition, name = None, ""
        for attribute in self.key_schema.sort[:1]:  # a Query takes a range of the first sort key, others match here
            pattern = self.pattern.attributes.get(attribute.name)
            if pattern is None:  # any sort key: the whole item collection
                continue
            prefix, whole = pattern.prefix(captures)
            name = attribute.name
            if attribute.type == "S" and prefix:
                condition = SortCondition("=" if whole else "begins_with", String(prefix))
            elif whole:
                condition = SortCondition("=", attribute.value(prefix))
        return QueryPlan(
            self.table,
            partition,
            sort=condition,
            sort_name=name if condition else "",
            index=None if self.index is None else self.index.name,
            consistent=self.is_consistent,
        )
