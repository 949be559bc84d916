"""What differs between the two sides of the Browse page, marked at the rows and said below them."""

from __future__ import annotations

from collections.abc import Sequence

from dynodesk.domain.collections import Entry, Identity, differing, identity, prepare
from dynodesk.domain.index_copies import OtherHalves, SecondLook
from dynodesk.domain.reads import QueryPlan
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.ui.pages.browse_written import carried

COMPARED_AT_MOST = 5_000
"""Rows on both sides up to which index copies are compared with the base: a few milliseconds."""
LOOKED_AT = 500
"""Rows of each side whose types and attributes tell what the index does not carry: asked at every page that comes."""


class Differences:
    """Compares what both sides have loaded, where one looks through an index and the other at the base table."""

    def __init__(self, left: CollectionPane, right: CollectionPane) -> None:
        self._left, self._right = left, right
        self._behind: dict[Identity, SecondLook] = {}
        """Items that were looked at again, and whose copy was behind then."""

    def index_side(self, pane: CollectionPane) -> CollectionPane | None:
        """The side that looks through an index: the given one where both do; None where none does."""
        others = (self._left, self._right) if pane is self._left else (self._right, self._left)
        return next((side for side in others if side.view.index is not None), None)

    def show(self, both_seen: bool) -> None:
        for side, other in ((self._left, self._right), (self._right, self._left)):
            halves, hidden, words = OtherHalves(), list[str](), list[str]()
            if both_seen and side.view.index is None and other.view.index is not None:
                halves = OtherHalves(beside=other.view)
            elif both_seen and side.view.index is not None and other.view.index is None:
                halves, words = self._compared(side, other)
                hidden = self._not_carried(side, other)
            side.model.set_halves(halves)
            side.model.set_unprojected(hidden)
            side.set_warnings(hidden, words)

    def take(self, look: SecondLook) -> None:
        """Show what was read again in place of what was there."""
        wanted = look.wanted
        self._behind.pop(wanted, None)
        if look.is_behind:
            self._behind[wanted] = look
        for side in (self._left, self._right):
            if side.reading is None or (side.view.index is not None and side.view != look.view):
                continue
            half = look.item if side.view.index is None else look.copy
            shown = None if half is None else carried(half, side.view, side.reading.plan)
            now = {wanted: None if shown is None else prepare([shown], side.view).entries[0]}
            if (half is not None or look.is_sure) and side.model.take_written(now):
                side.arranger.arrange_again()

    def _compared(self, index_side: CollectionPane, base_side: CollectionPane) -> tuple[OtherHalves, list[str]]:
        """What differs, and words for it."""
        copies, bases, through = index_side.model.rows, base_side.model.rows, index_side.view
        if min(len(copies.entries), len(bases.entries)) > COMPARED_AT_MOST:
            return OtherHalves(), ["not compared with the base: too many rows on both sides"]
        found: dict[Identity, tuple[str, ...]] = {}
        few, many = (copies, bases) if len(copies.entries) <= len(bases.entries) else (bases, copies)
        for one in few.entries:
            other = many.find(one.identity)
            if other is not None:
                base, copy = (other, one) if few is copies else (one, other)
                names = differing(base.item, copy.item, through)
                if names:
                    found[copy.identity] = names
        looked = {copy for copy, look in self._behind.items() if look.item is None and look.view == through}
        gone = frozenset(self._gone(index_side, base_side) | looked)
        behind = frozenset(copy for copy in found if copy in self._behind)
        return OtherHalves(differing=found, gone=gone, behind=behind), _words(found, gone, behind)

    @staticmethod
    def _gone(index_side: CollectionPane, base_side: CollectionPane) -> set[Identity]:
        """Copies whose items were not in the base table when their whole collection there was read."""
        reading, copies = base_side.reading, index_side.model.rows.entries
        if reading is None or reading.extent not in ("all read", "some attributes") or len(copies) > COMPARED_AT_MOST:
            return set()
        table = base_side.view.table
        of_it = list(copies)
        if isinstance(reading.plan, QueryPlan):
            if reading.plan.by_key:
                return set()
            partition = identity(reading.plan.partition, _partition_names(table))
            of_it = [copy for copy in copies if identity(copy.item, _partition_names(table)) == partition]
        return {copy.identity for copy in of_it if base_side.model.rows.find(copy.identity) is None}

    @staticmethod
    def _not_carried(index_side: CollectionPane, base_side: CollectionPane) -> list[str]:
        """Attributes that base items of the kinds in the index have and it does not carry, in the order met."""
        kinds = {index_side.model.entity_of(copy) for copy in index_side.model.rows.entries[:LOOKED_AT]}
        names = dict.fromkeys(name for entry in _of_kinds(base_side, kinds) for name in entry.item)
        return [name for name in names if not index_side.view.carries(name)]


def _of_kinds(side: CollectionPane, kinds: set[str]) -> list[Entry]:
    return [entry for entry in side.model.rows.entries[:LOOKED_AT] if side.model.entity_of(entry) in kinds]


def _partition_names(table: TableInfo) -> Sequence[str]:
    return [attribute.name for attribute in table.key_schema.partition]


def _words(found: dict[Identity, tuple[str, ...]], gone: frozenset[Identity], behind: frozenset[Identity]) -> list[str]:
    counts: dict[tuple[str, bool], int] = {}
    for copy, names in found.items():
        for name in names:
            counts[name, copy in behind] = counts.get((name, copy in behind), 0) + 1
    said = [_difference(name, count, is_behind=is_behind) for (name, is_behind), count in counts.items()]
    return [*said, *([f"{len(gone)} not in the base table"] if gone else [])]


def _difference(name: str, count: int, *, is_behind: bool) -> str:
    if is_behind:
        return f"{count} {name} {'is' if count == 1 else 'are'} behind the base"
    return f"{count} {name} {'differs' if count == 1 else 'differ'} from the base"
