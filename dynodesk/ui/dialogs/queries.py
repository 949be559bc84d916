"""Saved queries and the history of a connection: found by typing, run again, named, removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QCheckBox, QDialog, QTableView, QWidget

from dynodesk.domain.cells import exact_text, visible
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.queries import KeptQuery, Query, now, operation_of, place_of, query_words
from dynodesk.domain.statements import Select
from dynodesk.ui.asking import Asker, Question
from dynodesk.ui.pages.reconcile_rows import Column, RowsModel
from dynodesk.ui.query_shelf import QueryShelf
from dynodesk.ui.theme import Cell, Row, Text, metrics, px, ui_font
from dynodesk.ui.widgets.code import CodeView
from dynodesk.ui.widgets.controls import button, field, search_field, sub_tabs
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import area, column, row

COLUMNS = (Column("Name, or when it was run", 190), Column("Operation", 80), Column("Table", 130), Column("Query", 300))
Shown = Literal["all", "saved", "history"]
TABS: tuple[Shown, ...] = ("all", "saved", "history")


class QueriesDialog(QDialog):
    """Show it with `open`. `draft` is a query to be saved: the keyboard starts in the field of its name."""

    def __init__(
        self,
        shelf: QueryShelf,
        run: Callable[[Query], object],
        asker: Asker,
        draft: Query | None = None,
        window: QWidget | None = None,
    ) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Queries")
        self._shelf, self._run_query, self._asker = shelf, run, asker
        self._draft = None if draft is None else KeptQuery(draft, now())
        self._shown: list[KeptQuery] = []
        self._named: KeptQuery | None = None
        """The one whose name is in the field."""
        self._count = Text("", "text2")
        self.search = search_field("Search queries", "Table, key, word of a statement, name…", 300)
        self.tabs = sub_tabs("Which queries", "All", "Saved", "History")
        heading = row(Text("Queries", size="title", weight="semibold"), self._count, None, self.search, gap=3)
        self._notice = Text("", "warn", wrap=True)
        self.model = RowsModel(COLUMNS, self)
        self.grid = Grid()
        self.grid.setModel(self.model)
        dress_grid(self.grid, "Queries")
        self.grid.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        for at, of in enumerate(COLUMNS):
            self.grid.setColumnWidth(at, px(of.width))
        self.grid.horizontalHeader().setStretchLastSection(True)
        self.detail = CodeView("Query, whole")
        self.name = field("Name", "Name to save it under", 260, mono=False)
        self.save_button = button("Save", "save", "Ctrl+Shift+D")
        self.remove_button = button("Remove", "trash", "Delete")
        self._problem = Text("", "danger")
        self.keep = QCheckBox("Keep a history")
        self.keep.setFont(ui_font())
        self.keep.setToolTip("Queries hold the values that were asked for. They are kept on this computer alone.")
        self.clear_button = button("Clear the history…")
        self.close_button = button("Close", keys="Esc")
        self.run_button = button("Run again", "play", "Enter", primary=True)
        naming = row(self.name, self.save_button, self.remove_button, 1, self._problem, None, gap=1.5)
        foot = row(self.keep, self.clear_button, None, self.close_button, self.run_button, gap=2, margins=(5, 0, 5, 0))
        m = metrics()
        head = column(heading, self._notice, gap=1.5, margins=(5, 4, 5, 1))
        head.addWidget(self.tabs)
        parts = column(
            area(head, "window", "b"),
            self.grid,
            area(column(self.detail, margins=(0, 0.25, 0, 0)), "base", "t"),
            area(column(naming, margins=(5, 2, 5, 2)), "window", "t"),
            area(foot, "window", "t", m.control + 6 * m.unit),
            gap=0,
        )
        parts.setStretch(1, 3)
        parts.setStretch(2, 1)
        self.setLayout(parts)
        self.grid.setMinimumHeight(5 * m.row)
        self.detail.setMinimumHeight(4 * m.line)
        room = self.screen().availableSize()
        self.resize(min(px(900), round(0.95 * room.width())), min(px(600), round(0.9 * room.height())))

        self.search.textChanged.connect(self._filter)
        self.tabs.currentChanged.connect(self._filter)
        self.grid.selectionModel().currentRowChanged.connect(self._show_current)
        self.grid.doubleClicked.connect(self.run)
        self.name.textChanged.connect(self._show_state)
        self.save_button.clicked.connect(self.save)
        self.remove_button.clicked.connect(self.remove)
        self.clear_button.clicked.connect(self._ask_to_clear)
        self.keep.clicked.connect(self._shelf.set_keeping)
        self.close_button.clicked.connect(self.reject)
        self.run_button.clicked.connect(self.run)
        shelf.changed.connect(self._show)
        for keys, act in (("Ctrl+Shift+D", self._name_it), ("Ctrl+F", self._search_it)):
            QShortcut(QKeySequence(keys), self).activated.connect(act)
        self.search.installEventFilter(self)
        self.grid.installEventFilter(self)
        self.name.installEventFilter(self)
        self._show()
        (self.search if draft is None else self.name).setFocus()

    @property
    def current(self) -> KeptQuery | None:
        at = self.grid.currentIndex().row()
        return self._shown[at] if 0 <= at < len(self._shown) else None

    # -- what is shown

    @Slot()
    def _show(self) -> None:
        self._notice.setText(self._shelf.notice)
        self._notice.setVisible(bool(self._shelf.notice))
        self.keep.setChecked(self._shelf.queries.keeps)
        self._filter()

    @Slot()
    def _filter(self) -> None:
        current = self.current or self._draft
        found = self._all()
        words = self.search.text().casefold().split()
        self._shown = [kept for kept in found if all(word in _searched(kept) for word in words)]
        self.model.set_rows([self._row(kept) for kept in self._shown])
        of = f" of {len(found):,}" if len(self._shown) != len(found) else ""
        self._count.setText(f"{len(self._shown):,}{of}")
        if self._shown:
            same = [at for at, kept in enumerate(self._shown) if current is not None and kept.query == current.query]
            self.grid.setCurrentIndex(self.model.index(same[0] if same and not words else 0, 0))
        self._show_current()

    def _all(self) -> list[KeptQuery]:
        which, queries = TABS[self.tabs.currentIndex()], self._shelf.queries
        saved = [] if which == "history" else [*queries.saved]
        history = [] if which == "saved" else [*queries.history]
        draft = []
        if self._draft is not None and all(kept.query != self._draft.query for kept in (*saved, *history)):
            draft = [self._draft]
        return [*draft, *saved, *history]

    def _row(self, kept: KeptQuery) -> Row:
        when = "not run yet" if kept is self._draft else kept.local_time
        return Row(
            (
                Cell(visible(kept.name), "text") if kept.name else Cell(when, "text", ink="text2"),
                Cell(operation_of(kept.query), "text"),
                Cell(visible(place_of(kept.query)), "S"),
                Cell(visible(query_words(kept.query)), "S", ink="text2"),
            )
        )

    @Slot()
    def _show_current(self) -> None:
        kept = self.current
        nothing = "No query has these words." if self.search.text() else "Nothing is kept yet."
        self.detail.setPlainText(nothing if kept is None else _whole(kept))
        if kept != self._named:  # else the list was made anew around it, maybe while its name is being typed
            self._named = kept
            self.name.setText("" if kept is None else kept.name)
            self._problem.setText("")
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        kept, name = self.current, self.name.text().strip()
        self.run_button.setEnabled(kept is not None)
        self.remove_button.setEnabled(kept is not None and kept is not self._draft)
        self.name.setEnabled(kept is not None)
        self.save_button.setText("Rename" if kept is not None and kept.name else "Save")
        self.save_button.setAccessibleName(self.save_button.text())
        self.save_button.setEnabled(kept is not None and bool(name) and name != kept.name)
        self.clear_button.setEnabled(bool(self._shelf.queries.history))

    # -- what the person does

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = event.key()
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # else the dialog's button would take it as well
                (self.save if watched is self.name else self.run)()
                return True
            if watched is self.search and key in (Qt.Key.Key_Down, Qt.Key.Key_Up) and self._shown:
                step = 1 if key == Qt.Key.Key_Down else -1
                at = (self.grid.currentIndex().row() + step) % len(self._shown)
                self.grid.setCurrentIndex(self.model.index(at, 0))
                return True
            if watched is self.grid and key == Qt.Key.Key_Delete:
                self.remove()
                return True
            if watched is self.grid and key == Qt.Key.Key_F2:  # the grid takes it for itself before any shortcut
                self._name_it()
                return True
        return super().eventFilter(watched, event)

    @Slot()
    def run(self) -> None:
        kept = self.current
        if kept is not None:
            self.accept()
            self._run_query(kept.query)

    @Slot()
    def save(self) -> None:
        """Save the current query under the name in the field, or give it that name."""
        kept = self.current
        if kept is None or not self.save_button.isEnabled():
            return
        try:
            if kept.name:
                self._shelf.rename(kept, self.name.text())
            else:
                self._shelf.save(kept.query, self.name.text())
        except InvalidRequest as problem:
            self._problem.setText(f"{problem.message[:1].upper()}{problem.message[1:]}.")
            return
        if self._draft is not None and kept.query == self._draft.query:
            self._draft = None
        self.grid.setFocus()

    @Slot()
    def remove(self) -> None:
        kept = self.current
        if kept is None or kept is self._draft:
            return
        if kept.name:
            question = Question("Remove a saved query", f"Remove “{visible(kept.name)}”?", "Remove", danger=True)
            self._asker.confirm(question, lambda: self._remove(kept))
        else:
            self._remove(kept)

    def _remove(self, kept: KeptQuery) -> None:
        at = self.grid.currentIndex().row()
        self._shelf.remove(kept)
        if self._shown:
            self.grid.setCurrentIndex(self.model.index(min(at, len(self._shown) - 1), 0))

    @Slot()
    def _ask_to_clear(self) -> None:
        count = len(self._shelf.queries.history)
        words = (
            f"Forget the {count:,} queries of the history, with the values in them? Damaged files of queries that were "
            "kept go as well. What was saved under a name stays."
        )
        self._asker.confirm(Question("Clear the history", words, "Clear", danger=True), self._shelf.clear_history)

    @Slot()
    def _name_it(self) -> None:
        self.name.setFocus()
        self.name.selectAll()

    @Slot()
    def _search_it(self) -> None:
        self.search.setFocus()
        self.search.selectAll()


def _searched(kept: KeptQuery) -> str:
    words = (kept.name, operation_of(kept.query), place_of(kept.query), query_words(kept.query), kept.local_time)
    return " ".join(words).casefold()


def _whole(kept: KeptQuery) -> str:
    query = kept.query
    heading = f"{operation_of(query)} · {place_of(query)}"
    if not isinstance(query, Select):
        return f"{heading}\n{query_words(query)}"
    values = "".join(f"\n? {number} = {exact_text(value)}" for number, value in enumerate(query.parameters, start=1))
    return f"{heading}{' · consistent' if query.consistent else ''}\n{query.text}{values}"
