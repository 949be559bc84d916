"""One line of plain text that gives way when there is no room for all of it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from dynodesk.ui.theme import draw_line, face, metrics, tokens


def in_steps(width: int) -> int:
    """A little more than the width: text whose numbers move does not push what follows it to and fro."""
    step = 8 * metrics().unit
    return -(-width // step) * step


class Line(QWidget):
    """Elided at the right; the whole text is what is read aloud."""

    def __init__(self, text: str = "", role: str = "text2", mono: bool = False, stretch: bool = True) -> None:
        super().__init__()
        self._text, self._role, self._face = text, role, face(mono=mono)
        self.setAccessibleName(text)
        across = QSizePolicy.Policy.Expanding if stretch else QSizePolicy.Policy.Maximum
        self.setSizePolicy(across, QSizePolicy.Policy.Preferred)

    @property
    def text(self) -> str:
        return self._text

    def set_text(self, text: str) -> None:
        if text != self._text:
            width, self._text = self._width(), text
            self.setAccessibleName(text)
            if self._width() != width:  # or all layouts around it would be made anew for every number that moves
                self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._width(), metrics().line)

    def _width(self) -> int:
        return in_steps(self._face.measure.horizontalAdvance(self._text) + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(10 * metrics().unit, metrics().line)

    def paintEvent(self, _event: QPaintEvent) -> None:
        draw_line(QPainter(self), self.rect().toRectF(), self._text, self._face, tokens().color(self._role))


class Lines(QWidget):
    """Plain text that is broken into a fixed number of lines, so that a change of it moves nothing around it."""

    def __init__(self, count: int, role: str = "text2") -> None:
        super().__init__()
        self._text, self._role = "", role
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(count * metrics().line)

    @property
    def text(self) -> str:
        return self._text

    def set_text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setFont(face().font)
        p.setPen(tokens().color(self._role))
        p.drawText(self.rect(), Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignVCenter, self._text)
