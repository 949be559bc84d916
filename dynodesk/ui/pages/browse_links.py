"""The link between the two sides of the Browse page: a selection on one finds its other half on the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from dynodesk.domain.collections import Entry, View, absence
from dynodesk.domain.index_copies import SecondLook, look_again, plan_of
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reading import Portion
from dynodesk.domain.reads import QueryPlan
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse_beside import Beside
from dynodesk.ui.pages.browse_differences import Differences
from dynodesk.ui.pages.browse_pane import CollectionPane

SETTLE_MS = 120
"""A selection must stand for so long before it costs a read: arrow keys held down pass over many rows."""
LINKED_ITEMS, LINKED_PAGE = 1_000, 200
"""Items read at most to find the other half, and in one page: it mostly is in the first."""


@dataclass(frozen=True, eq=False)
class _Wanted:
    """The item whose other half is looked for, and where."""

    entry: Entry
    source: View
    pane: CollectionPane
    go_there: bool = False


class Links(QObject):
    """Decides what each side shows when something is selected on the other. The newest selection wins.

    - The half that is among the rows of the other side is marked there.
    - One that is not is read, unless the other side is the right one and pinned. Both sides looking through the same
      view show the same collection then: only a Scan at the left drives the right.
    - Following an edge goes to the other half, wherever it has to be read.
    """

    left_asked = Signal(object, object, object)
    """A `QueryPlan` and `Portion` that the left side should show, and whether somebody goes there."""
    leaving = Signal(object)
    """An edge is being followed to the pane, and the left stays what it is: this is a stop on the way."""
    looked = Signal(object)
    """A `SecondLook` has come."""

    def __init__(
        self, left: CollectionPane, beside: Beside, reader: ItemReader, runner: JobRunner, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._left, self._right, self._side = left, beside.pane, beside
        self._reader, self._runner = reader, runner
        self._differences = Differences(left, beside.pane)
        self._linked, self._beside, self._quiet = True, True, False
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
        self.compare()

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Selections are marked on the other side, and nothing is read for them."""
        self._quiet = True
        try:
            yield
        finally:
            self._quiet = False

    def selected(self, pane: CollectionPane, entry: Entry | None) -> None:
        if not self._linked or not self._beside or entry is None:
            return
        other = self._other(pane)
        pane.mark(None)  # its own mark belonged to an earlier selection on the other side
        self._wanted = wanted = _Wanted(entry, pane.view, other)
        self._settling.stop()
        if other.model.rows.find(entry.identity) is not None:
            self._point(wanted)
        elif self._may_read(pane, other):
            self._settling.start()
        else:
            self._wanted = None
            other.mark(None)

    def follow(self, pane: CollectionPane, entry: Entry) -> None:
        """Find the other half of an entry of this side, and go there."""
        self._settling.stop()
        self._wanted = wanted = _Wanted(entry, pane.view, self._other(pane), go_there=True)
        if wanted.pane.model.rows.find(entry.identity) is not None:
            self._leave(wanted)
            self._point(wanted)
        else:
            self._settled()

    def show_view(self, view: View) -> None:
        """Look through another view at the right."""
        if view == self._left.view and isinstance(_plan(self._left), QueryPlan):
            words = f"Both sides look through {_name(view)}. Ask for a key here, or open a collection from the left."
        else:
            words = f"Select an item at the left: its collection in {_name(view)} is shown here."
        self._right.clear(view, words)
        self.compare()
        self.selected(self._left, self._left.current)

    def forget(self) -> None:
        """Whatever was looked for is looked for no more."""
        self._wanted = None
        self._settling.stop()

    def _other(self, pane: CollectionPane) -> CollectionPane:
        return self._right if pane is self._left else self._left

    def _may_read(self, pane: CollectionPane, other: CollectionPane) -> bool:
        if self._quiet or (other is self._right and self._side.is_pinned):
            return False
        return pane.view != other.view or (pane is self._left and not isinstance(_plan(pane), QueryPlan))

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
        pane = wanted.pane
        pane.warn("")
        if why := absence(item, pane.view):
            self._not_there(wanted, f"Not in {pane.view.title}: {why} (a sparse index).")
            return
        plan = plan_of(item, pane.view)
        portion = Portion(LINKED_ITEMS, LINKED_PAGE, until=wanted.entry.identity)
        reading = pane.reading
        if reading is not None and _same_collection(reading.plan, plan):
            self._leave(wanted)
            if reading.has_more:
                pane.read_on(portion)
            elif not pane.feed.running:
                pane.warn(f"the selected item was not among these when {pane.view.title} was read")
        elif pane is self._right:
            self._leave(wanted)
            if wanted.go_there:
                self._side.set_pinned(False)
            pane.read(plan, pane.view, portion)
        else:
            self.left_asked.emit(plan, portion, wanted.go_there)
        self._point(wanted)

    def _leave(self, wanted: _Wanted) -> None:
        if wanted.go_there:
            self.leaving.emit(wanted.pane)

    def _point(self, wanted: _Wanted) -> None:
        """Mark the half, or go there, now or when it arrives."""
        pane, half = wanted.pane, wanted.entry.identity
        if wanted.go_there:
            pane.select(half)
            pane.grid.setFocus()
        else:
            pane.mark(half)

    def _not_there(self, wanted: _Wanted, why: str) -> None:
        if wanted.pane is self._right:
            self._right.clear(self._right.view, why)
        else:
            self._left.mark(None)
            self._left.warn(why)

    # -- comparing what both sides have

    @Slot()
    def compare(self) -> None:
        """Mark where the sides differ, as they were read."""
        self._differences.show(self._beside)

    def can_look_again(self, pane: CollectionPane) -> bool:
        return self._beside and self._differences.index_side(pane) is not None

    def look_again(self, pane: CollectionPane, entry: Entry) -> None:
        """Read both halves of an item again, to tell an index that is behind from sides read at different times."""
        index_side = self._differences.index_side(pane)
        if index_side is None:
            return
        view = index_side.view
        copy = index_side.model.rows.find(entry.identity)
        key = view.table.key_schema.key_of(entry.item)
        seen = None if copy is None else copy.item
        job = self._runner.start(
            partial(_look, self._reader, view, key, seen),
            title=f"Read an item of {view.table.name} and its copy again",
            done=self._looked,
        )
        self._fetches += 1
        job.ended.connect(self._fetch_ended)

    @Slot(object)
    def _looked(self, look: SecondLook) -> None:
        self._differences.take(look)
        self.compare()
        self.looked.emit(look)


def _plan(pane: CollectionPane) -> object:
    return None if pane.reading is None else pane.reading.plan


def _same_collection(shown: object, plan: QueryPlan) -> bool:
    return (
        isinstance(shown, QueryPlan)
        and shown.sort is None
        and shown.filter is None
        and shown.partition == plan.partition
        and shown.index == plan.index
    )


def _fetch(reader: ItemReader, wanted: _Wanted, key: Key, ticket: Ticket) -> tuple[_Wanted, Item | None]:
    ticket.checkpoint()
    return wanted, reader.get(wanted.source.table.name, key)


def _look(reader: ItemReader, view: View, key: Key, seen: Item | None, ticket: Ticket) -> SecondLook:
    return look_again(reader, view, key, seen, ticket)


def _name(view: View) -> str:
    return view.index or "the base table"
