"""What a dialog's job is doing, and how it failed, inside the dialog."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QProgressBar, QWidget

from dynodesk.domain.progress import Progress
from dynodesk.ui.messages import LOOKS, Message, message_for
from dynodesk.ui.theme import Glyph, Text, metrics, px
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import Area, area, column, row


class Outcome(QWidget):
    """Shows nothing, a running job, or the error it ended with."""

    def __init__(self) -> None:
        super().__init__()
        self._bar = QProgressBar()
        self._bar.setFixedSize(px(96), metrics().icon)
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress")
        self._words = Text("", "text2", wrap=True)
        running = row(self._bar, self._words, gap=3, margins=(5, 0, 5, 0))
        running.setStretch(1, 1)
        self._running = area(running, "window", "t", metrics().control + 2 * metrics().unit)
        self._error: Area | None = None
        self._message: Message | None = None
        self._column = column(self._running, gap=0)
        self.setLayout(self._column)
        self.clear()

    @property
    def message(self) -> Message | None:
        """The error that is shown."""
        return self._message

    @property
    def words(self) -> str:
        """What is said of the running job; "" while none is."""
        return "" if self._running.isHidden() else self._words.text()

    def clear(self) -> None:
        self._running.hide()
        self._message = None
        if self._error is not None:
            self._error.hide()
            self._error.deleteLater()
            self._error = None

    def show_running(self, words: str) -> None:
        self.clear()
        self._words.setText(words)
        self._running.show()

    @Slot(object)
    def show_progress(self, progress: Progress) -> None:
        if progress.note and not self._running.isHidden():
            self._words.setText(progress.note)

    def show_error(self, error: BaseException) -> None:
        self.clear()
        self._message = message = message_for(error)
        glyph, ink, ground = LOOKS[message.kind]
        copy = button("Copy", "copy", tone="quiet")
        copy.setAccessibleName("Copy the error")
        copy.clicked.connect(self._copy)
        words = row(
            column(0.5, Glyph(glyph, ink), None, gap=0),
            column(Text(message.title, weight="semibold"), Text(message.line, wrap=True), gap=0.5),
            column(copy, None, gap=0),
            gap=2,
            margins=(5, 2.5, 3, 2.5),
        )
        words.setStretch(1, 1)
        self._error = area(words, ground, "t")
        self._error.setAccessibleName(f"{message.title}. {message.line}")
        self._column.addWidget(self._error)
        self._error.show()

    @Slot()
    def _copy(self) -> None:
        if self._message is not None:
            QGuiApplication.clipboard().setText(self._message.copied)
