"""A request from text: JSON of a request, a command of the AWS CLI, a call of boto3, an expression with its values."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QWidget

from dynodesk.domain.composition import Draft
from dynodesk.domain.errors import DynodeskError, InvalidExpression
from dynodesk.domain.pasting import read_pasted
from dynodesk.ui.dialogs.form import Remark
from dynodesk.ui.pages.item_editor_texts import ExactText
from dynodesk.ui.theme import Text, metrics, px
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import area, column, row
from dynodesk.ui.widgets.whole_text import whole

TAKES = (
    "A request as JSON, a command of the AWS CLI, a call of boto3, or an expression with its names and values. "
    "Nothing is sent: it becomes the tree."
)
PAUSE = 200
"""Milliseconds without a key before the text is read."""
LONGEST = 2_000_000
"""Characters that are read."""


class PasteDialog(QDialog):
    """Show it with `open`. `then` is handed the draft once it is taken."""

    def __init__(self, then: Callable[[Draft], object], window: QWidget | None) -> None:
        super().__init__(window)
        self._then = then
        self._draft: Draft | None = None
        self.setWindowTitle("Paste a request")
        self.text = ExactText("The request as text")
        self.text.setPlaceholderText("aws dynamodb update-item --table-name … --key … --update-expression …")
        self.remark = Remark()
        self.cancel_button = button("Cancel", keys="Esc")
        self.take_button = button("Compose", "symbol-operator", "Ctrl+Enter", primary=True)
        m = metrics()
        words = Text(TAKES, "muted", wrap=True)
        title = Text("Paste a request", size="title", weight="semibold")
        head = column(title, words, gap=1, margins=(5, 4, 5, 3))
        foot = row(None, self.cancel_button, self.take_button, gap=2, margins=(5, 0, 5, 0))
        parts = column(
            area(head, "window", "b"),
            self.text,
            area(row(self.remark, margins=(5, 0, 5, 0)), "window", "t"),
            area(foot, "window", "t", m.control + 6 * m.unit),
            gap=0,
        )
        parts.setStretch(1, 1)
        self.setLayout(parts)
        room = self.screen().availableSize()
        self.resize(min(px(760), round(0.95 * room.width())), min(px(560), round(0.92 * room.height())))
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(PAUSE)
        self._typing.timeout.connect(self._read)
        self.text.textChanged.connect(self._typing.start)
        self.cancel_button.clicked.connect(self.reject)
        self.take_button.clicked.connect(self.accept)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self.accept)
        self._read()
        self.text.setFocus()

    def show_text(self, text: str) -> None:
        self.text.setPlainText(whole(text))
        self._read()

    @Slot()
    def _read(self) -> None:
        self._typing.stop()
        self._draft = None
        text = self.text.typed
        self.text.mark_faulty(())
        if not text.strip():
            self.remark.say("hint", "")
        elif len(text) > LONGEST:
            self.remark.say("problem", f"The text has {len(text):,} characters; at most {LONGEST:,} are read.")
        else:
            self._read_text(text)
        self.take_button.setEnabled(self._draft is not None)

    def _read_text(self, text: str) -> None:
        try:
            self._draft = read_pasted(text)
        except DynodeskError as problem:
            place = ""
            if isinstance(problem, InvalidExpression):
                before = text[: problem.offset]
                line, at = 1 + before.count("\n"), len(before) - before.rfind("\n")
                self.text.mark_faulty((line,))
                place = f"Line {line}, column {at}: "
            self.remark.say("problem", f"{place}{problem.message}. {problem.hint}".strip())
        else:
            count = len(self._draft.actions) or len(self._draft.statements)
            what = "statement" if self._draft.statements else "action"
            self.remark.say("hint", f"{self._draft.operation}, {count:,} {what}{'' if count == 1 else 's'}.")

    def accept(self) -> None:
        self._read()
        if self._draft is not None:
            super().accept()
            self._then(self._draft)


def clipboard_draft() -> Draft | None:
    """What the clipboard holds as a request; None where it holds none."""
    text = QGuiApplication.clipboard().text()
    if not text.strip() or len(text) > LONGEST:
        return None
    try:
        return read_pasted(text)
    except DynodeskError:
        return None
