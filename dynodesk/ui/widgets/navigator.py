"""The list at the left: connections, their tables, the tables' indexes; filtered as one types."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import QMenu, QToolButton, QTreeView, QWidget

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.profiles import Profile
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.models.table_tree import PLACE, Place, TableTree
from dynodesk.ui.shell import SANDBOX
from dynodesk.ui.theme import Text, metrics
from dynodesk.ui.widgets.controls import search_field
from dynodesk.ui.widgets.layouts import Area, area, column, panel_header, row
from dynodesk.ui.widgets.trees import dress_tree


class Navigator(Area):
    """Shows what it is told; opening, listing and closing are for whoever listens."""

    place_opened = Signal(object)
    """A `Place` was activated by Enter or a double click, or a table was named that is not in the list."""
    place_changed = Signal(object)
    """The current `Place`, or None."""

    def __init__(self) -> None:
        super().__init__("window")
        self._model = TableTree(self)
        self._stages: dict[str, str] = {}
        """Of each connection: what stands beside its name while nothing happens to it."""
        self._unfolded: set[Place] = set()
        self._wanted: Place | None = None
        """The row that was chosen, should the filter have hidden it."""
        self._is_filtering = False
        self._menu_actions: tuple[QAction, ...] = ()
        self._tools = row(gap=1.5)
        self.field = search_field("Filter tables", "Filter tables")
        self.none_found = Text("Not in the list. Enter opens it by its name.", "muted", wrap=True)
        self.none_found.setContentsMargins(*[round(part * metrics().unit) for part in (3, 0, 3, 1.5)])
        self.none_found.hide()
        self.tree = QTreeView()
        self.tree.setModel(self._model)
        dress_tree(self.tree, "Connections", QPalette.ColorRole.Window)
        self.tree.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        holder = QWidget()
        holder.setLayout(self._tools)
        self._foot = row(gap=1.5, margins=(1.5, 0, 1.5, 0))
        self.setLayout(
            column(
                panel_header("Connections", holder),
                row(self.field, margins=(2, 2, 2, 1.5)),
                self.none_found,
                self.tree,
                area(self._foot, "window", "t", metrics().bar + 1),
                gap=0,
            )
        )
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(self._take_named)
        down = QShortcut(QKeySequence(Qt.Key.Key_Down), self.field, context=Qt.ShortcutContext.WidgetShortcut)
        down.activated.connect(self._offer_kept)
        self.tree.doubleClicked.connect(self._activated)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # `activated` would leave Enter out on macOS
            enter = QShortcut(QKeySequence(key), self.tree, context=Qt.ShortcutContext.WidgetShortcut)
            enter.activated.connect(self._open_current)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self.tree.selectionModel().currentChanged.connect(self._current_changed)
        self.tree.expanded.connect(self._note_unfolded)
        self.tree.collapsed.connect(self._note_folded)
        self._add_connection(SANDBOX, "sandbox", "beaker", "this computer", "")

    def set_tools(self, *tools: QToolButton) -> None:
        """The buttons beside the heading."""
        for tool in tools:
            self._tools.addWidget(tool)

    def set_foot(self, *tools: QToolButton) -> None:
        """The buttons below the list."""
        for tool in tools:
            self._foot.addWidget(tool)
        self._foot.addStretch(1)

    def set_menu(self, actions: tuple[QAction, ...]) -> None:
        self._menu_actions = actions

    @property
    def current(self) -> Place | None:
        place = self.tree.currentIndex().data(PLACE)
        return place if isinstance(place, Place) else None

    # -- connections

    def set_profiles(self, profiles: tuple[Profile, ...]) -> None:
        """The saved connections; those already listed keep their tables."""
        for profile in profiles:
            ink = {"production": "danger", "staging": "warn"}.get(profile.stage, "")
            if profile.id in self._stages:
                self._stages[profile.id] = profile.stage
                self._model.change_connection(profile.id, name=profile.name, note=profile.stage, ink=ink)
            else:
                self._add_connection(profile.id, profile.name, "plug", profile.stage, ink)

    def _add_connection(self, key: str, name: str, glyph: str, note: str, ink: str) -> None:
        self._stages[key] = note
        at = 0 if key == SANDBOX else max(0, self._model.connections() - 1)
        self._model.add_connection(key, name, glyph, note, ink, at)

    def remove_connection(self, key: str) -> None:
        self._stages.pop(key, None)
        self._model.remove_connection(key)

    def set_state(self, key: str, words: str) -> None:
        """What the connection is doing, beside its name; "" to show its stage again."""
        self._model.change_connection(key, note=words or self._stages.get(key, ""))

    # -- tables

    def set_tables(self, key: str, names: tuple[str, ...]) -> None:
        """All tables of a connection. What is chosen and unfolded stays so."""
        self._set_tables(key, names)

    def set_not_listed(self, key: str, names: tuple[str, ...], why: str) -> None:
        """The tables known of a connection that may not list them, or could not."""
        hint = "Type a table's name above and press Enter to open it."
        self._set_tables(key, names, "not listed", f"{why} {hint}")

    def _set_tables(self, key: str, names: tuple[str, ...], note: str = "", tip: str = "") -> None:
        is_new = not self._model.first_table(key).isValid() and not self.field.text()
        self._keep_view(lambda: self._model.set_tables(key, names, note, tip))
        if is_new:
            for place in (Place("connection", key), Place("tables", key)):
                self.tree.expand(self._model.find(place))

    def clear_tables(self, key: str) -> None:
        self._model.clear_tables(key)

    def set_descriptions(self, key: str, found: dict[str, TableInfo | DynodeskError]) -> None:
        self._model.describe(key, found)

    def select_table(self, key: str, table: str) -> None:
        """Makes a table the current row, and shows its indexes."""
        index = self._model.find(Place("table", key, table))
        if index.isValid():
            self.tree.setCurrentIndex(index)
            self.tree.expand(index)

    def offer_tables(self, key: str) -> None:
        """Hands the keyboard to the first table of a connection: Enter opens it."""
        first = self._model.first_table(key)
        if first.isValid():
            self.tree.setCurrentIndex(first)
            self.tree.setFocus()

    # -- what is shown stays

    def _keep_view(self, change: Callable[[], None]) -> None:
        """Qt keeps what is chosen and unfolded only as long as the rows are shown."""
        self._is_filtering = True
        change()
        for place in self._unfolded:
            index = self._model.find(place) if place.kind == "table" else QModelIndex()
            if index.isValid() and not self.tree.isExpanded(index):
                self.tree.expand(index)
        self._is_filtering = False
        if self.current is None and self._wanted is not None:
            index = self._model.find(self._wanted)
            if index.isValid():
                self.tree.setCurrentIndex(index)
        if self.current != self._wanted:
            self.place_changed.emit(self.current)

    @Slot(QModelIndex)
    def _note_unfolded(self, index: QModelIndex) -> None:
        self._unfolded.add(index.data(PLACE))

    @Slot(QModelIndex)
    def _note_folded(self, index: QModelIndex) -> None:
        if not self._is_filtering:
            self._unfolded.discard(index.data(PLACE))

    @Slot(str)
    def _filter(self, text: str) -> None:
        self._keep_view(lambda: self._model.set_needle(text))
        self.none_found.setVisible(bool(text.strip()) and self._connection_to_name is not None and not self._kept)

    @property
    def _connection_to_name(self) -> str | None:
        """The connection that a typed name belongs to: the chosen one, or the first whose tables are shown."""
        place = self.current or self._wanted
        if place is not None and self._model.find(Place("tables", place.connection)).isValid():
            return place.connection
        return next((key for key in self._stages if self._model.find(Place("tables", key)).isValid()), None)

    @property
    def _kept(self) -> int:
        return sum(self._model.matches(key) for key in self._stages)

    # -- what the person does

    def ask_name(self) -> None:
        """Hands the keyboard to the field that takes names, also of tables that are not listed."""
        self.field.setFocus()
        self.field.selectAll()

    @Slot()
    def _take_named(self) -> None:
        """Enter in the filter: the table of that name, or else the first that is kept, or one that is not listed."""
        name, key = self.field.text().strip(), self._connection_to_name
        if not name or key is None:
            return
        place = Place("table", key, name)
        if self._model.find(place).isValid() or not self._kept:
            self.place_opened.emit(place)
        else:
            self._offer_kept()

    @Slot()
    def _offer_kept(self) -> None:
        key = self._connection_to_name
        keys = [key] if key is not None and self._model.matches(key) else list(self._stages)
        for one in keys:
            if self._model.matches(one):
                self.offer_tables(one)
                return

    @Slot(QModelIndex)
    def _activated(self, index: QModelIndex) -> None:
        place = index.data(PLACE)
        if isinstance(place, Place) and place.kind != "tables":
            self.place_opened.emit(place)

    @Slot()
    def _open_current(self) -> None:
        self._activated(self.tree.currentIndex())

    @Slot(QModelIndex, QModelIndex)
    def _current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if self._is_filtering:
            return
        self._wanted = self.current
        self.place_changed.emit(current.data(PLACE))

    @Slot(QPoint)
    def _show_menu(self, where: QPoint) -> None:
        """For the current row: a right click makes its row current, the menu key asks from anywhere."""
        if self.current is None:
            return
        if not self.tree.indexAt(where).isValid():
            where = self.tree.visualRect(self.tree.currentIndex()).center()
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.addActions(self._menu_actions)
        menu.popup(self.tree.viewport().mapToGlobal(where))

    @property
    def least_width(self) -> int:
        return 40 * metrics().unit
