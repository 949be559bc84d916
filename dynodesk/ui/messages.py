"""The line under the pages that says what went wrong, whether anything was written, and what to do."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleEvent, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from dynodesk import __version__
from dynodesk.domain.errors import DynodeskError, explanation
from dynodesk.domain.fault_report import described, fault_report
from dynodesk.domain.redaction import redaction
from dynodesk.ui.theme import Glyph, Text, metrics, mono_font
from dynodesk.ui.widgets.controls import button, tool
from dynodesk.ui.widgets.layouts import Area, area, column, row
from dynodesk.ui.widgets.lines import Line

Kind = Literal["error", "unknown", "warning", "notice", "fault"]

#: kind -> (icon, ink, ground)
LOOKS: dict[Kind, tuple[str, str, str]] = {
    "error": ("error", "danger", "danger_soft"),
    "unknown": ("question", "slate", "slate_soft"),
    "warning": ("warning", "warn", "warn_soft"),
    "notice": ("pass", "ok", "ok_soft"),
    "fault": ("bug", "plum", "plum_soft"),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """A button of a message. It stays when it was used; the person dismisses the message."""

    text: str
    run: Callable[[], object] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Message:
    """What the bar shows: a few words, one line, and the rest on demand. All of it plain text."""

    kind: Kind
    title: str
    line: str
    details: str = ""
    """Shown when unfolded, and copied; empty: the line is all there is."""
    offer: Offer | None = None
    """What can be done about it."""

    @property
    def copied(self) -> str:
        return self.details or f"{self.title}. {self.line}"


def message_for(error: BaseException, offer: Offer | None = None) -> Message:
    """The world's faults in its own words; anything else is a fault of ours and looks like one."""
    if not isinstance(error, DynodeskError):
        where = f"dynodesk {__version__}, Python {platform.python_version()}, {platform.platform()}"
        written = "If something was being written, the journal shows whether it was done."
        report = redaction.hide(f"{where}\n\n{fault_report(error)}\n\n{written}")
        return Message("fault", "A fault of ours", f"{described(error)}. A report is ready to copy.", report, offer)
    kind: Kind = "unknown" if error.written == "unknown" else "error"
    title = {"nothing": "Failed", "applied": "Written, then failed", "unknown": "Not known"}[error.written]
    sentences = list(explanation(error))
    first, *rest = sentences[0].splitlines() or [""]
    more = f" And {len(rest)} more." if rest else ""
    outcome = ["Nothing was written."] if error.written == "nothing" else []
    details = [*sentences, *outcome, f"Code: {error.code}", *([error.details] if error.details else [])]
    return Message(kind, title, " ".join([first + more, *sentences[1:]]), "\n".join(details), offer)


class MessageBar(Area):
    """Shows the newest message until it is dismissed; those before it wait their turn."""

    shown = Signal(object)
    """The `Message` that came to the front because it is new."""
    emptied = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", "t", parent)
        self._waiting: list[Message] = []
        self.offer_for: Callable[[BaseException], Offer | None] = _nothing_to_offer
        """What can be done about an error that is shown; whoever owns the bar knows."""
        self._sign = row()
        self._title = Text("", weight="semibold")
        self._line = Line()
        self._count = Text("", "muted")
        self._offer = button("Show", tone="quiet")
        self._offer.hide()
        self._unfold = button("Details", tone="quiet")
        self._unfold.setCheckable(True)
        self._copy = button("Copy", "copy", tone="quiet")
        self._dismiss = tool("close", "Dismiss this message")
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setFrameShape(QFrame.Shape.NoFrame)
        self._details.setFont(mono_font())
        self._details.document().setDocumentMargin(3 * metrics().unit)
        self._details.setAccessibleName("Details of the message")
        self._details.setFixedHeight(10 * metrics().line)
        self._details.hide()
        head = row(
            self._sign,
            self._title,
            self._line,
            self._count,
            self._offer,
            self._unfold,
            self._copy,
            self._dismiss,
            gap=2,
            margins=(3, 0, 1, 0),
        )
        line = area(head, "window", "", metrics().control + 2 * metrics().unit)
        self._head = line
        self.setLayout(column(line, self._details, gap=0, margins=(0, 0.25, 0, 0)))
        self._unfold.toggled.connect(self._details.setVisible)
        self._copy.clicked.connect(self._copy_message)
        self._offer.clicked.connect(self._take_offer)
        self._dismiss.clicked.connect(self.dismiss)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.hide()

    @property
    def current(self) -> Message | None:
        return self._waiting[-1] if self._waiting else None

    @Slot(object)
    def show_error(self, error: BaseException) -> None:
        self.show_message(message_for(error, self.offer_for(error)))

    def notice(self, title: str, line: str, kind: Kind = "notice") -> None:
        self.show_message(Message(kind, title, line))

    def show_message(self, message: Message) -> None:
        """The same message again comes to the front instead of piling up."""
        if message in self._waiting:
            self._waiting.remove(message)
        self._waiting.append(message)
        self._show_newest()
        self.shown.emit(message)

    @Slot(object)
    def take_back(self, error: BaseException) -> None:
        """What failed was done since: nothing more is to be said of it."""
        message = message_for(error, self.offer_for(error))
        if message in self._waiting:
            self._waiting.remove(message)
            self._show_newest()

    def event(self, event: QEvent) -> bool:
        """In the bar Esc is for the bar, not for what runs."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_escape(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_escape(event):
            self.dismiss()
        else:
            super().keyPressEvent(event)

    @Slot()
    def dismiss(self) -> None:
        if self._waiting:
            self._waiting.pop()
        self._show_newest()

    def _show_newest(self) -> None:
        message = self.current
        self.setVisible(message is not None)
        if message is None:
            self.emptied.emit()
            return
        glyph, ink, ground = LOOKS[message.kind]
        while (item := self._sign.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self._sign.addWidget(Glyph(glyph, ink))
        self._head.set_ground(ground)
        self._title.setText(message.title)
        self._line.set_text(message.line)
        self._count.setText(f"{len(self._waiting) - 1} earlier" if len(self._waiting) > 1 else "")
        self._details.setPlainText(message.details)
        if message.offer is not None:
            self._offer.setText(message.offer.text)
        self._offer.setVisible(message.offer is not None)
        self._unfold.setChecked(False)
        self._unfold.setVisible(bool(message.details))
        self._copy.setText("Copy report" if message.kind == "fault" else "Copy")
        self.setAccessibleName(f"{message.title}. {message.line}")
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))  # read aloud at once

    @Slot()
    def _take_offer(self) -> None:
        message = self.current
        if message is not None and message.offer is not None:
            message.offer.run()

    @Slot()
    def _copy_message(self) -> None:
        message = self.current
        if message is not None:
            QGuiApplication.clipboard().setText(message.copied)


def _nothing_to_offer(_error: BaseException) -> None:
    """The words say all there is to do."""


def _is_escape(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Escape and event.modifiers() == Qt.KeyboardModifier.NoModifier
