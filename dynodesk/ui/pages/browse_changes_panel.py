"""The Changes panel: every staged edit of the connection with what it changes, and the ways on and back."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QTableView

from dynodesk.domain.edits import Edit
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.actions import button_for, tool_for
from dynodesk.ui.dialogs.commit_rows import edits_words
from dynodesk.ui.pages.browse_changes_model import ChangesModel, Line
from dynodesk.ui.theme import Glyph, Text, metrics, px
from dynodesk.ui.widgets.controls import tool
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import Area, area, column, row
from dynodesk.ui.widgets.lines import Line as TextLine


class ChangesGrid(Grid):
    """Enter goes to the item; Space shows and hides the attributes of a new or deleted one."""

    fold_asked = Signal(QModelIndex)
    opened = Signal(QModelIndex)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index, plain = self.currentIndex(), event.modifiers() == Qt.KeyboardModifier.NoModifier
        if plain and index.isValid() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(index)
        elif plain and index.isValid() and event.key() == Qt.Key.Key_Space:
            self.fold_asked.emit(index)
        else:
            super().keyPressEvent(event)


class ChangesPanel(Area):
    """Shows what it is given. What is done with it are the actions it is made with."""

    chosen = Signal(object)
    """The `Edit` whose row is the current one."""
    opened = Signal(object)
    """An `Edit` whose item is to be gone to."""
    selection_changed = Signal()
    close_asked = Signal()

    def __init__(
        self, table: TableInfo, commit: QAction, revert: QAction, revert_all: QAction, undo_revert: QAction
    ) -> None:
        """`table`: the one of the page."""
        super().__init__("window", "t")
        m = metrics()
        self._is_showing = False
        self.model = ChangesModel(table, self)
        self.grid = ChangesGrid()
        self.grid.setModel(self.model)
        dress_grid(self.grid, "Staged edits")
        self.grid.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        for at, width in enumerate((250, 100, 150, 190, 190, 150)):
            self.grid.setColumnWidth(at, px(width))
        self.grid.horizontalHeader().setStretchLastSection(True)
        self.grid.addActions([revert, undo_revert])
        self._says = TextLine("", "text2", stretch=False)
        close = tool("close", "Hide the staged edits")
        close.clicked.connect(self.close_asked)
        self.commit_button = button_for(commit, primary=False, text="Commit…")
        head = row(
            Glyph("diff", "text2"),
            Text("Changes", weight="semibold"),
            self._says,
            None,
            tool_for(undo_revert),
            button_for(revert, tone="quiet"),
            button_for(revert_all, tone="quiet"),
            self.commit_button,
            close,
            gap=1.5,
            margins=(3, 0, 1, 0),
        )
        whole = column(area(head, "window", "b", m.control + 2 * m.unit), self.grid, gap=0)
        whole.setStretch(1, 1)
        self.setLayout(whole)
        self.setMinimumHeight(m.control + 2 * m.unit + m.bar + 2 * m.row)
        self.grid.fold_asked.connect(self._toggle)
        self.grid.doubleClicked.connect(self._open)
        self.grid.opened.connect(self._open)
        self.grid.clicked.connect(self._clicked)
        self.grid.selectionModel().currentRowChanged.connect(self._current_changed)
        self.grid.selectionModel().selectionChanged.connect(self.selection_changed)

    def sizeHint(self) -> QSize:
        return QSize(px(600), px(170))

    @property
    def words(self) -> str:
        return self._says.text

    def show_edits(self, edits: tuple[Edit, ...]) -> None:
        """The current row stays with its edit, or near where it was."""
        line, at = self._current, self.grid.currentIndex().row()
        self.model.show_edits(edits)
        several = len({edit.table for edit in edits}) > 1
        self.grid.setColumnHidden(1, not several)
        self._says.set_text(f"{edits_words(len(edits))} staged, nothing written yet" if edits else "Nothing is staged.")
        self.grid.setAccessibleDescription(self._says.text)
        found = None if line is None else self.model.row_of(line.edit)
        row_ = found if found is not None else min(at, self.model.rowCount() - 1)
        if row_ >= 0:
            self._is_showing = True  # nobody has chosen another edit
            self.grid.setCurrentIndex(self.model.index(row_, 0))
            self._is_showing = False
        self.selection_changed.emit()

    @property
    def _current(self) -> Line | None:
        return self.model.line_at(self.grid.currentIndex().row())

    @property
    def selected(self) -> tuple[Line, ...]:
        """From the top."""
        at = sorted({index.row() for index in self.grid.selectionModel().selectedRows()})
        return tuple(line for row_ in at if (line := self.model.line_at(row_)) is not None)

    @Slot()
    def _current_changed(self) -> None:
        line = self._current
        if line is not None and not self._is_showing:
            self.chosen.emit(line.edit)

    @Slot(QModelIndex)
    def _clicked(self, index: QModelIndex) -> None:
        line = self.model.line_at(index.row())
        if line is not None and self.model.can_fold(line) and index.column() == 2:
            self._toggle(index)

    @Slot(QModelIndex)
    def _toggle(self, index: QModelIndex) -> None:
        line = self.model.line_at(index.row())
        if line is not None:
            self.model.toggle(line)
            self.grid.setCurrentIndex(self.model.index(self.model.row_of(line.edit) or 0, index.column()))

    @Slot(QModelIndex)
    def _open(self, index: QModelIndex) -> None:
        line = self.model.line_at(index.row())
        if line is not None:
            self.opened.emit(line.edit)
