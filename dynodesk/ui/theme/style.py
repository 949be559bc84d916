"""One quiet style over Fusion: flat panels, hairlines, one visible focus ring. No style sheet is needed."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QProxyStyle,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStyleOptionComplex,
    QStyleOptionFrame,
    QStyleOptionHeader,
    QStyleOptionMenuItem,
    QStyleOptionProgressBar,
    QStyleOptionSlider,
    QStyleOptionTab,
    QStyleOptionToolButton,
    QTableView,
    QWidget,
)

from dynodesk.ui.theme import style_paint as paint
from dynodesk.ui.theme.fonts import metrics
from dynodesk.ui.theme.icons import draw_glyph
from dynodesk.ui.theme.shapes import focus_ring, rounded
from dynodesk.ui.theme.style_sizes import contents_size, pixel_metrics, scroll_bar_rect
from dynodesk.ui.theme.tokens import tokens

CE, PE, CC = QStyle.ControlElement, QStyle.PrimitiveElement, QStyle.ComplexControl
State, Hint, SC = QStyle.StateFlag, QStyle.StyleHint, QStyle.SubControl

NOT_DRAWN = frozenset(
    {
        PE.PE_FrameLineEdit,
        PE.PE_FrameStatusBarItem,
        PE.PE_FrameDockWidget,
        PE.PE_PanelStatusBar,
        PE.PE_PanelMenuBar,
        PE.PE_IndicatorHeaderArrow,
        PE.PE_FrameTabBarBase,
        PE.PE_FrameTabWidget,
    }
)
ARROWS = frozenset({PE.PE_IndicatorBranch, PE.PE_IndicatorArrowDown, PE.PE_IndicatorArrowRight})
FILLS = {PE.PE_IndicatorDockWidgetResizeHandle: "line", PE.PE_PanelScrollAreaCorner: "base"}
OFF = frozenset(
    {
        Hint.SH_EtchDisabledText,
        Hint.SH_ComboBox_Popup,
        Hint.SH_DockWidget_ButtonsHaveFrame,
        Hint.SH_Widget_Animation_Duration,
    }
)


class QuietStyle(QProxyStyle):
    """Fusion's behaviour (keyboard, mouse, accessibility, right-to-left) with our painting.

    Widget properties it reads: on buttons `tone` ("danger", "quiet"), `glyph` (an icon name, so that the icon
    takes the label's ink) and `keys` (a shortcut hint); on a QTabBar `sub` (True: switches views inside a panel);
    on a QLineEdit `invalid` (True: a message stands below it).
    """

    # QProxyStyle's stubs forget, in two of its methods, that the widget may be None: hence the casts.

    def __init__(self) -> None:
        super().__init__("Fusion")

    def pixelMetric(
        self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> int:
        ours = pixel_metrics(metrics()).get(metric)
        return super().pixelMetric(metric, option, widget) if ours is None else ours

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        data: QStyleHintReturn | None = None,
    ) -> int:
        if hint in OFF:
            return 0
        if hint == Hint.SH_ItemView_ShowDecorationSelected:
            return 1
        return super().styleHint(hint, option, widget, data)

    def sizeFromContents(
        self,
        kind: QStyle.ContentsType,
        option: QStyleOption,
        size: QSize,
        widget: QWidget | None = None,
    ) -> QSize:
        base = super().sizeFromContents(kind, option, size, cast(QWidget, widget))
        return contents_size(kind, option, size, base, widget)

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        part: QStyle.SubControl,
        widget: QWidget | None = None,
    ) -> QRect:
        if control == CC.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            return scroll_bar_rect(option, part)
        return super().subControlRect(control, option, part, cast(QWidget, widget))

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if element in NOT_DRAWN or (element == PE.PE_PanelItemViewRow and isinstance(widget, QTableView)):
            return  # a row's panel is asked for once per cell; the delegate has the ground
        t, r = tokens(option.palette), QRectF(option.rect)
        if element == PE.PE_PanelButtonCommand and isinstance(option, QStyleOptionButton):
            paint.button(option, painter, widget, t)
        elif element == PE.PE_PanelButtonTool:
            paint.tool_button(option, painter, t)
        elif element == PE.PE_PanelLineEdit:
            if not isinstance(option, QStyleOptionFrame) or option.lineWidth > 0:
                paint.field(option, painter, t, bool(widget and widget.property("invalid")))
        elif element in (PE.PE_FrameMenu, PE.PE_PanelMenu):
            rounded(painter, r, t.color("base"), t.color("edge"), 0)
        elif element == PE.PE_FrameFocusRect:
            focus_ring(painter, r, t)
        elif element == PE.PE_Frame:
            rounded(painter, r, None, t.color("line"), 0)
        elif element in (PE.PE_IndicatorCheckBox, PE.PE_IndicatorItemViewItemCheck, PE.PE_IndicatorRadioButton):
            paint.indicator(option, painter, t, radio=element == PE.PE_IndicatorRadioButton)
        elif element in ARROWS:
            paint.arrow(option, painter, t, element)
        elif element == PE.PE_IndicatorTabClose:
            if option.state & State.State_MouseOver:
                rounded(painter, r, t.color("hover"), None)
            draw_glyph(painter, r.adjusted(1, 1, -1, -1), "close", t.color("muted"))
        elif element in FILLS:
            painter.fillRect(option.rect, t.color(FILLS[element]))
        else:
            super().drawPrimitive(element, option, painter, widget)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        t, r = tokens(option.palette), QRectF(option.rect)
        if element in (CE.CE_ProgressBarLabel, CE.CE_MenuBarEmptyArea, CE.CE_MenuEmptyArea):
            return
        if element == CE.CE_PushButtonLabel and isinstance(option, QStyleOptionButton):
            paint.button_label(option, painter, widget, t)
        elif element == CE.CE_TabBarTabShape and isinstance(option, QStyleOptionTab):
            paint.tab_shape(option, painter, widget, t)
        elif element == CE.CE_TabBarTabLabel and isinstance(option, QStyleOptionTab):
            copy = QStyleOptionTab(option)
            selected = bool(option.state & State.State_Selected)
            copy.palette.setColor(QPalette.ColorRole.WindowText, t.color("text" if selected else "text2"))
            copy.state &= ~State.State_HasFocus
            super().drawControl(element, copy, painter, widget)
        elif element in (CE.CE_HeaderSection, CE.CE_HeaderEmptyArea):
            paint.header_ground(r, painter, t, divider=element == CE.CE_HeaderSection)
        elif element == CE.CE_HeaderLabel and isinstance(option, QStyleOptionHeader):
            paint.header_label(option, painter, widget, t)
        elif element == CE.CE_Splitter:
            painter.fillRect(r, t.color("line"))
        elif element == CE.CE_ProgressBarGroove:
            paint.progress_groove(r, painter, t)
        elif element == CE.CE_ProgressBarContents and isinstance(option, QStyleOptionProgressBar):
            paint.progress_contents(option, painter, t)
        elif element == CE.CE_MenuBarItem and isinstance(option, QStyleOptionMenuItem):
            paint.menu_bar_item(option, painter, t)
        elif element == CE.CE_MenuItem and isinstance(option, QStyleOptionMenuItem):
            paint.menu_item(option, painter, t)
        elif (
            element == CE.CE_ToolButtonLabel
            and isinstance(option, QStyleOptionToolButton)
            and option.toolButtonStyle == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        ):
            paint.tool_button_label(option, painter, t)
        else:
            super().drawControl(element, option, painter, widget)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        t, m, r = tokens(option.palette), metrics(), QRectF(option.rect)
        if control == CC.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            painter.fillRect(option.rect, t.color(paint.scroll_ground(widget)))
            slider = scroll_bar_rect(option, SC.SC_ScrollBarSlider)
            if slider.size() != option.rect.size():
                ink = "control" if option.state & State.State_MouseOver else "edge"
                rounded(painter, QRectF(slider).adjusted(3, 3, -3, -3), t.color(ink), None, 3)
        elif control == CC.CC_SpinBox:
            paint.field(option, painter, t)
            size = m.icon - 5
            for part, name in ((SC.SC_SpinBoxUp, "chevron-up"), (SC.SC_SpinBoxDown, "chevron-down")):
                c = QRectF(self.subControlRect(control, option, part, widget)).center()
                box = QRectF(c.x() - size / 2, c.y() - size / 2, size, size)
                draw_glyph(painter, box, name, t.color("muted"))
        elif control == CC.CC_ComboBox and isinstance(option, QStyleOptionComboBox):
            paint.field(option, painter, t)
            size = m.icon - 4
            box = QRectF(r.right() - size - m.unit - 1, r.center().y() - size / 2, size, size)
            draw_glyph(painter, box, "chevron-down", t.color("muted"))
        else:
            super().drawComplexControl(control, option, painter, widget)
