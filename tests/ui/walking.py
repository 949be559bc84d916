"""What a walk through the window reads of it: the page, dialogs, rows and edits that are to be seen."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

from PySide6.QtWidgets import QDialog, QWidget

from dynodesk.domain.values import Number, String
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_changes import Changes
from tests.helpers.keyboard import Keyboard

Steps = Generator[Callable[[], object], None, None]
AnyDialog = TypeVar("AnyDialog", bound=QDialog)
AnyPage = TypeVar("AnyPage", bound=QWidget)


class Walker:
    """What a walk by keys waits for and looks at."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.keys = Keyboard(window)

    def idle(self) -> bool:
        page = self.window.tabs.current
        if isinstance(page, BrowsePage) and (page.links.busy or page.left.arranger.busy or page.right.arranger.busy):
            return False
        return not self.window.status.jobs

    def page(self, kind: type[AnyPage]) -> AnyPage:
        page = self.window.tabs.current
        assert isinstance(page, kind), f"{type(page).__name__} is shown, not {kind.__name__}"
        return page

    def shows(self, kind: type[QWidget]) -> Callable[[], bool]:
        return lambda: isinstance(self.window.tabs.current, kind) and self.idle()

    def open_dialogs(self) -> list[QDialog]:
        return [dialog for dialog in self.window.findChildren(QDialog) if dialog.isVisible()]

    def asks(self, kind: type[QDialog]) -> Callable[[], bool]:
        return lambda: self.idle() and any(isinstance(dialog, kind) for dialog in self.open_dialogs())

    def dialog(self, kind: type[AnyDialog]) -> AnyDialog:
        return next(dialog for dialog in self.open_dialogs() if isinstance(dialog, kind))

    @property
    def changes(self) -> Changes:
        changes = self.page(BrowsePage).findChild(Changes)
        assert changes is not None
        return changes

    def staged(self) -> list[str]:
        """What each edit is, from the first."""
        return [edit.kind for edit in self.changes.edits]

    def current_key(self) -> str:
        entry = self.page(BrowsePage).left.grid.current_entry
        return "" if entry is None else "/".join(part[1:] for part in entry.identity)

    def liked_at(self, like: str) -> str:
        """In the row of a like at the left."""
        rows = self.page(BrowsePage).left.model.rows.entries
        (value,) = [entry.item["likedAt"] for entry in rows if entry.item["SK"] == String(like)]
        assert isinstance(value, Number)
        return value.text

    def settle(self) -> Steps:
        """What comes after a key in turns of the event loop, and then all jobs."""
        self.keys.come_back()
        for _ in range(3):
            yield lambda: True
        yield self.idle
