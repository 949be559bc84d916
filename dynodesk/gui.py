"""The window's entry: application, look, hooks; and the one place that knows what each page is made of."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from PySide6.QtCore import QObject, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from dynodesk.domain.profiles import Kind, Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.queries import Query
from dynodesk.domain.reads import ReadPlan
from dynodesk.domain.repairs import Place as RecordedPlace
from dynodesk.domain.statements import Select
from dynodesk.domain.table_changes import TableChange
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Item, String
from dynodesk.store.endings import BadEnding, noted
from dynodesk.store.paths import folders
from dynodesk.ui import theme
from dynodesk.ui.asking import DialogAsker
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.memory import TableColumns, TableTypes
from dynodesk.ui.messages import Message
from dynodesk.ui.query_shelf import QueryShelf
from dynodesk.ui.shell import Connect, Frame, Pages, Shell, Workspace
from dynodesk.ui.staging import Staging, Stagings
from dynodesk.ui.uncaught import UncaughtErrors, qt_messages
from dynodesk.ui.widgets.marks import draw_tally_mark
from dynodesk.wiring import (
    Connections,
    edit_desk,
    open_journal,
    rehearsal_desk,
    repair_desk,
    repairing,
    request_desk,
    table_hands,
)
from dynodesk.wiring import Workspace as OpenWorkspace

if TYPE_CHECKING:
    from dynodesk.composing.rehearsal import Rehearsal
    from dynodesk.domain.actions import ActionKind, SingleWrite, TransactWrite
    from dynodesk.domain.drafts import Draft
    from dynodesk.ui.dialogs.commit_work import EditTools
    from dynodesk.ui.dialogs.journal_door import JournalDoor
    from dynodesk.ui.dialogs.repair_work import RepairTools
    from dynodesk.ui.dialogs.table_change import TableChangeDialog, TableTools
    from dynodesk.ui.pages.browse import BrowsePage
    from dynodesk.ui.pages.compose_run import ComposeTools

THREADS = 8
"""Jobs mostly wait for the network; each connection limits its own requests."""
SWITCH_INTERVAL = 0.0005
"""Seconds a job's thread may keep the interpreter from the window's. Python's own is 5 ms; opening a page makes
hundreds of calls into Qt, and may wait at each."""
NO_DISPLAY = 3
CHECK_SECONDS = 45
SANDBOX_TABLE = "Social"
POST = {"PK": String("POST#a91f")}
"""Where the sandbox walk begins: a post whose likes were counted wrongly."""


def run(*, open_sandbox: bool, check: bool) -> int:
    """Open the window and stay until it is closed: 0, or 3 where there is no display.

    With `check`: open the sandbox and its first table, then close; 1, with the reason on stderr, if that fails.
    """
    if sys.platform == "linux" and not _has_display():
        sys.stderr.write("dynodesk: no display to open a window on. The commands work without: dynodesk --help\n")
        return NO_DISPLAY
    with noted(folders().state / "runs") as endings, qt_messages():
        return _run(endings, open_sandbox=open_sandbox, check=check)


def _run(endings: Sequence[BadEnding], *, open_sandbox: bool, check: bool) -> int:
    app = QApplication(sys.argv[:1])
    app.setApplicationName("dynodesk")
    app.setDesktopFileName("dynodesk")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Qt's loop never runs Python's own handler
    uncaught = UncaughtErrors(app)
    connections = Connections()
    connections.settings.load()
    scheme = theme.SchemeFollower(app, _choice(connections.settings.get("scheme", str, "system")))
    theme.apply(app, scheme.tokens)
    app.setWindowIcon(_window_icon())
    runner = JobRunner(THREADS, app)
    window = MainWindow(_shell(connections, runner), runner, scheme)
    uncaught.raised.connect(window.messages.show_error)
    checking = _Check(window) if check else None
    if not check:
        window.desk.loaded.connect(window.session.begin)
    window.show()
    # A full collection walks every row that is loaded: it stopped the window for a second at 100,000 rows. What the
    # program itself is made of stays for good and is left out; the rest is collected less often.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    # Qt gives up the interpreter at almost every call, and takes it back only when a working job lets go of it.
    sys.setswitchinterval(SWITCH_INTERVAL)
    # Everything below runs in the event loop, after the first paint. The first jobs load the pages, boto3, the keyring.
    QTimer.singleShot(0, window, partial(_let_ask, connections, window))
    QTimer.singleShot(0, window, window.start)
    for ending in endings[-1:]:  # of several, the others were the same or are long past
        QTimer.singleShot(0, window, partial(window.tell_bad_ending, ending))
    QTimer.singleShot(0, runner, partial(runner.start, _load_pages, title="Load the pages", done=_nothing))
    if open_sandbox or check:
        QTimer.singleShot(0, window, window.open_sandbox)
    status = app.exec()
    uncaught.restore()
    return status if checking is None else checking.status


def _has_display() -> bool:
    asked = os.environ.get("QT_QPA_PLATFORM", "")
    if asked and not asked.startswith(("xcb", "wayland")):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _choice(saved: str) -> theme.Choice:
    return cast(theme.Choice, saved) if saved in get_args(theme.Choice) else "system"


def _window_icon() -> QIcon:
    icon = QIcon()
    for side in (16, 24, 32, 48, 64, 128, 256):
        picture = QPixmap(side, side)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        draw_tally_mark(painter, QRectF(0, 0, side, side))
        painter.end()
        icon.addPixmap(picture)
    return icon


def _shell(connections: Connections, runner: JobRunner) -> Shell:
    return Shell(
        connections=connections,
        settings=connections.settings,
        tabs=connections.tabs,
        pages=partial(_pages, connections),
        connect=partial(_connect, connections, runner),
        asker=DialogAsker,
        sandbox_table=SANDBOX_TABLE,
        sandbox_rules=Path(str(resources.files("dynodesk_resources") / "rules" / "social.toml")),
    )


# What a page or dialog is made of is imported with the first of its kind, unless `_load_pages` has been there before:
# importing all of it before the first paint would take twice as long as all the rest.


def _load_pages(ticket: Ticket) -> None:
    for name in ("browse", "browse_changes", "reconcile", "sql", "partiql", "compose"):
        ticket.checkpoint()
        import_module(f"dynodesk.ui.pages.{name}")


def _nothing(_: None) -> None:
    """What is loaded is there."""


def _let_ask(connections: Connections, window: QWidget) -> None:
    from dynodesk.ui.sign_in_desk import SignInDesk  # noqa: PLC0415  (see above)

    connections.ask_with(SignInDesk(window))


def _connect(connections: Connections, runner: JobRunner, window: QWidget) -> Connect:
    def ask(kind: Kind, then: Callable[[Profile], object], /, *, change: Profile | None = None) -> None:
        from dynodesk.ui.dialogs.connect import connect_from  # noqa: PLC0415  (see above)

        connect_from(connections, runner, window)(kind, then, change=change)

    return ask


def _pages(connections: Connections, frame: Frame) -> Pages:
    columns = TableColumns(connections.settings, frame.runner)
    types = TableTypes(connections.settings, frame.runner)
    shelves: dict[str, QueryShelf] = {}
    stagings = Stagings(connections.staged, frame.runner)
    rules_read: dict[str, tuple[TallyRule, ...]] = {}

    def shelf(workspace: Workspace) -> QueryShelf:
        profile = workspace.profile
        if profile.id not in shelves:
            shelves[profile.id] = QueryShelf(connections.queries(profile), frame.runner, frame.runner)
        return shelves[profile.id]

    def browse(workspace: Workspace, info: TableInfo, index: str | None = None) -> BrowsePage:
        from dynodesk.ui.pages.browse import BrowsePage  # noqa: PLC0415  (see above)

        page = BrowsePage(info, workspace.reader, frame.runner, index, frame.asker)
        columns.serve(page, workspace.profile.id)
        types.serve(page, workspace.profile.id)
        page.ran.connect(shelf(workspace).remember)
        _let_edit(page, frame, workspace, stagings.of(workspace))
        _let_compose(page, frame, workspace)
        return page

    def sandbox_start(workspace: Workspace, info: TableInfo) -> QWidget:
        page = browse(workspace, info)
        page.open_collection(POST, POST | {"SK": String("META")})
        return page

    def reconcile(workspace: Workspace, rules: Path) -> QWidget:
        from dynodesk.ui.pages.reconcile import ReconcilePage  # noqa: PLC0415  (see above)

        open_collection = partial(_open_collection, frame, workspace)
        page = ReconcilePage(
            workspace, rules, frame.runner, frame.asker, frame.messages, open_collection, repair_tools(workspace)
        )
        page.rules_read.connect(partial(rules_read.__setitem__, workspace.profile.id))
        opened = cast(OpenWorkspace, workspace)  # the window has no others than those that `Connections` opened
        page.rules_read.connect(opened.sensitive.add)
        return page

    def sql(workspace: Workspace) -> QWidget:
        from dynodesk.ui.pages.sql import SqlPage  # noqa: PLC0415  (see above)

        open_collection = partial(_open_collection, frame, workspace)
        return SqlPage(workspace, frame.runner, frame.asker, frame.messages, open_collection)

    def partiql(workspace: Workspace) -> QWidget:
        from dynodesk.ui.pages.partiql import PartiqlPage  # noqa: PLC0415  (see above)

        open_collection = partial(_open_collection, frame, workspace)
        page = PartiqlPage(workspace, workspace.new_statement_reader(workspace.meter), frame.runner, open_collection)
        page.ran.connect(shelf(workspace).remember)
        return page

    def compose(workspace: Workspace) -> QWidget:
        staging, of = stagings.of(workspace), workspace.profile.id
        return _compose_page(frame, workspace, staging, lambda: rules_read.get(of, ()))

    def queries(workspace: Workspace, draft: Query | None, window: QWidget) -> None:
        from dynodesk.ui.dialogs.queries import QueriesDialog  # noqa: PLC0415  (see above)

        QueriesDialog(shelf(workspace), partial(_ask_again, frame, workspace), frame.asker, draft, window).open()

    def details(workspace: Workspace, name: str) -> QWidget:
        from dynodesk.ui.pages.table_details import DetailsFrame, TableDetailsPage  # noqa: PLC0415  (see above)

        around = DetailsFrame(partial(frame.open_table, workspace), partial(_tables_changed, frame, workspace))
        return TableDetailsPage(name, table_tools(workspace), frame.runner, around)

    def create_table(workspace: Workspace) -> None:
        from dynodesk.ui.dialogs.create_table import CreateTableDialog  # noqa: PLC0415  (see above)

        _ask_change(CreateTableDialog(table_tools(workspace), frame.runner, frame.window()), frame, workspace)

    def delete_table(workspace: Workspace, info: TableInfo) -> None:
        from dynodesk.ui.dialogs.delete_table import DeleteTableDialog  # noqa: PLC0415  (see above)

        _ask_change(DeleteTableDialog(info, table_tools(workspace), frame.runner, frame.window()), frame, workspace)

    return Pages(
        browse,
        sandbox_start,
        reconcile,
        sql,
        partiql,
        compose,
        queries,
        details,
        create_table,
        delete_table,
        partial(_ask_lesson, frame),
    )


def _ask_lesson(frame: Frame, workspace: Workspace) -> None:
    from dynodesk.composing.lesson import Place  # noqa: PLC0415  (see above)
    from dynodesk.ui.dialogs.lesson import LessonDialog  # noqa: PLC0415

    sender = workspace.new_request_sender(workspace.meter)
    place = Place(workspace.profile, sender, workspace.catalog, workspace.tables)
    LessonDialog(place, frame.runner, frame.window()).open()


def _ask_again(frame: Frame, workspace: Workspace, query: Query) -> None:
    """Fill the form or the editor with a query, and run it."""
    if isinstance(query, Select):
        frame.show_partiql(workspace, partial(_run_select, query))
    else:
        frame.show_table(workspace, query.table, partial(_run_plan, query))


def _run_select(select: Select, page: QWidget) -> None:
    from dynodesk.ui.pages.partiql import PartiqlPage  # noqa: PLC0415  (see above)

    if isinstance(page, PartiqlPage):
        page.set_select(select)
        page.run()


def _run_plan(plan: ReadPlan, page: QWidget) -> None:
    from dynodesk.ui.pages.browse import BrowsePage  # noqa: PLC0415  (see above)

    if isinstance(page, BrowsePage):
        page.run_plan(plan)


def _ask_change(dialog: TableChangeDialog, frame: Frame, workspace: Workspace) -> None:
    for told in (dialog.taken, dialog.settled):
        told.connect(partial(_tables_changed, frame, workspace))
    dialog.show()


def _tables_changed(frame: Frame, workspace: Workspace, _change: TableChange) -> None:
    frame.tables_changed(workspace)


def table_tools(workspace: Workspace) -> TableTools:
    """What tables are looked at and changed with, at their connection."""
    from dynodesk.ui.dialogs.table_change import TableTools  # noqa: PLC0415  (see above)

    opened = cast(OpenWorkspace, workspace)  # the window has no others than those that `Connections` opened
    return TableTools(opened.access, opened.tables, partial(table_hands, opened))


def edit_tools(workspace: Workspace) -> EditTools:
    """What edits are written with, at their connection."""
    from dynodesk.ui.dialogs.commit_work import EditTools  # noqa: PLC0415  (see above)

    opened = cast(OpenWorkspace, workspace)  # the window has no others than those that `Connections` opened
    place = RecordedPlace(opened.identity, opened.endpoint, opened.region)
    return EditTools(opened.access, place, partial(edit_desk, opened), open_journal, opened.meter)


def _compose_page(
    frame: Frame, workspace: Workspace, staging: Staging, rules: Callable[[], Sequence[TallyRule]]
) -> QWidget:
    from dynodesk.ui.pages.compose import ComposePage  # noqa: PLC0415  (see above)

    page = ComposePage(workspace, compose_tools(frame, workspace, rules), frame.runner, frame.asker)
    page.written.connect(partial(staging.settle, ()))
    _journal_door(page, frame, workspace, staging)
    return page


def compose_tools(frame: Frame, workspace: Workspace, rules: Callable[[], Sequence[TallyRule]]) -> ComposeTools:
    """What requests are run with, at their connection."""
    from dynodesk.ui.pages.compose_run import ComposeTools  # noqa: PLC0415  (see above)

    opened = cast(OpenWorkspace, workspace)  # the window has no others than those that `Connections` opened
    place = RecordedPlace(opened.identity, opened.endpoint, opened.region)
    desk = partial(request_desk, opened, opened.meter)
    rehearse = partial(_rehearse, opened)
    return ComposeTools(opened.access, place, desk, rehearse, partial(_open_draft, frame, workspace), rules)


def _rehearse(opened: OpenWorkspace, request: SingleWrite | TransactWrite, ticket: Ticket) -> Rehearsal:
    return rehearsal_desk(opened, opened.meter).rehearse(request, ticket)


def _open_draft(frame: Frame, workspace: Workspace, draft: Draft, name: str) -> None:
    frame.open_request(workspace, partial(_show_draft, draft, name))


def _show_draft(draft: Draft, name: str, page: QWidget) -> None:
    from dynodesk.ui.pages.compose import ComposePage  # noqa: PLC0415  (see above)

    if isinstance(page, ComposePage):
        page.show_draft(draft, name)


def _let_compose(page: BrowsePage, frame: Frame, workspace: Workspace) -> None:
    from dynodesk.ui.pages.compose_door import ComposeDoor  # noqa: PLC0415  (see above)

    ComposeDoor(page, partial(_compose_items, frame, workspace, page.table))


def _compose_items(
    frame: Frame, workspace: Workspace, table: TableInfo, items: Sequence[Item], kind: ActionKind, are_whole: bool, /
) -> None:
    frame.open_request(workspace, partial(_show_items, table, items, kind, are_whole))


def _show_items(table: TableInfo, items: Sequence[Item], kind: ActionKind, are_whole: bool, page: QWidget, /) -> None:
    from dynodesk.ui.pages.compose import ComposePage  # noqa: PLC0415  (see above)

    if isinstance(page, ComposePage):
        page.compose_items(table, items, kind, are_whole=are_whole)


def _let_edit(page: BrowsePage, frame: Frame, workspace: Workspace, staging: Staging) -> None:
    from dynodesk.ui.pages.browse_changes import Changes  # noqa: PLC0415  (see above)

    journal = _journal_door(page, frame, workspace, staging)
    go_to = partial(_open_collection, frame, workspace)
    Changes(page, staging, edit_tools(workspace), frame.runner, frame.messages, go_to, journal)


def _journal_door(page: QWidget, frame: Frame, workspace: Workspace, staging: Staging) -> JournalDoor:
    from dynodesk.ui.dialogs.journal_door import JournalDoor  # noqa: PLC0415  (see above)

    tools = edit_tools(workspace), repair_tools(workspace)
    return JournalDoor(page, staging, *tools, frame.runner, frame.asker, frame.messages)


def repair_tools(workspace: Workspace) -> RepairTools:
    """What a Reconcile page repairs with, at its connection."""
    from dynodesk.ui.dialogs.repair_work import RepairTools  # noqa: PLC0415  (see above)

    opened = cast(OpenWorkspace, workspace)  # the window has no others than those that `Connections` opened
    return RepairTools(
        opened.access, partial(repair_desk, opened), partial(repairing, opened), open_journal, opened.meter
    )


def _open_collection(
    frame: Frame, workspace: Workspace, table: str, partition: Key, select: Key | None, index: str | None = None, /
) -> None:
    frame.show_table(workspace, table, partial(_go_to, partition, select, index))


def _go_to(partition: Key, select: Key | None, index: str | None, page: QWidget) -> None:
    from dynodesk.ui.pages.browse import BrowsePage  # noqa: PLC0415  (see above)

    if isinstance(page, BrowsePage):
        page.open_collection(partition, select, index)


class _Check(QObject):
    """Waits for the sandbox's first table to be read, or for the first message, and closes the window."""

    LOOK_EVERY = 100  # milliseconds

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.status = 1
        self._window = window
        self._looks = QTimer(self)
        self._looks.setInterval(self.LOOK_EVERY)
        self._looks.timeout.connect(self._look)
        self._looks.start()
        QTimer.singleShot(CHECK_SECONDS * 1000, self, self._give_up)
        window.messages.shown.connect(self._failed)

    @Slot()
    def _look(self) -> None:
        if self._window.tabs.current is not None and not self._window.status.jobs:
            self.status = 0
            self._end()

    @Slot(object)
    def _failed(self, message: Message) -> None:
        sys.stderr.write(f"dynodesk: {message.title}: {message.line}\n")
        self._end()

    @Slot()
    def _give_up(self) -> None:
        sys.stderr.write(f"dynodesk: the sandbox was not shown within {CHECK_SECONDS} seconds\n")
        self._end()

    def _end(self) -> None:
        self._looks.stop()
        self._window.close()
