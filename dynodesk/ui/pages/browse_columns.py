"""The column chooser: which attributes are columns, and in what order."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.column_choice import ColumnChoice
from dynodesk.ui.models.collection_model import CollectionModel
from dynodesk.ui.theme import Text, icon, metrics, px
from dynodesk.ui.widgets.controls import button, search_field, tool
from dynodesk.ui.widgets.layouts import Area, area, column, row
from dynodesk.ui.widgets.trees import INK, NOTE, dress_tree
from dynodesk.ui.widgets.whole_text import whole

NAME = Qt.ItemDataRole.UserRole + 20
WIDTH, ROWS = 320, 14


class ColumnChooser(Area):
    """A list over the grid. What is changed shows at once; there is nothing to confirm."""

    chosen = Signal(object)
    """A `ColumnChoice`."""

    def __init__(self, model: CollectionModel, parent: QWidget) -> None:
        super().__init__("window", "tblr", parent)
        self.setWindowFlags(Qt.WindowType.Popup)
        self._shown_by = model
        self._choice = ColumnChoice()
        self.setAccessibleName("Columns")
        self.filter = search_field("Filter columns", "Filter columns")
        self._rows = QStandardItemModel(self)
        self.list = QTreeView()
        self.list.setModel(self._rows)
        dress_tree(self.list, "Columns")
        self.list.setRootIsDecorated(False)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.installEventFilter(self)
        self.up, self.down = tool("arrow-up", "Move column up"), tool("arrow-down", "Move column down")
        self.reset = button("Usual columns", tone="quiet")
        self.count = Text("", "muted")
        foot = row(self.up, self.down, self.count, None, self.reset, gap=1, margins=(1, 0, 1, 0))
        m = metrics()
        head = row(self.filter, margins=(1.5, 1.5, 1.5, 1.5))
        whole = column(area(head, "window", "b"), self.list, area(foot, "window", "t", m.bar + 2), gap=0)
        whole.setContentsMargins(1, 1, 1, 1)
        whole.setStretch(1, 1)
        self.setLayout(whole)
        self.resize(px(WIDTH), 2 * m.bar + ROWS * m.row + 4 * m.unit)
        self.filter.textChanged.connect(self._fill)
        self.list.clicked.connect(self._clicked)
        self.list.selectionModel().currentChanged.connect(self._show_moves)
        self.up.clicked.connect(self._move_up)
        self.down.clicked.connect(self._move_down)
        self.reset.clicked.connect(self._reset)

    def open_at(self, corner: QPoint) -> None:
        """Below the point at its right end, in coordinates of the screen."""
        self._choice = self._shown_by.choice
        self.filter.clear()
        self._fill()
        self.move(corner - QPoint(self.width(), 0))
        self.show()
        self.list.setFocus(Qt.FocusReason.PopupFocusReason)

    # -- the list

    @property
    def _names(self) -> list[str]:
        return self._choice.arranged(self._shown_by.usual_columns, self._shown_by.keys)

    @Slot()
    def _fill(self, current: str = "") -> None:
        keys = set(self._shown_by.keys)
        sought = self.filter.text().casefold()
        self._rows.clear()
        names = self._names
        for name in names:
            if sought in name.casefold():
                self._rows.appendRow(self._row(name, is_key=name in keys))
        at = next((r for r in range(self._rows.rowCount()) if self._rows.item(r).data(NAME) == current), 0)
        self.list.setCurrentIndex(self._rows.index(at, 0))
        shown = sum(self._choice.shows(name, keys) for name in names)
        self.count.setText(f"{shown:,} of {len(names):,} shown")
        self._show_moves()

    def _row(self, name: str, *, is_key: bool) -> QStandardItem:
        shows = is_key or name not in self._choice.hidden
        made = QStandardItem(visible(name))
        made.setData(whole(name), NAME)
        made.setIcon(icon("key" if is_key else "eye" if shows else "eye-closed", "text2" if shows else "muted"))
        made.setData("key, always shown" if is_key else "" if shows else "hidden", NOTE)
        if not shows:
            made.setData("muted", INK)
        made.setAccessibleText(f"{visible(name)}, {'key' if is_key else 'shown' if shows else 'hidden'}")
        return made

    @property
    def _current(self) -> str:
        index = self.list.currentIndex()
        return str(index.data(NAME)) if index.isValid() else ""

    # -- what is done with it

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            moves = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            match event.key():
                case Qt.Key.Key_Space | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                    self._toggle(self._current)
                    return True
                case Qt.Key.Key_Up if moves:
                    self._move(-1)
                    return True
                case Qt.Key.Key_Down if moves:
                    self._move(1)
                    return True
        return super().eventFilter(watched, event)

    @Slot(QModelIndex)
    def _clicked(self, index: QModelIndex) -> None:
        self._toggle(str(index.data(NAME)))

    def _toggle(self, name: str) -> None:
        if name and name not in self._shown_by.keys:
            self._choose(self._choice.showing(name, shown=name in self._choice.hidden), name)

    @Slot()
    def _move_up(self) -> None:
        self._move(-1)

    @Slot()
    def _move_down(self) -> None:
        self._move(1)

    def _move(self, step: int) -> None:
        name, names = self._current, self._names
        if self._can_move(step):
            at = names.index(name)
            names[at], names[at + step] = names[at + step], names[at]
            self._choose(replace(self._choice, order=tuple(names)), name)

    def _can_move(self, step: int) -> bool:
        name, names, keys = self._current, self._names, self._shown_by.keys
        return name in names and name not in keys and len(keys) <= names.index(name) + step < len(names)

    @Slot()
    def _show_moves(self) -> None:
        self.up.setEnabled(self._can_move(-1))
        self.down.setEnabled(self._can_move(1))

    @Slot()
    def _reset(self) -> None:
        self._choose(ColumnChoice(), self._current)

    def _choose(self, choice: ColumnChoice, current: str) -> None:
        self._choice = choice
        self.chosen.emit(choice)
        self._fill(current)
