"""The items read so far, as lines of a grid: which are shown, in what order, under which headers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynodesk.domain.collections import Collection, Entry, Identity, Line, Prepared, View, index_plumbing, prepare
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.row_choice import RowFilter, Wish

LOOKED_FOR_ALONE = 8


@dataclass(frozen=True, slots=True)
class Insertion:
    """Lines that go in at `row`, in front of what is there."""

    row: int
    lines: list[Line]


class Heights:
    """Rows taken by each collection, and how many stand above one: both in logarithmic time (a Fenwick tree)."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._sums = [0, *heights]
        for at in range(1, len(self._sums)):
            above = at + (at & -at)
            if above < len(self._sums):
                self._sums[above] += self._sums[at]

    def __len__(self) -> int:
        return len(self._sums) - 1

    def before(self, number: int) -> int:
        """Rows of all collections before this one."""
        total = 0
        while number:
            total += self._sums[number]
            number &= number - 1
        return total

    def add(self, number: int, rows: int) -> None:
        at = number + 1
        while at < len(self._sums):
            self._sums[at] += rows
            at += at & -at

    def append(self, rows: int) -> None:
        at = len(self._sums)
        self._sums.append(rows + self.before(at - 1) - self.before(at & (at - 1)))


@dataclass(slots=True, eq=False)
class Arrangement:
    """The lines of the first `count` entries, made away from the thread that shows them."""

    wish: Wish
    shown: int
    """Entries that pass the filter, folded away or not."""
    count: int
    changes: int
    """What `LoadedRows.changes` was: where it is something else by now, this is of no use any more."""
    lines: list[Line]
    collections: dict[Identity, Collection]
    heights: Heights


class LoadedRows:
    """The items read so far, as lines of a grid: grouped under headers, or flat, all or those that pass a filter.

    Whoever shows them is told first: `absorb` says where new lines go, `insert` puts them there.
    """

    def __init__(self, view: View, *, grouped: bool = True, row_filter: RowFilter | None = None) -> None:
        self.view = view
        self.wish = Wish(grouped, filter=row_filter)
        """What the lines are. Items that came after they were sorted stand below the others."""
        self.entries: list[Entry] = []
        """In read order. Only ever added to, or replaced by another list."""
        self.lines: list[Line] = []
        self.holders: Counter[str] = Counter()
        self.numbers: Counter[str] = Counter()
        self.documents: Counter[str] = Counter()
        self.shown = 0
        """Entries that pass the filter, folded away or not."""
        self.changes = 0
        """Goes up whenever lines change in another way than by items that are added."""
        self._collections: dict[Identity, Collection] = {}
        self._heights = Heights()
        self._by_identity: dict[Identity, Entry] = {}
        self._staged: dict[Identity, Entry] = {}

    @property
    def grouped(self) -> bool:
        return self.wish.grouped

    @property
    def collections(self) -> Sequence[Collection]:
        return tuple(self._collections.values())

    @property
    def staged(self) -> Sequence[Entry]:
        """New items that are not written yet."""
        return tuple(self._staged.values())

    def find(self, wanted: Identity) -> Entry | None:
        return self._by_identity.get(wanted) or self._staged.get(wanted)

    def is_read(self, wanted: Identity) -> bool:
        return wanted in self._by_identity

    def collection(self, key: Identity) -> Collection | None:
        return self._collections.get(key)

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
        """None for an item that is folded away or filtered out. A header is known by its key, whatever its object."""
        if not self.grouped:
            return _position(self.lines, line)
        if isinstance(line, Collection):
            known = self._collections.get(line.key)
            return self._heights.before(known.number) if known is not None and rows_of(known) else None
        collection = self._collections.get(line.collection)
        if collection is None or not collection.is_open:
            return None
        at = _position(collection.shown, line)
        return None if at is None else self._heights.before(collection.number) + 1 + at

    def rows_of(self, lines: Sequence[Line]) -> list[int | None]:
        """The same for many lines: items are looked for in one pass."""
        if len(lines) <= LOOKED_FOR_ALONE:
            return [self.row_of(line) for line in lines]
        wanted = {id(line) for line in lines}
        found = {id(line): row for row, line in enumerate(self.lines) if id(line) in wanted}
        return [self.row_of(line) if isinstance(line, Collection) else found.get(id(line)) for line in lines]

    # -- growing

    def absorb(self, prepared: Prepared) -> list[Insertion]:
        """Take in new items. The insertions are in the order to apply them: from the bottom up."""
        self.holders.update(prepared.holders)
        self.numbers.update(prepared.numbers)
        self.documents.update(prepared.documents)
        self.entries.extend(prepared.entries)
        for entry in prepared.entries:
            self._by_identity[entry.identity] = entry
        return self._place(prepared.entries)

    def insert(self, insertion: Insertion) -> None:
        self.lines[insertion.row : insertion.row] = insertion.lines

    def _place(self, entries: Sequence[Entry]) -> list[Insertion]:
        for entry in entries:
            collection = self._collections.get(entry.collection) or self._found(entry)
            collection.take(entry)
        passes = self.wish.passes
        shown = entries if passes is None else [entry for entry in entries if passes(entry)]
        self.shown += len(shown)
        if not self.grouped:
            return [Insertion(len(self.lines) - len(self._staged), list(shown))] if shown else []
        arrivals: dict[Identity, list[Entry]] = {}
        for entry in shown:
            arrivals.setdefault(entry.collection, []).append(entry)
        pieces: list[tuple[int, int, list[Line]]] = []
        grown: list[tuple[int, int]] = []
        for key, group in arrivals.items():
            collection = self._collections[key]
            header, before = self._heights.before(collection.number), rows_of(collection)
            top, bottom = header + 1 + collection.parents, header + 1 + len(collection.entries)
            parents, others = _join(collection, group)
            if not before:
                below = [*parents, *others] if collection.is_open else []
                pieces.append((header, collection.number, [collection, *below]))
            elif collection.is_open:
                pieces.append((top, collection.number, [*parents]))
                pieces.append((bottom, collection.number, [*others]))
            grown.append((collection.number, rows_of(collection) - before))
        for number, rows in grown:  # only now: all rows above are those of the lines as they still are
            self._heights.add(number, rows)
        return _merged(pieces)

    def _found(self, first: Entry) -> Collection:
        collection = Collection(first.collection, title_of(first, self.view), len(self._collections))
        self._collections[first.collection] = collection
        self._heights.append(0)
        return collection

    # -- items that were written since

    def take_written(self, now: Mapping[Identity, Entry | None]) -> bool:
        """Items as they are now; None: the view does not hold them any more. Those that were not read are left out.

        False where the lines are right as they are. Else they are those from before until others are adopted.
        """
        moved, gone = False, set[int]()
        for identity, entry in now.items():
            known = self._by_identity.get(identity)
            if known is None:
                continue
            self._count(known, -1)
            if entry is None:
                del self._by_identity[identity]
                gone.add(id(known))
                continue
            self._count(entry, 1)
            collection = self._collections.get(entry.collection)
            moved = moved or entry.collection != known.collection or collection is None
            if collection is not None and not moved:
                collection.size += entry.size - known.size
                collection.footprint += entry.footprint - known.footprint
            for name in ("item", "collection", "size", "footprint", "is_parent"):
                setattr(known, name, getattr(entry, name))
        if gone:
            self.entries = [entry for entry in self.entries if id(entry) not in gone]
        if gone or moved:
            self.changes += 1
        return bool(gone) or moved

    def _count(self, entry: Entry, times: int) -> None:
        """Take an item's attributes into what is known of all, or out of it."""
        one = prepare([entry.item], self.view)
        for total, part in (
            (self.holders, one.holders), (self.numbers, one.numbers), (self.documents, one.documents),
        ):  # fmt: skip
            for name, count in part.items():
                total[name] += times * count
                if not total[name]:
                    del total[name]

    # -- other lines of the same items

    def fold(self, collection: Collection, row: int) -> None:
        """Take the items below the header at `row` out of the lines."""
        below = len(collection.shown)
        collection.is_open = False
        del self.lines[row + 1 : row + 1 + below]
        self._heights.add(collection.number, -below)
        self.changes += 1

    def unfold(self, collection: Collection, row: int) -> None:
        collection.is_open = True
        self.lines[row + 1 : row + 1] = collection.shown
        self._heights.add(collection.number, len(collection.shown))
        self.changes += 1

    def adopt(self, made: Arrangement) -> bool:
        """Show lines that were made of these rows. False where the rows have changed too much meanwhile.

        Items that have come since go where newly read ones go. The lines from before are left in `made`: to free a
        million of them takes longer than a picture.
        """
        if made.changes != self.changes:
            return False
        self.wish, self.shown, self._heights = made.wish, made.shown, made.heights
        self.lines, made.lines = made.lines, self.lines
        self._collections, made.collections = made.collections, self._collections
        for insertion in self._place(self.entries[made.count :]):
            self.insert(insertion)
        self.changes += 1
        return True

    def set_staged(self, entries: Iterable[Entry]) -> None:
        """Show these new items below the others of their collections, in place of those shown before.

        Those that have been read are no longer new. A filter does not hide what is about to be written.
        """
        self.changes += 1
        if not self.grouped:
            del self.lines[len(self.lines) - len(self._staged) :]
        for key in dict.fromkeys(entry.collection for entry in self._staged.values()):
            self._stage(self._collections[key], [])
        self._staged = {entry.identity: entry for entry in entries if entry.identity not in self._by_identity}
        groups: dict[Identity, list[Entry]] = {}
        for entry in self._staged.values():
            groups.setdefault(entry.collection, []).append(entry)
        for group in groups.values():
            self._stage(self._collections.get(group[0].collection) or self._found(group[0]), group)
        if not self.grouped:
            self.lines += self._staged.values()

    def _stage(self, collection: Collection, staged: list[Entry]) -> None:
        before, row = rows_of(collection), self._heights.before(collection.number)
        collection.staged = staged
        after = rows_of(collection)
        if self.grouped:
            header: list[Line] = [collection] if after else []
            self.lines[row : row + before] = [*header, *collection.shown] if collection.is_open else header
            self._heights.add(collection.number, after - before)


def title_of(entry: Entry, view: View) -> str:
    """The key that a collection goes by, for people."""
    names = (attribute.name for attribute in view.schema.partition)
    return readable_key({name: entry.item[name] for name in names if name in entry.item})


def rows_of(collection: Collection) -> int:
    """Rows that it takes with its header: none where nothing of it is shown."""
    shown = len(collection.entries) + len(collection.staged)
    return 0 if not shown else 1 + shown if collection.is_open else 1


def _join(collection: Collection, group: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    parents = [entry for entry in group if entry.is_parent]
    others = [entry for entry in group if not entry.is_parent]
    collection.entries[collection.parents : collection.parents] = parents
    collection.entries += others
    collection.parents += len(parents)
    return parents, others


def _merged(pieces: list[tuple[int, int, list[Line]]]) -> list[Insertion]:
    """Pieces as (row, number of the collection, lines); those that go in at the same row become one."""
    by_row: dict[int, list[Line]] = {}
    for row, _, lines in sorted(pieces, key=lambda piece: piece[:2]):  # stable: parents came before the others
        if lines:
            by_row.setdefault(row, []).extend(lines)
    return [Insertion(row, by_row[row]) for row in sorted(by_row, reverse=True)]


def _position(lines: Sequence[Line], line: Line) -> int | None:
    try:
        return lines.index(line)
    except ValueError:
        return None
