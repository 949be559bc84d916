"""Tabs as documents, their pages, and the way back through the tabs seen before."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QMouseEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QToolButton, QWidget

from dynodesk.ui.theme import Glyph, metrics, ui_font
from dynodesk.ui.widgets.controls import tool
from dynodesk.ui.widgets.layouts import Area, area, column, row
from dynodesk.ui.widgets.lines import Line
from dynodesk.ui.widgets.tips import plain_tip


class _DocumentTabs(QTabBar):
    """Shows the close mark on the current tab and under the pointer."""

    close_asked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._hovered = -1
        self.setMouseTracking(True)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setMovable(True)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setFont(ui_font())
        self.setIconSize(QSize(metrics().icon, metrics().icon))
        self.setAccessibleName("Tabs")
        self.currentChanged.connect(self.show_marks)

    def mark(self, n: int) -> QWidget:
        return self.tabButton(n, QTabBar.ButtonPosition.RightSide)

    def add(self, symbol: QIcon, text: str) -> int:
        n = self.addTab(symbol, text)
        close = tool("close", "Close this tab")
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        close.setFixedSize(metrics().icon + 4, metrics().icon + 4)
        close.clicked.connect(self._closed)
        self.setTabButton(n, QTabBar.ButtonPosition.RightSide, close)
        self.show_marks()
        return n

    @Slot()
    def _closed(self) -> None:
        for n in range(self.count()):
            if self.mark(n) is self.sender():
                self.close_asked.emit(n)
                return

    @Slot()
    def show_marks(self) -> None:
        for n in range(self.count()):
            mark = self.mark(n)
            if mark is not None:  # while a tab is being added it has none
                mark.setVisible(n in (self.currentIndex(), self._hovered))

    def _hover(self, n: int) -> None:
        if n != self._hovered:
            self._hovered = n
            self.show_marks()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.tabAt(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)


class TabArea(Area):
    """One page per tab. A page names its tab by `windowTitle` and `windowIcon`, and may change both at any time.

    While there is no tab, `nothing_open` is shown instead.
    """

    current_changed = Signal(object)
    """The page now seen, or None."""
    page_closed = Signal(object)
    close_asked = Signal(object)
    """Somebody wants a page closed: `close_page` does it."""
    """The page that went, still whole."""

    def __init__(self, nothing_open: QWidget, new_tab: QToolButton) -> None:
        super().__init__("window")
        m = metrics()
        self._bar = _DocumentTabs()
        self._strip = area(row(self._bar, new_tab, None, gap=1), "sunken", "b", m.tab + 1)
        self._stack = QStackedWidget()
        self._nothing = nothing_open
        self._stack.addWidget(nothing_open)
        self._notes: dict[QWidget, str] = {}
        self._homes: dict[QWidget, str] = {}
        self._note = Line("", "text")
        self._noted = area(
            row(Glyph("warning", "warn"), self._note, gap=2, margins=(3, 0, 3, 0)), "warn_soft", "b", m.tab
        )
        self._noted.hide()
        self._pages: list[QWidget] = []
        self._trail: list[QWidget] = []
        self._at = -1
        self._travelling = False
        body = column(self._strip, self._noted, self._stack, gap=0)
        body.setStretch(2, 1)
        self.setLayout(body)
        self._strip.hide()
        self._bar.currentChanged.connect(self._changed)
        self._bar.tabMoved.connect(self._moved)
        self._bar.close_asked.connect(self._close_asked)

    @property
    def pages(self) -> tuple[QWidget, ...]:
        return tuple(self._pages)

    @property
    def current(self) -> QWidget | None:
        n = self._bar.currentIndex()
        return self._pages[n] if 0 <= n < len(self._pages) else None

    def open_page(self, page: QWidget) -> None:
        """Adds a tab for the page and shows it. The page belongs to the tabs from now on."""
        self.open_behind(page)
        self.show_page(page)

    def open_behind(self, page: QWidget) -> None:
        """The same, without showing it: the first tab there is is shown all the same."""
        self._stack.addWidget(page)
        self._pages.append(page)
        self._bar.add(page.windowIcon(), _tab_text(page))
        self._follow_title(page)

    def replace(self, old: QWidget, new: QWidget) -> None:
        """Puts a page into another's tab, and takes the focus along. The old one is deleted."""
        had_focus = old.isAncestorOf(self.focusWidget())
        n = self._pages.index(old)
        self._pages[n] = new
        self._trail = [new if page is old else page for page in self._trail]
        self._notes.pop(old, None)
        self._homes.pop(old, None)
        self._stack.addWidget(new)
        self._follow_title(new)
        self._retitle()
        if self.current is new:
            self._changed(n)
        self._stack.removeWidget(old)
        old.hide()
        old.deleteLater()
        if had_focus:
            new.setFocus()

    def _follow_title(self, page: QWidget) -> None:
        page.windowTitleChanged.connect(self._retitle)
        page.windowIconChanged.connect(self._retitle)

    def show_page(self, page: QWidget) -> None:
        self._bar.setCurrentIndex(self._pages.index(page))

    def close_page(self, page: QWidget) -> None:
        n = self._pages.index(page)
        before = _without(page, self._trail[: self._at + 1])
        self._trail = _without(page, [*before, *self._trail[self._at + 1 :]])
        self._at = len(before) - 1
        del self._pages[n]
        self._notes.pop(page, None)
        self._homes.pop(page, None)
        self._bar.removeTab(n)
        self._stack.removeWidget(page)
        page.hide()
        self.page_closed.emit(page)
        page.deleteLater()
        if not self._pages:
            self._changed(-1)

    def set_home(self, page: QWidget, words: str) -> None:
        """What the page belongs to: its tab's tip says so, below the whole title."""
        self._homes[page] = words
        self._retitle()

    def set_note(self, page: QWidget, words: str) -> None:
        """A line above the page, and a mark in its tab, for what makes all of it doubtful; "" takes both away."""
        if words == self._notes.get(page, ""):
            return
        self._notes[page] = words
        self._retitle()
        self._show_note()

    def note_of(self, page: QWidget) -> str:
        return self._notes.get(page, "")

    def _show_note(self) -> None:
        page = self.current
        words = "" if page is None else self.note_of(page)
        self._note.set_text(words)
        self._noted.setVisible(bool(words))

    # -- back and forward

    @property
    def can_go_back(self) -> bool:
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        return self._at < len(self._trail) - 1

    @Slot()
    def go_back(self) -> None:
        self._travel(-1)

    @Slot()
    def go_forward(self) -> None:
        self._travel(1)

    def _travel(self, step: int) -> None:
        if 0 <= self._at + step < len(self._trail):
            self._at += step
            self._travelling = True
            self.show_page(self._trail[self._at])
            self._travelling = False

    def _remember(self, page: QWidget) -> None:
        if self._travelling or (self._trail and self._trail[self._at] is page):
            return
        self._trail = [*self._trail[: self._at + 1], page]
        self._at = len(self._trail) - 1

    # -- the bar

    @Slot(int)
    def _changed(self, _n: int) -> None:
        page = self.current
        self._strip.setVisible(page is not None)
        self._stack.setCurrentWidget(self._nothing if page is None else page)
        if page is not None:
            self._remember(page)
        self._show_note()
        self.current_changed.emit(page)

    @Slot(int, int)
    def _moved(self, old: int, new: int) -> None:
        self._pages.insert(new, self._pages.pop(old))

    @Slot()
    def _retitle(self) -> None:
        """Touches what differs only: the bar lays all tabs out anew at every change, and many change at once."""
        for n, page in enumerate(self._pages):
            text = f"{_tab_text(page)}{' (gone)' if self.note_of(page) else ''}"
            if self._bar.tabText(n) != text:
                self._bar.setTabText(n, text)
            symbol = QIcon(page.windowIcon())
            if self._bar.tabIcon(n).cacheKey() != symbol.cacheKey():
                self._bar.setTabIcon(n, symbol)
            tip = plain_tip("\n".join(filter(None, (page.windowTitle(), self._homes.get(page)))))
            if self._bar.tabToolTip(n) != tip:
                self._bar.setTabToolTip(n, tip)

    @Slot(int)
    def _close_asked(self, n: int) -> None:
        self.close_asked.emit(self._pages[n])


def _without(page: QWidget, trail: list[QWidget]) -> list[QWidget]:
    """The trail as if the page had never been on it: nothing twice in a row."""
    kept: list[QWidget] = []
    for seen in trail:
        if seen is not page and (not kept or kept[-1] is not seen):
            kept.append(seen)
    return kept


def _tab_text(page: QWidget) -> str:
    return page.windowTitle().replace("&", "&&")
