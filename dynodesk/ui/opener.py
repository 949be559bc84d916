"""Which page shows what of which connection, and how pages come and go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QWidget

from dynodesk.domain.tables import TableInfo
from dynodesk.ui.models.table_tree import Place
from dynodesk.ui.sessions import Sessions
from dynodesk.ui.shell import SANDBOX, Asks, LoadsTables, Pages, Shell, Unfinished, Workspace
from dynodesk.ui.widgets.tab_area import TabArea


class PageOpener(QObject):
    """Makes pages by the factories it is given and puts them into tabs; a place already shown comes to the front.

    A page is made in one turn of the event loop and put into its tab in the next: both in one would hold the window up
    for twice as long.
    """

    def __init__(self, shell: Shell, pages: Pages, sessions: Sessions, tabs: TabArea, parent: QObject) -> None:
        super().__init__(parent)
        self._shell, self._pages, self._sessions, self._tabs = shell, pages, sessions, tabs
        self._homes: dict[QWidget, str] = {}  # each page's connection
        self._places: dict[QWidget, Place] = {}
        self._held: dict[QWidget, list[Callable[[QWidget], object]]] = {}
        """Pages that stand for one of an earlier run, with who waits for it."""
        self._known: dict[str, set[str]] = {}  # each connection's tables that were listed at some time
        tabs.page_closed.connect(self._forget)
        sessions.listed.connect(self._mark_gone)

    @property
    def current_workspace(self) -> Workspace | None:
        """The connection of the page now seen."""
        return None if self._tabs.current is None else self.workspace_of(self._tabs.current)

    def workspace_of(self, page: QWidget) -> Workspace | None:
        """The connection of a page; None while it is not open."""
        key = self._homes.get(page)
        return None if key is None else self._sessions.workspace(key)

    @property
    def current_place(self) -> Place | None:
        """The table, or index, or table's details now seen."""
        place = None if self._tabs.current is None else self.place_of(self._tabs.current)
        return place if place is not None and place.table else None

    @property
    def current_page(self) -> QWidget | None:
        return self._tabs.current

    def place_of(self, page: QWidget) -> Place | None:
        return self._places.get(page)

    def has_pages(self, key: str) -> bool:
        return key in self._homes.values()

    def open_page(self, page: QWidget, workspace: Workspace) -> None:
        key = self._sessions.key_of(workspace)
        if key is None:  # closed while the page was being made
            self._forget(page)
            page.deleteLater()
            return
        self._homes[page] = key
        self._tabs.open_page(page)
        self._tabs.set_home(page, workspace.profile.title)

    def _open_next(self, page: QWidget, workspace: Workspace) -> None:
        QTimer.singleShot(0, self, partial(self.open_page, page, workspace))

    def _show(self, page: QWidget) -> None:
        if page in self._tabs.pages:  # else it comes with the next turn
            self._tabs.show_page(page)

    def unfinished(self, key: str) -> str:
        """What would be lost with the pages of a connection; "": nothing."""
        pages = [page for page, home in self._homes.items() if home == key]
        return next((lost for page in pages if isinstance(page, Unfinished) and (lost := page.unfinished)), "")

    def close_pages(self, key: str) -> None:
        for page in [page for page, home in self._homes.items() if home == key]:
            self._tabs.close_page(page)

    # -- tables

    def open_place(self, place: Place) -> None:
        """A table or index: the tab that shows it, or a new one."""
        if not self._show_place(place):
            self.open_in_new_tab(place)

    def open_in_new_tab(self, place: Place) -> None:
        if place.table:
            of = Place("table", place.connection, place.table) if place.kind == "details" else place
            self._sessions.with_table(of.connection, of.table, partial(self._open_table, of))

    def show_table(self, workspace: Workspace, table: str, then: Callable[[QWidget], object]) -> None:
        key = self._sessions.key_of(workspace)
        if key is None:
            return
        place = Place("table", key, table)
        page = self._page_of(place)
        if page is None:
            self._sessions.with_table(key, table, partial(self._open_prepared, place, then))
            return
        self._hand(page, then)
        self._show(page)

    def _hand(self, page: QWidget, then: Callable[[QWidget], object]) -> None:
        """At once, or when the page that a held one stands for is there."""
        if page in self._held:
            self._held[page].append(then)
        else:
            then(page)

    def _open_prepared(
        self, place: Place, then: Callable[[QWidget], object], workspace: Workspace, table: TableInfo
    ) -> None:
        page = self._pages.table(workspace, table, None)
        then(page)  # before it is shown: a page that is shown with nothing to do reads its first items
        self._add(place, page, workspace)

    def open_details(self, key: str, table: str) -> None:
        """What is known of a table: its tab, or a new one."""
        place, workspace = Place("details", key, table), self._sessions.workspace(key)
        if workspace is not None and not self._show_place(place):
            self._add(place, self._pages.details(workspace, table), workspace)

    @Slot(str, object)
    def _mark_gone(self, key: str, names: tuple[str, ...]) -> None:
        """Says on the pages of tables that are not there any more that what they show was read before."""
        listed = frozenset(names)
        known = self._known.setdefault(key, set())  # others were opened by name, and may never be listed
        known |= listed
        for page, place in self._places.items():
            if place.connection == key and page in self._tabs.pages:
                gone = f"{place.table} is not there any more: what is shown was read before it was deleted."
                self._tabs.set_note(page, gone if place.table in known - listed else "")

    def open_sandbox_table(self) -> None:
        self._sessions.with_table(SANDBOX, self._shell.sandbox_table, self._open_start)

    def _open_table(self, place: Place, workspace: Workspace, table: TableInfo) -> None:
        named = replace(place, table=table.name)  # which may have been asked for by its ARN
        if named == place or not self._show_place(named):
            self._add(named, self._pages.table(workspace, table, place.index), workspace)

    def _open_start(self, workspace: Workspace, table: TableInfo) -> None:
        place = Place("table", SANDBOX, table.name)
        if not self._show_place(place):
            self._add(place, self._pages.sandbox_start(workspace, table), workspace)

    def _add(self, place: Place, page: QWidget, workspace: Workspace) -> None:
        self._places[page] = place
        self._open_next(page, workspace)

    def _show_place(self, place: Place) -> bool:
        page = self._page_of(place)
        if page is not None:
            self._show(page)
        return page is not None

    def _page_of(self, place: Place) -> QWidget | None:
        return next((page for page, shown in self._places.items() if shown == place), None)

    # -- pages of an earlier run

    def hold(self, page: QWidget, place: Place) -> None:
        """A tab, behind the others, that stands for `place` until `settle` puts its page there."""
        self._homes[page], self._places[page] = place.connection, place
        self._held[page] = []
        self._tabs.open_behind(page)

    def settle(
        self, held: QWidget, then: Callable[[QWidget], object], failed: Callable[[BaseException], object]
    ) -> None:
        """Make the page that a held one stands for, in the connection that is open now, hand it to `then`, show it.

        `failed` gets the error where its table cannot be described.
        """
        place = self._places[held]
        workspace = self._sessions.workspace(place.connection)
        if workspace is None:
            return
        put = partial(self._put, held, then)
        match place.kind:
            case "table" | "index":
                self._sessions.with_table(place.connection, place.table, partial(self._put_table, held, then), failed)
            case "details":
                put(self._pages.details(workspace, place.table))
            case "sql":
                put(self._pages.sql(workspace))
            case "partiql":
                put(self._pages.partiql(workspace))
            case "request":
                put(self._pages.compose(workspace))
            case "rules":
                put(self._pages.reconcile(workspace, Path(place.file)))

    def _put_table(
        self, held: QWidget, then: Callable[[QWidget], object], workspace: Workspace, table: TableInfo
    ) -> None:
        place = self._places.get(held)
        if place is not None:  # else its tab was closed
            self._put(held, then, self._pages.table(workspace, table, place.index))

    def _put(self, held: QWidget, then: Callable[[QWidget], object], page: QWidget) -> None:
        then(page)
        for wish in self._held.pop(held, ()):
            wish(page)
        self._homes[page], self._places[page] = self._homes[held], self._places[held]
        self._tabs.replace(held, page)
        workspace = self.workspace_of(page)
        self._tabs.set_home(page, "" if workspace is None else workspace.profile.title)
        self._forget(held)

    # -- rules

    def open_sandbox_rules(self, workspace: Workspace) -> None:
        self.open_rules(workspace, self._shell.sandbox_rules)

    def open_rules(self, workspace: Workspace, rules: Path) -> None:
        key = self._sessions.key_of(workspace)
        if key is not None:
            self._add(Place("rules", key, file=str(rules)), self._pages.reconcile(workspace, rules), workspace)

    # -- SQL

    def open_sql(self, workspace: Workspace, load: str = "") -> None:
        """The connection's page of SQL, asked to load a table where one is named."""
        key = self._sessions.key_of(workspace)
        if key is None:
            return
        place = Place("sql", key)
        page = self._page_of(place)
        if page is None:
            page = self._pages.sql(workspace)
            self._add(place, page, workspace)
        else:
            self._show(page)
        if load:
            self._hand(page, partial(_load, load))

    # -- composed requests

    def open_request(self, workspace: Workspace, then: Callable[[QWidget], object]) -> None:
        """A new page for a request, handed to `then` before it is seen."""
        key = self._sessions.key_of(workspace)
        if key is not None:
            page = self._pages.compose(workspace)
            then(page)
            self._add(Place("request", key), page, workspace)

    # -- PartiQL and what was asked before

    def show_partiql(self, workspace: Workspace, then: Callable[[QWidget], object]) -> None:
        """The connection's page of PartiQL, handed to `then` before it is seen."""
        key = self._sessions.key_of(workspace)
        if key is None:
            return
        place = Place("partiql", key)
        page = self._page_of(place)
        if page is None:
            page = self._pages.partiql(workspace)
            then(page)
            self._add(place, page, workspace)
        else:
            self._hand(page, then)
            self._show(page)

    def open_queries(self, workspace: Workspace, window: QWidget, *, save: bool = False) -> None:
        """The queries of the connection; with `save`, what the current page asks for is to be named."""
        page: object = self._tabs.current
        draft = page.query if save and isinstance(page, Asks) else None
        self._pages.queries(workspace, draft, window)

    def open_lesson(self, workspace: Workspace) -> None:
        self._pages.lesson(workspace)

    @Slot(object)
    def _forget(self, page: QWidget) -> None:
        self._homes.pop(page, None)
        self._places.pop(page, None)
        self._held.pop(page, None)


def _load(table: str, page: QWidget) -> None:
    if isinstance(page, LoadsTables):
        page.load_table(table)
