"""Loaded rows sorted, filtered and grouped: work for a thread that is not the window's.

No single step holds the interpreter for longer than a few milliseconds, however many rows there are: `list.sort` of a
million would, and nothing else in the process could run meanwhile.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from dynodesk.domain.cells import sort_key
from dynodesk.domain.collections import Collection, Entry, Identity, Line
from dynodesk.domain.foreground import foreground
from dynodesk.domain.loaded_rows import Arrangement, Heights, LoadedRows, rows_of, title_of
from dynodesk.domain.progress import Ticket
from dynodesk.domain.row_choice import Wish

Thing = TypeVar("Thing")

SORTED_AT_ONCE = 4_096
"""Rows that `list.sort` is given: a millisecond or two."""
LOOKED_AT_ONCE = 256
COPIED_AT_ONCE = 20_000
"""Rows that a list is lengthened or shortened by: each is an object somewhere else in memory."""
PER_BUCKET, MOST_BUCKETS, SAMPLES_PER_BUCKET = 1_024, 1_024, 8


def arranged(rows: LoadedRows, wish: Wish, ticket: Ticket) -> Arrangement:
    """Lines for `LoadedRows.adopt`. The rows may grow meanwhile.

    Collections keep the order in which they were read, and their parents on top. Raises `Cancelled`.
    """
    count, changes, passes = len(rows.entries), rows.changes, wish.passes
    everything = _watched(islice(rows.entries, count), ticket)
    collections: dict[Identity, Collection] = {}
    shown: list[Entry] = []
    for entry in everything:
        collection = collections.get(entry.collection) or _like(rows, entry, collections)
        collection.take(entry)
        if passes is None or passes(entry):
            shown.append(entry)
    for entry in rows.staged:
        collection = collections.get(entry.collection) or _like(rows, entry, collections)
        collection.staged.append(entry)
    if wish.sorting is not None:
        unsorted = shown
        shown = ordered_by(unsorted, wish.sorting.attribute, descending=wish.sorting.descending, ticket=ticket)
        _free(unsorted)
    passing = len(shown)
    lines: list[Line] = []
    if not wish.grouped:
        for start in range(0, len(shown), COPIED_AT_ONCE):
            foreground.give_way()
            lines += shown[start : start + COPIED_AT_ONCE]
        lines += rows.staged
        _free(shown)
        heights = Heights(0 for _ in collections)
        return Arrangement(wish, passing, count, changes, lines, collections, heights)
    lower: list[Entry] = []
    for entry in _watched(shown, ticket):
        if entry.is_parent:
            collections[entry.collection].entries.append(entry)
            collections[entry.collection].parents += 1
        else:
            lower.append(entry)
    for entry in _watched(lower, ticket):
        collections[entry.collection].entries.append(entry)
    _free(shown)
    _free(lower)
    for collection in _watched(collections.values(), ticket):
        if rows_of(collection):
            lines.append(collection)
        if collection.is_open:
            lines += collection.shown
    heights = Heights(rows_of(collection) for collection in _watched(collections.values(), ticket))
    return Arrangement(wish, passing, count, changes, lines, collections, heights)


def _like(rows: LoadedRows, first: Entry, collections: dict[Identity, Collection]) -> Collection:
    """One more collection, by the title it has and folded as it is."""
    known = rows.collection(first.collection)
    title = title_of(first, rows.view) if known is None else known.title
    made = Collection(first.collection, title, len(collections), is_open=known is None or known.is_open)
    collections[first.collection] = made
    return made


def ordered_by(
    entries: Iterable[Entry], attribute: str, *, descending: bool = False, ticket: Ticket | None = None
) -> list[Entry]:
    """Entries by an attribute's value in table order; those without it last, in either direction. Stable."""
    keys: list[Any] = []
    having: list[Entry] = []
    by_type: dict[int, list[int]] = {}
    lacking: list[Entry] = []
    ticket = ticket or Ticket()
    for entry in _watched(entries, ticket):
        value = entry.item.get(attribute)
        if value is None:
            lacking.append(entry)
        else:
            rank, key = sort_key(value)
            by_type.setdefault(rank, []).append(len(keys))
            keys.append(key)
            having.append(entry)
    ordered: list[Entry] = []
    for rank in sorted(by_type, reverse=descending):
        for part in _sorted_parts(by_type.pop(rank), keys, descending, ticket):
            ordered += [having[at] for at in part]
    _free(keys)
    _free(having)
    ordered += lacking
    return ordered


def _sorted_parts(positions: list[int], keys: list[Any], descending: bool, ticket: Ticket) -> Iterator[list[int]]:
    """Positions in the order of their keys, in parts; the list that is given is emptied.

    Keys are put between splitters from a sample, and what is between two of them is sorted. A key that is a splitter
    has a part of its own, which is in order already: however many rows share a value. Pairs of a key and an entry would
    do without positions, but a million of them keep Python's search for garbage busy.
    """
    if len(positions) <= SORTED_AT_ONCE:
        yield sorted(positions, key=keys.__getitem__, reverse=descending)
        return
    buckets = min(MOST_BUCKETS, len(positions) // PER_BUCKET)
    sample = sorted(keys[at] for at in positions[:: len(positions) // (buckets * SAMPLES_PER_BUCKET)])
    splitters = list(dict.fromkeys(sample[::SAMPLES_PER_BUCKET]))
    parts: list[list[int]] = [[] for _ in range(2 * len(splitters) + 1)]
    for position in _watched(positions, ticket):
        key = keys[position]
        at = bisect_left(splitters, key)
        is_splitter = at < len(splitters) and splitters[at] == key
        parts[2 * at + is_splitter].append(position)
    positions.clear()
    for number in range(len(parts) - 1, -1, -1) if descending else range(len(parts)):
        ticket.checkpoint()
        foreground.give_way()
        part, parts[number] = parts[number], []
        if number % 2:
            yield part
        else:  # once more where the sample did not show how many are in between
            yield from _sorted_parts(part, keys, descending, ticket)


def _free(things: list[Any]) -> None:
    """Empty a list that may be long, bit by bit: to let go of a million at once takes longer than a picture."""
    while things:
        foreground.give_way()
        del things[-COPIED_AT_ONCE:]


def _watched(things: Iterable[Thing], ticket: Ticket) -> Iterator[Thing]:
    """The same, looking now and then whether to go on."""
    for number, thing in enumerate(things):
        if not number % LOOKED_AT_ONCE:
            ticket.checkpoint()
            foreground.give_way()
        yield thing
