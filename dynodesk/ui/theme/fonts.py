"""Fonts and lengths. Everything is measured from the application's font: larger text needs no other change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QApplication

UI_FAMILIES = ["Inter", "SF Pro Text", "Segoe UI Variable Text", "Segoe UI", "Noto Sans", "Noto Sans CJK KR"]
MONO_FAMILIES = [
    "JetBrains Mono",
    "SF Mono",
    "Cascadia Mono",
    "Consolas",
    "Noto Sans Mono",
    "Noto Sans CJK KR",
]
SIZES = {"caption": 0.86, "body": 1.0, "title": 1.16, "page": 1.55}  # of the application's point size
WEIGHTS = {"regular": QFont.Weight.Normal, "medium": QFont.Weight.Medium, "semibold": QFont.Weight.DemiBold}


@dataclass(frozen=True, eq=False)
class Face:
    """A font with its measure. Both are slow to make and used for every cell, so they are made once."""

    font: QFont
    measure: QFontMetrics


def face(size: str = "body", weight: str = "regular", mono: bool = False) -> Face:
    return _face(size, weight, mono, QApplication.font().pointSizeF())


@lru_cache(maxsize=64)
def _face(size: str, weight: str, mono: bool, points: float) -> Face:
    font = QFont(MONO_FAMILIES if mono else UI_FAMILIES)
    font.setPointSizeF(points * SIZES[size] * (0.925 if mono else 1))  # the mono font's tall x-height, brought level
    font.setWeight(WEIGHTS[weight])
    if mono:
        font.setFeature(QFont.Tag("calt"), 0)  # `!=` and `<=` are shown as typed
        font.setFeature(QFont.Tag("zero"), 1)
        font.setStyleHint(QFont.StyleHint.Monospace)
    else:
        font.setFeature(QFont.Tag("tnum"), 1)  # columns of numbers line up
    return Face(font, QFontMetrics(font))


def ui_font(size: str = "body", weight: str = "regular") -> QFont:
    return face(size, weight).font


def mono_font(size: str = "body", weight: str = "regular") -> QFont:
    return face(size, weight, mono=True).font


@dataclass(frozen=True)
class Metrics:
    """Lengths in device-independent pixels, all from the font: larger text needs no other change."""

    line: int  # 16 at the default size
    unit: int  # 4 at the default size; spacing is 1, 2, 3, 4, 6 units
    row: int  # grid row
    control: int  # button, field, combo
    bar: int  # panel header, column header
    tab: int
    icon: int


def metrics() -> Metrics:
    return _metrics(QApplication.font().pointSizeF())


@lru_cache(maxsize=8)
def _metrics(_points: float) -> Metrics:
    line = max(face().measure.height(), face(mono=True).measure.height())
    unit = max(3, round(line / 4))
    return Metrics(
        line=line,
        unit=unit,
        row=line + 2 * unit - 1,
        control=line + 2 * unit + 2,
        bar=line + 3 * unit,
        tab=line + 4 * unit - 1,
        icon=line - line % 2,
    )


def px(length: float) -> int:
    """A width drawn for the default text size, at the size in force: for columns, fields and panels."""
    return round(length * metrics().line / 16)
