"""Small widgets that paint themselves in the scheme in force."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from dynodesk.ui.theme.fonts import face, metrics, ui_font
from dynodesk.ui.theme.icons import draw_glyph
from dynodesk.ui.theme.shapes import draw_badge, rounded
from dynodesk.ui.theme.tokens import tokens


class Text(QLabel):
    """A plain-text label. Its role's colour is looked up when painted: a label's own palette outlives a scheme."""

    def __init__(
        self,
        text: str,
        role: str = "text",
        size: str = "body",
        weight: str = "regular",
        mono: bool = False,
        wrap: bool = False,
    ) -> None:
        super().__init__(text)
        self._role = role
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(face(size, weight, mono).font)
        self.setWordWrap(wrap)

    def paintEvent(self, _event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setPen(tokens().color(self._role if self.isEnabled() else "faint"))
        flags = self.alignment() | (Qt.TextFlag.TextWordWrap if self.wordWrap() else Qt.TextFlag.TextSingleLine)
        p.drawText(QRectF(self.contentsRect()), flags, self.text())


class Glyph(QWidget):
    def __init__(self, name: str, role: str = "text2", size: int | None = None) -> None:
        super().__init__()
        self._name, self._role = name, role
        side = size or metrics().icon
        self.setFixedSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        draw_glyph(QPainter(self), QRectF(self.rect()), self._name, tokens().color(self._role))


class KeyCap(QWidget):
    """A shortcut as a key: `Ctrl+K` becomes two caps."""

    def __init__(self, keys: str) -> None:
        super().__init__()
        self._keys = keys.split("+")
        self._font = ui_font("caption", "medium")
        fm, m = QFontMetrics(self._font), metrics()
        self._widths = [max(m.icon + 2, fm.horizontalAdvance(k) + 2 * m.unit + 2) for k in self._keys]
        self.setFixedSize(sum(self._widths) + 3 * (len(self._keys) - 1), fm.height() + m.unit)
        self.setAccessibleName(keys)

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t, x = QPainter(self), tokens(), 0.0
        for key, width in zip(self._keys, self._widths, strict=True):
            box = QRectF(x, 0, width, self.height())
            rounded(p, box, t.color("base"), t.color("edge"), 3)
            p.setFont(self._font)
            p.setPen(t.color("text2"))
            p.drawText(box, Qt.AlignmentFlag.AlignCenter, key)
            x += width + 3


class Badge(QWidget):
    """A verdict with its ground; or, with a count, a filter chip. `label` makes a chip for all findings."""

    def __init__(self, verdict: str = "", count: str = "", checked: bool = False, label: str = "") -> None:
        super().__init__()
        self._verdict, self._count, self._checked, self._label = verdict, count, checked, label
        m = metrics()
        word = face(weight="medium").measure.horizontalAdvance(label or verdict)
        number = face(weight="semibold").measure.horizontalAdvance(count) + 2 * m.unit if count else 0
        shape = m.icon * 0.62 + 1.25 * m.unit if verdict else 1.5 * m.unit
        self.setFixedSize(int(m.unit * 3.5 + shape + word + number) + 1, m.control - 3)
        self.setAccessibleName(f"{label or verdict} {count}".strip())

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t, m = QPainter(self), tokens(), metrics()
        r = QRectF(self.rect())
        if self._count:
            rounded(
                p,
                r,
                t.color("selection" if self._checked else "base"),
                t.color("accent" if self._checked else "edge"),
            )
        if self._verdict:
            draw_badge(p, r, self._verdict, t, ground=not self._count)
        else:
            p.setFont(ui_font(weight="medium"))
            p.setPen(t.color("text"))
            p.drawText(r.adjusted(2 * m.unit, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._label)
        if self._count:
            p.setFont(ui_font(weight="semibold"))
            p.setPen(t.color("text"))
            p.drawText(
                r.adjusted(0, 0, -2 * m.unit, 0),
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
                self._count,
            )
