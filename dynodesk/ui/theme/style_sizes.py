"""Sizes of the quiet style: pixel metrics, what controls ask for, and where a scroll bar's parts lie."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import (
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionMenuItem,
    QStyleOptionSlider,
    QStyleOptionToolButton,
    QWidget,
)

from dynodesk.ui.theme.fonts import Metrics, face, metrics

PM, Contents, SubControl = QStyle.PixelMetric, QStyle.ContentsType, QStyle.SubControl


@lru_cache(maxsize=8)
def pixel_metrics(m: Metrics) -> dict[QStyle.PixelMetric, int]:
    """Every metric that differs from the base style's. Asked for constantly, so made once per font size."""
    return {
        PM.PM_DefaultFrameWidth: 1,
        PM.PM_ScrollBarExtent: 3 * m.unit,
        PM.PM_ScrollBarSliderMin: 8 * m.unit,
        PM.PM_SplitterWidth: 1,
        PM.PM_DockWidgetSeparatorExtent: 1,
        PM.PM_DockWidgetFrameWidth: 0,
        PM.PM_IndicatorWidth: m.icon - 1,
        PM.PM_IndicatorHeight: m.icon - 1,
        PM.PM_ExclusiveIndicatorWidth: m.icon - 1,
        PM.PM_ExclusiveIndicatorHeight: m.icon - 1,
        PM.PM_CheckBoxLabelSpacing: 2 * m.unit - 2,
        PM.PM_RadioButtonLabelSpacing: 2 * m.unit - 2,
        PM.PM_TabBarTabHSpace: 6 * m.unit,
        PM.PM_TabBarTabVSpace: 3 * m.unit,
        PM.PM_TabBarTabOverlap: 0,
        PM.PM_TabBarTabShiftVertical: 0,
        PM.PM_TabBarTabShiftHorizontal: 0,
        PM.PM_TabBarBaseOverlap: 0,
        PM.PM_HeaderMargin: 2 * m.unit,
        PM.PM_SmallIconSize: m.icon,
        PM.PM_ButtonIconSize: m.icon,
        PM.PM_TabBarIconSize: m.icon,
        PM.PM_ToolBarIconSize: m.icon,
        PM.PM_ListViewIconSize: m.icon,
        PM.PM_TreeViewIndentation: 4 * m.unit,
        PM.PM_FocusFrameHMargin: m.unit,
        PM.PM_MenuBarPanelWidth: 0,
        PM.PM_MenuPanelWidth: 1,
        PM.PM_MenuVMargin: m.unit,
        PM.PM_MenuHMargin: 0,
        PM.PM_MenuBarVMargin: 0,
        PM.PM_MenuBarHMargin: 2,
        PM.PM_MenuBarItemSpacing: 0,
    }


def contents_size(
    kind: QStyle.ContentsType, option: QStyleOption, asked: QSize, base: QSize, widget: QWidget | None
) -> QSize:
    """The size of a control. `asked` is what its content needs, `base` what the base style would give it."""
    m = metrics()
    if kind == Contents.CT_PushButton and isinstance(option, QStyleOptionButton):
        return QSize(_button_width(option, widget), m.control)
    if kind in (Contents.CT_LineEdit, Contents.CT_ComboBox, Contents.CT_SpinBox):
        return QSize(base.width(), m.control)
    if kind == Contents.CT_ToolButton and isinstance(option, QStyleOptionToolButton):
        width = m.control - 2
        if option.toolButtonStyle == Qt.ToolButtonStyle.ToolButtonTextBesideIcon:
            width = m.icon + face().measure.horizontalAdvance(option.text) + round(5.5 * m.unit)
        elif option.icon.isNull():
            width = face().measure.horizontalAdvance(option.text) + 4 * m.unit
        if option.features & QStyleOptionToolButton.ToolButtonFeature.MenuButtonPopup:
            width += 4 * m.unit
        return QSize(width, m.control - 2)
    if kind == Contents.CT_TabBarTab:
        return QSize(base.width(), m.tab)
    if kind == Contents.CT_HeaderSection:
        return QSize(base.width(), m.bar - 3)
    if kind == Contents.CT_MenuItem and isinstance(option, QStyleOptionMenuItem):
        if option.menuItemType == QStyleOptionMenuItem.MenuItemType.Separator:
            return QSize(10, 2 * m.unit + 1)
        text, _, keys = option.text.partition("\t")  # QMenu itself adds the width of the widest shortcut
        width = face().measure.horizontalAdvance(text) + m.icon + 9 * m.unit
        return QSize(width + (6 * m.unit if keys else 0), m.control)
    if kind == Contents.CT_MenuBarItem:
        return QSize(asked.width() + 4 * m.unit, m.control + 2)
    return base


def _button_width(option: QStyleOptionButton, widget: QWidget | None) -> int:
    m = metrics()
    width = face(weight="medium").measure.horizontalAdvance(option.text.replace("&", "")) + 6 * m.unit
    if not option.icon.isNull():
        width += m.icon + m.unit + 2 if option.text else m.icon - 2 * m.unit
    if option.features & QStyleOptionButton.ButtonFeature.HasMenu:
        width += m.icon
    keys = widget.property("keys") if widget else None
    if keys:
        width += face("caption").measure.horizontalAdvance(keys) + 2 * m.unit
    return width


def scroll_bar_rect(option: QStyleOptionSlider, part: QStyle.SubControl) -> QRect:
    """A scroll bar without arrow buttons: groove, slider and the pages before and after it."""
    r, m = option.rect, metrics()
    across = option.orientation == Qt.Orientation.Horizontal
    length = r.width() if across else r.height()
    span = option.maximum - option.minimum + option.pageStep
    slider = length if span <= 0 else max(8 * m.unit, int(length * option.pageStep / span))
    slider = min(slider, length)
    start = QStyle.sliderPositionFromValue(
        option.minimum, option.maximum, option.sliderPosition, length - slider, option.upsideDown
    )
    end = start + slider
    match part:
        case SubControl.SC_ScrollBarGroove:
            return r
        case SubControl.SC_ScrollBarSlider:
            first, extent = start, slider
        case SubControl.SC_ScrollBarSubPage:
            first, extent = 0, start
        case SubControl.SC_ScrollBarAddPage:
            first, extent = end, length - end
        case _:
            return QRect()
    return QRect(first, 0, extent, r.height()) if across else QRect(0, first, r.width(), extent)
