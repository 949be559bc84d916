"""Where the items of a finding are: the collection of its parent, and that of its children. Nothing here is Qt's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.findings import Finding
from dynodesk.domain.patterns import Captures
from dynodesk.domain.tables import Key
from dynodesk.domain.tallies import TallyRule


class OpenCollection(Protocol):
    """Shows an item collection of a table or index, and selects the item with a key in it, if one is given."""

    def __call__(self, table: str, partition: Key, select: Key | None, index: str | None = None, /) -> object: ...


@dataclass(frozen=True, slots=True)
class Place:
    table: str
    partition: Key
    select: Key | None = None
    index: str | None = None

    def open_with(self, open_collection: OpenCollection) -> None:
        open_collection(self.table, self.partition, self.select, self.index)


def parent_place(finding: Finding, rule: TallyRule) -> Place | None:
    """The parent in its collection. Of a sharded one the collection of its parts, or of the first where each has its
    own. None where no parent could have the key: children without a possible parent have no such key.
    """
    captures = _captures(finding, rule)
    if captures is None:
        return None
    if not rule.is_sharded:
        names = [attribute.name for attribute in rule.schema.partition]
        return Place(rule.table, {name: finding.parent[name] for name in names}, finding.parent)
    if rule.shards:
        first = rule.shard_keys(captures)[0]
        return Place(rule.table, {attribute.name: first[attribute.name] for attribute in rule.schema.partition}, first)
    return Place(rule.table, rule.shard_query(captures).partition)


def children_place(finding: Finding, rule: TallyRule) -> Place | None:
    """The children's collection; the first where they are spread over several. None where there is none to open."""
    captures = _captures(finding, rule)
    if captures is None or rule.measure.kind == "size":  # what is measured is in the parent itself
        return None
    query = rule.children.queries(captures)[0]
    return Place(query.table, query.partition, None, query.index)


def has_own_children(finding: Finding, rule: TallyRule) -> bool:
    """Whether the children are somewhere else than the parent: in another table, index or partition."""
    children, parent = children_place(finding, rule), parent_place(finding, rule)
    if children is None or parent is None:
        return False
    return (children.table, children.index, dict(children.partition)) != (parent.table, None, dict(parent.partition))


def _captures(finding: Finding, rule: TallyRule) -> Captures | None:
    try:
        return rule.captures_of(finding.parent)
    except InvalidValue:
        return None
