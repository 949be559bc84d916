"""Items as a person looks at them: through a table or one of its indexes, grouped as item collections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from dynodesk.domain.cells import byte_text, sort_key
from dynodesk.domain.entities import entity_word, is_parent
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.tables import KeySchema, TableInfo
from dynodesk.domain.values import Binary, Boolean, Item, KeyValue, Null, Number, String, Value, item_size

_ON_ONE_LINE = (String, Number, Boolean, Null)
Identity = tuple[str, ...]
"""A key that hashes fast: one text for each key attribute, equal for equal values however numbers are spelled."""

Extent = Literal["all read", "in this range", "so far"]


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
    entity: str
    size: int
    """Bytes, as far as the view carries them."""
    is_parent: bool


@dataclass(slots=True, eq=False)
class Collection:
    """An item collection as far as it is loaded: parents first, then the others in read order or as sorted."""

    key: Identity
    title: str
    entries: list[Entry] = field(default_factory=list)
    parents: int = 0
    size: int = 0
    is_open: bool = True

    def note(self, view: View, extent: Extent) -> str:
        kind = f"{view.index} collection" if view.index else "item collection"
        items = f"{len(self.entries):,} {'item' if len(self.entries) == 1 else 'items'}"
        if extent == "so far":
            return f"{kind} · {items} so far · {byte_text(self.size)}"
        return f"{kind} · {items} · {byte_text(self.size)} · {extent}"


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
    holders: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    entries = []
    for item in items:
        entries.append(
            Entry(
                item=item,
                identity=identity(item, base.names),
                collection=identity(item, partition),
                entity=entity_word(item, base),
                size=item_size(item),
                is_parent=view.index is None and is_parent(item, base),
            )
        )
        holders.update(item.keys())
        numbers.update(name for name, value in item.items() if isinstance(value, Number))
        documents.update(name for name, value in item.items() if not isinstance(value, _ON_ONE_LINE))
    return Prepared(tuple(entries), holders, numbers, documents)


@dataclass(frozen=True, slots=True)
class Insertion:
    """Lines that go in at `row`, in front of what is there."""

    row: int
    lines: list[Line]


class LoadedRows:
    """The items read so far, as lines of a grid: grouped under headers, or flat.

    Whoever shows them is told first: `absorb` says where new lines go, `insert` puts them there.
    """

    def __init__(self, view: View, *, grouped: bool = True) -> None:
        self.view = view
        self.grouped = grouped
        self.entries: list[Entry] = []
        """In read order."""
        self.lines: list[Line] = []
        self.holders: Counter[str] = Counter()
        self.numbers: Counter[str] = Counter()
        self.documents: Counter[str] = Counter()
        self._collections: dict[Identity, Collection] = {}
        self._by_identity: dict[Identity, Entry] = {}

    @property
    def collections(self) -> Sequence[Collection]:
        return tuple(self._collections.values())

    def find(self, wanted: Identity) -> Entry | None:
        return self._by_identity.get(wanted)

    def columns(self) -> list[str]:
        """Attributes in the order of columns: keys, then those that most items have.

        Numbers come before texts that as many have; what a cell only shows the start of comes after all of them;
        what is there for the sake of an index only comes last.
        """
        heading = {attribute.name for attribute in self.view.schema.partition} if self.grouped else set()
        keys = self.view.key_columns(grouped=self.grouped)
        plumbing = index_plumbing(self.view.table)
        others = [name for name in self.holders if name not in heading and name not in keys]

        def rank(name: str) -> tuple[bool, bool, int, bool]:
            count = self.holders[name]
            only_starts = 10 * self.documents[name] >= 9 * count
            return name in plumbing, only_starts, -count, 2 * self.numbers[name] <= count

        return [*keys, *sorted(others, key=rank)]

    def row_of(self, line: Line) -> int | None:
        """None for an item of a collection that is folded away."""
        try:
            return self.lines.index(line)
        except ValueError:
            return None

    # -- growing

    def absorb(self, prepared: Prepared) -> list[Insertion]:
        """Take in new items. The insertions are in the order to apply them: from the bottom up."""
        entries = prepared.entries
        self.holders.update(prepared.holders)
        self.numbers.update(prepared.numbers)
        self.documents.update(prepared.documents)
        self.entries.extend(entries)
        for entry in entries:
            self._by_identity[entry.identity] = entry
        arrivals: dict[Identity, list[Entry]] = {}
        for entry in entries:
            arrivals.setdefault(entry.collection, []).append(entry)
        if not self.grouped:
            for key, group in arrivals.items():
                self._join(self._collections.get(key) or self._found(group[0]), group)
            return [Insertion(len(self.lines), list(entries))] if entries else []
        headers = self._header_rows(key for key in arrivals if key in self._collections)
        at_end: list[Line] = []
        within: list[Insertion] = []
        for key, group in arrivals.items():
            known = self._collections.get(key)
            collection = known or self._found(group[0])
            parents_before, length_before = collection.parents, len(collection.entries)
            parents, others = self._join(collection, group)
            if known is None:
                at_end += [collection, *parents, *others]
            elif collection.is_open:
                header = headers[key]
                within.append(Insertion(header + 1 + length_before, list(others)))
                within.append(Insertion(header + 1 + parents_before, list(parents)))
        within.sort(key=lambda insertion: -insertion.row)
        return [insertion for insertion in (Insertion(len(self.lines), at_end), *within) if insertion.lines]

    def insert(self, insertion: Insertion) -> None:
        self.lines[insertion.row : insertion.row] = insertion.lines

    def _found(self, first: Entry) -> Collection:
        names = (attribute.name for attribute in self.view.schema.partition)
        title = readable_key({name: first.item[name] for name in names if name in first.item})
        collection = self._collections[first.collection] = Collection(first.collection, title)
        return collection

    def _join(self, collection: Collection, group: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
        parents = [entry for entry in group if entry.is_parent]
        others = [entry for entry in group if not entry.is_parent]
        collection.entries[collection.parents : collection.parents] = parents
        collection.entries += others
        collection.parents += len(parents)
        collection.size += sum(entry.size for entry in group)
        return parents, others

    def _header_rows(self, keys: Iterable[Identity]) -> dict[Identity, int]:
        wanted = set(keys)
        if not wanted:
            return {}
        last = next(reversed(self._collections.values()))
        if wanted == {last.key}:  # a Query, and a Scan of a real table: no need to look through all lines
            return {last.key: len(self.lines) - 1 - (len(last.entries) if last.is_open else 0)}
        return {
            line.key: row for row, line in enumerate(self.lines) if isinstance(line, Collection) and line.key in wanted
        }

    # -- other arrangements of the same items

    def fold(self, collection: Collection, row: int) -> None:
        """Take the items below the header at `row` out of the lines."""
        collection.is_open = False
        del self.lines[row + 1 : row + 1 + len(collection.entries)]

    def unfold(self, collection: Collection, row: int) -> None:
        collection.is_open = True
        self.lines[row + 1 : row + 1] = collection.entries

    def arrange(self, *, grouped: bool, ordered: Sequence[Entry] | None = None) -> None:
        """Lines anew. `ordered` are all entries as they are to be shown; None: in read order.

        Collections keep the order in which they were read, and their parents on top.
        """
        self.grouped = grouped
        shown = self.entries if ordered is None else ordered
        if not grouped:
            self.lines = list(shown)
            return
        for collection in self._collections.values():
            collection.entries = collection.entries[: collection.parents]
        for entry in shown:
            if not entry.is_parent:
                self._collections[entry.collection].entries.append(entry)
        self.lines = []
        for collection in self._collections.values():
            self.lines.append(collection)
            if collection.is_open:
                self.lines += collection.entries


def ordered_by(entries: Sequence[Entry], attribute: str, *, descending: bool) -> list[Entry]:
    """Entries by an attribute's value in table order; those without it last, in either direction. Stable."""
    having = [entry for entry in entries if attribute in entry.item]
    lacking = [entry for entry in entries if attribute not in entry.item]
    having.sort(key=lambda entry: sort_key(entry.item[attribute]), reverse=descending)
    return having + lacking


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


def absence(item: Item, view: View) -> str:
    """Why the index does not hold the item, in words; "" where it does."""
    try:
        view.partition_of(item)
    except InvalidValue as problem:
        return problem.message
    return ""
