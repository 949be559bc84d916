"""The Browse page: a Query or Scan at the left, another view of the same table at the right, the item beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from html import escape

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLayout, QSplitter, QToolButton, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.collections import Entry, Identity, View, identity, prepare
from dynodesk.domain.column_choice import ColumnChoice
from dynodesk.domain.edits import Edit
from dynodesk.domain.entities import EntityTypes
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reading import CostEstimate, Portion, expected_cost, units_text
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, check_plan
from dynodesk.domain.requests import operation_of
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import Item
from dynodesk.ui.actions import button_for, make, tool_for
from dynodesk.ui.asking import Asker
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.pages import browse_actions as act
from dynodesk.ui.pages.browse_form import LOOKED_AT, ReadForm
from dynodesk.ui.pages.browse_inspector import Inspector
from dynodesk.ui.pages.browse_inspector_face import draft_words
from dynodesk.ui.pages.browse_pane import PORTION, CollectionPane
from dynodesk.ui.pages.browse_parts import ShortText, switch_for
from dynodesk.ui.pages.browse_rows import RowActions
from dynodesk.ui.pages.browse_sides import Sides
from dynodesk.ui.pages.browse_state import FIRST_ITEMS, restore, state_of
from dynodesk.ui.pages.browse_types import TypeNaming
from dynodesk.ui.pages.item_work import new_item
from dynodesk.ui.theme import Glyph, Text, icon, metrics, px
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import Area, area, column, divider, row

ROOM_FOR_REASONS = 840
"""Width from which the run button says all that it knows; below, its tip does."""
ROOM_FOR_THREE = 1000
"""Width from which the inspector stands beside two grids by itself."""


class _Work(Area):
    """All but the inspector, which comes, goes and is widened beside it."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class BrowsePage(Area):
    """One table in a tab. `back` and `forward` walk through the collections visited in it."""

    ran = Signal(object)
    """A `ReadPlan` that was run because somebody asked for it by the form."""
    way_changed = Signal()
    """`can_travel` may say something else."""

    def __init__(
        self,
        table: TableInfo,
        reader: ItemReader,
        runner: JobRunner,
        index: str | None = None,
        asker: Asker | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("window", "", parent)
        self._table, self._reader, self._runner = table, reader, runner
        self._base = View(table)
        self._views = (self._base, *(View(table, found.name) for found in table.indexes))
        self._never_shown = True
        self._is_filled = False
        self._staged_words = ""
        self._drafts: tuple[Identity | None, ...] = ()
        self._keep_columns: Callable[[ColumnChoice], object] = _forgotten
        self._inspector_asked = False
        self._shown_before: Identity | None = None
        """The item that the inspector showed when what is staged changed last."""

        self._make_actions()
        self.form = ReadForm(table, self._views, options=True)
        self.form.loaded = self._loaded_items
        self.addActions(self.form.actions())
        self.form.index.choose(View(table, index))
        m = metrics()
        left_title = QWidget()
        self._left_title = Text("", weight="semibold")
        left_title.setLayout(row(Glyph("table", "accent"), self._left_title, gap=1.5))
        self.left = CollectionPane(self._base, reader, runner, left_title)
        self.sides = Sides(table, self._views, self.left, reader, runner, self)
        self.right, self.links, self.beside = self.sides.right, self.sides.links, self.sides.beside.chooser
        self.row_actions = RowActions(self, self.left, self.right)
        follow = button_for(self.sides.follow)
        follow.setProperty("keys", "Alt+Enter")
        self.inspector = Inspector(self._base, follow, runner, self._complete, self._new_item, asker)
        self.naming = TypeNaming(table, (self.left, self.right), self.inspector, self)
        self.staged_edit: Callable[[Identity], Edit | None] = _nothing_staged

        self.run_button = button_for(self._run, primary=True)
        self.run_button.setProperty("keys", "Ctrl+Enter")
        self.stop_button = button("Stop", "debug-stop", "Esc")
        self._count = ShortText("text", "semibold")
        self._facts = ShortText("text2")
        self._worded = [switch_for(self._grouped)]
        """They lose their words where there is no room for them."""
        if table.indexes:
            self._worded.append(switch_for(self._linked))
        self._switches = row(gap=1.5)
        run_bar = row(
            self.run_button,
            self.stop_button,
            1,
            self._count,
            self._facts,
            None,
            *self._worded,
            tool_for(self.row_actions.columns),
            switch_for(self._beside, words=False),
            divider(),
            self._switches,
            switch_for(self._inspecting, words=False),
            gap=1.5,
            margins=(3, 1, 2, 2),
        )
        self.split = QSplitter()
        self.split.addWidget(self.left)
        self.split.addWidget(self.right)
        self.split.setStretchFactor(0, 1)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([px(428), px(496)])
        self.split.setChildrenCollapsible(False)
        self.middle = QSplitter(Qt.Orientation.Vertical)
        self.middle.addWidget(self.split)
        self.middle.setChildrenCollapsible(False)
        work = column(self.form, area(run_bar, "window", "b"), self.middle, gap=0)
        work.setStretch(2, 1)
        self.outer = QSplitter()
        self._work = _Work()
        self._work.setLayout(work)
        self.outer.addWidget(self._work)
        self.outer.addWidget(self.inspector)
        self.outer.setStretchFactor(0, 1)
        self.outer.setStretchFactor(1, 0)
        self.outer.setSizes([px(924), px(300)])
        self.outer.setChildrenCollapsible(False)
        layout = column(self.outer, gap=0)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self.setLayout(layout)
        self.begin_at(self.left.grid)
        self.setMinimumHeight(20 * m.row)

        self.form.changed.connect(self._show_run)
        self._work.resized.connect(self._show_run)
        self.form.run_asked.connect(self.run)
        self.stop_button.clicked.connect(self.stop)
        self.inspector.close_asked.connect(self._inspecting.trigger)
        self.inspector.needed.connect(self._show_inspector)
        self.inspector.changed_state.connect(self._show_drafts)
        self.inspector.draft_asked.connect(self._open_draft)
        for pane in (self.left, self.right):
            inspector = self.inspector
            pane.grid.addActions([inspector.edit_action, inspector.duplicate_action, inspector.delete_action])
            pane.changed.connect(self._progress)
            pane.columns_chosen.connect(self._show_columns)
            pane.failed.connect(runner.error_raised)
            pane.recovered.connect(runner.error_settled)
        self.left.more_asked.connect(self._load_left)
        self.right.more_asked.connect(self._load_right)
        self.left.followed.connect(self._inspect)
        self.sides.entry_shown.connect(self._show_item)
        self.sides.plan_shown.connect(self.form.set_plan)
        self.sides.arrived.connect(self._arrived)
        self.sides.beside_asked.connect(self._need_beside)
        self.row_actions.offer_copies()
        self._show_beside(bool(table.indexes))
        if not self._base.schema.sort:  # each collection would be a heading over its one item
            self._grouped.setChecked(False)
            self._group()
        self._title()
        self._show_run()

    @property
    def table(self) -> TableInfo:
        return self._table

    @property
    def whole_items(self) -> list[Item]:
        """The items of the base table that were read whole, the selected ones first."""
        reading = self.left.reading
        if reading is None or self.left.view.index is not None or reading.plan.attributes:
            return []
        chosen = [entry.item for entry in self.left.grid.selected_entries()]
        return [*chosen, *self._loaded_items()]

    def add_below(self, panel: QWidget) -> None:
        """Under the grids, which give it of their room."""
        self.middle.addWidget(panel)
        self.middle.setStretchFactor(0, 1)
        self.middle.setStretchFactor(1, 0)

    def add_switch(self, switch: QToolButton) -> None:
        """At the end of the line with the run button."""
        self._switches.addWidget(switch)

    def show_edit(self, edit: Edit) -> None:
        """A staged edit whose item is not among the rows."""
        self.inspector.show_entry(None, self._base, staged=edit)

    @property
    def unfinished(self) -> str:
        """An item that is being changed; what is staged belongs to the connection, and stays."""
        return "What was changed in an item is not staged: it goes with the tab." if self.inspector.is_changed else ""

    def show_staged(self, edits: tuple[Edit, ...]) -> None:
        """Mark what is staged of this table."""
        self._shown_before = self.inspector.last  # rows that come and go select others
        for pane in (self.left, self.right):
            pane.set_edits(edits)
        self._staged_words = f" · {len(edits):,} staged" if edits else ""
        self._title()

    @Slot()
    def _show_drafts(self) -> None:
        """Mark the items with changes that are not staged."""
        drafts = self.inspector.drafts
        if drafts == self._drafts:
            return
        self._drafts = drafts
        for pane in (self.left, self.right):
            pane.set_drafts(place for place in drafts if place is not None)
        self._title()

    @Slot(object)
    def _open_draft(self, place: Identity | None) -> None:
        if place is not None and self.left.model.rows.find(place) is not None:
            self.left.select(place)
        else:
            self.inspector.open_draft(place, None if place is None else self.staged_edit(place))

    def show_item_again(self) -> None:
        """The selected item as it is staged now. One that is being changed is left alone."""
        if self.inspector.is_editing:
            return
        active, staged = self.sides.active, self.inspector.staged
        if active is not None and active.current is not None:
            self._show_item(active.current, active)
        elif staged is not None and self.staged_edit(staged.target or staged.identity) is None:
            self.inspector.show_nothing()

    def show_written(self, now: Mapping[Identity, Item | None]) -> None:
        """The rows have followed what was written: the item that was shown does as well, wherever it is by now."""
        self._show_result()
        shown, active = self._shown_before, self.sides.active or self.left
        if self.inspector.is_editing or shown is None:
            return
        if shown not in now:
            self._show_item(active.current, active)
            return
        item = now[shown]
        if item is None:
            self.inspector.show_nothing("The item that was shown here is deleted.")
            return
        for pane in (active, self.left, self.right):
            entry = pane.model.rows.find(shown)
            if entry is not None:
                pane.select(shown)
                self._show_item(entry, pane)
                return
        self.inspector.show_entry(prepare([item], self._base).entries[0], self._base, "as it was written")

    def _make_actions(self) -> None:
        self._run = make(act.RUN, self, self.run)
        self._run.setShortcuts([QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter")])
        self._rerun = make(act.RERUN, self, self.rerun)
        self._more = make(act.LOAD_MORE, self, self.load_more)
        self._grouped = make(act.GROUPED, self, self._group)
        self._grouped.setCheckable(True)
        self._grouped.setChecked(True)
        self._beside = make(act.BESIDE, self, self._toggle_beside)
        self._beside.setCheckable(True)
        self._beside.setChecked(bool(self._table.indexes))
        if self._table.indexes:
            self._linked = make(act.LINKED, self, self._link)
            self._linked.setCheckable(True)
            self._linked.setChecked(True)
        self._inspecting = make(act.INSPECTOR, self, self._inspect_or_not)
        self._inspecting.setCheckable(True)
        self._inspecting.setChecked(True)
        self._more.setEnabled(False)

    # -- reading

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.sides.visits.current is None and not self._is_filled:
            self.show_first_page()
        if self._never_shown:
            self._never_shown = False
            grid = self.left.grid
            QTimer.singleShot(0, grid, grid.setFocus)  # after the tabs have given it to the first field

    def minimumSizeHint(self) -> QSize:
        """Without the inspector: it goes where the page gets too narrow for it."""
        return self._work.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is no room for three, the rows have it, until somebody asks for the inspector."""
        super().resizeEvent(event)
        if not self._inspector_asked:
            roomy = event.size().width() >= px(ROOM_FOR_THREE)
            self._inspecting.setChecked(roomy)
            self.inspector.setVisible(roomy)

    @Slot()
    def show_first_page(self) -> None:
        """The first items of the table or index, so that there is something to look at: one page, no more."""
        plan = ScanPlan(self._table.name, self.form.view.index)
        self.form.set_plan(plan)
        self.sides.go(plan, Portion(FIRST_ITEMS))

    @Slot()
    def run(self) -> None:
        """Read what the form asks for, or show at its fields why that cannot be."""
        plan = self.form.plan()
        if plan is not None:
            self.sides.go(plan, self.form.portion())
            self.ran.emit(plan)

    def run_plan(self, plan: ReadPlan) -> None:
        """Fill the form with a plan of this table, and run it: one that was kept may not fit it any more."""
        try:
            check_plan(plan, self._table)
        except DynodeskError as problem:
            self._runner.error_raised.emit(problem)
            return
        self.form.set_plan(plan)
        self.run()

    def go_to(self, plan: ReadPlan, portion: Portion, select: Identity | None = None) -> None:
        """Fill the form with a plan that was checked, read so much of it, and select an item."""
        self.form.set_plan(plan)
        self.sides.go(plan, portion, select)

    def fill(self, plan: ReadPlan) -> None:
        """Fill the form with a plan that was checked, and leave it to somebody to run it."""
        self.form.set_plan(plan)
        self._is_filled = True
        self.left.say("Nothing is read yet. Press Run to read what the form asks for.")

    def state(self) -> dict[str, object]:
        return state_of(self)

    def restore(self, state: Mapping[str, object]) -> None:
        problem = restore(self, state)
        if problem is not None:
            self._runner.error_raised.emit(problem)

    @property
    def query(self) -> ReadPlan | None:
        """What the form asks for; None where that is not a plan yet."""
        return self.form.draft()

    @Slot()
    def rerun(self) -> None:
        """Read the same once more, with the same item selected."""
        visit = self.sides.visits.current
        if visit is not None:
            self.sides.remember()
            self.form.set_plan(visit.reading.plan)
            portion = self._portion(self.form.options.portion_items, visit.selected)
            self.sides.go(visit.reading.plan, portion, select=visit.selected)

    @Slot()
    def load_more(self) -> None:
        self._load_left(self.form.options.portion_items)

    @Slot(object)
    def _load_left(self, items: int) -> None:
        self.left.read_on(self._portion(items, self.left.wanted))

    def _portion(self, items: int, until: Identity | None) -> Portion:
        """So many items, in the pages and at the rate that the form says."""
        return replace(self.form.portion(), items=items, until=until)

    @Slot(object)
    def _load_right(self, items: int) -> None:
        self.right.read_on(Portion(items, until=self.right.wanted))

    @Slot()
    def stop(self) -> None:
        self.left.stop()
        self.right.stop()

    def open_collection(self, partition: Key, select: Key | None = None, index: str | None = None) -> None:
        """Query an item collection of the base table, or of an index, and select the item with the key `select`."""
        plan = QueryPlan(self._table.name, partition=partition, index=index)
        wanted = None if select is None else identity(select, self._base.schema.names)
        self.go_to(plan, Portion(PORTION, until=wanted), wanted)
        self.left.grid.setFocus()

    @Slot()
    def _arrived(self) -> None:
        self._title()
        self._progress()
        self.way_changed.emit()

    # -- the way through the collections

    def can_travel(self, step: int) -> bool:
        return self.sides.can_travel(step)

    def back(self) -> bool:
        """Return to what both sides showed before. False where there is nothing."""
        return self._travel(-1)

    def forward(self) -> bool:
        return self._travel(1)

    def _travel(self, step: int) -> bool:
        """What the inspector showed stays only where it is seen."""
        if not self.sides.travel(step):
            return False
        last = self.inspector.last
        is_seen = last is None or any(pane.model.rows.find(last) is not None for pane in (self.left, self.right))
        if not is_seen and not self.inspector.is_editing:
            self.inspector.show_nothing()
        return True

    # -- selection

    @Slot(object, object)
    def _show_item(self, entry: Entry | None, pane: CollectionPane) -> None:
        if entry is None:
            return
        reading = pane.reading
        how = "" if reading is None else "consistent" if reading.plan.consistent else "eventual"
        where = "base table" if pane.view.index is None else pane.view.index
        when = "" if reading is None else reading.clock
        seen = " · ".join(filter(None, [", ".join(filter(None, [when, where, how])), pane.model.explain(entry)]))
        whole = reading is None or not reading.plan.attributes
        staged = self.staged_edit(entry.identity)
        self.inspector.show_entry(entry, pane.view, seen, whole=whole, staged=staged)

    def _complete(
        self, entry: Entry, done: Callable[[Item | None], object], failed: Callable[[BaseException], object]
    ) -> Job:
        """Read the whole item of a row from the base table, before it is edited."""
        key = self._base.schema.key_of(entry.item)

        def read(_ticket: Ticket) -> Item | None:
            return self._reader.get(self._table.name, key, consistent=True)

        return self._runner.start(read, title=f"Read {visible(readable_key(key))}", done=done, failed=failed)

    def _new_item(self) -> Item:
        """The keys of the collection at the left, the others empty."""
        reading = self.left.reading
        known = reading.plan.partition if reading is not None and isinstance(reading.plan, QueryPlan) else {}
        return new_item(self._base.schema, known)

    @Slot()
    def _show_inspector(self) -> None:
        if not self.inspector.isVisible():
            self._inspecting.setChecked(True)
            self._inspect_or_not()

    @Slot(object)
    def _inspect(self, _entry: Entry) -> None:
        self._inspecting.setChecked(True)
        self._inspect_or_not()

    # -- columns

    @Slot(object)
    def _show_columns(self, choice: ColumnChoice) -> None:
        """Both sides show one table."""
        for pane in (self.left, self.right):
            pane.set_columns(choice)
        self._keep_columns(choice)

    def remember_types(self, types: EntityTypes, keep: Callable[[EntityTypes], object]) -> None:
        """Begin with types named before, and hand over what is named from now on."""
        self.naming.remember(types, keep)

    def show_types(self, types: EntityTypes) -> None:
        """Name the items, on both sides and in the inspector."""
        self.naming.show(types)
        if self.sides.active is not None and not self.inspector.is_editing:
            self._show_item(self.sides.active.current, self.sides.active)

    def remember_columns(self, choice: ColumnChoice, keep: Callable[[ColumnChoice], object]) -> None:
        """Begin with columns chosen before, and hand over what is chosen from now on."""
        self._show_columns(choice)
        self._keep_columns = keep

    # -- switches

    @Slot()
    def _group(self) -> None:
        for pane in (self.left, self.right):
            pane.set_grouped(self._grouped.isChecked())

    @Slot()
    def _link(self) -> None:
        self.links.set_linked(self._linked.isChecked())

    @Slot()
    def _toggle_beside(self) -> None:
        self._show_beside(self._beside.isChecked())

    @Slot()
    def _need_beside(self) -> None:
        if not self._beside.isChecked():
            self._beside.trigger()

    def _show_beside(self, on: bool) -> None:
        self.right.setVisible(on)
        self.links.set_beside(on)

    @Slot()
    def _inspect_or_not(self) -> None:
        self._inspector_asked = True
        self.inspector.setVisible(self._inspecting.isChecked())

    def _loaded_items(self) -> list[Item]:
        return [entry.item for entry in self.left.model.rows.entries[:LOOKED_AT]]

    # -- words

    @property
    def result(self) -> str:
        """The line beside the run button: how much was read, at what cost, and whether that was all."""
        return f"{self._count.text} {self._facts.text}"

    @Slot()
    def _show_run(self) -> None:
        plan = self.form.draft()
        operation = operation_of(plan) if plan is not None else "Scan" if self.form.is_scan else "Query"
        items = self.form.options.portion_items
        cost = None if plan is None else expected_cost(plan, self._table, items, self.sides.visits.known_bytes(plan))
        why = " (no partition key)" if operation == "Scan" else ""
        words = f"{operation}{why} · {_cost_words(cost)}" if plan is not None else operation
        self.run_button.setAccessibleName(words)
        is_tight = self._work.width() < px(ROOM_FOR_REASONS)
        if plan is not None and is_tight:
            words = f"{operation} · {_cost_words(cost).partition(',')[0]}"
        self.run_button.setText(words)
        for switch in self._worded:
            style = Qt.ToolButtonStyle
            switch.setToolButtonStyle(style.ToolButtonIconOnly if is_tight else style.ToolButtonTextBesideIcon)
        self.left.set_usual(items)
        basis = f"The cost is estimated {cost.basis}." if cost is not None and cost.basis else ""
        basis = ". ".join(filter(None, (self.form.explanation, why.strip(" ()"), basis)))
        self.run_button.setToolTip(f"<qt>{escape(basis)}</qt>" if basis else "")  # keys are never taken as markup
        self.run_button.setAccessibleDescription(basis)

    @Slot()
    def _progress(self) -> None:
        running = self.left.feed.running
        if running and self.run_button.hasFocus():
            self.left.grid.setFocus()  # the button goes, and what was asked for comes there
        self.run_button.setVisible(not running)
        self.stop_button.setVisible(running)
        reading = self.left.reading
        self._more.setEnabled(reading is not None and reading.has_more and not running)
        self._show_result()
        if not running:
            self.sides.show_differences()  # not with every page: it looks at hundreds of items
            self.form.filter.look_again()
            self._show_run()  # what this collection costs is known now

    def _show_result(self) -> None:
        reading = self.left.reading
        if reading is None:
            return
        count = reading.count
        self._count.set_text(f"{count:,} {'item' if count == 1 else 'items'}")
        self._facts.set_text(reading.facts())

    def _title(self) -> None:
        view = self.left.view
        reading = self.left.reading
        plan = None if reading is None else reading.plan
        key = f": {visible(readable_key(plan.partition))}" if isinstance(plan, QueryPlan) else ""
        drafts = f" · {draft_words(len(self._drafts))}" if self._drafts else ""
        self._left_title.setText(view.title)
        self.setWindowTitle(
            f"{self._table.name}{f'.{view.index}' if view.index else ''}{key}{self._staged_words}{drafts}"
        )
        self.setWindowIcon(icon("list-tree" if key or view.index else "table"))


def _cost_words(cost: CostEstimate | None) -> str:
    if cost is None:
        return "cost not known"
    old = ", old estimate" if cost.is_old else ""
    return f"{'about' if cost.basis else 'from'} {units_text(cost.units)} RCU{old}"


def _nothing_staged(_identity: Identity) -> Edit | None:
    return None


def _forgotten(_choice: ColumnChoice) -> None:
    """Columns of a page that nobody remembers."""
