"""Buttons, fields and switches in the look of the window, each with an accessible name."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QTabBar, QToolButton

from dynodesk.ui.theme import icon, metrics, mono_font, px, ui_font


def button(text: str, glyph: str = "", keys: str = "", tone: str = "", primary: bool = False) -> QPushButton:
    """`tone`: "" outlined, "quiet" accent text, "danger" destructive. At most one primary button per region."""
    b = QPushButton(text)
    b.setFont(ui_font(weight="medium"))
    b.setProperty("keys", keys)
    b.setProperty("tone", tone)
    b.setProperty("glyph", glyph)
    if glyph:
        b.setIcon(icon(glyph))
    b.setAutoDefault(False)  # or losing the focus would take the fill away outside a dialog
    b.setDefault(primary)
    b.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    b.setAccessibleName(text)
    return b


def tool(glyph: str, name: str, text: str = "") -> QToolButton:
    """An icon button. `name` is read aloud and shown as a tip; with `text` the word stands beside the icon."""
    b = QToolButton()
    b.setIcon(icon(glyph))
    b.setAutoRaise(True)
    b.setAccessibleName(name)
    b.setToolTip(name)
    b.setFont(ui_font())
    if text:
        b.setText(text)
        b.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return b


def switch(glyph: str, name: str, on: bool, text: str = "") -> QToolButton:
    """A tool button that stays down; its icon turns to the accent while it is on."""
    b = tool(glyph, name, text)
    b.setCheckable(True)

    def show_state(checked: bool) -> None:
        b.setIcon(icon(glyph, "accent" if checked else "text2"))

    b.toggled.connect(show_state)
    b.setChecked(on)
    return b


def combo(name: str, width: float = 0) -> QComboBox:
    c = QComboBox()
    c.setAccessibleName(name)
    c.setFont(ui_font())
    if width:
        c.setFixedWidth(px(width))
    return c


def field(name: str, hint: str = "", width: float = 0, mono: bool = True) -> QLineEdit:
    """A text field. Anything that comes from the table or goes to it is monospaced."""
    f = QLineEdit()
    f.setAccessibleName(name)
    f.setPlaceholderText(hint)
    f.setFont(mono_font() if mono else ui_font())
    f.setTextMargins(metrics().unit, 0, metrics().unit, 0)
    if width:
        f.setFixedWidth(px(width))
    return f


def search_field(name: str, hint: str, width: float = 0) -> QLineEdit:
    """A field with a magnifier, and a mark that clears it once there is something in it."""
    f = field(name, hint, width, mono=False)
    f.addAction(icon("search", "muted"), QLineEdit.ActionPosition.LeadingPosition)
    f.findChildren(QToolButton)[-1].setAccessibleName(name)
    f.setClearButtonEnabled(True)
    f.findChildren(QToolButton)[-1].setAccessibleName("Clear")
    return f


def sub_tabs(name: str, *titles: str) -> QTabBar:
    """Switches views inside a panel: underlined, not boxed."""
    bar = QTabBar()
    bar.setProperty("sub", True)
    bar.setDrawBase(False)
    bar.setExpanding(False)
    bar.setFont(ui_font(weight="medium"))
    bar.setAccessibleName(name)
    for title in titles:
        bar.addTab(title)
    return bar
