"""The list at the left: connections, their tables, the tables' indexes; filtered as one types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence, QPalette, QShortcut, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QMenu, QToolButton, QTreeView, QWidget

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.profiles import Profile
from dynodesk.domain.tables import IndexInfo, TableInfo
from dynodesk.ui.shell import SANDBOX
from dynodesk.ui.theme import icon, metrics
from dynodesk.ui.widgets.controls import search_field
from dynodesk.ui.widgets.layouts import Area, column, panel_header, row
from dynodesk.ui.widgets.trees import FACE, INK, NOTE, dress_tree

PLACE = Qt.ItemDataRole.UserRole + 10
STAGE = Qt.ItemDataRole.UserRole + 11


@dataclass(frozen=True, slots=True)
class Place:
    """What a row of the list stands for."""

    kind: Literal["connection", "tables", "table", "index"]
    connection: str
    table: str = ""
    index: str | None = None


def estimate(count: int | None) -> str:
    """An item count as the service last estimated it, which may be hours ago."""
    if count is None:
        return ""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= 10 * size:
            return f"≈ {count / size:.0f} {unit}"
    return f"≈ {count:,}"


def projection_words(index: IndexInfo) -> str:
    match index.projection.kind:
        case "ALL":
            return "all attributes"
        case "KEYS_ONLY":
            return "keys only"
        case "INCLUDE":
            return f"includes {len(index.projection.included)}"


class TableFilter(QSortFilterProxyModel):
    """Keeps the tables whose name contains the words; connections always stay."""

    def __init__(self, source: QStandardItemModel) -> None:
        super().__init__(source)
        self._needle = ""
        self.setSourceModel(source)

    def set_needle(self, text: str) -> None:
        self.beginFilterChange()
        self._needle = text.strip().casefold()
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(self, row: int, parent: QModelIndex | QPersistentModelIndex) -> bool:
        place = self.sourceModel().index(row, 0, parent).data(PLACE)
        return not isinstance(place, Place) or place.kind != "table" or self._needle in place.table.casefold()


class Navigator(Area):
    """Shows what it is told; opening, listing and closing are for whoever listens."""

    place_opened = Signal(object)
    """A `Place` was activated by Enter or a double click."""
    place_changed = Signal(object)
    """The current `Place`, or None."""

    def __init__(self) -> None:
        super().__init__("window")
        self._model = QStandardItemModel(self)
        self._filter = TableFilter(self._model)
        self._connections: dict[str, QStandardItem] = {}
        self._menu_actions: tuple[QAction, ...] = ()
        self._tools = row(gap=1.5)
        self.field = search_field("Filter tables", "Filter tables")
        self.tree = QTreeView()
        self.tree.setModel(self._filter)
        dress_tree(self.tree, "Connections", QPalette.ColorRole.Window)
        self.tree.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        holder = QWidget()
        holder.setLayout(self._tools)
        self.setLayout(
            column(
                panel_header("Connections", holder),
                row(self.field, margins=(2, 2, 2, 1.5)),
                self.tree,
                gap=0,
            )
        )
        self.field.textChanged.connect(self._filter.set_needle)
        self.tree.doubleClicked.connect(self._activated)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # `activated` would leave Enter out on macOS
            enter = QShortcut(QKeySequence(key), self.tree, context=Qt.ShortcutContext.WidgetShortcut)
            enter.activated.connect(self._open_current)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self.tree.selectionModel().currentChanged.connect(self._current_changed)
        self._add_connection(SANDBOX, "sandbox", "beaker", "this computer", "")

    def set_tools(self, *tools: QToolButton) -> None:
        """The buttons beside the heading."""
        for tool in tools:
            self._tools.addWidget(tool)

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
            item = self._connections.get(profile.id)
            if item is None:
                self._add_connection(profile.id, profile.name, "plug", profile.stage, ink)
            else:
                item.setText(profile.name)
                item.setIcon(icon("plug", ink or "text2"))
                item.setData(profile.stage, STAGE)
                item.setData(profile.stage, NOTE)

    def _add_connection(self, key: str, name: str, glyph: str, note: str, ink: str) -> None:
        item = _item(name, Place("connection", key), glyph, note, ink)
        item.setData("semibold", FACE)
        item.setData(note, STAGE)
        self._connections[key] = item
        self._model.insertRow(max(0, self._model.rowCount() - 1) if key != SANDBOX else 0, item)

    def remove_connection(self, key: str) -> None:
        item = self._connections.pop(key, None)
        if item is not None:
            self._model.removeRow(item.row())

    def set_state(self, key: str, words: str) -> None:
        """What the connection is doing, beside its name; "" to show its stage again."""
        item = self._connections.get(key)
        if item is not None:
            item.setData(words or item.data(STAGE), NOTE)

    def set_tables(self, key: str, names: tuple[str, ...]) -> None:
        connection = self._connections.get(key)
        if connection is None:
            return
        connection.removeRows(0, connection.rowCount())
        tables = _item("Tables", Place("tables", key), note=f"{len(names):,}")
        for name in names:
            tables.appendRow(_item(name, Place("table", key, name), "table"))
        connection.appendRow(tables)
        self._expand(connection)
        self._expand(tables)

    def clear_tables(self, key: str) -> None:
        connection = self._connections.get(key)
        if connection is not None:
            connection.removeRows(0, connection.rowCount())

    def set_descriptions(self, key: str, found: dict[str, TableInfo | DynodeskError]) -> None:
        connection = self._connections.get(key)
        tables = None if connection is None else connection.child(0)
        if tables is None:
            return
        for n in range(tables.rowCount()):
            item = tables.child(n)
            info = found.get(item.text())
            if isinstance(info, DynodeskError):
                item.setData("not described", NOTE)
                item.setToolTip(info.message)
            elif info is not None:
                self._describe(item, key, info)

    def _describe(self, item: QStandardItem, key: str, info: TableInfo) -> None:
        note = estimate(info.item_count_estimate) if info.status == "ACTIVE" else info.status.lower()
        item.setData(note, NOTE)
        item.setToolTip("Items as last estimated by the service, up to six hours ago." if note.startswith("≈") else "")
        item.removeRows(0, item.rowCount())
        for index in info.indexes:
            place = Place("index", key, info.name, index.name)
            row = _item(index.name, place, "list-tree", projection_words(index))
            row.setToolTip(f"{index.kind}: {', '.join(index.key_schema.names)}")
            item.appendRow(row)

    def _expand(self, item: QStandardItem) -> None:
        self.tree.expand(self._filter.mapFromSource(item.index()))

    def select_table(self, key: str, table: str) -> None:
        """Makes a table the current row, and shows its indexes."""
        connection = self._connections.get(key)
        tables = None if connection is None else connection.child(0)
        if tables is None:
            return
        for n in range(tables.rowCount()):
            if tables.child(n).text() == table:
                index = self._filter.mapFromSource(tables.child(n).index())
                self.tree.setCurrentIndex(index)
                self.tree.expand(index)

    def offer_tables(self, key: str) -> None:
        """Hands the keyboard to the first table of a connection: Enter opens it."""
        connection = self._connections.get(key)
        tables = None if connection is None else connection.child(0)
        if tables is not None and tables.rowCount():
            self.tree.setCurrentIndex(self._filter.mapFromSource(tables.child(0).index()))
            self.tree.setFocus()

    # -- what the person does

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
        self.place_changed.emit(current.data(PLACE))

    @Slot(QPoint)
    def _show_menu(self, where: QPoint) -> None:
        """For the current row: a right click makes its row current, the menu key asks from anywhere."""
        if self.current is None:
            return
        if not self.tree.indexAt(where).isValid():
            where = self.tree.visualRect(self.tree.currentIndex()).center()
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.addActions(self._menu_actions)
        menu.popup(self.tree.viewport().mapToGlobal(where))

    @property
    def least_width(self) -> int:
        return 40 * metrics().unit


def _item(text: str, place: Place, glyph: str = "", note: str = "", ink: str = "") -> QStandardItem:
    item = QStandardItem(text)
    item.setEditable(False)
    item.setData(place, PLACE)
    item.setData(note, NOTE)
    item.setData("ui", FACE)
    item.setData("text", INK)
    if glyph:
        item.setIcon(icon(glyph, ink or "text2"))
    return item
