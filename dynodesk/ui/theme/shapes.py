"""What is drawn by hand: verdict shapes and badges, lines of plain text, rounded boxes, the focus ring."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QStaticText, QTextOption

from dynodesk.ui.theme.fonts import Face, face, metrics
from dynodesk.ui.theme.tokens import Tokens

#: word -> (colour role, shape). The shape alone tells verdicts apart; the word is always beside it.
VERDICTS = {
    "ok": ("ok", "tick"),
    "exact": ("danger", "diamond"),
    "probable": ("danger", "diamond-open"),
    "bounded": ("warn", "range"),
    "busy": ("slate", "ring-dashed"),
    "suspect": ("warn", "triangle-open"),
    "incomparable": ("slate", "not-equal"),
    "orphans": ("plum", "drop"),
    "gone": ("muted", "dash"),
}


def draw_shape(p: QPainter, box: QRectF, shape: str, color: QColor) -> None:
    """One of the verdict shapes, centred in a square box."""
    p.save()
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    s = min(box.width(), box.height())
    c = box.center()
    h = s / 2
    pen = QPen(color, max(1.4, s / 7))
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    p.setPen(pen)
    p.setBrush(Qt.BrushStyle.NoBrush)

    def at(x: float, y: float) -> QPointF:
        return QPointF(c.x() + x * h, c.y() + y * h)

    if shape == "tick":
        p.drawPolyline(QPolygonF([at(-0.8, 0.05), at(-0.25, 0.6), at(0.85, -0.65)]))
    elif shape.startswith("diamond"):
        if shape == "diamond":
            p.setBrush(color)
        p.drawPolygon(QPolygonF([at(0, -0.82), at(0.82, 0), at(0, 0.82), at(-0.82, 0)]))
    elif shape == "range":
        p.drawLine(at(-0.85, -0.6), at(-0.85, 0.6))
        p.drawLine(at(0.85, -0.6), at(0.85, 0.6))
        p.drawLine(at(-0.85, 0), at(0.85, 0))
    elif shape == "ring-dashed":
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([1.5, 1.1])
        p.setPen(pen)
        p.drawEllipse(c, h * 0.78, h * 0.78)
    elif shape == "triangle-open":
        p.drawPolygon(QPolygonF([at(0, -0.75), at(0.85, 0.7), at(-0.85, 0.7)]))
    elif shape == "not-equal":
        p.drawLine(at(-0.75, -0.28), at(0.75, -0.28))
        p.drawLine(at(-0.75, 0.34), at(0.75, 0.34))
        p.drawLine(at(0.42, -0.9), at(-0.42, 0.9))
    elif shape == "drop":  # a child hanging from nothing
        p.drawLine(at(-0.8, -0.8), at(0.8, -0.8))
        p.setBrush(color)
        p.drawEllipse(at(0, 0.38), h * 0.42, h * 0.42)
    elif shape == "dash":
        p.drawLine(at(-0.7, 0), at(0.7, 0))
    p.restore()


def draw_badge(p: QPainter, rect: QRectF, verdict: str, t: Tokens, ground: bool) -> float:
    """Shape and word, left-aligned in rect. Returns the width used."""
    role, shape = VERDICTS[verdict]
    m, of = metrics(), face(weight="medium")
    size, color = m.icon * 0.62, t.color(role)
    left = rect.left() + 1.5 * m.unit
    text_left = left + size + 1.25 * m.unit
    width = text_left - rect.left() + of.measure.horizontalAdvance(verdict) + 2 * m.unit
    if ground:
        pill = QRectF(rect.left(), rect.center().y() - m.icon / 2 - 1, width, m.icon + 2)
        rounded(p, pill, t.color("hover" if role == "muted" else f"{role}_soft"), None)
    draw_shape(p, QRectF(left, rect.center().y() - size / 2, size, size), shape, color)
    draw_line(p, QRectF(text_left, rect.top(), width, rect.height()), verdict, of, color)
    return width


def rounded(
    p: QPainter, rect: QRectF, fill: QColor | None, line: QColor | None, radius: float = 4, width: float = 1
) -> None:
    p.save()
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.setPen(QPen(line, width) if line else Qt.PenStyle.NoPen)
    p.setBrush(fill or Qt.BrushStyle.NoBrush)
    inset = width / 2 if line else 0
    p.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), radius, radius)
    p.restore()


def focus_ring(p: QPainter, rect: QRectF, t: Tokens, radius: float = 4) -> None:
    rounded(p, rect, None, t.color("accent"), radius, 2)


_LEFT_TO_RIGHT = QTextOption()
_LEFT_TO_RIGHT.setTextDirection(Qt.LayoutDirection.LeftToRight)
_LEFT_TO_RIGHT.setWrapMode(QTextOption.WrapMode.NoWrap)


@lru_cache(maxsize=8192)
def _laid_out(text: str, of: Face) -> tuple[QStaticText, float]:
    """Shaping costs ten times as much as drawing: a screenful of cells is shaped once, scrolled many times."""
    laid = QStaticText(text)
    laid.setTextFormat(Qt.TextFormat.PlainText)
    laid.setTextOption(_LEFT_TO_RIGHT)  # a value stays as it is stored: its first letter does not turn the line round
    laid.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    laid.prepare(font=of.font)
    return laid, of.measure.horizontalAdvance(text)


def draw_line(
    p: QPainter, r: QRectF, text: str, of: Face, color: QColor, right: bool = False, struck: bool = False
) -> float:
    """One line of plain text, elided to fit, centred upright. Returns the width drawn."""
    laid, width = _laid_out(text, of)
    if width > r.width() + 1:
        laid, width = _laid_out(of.measure.elidedText(text, Qt.TextElideMode.ElideRight, int(r.width())), of)
    p.setFont(of.font)
    p.setPen(color)
    x = r.right() - width if right else r.left()
    y = round(r.center().y() - of.measure.height() / 2)
    p.drawStaticText(QPointF(x, y), laid)
    if struck:  # drawn here: a QStaticText puts a font's own strike-out in the wrong place
        line = y + of.measure.ascent() - of.measure.strikeOutPos()
        p.drawLine(QPointF(x, line), QPointF(x + width, line))
    return width
