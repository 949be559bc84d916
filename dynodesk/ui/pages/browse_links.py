"""The link between the two sides of the Browse page: a selection on one finds its other half on the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from dynodesk.domain.collections import Entry, View, absence, differing
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reading import Portion
from dynodesk.domain.reads import QueryPlan
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse_pane import CollectionPane

SETTLE_MS = 120
"""A selection must stand for so long before it costs a read: arrow keys held down pass over many rows."""
LINKED_ITEMS, LINKED_PAGE = 1_000, 200
"""Items read at most to find the other half, and in one page: it mostly is in the first."""
COMPARED_AT_MOST = 5_000
"""Rows on both sides up to which index copies are compared with the base: a few milliseconds."""


@dataclass(frozen=True, eq=False)
class _Wanted:
    """The item whose other half is looked for, and where."""

    entry: Entry
    source: View
    pane: CollectionPane
    go_there: bool = False


class Links(QObject):
    """Decides what each side shows when something is selected on the other. The newest selection wins."""

    left_asked = Signal(object, object)
    """A `QueryPlan` and `Portion` that the left side should show."""

    def __init__(
        self, left: CollectionPane, right: CollectionPane, reader: ItemReader, runner: JobRunner, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._left, self._right, self._reader, self._runner = left, right, reader, runner
        self._linked, self._beside = True, True
        self._wanted: _Wanted | None = None
        self._fetches = 0
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(SETTLE_MS)
        self._settling.timeout.connect(self._settled)

    @property
    def busy(self) -> bool:
        """Whether a selection waits for its other half to be looked for."""
        return self._settling.isActive() or self._fetches > 0

    # -- what the page tells

    def set_linked(self, linked: bool) -> None:
        self._linked = linked
        if linked:
            self.selected(self._left, self._left.current)
        else:
            self.forget()
            self._left.mark(None)
            self._right.mark(None)

    def set_beside(self, beside: bool) -> None:
        self._beside = beside
        if beside:
            self.selected(self._left, self._left.current)
        else:
            self.forget()
            self._right.feed.drop()

    def selected(self, pane: CollectionPane, entry: Entry | None) -> None:
        if not self._linked or not self._beside or entry is None:
            return
        other = self._right if pane is self._left else self._left
        pane.mark(None)  # its own mark belonged to an earlier selection on the other side
        self._wanted = _Wanted(entry, pane.view, other)
        if other.model.rows.find(entry.identity) is not None:
            self._settling.stop()
            self._show_half(self._wanted, entry.item)
        else:
            self._settling.start()

    def follow(self, entry: Entry) -> None:
        """Find the entry's other half at the right and go there."""
        self._settling.stop()
        self._wanted = _Wanted(entry, self._left.view, self._right, go_there=True)
        self._settled()

    def show_view(self, view: View) -> None:
        """Look through another view at the right."""
        self._right.clear(view, f"Select an item at the left: its collection in {_name(view)} is shown here.")
        self.selected(self._left, self._left.current)

    def forget(self) -> None:
        """Whatever was looked for is looked for no more."""
        self._wanted = None
        self._settling.stop()

    # -- finding the other half

    @Slot()
    def _settled(self) -> None:
        wanted = self._wanted
        if wanted is None:
            return
        names = wanted.pane.view.schema.names
        if all(wanted.source.carries(name) for name in names):
            self._show_half(wanted, wanted.entry.item)
            return
        # One index does not know the keys of the other: the item itself has to be read.
        base = wanted.source.table.key_schema
        job = self._runner.start(
            partial(_fetch, self._reader, wanted, base.key_of(wanted.entry.item)),
            title=f"Get an item of {wanted.source.table.name}",
            done=self._fetched,
        )
        self._fetches += 1
        job.ended.connect(self._fetch_ended)

    @Slot()
    def _fetch_ended(self) -> None:
        self._fetches -= 1

    @Slot(object)
    def _fetched(self, result: tuple[_Wanted, Item | None]) -> None:
        wanted, item = result
        if wanted is not self._wanted:
            return
        if item is None:
            self._not_there(wanted, "The item no longer exists in the base table.")
        else:
            self._show_half(wanted, item)

    def _show_half(self, wanted: _Wanted, item: Item) -> None:
        pane, wanted_id = wanted.pane, wanted.entry.identity
        pane.warn("")
        try:
            partition = pane.view.partition_of(item)
        except InvalidValue:
            self._not_there(wanted, f"Not in {pane.view.title}: {absence(item, pane.view)} (a sparse index).")
            return
        plan = QueryPlan(pane.view.table.name, partition=partition, index=pane.view.index)
        portion = Portion(LINKED_ITEMS, LINKED_PAGE, until=wanted_id)
        reading = pane.reading
        if pane.model.rows.find(wanted_id) is not None:
            pass
        elif reading is not None and _same_collection(reading.plan, plan):
            if reading.has_more:
                pane.read_on(portion)
            elif not pane.feed.running:
                pane.warn(f"the selected item was not among these when {pane.view.title} was read")
        elif pane is self._right:
            pane.read(plan, pane.view, portion)
        else:
            self.left_asked.emit(plan, portion)
        if wanted.go_there:
            pane.select(wanted_id)
            pane.grid.setFocus()
        else:
            pane.mark(wanted_id)

    def _not_there(self, wanted: _Wanted, why: str) -> None:
        if wanted.pane is self._right:
            self._right.clear(self._right.view, why)
        else:
            self._left.mark(None)
            self._left.warn(why)

    # -- comparing what both sides have

    @Slot()
    def compare(self) -> None:
        """Mark index copies that are not what the base has, and name what the index does not carry."""
        for index_pane, base_pane in ((self._right, self._left), (self._left, self._right)):
            through = index_pane.view
            if through.index is None or base_pane.view.index is not None:
                index_pane.model.set_differing({})
                index_pane.set_warnings((), ())
                continue
            copies, bases = index_pane.model.rows, base_pane.model.rows
            if min(len(copies.entries), len(bases.entries)) > COMPARED_AT_MOST:
                index_pane.set_warnings((), ("not compared with the base: too many rows on both sides",))
                continue
            few, many = (copies, bases) if len(copies.entries) <= len(bases.entries) else (bases, copies)
            pairs = [(entry, many.find(entry.identity)) for entry in few.entries]
            found = {}
            kinds = {index_pane.model.entity_of(entry) for entry in copies.entries[:COMPARED_AT_MOST]}
            for one, other in pairs:
                if other is not None:
                    base, copy = (other, one) if few is copies else (one, other)
                    names = differing(base.item, copy.item, through)
                    if names:
                        found[copy.identity] = names
            index_pane.model.set_differing(found)
            of_kinds = [e for e in bases.entries[:COMPARED_AT_MOST] if base_pane.model.entity_of(e) in kinds]
            hidden = _not_carried(of_kinds, through)
            index_pane.model.set_unprojected(hidden)
            index_pane.set_warnings(hidden, _difference_words(found))


def _not_carried(entries: list[Entry], through: View) -> list[str]:
    """Attributes that the items have and the index does not carry, in the order met."""
    names = dict.fromkeys(name for entry in entries for name in entry.item)
    return [name for name in names if not through.carries(name)]


def _difference_words(found: dict[tuple[str, ...], tuple[str, ...]]) -> list[str]:
    counts: dict[str, int] = {}
    for names in found.values():
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    return [f"{count} {name} {'differs' if count == 1 else 'differ'} from the base" for name, count in counts.items()]


def _same_collection(shown: object, plan: QueryPlan) -> bool:
    return (
        isinstance(shown, QueryPlan)
        and shown.sort is None
        and shown.partition == plan.partition
        and shown.index == plan.index
    )


def _fetch(reader: ItemReader, wanted: _Wanted, key: Key, ticket: Ticket) -> tuple[_Wanted, Item | None]:
    ticket.checkpoint()
    return wanted, reader.get(wanted.source.table.name, key)


def _name(view: View) -> str:
    return view.index or "the base table"
