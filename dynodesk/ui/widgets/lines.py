"""One line of plain text that gives way when there is no room for all of it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from dynodesk.ui.theme import draw_line, face, metrics, tokens


class Line(QWidget):
    """Elided at the right; the whole text is what is read aloud."""

    def __init__(self, text: str = "", role: str = "text2", mono: bool = False, stretch: bool = True) -> None:
        super().__init__()
        self._text, self._role, self._face = text, role, face(mono=mono)
        across = QSizePolicy.Policy.Expanding if stretch else QSizePolicy.Policy.Maximum
        self.setSizePolicy(across, QSizePolicy.Policy.Preferred)
        self.set_text(text)

    @property
    def text(self) -> str:
        return self._text

    def set_text(self, text: str) -> None:
        self._text = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._face.measure.horizontalAdvance(self._text) + 2, metrics().line)

    def minimumSizeHint(self) -> QSize:
        return QSize(10 * metrics().unit, metrics().line)

    def paintEvent(self, _event: QPaintEvent) -> None:
        draw_line(QPainter(self), self.rect().toRectF(), self._text, self._face, tokens().color(self._role))
