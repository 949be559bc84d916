"""Rows of a form: a label, its field, and below it a hint, a notice, or what is wrong and what to do."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLineEdit, QSizePolicy, QWidget

from dynodesk.domain.errors import DynodeskError
from dynodesk.ui.theme import Text, draw_glyph, face, metrics, px, tokens
from dynodesk.ui.widgets.controls import field, switch
from dynodesk.ui.widgets.layouts import column, row

Tone = Literal["hint", "notice", "problem"]

#: tone -> (icon, ink)
TONES: dict[Tone, tuple[str, str]] = {
    "hint": ("", "muted"),
    "notice": ("warning", "warn"),
    "problem": ("error", "danger"),
}


class Remark(QWidget):
    """Wrapped plain text with the sign of its tone, and the gap to the next row."""

    def __init__(self) -> None:
        super().__init__()
        self._tone: Tone = "hint"
        self._text = ""
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def text(self) -> str:
        return self._text

    @property
    def tone(self) -> Tone:
        return self._tone

    def say(self, tone: Tone, text: str) -> None:
        self._tone, self._text = tone, text
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, self.heightForWidth(px(400)))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 3 * metrics().unit)

    def heightForWidth(self, width: int) -> int:
        if not self._text:
            return 3 * metrics().unit
        room = QRect(0, 0, width - self._indent(), 100 * metrics().line)
        words = face().measure.boundingRect(room, Qt.TextFlag.TextWordWrap, self._text).height()
        return max(metrics().line, words) + 4 * metrics().unit

    def _indent(self) -> int:
        return metrics().icon + metrics().unit if TONES[self._tone][0] else 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t, m = QPainter(self), tokens(), metrics()
        glyph, ink = TONES[self._tone]
        if glyph and self._text:
            draw_glyph(p, QRectF(0, m.unit + (m.line - m.icon) / 2, m.icon, m.icon), glyph, t.color(ink))
        p.setFont(face().font)
        p.setPen(t.color(ink))
        p.drawText(QRectF(self.rect()).adjusted(self._indent(), m.unit, 0, 0), Qt.TextFlag.TextWordWrap, self._text)


class Row:
    """A row of a `Form`."""

    def __init__(self, label: Text, content: QWidget, remark: Remark, hint: str) -> None:
        self.content, self.remark = content, remark
        self._parts = (label, content, remark)
        self.set_hint(hint)

    @property
    def _marked(self) -> QWidget:
        """The one that has the focus for the content now: of several fields in it the first may come and go."""
        return self.content.focusProxy() or self.content

    @property
    def is_invalid(self) -> bool:
        return bool(self._marked.property("invalid"))

    def set_visible(self, visible: bool) -> None:
        for part in self._parts:
            part.setVisible(visible)

    def set_hint(self, hint: str) -> None:
        """What stands below the field while nothing is wrong with it."""
        self._hint = hint
        self.show_problem(None)

    def show_problem(self, problem: DynodeskError | None) -> None:
        words = self._hint if problem is None else f"{problem.message} {problem.hint}".strip()
        self.remark.say("hint" if problem is None else "problem", words)
        marked = self._marked
        marked.setProperty("invalid", problem is not None)
        marked.setAccessibleDescription(words)
        marked.update()


class Form(QGridLayout):
    """Labels at the left, fields at the right, in reading order."""

    def __init__(self) -> None:
        super().__init__()
        u = metrics().unit
        self.setContentsMargins(5 * u, 4 * u, 5 * u, 2 * u)
        self.setHorizontalSpacing(4 * u)
        self.setVerticalSpacing(0)
        self.setColumnStretch(1, 1)

    def add(self, title: str, content: QWidget, hint: str = "") -> Row:
        label, remark, n = Text(title, "text2"), Remark(), self.rowCount()
        # also of hidden rows, so that fields stay in place when rows come and go
        self.setColumnMinimumWidth(0, max(self.columnMinimumWidth(0), label.sizeHint().width()))
        label.setFixedHeight(metrics().control)
        self.addWidget(label, n, 0, Qt.AlignmentFlag.AlignTop)
        self.addWidget(content, n, 1)
        self.addWidget(remark, n + 1, 1)
        return Row(label, content, remark, hint)


class _Shown(QWidget):
    """Paints a text that nothing else may know: it is in no accessible name and cannot be copied."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.text = ""
        self.setAccessibleName(f"{name}, as typed")
        self.setFixedHeight(metrics().line)

    def set_text(self, text: str) -> None:
        self.text = text
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        p = QPainter(self)  # not by draw_line, which remembers what it has laid out
        p.setFont(face(mono=True).font)
        p.setPen(tokens().color("text" if self.isEnabled() else "faint"))
        p.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignVCenter, self.text)


class SecretField(QWidget):
    """A field that stays hidden; what it holds can be looked at below it.

    A line edit that shows its text also hands it to every program that reads the screen, and to the clipboard.
    """

    text_changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.edit = field(name)
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.show_switch = switch("eye", f"Show the {name.lower()}", False)
        self._shown = _Shown(name)
        self._shown.hide()
        self.setLayout(column(row(self.edit, self.show_switch, gap=1), self._shown, gap=1))
        self.setFocusProxy(self.edit)
        self.show_switch.toggled.connect(self._shown.setVisible)
        self.edit.textChanged.connect(self._changed)

    @property
    def shown_text(self) -> str:
        """What can be read below the field."""
        return "" if self._shown.isHidden() else self._shown.text

    @Slot(str)
    def _changed(self, text: str) -> None:
        self._shown.set_text(text)
        self.text_changed.emit()
