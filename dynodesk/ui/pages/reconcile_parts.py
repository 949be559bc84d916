"""Small widgets of the Reconcile page: a line of words and values, a field of several lines, chips that filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from dynodesk.domain.findings import Verdict
from dynodesk.ui.theme import VERDICTS, draw_badge, draw_line, face, focus_ring, metrics, mono_font, rounded, tokens


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one role and face. Values of the table are `mono`; a verdict is a `badge`."""

    text: str
    role: str = "text"
    mono: bool = False
    weight: str = "regular"
    badge: bool = False

    @property
    def width(self) -> float:
        if not self.badge:
            return face(weight=self.weight, mono=self.mono).measure.horizontalAdvance(self.text)
        m = metrics()
        return m.icon * 0.62 + 4.75 * m.unit + face(weight="medium").measure.horizontalAdvance(self.text)


class Spans(QWidget):
    """Words and values in one line, elided at the right when there is no room. Plain text, whatever it holds."""

    def __init__(self, *spans: Span) -> None:
        super().__init__()
        self._spans: tuple[Span, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.set_spans(spans)

    @property
    def text(self) -> str:
        return " ".join(span.text for span in self._spans)

    def set_spans(self, spans: Sequence[Span]) -> None:
        self._spans = tuple(spans)
        self.setAccessibleName(self.text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = sum(span.width + self._gap for span in self._spans)
        return QSize(int(width) + 2, metrics().line + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(20 * metrics().unit, metrics().line + 4)

    @property
    def _gap(self) -> int:
        return round(1.5 * metrics().unit)

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t, x = QPainter(self), tokens(), 0.0
        for span in self._spans:
            room = QRectF(x, 0, self.width() - x, self.height())
            if room.width() < 2 * metrics().unit:
                break
            if span.badge:
                x += draw_badge(p, room, span.text, t, ground=True)
            else:
                x += draw_line(p, room, span.text, face(weight=span.weight, mono=span.mono), t.color(span.role))
            x += self._gap


class LinesField(QWidget):
    """A field of a few lines, monospaced, in the look of a field. `set_invalid` outlines it in red."""

    def __init__(self, name: str, lines: int) -> None:
        super().__init__()
        self._invalid = False
        self.edit = QPlainTextEdit()
        self.edit.setFrameShape(QFrame.Shape.NoFrame)
        self.edit.setAccessibleName(name)
        self.edit.setFont(mono_font())
        self.edit.setTabChangesFocus(True)
        self.edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.edit.installEventFilter(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3, 2, 3, 2)
        layout.addWidget(self.edit)
        self.setFixedHeight(lines * metrics().line + 4 * metrics().unit)
        self.setFocusProxy(self.edit)

    def set_invalid(self, invalid: bool) -> None:
        self._invalid = invalid
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t, r = QPainter(self), tokens(), QRectF(self.rect())
        rounded(p, r, t.color("base"), t.color("control" if self.isEnabled() else "edge"))
        if self._invalid:
            rounded(p, r, None, t.color("danger"), 4, 1.5)
        if self.edit.hasFocus():
            focus_ring(p, r, t)


class CountChip(QAbstractButton):
    """A filter with its count: one verdict, or all findings (`verdict` None)."""

    def __init__(self, verdict: Verdict | None) -> None:
        super().__init__()
        self.verdict = verdict
        self._count = ""
        self._word = verdict or "Findings"
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.set_count(0)

    def set_count(self, count: int) -> None:
        self._count = f"{count:,}"
        self.setAccessibleName(f"{self._word} {self._count}")
        self.setText(self.accessibleName())
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        m = metrics()
        word = face(weight="medium").measure.horizontalAdvance(self._word)
        number = face(weight="semibold").measure.horizontalAdvance(self._count) + 2 * m.unit
        shape = m.icon * 0.62 + 1.25 * m.unit if self.verdict else 0.5 * m.unit
        return QSize(int(m.unit * 3.5 + shape + word + number) + 1, m.control - 3)

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t, m, r = QPainter(self), tokens(), metrics(), QRectF(self.rect())
        ground = "selection" if self.isChecked() else "hover" if self.underMouse() else "base"
        rounded(p, r, t.color(ground), t.color("accent" if self.isChecked() else "edge"))
        if self.verdict in VERDICTS:
            draw_badge(p, r, self._word, t, ground=False)
        else:
            draw_line(p, r.adjusted(2 * m.unit, 0, 0, 0), self._word, face(weight="medium"), t.color("text"))
        number = face(weight="semibold")
        draw_line(p, r.adjusted(0, 0, -2 * m.unit, 0), self._count, number, t.color("text"), right=True)
        if self.hasFocus():
            focus_ring(p, r, t)
