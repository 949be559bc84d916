"""How the quiet style paints its larger parts: fields, buttons, tabs, headers, menus, bars."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QIcon, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QHeaderView,
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionHeader,
    QStyleOptionMenuItem,
    QStyleOptionProgressBar,
    QStyleOptionTab,
    QStyleOptionToolButton,
    QWidget,
)

from dynodesk.ui.theme.fonts import metrics, ui_font
from dynodesk.ui.theme.icons import draw_glyph
from dynodesk.ui.theme.shapes import draw_shape, focus_ring, rounded
from dynodesk.ui.theme.tokens import Tokens

State = QStyle.StateFlag
Feature = QStyleOptionButton.ButtonFeature
A = Qt.AlignmentFlag


def _has(option: QStyleOption, *flags: QStyle.StateFlag) -> bool:
    return any(option.state & flag for flag in flags)


def field(option: QStyleOption, p: QPainter, t: Tokens, invalid: bool = False) -> None:
    r = QRectF(option.rect)
    enabled = _has(option, State.State_Enabled)
    rounded(p, r, t.color("base" if enabled else "window"), t.color("control" if enabled else "edge"))
    if invalid:
        rounded(p, r, None, t.color("danger"), 4, 1.5)
    if _has(option, State.State_HasFocus):
        focus_ring(p, r, t)


def indicator(option: QStyleOption, p: QPainter, t: Tokens, radio: bool) -> None:
    r = QRectF(option.rect)
    on, enabled = _has(option, State.State_On), _has(option, State.State_Enabled)
    filled = on and enabled
    outline = None if filled else t.color("control" if enabled else "edge")
    rounded(p, r, t.color("fill" if filled else "base"), outline, r.height() / 2 if radio else 3)
    inner = r.adjusted(3, 3, -3, -3)
    if on and radio:
        d = r.height() * 0.3
        rounded(p, r.adjusted(d, d, -d, -d), t.color("on_fill" if enabled else "faint"), None, r.height())
    elif on:
        draw_shape(p, inner, "tick", t.color("on_fill" if enabled else "faint"))
    elif _has(option, State.State_NoChange):
        draw_shape(p, inner, "dash", t.color("accent" if enabled else "faint"))


def scroll_ground(bar: QWidget | None) -> str:
    """The ground beside a scroll bar: that of the view it scrolls."""
    holder = bar.parentWidget() if bar else None
    view = holder.parentWidget() if holder else None
    of_frame = isinstance(view, QAbstractScrollArea) and view.viewport().backgroundRole() == QPalette.ColorRole.Window
    return "window" if of_frame else "base"


def arrow(option: QStyleOption, p: QPainter, t: Tokens, element: QStyle.PrimitiveElement) -> None:
    m, r = metrics(), QRectF(option.rect)
    down = element == QStyle.PrimitiveElement.PE_IndicatorArrowDown
    size, x = m.icon - 4, r.center().x() - (m.icon - 4) / 2
    if element == QStyle.PrimitiveElement.PE_IndicatorBranch:
        if not _has(option, State.State_Children):
            return
        down = _has(option, State.State_Open)
        size, x = m.icon - 2, r.right() - (m.icon - 2)
    box = QRectF(x, r.center().y() - size / 2, size, size)
    draw_glyph(p, box, "chevron-down" if down else "chevron-right", t.color("muted"))


def tool_button(option: QStyleOption, p: QPainter, t: Tokens) -> None:
    r = QRectF(option.rect)
    if _has(option, State.State_On, State.State_Sunken):
        rounded(p, r, t.color("selection"), None)
    elif _has(option, State.State_MouseOver) and _has(option, State.State_Enabled):
        rounded(p, r, t.color("hover"), None)
    if _has(option, State.State_HasFocus):
        focus_ring(p, r, t)


def button(option: QStyleOptionButton, p: QPainter, widget: QWidget | None, t: Tokens) -> None:
    r = QRectF(option.rect)
    enabled = _has(option, State.State_Enabled)
    pressed, touched = _has(option, State.State_Sunken), _has(option, State.State_MouseOver, State.State_Sunken)
    tone = widget.property("tone") if widget else None
    strong = bool(option.features & Feature.DefaultButton)
    if option.features & Feature.Flat or tone == "quiet":
        if touched:
            rounded(p, r, t.color("hover"), None)
    elif strong and enabled:
        fill = t.color("danger_fill" if tone == "danger" else "fill")
        rounded(p, r, fill.darker(112) if pressed else fill, None)
    else:
        ground = "hover" if touched else "base"
        rounded(p, r, t.color(ground if enabled else "window"), t.color("edge" if enabled else "line"))
    if _has(option, State.State_HasFocus):
        if strong:  # on a filled button the ring needs a gap to be seen
            rounded(p, r.adjusted(2, 2, -2, -2), None, t.color("on_fill"), 3, 1.5)
        else:
            focus_ring(p, r, t)


def _button_ink(enabled: bool, strong: bool, tone: str | None) -> str:
    if not enabled:
        return "faint"
    if strong:
        return "on_fill"
    return {"danger": "danger", "quiet": "accent"}.get(tone or "", "text")


def button_label(option: QStyleOptionButton, p: QPainter, widget: QWidget | None, t: Tokens) -> None:
    m = metrics()
    enabled = _has(option, State.State_Enabled)
    strong = bool(option.features & Feature.DefaultButton) and enabled
    tone, keys, glyph = ((widget.property(name) if widget else None) or "" for name in ("tone", "keys", "glyph"))
    ink = t.color(_button_ink(enabled, strong, tone))
    text = option.text.replace("&", "")
    font, small = ui_font(weight="medium"), ui_font("caption")
    width = QFontMetrics(font).horizontalAdvance(text)
    icon_width = 0 if option.icon.isNull() else m.icon + (m.unit + 2 if text else 0)
    keys_width = QFontMetrics(small).horizontalAdvance(keys) + 2 * m.unit if keys else 0
    menu_width = m.icon if option.features & Feature.HasMenu else 0  # its arrow is drawn with the bevel
    r = QRectF(option.rect)
    x = r.left() + (r.width() - width - icon_width - keys_width - menu_width) / 2
    p.save()
    if icon_width:
        box = QRectF(round(x), round(r.center().y() - m.icon / 2), m.icon, m.icon)
        if glyph:
            draw_glyph(p, box, glyph, ink if strong or not enabled or tone else t.color("text2"))
        else:
            option.icon.paint(p, box.toRect())
        x += icon_width
    p.setFont(font)
    p.setPen(ink)
    p.drawText(QRectF(x, r.top(), width + 2, r.height()), A.AlignVCenter, text)
    if keys:
        p.setFont(small)
        p.setPen(ink if strong else t.color("muted" if enabled else "faint"))
        p.drawText(QRectF(x + width + 2 * m.unit, r.top(), keys_width, r.height()), A.AlignVCenter, keys)
    p.restore()


def tool_button_label(option: QStyleOptionToolButton, p: QPainter, t: Tokens) -> None:
    m, r = metrics(), QRectF(option.rect)
    box = QRect(option.rect.left() + 2 * m.unit - 1, option.rect.center().y() - m.icon // 2 + 1, m.icon, m.icon)
    enabled = _has(option, State.State_Enabled)
    option.icon.paint(p, box, A.AlignCenter, QIcon.Mode.Normal if enabled else QIcon.Mode.Disabled)
    p.setFont(ui_font())
    p.setPen(t.color("faint" if not enabled else "accent" if _has(option, State.State_On) else "text2"))
    p.drawText(r.adjusted(m.icon + 3.25 * m.unit, 0, 0, 0), A.AlignVCenter, option.text)


def tab_shape(option: QStyleOptionTab, p: QPainter, widget: QWidget | None, t: Tokens) -> None:
    r, m = QRectF(option.rect), metrics()
    selected = _has(option, State.State_Selected)
    if widget is not None and widget.property("sub"):
        if selected:
            below = QRectF(r.left() + 2 * m.unit, r.bottom() - 1.5, r.width() - 4 * m.unit, 2)
            p.fillRect(below, t.color("accent"))
    elif selected:
        p.fillRect(r, t.color("window"))
        p.fillRect(QRectF(r.left(), r.top(), r.width(), 2), t.color("accent"))
        p.fillRect(QRectF(r.right(), r.top(), 1, r.height()), t.color("line"))
        p.fillRect(QRectF(r.left(), r.top(), 1, r.height()), t.color("line"))
    else:
        if _has(option, State.State_MouseOver):
            p.fillRect(r, t.color("hover"))
        between = QRectF(r.right(), r.top() + 2 * m.unit, 1, r.height() - 4 * m.unit)
        p.fillRect(between, t.color("edge"))
    if _has(option, State.State_HasFocus):
        focus_ring(p, r.adjusted(2, 3, -2, -2), t)


def header_ground(r: QRectF, p: QPainter, t: Tokens, divider: bool) -> None:
    m = metrics()
    p.fillRect(r, t.color("raised"))
    p.fillRect(QRectF(r.left(), r.bottom(), r.width(), 1), t.color("line"))
    if divider:
        p.fillRect(QRectF(r.right(), r.top() + 1.5 * m.unit, 1, r.height() - 3 * m.unit), t.color("line"))


def header_label(option: QStyleOptionHeader, p: QPainter, widget: QWidget | None, t: Tokens) -> None:
    m = metrics()
    margin = 2 * m.unit
    r = QRectF(option.rect).adjusted(0, -margin, 0, margin)  # Qt insets all four sides; text needs the height
    font = widget.font() if widget else ui_font("caption", "medium")
    measure = QFontMetrics(font)
    p.setFont(font)
    p.setPen(t.color("text2"))
    right = bool(option.textAlignment & A.AlignRight)
    sort, arrow = option.sortIndicator, 0
    if sort != QStyleOptionHeader.SortIndicator.None_:
        if isinstance(widget, QHeaderView):  # Qt keeps room for an arrow at the edge, where there is none
            r.setRight(widget.sectionViewportPosition(option.section) + widget.sectionSize(option.section) - margin)
        # Qt says "down" for ascending, as the values go up down the rows
        name = "triangle-up" if sort == QStyleOptionHeader.SortIndicator.SortDown else "triangle-down"
        size, title = m.icon - 4, measure.horizontalAdvance(option.text) + m.unit
        x = max(r.right() - title - size, r.left()) if right else min(r.left() + title, r.right() - size)
        draw_glyph(p, QRectF(x, r.center().y() - size / 2 + 1, size, size), name, t.color("accent"))
        arrow = size + m.unit
        p.setFont(font)
        p.setPen(t.color("text2"))
    text = measure.elidedText(option.text, Qt.TextElideMode.ElideRight, int(r.width()) + 2 - arrow)
    p.drawText(r, A.AlignVCenter | (A.AlignRight if right else A.AlignLeft), text)


def _slim(r: QRectF) -> QRectF:
    return QRectF(r.left(), r.center().y() - 2, r.width(), 4)


def progress_groove(r: QRectF, p: QPainter, t: Tokens) -> None:
    rounded(p, _slim(r), t.color("edge"), None, 2)


def progress_contents(option: QStyleOptionProgressBar, p: QPainter, t: Tokens) -> None:
    slim = _slim(QRectF(option.rect))
    span = option.maximum - option.minimum
    if not span:  # how long is not known: a hatch, no motion; the words beside it tell
        p.fillRect(slim, QBrush(t.color("accent"), Qt.BrushStyle.BDiagPattern))
        return
    slim.setWidth(slim.width() * max(0, option.progress - option.minimum) / span)
    rounded(p, slim, t.color("accent"), None, 2)


def menu_bar_item(option: QStyleOptionMenuItem, p: QPainter, t: Tokens) -> None:
    r = QRectF(option.rect)
    if _has(option, State.State_Selected, State.State_Sunken):
        rounded(p, r.adjusted(0, 3, 0, -3), t.color("hover"), None)
    p.setPen(t.color("text2"))
    p.setFont(ui_font())
    p.drawText(r, A.AlignCenter | Qt.TextFlag.TextHideMnemonic, option.text)


def menu_item(option: QStyleOptionMenuItem, p: QPainter, t: Tokens) -> None:
    m, r = metrics(), QRectF(option.rect)
    if option.menuItemType == QStyleOptionMenuItem.MenuItemType.Separator:
        p.fillRect(QRectF(r.left(), round(r.center().y()), r.width(), 1), t.color("line"))
        return
    enabled = _has(option, State.State_Enabled)
    if enabled and _has(option, State.State_Selected):
        rounded(p, r.adjusted(m.unit, 0, -m.unit, 0), t.color("selection"), None)
    box = QRectF(r.left() + 2.5 * m.unit, r.center().y() - m.icon / 2, m.icon, m.icon)
    if option.checkType != QStyleOptionMenuItem.CheckType.NotCheckable and option.checked:
        draw_shape(p, box.adjusted(3, 3, -3, -3), "tick", t.color("accent"))
    elif not option.icon.isNull():
        option.icon.paint(p, box.toRect(), mode=QIcon.Mode.Normal if enabled else QIcon.Mode.Disabled)
    text, _, keys = option.text.partition("\t")
    body = r.adjusted(m.icon + 5 * m.unit, 0, -4 * m.unit, 0)
    p.setFont(ui_font())
    p.setPen(t.color("text" if enabled else "faint"))
    p.drawText(body, A.AlignVCenter | Qt.TextFlag.TextHideMnemonic, text)
    p.setFont(ui_font("caption"))
    p.setPen(t.color("muted" if enabled else "faint"))
    p.drawText(body, A.AlignVCenter | A.AlignRight, keys)
    if option.menuItemType == QStyleOptionMenuItem.MenuItemType.SubMenu:
        draw_glyph(p, QRectF(r.right() - 4 * m.unit, r.center().y() - 6, 12, 12), "chevron-right", t.color("muted"))
