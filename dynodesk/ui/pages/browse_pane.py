"""One side of the Browse page: what a Query or Scan has read, through the table or one of its indexes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QMenu, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.collections import Entry, Identity, Prepared, View, absence
from dynodesk.domain.column_choice import ColumnChoice
from dynodesk.domain.edits import Edit
from dynodesk.domain.item_copy import CopyForm
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.parallel_scan import reading_for
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.reading import EVERYTHING, Portion, Reading
from dynodesk.domain.reads import QueryPlan, ReadPlan
from dynodesk.domain.requests import key_condition
from dynodesk.domain.row_choice import RowFilter, Sorting
from dynodesk.domain.values import Item
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.models.collection_model import CollectionModel
from dynodesk.ui.models.page_feed import PageFeed
from dynodesk.ui.pages.browse_arranging import RowArranger
from dynodesk.ui.pages.browse_bars import FilterBar, FindBar
from dynodesk.ui.pages.browse_columns import ColumnChooser
from dynodesk.ui.pages.browse_copy import RowCopier
from dynodesk.ui.pages.browse_find import RowFinder
from dynodesk.ui.pages.browse_grid import CollectionGrid
from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.pages.browse_words import TRY_AGAIN, arrangement_words, listed, loaded_words, more_words
from dynodesk.ui.theme import Glyph, Text, metrics
from dynodesk.ui.widgets.controls import button, tool
from dynodesk.ui.widgets.layouts import Area, area, column, row

PORTION = 1_000
"""Items read for one press of a button, unless another number is chosen."""
PORTIONS = (100, 1_000, 10_000, 100_000, EVERYTHING)
HIDDEN_ALL = "The filter hides all loaded rows."


class CollectionPane(Area):
    """Shows one reading at a time, and reads on. What is selected on another pane is marked, never selected, here."""

    selected = Signal(object)
    """The `Entry` now current, or None."""
    followed = Signal(object)
    """An `Entry` was double-clicked or Enter pressed on it."""
    edge_followed = Signal(object)
    """An `Entry` whose other half is asked for."""
    changed = Signal()
    """Something was read, or reading has ended."""
    failed = Signal(object)
    recovered = Signal(object)
    """The exception of a read, once another has not failed."""
    more_asked = Signal(object)
    """So many items more, as in a `Portion`."""
    columns_chosen = Signal(object)
    """A `ColumnChoice` for the table."""

    def __init__(
        self, view: View, reader: ItemReader, runner: JobRunner, title: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__("base", "", parent)
        self._runner = runner
        self._reading: Reading | None = None
        self._drafts: tuple[Identity, ...] = ()
        self._failures: list[BaseException] = []
        """Of reads since the last one that did not fail."""
        self._wanted: Identity | None = None
        self._select_wanted = False
        self._grouped = True
        self._warnings: tuple[str, ...] = ()
        self._notice = self._copied = ""
        self._edits: tuple[Edit, ...] = ()
        self.model = CollectionModel(LoadedRows(view), self)
        self.grid = CollectionGrid(self.model, "Rows")
        self.feed = PageFeed(reader, runner, self)
        self.arranger = RowArranger(self.model, runner, self)
        self.copier = RowCopier(runner, self)
        self.filter_bar, self.find_bar = FilterBar(), FindBar()
        self.finder = RowFinder(self.grid, self.find_bar, runner, self)
        self.chooser = ColumnChooser(self.model, self)

        m = metrics()
        self._where = ShortText("text2", mono=True)
        self._consistency = Text("", "muted")
        self._filter_tool = tool("filter", "Filter loaded rows")
        self._filter_tool.clicked.connect(self.filter_bar.open)
        self._tools = row(gap=0.5)
        header = row(
            title,
            self._where,
            None,
            self._consistency,
            self._tools,
            self._filter_tool,
            gap=1.5,
            margins=(3, 0, 1, 0),
        )
        header.setStretch(1, 0)
        self._warning_sign = Glyph("warning", "warn", m.icon - 2)
        self._foot = ShortText("muted")
        self._usual = PORTION
        self.more = button(more_words(PORTION), tone="quiet")
        self.more.clicked.connect(self._ask_for_usual)
        self._much_more = tool("ellipsis", "Load another number of items")
        self._much_more.clicked.connect(self._offer_portions)
        self._offers = row(gap=1.5)
        foot = row(
            self._warning_sign,
            self._foot,
            None,
            self._offers,
            self.more,
            self._much_more,
            gap=1.5,
            margins=(3, 0, 1, 0),
        )
        whole = column(
            area(header, "window", "b", m.bar + 2),
            self.filter_bar,
            self.grid,
            self.find_bar,
            area(foot, "window", "t", m.bar + 1),
            gap=0,
        )
        whole.setStretch(2, 1)
        self._whole = whole
        self.setLayout(whole)

        self.grid.entry_selected.connect(self.selected)
        self.grid.entry_opened.connect(self.followed)
        self.grid.edge_followed.connect(self.edge_followed)
        self.grid.sort_asked.connect(self.sort)
        self.grid.columns_chosen.connect(self._columns_chosen)
        self.grid.selection_counted.connect(self._selection_changed)
        self.chooser.chosen.connect(self._columns_chosen)
        self.filter_bar.asked.connect(self._filter)
        self.filter_bar.closed.connect(self.grid.setFocus)
        self.find_bar.closed.connect(self.grid.setFocus)
        self.arranger.arranged.connect(self._arranged)
        self.copier.copied.connect(self._show_copied)
        self.copier.refused.connect(self.warn)
        self.feed.page_taken.connect(self._page_taken)
        self.feed.items_ready.connect(self._items_ready)
        self.feed.failed.connect(self._failed)
        self.feed.ended.connect(self._ended)
        self.say("")

    def add_tools(self, *tools: QWidget) -> None:
        """Put tools into the header."""
        for one in tools:
            self._tools.addWidget(one)

    def add_bar(self, bar: QWidget) -> None:
        """Put a bar below the header."""
        self._whole.insertWidget(1, bar)

    def add_offer(self, offer: QWidget) -> None:
        """Put a button into the foot."""
        self._offers.addWidget(offer)

    # -- what is shown

    @property
    def view(self) -> View:
        return self.model.view

    @property
    def reading(self) -> Reading | None:
        return self._reading

    @property
    def current(self) -> Entry | None:
        return self.grid.current_entry

    @property
    def wanted(self) -> Identity | None:
        """The item that is being looked for among the rows to come, or is marked."""
        return self._wanted

    @property
    def message(self) -> str:
        """What stands in place of rows; "" while there are some."""
        return self.grid.message

    @property
    def foot(self) -> str:
        return self._foot.text

    def show_reading(self, reading: Reading) -> None:
        """Show what was read before, as it was."""
        self.feed.drop()
        self._wanted, self._notice, self._warnings = None, "", ()
        self._reading = reading
        self._show_rows(reading.rows)
        self._show_state()

    def clear(self, view: View, message: str) -> None:
        """Show nothing of a view, and say why."""
        self.feed.drop()
        self._wanted, self._reading, self._warnings = None, None, ()
        self._show_rows(LoadedRows(view, grouped=self._grouped))
        self._show_state()
        self.say(message)

    def _show_rows(self, rows: LoadedRows) -> None:
        """Sorted and filtered as they were left, grouped as all are."""
        self.model.show(rows, "so far" if self._reading is None else self._reading.extent)
        self.arranger.rows_replaced()
        self.arranger.group(self._grouped)
        self.filter_bar.show_filter(self.arranger.wish.filter)
        self._mark_edits()

    def say(self, message: str) -> None:
        """Put words in place of the rows."""
        self.grid.set_message(message)

    def warn(self, notice: str) -> None:
        """A remark at the foot about what was asked of these rows last; "" takes it back."""
        self._notice = notice
        self._show_foot()

    # -- reading

    def read(self, plan: ReadPlan, view: View, portion: Portion) -> Reading:
        """Start a new reading in place of the one shown."""
        reading = reading_for(plan, LoadedRows(view, grouped=self._grouped, row_filter=self.arranger.wish.filter))
        self.show_reading(reading)
        self.read_on(portion)
        return reading

    def read_on(self, portion: Portion) -> None:
        """Continue where the reading shown has stopped."""
        reading = self._reading
        if reading is None or self.feed.running or not reading.has_more:
            return
        self.feed.start(reading, portion, reading.title)
        self._show_state()
        self.changed.emit()

    def set_usual(self, items: int) -> None:
        """How many items the button reads at a press."""
        if items != self._usual:
            self._usual = items
            self._show_foot()

    def stop(self) -> None:
        self.feed.stop()

    @Slot()
    def _page_taken(self) -> None:
        if self._reading is not None:
            self._reading.clock = datetime.now().astimezone().strftime("%H:%M:%S")

    @Slot(object)
    def _items_ready(self, prepared: Prepared) -> None:
        self.model.append(prepared)
        if self._wanted is not None and any(entry.identity == self._wanted for entry in prepared.entries):
            self._show_wanted()
        self._show_state()
        self.changed.emit()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._failures.append(error)
        self.failed.emit(error)

    @Slot()
    def _ended(self) -> None:
        reading = self._reading
        if reading is not None and reading.state in ("complete", "more"):
            for failure in self._failures:
                self.recovered.emit(failure)
            self._failures.clear()
        if reading is not None and self._wanted is not None and self.model.rows.find(self._wanted) is None:
            there = "is not in" if reading.state == "complete" else "is further on in"
            self._notice = f"the item looked for {there} this {reading.whole}"
        self.arranger.sort_again()
        self._show_state()
        self.changed.emit()

    # -- one item among the rows

    def mark(self, wanted: Identity | None) -> None:
        """Mark the item as the other half of a selection elsewhere, now or when it arrives."""
        self._wanted, self._select_wanted = wanted, False
        self.model.set_linked(wanted)
        if wanted is not None:
            self.grid.setCurrentIndex(self.model.index(-1, -1))
        self._show_wanted()

    def select(self, wanted: Identity | None) -> None:
        """Select the item, now or when it arrives."""
        self._wanted, self._select_wanted = wanted, True
        self.model.set_linked(None)
        self._show_wanted()

    def _show_wanted(self) -> None:
        entry = None if self._wanted is None else self.model.rows.find(self._wanted)
        if entry is None:
            return
        if self._select_wanted:
            self._wanted = None
            self.grid.select(entry)
        else:
            self.grid.reveal(entry)

    # -- which rows, in what order

    @Slot(object, object)
    def sort(self, attribute: str, descending: bool) -> None:
        """Order the loaded rows by an attribute's value, "" by the order in which they were read."""
        self.arranger.sort(Sorting(attribute, descending) if attribute else None)
        self._show_foot()

    @Slot(object)
    def _filter(self, row_filter: RowFilter | None) -> None:
        self.arranger.filter(row_filter)
        self._show_foot()

    def set_grouped(self, grouped: bool) -> None:
        self._grouped = grouped
        self.arranger.group(grouped)
        self._show_wanted()
        self._show_foot()

    @Slot()
    def _arranged(self) -> None:
        sorting = self.arranger.wish.sorting or Sorting("")
        self.grid.show_sorting(sorting.attribute, sorting.descending)
        self._show_wanted()
        if self._reading is not None:
            self._show_state()

    # -- edits, columns, copies

    def set_edits(self, edits: Iterable[Edit]) -> None:
        """Show what is staged: rows of these items as they will be, and new items that belong here."""
        self._edits = tuple(edits)
        self._mark_edits()

    def set_drafts(self, places: Iterable[Identity]) -> None:
        """Mark the rows of items with changes that are not staged."""
        self._drafts = tuple(places)
        self._mark_edits()

    def _mark_edits(self) -> None:
        kinds: dict[Identity, str] = dict.fromkeys(self._drafts, "draft")
        kinds |= {edit.identity: edit.kind for edit in self._edits}
        edited = {edit.identity: edit.after for edit in self._edits if edit.kind == "edited" and edit.after is not None}
        new: list[Item] = []
        for edit in self._edits:
            if edit.kind in {"new", "moved"} and edit.after is not None and edit.target is not None:
                kinds.setdefault(edit.target, "new")
                new += [edit.after] if self._belongs_here(edit.after) else []
        self.model.set_staged(kinds, edited, new)

    def _belongs_here(self, item: Item) -> bool:
        """Whether the reading shown would find the item, if it were written."""
        if self._reading is None or absence(item, self.view):
            return False
        plan = self._reading.plan
        if isinstance(plan, QueryPlan) and not key_condition(plan).holds(item):
            return False
        return plan.filter is None or plan.filter.holds({n: v for n, v in item.items() if self.view.carries(n)})

    def set_columns(self, choice: ColumnChoice) -> None:
        self.model.set_choice(choice)

    @Slot(object)
    def _columns_chosen(self, choice: ColumnChoice) -> None:
        self.set_columns(choice)
        self.columns_chosen.emit(choice)

    def choose_columns(self) -> None:
        grid = self.grid.viewport()
        self.chooser.open_at(grid.mapToGlobal(grid.rect().topRight()))

    def copy_rows(self, form: CopyForm) -> None:
        """The selected items, as they are stored: in CSV with all of their keys, also those that stand in headings."""
        items = [entry.item for entry in self.grid.selected_entries()]
        columns = tuple(dict.fromkeys((*self.view.key_columns(grouped=False), *self.model.columns)))
        self.copier.copy(items, form, columns, self.view.table.key_schema.names)

    # -- words around the rows

    def set_warnings(self, unprojected: Sequence[str], differences: Sequence[str]) -> None:
        """What the foot of an index says about its copies."""
        words = []
        if unprojected:
            words.append(f"{listed(unprojected)} {'is' if len(unprojected) == 1 else 'are'} not projected")
        words += differences
        self._warnings = tuple(words)
        self._show_foot()

    @Slot()
    def _offer_portions(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for items in PORTIONS:
            menu.addAction(more_words(items), partial(self.more_asked.emit, items))
        menu.popup(self._much_more.mapToGlobal(self._much_more.rect().bottomLeft()))

    @Slot()
    def _ask_for_usual(self) -> None:
        self.more_asked.emit(self._usual)

    def _show_state(self) -> None:
        reading, view = self._reading, self.view
        if reading is None:
            self._where.set_text("")
            self._consistency.setText("always eventual" if view.always_eventual else "")
            self.grid.setAccessibleName(view.title)
            self._show_foot()
            return
        where = readable_key(reading.plan.partition) if isinstance(reading.plan, QueryPlan) else ""
        self._where.set_text(visible(where))
        consistent = "consistent" if reading.plan.consistent else "eventual"
        self._consistency.setText("always eventual" if view.always_eventual else consistent)
        self.grid.setAccessibleName(f"{view.title}, {visible(where) or 'all items'}")
        self.model.set_extent(reading.extent)
        hidden = reading.count and not self.model.rows.lines
        self.say(HIDDEN_ALL if hidden else "" if self.model.rows.lines else reading.nothing_found())
        self._show_foot()

    @Slot()
    def _selection_changed(self) -> None:
        self._copied = ""
        self._show_foot()

    @Slot(str)
    def _show_copied(self, words: str) -> None:
        self._copied = words
        self._show_foot()

    @Slot()
    def _show_foot(self) -> None:
        reading = self._reading
        has_failed = reading is not None and reading.state == "failed"
        words = [*([self._notice] if self._notice else []), *self._warnings]
        self._warning_sign.setVisible(bool(words) or has_failed)
        words += [self._copied] if self._copied else []
        selected = self.grid.selected_items
        if selected > 1:
            words.append(f"{selected:,} rows selected")
        if reading is not None and (has_failed or not self._warnings):
            words.append(loaded_words(reading))
        partial_rows = reading is not None and reading.has_more
        words += arrangement_words(self.arranger, self.model.rows, is_partial=partial_rows)
        self.finder.set_partial(partial_rows)
        self._foot.set_text(" · ".join(words))
        goes_on = reading is not None and reading.has_more and not self.feed.running
        self.more.setText(TRY_AGAIN if has_failed else more_words(self._usual))
        self.more.setAccessibleName(self.more.text())
        self.more.setVisible(goes_on)
        self._much_more.setVisible(goes_on and not has_failed)


class ViewChooser(QComboBox):
    """Chooses the table or one of its indexes to look through."""

    def __init__(self, views: Sequence[View], name: str, *, with_keys: bool) -> None:
        super().__init__()
        self._views = tuple(views)
        self.setAccessibleName(name)
        for view in views:
            self.addItem(view_label(view) if with_keys else view.title)

    @property
    def chosen(self) -> View:
        return self._views[max(0, self.currentIndex())]

    def choose(self, view: View) -> None:
        self.setCurrentIndex(self._views.index(view))


def view_label(view: View) -> str:
    names = ", ".join(visible(name) for name in view.schema.names)
    return f"{view.index} {names}" if view.index else f"(base) {names}"
