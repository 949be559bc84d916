"""Look of the window: palette roles, metrics, fonts, icons, one quiet style, delegates for cells and badges.

Everything here follows the application's palette at paint time, so a change of scheme needs no rebuild.
"""

from dynodesk.ui.theme.fonts import Face, Metrics, face, metrics, mono_font, px, ui_font
from dynodesk.ui.theme.grid import CELL, ROW, Cell, GridDelegate, Row, edge_mark, entity_ink
from dynodesk.ui.theme.icons import draw_glyph, icon
from dynodesk.ui.theme.labels import Badge, Glyph, KeyCap, Text
from dynodesk.ui.theme.scheme import Choice, SchemeFollower, apply, system_tokens
from dynodesk.ui.theme.shapes import VERDICTS, draw_badge, draw_line, draw_shape, focus_ring, rounded
from dynodesk.ui.theme.tokens import DARK, LIGHT, Tokens, palette_of, tokens

__all__ = [
    "CELL",
    "DARK",
    "LIGHT",
    "ROW",
    "VERDICTS",
    "Badge",
    "Cell",
    "Choice",
    "Face",
    "Glyph",
    "GridDelegate",
    "KeyCap",
    "Metrics",
    "Row",
    "SchemeFollower",
    "Text",
    "Tokens",
    "apply",
    "draw_badge",
    "draw_glyph",
    "draw_line",
    "draw_shape",
    "edge_mark",
    "entity_ink",
    "face",
    "focus_ring",
    "icon",
    "metrics",
    "mono_font",
    "palette_of",
    "px",
    "rounded",
    "system_tokens",
    "tokens",
    "ui_font",
]
