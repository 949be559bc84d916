"""What each part of the tour does between two pictures: wait, find the dialog that opened, take the picture."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import TypeVar

from PySide6.QtWidgets import QDialog, QWidget

from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.pages.browse import BrowsePage

AnyPage = TypeVar("AnyPage", bound=QWidget)
AnyDialog = TypeVar("AnyDialog", bound=QDialog)
Steps = Generator[Callable[[], object], None, None]

SIZE = (1440, 900)
DIALOG = (920, 660)


class Camera:
    """Takes what is seen of a window in one scheme."""

    def __init__(self, window: MainWindow, folder: Path, scheme: str) -> None:
        self.window, self._folder, self._scheme = window, folder, scheme

    def take(self, name: str, seen: QWidget | None = None) -> None:
        (seen or self.window).grab().save(str(self._folder / f"{name}-{self._scheme}.png"))

    def idle(self) -> bool:
        """Whether nothing is read, and nothing is about to be."""
        page = self.window.tabs.current
        return not self.window.status.jobs and not (isinstance(page, BrowsePage) and page.links.busy)

    def shows(self, kind: type[QWidget]) -> bool:
        return isinstance(self.window.tabs.current, kind) and self.idle()

    def page(self, kind: type[AnyPage]) -> AnyPage:
        page = self.window.tabs.current
        assert isinstance(page, kind)
        return page

    def asks(self) -> bool:
        """Whether a dialog is open and nothing is on its way."""
        return self.idle() and any(dialog.isVisible() for dialog in self.window.findChildren(QDialog))

    def dialog(self, kind: type[AnyDialog]) -> AnyDialog:
        dialog = next(dialog for dialog in self.window.findChildren(kind) if dialog.isVisible())
        dialog.resize(*DIALOG)  # off screen the screen is small
        return dialog

    def still(self) -> Steps:
        """A few turns of the event loop, so that everything is laid out and painted."""
        for _ in range(15):
            yield lambda: True
