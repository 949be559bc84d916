"""Colour roles of the light and the dark scheme, and the contrast every pairing must hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QColor, QGuiApplication, QPalette


@lru_cache(maxsize=256)
def _color(value: str) -> QColor:
    return QColor(value)


@dataclass(frozen=True)
class Tokens:
    """One scheme. A role is named for its use, never for its hue."""

    scheme: str
    window: str  # frame, side panels, bars
    base: str  # grids, editors, fields
    raised: str  # column headers, group rows, cards
    sunken: str  # tab strip, wells
    line: str  # hairlines between areas and rows
    edge: str  # outline of a button or chip (its text identifies it)
    control: str  # outline of a field or tick box (the outline identifies it: 3:1)
    text: str
    text2: str  # labels, unselected tabs
    muted: str  # units, hints, times
    faint: str  # decoration and disabled text only, never information
    accent: str  # accent as text, icon, line, focus ring
    fill: str  # accent as a button's ground, under `on_fill`
    on_fill: str
    selection: str
    selection_off: str  # selected, view not focused
    linked: str  # the other half of a linked selection
    hover: str
    danger: str
    danger_fill: str
    danger_soft: str
    warn: str
    warn_soft: str
    ok: str
    ok_soft: str
    plum: str
    plum_soft: str
    slate: str
    slate_soft: str
    edited_soft: str
    # entity tints and syntax share six inks
    ink_blue: str
    ink_teal: str
    ink_violet: str
    ink_ochre: str
    ink_rose: str
    ink_green: str

    def color(self, role: str) -> QColor:
        return _color(getattr(self, role))


LIGHT = Tokens(
    scheme="light",
    window="#F4F5F7",
    base="#FFFFFF",
    raised="#F9FAFB",
    sunken="#E9EBEF",
    line="#E3E6EB",
    edge="#CBD0D9",
    control="#868E9C",
    text="#1A1E25",
    text2="#474F5C",
    muted="#5B6370",
    faint="#A2A9B5",
    accent="#2A55CC",
    fill="#2F5BD7",
    on_fill="#FFFFFF",
    selection="#D9E4FC",
    selection_off="#E4E7EC",
    linked="#EDF3FE",
    hover="#EEF0F4",
    danger="#B3261A",
    danger_fill="#B92B1E",
    danger_soft="#FCECEA",
    warn="#855000",
    warn_soft="#FDF2DA",
    ok="#1A6B3A",
    ok_soft="#E6F4EA",
    plum="#86307B",
    plum_soft="#F7EAF5",
    slate="#46557A",
    slate_soft="#EAEDF4",
    edited_soft="#FFF6E0",
    ink_blue="#1F55A8",
    ink_teal="#0F666B",
    ink_violet="#6A3FA8",
    ink_ochre="#7A5200",
    ink_rose="#9B2C5E",
    ink_green="#256B33",
)

DARK = Tokens(
    scheme="dark",
    window="#17191D",
    base="#1C1F24",
    raised="#22262C",
    sunken="#111316",
    line="#2C3138",
    edge="#3D444E",
    control="#727B89",
    text="#E5E8ED",
    text2="#B9C0CB",
    muted="#A0A8B5",
    faint="#596270",
    accent="#8EACFF",
    fill="#4168DE",
    on_fill="#FFFFFF",
    selection="#283963",
    selection_off="#2D323B",
    linked="#202A42",
    hover="#262B32",
    danger="#FF9389",
    danger_fill="#C5372B",
    danger_soft="#3B1F1E",
    warn="#EDB35C",
    warn_soft="#352A14",
    ok="#74CF90",
    ok_soft="#1A3123",
    plum="#E49DDB",
    plum_soft="#38233A",
    slate="#AFBBD8",
    slate_soft="#2A3040",
    edited_soft="#322A18",
    ink_blue="#8DB8F5",
    ink_teal="#6CCBC8",
    ink_violet="#C3A5F5",
    ink_ochre="#DDB46A",
    ink_rose="#F0A0C0",
    ink_green="#8CCB93",
)

INKS = ("text", "text2", "muted", "accent", "danger", "warn", "ok", "plum", "slate")
ENTITY_INKS = ("ink_blue", "ink_rose", "ink_teal", "ink_ochre", "ink_green", "ink_violet")
GROUNDS = (
    "base",
    "window",
    "raised",
    "sunken",
    "hover",
    "selection",
    "selection_off",
    "linked",
    "edited_soft",
)
SOFT = ("danger_soft", "warn_soft", "ok_soft", "plum_soft", "slate_soft")

#: (foreground, background, floor): every ink on every ground, so that no screen can pair them wrongly.
CONTRAST = [
    *[(ink, ground, 4.5) for ink in INKS + ENTITY_INKS for ground in GROUNDS + SOFT],
    ("on_fill", "fill", 4.5),
    ("on_fill", "danger_fill", 4.5),
    *[(role, ground, 3.0) for role in ("control", "fill", "danger_fill") for ground in ("base", "window")],
]


def contrast(a: str, b: str) -> float:
    """WCAG 2 contrast ratio of two #RRGGBB colours."""

    def luminance(c: str) -> float:
        parts = [int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b_ = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b_

    hi, lo = sorted((luminance(a), luminance(b)), reverse=True)
    return (hi + 0.05) / (lo + 0.05)


def tokens(palette: QPalette | None = None) -> Tokens:
    """The scheme in force, decided by the palette itself."""
    palette = palette or QGuiApplication.palette()
    return _scheme_of(palette.color(QPalette.ColorRole.Window).rgb())


@lru_cache(maxsize=8)
def _scheme_of(window: int) -> Tokens:
    return LIGHT if QColor(window).lightness() > 127 else DARK


def palette_of(t: Tokens) -> QPalette:
    p = QPalette()
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    for r, name in {
        role.Window: "window",
        role.WindowText: "text",
        role.Base: "base",
        role.AlternateBase: "raised",
        role.Text: "text",
        role.Button: "raised",
        role.ButtonText: "text",
        role.BrightText: "danger",
        role.ToolTipBase: "raised",
        role.ToolTipText: "text",
        role.PlaceholderText: "muted",
        role.Highlight: "selection",
        role.HighlightedText: "text",
        role.Link: "accent",
        role.LinkVisited: "accent",
        role.Light: "base",
        role.Midlight: "raised",
        role.Mid: "line",
        role.Dark: "edge",
        role.Shadow: "sunken",
        role.Accent: "accent",
    }.items():
        p.setColor(r, t.color(name))
    p.setColor(group.Inactive, role.Highlight, t.color("selection_off"))
    for r in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        p.setColor(group.Disabled, r, t.color("faint"))
    return p
