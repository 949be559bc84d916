"""The editor of an expression in its row: names and functions are offered, what is wrong is underlined at its place."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRect, Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from dynodesk.ui.pages.browse_filter import FilterText
from dynodesk.ui.theme import metrics
from dynodesk.ui.widgets.word_offers import WordOffers

MOST_LINES = 5
"""Lines that the editor of a row grows to."""
_LANGUAGE = """
ADD AND BETWEEN DELETE IN NOT OR REMOVE SET attribute_exists attribute_not_exists attribute_type begins_with contains
if_not_exists list_append size
"""
WORDS = frozenset(_LANGUAGE.split())


class ExpressionText(FilterText):
    """Enter and Tab are done with it, Ctrl+Space offers words. It grows over the rows below it."""

    finished = Signal()

    def __init__(self, name: str, names: Iterable[str], parent: QWidget) -> None:
        super().__init__()
        self.setParent(parent)
        self.setAccessibleName(name)
        self.setPlaceholderText("")
        self.setMinimumHeight(0)
        self.setMaximumHeight(MOST_LINES * metrics().line + 2 * metrics().unit)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self._offers = WordOffers(self)
        self._offers.set_words({*names, *WORDS})
        self.is_filled = False
        self.textChanged.connect(self._grow)

    def fill(self, text: str) -> None:
        """The text to begin with; what is typed since is left alone."""
        if not self.is_filled:
            self.setPlainText(text)
            self.is_filled = True

    def place(self, box: QRect) -> None:
        """At the row, as tall as its text is."""
        lines = max(1, round(self.document().size().height()))
        needed = lines * self.fontMetrics().lineSpacing() + 2 * metrics().unit
        self.setGeometry(box.x(), box.y(), box.width(), min(max(box.height(), needed), self.maximumHeight()))

    @Slot()
    def _grow(self) -> None:
        self.place(QRect(self.x(), self.y(), self.width(), metrics().row))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        was_open = self._offers.is_open
        key, modifiers = event.key(), event.modifiers()
        control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        if self._offers.takes(event):
            event.ignore()
        elif control and key == Qt.Key.Key_Space:
            self._offers.offer(asked=True)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not control:
                self.finished.emit()
            event.setAccepted(not control)  # with Ctrl it is for the page
        else:
            super().keyPressEvent(event)
            self._offers.follow(event, was_open=was_open)

    def hideEvent(self, event: QHideEvent) -> None:
        self._offers.popup.hide()
        super().hideEvent(event)
