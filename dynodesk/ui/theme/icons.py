"""One-colour icons from the Codicons font, tinted when painted and sharp at any scale."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

from dynodesk.ui.theme.tokens import tokens


class GlyphEngine(QIconEngine):
    """A one-colour icon from the Codicons font, tinted when painted and sharp at any scale."""

    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._name, self._role = name, role

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        role = "faint" if mode == QIcon.Mode.Disabled else self._role
        draw_glyph(painter, QRectF(rect), self._name, tokens().color(role))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return GlyphEngine(self._name, self._role)


@lru_cache(maxsize=256)
def icon(name: str, role: str = "text2") -> QIcon:
    return QIcon(GlyphEngine(name, role))


class MissingIconsError(Exception):
    """The icon font did not come with the installed QtAwesome."""


@dataclass(frozen=True)
class _Codicons:
    family: str
    characters: dict[str, str]


@lru_cache(maxsize=1)
def _codicons() -> _Codicons:
    # QtAwesome's own loader imports for 0.3 s and opens fourteen fonts before the first glyph; one is enough.
    spec = importlib.util.find_spec("qtawesome")
    if spec is None or spec.origin is None:
        raise MissingIconsError("QtAwesome is not installed.")
    fonts = Path(spec.origin).parent / "fonts"
    files = sorted(fonts.glob("codicon-*.ttf")), sorted(fonts.glob("codicon-charmap-*.json"))
    if not all(files):
        raise MissingIconsError(f"No codicon font in {fonts}.")
    handle = QFontDatabase.addApplicationFont(str(files[0][-1]))
    families = QFontDatabase.applicationFontFamilies(handle) if handle >= 0 else []
    if not families:
        raise MissingIconsError(f"{files[0][-1]} is not a font Qt can read.")
    codes = json.loads(files[1][-1].read_text(encoding="utf-8"))
    return _Codicons(families[0], {name: chr(int(code, 16)) for name, code in codes.items()})


def has_icon(name: str) -> bool:
    return name in _codicons().characters


@lru_cache(maxsize=32)
def _glyph_font(pixels: int) -> QFont:
    font = QFont(_codicons().family)
    font.setPixelSize(pixels)
    return font


def draw_glyph(painter: QPainter, rect: QRectF, name: str, color: QColor) -> None:
    painter.save()
    painter.setFont(_glyph_font(max(1, round(min(rect.width(), rect.height())))))
    painter.setPen(color)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, _codicons().characters[name])
    painter.restore()
