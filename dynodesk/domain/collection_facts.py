"""What the loaded items say of their item collection: how large it is, what reading it costs, how much room is left."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from dynodesk.domain.capacity import PAGE_BYTES, read_units
from dynodesk.domain.cells import byte_text
from dynodesk.domain.collections import Collection, Extent, View, local_views
from dynodesk.domain.reading import units_text

COLLECTION_LIMIT = 10 * 1024**3
"""Bytes of an item collection in a table with a local index, copies included (Developer Guide, "Item collections in
Local Secondary Indexes"). Without a local index there is no such limit."""


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """Numbers from the items that are loaded: nothing else is known of a collection before it is written to."""

    count: int
    size: int
    """Bytes of the items, as far as they were read."""
    footprint: int | None
    """Bytes that count to the limit, copies in local indexes included; None where there is no limit to speak of."""
    is_whole: bool
    """All of the collection is loaded, with all attributes."""
    at_least: bool
    """More of it may come."""
    consistent: bool
    """Whether it can be read consistently."""

    @property
    def units(self) -> Decimal:
        """To read all of it eventually consistent. Each page is rounded up by itself."""
        return read_units(self.size, "eventual")

    @property
    def consistent_units(self) -> Decimal | None:
        return read_units(self.size, "strong") if self.consistent else None

    @property
    def note(self) -> str:
        """`1 RCU to read, 2 consistent · 0.1 % of 10 GB`; "" where what is loaded does not tell."""
        if not self.is_whole and not self.at_least:
            return ""
        about = "from " if self.at_least else "about " if self.size > PAGE_BYTES else ""
        strong = "" if self.consistent_units is None else f", {units_text(self.consistent_units)} consistent"
        parts = [f"{about}{units_text(self.units)} RCU to read{strong}"]
        if self.footprint is not None:
            parts.append(f"{'at least ' if self.at_least else ''}{_share(self.footprint)} of 10 GB")
        return " · ".join(parts)

    def explanation(self, view: View) -> str:
        """The same in sentences, with where it comes from."""
        items = f"{self.count:,} {'item' if self.count == 1 else 'items'}"
        said = [f"From the {items} loaded, {byte_text(self.size)}."]
        if self.is_whole or self.at_least:
            least = "at least " if self.at_least else ""
            strong = (
                "" if self.consistent_units is None else f", or {units_text(self.consistent_units)} RCU consistently"
            )
            said.append(f"Reading all of it takes {least}{units_text(self.units)} RCU eventually consistent{strong}.")
        else:
            said.append("What reading all of it takes is not known: only a part of it was asked for.")
        if self.footprint is not None:
            left = byte_text(max(0, COLLECTION_LIMIT - self.footprint))
            said.append(
                f"With its copies in local indexes it takes {byte_text(self.footprint)} of the 10 GB that a collection "
                f"may have here: {'at most ' if not self.is_whole else ''}{left} are left. The service itself tells a "
                "collection's size only in replies to writes, as a range of gigabytes; none has been asked for it."
            )
        if view.index is not None:
            said.append(
                f"{view.index} has only items with all of its keys, and may be behind the base table: how many items "
                "there are is not told by it."
            )
        elif self.footprint is None:
            said.append("The table has no local index: no limit of 10 GB holds for its collections.")
        return " ".join(said)


def facts_of(collection: Collection, view: View, extent: Extent) -> CollectionFacts:
    return CollectionFacts(
        count=collection.count,
        size=collection.size,
        footprint=collection.footprint if local_views(view) else None,
        is_whole=extent == "all read",
        at_least=extent == "so far",
        consistent=not view.always_eventual,
    )


def _share(size: int) -> str:
    tenths = 1000 * size // COLLECTION_LIMIT
    return f"{tenths // 10}.{tenths % 10} %" if tenths else "less than 0.1 %"
