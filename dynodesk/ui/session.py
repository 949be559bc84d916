"""Tabs that come back: after the program was quit, and after it was killed."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args, get_type_hints

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from dynodesk.ui.connection_desk import ConnectionDesk
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.keeping import Keeper
from dynodesk.ui.models.table_tree import Place
from dynodesk.ui.opener import PageOpener
from dynodesk.ui.pages.waiting import WaitingPage
from dynodesk.ui.sessions import Sessions
from dynodesk.ui.shell import Restorable, SavedSettings
from dynodesk.ui.widgets.tab_area import TabArea

LOOK_EVERY = 1_000
"""Milliseconds: what a program that is killed loses at most of what was typed."""
AT_ONCE = 0.03
"""Seconds for which tabs are brought back before the window gets its turn."""
_PAGES = frozenset(get_args(get_type_hints(Place)["kind"])) - {"connection", "tables"}


@dataclass(slots=True)
class _Waiting:
    place: Place
    title: str
    state: Mapping[str, object]
    is_being_made: bool = False


class TabSession(QObject):
    """Keeps what the tabs show, and brings it back. A connection is opened again when one of its tabs is looked at."""

    begun = Signal()
    """The tabs of the last run were read."""

    def __init__(
        self,
        store: SavedSettings,
        tabs: TabArea,
        opener: PageOpener,
        sessions: Sessions,
        desk: ConnectionDesk,
        runner: JobRunner,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._store, self._tabs, self._opener, self._sessions, self._desk = store, tabs, opener, sessions, desk
        self._waiting: dict[QWidget, _Waiting] = {}
        self.keeper = Keeper(self._values, store, runner, self, every=LOOK_EVERY)
        tabs.page_closed.connect(self._forget)
        sessions.opened.connect(self._opened)
        sessions.not_opened.connect(self._not_opened)

    def begin(self) -> None:
        """Bring the tabs of the last run back, and keep them from here on. Call once the connections are known."""
        saved = self._store.load()
        found = saved.get("tabs")
        self._bring_back(deque(enumerate(map(_tab, found) if isinstance(found, list) else ())), saved)

    def _bring_back(self, tabs: deque[tuple[int, _Waiting | None]], saved: dict[str, object]) -> None:
        """A few at a time: each takes as long as there are tabs already, and the window is to go on answering."""
        until = time.monotonic() + AT_ONCE
        while tabs and time.monotonic() < until:
            at, tab = tabs.popleft()
            if tab is None:
                continue
            page = WaitingPage(tab.title)
            page.asked.connect(partial(self._ask, page))
            self._waiting[page] = tab
            self._opener.hold(page, tab.place)
            if at == saved.get("current"):
                self._tabs.show_page(page)
        if tabs:
            QTimer.singleShot(0, self, partial(self._bring_back, tabs, saved))
            return
        self.keeper.begin(saved)
        self.begun.emit()

    # -- keeping

    def _values(self) -> dict[str, object]:
        placed = [(page, place) for page in self._tabs.pages if (place := self._opener.place_of(page)) is not None]
        current = next((at for at, (page, _) in enumerate(placed) if page is self._tabs.current), -1)
        return {"tabs": [self._tab_of(page, place) for page, place in placed], "current": current}

    def _tab_of(self, page: QWidget, place: Place) -> dict[str, object]:
        waiting = self._waiting.get(page)
        state = waiting.state if waiting is not None else page.state() if isinstance(page, Restorable) else {}
        return {
            "kind": place.kind,
            "connection": place.connection,
            "table": place.table,
            "index": place.index,
            "file": place.file,
            "title": page.windowTitle(),
            "state": dict(state),
        }

    # -- coming back

    def _ask(self, page: WaitingPage) -> None:
        tab = self._waiting[page]
        key = tab.place.connection
        if self._sessions.workspace(key) is not None:
            self._make(page, tab)
            return
        page.show_words("Opening the connection…")
        if not self._sessions.is_opening(key) and not self._desk.open(key):
            page.show_words("The connection of this tab is not saved any more. Connect again, or close the tab.")

    @Slot(str)
    def _opened(self, key: str) -> None:
        for page, tab in tuple(self._waiting.items()):
            if tab.place.connection == key and isinstance(page, WaitingPage) and page.isVisible():
                self._make(page, tab)

    @Slot(str, object)
    def _not_opened(self, key: str, error: BaseException | None) -> None:
        why = "Opening the connection was stopped." if error is None else f"The connection could not be opened. {error}"
        for page, tab in self._waiting.items():
            if tab.place.connection == key and isinstance(page, WaitingPage):
                page.show_words(why, again=True)

    def _make(self, page: WaitingPage, tab: _Waiting) -> None:
        if tab.is_being_made:
            return
        tab.is_being_made = True
        page.show_words(f"Opening {tab.title}…")
        self._opener.settle(page, partial(self._restore, page, tab.state), partial(self._not_made, page))

    def _restore(self, page: QWidget, state: Mapping[str, object], made: QWidget) -> None:
        if isinstance(made, Restorable):
            made.restore(state)
        self._forget(page)

    def _not_made(self, page: WaitingPage, error: BaseException) -> None:
        tab = self._waiting.get(page)
        if tab is not None:
            tab.is_being_made = False
            page.show_words(str(error), again=True)

    @Slot(object)
    def _forget(self, page: QWidget) -> None:
        self._waiting.pop(page, None)


def _tab(found: Any) -> _Waiting | None:
    """None for what is no tab."""
    try:
        kind, connection, title, state = found["kind"], found["connection"], found["title"], found["state"]
        table, index, file = found["table"], found["index"], found["file"]
    except (TypeError, KeyError):
        return None
    texts = (kind, connection, title, table, file, index or "")
    if not all(isinstance(text, str) for text in texts) or kind not in _PAGES or not isinstance(state, dict):
        return None
    return _Waiting(Place(kind, connection, table, index, file), title, state)
