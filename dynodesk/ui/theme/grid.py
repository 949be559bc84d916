"""What a grid shows: prepared, immutable cells and rows, and the delegate that paints them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from dynodesk.ui.theme.fonts import Metrics, face, metrics
from dynodesk.ui.theme.icons import draw_glyph
from dynodesk.ui.theme.shapes import draw_badge, draw_line, focus_ring
from dynodesk.ui.theme.tokens import ENTITY_INKS, Tokens, tokens

Index = QModelIndex | QPersistentModelIndex

CELL, ROW = Qt.ItemDataRole.UserRole + 1, Qt.ItemDataRole.UserRole + 2
STAGED = {
    "edited": ("warn", "edited_soft", "edit"),
    "new": ("ok", "ok_soft", "add"),
    "deleted": ("danger", "danger_soft", "trash"),
    "moved": ("warn", "edited_soft", "arrow-right"),
    "draft": ("slate", "slate_soft", "edit"),
}


def entity_ink(word: str, tint: str = "") -> str:
    """The tint that was chosen, or one that stays with an entity type's word; the word itself is always shown."""
    if f"ink_{tint}" in ENTITY_INKS:
        return f"ink_{tint}"
    return ENTITY_INKS[sum(map(ord, word)) % len(ENTITY_INKS)]


@dataclass(frozen=True)
class Cell:
    """What a cell shows.

    kind: key, S, N, B, set, map, bool, null, empty, missing, unprojected, verdict, drift, text.
    """

    text: str = ""
    kind: str = "S"
    entity: str = ""  # key cells: the item's entity word
    tint: str = ""  # the name of a colour chosen for that word
    ink: str = ""
    differs: bool = False  # an index copy that is behind the base: a corner mark beside the colour
    found: bool = False  # holds the text that is looked for


@dataclass(frozen=True)
class Row:
    cells: tuple[Cell, ...]
    group: str = ""  # an item collection's header row
    folded: bool = False  # its items are not shown
    note: str = ""
    staged: str = ""
    linked: bool = False
    entity: str = ""  # of a header: what the collection is named for
    tint: str = ""
    remark: str = ""  # how the other half differs, in a word or two
    remark_ink: str = "warn"
    edge: bool = False  # it has another half to go to: an arrow where the mouse or the selection is


CELL_INKS = {
    "null": "muted",
    "empty": "muted",
    "set": "ink_violet",
    "map": "ink_violet",
    "bool": "ink_teal",
    "drift": "danger",
}
PROSE = frozenset({"text", "null", "empty"})
RIGHT = frozenset({"N", "drift"})
State = QStyle.StateFlag
SELECTED, ACTIVE, HOVER, FOCUSED = (  # plain ints: an enum's & costs more than the fill it decides
    flag.value for flag in (State.State_Selected, State.State_Active, State.State_MouseOver, State.State_HasFocus)
)


def edge_mark(cell: QRectF) -> QRectF:
    """Where the arrow of a row is, in its first cell."""
    m = metrics()
    side = m.icon - 2
    return QRectF(cell.right() - 2 * m.unit - side, cell.center().y() - side / 2, side, side)


class GridDelegate(QStyledItemDelegate):
    """Paints every cell itself: no widget per cell, no markup, no style call, one hairline."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(option.rect.width(), metrics().row)

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t, m = tokens(option.palette), metrics()
        row: Row = index.data(ROW)
        view = cast(QTableView, option.widget)
        r, state, column = QRectF(option.rect), option.state.value, index.column()
        selected = bool(state & SELECTED)
        in_use = bool(state & ACTIVE) and view.hasFocus()
        active, focused = selected and in_use, bool(state & FOCUSED) and in_use
        staged = STAGED.get(row.staged)
        if selected:
            ground = "selection" if active else "selection_off"
        elif row.group:
            ground = "raised"
        elif row.linked:
            ground = "linked"
        elif staged:
            ground = staged[1]
        else:
            ground = "hover" if state & HOVER else "base"
        p.fillRect(r, t.color(ground))
        p.fillRect(QRectF(r.left(), r.bottom() - 1, r.width(), 1), t.color("line"))
        if row.group:
            self._group(p, r, view, row, t, m)
            if focused and not selected:
                focus_ring(p, r.adjusted(1, 0, -1, -1), t, 2)
            return
        if column == 0 and (staged or row.linked or selected):
            p.fillRect(QRectF(r.left(), r.top(), 3, r.height() - 1), t.color(staged[0] if staged else "accent"))
        inner = r.adjusted(2 * m.unit, 0, -2 * m.unit, -1)
        if column == 0 and row.edge and (selected or state & HOVER):
            ink = "accent" if state & HOVER else "text2"
            draw_glyph(p, edge_mark(r), "arrow-right", t.color(ink))
            inner.setRight(edge_mark(r).left() - m.unit)
        self._cell(p, inner, index.data(CELL), row, column, t, m)
        if focused:
            focus_ring(p, r.adjusted(1, 0, -1, -1), t, 2)

    def _group(self, p: QPainter, r: QRectF, view: QTableView, row: Row, t: Tokens, m: Metrics) -> None:
        """One label across all columns, whatever the view is scrolled to: each cell draws its own part of it."""
        p.save()
        p.setClipRect(r)
        x, end = m.unit, view.viewport().width() - m.unit
        side = m.icon - 2
        chevron = "chevron-right" if row.folded else "chevron-down"
        draw_glyph(p, QRectF(x, r.center().y() - side / 2, side, side), chevron, t.color("muted"))
        line = r.adjusted(0, 0, 0, -1)
        line.setLeft(x + m.icon + m.unit)
        line.setRight(end)
        if row.entity:
            ink = t.color(entity_ink(row.entity, row.tint))
            line.setLeft(line.left() + draw_line(p, line, row.entity, face("caption", "semibold"), ink) + 2 * m.unit)
        title = face(weight="semibold", mono=True)
        line.setLeft(line.left() + draw_line(p, line, row.group, title, t.color("text")) + 3 * m.unit)
        if line.width() > 0:
            draw_line(p, line, row.note, face(), t.color("muted"))
        p.restore()

    def _cell(self, p: QPainter, r: QRectF, cell: Cell, row: Row, column: int, t: Tokens, m: Metrics) -> None:
        kind = cell.kind
        if kind == "missing":
            pen = QPen(t.color("edge"), 1, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([1, m.unit - 1])
            p.setPen(pen)
            y = round(r.center().y())
            p.drawLine(QPointF(r.left(), y), QPointF(r.right(), y))
            return
        if kind == "unprojected":
            p.fillRect(r.adjusted(-m.unit, 3, m.unit, -3), QBrush(t.color("edge"), Qt.BrushStyle.BDiagPattern))
            return
        if kind == "verdict":
            draw_badge(p, r.adjusted(-1.5 * m.unit, 0, 0, 0), cell.text, t, ground=False)
            return
        if cell.differs:
            corner = QPointF(r.right() + 2 * m.unit, r.top())
            p.setPen(Qt.PenStyle.NoPen)
            p.setBrush(t.color("warn"))
            p.drawPolygon(QPolygonF([corner, corner - QPointF(1.75 * m.unit, 0), corner + QPointF(0, 1.75 * m.unit)]))
        if cell.entity:
            tag = face("caption", "semibold")
            width = draw_line(p, r, cell.entity, tag, t.color(entity_ink(cell.entity, cell.tint)))
            r.setLeft(r.left() + max(width, tag.measure.horizontalAdvance("MMM")) + 2 * m.unit)
        if column == 0 and row.staged:
            tag = face("caption", "semibold")
            width = draw_line(p, r, row.staged, tag, t.color(STAGED[row.staged][0]), right=True)
            r.setRight(r.right() - width - 2 * m.unit)
        if column == 0 and row.linked:
            size = m.icon - 3
            draw_glyph(p, QRectF(r.right() - size, r.center().y() - size / 2, size, size), "link", t.color("accent"))
            r.setRight(r.right() - size - m.unit)
        if column == 0 and row.remark and not row.staged:
            tag = face("caption", "medium")
            width = draw_line(p, r, row.remark, tag, t.color(row.remark_ink), right=True)
            r.setRight(r.right() - width - 2 * m.unit)
        if cell.found:
            p.fillRect(r.adjusted(-m.unit, 2, m.unit, -2), t.color("warn_soft"))
            p.fillRect(r.adjusted(-m.unit, r.height() - 4, m.unit, -2), t.color("warn"))
        prose = kind in PROSE
        of = face(weight="medium" if kind == "drift" else "regular", mono=not prose)
        ink = t.color(cell.ink or CELL_INKS.get(kind, "text"))
        draw_line(p, r, cell.text, of, ink, kind in RIGHT, struck=row.staged == "deleted" and not prose)
