"""Trees of the frame and the side panels: one line per row, a muted note at the right, nothing styled by Qt."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPalette
from PySide6.QtWidgets import QFrame, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

from dynodesk.ui.theme import draw_line, face, focus_ring, metrics, tokens, ui_font
from dynodesk.ui.theme.fonts import Face

NOTE = Qt.ItemDataRole.UserRole + 5
"""A short note at the right end of the row, in words or numbers."""
FACE = Qt.ItemDataRole.UserRole + 6
"""Which face: "ui" (the default), "semibold", "caption", "mono", "monobold"."""
INK = Qt.ItemDataRole.UserRole + 7
"""The colour role of the text; "text" by default."""
GROUND = Qt.ItemDataRole.UserRole + 8
"""The colour role of the cell's ground where it is not the view's."""
STRUCK = Qt.ItemDataRole.UserRole + 9
"""True where the text is struck out."""
NOTE_INK = Qt.ItemDataRole.UserRole + 13
"""The colour role of the note; "muted" by default."""


def _face(kind: str | None) -> Face:
    match kind:
        case "semibold":
            return face(weight="semibold")
        case "caption":
            return face("caption", "medium")
        case "mono":
            return face(mono=True)
        case "monobold":
            return face(weight="semibold", mono=True)
        case _:
            return face()


def _is_active(view: QTreeView) -> bool:
    """A view that never takes the focus is driven by the field above it: its row is the one that Enter takes."""
    return view.hasFocus() or view.focusPolicy() == Qt.FocusPolicy.NoFocus


class TreeDelegate(QStyledItemDelegate):
    """Paints a row of a tree as plain text."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(10, metrics().row)

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        t, m, r = tokens(), metrics(), QRectF(option.rect)
        view = cast(QTreeView, option.widget)
        selected, focused = bool(option.state & QStyle.StateFlag.State_Selected), _is_active(view)
        if selected:
            p.fillRect(r, t.color("selection" if focused else "selection_off"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            p.fillRect(r, t.color("hover"))
        elif ground := index.data(GROUND):
            p.fillRect(r, t.color(ground))
        x = r.left() + (m.unit if view.rootIsDecorated() else 3 * m.unit)
        glyph = index.data(Qt.ItemDataRole.DecorationRole)
        if isinstance(glyph, QIcon):
            glyph.paint(p, int(x), int(r.center().y() - m.icon / 2 + 1), m.icon, m.icon)
            x += m.icon + 1.5 * m.unit
        end = r.right() - 1.5 * m.unit
        text, face_of = index.data(Qt.ItemDataRole.DisplayRole) or "", _face(index.data(FACE))
        note = index.data(NOTE)
        if note:
            of = face("caption")
            free = end - x - 2 * m.unit - face_of.measure.horizontalAdvance(text)
            width = min(float(of.measure.horizontalAdvance(note)), max(free, (end - x) / 2))
            ink = t.color(index.data(NOTE_INK) or "muted")
            draw_line(p, QRectF(end - width, r.top(), width, r.height()), note, of, ink)
            end -= width + 2 * m.unit
        box = QRectF(x, r.top(), end - x, r.height())
        struck = bool(index.data(STRUCK))
        draw_line(p, box, text, face_of, t.color(index.data(INK) or "text"), struck=struck)
        if option.state & QStyle.StateFlag.State_HasFocus and view.hasFocus():
            focus_ring(p, r.adjusted(1, 1, -1, -1), t, 2)


def dress_header(view: QTreeView) -> None:
    """Shows the titles of a tree's columns, which stay in their order."""
    view.setHeaderHidden(False)
    head = view.header()
    head.setFont(ui_font("caption", "medium"))
    head.setFixedHeight(metrics().bar - 3)
    head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    head.setSectionsMovable(False)


def dress_tree(view: QTreeView, name: str, ground: QPalette.ColorRole = QPalette.ColorRole.Base) -> None:
    """The look of a tree: flat, one row height. `ground` is Window for trees that belong to the frame."""
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setItemDelegate(TreeDelegate(view))
    view.setUniformRowHeights(True)
    view.setHeaderHidden(True)
    view.setAccessibleName(name)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.viewport().setBackgroundRole(ground)
