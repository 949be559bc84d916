"""Items as a person looks at them: through a table or one of its indexes, grouped as item collections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from dynodesk.domain.cells import byte_text, visible
from dynodesk.domain.entities import is_parent
from dynodesk.domain.foreground import foreground
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import Binary, Boolean, Item, KeyValue, Null, Number, String, Value, item_size, type_word

_ON_ONE_LINE = (String, Number, Boolean, Null)
Identity = tuple[str, ...]
"""A key that hashes fast: one text for each key attribute, equal for equal values however numbers are spelled."""

Extent = Literal["all read", "in this range", "so far", "that meet the filter", "some attributes"]
"""How much of a collection is loaded."""
_TYPE_WORDS = {"S": "Strings", "N": "Numbers", "B": "Binaries"}


def identity(item: Mapping[str, Value], names: Iterable[str]) -> Identity:
    """The identity of the attributes `names` in `item`; one that is missing or no key value counts as such."""
    return tuple(map(_token, (item.get(name) for name in names)))


def _token(value: Value | None) -> str:
    match value:
        case String(text):
            return "S" + text
        case Number():
            return "N" + value.canonical
        case Binary(data):
            return "B" + data.hex()
        case _:
            return ""


@dataclass(frozen=True)
class View:
    """A table seen through its own key (`index` None) or through one of its indexes."""

    table: TableInfo
    index: str | None = None

    @cached_property
    def schema(self) -> KeySchema:
        return self.table.schema_of(self.index)

    @property
    def title(self) -> str:
        return self.index or "Base table"

    @property
    def always_eventual(self) -> bool:
        """True where no consistent read is possible."""
        found = self.table.index(self.index) if self.index else None
        return found is not None and not found.allows_consistent_read

    def carries(self, attribute: str) -> bool:
        """Whether items read through this view have the attribute, if the item itself has it."""
        return self.index is None or self.table.projects(self.index, attribute)

    def partition_of(self, item: Item) -> dict[str, KeyValue]:
        """The partition key under which this view holds the item.

        Raises `InvalidValue` for an item that the view does not hold: an index has only items with all its keys.
        """
        key = self.schema.key_of(item)
        return {attribute.name: key[attribute.name] for attribute in self.schema.partition}

    def key_columns(self, *, grouped: bool) -> tuple[str, ...]:
        """Key attributes in the order of columns; `grouped` leaves out those that head the collection.

        Through an index the base partition key comes first: it is the other end of the edge that a row stands for.
        """
        base, own = self.table.key_schema, self.schema
        named = [*(attribute.name for attribute in base.partition)] if self.index else []
        named += [*own.names] if not self.index else [attribute.name for attribute in (*own.partition, *own.sort)]
        named += base.names
        heading = {attribute.name for attribute in own.partition} if grouped else set()
        columns = tuple(dict.fromkeys(name for name in named if name not in heading))
        return columns or own.names


@dataclass(slots=True, eq=False)
class Entry:
    """One loaded item of a view, with what is asked of it often."""

    item: Item
    identity: Identity
    """Of the base table's key: the same for the item and its copies in indexes."""
    collection: Identity
    size: int
    """Bytes, as far as the view carries them."""
    footprint: int
    """Bytes that count towards the limit of its item collection: its own and those of its copies in local indexes."""
    is_parent: bool


@dataclass(slots=True, eq=False)
class Collection:
    """An item collection as far as it is loaded: parents first, then the others in read order or as sorted."""

    key: Identity
    title: str
    number: int = 0
    """Its place among the collections, from 0, in the order read."""
    entries: list[Entry] = field(default_factory=list)
    """Those that are shown: all, or those that pass a filter."""
    staged: list[Entry] = field(default_factory=list)
    """New items that are not written yet. They stand below the others."""
    parents: int = 0
    """How many of `entries` are parents."""
    count: int = 0
    """Of all that are loaded."""
    size: int = 0
    """Bytes of all that are loaded."""
    footprint: int = 0
    """The same with their copies in local indexes."""
    is_open: bool = True

    @property
    def shown(self) -> list[Entry]:
        """What is below the header while it is open."""
        return self.entries + self.staged if self.staged else self.entries

    def take(self, entry: Entry) -> None:
        """Count an item that was loaded."""
        self.count += 1
        self.size += entry.size
        self.footprint += entry.footprint

    def note(self, view: View, extent: Extent) -> str:
        kind = f"{view.index} collection" if view.index else "item collection"
        items = f"{self.count:,} {'item' if self.count == 1 else 'items'}"
        shown = [f"{len(self.entries):,} shown"] if len(self.entries) != self.count else []
        new = [f"{len(self.staged):,} new"] if self.staged else []
        if extent == "so far":
            return " · ".join([kind, f"{items} so far", *shown, *new, byte_text(self.size)])
        return " · ".join([kind, items, *shown, *new, byte_text(self.size), extent])


Line = Collection | Entry
"""A row of a grid: a collection's header or an item."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Items made ready to be shown, away from the thread that shows them."""

    entries: tuple[Entry, ...]
    holders: Counter[str]
    """How many of the items have each attribute, in the order first seen."""
    numbers: Counter[str]
    """How many have it as a Number."""
    documents: Counter[str]
    """How many have it as something that a cell only shows the start of: a map, a list, a set, bytes."""

    def portions(self, size: int) -> Iterator[Prepared]:
        """The same in parts of at most `size` entries; the counts come with the first."""
        yield Prepared(self.entries[:size], self.holders, self.numbers, self.documents)
        for start in range(size, len(self.entries), size):
            yield Prepared(self.entries[start : start + size], Counter(), Counter(), Counter())


def prepare(items: Sequence[Item], view: View) -> Prepared:
    base = view.table.key_schema
    partition = tuple(attribute.name for attribute in view.schema.partition)
    local = local_views(view)
    holders: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    entries = []
    for item in items:
        foreground.give_way()
        size = item_size(item)
        entries.append(
            Entry(
                item=item,
                identity=identity(item, base.names),
                collection=identity(item, partition),
                size=size,
                footprint=size + sum(_copy_size(item, of) for of in local) if local else size,
                is_parent=view.index is None and is_parent(item, base),
            )
        )
        holders.update(item.keys())
        numbers.update(name for name, value in item.items() if isinstance(value, Number))
        documents.update(name for name, value in item.items() if not isinstance(value, _ON_ONE_LINE))
    return Prepared(tuple(entries), holders, numbers, documents)


def differing(base: Item, copy: Item, view: View) -> tuple[str, ...]:
    """Attributes whose copy in the index `view` is not what the base item has: it lags, or one was read later."""
    names = dict.fromkeys((*copy, *(name for name in base if view.carries(name))))
    return tuple(name for name in names if base.get(name) != copy.get(name))


def index_plumbing(table: TableInfo) -> frozenset[str]:
    """Index keys that carry nothing of their own: named for the index (`GSI1PK`) or for their part (`owner_sk`)."""
    return frozenset(
        name
        for index in table.indexes
        for name in index.key_schema.names
        if name not in table.key_schema.names
        and (name.lower().startswith(index.name.lower()) or name.lower().endswith(("pk", "sk")))
    )


def local_views(view: View) -> tuple[View, ...]:
    """The local indexes whose copies count to the item collections of the base table; of an index none."""
    if view.index is not None:
        return ()
    return tuple(View(view.table, index.name) for index in view.table.indexes if index.kind == "LSI")


def _copy_size(item: Item, view: View) -> int:
    """Bytes of the copy that an index has of an item."""
    if absence(item, view):
        return 0
    return item_size({name: value for name, value in item.items() if view.carries(name)})


def absence(item: Item, view: View) -> str:
    """Why the view does not hold the item, in words; "" where it does. An index has only items with all its keys."""
    return "; ".join(filter(None, (_lack(item.get(key.name), key, view) for key in view.schema.attributes)))


def _lack(value: Value | None, key: KeyAttribute, view: View) -> str:
    of = f"its key {visible(key.name)}"
    if value is None:
        return f"{of} is missing"
    if not key.is_in({key.name: value}):
        return f"{of} is a {type_word(value)}, and {view.index or 'the table'} holds {_TYPE_WORDS[key.type]} there"
    empty = view.index is not None and value in (String(""), Binary(b""))
    return f"{of} is empty" if empty else ""
