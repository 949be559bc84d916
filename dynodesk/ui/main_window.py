"""The window's frame: menus, connection bar, navigator, tabs, messages, status. It knows no page by name."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QMetaObject, QObject, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QMenuBar, QSizePolicy, QSplitter, QToolButton, QWidget

from dynodesk import __version__
from dynodesk.domain.cells import visible
from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.foreground import foreground
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from dynodesk.store.endings import BadEnding
from dynodesk.ui import actions as act
from dynodesk.ui.access_desk import AccessDesk
from dynodesk.ui.asking import Question
from dynodesk.ui.connection_desk import ConnectionDesk
from dynodesk.ui.dialogs.diagnostics import DiagnosticsDialog
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.memory import WindowMemory
from dynodesk.ui.messages import Message, MessageBar, Offer
from dynodesk.ui.models.table_tree import Place
from dynodesk.ui.opener import PageOpener
from dynodesk.ui.pages.welcome import WelcomePage
from dynodesk.ui.session import TabSession
from dynodesk.ui.sessions import Sessions
from dynodesk.ui.sharing import Sharing
from dynodesk.ui.shell import SANDBOX, Asks, Connections, Shell, Travelling, Unfinished, Workspace
from dynodesk.ui.table_desk import TableDesk
from dynodesk.ui.theme import Choice, SchemeFollower, metrics
from dynodesk.ui.widgets.connection_bar import ConnectionBarSlot
from dynodesk.ui.widgets.controls import tool
from dynodesk.ui.widgets.finder import Entry, Finder
from dynodesk.ui.widgets.layouts import Area, area, column, row
from dynodesk.ui.widgets.navigator import Navigator
from dynodesk.ui.widgets.status import StatusStrip
from dynodesk.ui.widgets.tab_area import TabArea
from dynodesk.ui.widgets.walk import SandboxWalk

log = logging.getLogger(__name__)

RULES_FILES = ("Rules (*.toml)",)


class MainWindow(QMainWindow):
    """Built from a `Shell`; offers itself as the `Frame` of its pages."""

    def __init__(self, shell: Shell, runner: JobRunner, scheme: SchemeFollower) -> None:
        super().__init__()
        self.setWindowTitle("dynodesk")
        self._shell, self._scheme = shell, scheme
        self.runner = runner
        self.asker = shell.asker(self)
        self.messages = MessageBar()
        self.sessions = Sessions(shell.connections, runner, self)
        self._memory = WindowMemory(shell.settings)
        self._way: QMetaObject.Connection | None = None
        """Follows the way of the page that is seen."""

        self.navigator = Navigator()
        self.desk = ConnectionDesk(
            shell.connections, self.sessions, self.navigator, runner, self.asker, shell.connect(self), self
        )
        self._make_actions()
        self.welcome = WelcomePage()
        self.walk = SandboxWalk()
        self.tabs = TabArea(self.welcome, act.tool_for(self._new_tab))
        self.tabs.close_asked.connect(self._ask_to_close)
        pages = shell.pages(self)
        self.opener = PageOpener(shell, pages, self.sessions, self.tabs, self)
        self.desk.ask_pages(self.opener.unfinished)
        self.session = TabSession(shell.tabs, self.tabs, self.opener, self.sessions, self.desk, runner, self)
        self.tables = TableDesk(pages, self.sessions, self.navigator, self.opener, self)
        self.navigator.set_tools(self._connect_menu_tool(), act.tool_for(self._refresh), act.tool_for(self._collapse))
        kept = act.tool_for(self._queries)
        kept.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.navigator.set_foot(kept)
        self.finder = Finder(self._findable, self)
        self.status = StatusStrip(self.sessions.consumed)
        self.access = AccessDesk(self.sessions, self._workspace_in_use, self.desk.ask_change_of, self.messages, self)
        self.sharing = Sharing(shell.connections, self.desk, runner, self.asker, self.messages, self)
        self._connection_bar = ConnectionBarSlot(self.access.allow_action, self.access.end_action)
        self._make_menus()
        self._arrange()
        self._listen()
        self._memory.restore(self, self._splitter, self.walk)
        self._page_shown(None)

    def action(self, action: act.Action) -> QAction:
        """The live object of one of the frame's actions."""
        return next(made for made in self.actions() if made.objectName() == action.id)

    # -- building

    def _make_actions(self) -> None:
        make = act.make
        self._open_sandbox = make(act.OPEN_SANDBOX, self, self.open_sandbox)
        self._connect_aws = make(act.CONNECT_AWS, self, self.desk.ask_aws)
        self._connect_endpoint = make(act.CONNECT_ENDPOINT, self, self.desk.ask_endpoint)
        self._open_table = make(act.OPEN_TABLE, self, self._open_current)
        self._new_tab = make(act.NEW_TAB, self, self._open_again)
        self._close_tab = make(act.CLOSE_TAB, self, self._close_current)
        self._reconcile = make(act.RECONCILE, self, self._ask_rules)
        self._sql = make(act.SQL, self, self._open_sql)
        self._load_into_sql = make(act.LOAD_INTO_SQL, self, self._load_table_into_sql)
        self._partiql = make(act.PARTIQL, self, self._open_partiql)
        self._queries = make(act.QUERIES, self, self._open_queries)
        self._save_query = make(act.SAVE_QUERY, self, self._open_query_to_save)
        self._refresh = make(act.REFRESH_TABLES, self, self.desk.refresh_selected)
        self._sign_in = make(act.SIGN_IN_AGAIN, self, self.desk.sign_in_selected)
        self._disconnect = make(act.DISCONNECT, self, self.desk.close_selected)
        self._change = make(act.CHANGE, self, self.desk.ask_change)
        self._forget = make(act.FORGET, self, self.desk.ask_forget)
        self._back = make(act.BACK, self, self._go_back)
        self._forward = make(act.FORWARD, self, self._go_forward)
        self._find = make(act.FIND, self, self._open_finder)
        self._filter_tables = make(act.FILTER_TABLES, self, self._focus_filter)
        self._collapse = make(act.COLLAPSE, self, self._collapse_tree)
        self._stop = make(act.STOP, self, self._stop_job)
        self._walk_action = make(act.WALK, self, self._toggle_walk)
        self._lesson = make(act.LESSON, self, self._open_lesson)
        self._diagnostics = make(act.DIAGNOSTICS, self, self._show_diagnostics)
        self._about = make(act.ABOUT, self, self._show_about)
        self._quit = make(act.QUIT, self, self.close)
        self._scheme_actions: dict[Choice, QAction] = {
            "system": make(act.FOLLOW_SYSTEM, self, self._choose_scheme),
            "light": make(act.LIGHT_SCHEME, self, self._choose_scheme),
            "dark": make(act.DARK_SCHEME, self, self._choose_scheme),
        }
        group = QActionGroup(self)
        for action in self._scheme_actions.values():
            action.setCheckable(True)
            group.addAction(action)
        self._scheme_actions[self._scheme.choice].setChecked(True)

    def _connect_menu_tool(self) -> QToolButton:
        made = tool("add", "New connection")
        menu = QMenu(made)
        menu.addActions((self._connect_aws, self._connect_endpoint))
        made.setMenu(menu)
        made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return made

    def _make_menus(self) -> None:
        self._menus = QMenuBar()
        self._menus.setAccessibleName("Menus")
        self._menus.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        connect = (self._open_sandbox, self._connect_aws, self._connect_endpoint)
        of_connection = (
            *(self._refresh, self._sign_in, self.access.allow_action, self.access.end_action),
            *(self._disconnect, self._change, self._forget),
        )
        of_table = (self._open_table, *self.tables.actions, *of_connection)
        shared = (self.sharing.import_action, self.sharing.export_action)
        self._add_menu("&File", *connect, None, *shared, None, self._new_tab, self._close_tab, None, self._quit)
        self._add_menu("&View", *self._scheme_actions.values(), None, self._collapse, self._walk_action)
        self._add_menu("&Go", self._back, self._forward, None, self._find, self._filter_tables)
        self._add_menu(
            "&Table",
            *of_table,
            None,
            self._reconcile,
            self._sql,
            self._load_into_sql,
            None,
            self._partiql,
            self._queries,
            self._save_query,
        )
        self._run_menu = self._add_menu("&Run")
        self._add_menu("&Help", self._walk_action, self._lesson, None, self._diagnostics, self._about)
        self.navigator.set_menu(of_table)

    def _add_menu(self, title: str, *content: QAction | None) -> QMenu:
        menu = self._menus.addMenu(title)
        menu.setToolTipsVisible(True)  # they say why something cannot be done
        for action in content:
            if action is None:
                menu.addSeparator()
            else:
                menu.addAction(action)
        return menu

    def _arrange(self) -> None:
        m = metrics()
        back, forward = act.tool_for(self._back), act.tool_for(self._forward)
        bar = row(self._menus, None, back, forward, self.finder.field, gap=1, margins=(1, 0, 2, 0))
        top = area(bar, "window", "b", m.control + 2 * m.unit + 2)
        self.setMenuWidget(area(column(top, self._connection_bar, gap=0)))
        centre = Area("window")
        pages = column(self.tabs, self.messages, gap=0)
        pages.setStretch(0, 1)
        centre.setLayout(pages)
        self._splitter = QSplitter()
        self._splitter.setChildrenCollapsible(False)
        for widget in (self.navigator, centre, self.walk):
            self._splitter.addWidget(widget)
        self._splitter.setStretchFactor(1, 1)
        self.setCentralWidget(self._splitter)
        self.setStatusBar(self.status)

    def _listen(self) -> None:
        self.runner.started.connect(self._job_started)
        self.messages.offer_for = self._offer_for
        self.runner.error_raised.connect(self.messages.show_error)
        self.runner.error_settled.connect(self.messages.take_back)
        self.welcome.sandbox_asked.connect(self.open_sandbox)
        self.welcome.aws_asked.connect(self.desk.ask_aws)
        self.welcome.endpoint_asked.connect(self.desk.ask_endpoint)
        self.walk.sandbox_asked.connect(self.open_sandbox)
        self.walk.step_asked.connect(self._walk_to)
        self.walk.hidden_asked.connect(self._walk_action.trigger)
        self.tabs.current_changed.connect(self._page_shown)
        self.navigator.place_opened.connect(self._open_place)
        self.navigator.place_changed.connect(self._update_actions)
        self.sessions.closed.connect(self._closed)
        self.sessions.opened.connect(self._ask_for_keys)
        self.sessions.listed.connect(self._listed)
        self.sessions.signed_in.connect(self._signed_in)
        self.desk.changed.connect(self._update_frame)
        self.access.changed.connect(self._show_access)
        self.desk.loaded.connect(self._tell_of_connections)
        self.session.begun.connect(self._tell_of_tabs)
        self.desk.failed.connect(self.messages.show_error)

    def start(self) -> None:
        """Reads what the first page tells. Call once the window is shown: it imports the heavy libraries."""
        self.welcome.setFocus()
        if self._shell.settings.notice:
            self.messages.notice("Settings", self._shell.settings.notice, "warning")
        connections = self._shell.connections
        self.desk.load()
        self.runner.start(partial(_keyring, connections), title="Look for a keyring", done=self.welcome.show_keyring)

    @Slot()
    def _tell_of_connections(self) -> None:
        if self._shell.connections.notice:
            self.messages.notice("Connections", self._shell.connections.notice, "warning")

    @Slot()
    def _tell_of_tabs(self) -> None:
        if self._shell.tabs.notice:
            self.messages.notice("Open tabs", self._shell.tabs.notice, "warning")

    # -- Qt's own calls

    def event(self, event: QEvent) -> bool:
        """All that the window paints, and lays out, is painted within these two."""
        if event.type() not in (QEvent.Type.UpdateRequest, QEvent.Type.LayoutRequest):
            return super().event(event)
        with foreground:
            return super().event(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._memory.remember(self, self._splitter, self.walk, self._scheme.choice)
        if not self.runner.shutdown():
            log.warning("Work in the background did not stop in time.")
        self.sessions.close_all()
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.finder.fold()

    # -- connections

    def open_sandbox(self) -> None:
        if self.sessions.workspace(SANDBOX) is None:
            self.sessions.open_sandbox()
        else:
            self.opener.open_sandbox_table()

    @Slot(str)
    def _ask_for_keys(self, key: str) -> None:
        workspace = self.sessions.workspace(key)
        if workspace is not None and workspace.profile.secret:
            work = partial(_keys_note, self._shell.connections, workspace.profile)
            self.runner.start(work, title="Look for the keys", done=self._tell_of_keys)

    def _tell_of_keys(self, note: str) -> None:
        if note:
            self.messages.notice("Keys for this session only", note, "warning")

    @Slot(str)
    def _closed(self, key: str) -> None:
        self.opener.close_pages(key)

    def _offer_for(self, error: BaseException) -> Offer | None:
        """Where a login has ended: to sign in to just that connection, whichever is selected."""
        key = error.connection if isinstance(error, CredentialsRefused) else ""
        return Offer("Sign in again", partial(self.sessions.sign_in_again, key)) if key else None

    @Slot(str)
    def _signed_in(self, key: str) -> None:
        workspace = self.sessions.workspace(key)
        if workspace is not None:
            line = f"{workspace.profile.name} has new credentials. What failed for want of them can be tried again."
            self.messages.notice("Signed in", line)

    @Slot(str, object)
    def _listed(self, key: str, _names: tuple[str, ...]) -> None:
        if key == SANDBOX and not self.opener.has_pages(key):
            self.opener.open_sandbox_table()
        elif (focus := QApplication.focusWidget()) is not None and self.welcome.isAncestorOf(focus):
            self.navigator.offer_tables(key)  # nothing is open yet: choosing a table is what comes next

    # -- pages

    def open_page(self, page: QWidget, workspace: Workspace) -> None:
        self.opener.open_page(page, workspace)

    def show_table(self, workspace: Workspace, table: str, then: Callable[[QWidget], object]) -> None:
        self.opener.show_table(workspace, table, then)

    def open_table(self, workspace: Workspace, table: str, index: str | None) -> None:
        key = self.sessions.key_of(workspace)
        if key is not None:
            self.opener.open_place(Place("index" if index else "table", key, table, index))

    def tables_changed(self, workspace: Workspace) -> None:
        self.sessions.refresh(self.sessions.key_of(workspace) or "")

    @Slot(object)
    def _open_place(self, place: Place) -> None:
        if place.kind == "connection":
            self.desk.open(place.connection)
        else:
            self.opener.open_place(place)

    def _open_current(self) -> None:
        if self.navigator.current is not None:
            self._open_place(self.navigator.current)

    def _open_again(self) -> None:
        place = self._place_for_new_tab()
        if place is not None:
            self.opener.open_in_new_tab(place)

    def _place_for_new_tab(self) -> Place | None:
        return self.opener.current_place or self.navigator.current

    def _close_current(self) -> None:
        if self.tabs.current is not None:
            self._ask_to_close(self.tabs.current)

    @Slot(object)
    def _ask_to_close(self, page: QWidget) -> None:
        lost = page.unfinished if isinstance(page, Unfinished) else ""
        if lost:
            question = Question("Close the tab", lost, "Close", danger=True)
            self.asker.confirm(question, partial(self._close_page, page))
        else:
            self._close_page(page)

    def _close_page(self, page: QWidget) -> None:
        if page in self.tabs.pages:
            self.tabs.close_page(page)

    def _ask_rules(self) -> None:
        workspace = self._workspace_in_use()
        if workspace is None:
            return
        if self.sessions.key_of(workspace) == SANDBOX:
            self.opener.open_sandbox_rules(workspace)
        else:
            self.asker.open_file("Rules file", RULES_FILES, partial(self.opener.open_rules, workspace))

    def _open_sql(self) -> None:
        workspace = self._workspace_in_use()
        if workspace is not None:
            self.opener.open_sql(workspace)

    def _load_table_into_sql(self) -> None:
        place = self._place_for_new_tab()
        workspace = None if place is None else self.sessions.workspace(place.connection)
        if place is not None and workspace is not None:
            self.opener.open_sql(workspace, load=place.table)

    def open_request(self, workspace: Workspace, then: Callable[[QWidget], object]) -> None:
        self.opener.open_request(workspace, then)

    def show_partiql(self, workspace: Workspace, then: Callable[[QWidget], object]) -> None:
        self.opener.show_partiql(workspace, then)

    def _open_partiql(self) -> None:
        workspace = self._workspace_in_use()
        if workspace is not None:
            self.opener.show_partiql(workspace, QWidget.setFocus)

    def _open_queries(self) -> None:
        workspace = self._workspace_in_use()
        if workspace is not None:
            self.opener.open_queries(workspace, self)

    def _open_query_to_save(self) -> None:
        workspace = self.opener.current_workspace
        if workspace is not None:
            self.opener.open_queries(workspace, self, save=True)

    def _open_lesson(self) -> None:
        workspace = self._sandbox_in_use()
        if workspace is not None:
            self.opener.open_lesson(workspace)

    def _sandbox_in_use(self) -> Workspace | None:
        """The sandbox, while it is the connection in use."""
        workspace = self._workspace_in_use()
        return workspace if workspace is not None and self.sessions.key_of(workspace) == SANDBOX else None

    def _workspace_in_use(self) -> Workspace | None:
        """The current tab's connection, or the one selected at the left."""
        place = self.navigator.current
        return self.opener.current_workspace or (self.sessions.workspace(place.connection) if place else None)

    # -- the frame follows

    @Slot(object)
    def _page_shown(self, page: QWidget | None) -> None:
        workspace = self.opener.current_workspace
        self._connection_bar.show_connection(workspace)
        self.setWindowTitle(window_title(workspace))
        place = self.opener.current_place
        if place is not None:
            self.navigator.select_table(place.connection, place.table)
        for action in self._run_menu.actions():
            self._run_menu.removeAction(action)  # `clear` would end those that nobody but their page holds
        self._run_menu.addActions([] if page is None else page.actions())
        self._run_menu.addAction(self._stop)
        if self._way is not None:
            QObject.disconnect(self._way)
        shown: object = page
        self._way = shown.way_changed.connect(self._update_actions) if isinstance(shown, Travelling) else None
        self._update_frame()

    def _update_frame(self) -> None:
        """The navigator comes with the first connection: before, there is nothing to navigate."""
        self.navigator.setVisible(self.desk.has_any)
        self.walk.set_sandbox_open(self.sessions.workspace(SANDBOX) is not None)
        self._update_actions()

    @Slot()
    def _update_actions(self) -> None:
        place = self.navigator.current
        is_open = self.desk.selected_is_open
        self._open_sandbox.setEnabled(not self.sessions.is_opening(SANDBOX))
        self._open_table.setEnabled(place is not None and place.kind != "tables")
        self.tables.update()
        self._show_access()
        self._refresh.setEnabled(is_open)
        self._sign_in.setEnabled(self.desk.can_sign_in)
        self._disconnect.setEnabled(is_open)
        self._change.setEnabled(self.desk.can_change)
        self._forget.setEnabled(self.desk.selected_profile is not None)
        again = self._place_for_new_tab()
        for action in (self._new_tab, self._load_into_sql):
            action.setEnabled(again is not None and bool(again.table))
        self._close_tab.setEnabled(self.tabs.current is not None)
        for action in (self._reconcile, self._sql, self._partiql, self._queries):
            action.setEnabled(self._workspace_in_use() is not None)
        teaches = self._sandbox_in_use() is not None
        self._lesson.setEnabled(teaches)
        self._lesson.setToolTip(act.LESSON.tip if teaches else "Open the sandbox first, or choose it at the left.")
        self._save_query.setEnabled(isinstance(self.tabs.current, Asks))
        page: object = self.tabs.current
        for way, step, beyond in (
            (self._back, -1, self.tabs.can_go_back),
            (self._forward, 1, self.tabs.can_go_forward),
        ):
            way.setEnabled(beyond or (isinstance(page, Travelling) and page.can_travel(step)))
        self._stop.setEnabled(bool(self.status.jobs))

    @Slot()
    def _show_access(self) -> None:
        workspace = self.opener.current_workspace
        self.access.update()
        self._connection_bar.update_access()
        self.status.set_read_only(workspace is not None and not workspace.access.may_write)

    @Slot(object)
    def _job_started(self, job: Job) -> None:
        self.status.follow(job)
        job.ended.connect(self._update_actions)
        self._stop.setEnabled(True)

    # -- small acts

    def _go_back(self) -> None:
        page: object = self.tabs.current
        if not (isinstance(page, Travelling) and page.back()):
            self.tabs.go_back()
        self._update_actions()

    def _go_forward(self) -> None:
        page: object = self.tabs.current
        if not (isinstance(page, Travelling) and page.forward()):
            self.tabs.go_forward()
        self._update_actions()

    def _stop_job(self) -> None:
        self.status.stop_last()

    def _collapse_tree(self) -> None:
        self.navigator.tree.collapseAll()

    def _focus_filter(self) -> None:
        self.navigator.field.setFocus()
        self.navigator.field.selectAll()

    def _open_finder(self) -> None:
        self.finder.open()

    def _toggle_walk(self) -> None:
        self.walk.setHidden(not self.walk.isHidden())

    @Slot(str)
    def _walk_to(self, step: str) -> None:
        workspace = self.sessions.workspace(SANDBOX)
        if workspace is not None and step == "look":
            self.opener.open_sandbox_table()
        elif workspace is not None and step == "sure":
            self.opener.open_sandbox_rules(workspace)

    def _choose_scheme(self) -> None:
        for choice, action in self._scheme_actions.items():
            if action.isChecked():
                self._scheme.choose(choice)

    def _show_diagnostics(self) -> None:
        self._open_diagnostics(None)

    def _open_diagnostics(self, ending: BadEnding | None) -> None:
        DiagnosticsDialog(self._collect_diagnostics, self.runner, self, ending).open()

    def _collect_diagnostics(self, more: Sequence[str]) -> str:
        return self._shell.connections.diagnostics(*more)

    def tell_bad_ending(self, ending: BadEnding) -> None:
        """Once, and with what is left of it at hand."""
        why = "It crashed." if ending.stacks else "It was ended from outside."
        line = f"{why} What was staged and typed is kept; the journal has every write."
        show = Offer("Show", partial(self._open_diagnostics, ending))
        self.messages.show_message(Message("warning", "dynodesk did not end properly the last time", line, offer=show))

    def _show_about(self) -> None:
        self.messages.notice(
            f"dynodesk {__version__}", "Made with Qt for Python (LGPL) and the Codicons icons by Microsoft (CC BY 4.0)."
        )

    def _findable(self) -> Iterator[Entry]:
        """The page's own actions first, then the frame's, open tabs, tables."""
        page = self.tabs.current
        for action in [*(page.actions() if page else []), *self.actions()]:
            if action.isEnabled() and action is not self._find:
                keys = action.shortcut().toString()
                yield Entry(action.text().rstrip("…"), keys, str(action.property("glyph") or ""), action.trigger)
        for tab in self.tabs.pages:
            note = self._found_at("tab", self.opener.workspace_of(tab))
            yield Entry(tab.windowTitle(), note, "window", partial(self.tabs.show_page, tab))
        open_ones = self.sessions.keys()
        notes = {key: self._found_at("table", self.sessions.workspace(key)) for key in open_ones}
        for key, name in self.sessions.tables():
            yield Entry(name, notes[key], "table", partial(self._open_place, Place("table", key, name)))

    def _found_at(self, what: str, workspace: Workspace | None) -> str:
        """Two connections may have tables, and tabs, of the same name."""
        if workspace is None or len(self.sessions.keys()) == 1:
            return what
        return f"{what} · {workspace.profile.title}"


def window_title(workspace: Workspace | None) -> str:
    """Tells windows apart where only their titles are seen: the name, and production by its word."""
    if workspace is None:
        return "dynodesk"
    return f"{visible(workspace.profile.title)} - dynodesk"


def _keys_note(connections: Connections, profile: Profile, _ticket: Ticket) -> str:
    return connections.keys_note(profile)


def _keyring(connections: Connections, _ticket: Ticket) -> str:
    return connections.keyring_state()
