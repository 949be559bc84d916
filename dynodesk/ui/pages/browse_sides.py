"""Both sides of the Browse page together: where one has been on them, and how one goes from the one to the other."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from dynodesk.domain.collections import Collection, Entry, Identity, View
from dynodesk.domain.index_copies import SecondLook, plan_of
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.reading import Portion
from dynodesk.domain.reads import QueryPlan, ReadPlan
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.actions import Action, button_for, make
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages import browse_actions as act
from dynodesk.ui.pages.browse_beside import SEND, SWAP, Beside
from dynodesk.ui.pages.browse_links import Links
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.ui.pages.browse_visits import Visit, Visits

LOOK_AGAIN = Action(
    "look-again", "Read both again", "Read the item and its copy again: is the index behind?", "Shift+F5", "refresh"
)


class Sides(QObject):
    """The left pane, what is beside it, the link between them, and the way through the collections visited."""

    arrived = Signal()
    """The left side shows something else, or both do."""
    plan_shown = Signal(object)
    """The `ReadPlan` of what the left side shows now."""
    entry_shown = Signal(object, object)
    """An `Entry` or None is current, in a `CollectionPane`."""
    beside_asked = Signal()
    """The right side is needed, and may be hidden."""

    def __init__(
        self,
        table: TableInfo,
        views: Sequence[View],
        left: CollectionPane,
        reader: ItemReader,
        runner: JobRunner,
        page: QWidget,
    ) -> None:
        super().__init__(page)
        self._table, self._views = table, tuple(views)
        self.visits = Visits()
        self.active: CollectionPane | None = None
        """The side on which something was selected last."""
        self._stepped_to: Entry | None = None
        """The current row, where it was only found."""
        self.follow = make(act.FOLLOW, page, self.follow_selected)
        self.swap = make(SWAP, page, self._swap)
        self.send = make(SEND, page, self._send)
        self.again = make(LOOK_AGAIN, page, self._look_again)
        self.left = left
        self.beside = Beside(table, views, reader, runner, page)
        self.beside.add_tool(self.swap)
        self.right = self.beside.pane
        self.links = Links(left, self.beside, reader, runner, self)
        for action in (self.follow, self.send, self.again, self.swap):
            action.setEnabled(False)
        self._again_button = button_for(self.again, tone="quiet")
        self._again_button.setProperty("keys", "")
        self._again_button.hide()
        self.right.add_offer(self._again_button)
        for pane in (left, self.right):
            pane.grid.addActions([self.follow, *([self.send] if pane is left else []), self.again])
        left.selected.connect(self._selected_left)
        self.right.selected.connect(self._selected_right)
        for pane in (left, self.right):
            pane.find_bar.closed.connect(self._find_ended)
        left.edge_followed.connect(self.follow_from_left)
        self.right.edge_followed.connect(self.follow_from_right)
        self.right.followed.connect(self.follow_from_right)
        self.links.left_asked.connect(self._drive_left)
        self.links.leaving.connect(self._stop_here)
        self.links.looked.connect(self._looked)
        self.beside.view_chosen.connect(self.links.show_view)
        self.beside.pin_changed.connect(self._pin_changed)
        self.beside.needed.connect(self.beside_asked)
        self.beside.choose(self._usual_companion())
        self.links.show_view(self._usual_companion())

    # -- going somewhere

    def go(self, plan: ReadPlan, portion: Portion, select: Identity | None = None) -> None:
        """Go to another collection at the left. What lay ahead on the way is given up."""
        self.remember()
        self._go(plan, portion, select)

    def _go(self, plan: ReadPlan, portion: Portion, select: Identity | None = None, *, driven: bool = False) -> None:
        view = View(self._table, plan.index)
        self.visits.add(Visit(self.left.read(plan, view, portion), select, driven))
        if select is not None:
            self.left.select(select)
        companion = self.right.view
        if companion == view and not self.beside.is_pinned and not self.beside.by_hand:
            other = self._views[0] if view.index else self._usual_companion()
            if other != companion:
                self.beside.choose(other)
                self.links.show_view(other)
        self.links.forget()
        self.arrived.emit()

    def remember(self, *, by_right: bool = False) -> None:
        """Keep what both sides show with the stop that is being left.

        Where a selection at the right leads the left away, that selection belongs to the next stop.
        """
        visit, entry = self.visits.current, self.left.current or self.left.model.linked_entry
        if visit is None:
            return
        visit.selected = None if entry is None else entry.identity
        visit.right = self.beside.state(selected=not by_right)
        visit.at_right = self.active is self.right and not by_right

    def can_travel(self, step: int) -> bool:
        return self.visits.can_travel(step)

    def travel(self, step: int) -> bool:
        """Show both sides as they were. False where there is nothing in that direction."""
        if not self.can_travel(step):
            return False
        self.remember()
        visit = self.visits.travel(step)
        had_focus = self.left.grid.hasFocus() or self.right.grid.hasFocus()
        with self.links.quiet():
            self.links.forget()
            self._show_both(visit)
            halves = [(self.left, visit.selected)]
            if visit.right is not None:
                halves.insert(0 if not visit.at_right else 1, (self.right, visit.right.selected))
            for pane, selected in halves:  # last the one that was worked on: it marks its half on the other
                if selected is not None:
                    pane.select(selected)
        if had_focus:
            (self.right if visit.at_right else self.left).grid.setFocus()
        self.plan_shown.emit(visit.reading.plan)
        self.arrived.emit()
        return True

    def _show_both(self, visit: Visit) -> None:
        if visit.reading is not self.left.reading:
            if self.right.reading is visit.reading:  # two grids over the same rows would not know of each other
                self.right.clear(self.right.view, "")
            self.left.show_reading(visit.reading)
        if visit.right is not None:
            self.beside.restore(visit.right)

    @Slot(object)
    def _stop_here(self, pane: CollectionPane) -> None:
        """An edge leads to the other side: the left stays, and the way back leads to both as they are.

        What was shown at the left in passing is the stop itself, once an edge is followed to it.
        """
        visit = self.visits.current
        if visit is None:
            return
        if pane is self.left and visit.driven:
            visit.driven = False
        else:
            self.remember()
            self.visits.add(Visit(visit.reading, visit.selected))
        self.arrived.emit()

    # -- the right side

    @Slot()
    def _swap(self) -> None:
        """Show at the left what is at the right, and the other way round, with the same item selected."""
        left, right = self.left.reading, self.right.reading
        if left is None or right is None:
            return
        self.remember()
        current = self.left.current or self.left.model.linked_entry
        with self.links.quiet():
            self.right.clear(right.view, "")
            self.left.show_reading(right)
            self.beside.show(left)
            self.visits.add(Visit(right))
            if current is not None:
                self.left.select(current.identity)
        self.plan_shown.emit(right.plan)
        self.arrived.emit()

    @Slot()
    def _send(self) -> None:
        """Open at the right, and keep there, the collection that is current at the left, as far as it was asked for."""
        reading, line = self.left.reading, self.left.model.line(self.left.grid.currentIndex())
        first = next(iter(line.shown), None) if isinstance(line, Collection) else line
        if reading is None or first is None:
            return
        plan: ReadPlan = reading.plan
        if not isinstance(plan, QueryPlan):
            plan = plan_of(first.item, self.left.view)
        self.beside_asked.emit()
        self._stop_here(self.right)
        self.beside.ask(plan)

    @Slot()
    def _pin_changed(self) -> None:
        self.links.forget()
        if not self.beside.is_pinned:
            self.links.selected(self.left, self.left.current)

    def _usual_companion(self) -> View:
        return self._views[min(1, len(self._views) - 1)]

    # -- selections and edges

    @Slot(object)
    def _selected_left(self, entry: Entry | None) -> None:
        self._select(self.left, entry)

    @Slot(object)
    def _selected_right(self, entry: Entry | None) -> None:
        self._select(self.right, entry)

    def _select(self, pane: CollectionPane, entry: Entry | None) -> None:
        self.send.setEnabled(self.left.grid.currentIndex().isValid())
        if entry is not None:
            self.active = pane
            self.follow.setEnabled(bool(self._table.indexes))
            self.again.setEnabled(self.links.can_look_again(pane))
        self.entry_shown.emit(entry, pane)
        self._stepped_to = entry if pane.finder.is_stepping else None
        with self.links.quiet() if pane.finder.is_stepping else nullcontext():
            self.links.selected(pane, entry)

    @Slot()
    def _find_ended(self) -> None:
        """The other half of what was found is read where somebody stays there, not of every match on the way."""
        if self.active is not None and self._stepped_to is self.active.current:
            self.links.selected(self.active, self._stepped_to)
        self._stepped_to = None

    @Slot()
    def follow_selected(self) -> None:
        """Open the selected item on the other side, and go there."""
        if self.active is self.right and self.right.current is not None:
            self.follow_from_right(self.right.current)
        elif self.left.current is not None:
            self.follow_from_left(self.left.current)

    @Slot(object)
    def follow_from_left(self, entry: Entry) -> None:
        if not self._table.indexes:
            return
        self.beside_asked.emit()
        if self.right.view == self.left.view:  # its half is elsewhere
            other = self._usual_companion() if self.left.view.index is None else self._views[0]
            self.beside.set_pinned(False)
            self.beside.choose(other)
            self.links.show_view(other)
        self.links.follow(self.left, entry)

    @Slot(object)
    def follow_from_right(self, entry: Entry) -> None:
        self.links.follow(self.right, entry)

    @Slot(object, object, object)
    def _drive_left(self, plan: QueryPlan, portion: Portion, goes_there: bool) -> None:
        self.plan_shown.emit(plan)
        self.remember(by_right=True)
        self._go(plan, portion, driven=not goes_there)

    # -- reading both halves again

    def show_differences(self) -> None:
        """Compare what is loaded by now."""
        self.swap.setEnabled(self.left.reading is not None and self.right.reading is not None)
        self.links.compare()
        self._again_button.setVisible(self.right.model.has_differences or self.left.model.has_differences)

    @Slot()
    def _look_again(self) -> None:
        pane = self.active
        entry = None if pane is None else pane.current
        if pane is not None and entry is not None:
            self.links.look_again(pane, entry)

    @Slot(object)
    def _looked(self, look: SecondLook) -> None:
        pane = self.active or self.left
        words = look.words()
        self.show_differences()
        self.entry_shown.emit(pane.current, pane)
        (self.right if self.right.view.index is not None else self.left).warn(words)
