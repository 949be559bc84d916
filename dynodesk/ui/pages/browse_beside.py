"""The right side of the Browse page: driven by selections at the left, or asked by itself and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QSignalBlocker, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from dynodesk.domain.collections import Identity, View
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.reading import Portion, Reading
from dynodesk.domain.reads import ReadPlan
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.actions import Action, make, tool_for
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse_form import ReadForm
from dynodesk.ui.pages.browse_pane import PORTION, CollectionPane, ViewChooser
from dynodesk.ui.pages.browse_parts import switch_for
from dynodesk.ui.theme import Glyph, ui_font
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import Area, area, column, row

PIN = Action("pin-beside", "Pin", "Keep what the right side shows, whatever is selected.", "Ctrl+Alt+P", "pin")
ASK = Action("ask-beside", "Query at the right", "Ask for keys at the right side by itself.", "Ctrl+Alt+Q", "search")
SWAP = Action(
    "swap-sides", "Swap sides", "Show at the left what is at the right, and back.", "Ctrl+Shift+B", "arrow-swap"
)
SEND = Action(
    "send-right", "Open at the right", "Show the collection at the right and keep it there.", "Alt+Shift+Return", "pin"
)


@dataclass(frozen=True, eq=False)
class RightState:
    """What the right side shows, to be shown again."""

    view: View
    reading: Reading | None
    message: str
    """What stands there where nothing was read."""
    is_pinned: bool
    selected: Identity | None


class BesideQuery(Area):
    """The form of a Query or Scan of the right side alone. The view is chosen above it."""

    run_asked = Signal(object)
    """A `ReadPlan`."""

    def __init__(self, table: TableInfo, views: Sequence[View]) -> None:
        super().__init__("window", "b")
        self.form = ReadForm(table, views)
        self.run_button = button("Query", "play", "Enter")
        self.form.leave_out_place(self.run_button)
        self.setLayout(column(self.form, gap=0, margins=(0, 0, 0, 1)))
        self.form.run_asked.connect(self.run)
        self.form.changed.connect(self._show_operation)
        self.run_button.clicked.connect(self.run)
        self._show_operation()

    @Slot()
    def run(self) -> None:
        plan = self.form.plan()
        if plan is not None:
            self.run_asked.emit(plan)

    @Slot()
    def _show_operation(self) -> None:
        self.run_button.setText("Scan" if self.form.is_scan else "Query")
        self.run_button.setAccessibleName(f"{self.run_button.text()} at the right")


class Beside(QObject):
    """Holds the right pane, its chooser of views, its form and its pin.

    While it is pinned, a selection at the left is marked here where it is among the rows, and nothing is read for it.
    Choosing another view, or following an edge to the right, lets go of it.
    """

    view_chosen = Signal(object)
    """Another `View` to look through."""
    needed = Signal()
    """Its form is opened, and the side may be hidden."""
    pin_changed = Signal()
    """By hand, or because something was asked for here."""

    def __init__(
        self, table: TableInfo, views: Sequence[View], reader: ItemReader, runner: JobRunner, page: QWidget
    ) -> None:
        super().__init__(page)
        self.by_hand = False
        """Whether somebody has chosen the view: then it stays when the left goes elsewhere."""
        self.pin: QAction = make(PIN, page, self._pin_switched)
        self.ask_action: QAction = make(ASK, page, self._ask_switched)
        for action in (self.pin, self.ask_action):
            action.setCheckable(True)
        self.chooser = ViewChooser(views, "View at the right", with_keys=False)
        self.chooser.setFont(ui_font(weight="medium"))
        self._title = row(Glyph("list-tree"), self.chooser, gap=1.5)
        self.pane = CollectionPane(views[min(1, len(views) - 1)], reader, runner, area(self._title, "window"))
        self.query = BesideQuery(table, views)
        self.query.hide()
        self.pane.add_bar(self.query)
        self.pane.add_tools(switch_for(self.ask_action, words=False), switch_for(self.pin, words=False))
        self.chooser.currentIndexChanged.connect(self._chosen)
        self.chooser.activated.connect(self._chosen_by_hand)
        self.query.run_asked.connect(self.ask)
        self.query.form.filter.closed.connect(self.pane.grid.setFocus)

    def add_tool(self, action: QAction) -> None:
        self.pane.add_tools(tool_for(action))

    @property
    def pinned(self) -> ReadPlan | None:
        """What is kept there; None where nothing is."""
        return self.pane.reading.plan if self.is_pinned and self.pane.reading is not None else None

    @property
    def is_pinned(self) -> bool:
        return self.pin.isChecked()

    def set_pinned(self, pinned: bool) -> None:
        """Keep what is shown, or let go of it when something is selected next."""
        self.pin.setChecked(pinned)

    # -- what it shows

    def choose(self, view: View) -> None:
        """Name the view that is looked through; what is shown stays as it is."""
        with QSignalBlocker(self.chooser):
            self.chooser.choose(view)
        self.query.form.index.choose(view)

    @Slot(object)
    def ask(self, plan: ReadPlan) -> None:
        """Read something of its own, keep it, and go there."""
        self.read(plan)
        self.pane.grid.setFocus()

    def read(self, plan: ReadPlan) -> None:
        """Read something of its own, and keep it."""
        view = View(self.pane.view.table, plan.index)
        self.choose(view)
        self.query.form.set_plan(plan)
        self.set_pinned(True)
        self.pin_changed.emit()
        self.pane.read(plan, view, Portion(PORTION))

    def show(self, reading: Reading) -> None:
        """Show what was read before."""
        self.choose(reading.view)
        if reading is not self.pane.reading:
            self.pane.show_reading(reading)

    # -- going back

    def state(self, *, selected: bool) -> RightState:
        """With or without what is selected there."""
        pane, current = self.pane, self.pane.current
        which = current.identity if selected and current is not None else None
        return RightState(pane.view, pane.reading, pane.message, self.is_pinned, which)

    def restore(self, state: RightState) -> None:
        if state.reading is not None:
            self.show(state.reading)
        else:
            self.choose(state.view)
            self.pane.clear(state.view, state.message)
        self.set_pinned(state.is_pinned)

    # -- by hand

    @Slot()
    def _chosen_by_hand(self) -> None:
        self.by_hand = True

    @Slot()
    def _chosen(self) -> None:
        self.set_pinned(False)
        self.query.form.index.choose(self.chooser.chosen)
        self.view_chosen.emit(self.chooser.chosen)

    @Slot()
    def _pin_switched(self) -> None:
        self.pin_changed.emit()

    @Slot()
    def _ask_switched(self) -> None:
        """Open the form with what is shown, or close it."""
        is_open = self.ask_action.isChecked()
        self.query.setVisible(is_open)
        if not is_open:
            self.pane.grid.setFocus()
            return
        self.needed.emit()
        if self.pane.reading is not None:
            self.query.form.set_plan(self.pane.reading.plan)
        self.query.form.partition[0].setFocus()
        self.query.form.partition[0].selectAll()
