"""The grid of a pane: keys, copying, folding, sorting, column widths."""

from __future__ import annotations

import json
from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QApplication, QMenu, QTableView, QWidget

from dynodesk.domain.cells import cell_text, exact_text, visible
from dynodesk.domain.collections import Collection, Entry, Line
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.item_json import item_to_dynamodb, to_plain
from dynodesk.domain.values import Item
from dynodesk.ui.models.collection_model import CollectionModel
from dynodesk.ui.theme import face, icon, metrics, tokens, ui_font
from dynodesk.ui.widgets.grids import dress_grid

SAMPLED_ROWS = 200
SHORT_OF_ROOM = 24
"""Characters of the widest column where not all columns fit into the pane."""
_BY_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
NARROWEST, WIDEST = 6, 40
"""Characters."""


class CollectionGrid(QTableView):
    """A grid over a `CollectionModel`, which is set once."""

    entry_selected = Signal(object)
    """An `Entry`, or None where a collection's header is current or nothing is."""
    entry_opened = Signal(object)
    """An `Entry` was double-clicked or Enter pressed on it."""
    sort_asked = Signal(str, object)
    """Attribute, and whether descending; "" for read order."""

    def __init__(self, model: CollectionModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._message = ""
        self._sorted_by = ("", False)
        self._chosen_widths: dict[str, int] = {}
        self.setModel(model)
        dress_grid(self, name)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        head = self.horizontalHeader()
        head.setSectionsClickable(True)
        head.setStretchLastSection(True)
        head.setMinimumSectionSize(NARROWEST * face(mono=True).measure.horizontalAdvance("0"))
        head.sectionClicked.connect(self._header_clicked)
        head.sectionResized.connect(self._resized)
        self.doubleClicked.connect(self._open)
        self.selectionModel().currentRowChanged.connect(self._current_changed)
        model.modelReset.connect(self._was_reset)
        model.columnsInserted.connect(self._columns_came)
        model.rowsInserted.connect(self._rows_came)
        self._widths_sampled = False

    # -- words in place of rows

    @property
    def message(self) -> str:
        return self._message

    def set_message(self, message: str) -> None:
        """What is said while there are no rows."""
        self._message = message
        self.setAccessibleDescription(message)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._message:
            inset = 4 * metrics().unit
            p = QPainter(self.viewport())
            p.setFont(ui_font())
            p.setPen(tokens().color("text2"))
            room = self.viewport().rect().adjusted(inset, inset, -inset, -inset)
            p.drawText(room, Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop, self._message)

    # -- selection

    @property
    def current_entry(self) -> Entry | None:
        return self._model.entry(self.currentIndex())

    def select(self, line: Line) -> bool:
        """Make an item's row current and visible. False where it is not among the rows."""
        row = self._model.rows.row_of(line)
        if row is None:
            return False
        column = max(0, self.currentIndex().column())
        self.setCurrentIndex(self._model.index(row, column))
        self.reveal(line)
        return True

    def reveal(self, line: Line) -> None:
        row = self._model.rows.row_of(line)
        if row is not None:
            self.updateGeometries()  # rows that have just come do not count for the scroll bar yet
            first_column = self.columnAt(0)
            self.scrollTo(self._model.index(row, max(0, first_column)))

    @Slot(QModelIndex, QModelIndex)
    def _current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self.entry_selected.emit(self._model.entry(current))

    @Slot(QModelIndex)
    def _open(self, index: QModelIndex) -> None:
        line = self._model.line(index)
        if isinstance(line, Entry):
            self.entry_opened.emit(line)

    # -- keys and mouse

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Coming by keyboard, start at the row that is the other half of the selection elsewhere."""
        linked = self._model.linked_entry
        if linked is not None and not self.currentIndex().isValid() and event.reason() in _BY_KEYBOARD:
            self.select(linked)
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        line = self._model.line(index)
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_value()
        elif plain and isinstance(line, Collection) and self._wants_fold(event.key(), line):
            self._model.toggle(index.row())
        elif plain and isinstance(line, Entry) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entry_opened.emit(line)
        else:
            super().keyPressEvent(event)

    @staticmethod
    def _wants_fold(key: int, collection: Collection) -> bool:
        match key:
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                return True
            case Qt.Key.Key_Left | Qt.Key.Key_Minus:
                return collection.is_open
            case Qt.Key.Key_Right | Qt.Key.Key_Plus:
                return not collection.is_open
            case _:
                return False

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and isinstance(self._model.line(index), Collection):
            self._model.toggle(index.row())

    # -- copying: from the values, never from what is shown

    @Slot()
    def copy_value(self) -> None:
        """The current cell, exactly as stored; of a collection's header its key."""
        index = self.currentIndex()
        line = self._model.line(index)
        if isinstance(line, Collection):
            _copy(line.title)
        elif line is not None:
            value = line.item.get(self._model.columns[index.column()])
            _copy("" if value is None else exact_text(value))

    @Slot()
    def copy_key(self) -> None:
        entry = self.current_entry
        if entry is not None:
            names = self._model.view.table.key_schema.names
            _copy(plain_json({name: entry.item[name] for name in names if name in entry.item}))

    @Slot()
    def copy_json(self) -> None:
        if self.current_entry is not None:
            _copy(plain_json(self.current_entry.item))

    @Slot()
    def copy_dynamodb_json(self) -> None:
        if self.current_entry is not None:
            _copy(dynamodb_json(self.current_entry.item))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.currentIndex() if event.reason() == event.Reason.Keyboard else self.indexAt(event.pos())
        if not index.isValid():
            return
        self.setCurrentIndex(index)
        menu = self.menu_for(index)
        at = self.visualRect(index).bottomLeft() if event.reason() == event.Reason.Keyboard else event.pos()
        menu.popup(self.viewport().mapToGlobal(QPoint(at)))

    def menu_for(self, index: QModelIndex) -> QMenu:
        """What can be done with the cell, its item and its column: first the actions that were added to the grid."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._model.entry(index) is not None:
            menu.addActions(self.actions())
            menu.addSeparator()
        copy = menu.addAction(icon("copy"), "Copy value", self.copy_value)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        if self._model.entry(index) is not None:
            menu.addAction("Copy item as JSON", self.copy_json)
            menu.addAction("Copy item as DynamoDB JSON", self.copy_dynamodb_json)
            menu.addAction("Copy key", self.copy_key)
        menu.addSeparator()
        name = self._model.columns[index.column()]
        shown = visible(name).replace("&", "&&")  # in a menu, one alone marks a key
        menu.addAction(
            icon("triangle-up"), f"Sort loaded rows by {shown}, ascending", partial(self.sort_asked.emit, name, False)
        )
        menu.addAction(
            icon("triangle-down"), f"Sort loaded rows by {shown}, descending", partial(self.sort_asked.emit, name, True)
        )
        menu.addAction("Rows in the order read", partial(self.sort_asked.emit, "", False))
        return menu

    # -- columns

    @Slot(int)
    def _header_clicked(self, column: int) -> None:
        """Ascending, descending, and back to the order read."""
        name = self._model.columns[column]
        match self._sorted_by:
            case (attribute, False) if attribute == name:
                self.sort_asked.emit(name, True)
            case (attribute, True) if attribute == name:
                self.sort_asked.emit("", False)
            case _:
                self.sort_asked.emit(name, False)

    def show_sorting(self, attribute: str, *, descending: bool) -> None:
        """Show in the header what the rows are sorted by: the header itself only knows what was clicked."""
        self._sorted_by = (attribute, descending)
        head = self.horizontalHeader()
        shown = attribute in self._model.columns
        head.setSortIndicatorShown(shown)
        if shown:
            order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
            head.setSortIndicator(self._model.columns.index(attribute), order)

    @Slot()
    def _was_reset(self) -> None:
        self._widths_sampled = bool(self._model.rows.lines)
        self._set_widths(0, self._model.columnCount())

    @Slot(QModelIndex, int, int)
    def _rows_came(self, _parent: QModelIndex, _first: int, _last: int) -> None:
        if not self._widths_sampled:
            self._widths_sampled = True
            self._set_widths(0, self._model.columnCount())

    @Slot(QModelIndex, int, int)
    def _columns_came(self, _parent: QModelIndex, first: int, last: int) -> None:
        self._set_widths(first, last + 1)

    def _set_widths(self, first: int, end: int) -> None:
        widths = [self._sampled_width(column, WIDEST) for column in range(first, end)]
        if self.columnViewportPosition(first) + sum(widths) > self.viewport().width():
            widths = [self._sampled_width(column, SHORT_OF_ROOM) for column in range(first, end)]
        for column, width in enumerate(widths, first):
            self.setColumnWidth(column, self._chosen_widths.get(self._model.columns[column], width))

    def sizeHintForColumn(self, column: int) -> int:
        """What a double click on a header's edge sets; the usual answer walks through the rows."""
        return self._sampled_width(column, WIDEST)

    def _sampled_width(self, column: int, most: int) -> int:
        name = self._model.columns[column]
        lines = self._model.rows.lines[: 2 * SAMPLED_ROWS]
        sample = [line for line in lines if isinstance(line, Entry)][:SAMPLED_ROWS]
        m, mono, caption = metrics(), face(mono=True).measure, face("caption", "semibold").measure
        texts = [cell_text(entry.item[name]) for entry in sample if name in entry.item]
        longest = max((len(text) for text in texts), default=NARROWEST)
        width = min(max(longest, NARROWEST), most) * mono.horizontalAdvance("0")
        if NARROWEST < longest <= most:  # wide scripts: measured, but never all rows
            width = max(width, *map(mono.horizontalAdvance, texts))
        if column == 0:
            words = {entry.entity for entry in sample if entry.entity}
            marks = max(map(caption.horizontalAdvance, words), default=0)
            width += (max(marks, caption.horizontalAdvance("MMM")) + 2 * m.unit) if words else 0
            width += m.icon + m.unit  # the mark of a linked row
        header = face("caption", "medium").measure.horizontalAdvance(visible(name)) + m.icon
        return max(width, min(header, most * mono.horizontalAdvance("0"))) + 4 * m.unit + 2

    @Slot(int, int, int)
    def _resized(self, column: int, _before: int, width: int) -> None:
        by_hand = QApplication.mouseButtons() == Qt.MouseButton.LeftButton
        if by_hand and column < self._model.columnCount() - 1:  # the last one is stretched
            self._chosen_widths[self._model.columns[column]] = width


def plain_json(item: Item) -> str:
    """Plain JSON, or DynamoDB JSON for an item with a number that JSON has no form for."""
    try:
        return to_plain(item, indent=2)
    except InvalidValue:
        return dynamodb_json(item)


def dynamodb_json(item: Item) -> str:
    return json.dumps(item_to_dynamodb(item), ensure_ascii=False, indent=2)


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
