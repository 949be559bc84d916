"""What is done with tables as a whole from the window: details, making and deleting them, opening one by its name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from dynodesk.domain.past_runs import account_of
from dynodesk.domain.policies import TableScope
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.ui import actions as act
from dynodesk.ui.models.table_tree import Place
from dynodesk.ui.opener import PageOpener
from dynodesk.ui.sessions import Sessions
from dynodesk.ui.shell import ComposesRequests, Pages, ShowsItems, Workspace
from dynodesk.ui.widgets.navigator import Navigator


class TableDesk(QObject):
    """Carries out its actions on the table selected at the left, or on that of the current tab."""

    def __init__(
        self, pages: Pages, sessions: Sessions, navigator: Navigator, opener: PageOpener, window: QWidget
    ) -> None:
        super().__init__(window)
        self._pages, self._sessions, self._navigator, self._opener = pages, sessions, navigator, opener
        self._window = window
        self.details = act.make(act.TABLE_DETAILS, window, self._open_details)
        self.permissions = act.make(act.PERMISSIONS, window, self._open_permissions)
        self.open_named = act.make(act.OPEN_NAMED, window, self._ask_name)
        self.request = act.make(act.NEW_REQUEST, window, self._open_request)
        self.create = act.make(act.CREATE_TABLE, window, self._create)
        self.delete = act.make(act.DELETE_TABLE, window, self._delete)

    @property
    def actions(self) -> tuple[QAction, ...]:
        """In the order of menus."""
        return (self.details, self.permissions, self.open_named, self.request, self.create, self.delete)

    def update(self) -> None:
        """Enables what can be done, and says of the rest why it cannot."""
        place, workspace = self._place, self._workspace
        no_table = "" if place is not None and place.table else "Select a table first."
        no_connection = "" if workspace is not None else "Open a connection first."
        read_only = "" if workspace is None else workspace.access.setting_refusal
        for action, of, refusal in (
            (self.details, act.TABLE_DETAILS, no_connection or no_table),
            (self.permissions, act.PERMISSIONS, no_connection or no_table),
            (self.open_named, act.OPEN_NAMED, no_connection),
            (self.request, act.NEW_REQUEST, no_connection),
            (self.create, act.CREATE_TABLE, no_connection or read_only),
            (self.delete, act.DELETE_TABLE, no_connection or read_only or no_table),
        ):
            action.setToolTip(refusal or f"{of.tip} {of.shortcut}".strip())
            action.setEnabled(not refusal)

    @property
    def _place(self) -> Place | None:
        return self._navigator.current or self._opener.current_place

    @property
    def _workspace(self) -> Workspace | None:
        place = self._place
        return None if place is None else self._sessions.workspace(place.connection)

    def _open_details(self) -> None:
        place = self._place
        if place is not None and place.table:
            self._opener.open_details(place.connection, place.table)

    def _open_permissions(self) -> None:
        """Also for a table that may not be described: permissions are what is missing then."""
        place, workspace = self._place, self._workspace
        if place is not None and workspace is not None and place.table:
            without = partial(self._show_permissions_without, workspace, place.table)
            self._sessions.with_table(place.connection, place.table, self._show_permissions, without)

    def _show_permissions(self, workspace: Workspace, info: TableInfo) -> None:
        scope = TableScope.of(info, workspace.region, account_of(workspace.identity))
        self._show_policy(workspace, info.name, scope)

    def _show_permissions_without(self, workspace: Workspace, table: str, _error: BaseException) -> None:
        self._show_policy(workspace, table, TableScope.named(table, workspace.region, account_of(workspace.identity)))

    def _show_policy(self, workspace: Workspace, table: str, scope: TableScope) -> None:
        from dynodesk.ui.dialogs.policy import PolicyDialog  # noqa: PLC0415  (seldom asked for)

        PolicyDialog(table, scope, "edit" if workspace.access.may_write else "browse", self._window).open()

    def _ask_name(self) -> None:
        self._navigator.ask_name()

    def _open_request(self) -> None:
        """For the table, where there is one."""
        place, workspace = self._place, self._workspace
        if place is not None and place.table:
            self._sessions.with_table(place.connection, place.table, self._open_request_for)
        elif workspace is not None:
            self._opener.open_request(workspace, QWidget.setFocus)

    def _open_request_for(self, workspace: Workspace, info: TableInfo) -> None:
        page: object = self._opener.current_page
        items = page.whole_items if isinstance(page, ShowsItems) and page.table.name == info.name else ()
        self._opener.open_request(workspace, partial(_begin_with, info, items))

    def _create(self) -> None:
        workspace = self._workspace
        if workspace is not None:
            self._pages.create_table(workspace)

    def _delete(self) -> None:
        """Of the table as it is now: what was described some time ago may be of another one of its name."""
        place = self._place
        if place is not None and place.table:
            self._sessions.with_table_anew(place.connection, place.table, self._ask_to_delete)

    def _ask_to_delete(self, workspace: Workspace, info: TableInfo) -> None:
        self._pages.delete_table(workspace, info)


def _begin_with(table: TableInfo, items: Sequence[Item], page: QWidget) -> None:
    if isinstance(page, ComposesRequests):
        page.set_table(table, items)
