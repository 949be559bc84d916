"""What support asks for: shown first, and copied only then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Slot, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFrame, QPlainTextEdit, QWidget

from dynodesk.domain.progress import Ticket
from dynodesk.domain.redaction import redaction
from dynodesk.store.endings import BadEnding
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import message_for
from dynodesk.ui.theme import Text, metrics, mono_font, px
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import area, column, row

SAYS = (
    "Versions, settings without their values, and the end of the log. No item, no key and no secret is in it; "
    "look through it before you hand it on."
)


class DiagnosticsDialog(QDialog):
    """Esc closes it. Show it with `open`."""

    def __init__(
        self,
        collect: Callable[[Sequence[str]], str],
        runner: JobRunner,
        window: QWidget | None = None,
        ending: BadEnding | None = None,
    ) -> None:
        """`collect` reads files: it is called in the background, with lines to add about screen and colours.

        `ending`: a run that ended badly, of which is told first.
        """
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Diagnostics")
        self._begin = "" if ending is None else _told(ending)
        self.text = QPlainTextEdit("Collecting…")
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setFont(mono_font())
        self.text.document().setDocumentMargin(5 * metrics().unit)
        self.text.setAccessibleName("Diagnostics")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.copy_button = button("Copy", "copy", primary=True)
        self.copy_button.setEnabled(False)
        self.copy_button.setAutoDefault(False)
        self.close_button = button("Close", keys="Esc")
        heading = Text(self.windowTitle(), size="title", weight="semibold")
        head = area(column(heading, Text(SAYS, "text2", wrap=True), gap=2, margins=(5, 4, 5, 3)), "window", "b")
        self.copied = Text("", "muted")
        foot = row(self.copied, None, self.close_button, self.copy_button, gap=2, margins=(5, 0, 5, 0))
        parts = column(head, self.text, area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0)
        parts.setStretch(1, 1)
        self.setLayout(parts)
        room = self.screen().availableSize()
        self.resize(min(px(820), round(0.95 * room.width())), min(px(600), round(0.92 * room.height())))
        self.copy_button.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.reject)
        self.text.setFocus()
        work = partial(_collect, collect, (_screens(),))
        runner.start(work, title="Collect diagnostics", done=self._show, failed=self._failed)

    @Slot(object)
    def _show(self, text: str) -> None:
        self.text.setPlainText(f"{self._begin}{text}")
        self.copy_button.setEnabled(True)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        message = message_for(error)
        self.text.setPlainText(f"{self._begin}{message.title}: {message.line}\n{message.details}")
        self.copy_button.setEnabled(True)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.copied.setText("Copied.")


def _collect(collect: Callable[[Sequence[str]], str], more: Sequence[str], _ticket: Ticket) -> str:
    return collect(more)


def _screens() -> str:
    screens = [
        f"{screen.size().width()} × {screen.size().height()} at {screen.devicePixelRatio():g}"
        for screen in QGuiApplication.screens()
    ]
    return f"Qt {qVersion()} on {QGuiApplication.platformName()}, screens: {', '.join(screens)}"


def _told(ending: BadEnding) -> str:
    stacks = redaction.hide(ending.stacks) or "Nothing was left of it: it was ended from outside, or the power went."
    return f"A run that ended badly: {ending.began}\n\n{stacks}\n\n"
