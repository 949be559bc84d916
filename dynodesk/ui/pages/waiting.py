"""A tab of an earlier run whose connection is not open yet: it becomes the page it was once somebody looks at it."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent

from dynodesk.domain.cells import visible
from dynodesk.ui.theme import Text, icon, px
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import Area, area, column, row


class WaitingPage(Area):
    asked = Signal()
    """It is looked at, or somebody wants another try."""

    def __init__(self, title: str) -> None:
        super().__init__("base")
        self.setWindowTitle(title)
        self.setWindowIcon(icon("history"))
        self._words = Text("", "text2", wrap=True)
        self.again = button("Try again", "refresh")
        self.again.clicked.connect(self.asked)
        self.again.hide()
        inside = column(self._words, row(self.again, None), None, gap=2, margins=(6, 6, 6, 6))
        held = area(inside)
        held.setMaximumWidth(px(560))
        self.setLayout(row(held, None))
        self.begin_at(self.again)

    @property
    def words(self) -> str:
        return self._words.text()

    def show_words(self, words: str, *, again: bool = False) -> None:
        self._words.setText(visible(words))
        self.setAccessibleDescription(words)
        self.again.setVisible(again)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._ask)  # of the tabs that are made one by one, only the last stays to be seen

    @Slot()
    def _ask(self) -> None:
        if self.isVisible() and self.again.isHidden():
            self.asked.emit()
