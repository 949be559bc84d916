"""An item and its copy in an index: whether there is one, how they differ, and which of the two is behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dynodesk.domain.cells import visible
from dynodesk.domain.collections import Identity, View, absence, differing, identity
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, SortCondition
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item

LOOKED_THROUGH = 1_000
"""Items with the same index key that are read to find one: they have no order of their own."""


@dataclass(frozen=True, slots=True)
class OtherHalves:
    """How what is read through one view differs from its other halves, where those are seen beside it."""

    beside: View | None = None
    """An index beside items of the base table: some have no copy in it."""
    differing: Mapping[Identity, tuple[str, ...]] = field(default_factory=dict)
    """Copies that are not what the base table had when it was read, with the attributes in question."""
    gone: frozenset[Identity] = frozenset()
    """Copies whose items the base table did not have then."""
    behind: frozenset[Identity] = frozenset()
    """Those of `differing` that were so when both halves were read again."""

    def kind(self, identity: Identity, item: Item) -> Literal["", "not in base", "behind", "differs", "not in index"]:
        if identity in self.gone:
            return "not in base"
        if identity in self.differing:
            return "behind" if identity in self.behind else "differs"
        return "not in index" if self.beside is not None and absence(item, self.beside) else ""

    def remark(self, identity: Identity, item: Item) -> str:
        """In a word or two, for a row; "" where nothing differs."""
        match self.kind(identity, item):
            case "not in base":
                return "not in the base"
            case "not in index":
                return f"not in {'' if self.beside is None else self.beside.title}"
            case kind:
                return kind

    def explanation(self, identity: Identity, item: Item) -> str:
        """In a sentence, with the reason; "" where nothing differs."""
        names = ", ".join(map(visible, self.differing.get(identity, ())))
        match self.kind(identity, item):
            case "not in base":
                return "a copy whose item was not in the base table when that was read"
            case "behind":
                return f"{names} of this copy is behind: so it was when both were read again"
            case "differs":
                return f"{names} of this copy is not what the base table had when that was read"
            case "not in index":
                reason = "" if self.beside is None else absence(item, self.beside)
                return f"{self.remark(identity, item)}: {reason}"
            case "":
                return ""


@dataclass(frozen=True, slots=True)
class SecondLook:
    """Both halves, read again one after the other: the item consistently, then its copy."""

    view: View
    """The index."""
    wanted: Identity
    """Of the item's key."""
    item: Item | None
    copy: Item | None
    is_sure: bool = True
    """Whether a copy that was not found is not there: so many have its key that not all were read."""

    @property
    def differing(self) -> tuple[str, ...]:
        if self.item is None or self.copy is None:
            return ()
        return differing(self.item, self.copy, self.view)

    @property
    def is_behind(self) -> bool:
        """Whether the index is not yet what the base table is."""
        if self.copy is None:
            return self.is_sure and self.item is not None and not absence(self.item, self.view)
        return self.item is None or bool(self.differing)

    def words(self) -> str:
        index = self.view.title
        if self.item is None:
            gone = "the base table has the item no more"
            return f"{gone}, and {index} still has its copy: it is behind" if self.copy else f"{gone}, nor has {index}"
        if self.copy is None:
            if why := absence(self.item, self.view):
                return f"{index} has no copy of it: {why}"
            if self.is_sure:
                return f"{index} has no copy of it yet: it is behind"
            return f"its copy was not among the first {LOOKED_THROUGH:,} items with its key in {index}"
        if self.differing:
            return f"read again: {index} is still behind in {', '.join(self.differing)}"
        return f"read again: {index} has caught up, both are the same"


def look_again(reader: ItemReader, view: View, key: Key, seen_copy: Item | None, ticket: Ticket) -> SecondLook:
    """Read an item and its copy in the index `view` again. Raises as `ItemReader` does, and `Cancelled`.

    The copy is looked for where the item says it is, and where it was seen: a copy that is behind has an old key.
    """
    item = reader.get(view.table.name, key, consistent=True)
    wanted = identity(key, view.table.key_schema.names)
    places: list[Item] = []
    for half in (item, seen_copy):
        if half is not None and not absence(half, view) and not any(_same_place(half, one, view) for one in places):
            places.append(half)
    is_sure = True
    for place in places:
        copy, sure = _find_copy(reader, _plan_of(place, view), wanted, view, ticket)
        is_sure = is_sure and sure
        if copy is not None:
            return SecondLook(view, wanted, item, copy)
    return SecondLook(view, wanted, item, None, is_sure)


def plan_of(item: Item, view: View) -> QueryPlan:
    """The collection of `view` that holds the item. Raises `InvalidValue` where there is none."""
    return QueryPlan(view.table.name, partition=view.partition_of(item), index=view.index)


def _same_place(one: Item, other: Item, view: View) -> bool:
    return all(one.get(name) == other.get(name) for name in view.schema.names)


def _plan_of(item: Item, view: View) -> QueryPlan:
    """The items with the same key in the index as this one."""
    schema, key = view.schema, view.schema.key_of(item)
    *before, last = [attribute.name for attribute in schema.sort] or [""]
    return QueryPlan(
        view.table.name,
        partition=view.partition_of(item),
        index=view.index,
        sort=SortCondition("=", key[last]) if last else None,
        sort_name=last,
        sort_equals={name: key[name] for name in before},
    )


def _find_copy(
    reader: ItemReader, plan: QueryPlan, wanted: Identity, view: View, ticket: Ticket
) -> tuple[Item | None, bool]:
    seen = 0
    for page in reader.query(plan, ticket):
        for item in page.items:
            if identity(item, view.table.key_schema.names) == wanted:
                return item, True
        seen += page.scanned
        if seen >= LOOKED_THROUGH and page.cursor is not None:
            return None, False
    return None, True
