"""Small parts of the Browse page: a line of text that gives way, and a switch that is an action."""

from __future__ import annotations

from functools import partial
from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from dynodesk.ui.theme import draw_line, face, icon, metrics, tokens, ui_font
from dynodesk.ui.widgets.lines import in_steps


class ShortText(QWidget):
    """One line of plain text, elided where there is no room for it. Read aloud as a whole."""

    def __init__(self, role: str = "text2", weight: str = "regular", mono: bool = False) -> None:
        super().__init__()
        self._role, self._weight, self._mono = role, weight, mono
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    @property
    def text(self) -> str:
        return self._text

    def set_text(self, text: str) -> None:
        if text != self._text:
            before, self._text = self.sizeHint(), text
            self.setAccessibleName(text)
            self.setToolTip(f"<qt>{escape(text)}</qt>" if text else "")  # what does not fit; never taken as markup
            if self.sizeHint() != before:
                self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        measure = face(weight=self._weight, mono=self._mono).measure
        return QSize(in_steps(measure.horizontalAdvance(self._text) + 2), metrics().line)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 6 * metrics().icon), metrics().line)

    def paintEvent(self, _event: QPaintEvent) -> None:
        of = face(weight=self._weight, mono=self._mono)
        draw_line(QPainter(self), self.rect().toRectF(), self._text, of, tokens().color(self._role))


def switch_for(action: QAction, *, words: bool = True) -> QToolButton:
    """A button that stays down while the checkable action is on; its icon turns to the accent."""
    action.setCheckable(True)
    made = QToolButton()
    made.setAutoRaise(True)
    made.setDefaultAction(action)
    if words:
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    made.setFont(ui_font())
    made.setAccessibleName(action.text())
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    action.toggled.connect(partial(_tint, action))
    _tint(action, action.isChecked())
    return made


def _tint(action: QAction, on: bool) -> None:
    glyph = str(action.property("glyph"))
    action.setIcon(icon(glyph, "accent" if on else "text2"))
