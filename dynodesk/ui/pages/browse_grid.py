"""The grid of a pane: keys, selecting rows, folding, sorting, columns and their widths."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    Signal,
    Slot,
)
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
from PySide6.QtWidgets import QApplication, QMenu, QStyle, QStyleOptionViewItem, QTableView, QWidget

from dynodesk.domain.cells import cell_text, exact_text, visible
from dynodesk.domain.collections import Collection, Entry, Line
from dynodesk.ui.models.collection_model import CollectionModel
from dynodesk.ui.theme import ROW, edge_mark, face, icon, metrics, tokens, ui_font
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.whole_text import whole

SAMPLED_ROWS, SAMPLED_CELLS = 200, 4_000
"""Rows that decide the width of a column, and cells that decide those of all: a table may have hundreds of columns."""
FEWEST_SAMPLED = 10
KEPT_ROWS = 1_000
"""Selected rows that stay selected when other rows are shown; where more are, none is, rather than some."""
SHORT_OF_ROOM = 24
"""Characters of the widest column where not all columns fit into the pane."""
_BY_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
NARROWEST, WIDEST = 6, 40
"""Characters."""


@dataclass(frozen=True)
class _Place:
    """What was current and selected before other lines came."""

    current: Line | None
    column: str
    selected: tuple[Line, ...] = ()
    everything: bool = False
    """All rows are selected."""


class CollectionGrid(Grid):
    """A grid over a `CollectionModel`, which is set once."""

    entry_selected = Signal(object)
    """An `Entry`, or None where a collection's header is current or nothing is."""
    entry_opened = Signal(object)
    """An `Entry` was double-clicked or Enter pressed on it."""
    edge_followed = Signal(object)
    """The arrow of an `Entry` was clicked."""
    sort_asked = Signal(object, object)
    """Attribute, and whether descending; "" for read order."""
    columns_chosen = Signal(object)
    """A `ColumnChoice`: a column was hidden or moved."""
    selection_counted = Signal(object)
    """How many rows are selected now."""

    def __init__(self, model: CollectionModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._message = ""
        self._sorted_by = ("", False)
        self._chosen_widths: dict[str, int] = {}
        self._place = _Place(None, "")
        self.setModel(model)
        dress_grid(self, name)
        self.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        head = self.horizontalHeader()
        head.setSectionsClickable(True)
        head.setStretchLastSection(True)
        head.setMinimumSectionSize(NARROWEST * face(mono=True).measure.horizontalAdvance("0"))
        head.setSectionsMovable(True)
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(self._header_menu)
        head.sectionClicked.connect(self._header_clicked)
        head.sectionMoved.connect(self._column_moved)
        head.sectionResized.connect(self._resized)
        for header in (head, self.verticalHeader()):
            # One that nothing is ever selected in: to paint a section, a header looks through all selected rows.
            header.setSelectionModel(QItemSelectionModel(model, header))
        self.doubleClicked.connect(self._open)
        self.selectionModel().currentRowChanged.connect(self._current_changed)
        self.selectionModel().selectionChanged.connect(self._selection_changed)
        model.modelAboutToBeReset.connect(self._before_reset)
        model.about_to_rearrange.connect(self._before_reorder)
        model.layoutChanged.connect(self._restore_place)
        model.modelReset.connect(self._was_reset)
        model.columnsInserted.connect(self._columns_came)
        model.remarked.connect(self._remarked)
        model.rowsInserted.connect(self._rows_came)
        self._widths_sampled = False

    @property
    def collection_model(self) -> CollectionModel:
        return self._model

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
        self._paint_headings_on()
        super().paintEvent(event)
        if self._message:
            inset = 4 * metrics().unit
            p = QPainter(self.viewport())
            p.setFont(ui_font())
            p.setPen(tokens().color("text2"))
            room = self.viewport().rect().adjusted(inset, inset, -inset, -inset)
            p.drawText(room, Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop, self._message)

    def _paint_headings_on(self) -> None:
        """Headings of collections go on beyond the last column, where it is not stretched."""
        end, view = self.horizontalHeader().length() - self.horizontalHeader().offset(), self.viewport()
        first, last = self.rowAt(0), self.rowAt(view.height() - 1)
        if end >= view.width() or first < 0:
            return
        p, option = QPainter(view), QStyleOptionViewItem()
        self.initViewItemOption(option)
        state = option.state
        for row in range(first, (self._model.rowCount() - 1 if last < 0 else last) + 1):
            if isinstance(self._model.rows.lines[row], Collection):
                index = self._model.index(row, 0)
                option.rect = QRect(end, self.rowViewportPosition(row), view.width() - end, self.rowHeight(row))
                selected = self.selectionModel().isSelected(index)
                option.state = state | QStyle.StateFlag.State_Selected if selected else state
                self.itemDelegate().paint(p, option, index)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        if dx:  # the headings of collections stay where they are
            self.viewport().update()

    # -- selection

    @property
    def current_entry(self) -> Entry | None:
        return self._model.entry(self.currentIndex())

    def selected_entries(self) -> list[Entry]:
        """The items of the selected rows, from the top. Headers of collections are left out."""
        return [line for line in self._selected_lines() if isinstance(line, Entry)]

    @property
    def selected_rows(self) -> int:
        return sum(block.height() for block in self.selectionModel().selection().toList())

    @property
    def selected_items(self) -> int:
        """The same without the headers of collections: a tenth of a second for some million rows."""
        lines = self._model.rows.lines
        return sum(
            operator.countOf(map(type, lines[block.top() : block.bottom() + 1]), Entry)
            for block in self.selectionModel().selection().toList()
        )

    def _selected_lines(self) -> list[Line]:
        """By blocks of rows: an index for each cell of a million rows would take minutes."""
        lines = self._model.rows.lines
        blocks = sorted({(block.top(), block.bottom()) for block in self.selectionModel().selection().toList()})
        return [line for top, bottom in blocks for line in lines[top : bottom + 1]]

    @Slot()
    def _selection_changed(self) -> None:
        self.selection_counted.emit(self.selected_rows)

    @Slot()
    def _before_reset(self) -> None:
        index = self.currentIndex()
        column = self._model.columns[index.column()] if index.isValid() else ""
        count = self.selected_rows
        selected = tuple(self._selected_lines()) if count <= KEPT_ROWS else ()
        self._place = _Place(self._model.line(index), column, selected, 1 < count == self._model.rowCount())

    @Slot()
    def _before_reorder(self) -> None:
        """Taken off the selection model, which would keep an index for every selected cell."""
        self._before_reset()
        self.selectionModel().clearSelection()

    @Slot()
    def _restore_place(self) -> None:
        place, self._place = self._place, _Place(None, "")
        if place.everything:
            self.selectAll()
        rows = [row for row in self._model.rows.rows_of(self._still_there(place.selected)) if row is not None]
        if rows:
            chosen = self._selection_of(sorted(rows))
            flags = QItemSelectionModel.SelectionFlag
            self.selectionModel().select(chosen, flags.ClearAndSelect | flags.Rows)
        for row in self._model.rows.rows_of(self._still_there([place.current] if place.current else [])):
            if row is not None:
                column = self._model.columns.index(place.column) if place.column in self._model.columns else 0
                index = self._model.index(row, column)
                self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
                self.updateGeometries()
                self.scrollTo(index)

    def _still_there(self, lines: Sequence[Line]) -> list[Line]:
        rows = self._model.rows
        return [line for line in lines if isinstance(line, Collection) or rows.find(line.identity) is line]

    def _selection_of(self, rows: Sequence[int]) -> QItemSelection:
        """Rows in ascending order, as blocks."""
        selection, start = QItemSelection(), rows[0]
        for row, following in zip(rows, [*rows[1:], -1], strict=True):
            if following != row + 1:
                selection.select(self._model.index(start, 0), self._model.index(row, self._model.columnCount() - 1))
                start = following
        return selection

    def select(self, line: Line) -> bool:
        """Make an item's row current and visible. False where it is not among the rows."""
        row = self._model.rows.row_of(line)
        if row is None:
            return False
        column = max(0, self.currentIndex().column())
        self.setCurrentIndex(self._model.index(row, column))
        self.reveal(line)
        return True

    def go_to(self, row: int, column: int) -> None:
        """Make a cell current, its row alone selected."""
        self.setCurrentIndex(self._model.index(row, column))
        self.scrollTo(self.currentIndex())

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
        plain = event.button() == Qt.MouseButton.LeftButton and event.modifiers() == Qt.KeyboardModifier.NoModifier
        row = self.rowAt(int(event.position().y()))  # a heading goes on beyond the last column
        line = self._model.rows.lines[row] if row >= 0 else None
        if plain and isinstance(line, Collection):
            self._model.toggle(row)
        elif plain and isinstance(line, Entry) and index.isValid() and self._is_on_edge(index, event.position()):
            self.edge_followed.emit(line)

    def _is_on_edge(self, index: QModelIndex, at: QPointF) -> bool:
        """Whether the mouse is on the arrow of a row."""
        if index.column() or not index.data(ROW).edge:
            return False
        return edge_mark(QRectF(self.visualRect(index))).adjusted(-2, -4, 2, 4).contains(at)

    # -- copying one cell, and the menu

    @Slot()
    def copy_value(self) -> None:
        """The current cell, exactly as stored and not as shown; of a collection's header its key."""
        index = self.currentIndex()
        line = self._model.line(index)
        if isinstance(line, Collection):
            QGuiApplication.clipboard().setText(whole(line.title))
        elif line is not None:
            value = line.item.get(self._model.columns[index.column()])
            QGuiApplication.clipboard().setText("" if value is None else whole(exact_text(value)))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.currentIndex() if event.reason() == event.Reason.Keyboard else self.indexAt(event.pos())
        if not index.isValid():
            return
        self.setFocus(Qt.FocusReason.PopupFocusReason)
        within = self.selectionModel().isRowSelected(index.row(), QModelIndex())
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flags.NoUpdate if within else flags.ClearAndSelect | flags.Rows)
        menu = self.menu_for(index)
        at = self.visualRect(index).bottomLeft() if event.reason() == event.Reason.Keyboard else event.pos()
        menu.popup(self.viewport().mapToGlobal(QPoint(at)))

    def menu_for(self, index: QModelIndex, *, of_column: bool = False) -> QMenu:
        """What can be done with the cell, its item and its column: first the actions that were added to the grid."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not of_column:
            if self._model.entry(index) is not None:
                menu.addActions(self.actions())
                menu.addSeparator()
            copy = menu.addAction(icon("copy"), "Copy value", self.copy_value)
            copy.setShortcut(QKeySequence.StandardKey.Copy)
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
        if name not in self._model.keys:
            menu.addAction(f"Hide column {shown}", partial(self._hide, name))
        return menu

    @Slot(QPoint)
    def _header_menu(self, at: QPoint) -> None:
        column = self.horizontalHeader().logicalIndexAt(at)
        if column >= 0 and self._model.rowCount():
            menu = self.menu_for(self._model.index(0, column), of_column=True)
            menu.popup(self.horizontalHeader().mapToGlobal(at))

    # -- columns

    @Slot(str)
    def _hide(self, name: str) -> None:
        self.columns_chosen.emit(self._model.choice.showing(name, shown=False))

    @Slot(int, int, int)
    def _column_moved(self, _column: int, old: int, new: int) -> None:
        """Dragged in the header. The header itself stays in the order of the model, which is told."""
        head, model = self.horizontalHeader(), self._model
        head.blockSignals(True)
        head.moveSection(new, old)
        head.blockSignals(False)
        names = list(model.columns)
        moved = names[old]
        names.insert(new, names.pop(old))
        if moved not in model.keys:
            rest = [name for name in model.usual_columns if name not in names]
            self.columns_chosen.emit(replace(model.choice, order=(*names, *rest)))

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

    def show_sorting(self, attribute: str, descending: bool = False) -> None:
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
        self._widths_sampled = self._shows_read
        self._set_widths(0, self._model.columnCount())
        self.show_sorting(*self._sorted_by)
        self._restore_place()

    @Slot(QModelIndex, int, int)
    def _rows_came(self, _parent: QModelIndex, _first: int, _last: int) -> None:
        if not self._widths_sampled and self._shows_read:
            self._widths_sampled = True
            self._set_widths(0, self._model.columnCount())

    @property
    def _shows_read(self) -> bool:
        """Whether there are rows that say how wide columns have to be: staged ones may be there before any is read."""
        rows = self._model.rows
        return any(isinstance(line, Entry) and rows.is_read(line.identity) for line in rows.lines[: 2 * SAMPLED_ROWS])

    @Slot(QModelIndex, int, int)
    def _columns_came(self, _parent: QModelIndex, first: int, last: int) -> None:
        self._set_widths(first, last + 1)

    @Slot()
    def _remarked(self) -> None:
        """Leaves the keys their room."""
        if self._widths_sampled:
            self._set_widths(0, 1)

    def _set_widths(self, first: int, end: int) -> None:
        widths = [self._sampled_width(column, WIDEST) for column in range(first, end)]
        if self.columnViewportPosition(first) + sum(widths) > self.viewport().width():
            short = NARROWEST * face(mono=True).measure.horizontalAdvance("0") * (SHORT_OF_ROOM // NARROWEST)
            widths = [
                width if width <= short else self._sampled_width(column, SHORT_OF_ROOM)
                for column, width in enumerate(widths, first)
            ]
        last = self._model.columnCount() - 1  # stretched, digits would stand at the far edge, away from their row
        self.horizontalHeader().setStretchLastSection(last < 0 or not self._model.is_numeric(last))
        for column, width in enumerate(widths, first):
            self.setColumnWidth(column, self._chosen_widths.get(self._model.columns[column], width))

    def sizeHintForColumn(self, column: int) -> int:
        """What a double click on a header's edge sets; the usual answer walks through the rows."""
        return self._sampled_width(column, WIDEST)

    def _sampled_width(self, column: int, most: int) -> int:
        name = self._model.columns[column]
        count = min(SAMPLED_ROWS, max(FEWEST_SAMPLED, SAMPLED_CELLS // max(1, self._model.columnCount())))
        lines = self._model.rows.lines[: 2 * count]
        sample = [line for line in lines if isinstance(line, Entry)][:count]
        sample += self._model.rows.staged[:count]  # they stand below the others
        m, mono, caption = metrics(), face(mono=True).measure, face("caption", "semibold").measure
        texts = [cell_text(entry.item[name]) for entry in sample if name in entry.item]
        longest = max((len(text) for text in texts), default=NARROWEST)
        width = min(max(longest, NARROWEST), most) * mono.horizontalAdvance("0")
        if NARROWEST < longest <= most:  # wide scripts: measured, but never all rows
            width = max(width, *map(mono.horizontalAdvance, texts))
        if column == 0:
            words = {word for entry in sample if (word := self._model.entity_of(entry))}
            marks = max(map(caption.horizontalAdvance, words), default=0)
            remarks = {remark for entry in sample if (remark := self._model.remark_on(entry))}
            remarks |= self._model.staged_words
            width += max((caption.horizontalAdvance(remark) + 2 * m.unit for remark in remarks), default=0)
            width += (max(marks, caption.horizontalAdvance("MMM")) + 2 * m.unit) if words else 0
            width += (2 if self._model.view.table.indexes else 1) * (m.icon + m.unit)  # linked, and the way to its half
        header = face("caption", "medium").measure.horizontalAdvance(visible(name)) + m.icon
        return max(width, min(header, most * mono.horizontalAdvance("0"))) + 4 * m.unit + 2

    @Slot(int, int, int)
    def _resized(self, column: int, _before: int, width: int) -> None:
        by_hand = QApplication.mouseButtons() == Qt.MouseButton.LeftButton
        is_stretched = self.horizontalHeader().stretchLastSection() and column == self._model.columnCount() - 1
        if by_hand and not is_stretched:
            self._chosen_widths[self._model.columns[column]] = width
