"""Small painted marks: chips for stages and states, verdict shapes, the program's own mark."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from dynodesk.ui.theme import draw_glyph, draw_shape, metrics, rounded, tokens, ui_font


class Chip(QWidget):
    """A word in a filled (`solid` names the ground) or outlined box."""

    def __init__(self, text: str, glyph: str = "", solid: str = "", ink: str = "text2") -> None:
        super().__init__()
        self._text, self._glyph, self._solid, self._ink = text, glyph, solid, ink
        self._font = ui_font("caption", "semibold")
        m = metrics()
        width = QFontMetrics(self._font).horizontalAdvance(text) + 3 * m.unit + (m.icon + 1 if glyph else 0)
        self.setFixedSize(width, m.icon + 4)
        self.setAccessibleName(text)

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t, m, r = QPainter(self), tokens(), metrics(), QRectF(self.rect())
        if self._solid:
            rounded(p, r, t.color(self._solid), None)
        else:
            rounded(p, r, None, t.color("edge"))
        ink = t.color("on_fill" if self._solid else self._ink)
        x = 1.5 * m.unit
        if self._glyph:
            side = m.icon - 2
            draw_glyph(p, QRectF(x - 1, r.center().y() - m.icon / 2 + 1, side, side), self._glyph, ink)
            x += m.icon + 1
        p.setFont(self._font)
        p.setPen(ink)
        p.drawText(QRectF(x, 0, r.width(), r.height()), Qt.AlignmentFlag.AlignVCenter, self._text)


class Shape(QWidget):
    """A verdict's shape alone, for places where its word stands beside it."""

    def __init__(self, shape: str, role: str, name: str) -> None:
        super().__init__()
        self._shape, self._role = shape, role
        side = metrics().icon - 4
        self.setFixedSize(side, side)
        self.setAccessibleName(name)

    def paintEvent(self, _event: QPaintEvent) -> None:
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        draw_shape(QPainter(self), box, self._shape, tokens().color(self._role))


def draw_tally_mark(p: QPainter, box: QRectF) -> None:
    """The program's mark: four strokes and the one that closes the count."""
    t = tokens()
    p.save()
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.translate(box.topLeft())
    w, h = box.width(), box.height()
    pen = QPen(t.color("text"), w / 13, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    p.setPen(pen)
    for i in range(4):
        x = w * (0.2 + i * 0.2)
        p.drawLine(QPointF(x, h * 0.12), QPointF(x, h * 0.88))
    pen.setColor(t.color("accent"))
    p.setPen(pen)
    p.drawLine(QPointF(w * 0.06, h * 0.72), QPointF(w * 0.94, h * 0.28))
    p.restore()


class TallyMark(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(9 * metrics().unit, 8 * metrics().unit)

    def paintEvent(self, _event: QPaintEvent) -> None:
        draw_tally_mark(QPainter(self), QRectF(self.rect()))
