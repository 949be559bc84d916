"""Find anything: one field over actions, tables and tabs, filtered by words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, Slot
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QFrame, QLineEdit, QTreeView, QWidget

from dynodesk.ui.theme import KeyCap, icon, metrics, px
from dynodesk.ui.widgets.controls import search_field
from dynodesk.ui.widgets.layouts import row
from dynodesk.ui.widgets.trees import NOTE, dress_tree

ENTRY = Qt.ItemDataRole.UserRole + 20
MOST_SHOWN = 14


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that can be found. `note` says what it is or how else to reach it."""

    text: str
    note: str
    glyph: str
    run: Callable[[], object]


def ranked(entries: Iterable[Entry], words: str) -> list[Entry]:
    """Those in which every word occurs, best first: beginnings before middles, otherwise in the given order."""
    needles = words.casefold().split()
    inside = [f" {needle}" for needle in needles]
    found: list[tuple[int, int, Entry]] = []
    for order, entry in enumerate(entries):  # thousands of tables: the note is looked at only where it may matter
        text = entry.text.casefold()
        if all(needle in text for needle in needles) or _is_noted(text, entry.note.casefold(), needles):
            starts = sum(
                text.startswith(needle) or spaced in text for needle, spaced in zip(needles, inside, strict=True)
            )
            found.append((-starts, order, entry))
    found.sort(key=_rank)
    return [entry for _, _, entry in found]


def _is_noted(text: str, note: str, needles: list[str]) -> bool:
    return all(needle in text or needle in note for needle in needles)


def _rank(found: tuple[int, int, Entry]) -> tuple[int, int]:
    return found[:2]


class Finder(QObject):
    """The field for the top of the window, and the list that unfolds below it."""

    def __init__(self, entries: Callable[[], Iterable[Entry]], window: QWidget) -> None:
        super().__init__(window)
        self._entries, self._window = entries, window
        self._came_from: QWidget | None = None
        self.field: QLineEdit = search_field("Find anything", "Find anything", 320)
        self.field.setClearButtonEnabled(False)  # the key caps stand there
        hint = row(None, KeyCap("Ctrl+K"), margins=(0, 0, 1, 0))
        self.field.setLayout(hint)
        self._model = QStandardItemModel(self)
        self.list = QTreeView(window)
        self.list.setModel(self._model)
        dress_tree(self.list, "Found")
        self.list.setFrameShape(QFrame.Shape.Box)
        self.list.setRootIsDecorated(False)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.hide()
        self.field.installEventFilter(self)
        self.field.textEdited.connect(self._search)
        self.list.clicked.connect(self._run_index)

    @Slot()
    def open(self) -> None:
        """Puts the cursor in the field and unfolds the list."""
        self._came_from = self._window.focusWidget()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._search(self.field.text())

    def close(self) -> None:
        self.list.hide()
        self.field.clear()
        if self._came_from is not None and self.field.hasFocus():
            self._came_from.setFocus(Qt.FocusReason.OtherFocusReason)
        self._came_from = None

    def fold(self) -> None:
        self.list.hide()

    @Slot(str)
    def _search(self, words: str) -> None:
        self._model.clear()
        for entry in ranked(self._entries(), words)[:MOST_SHOWN]:
            item = QStandardItem(entry.text)
            item.setData(entry.note, NOTE)
            item.setData(entry, ENTRY)
            if entry.glyph:
                item.setIcon(icon(entry.glyph))
            self._model.appendRow(item)
        if not self._model.rowCount():
            nothing = QStandardItem("Nothing found")
            nothing.setEnabled(False)
            self._model.appendRow(nothing)
        self.list.setCurrentIndex(self._model.index(0, 0))
        self._place()

    def _place(self) -> None:
        below = self.field.mapTo(self._window, QPoint(self.field.width(), self.field.height()))
        width = px(420)
        height = self._model.rowCount() * metrics().row + 4
        self.list.setGeometry(below.x() - width, below.y() + metrics().unit, width, height)
        self.list.raise_()
        self.list.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field:
            if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
                return self._key(event.key())
            if event.type() == QEvent.Type.ShortcutOverride and _is_escape(event) and self.list.isVisible():
                event.accept()  # Esc folds this list; it must not stop a job as well
                return True
            if event.type() == QEvent.Type.FocusOut:
                self.list.hide()
        return super().eventFilter(watched, event)

    def _key(self, key: int) -> bool:
        rows = self._model.rowCount()
        at = self.list.currentIndex().row()
        match key:
            case Qt.Key.Key_Down | Qt.Key.Key_Up if not self.list.isVisible():
                self._search(self.field.text())
            case Qt.Key.Key_Down if rows:
                self.list.setCurrentIndex(self._model.index((at + 1) % rows, 0))
            case Qt.Key.Key_Up if rows:
                self.list.setCurrentIndex(self._model.index((at - 1) % rows, 0))
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._run_index(self.list.currentIndex())
            case Qt.Key.Key_Escape:
                self.close()
            case _:
                return False
        return True

    @Slot(QModelIndex)
    def _run_index(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY)
        if isinstance(entry, Entry):
            self.close()
            entry.run()


def _is_escape(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
