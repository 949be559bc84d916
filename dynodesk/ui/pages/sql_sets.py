"""What is loaded: sets with where they come from, their columns below; ready queries under it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QMouseEvent, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QMenu, QTreeView

from dynodesk.domain.cells import visible
from dynodesk.domain.reading import units_text
from dynodesk.ui.pages.sql_queries import READY
from dynodesk.ui.pages.sql_work import SetInfo, Stock, pages_words
from dynodesk.ui.theme import Glyph, Text, icon, metrics
from dynodesk.ui.widgets.controls import tool
from dynodesk.ui.widgets.layouts import Area, area, column, panel_header, row
from dynodesk.ui.widgets.lines import Lines
from dynodesk.ui.widgets.trees import FACE, INK, NOTE, dress_tree

if TYPE_CHECKING:
    from dynodesk.domain.bulk import Provenance

NAME = Qt.ItemDataRole.UserRole + 20
"""Of the set that a row belongs to."""
QUERY = Qt.ItemDataRole.UserRole + 21
"""The number of a ready query."""


PROGRESS_LINES = 3
"""What is said of a load in the width of the panel."""


class _Choices(QTreeView):
    """One press or Enter chooses, and a second press at once is not another choice."""

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        pass


class SetsPanel(Area):
    query_asked = Signal(object)
    """A `ReadyQuery` for the current set."""
    current_changed = Signal()
    pause_asked = Signal()
    """To pause the load, or to go on with it."""
    stop_asked = Signal()

    def __init__(self, tables: QMenu, of_set: tuple[QAction, ...]) -> None:
        super().__init__("window", "r")
        self._stock = Stock(())
        self._of_set = of_set
        self._set_menu = QMenu(self)
        self._set_menu.addActions(of_set)
        self._add = tool("add", "Load a table")
        self._add.setMenu(tables)
        self._add.setPopupMode(self._add.ToolButtonPopupMode.InstantPopup)
        self._progress = Lines(PROGRESS_LINES)
        self.pause_button = tool("debug-pause", "Pause the load")
        self.stop_button = tool("debug-stop", "Stop the load; what was read stays")
        for one in (self.pause_button, self.stop_button):
            one.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        moving = row(
            *(Glyph("sync", "accent"), self._progress, self.pause_button, self.stop_button),
            gap=1,
            margins=(3, 1, 1, 1),
        )
        moving.setStretch(1, 1)
        self._moving = area(moving, "window", "b")
        self._model = QStandardItemModel(self)
        self.tree = QTreeView()
        self.tree.setModel(self._model)
        dress_tree(self.tree, "Loaded tables", QPalette.ColorRole.Window)
        self.tree.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.setIndentation(4 * metrics().unit)
        self._hint = Text("Nothing is loaded yet. Press + to choose a table.", "muted", wrap=True)
        self._hint_area = area(row(self._hint, margins=(3, 2, 2, 2)))
        self._rest = Area()  # takes the room of the tree while there is none
        self._ready_model = QStandardItemModel(self)
        self.ready = _Choices()
        self.ready.setModel(self._ready_model)
        dress_tree(self.ready, "Ready queries", QPalette.ColorRole.Window)
        self.ready.setRootIsDecorated(False)
        self.ready.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        for query in READY:
            item = QStandardItem(icon("play"), query.title)
            item.setToolTip(query.tip)
            self._ready_model.appendRow(item)
        self.ready.setFixedHeight(len(READY) * metrics().row + metrics().unit)
        self._ready_head = panel_header("Ready queries")
        layout = column(
            panel_header("Loaded tables", self._add),
            self._moving,
            self._hint_area,
            self.tree,
            self._rest,
            self._ready_head,
            self.ready,
            gap=0,
        )
        layout.setContentsMargins(0, 0, 1, metrics().unit)
        layout.setStretchFactor(self.tree, 1)
        layout.setStretchFactor(self._rest, 1)
        self.setLayout(layout)
        self.tree.customContextMenuRequested.connect(self._offer)
        self.tree.selectionModel().currentChanged.connect(self._changed)
        self.ready.activated.connect(self._ask_query)
        self.ready.pressed.connect(self._ask_query)
        self.pause_button.clicked.connect(self.pause_asked)
        self.stop_button.clicked.connect(self.stop_asked)
        self.show_progress("")
        self.show_stock(self._stock)

    @property
    def current(self) -> SetInfo | None:
        """The set that is selected, or the first."""
        name = self.tree.currentIndex().data(NAME)
        return self._stock.named(name) or next(iter(self._stock.sets), None)

    @property
    def progress(self) -> str:
        return self._progress.text

    def show_progress(self, words: str, *, paused: bool = False) -> None:
        """Of the load that runs; "" where none does."""
        self._progress.set_text(words)
        self._moving.setVisible(bool(words))
        name = "Go on with the load" if paused else "Pause the load"
        if self.pause_button.accessibleName() != name:
            self.pause_button.setAccessibleName(name)
            self.pause_button.setToolTip(name)
            self.pause_button.setIcon(icon("debug-continue" if paused else "debug-pause"))

    def show_stock(self, stock: Stock, choose: str = "") -> None:
        """Shows what is loaded, with the set `choose` selected, or the one that was."""
        chosen = choose or self.tree.currentIndex().data(NAME)
        self._stock = stock
        self._model.clear()
        for info in stock.sets:
            top = self._row_of(info)
            self._model.appendRow(top)
            if info.loaded.name == chosen or len(stock.sets) == 1:
                self.tree.setCurrentIndex(top.index())
            self.tree.expand(top.index())
        self._hint_area.setVisible(not stock.sets)
        self._rest.setVisible(not stock.sets)
        self.tree.setVisible(bool(stock.sets))
        for part in (self._ready_head, self.ready):
            part.setVisible(bool(stock.sets))
        self.current_changed.emit()

    def _row_of(self, info: SetInfo) -> QStandardItem:
        loaded, origin = info.loaded, info.loaded.provenance
        top = QStandardItem(icon("table") if origin.complete else icon("warning", "warn"), visible(loaded.name))
        top.setData(f"{origin.items:,}", NOTE)
        top.setData("mono", FACE)
        top.setToolTip(_plain(loaded.caption))
        state = "Complete" if origin.complete else f"Partial: {origin.why_partial}"
        lines = [(state, "text2" if origin.complete else "warn"), *((text, "text2") for text in _facts(origin))]
        if loaded.changed:
            lines.append(("Changed by SQL since", "warn"))
        for text, ink in lines:
            line = QStandardItem(text)
            line.setData(ink, INK)
            line.setToolTip(_plain(text))
            top.appendRow(line)
        columns = QStandardItem("Columns")
        columns.setData(f"{len(info.columns):,}", NOTE)
        for of in info.columns:
            line = QStandardItem(visible(of.name))
            line.setData("mono", FACE)
            line.setData(of.type, NOTE)
            line.setToolTip(_plain(f"{visible(of.name)}: {of.type}{f', {of.note}' if of.note else ''}"))
            columns.appendRow(line)
        top.appendRow(columns)
        for item in (top, *(_below(top))):
            item.setData(loaded.name, NAME)
        return top

    @Slot(QPoint)
    def _offer(self, at: QPoint) -> None:
        if self.tree.indexAt(at).isValid():
            self._set_menu.popup(self.tree.viewport().mapToGlobal(at))

    @Slot()
    def _changed(self) -> None:
        self.current_changed.emit()

    @Slot(QModelIndex)
    def _ask_query(self, index: QModelIndex) -> None:
        self.query_asked.emit(READY[index.row()])


def _plain(text: str) -> str:
    """A tip that shows the text as it is: names of a table's attributes are never taken as markup."""
    return f"<qt>{escape(text)}</qt>"


def _facts(origin: Provenance) -> list[str]:
    when = f"{origin.first_page[11:19]}–{origin.last_page[11:19]}" if origin.first_page else ""
    if not origin.endpoint:
        return [origin.source, *([f"read {when}"] if when else [])]
    how = "consistent" if origin.consistent else "eventual"
    read = f"{units_text(origin.units)} RCU in {pages_words(origin.pages)}"
    return [origin.source, f"{how}, {when}" if when else how, read]


def _below(item: QStandardItem) -> list[QStandardItem]:
    found = []
    for at in range(item.rowCount()):
        child = item.child(at)
        found += [child, *_below(child)]
    return found
