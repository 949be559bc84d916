"""A keyboard and nothing else: keys go to the window that has the focus, as a person's do, and never to a widget."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QContextMenuEvent, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QMainWindow, QMenu, QWidget

AnyWidget = TypeVar("AnyWidget", bound=QWidget)

MOST_STOPS = 150
"""Presses of Tab after which one does not come round any more."""
RING = 4
"""Pixels around a control that show that it has the focus."""


class Keyboard:
    """Asserts at every press that the focus is somewhere that can be seen, and that has a name."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window

    def come_back(self) -> None:
        """What a desktop does where a menu or dialog has closed: off screen no window is given the focus then.

        It comes with the next turn of the event loop.
        """
        if QGuiApplication.focusWindow() is None:
            (QApplication.activeModalWidget() or self._window).activateWindow()

    def press(self, *keys: str) -> None:
        """One after the other, each as `QKeySequence` spells it."""
        for one in keys:
            window = QGuiApplication.focusWindow()
            assert window is not None, f"no window takes {one}"
            QTest.keySequence(window, QKeySequence(one))

    def type(self, text: str) -> None:
        """Letters, digits and signs of a usual keyboard."""
        for letter in text:
            window = QGuiApplication.focusWindow()
            assert window is not None, f"no window takes {letter}"
            QTest.keyClick(window, ord(letter))

    def press_menu(self) -> QMenu:
        """The menu key. Off screen no platform makes of it the event that it is everywhere else."""
        focus = self.focus
        at = focus.rect().center()
        asked = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, focus.mapToGlobal(at))
        QApplication.sendEvent(focus, asked)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu), f"the menu key opens nothing on {described(focus)}"
        return menu

    def choose_in(self, menu: QMenu, words: str) -> None:
        """Down to the entry that begins so, and Enter."""
        self.choose("Down", lambda: menu.activeAction() is not None and menu.activeAction().text().startswith(words))
        self.press("Return")

    @property
    def focus(self) -> QWidget:
        """What the keys are for. It has to be a control that can be seen."""
        focus = QApplication.focusWidget()
        assert focus is not None, "nothing has the focus"
        where = described(focus)
        assert not isinstance(focus, QMainWindow | QDialog), f"the focus is on the window itself: {where}"
        assert focus.isVisible(), f"what has the focus is hidden: {where}"
        assert focus.isEnabled(), f"what has the focus is disabled: {where}"
        assert not _seen_part(focus).isEmpty(), f"what has the focus is out of sight: {where}"
        assert name_of(focus), f"what has the focus has no name: {where}"
        return focus

    def expect(self, widget: QWidget | None) -> None:
        focus = self.focus
        assert focus is widget, f"the focus is on {described(focus)}, not on {described(widget)}"

    def expect_in(self, page: QWidget) -> None:
        """Somewhere on it."""
        assert self.is_in(page), f"the focus is on {described(self.focus)}, not in {described(page)}"

    def is_in(self, widget: QWidget) -> bool:
        focus = self.focus
        return focus is widget or widget.isAncestorOf(focus)

    def tab_to(self, widget: QWidget, key: str = "Tab") -> None:
        """Press Tab until it is there."""
        for _ in range(MOST_STOPS):
            if self.is_in(widget):
                return
            self.press(key)
        raise AssertionError(f"{key} does not come to {described(widget)}")

    def choose(self, key: str, is_there: Callable[[], bool]) -> None:
        """Press a key, as Down, until what is wanted is the current one."""
        for _ in range(MOST_STOPS):
            if is_there():
                return
            self.press(key)
        raise AssertionError(f"{key} does not come there; the focus is on {described(self.focus)}")

    def go_round(self, page: QWidget) -> list[QWidget]:
        """With Tab through the window and back to the start, then one step back and forth.

        Every control of `page` has to be on the way, to have a name, and to look otherwise while it has the focus.
        """
        start, before = self.focus, controls(page)
        stops: list[QWidget] = []
        here = start
        while here is not start or not stops:
            assert here not in stops, f"Tab goes round without {described(start)}, at {described(here)}"
            assert len(stops) < MOST_STOPS, f"Tab does not come back to {described(start)}"
            stops.append(here)
            seen = _look(here)
            self.press("Tab")
            following = self.focus
            assert following is not here, f"Tab does not leave {described(here)}"
            assert _look(here) != seen, f"nothing shows that the focus is on {described(here)}"
            here = following
        self.press("Shift+Tab")
        self.expect(stops[-1])
        self.press("Tab")
        there = controls(page)
        missed = [described(one) for one in there if one in before and one not in stops]
        assert not missed, "Tab does not reach " + "; ".join(missed)
        nameless = [described(one) for one in there if not name_of(one)]
        assert not nameless, "without a name: " + "; ".join(nameless)
        return stops


def controls(page: QWidget) -> list[QWidget]:
    """What takes the focus on a page by Tab. Of buttons of which one is chosen, the chosen one stands for all."""
    found = []
    for one in page.findChildren(QWidget):
        takes = one.isVisible() and one.isEnabled() and bool(one.focusPolicy() & Qt.FocusPolicy.TabFocus)
        is_part = one.objectName().startswith("qt_") or one.focusProxy() is not None
        grouped = isinstance(one, QAbstractButton) and one.autoExclusive() and one.isCheckable() and not one.isChecked()
        if takes and not is_part and not grouped:
            found.append(one)
    return found


def name_of(widget: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def described(widget: QWidget | None) -> str:
    """For a person who looks for it."""
    kinds: list[str] = []
    around = widget
    while around is not None and len(kinds) < 4:
        kinds.append(type(around).__name__)
        around = around.parentWidget()
    return "nothing" if widget is None else f"{' in '.join(kinds)} {name_of(widget)!r}"


def _seen_part(widget: QWidget) -> QRect:
    """What neither the window nor a scroll area cuts off, in the window's coordinates."""
    window = widget.window()
    seen = window.rect()
    around: QWidget | None = widget
    while around is not None and around is not window:
        seen &= QRect(around.mapTo(window, QPoint(0, 0)), around.size())
        around = around.parentWidget()
    return seen


def _look(widget: QWidget) -> object:
    """The picture of it, with what is around it."""
    window = widget.window()
    box = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
    return window.grab(box.adjusted(-RING, -RING, RING, RING)).toImage()
