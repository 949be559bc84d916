"""Putting the look on an application, and keeping it in step with the system's light or dark scheme."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QApplication

from dynodesk.ui.theme.fonts import ui_font
from dynodesk.ui.theme.style import QuietStyle
from dynodesk.ui.theme.tokens import DARK, LIGHT, Tokens, palette_of

Choice = Literal["system", "light", "dark"]


def apply(app: QApplication, t: Tokens, point_size: float | None = None) -> None:
    """Call once, before the first window. A later change of scheme only needs `app.setPalette(palette_of(...))`."""
    base = app.font()
    if point_size:
        base.setPointSizeF(point_size)  # otherwise the size the person chose for the system
    app.setFont(base)
    app.setFont(ui_font())  # families and features at that size
    app.setStyle(QuietStyle())
    app.setPalette(palette_of(t))


def system_tokens(app: QApplication) -> Tokens:
    """What the system asks for; light where it does not say."""
    return DARK if app.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT


class SchemeFollower(QObject):
    """Follows the system's scheme, unless a person chose light or dark."""

    def __init__(self, app: QApplication, choice: Choice = "system") -> None:
        super().__init__(app)
        self._app, self._choice = app, choice
        app.styleHints().colorSchemeChanged.connect(self._follow)

    @property
    def choice(self) -> Choice:
        return self._choice

    @property
    def tokens(self) -> Tokens:
        """The scheme that should be in force now."""
        if self._choice == "system":
            return system_tokens(self._app)
        return DARK if self._choice == "dark" else LIGHT

    def choose(self, choice: Choice) -> None:
        self._choice = choice
        self._app.setPalette(palette_of(self.tokens))

    @Slot()
    def _follow(self) -> None:
        self._app.setPalette(palette_of(self.tokens))
