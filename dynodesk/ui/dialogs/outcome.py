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

#: icon -> (ink, ground)
ENDS = {"pass": ("ok", "ok_soft"), "warning": ("warn", "warn_soft"), "lock": ("slate", "slate_soft")}


class Outcome(QWidget):
    """Shows nothing, a running job, how it ended, or the error it ended with."""

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
        self._said: Area | None = None
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
        if self._said is not None:
            self._said.hide()
            self._said.deleteLater()
            self._said = None

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
        self._say(glyph, ink, ground, message.title, message.line, copy)

    def show_end(self, glyph: str, title: str, line: str, *tools: QWidget) -> None:
        """How it ended, or why it does not begin: `pass`, `warning` or `lock`. `tools` are buttons that lead on."""
        self.clear()
        ink, ground = ENDS[glyph]
        self._say(glyph, ink, ground, title, line, *tools)

    @property
    def said(self) -> str:
        """How the job ended, or failed, as it is read aloud; "" while nothing is said."""
        return "" if self._said is None else self._said.accessibleName()

    def _say(self, glyph: str, ink: str, ground: str, title: str, line: str, *tools: QWidget) -> None:
        said = [Text(title, weight="semibold", wrap=True), *([Text(line, wrap=True)] if line else [])]
        words = row(
            column(0.5, Glyph(glyph, ink), None, gap=0),
            column(*said, gap=0.5),
            *(column(tool, None, gap=0) for tool in tools),
            gap=2,
            margins=(5, 2.5, 3, 2.5),
        )
        words.setStretch(1, 1)
        self._said = area(words, ground, "t")
        self._said.setAccessibleName(f"{title}. {line}" if line else title)
        self._column.addWidget(self._said)
        self._said.show()

    @Slot()
    def _copy(self) -> None:
        if self._message is not None:
            QGuiApplication.clipboard().setText(self._message.copied)
