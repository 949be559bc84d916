"""The frame: connections come and go, tabs open and close, the keyboard reaches everything."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtGui import QAccessible, QKeySequence, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from dynodesk import wiring
from dynodesk.domain.access import Access
from dynodesk.domain.batches import TableWriter
from dynodesk.domain.bulk import RawPageReader
from dynodesk.domain.capacity import Consumed, Meter
from dynodesk.domain.composed import RequestSender
from dynodesk.domain.errors import CannotConnect, DynodeskError, NotAllowed, Throttled
from dynodesk.domain.foreground import foreground
from dynodesk.domain.profiles import Kind, Profile
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.queries import Query
from dynodesk.domain.statements import StatementReader
from dynodesk.domain.streams import StreamReader
from dynodesk.domain.table_changes import TableChange
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableDetails, TableInfo
from dynodesk.domain.values import Item, String
from dynodesk.store.endings import BadEnding
from dynodesk.ui import actions as act
from dynodesk.ui import theme
from dynodesk.ui.dialogs.diagnostics import DiagnosticsDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.models.table_tree import Place, estimate
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.shell import SANDBOX, Connect, Frame, KeptQueries, Pages, Shell, Workspace
from dynodesk.ui.theme.icons import has_icon
from dynodesk.ui.widgets.finder import Entry, ranked
from dynodesk.ui.widgets.marks import Chip
from dynodesk.ui.widgets.status import progress_words, units_words
from dynodesk.ui.widgets.trees import NOTE
from dynodesk.workbench.bench import Bench
from tests.helpers.asking import FakeAsker
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.plain_sweep import PlainSweeper

SCHEMA = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
GSI1 = IndexInfo("GSI1", "GSI", SCHEMA, Projection("INCLUDE", ("likedAt", "since", "title")))
TABLES = {
    "Social": TableInfo("Social", SCHEMA, (GSI1,), item_count_estimate=1204),
    "Stats": TableInfo("Stats", SCHEMA, item_count_estimate=310_000),
    "Workspaces": TableInfo("Workspaces", SCHEMA, item_count_estimate=7),
}
PRODUCTION = Profile("aaaaaaaa", "shop-prod", "aws", "profile", "prod", region="eu-west-1")
SANDBOX_PROFILE = Profile("5a4d0b0c", "sandbox", "sandbox", "dummy", region="us-east-1", stage="sandbox")


class Catalog:
    def __init__(self) -> None:
        self.refused: set[str] = set()

    def table_names(self, ticket: Ticket) -> tuple[str, ...]:
        return tuple(TABLES)

    def describe(self, table: str, ticket: Ticket) -> TableInfo:
        if table in self.refused:
            raise NotAllowed(f"These credentials may not describe {table}.")
        return TABLES[table]

    def time_to_live(self, table: str, ticket: Ticket) -> str | None:
        return None


class NoTables:
    def details(self, table: str, ticket: Ticket) -> TableDetails:
        raise NotImplementedError("no page here shows details")

    def send(self, change: TableChange) -> None:
        raise NotImplementedError("no page here changes tables")


class AnyConnections:
    """Opens what it is told to; `hold` keeps opening until it is set, or until the job is stopped."""

    def __init__(self) -> None:
        self.profiles: tuple[Profile, ...] = ()
        self.notice = ""
        self.catalog = Catalog()
        self.meter = Meter()
        self.refuse: DynodeskError | None = None
        self.hold = threading.Event()
        self.hold.set()
        self.closed: list[str] = []
        self.forgotten: list[str] = []
        self.signed_in = 0

    def saved(self) -> tuple[Profile, ...]:
        return self.profiles

    def save(self, profile: Profile) -> Profile:
        self.profiles = (*self.profiles, profile)
        return profile

    def forget(self, profile: Profile) -> None:
        self.forgotten.append(profile.name)

    def queries(self, profile: Profile) -> KeptQueries:
        raise NotImplementedError("no page here keeps queries")

    def diagnostics(self, *more: str) -> str:
        return "\n".join(["dynodesk, as it is installed here", *more])

    def keyring_state(self) -> str:
        return "No keyring: keys are kept for this session only."

    def keys_note(self, profile: Profile) -> str:
        return "There is no keyring." if profile.secret else ""

    def open_sandbox(self, ticket: Ticket) -> Workspace:
        return self.open(SANDBOX_PROFILE, ticket)

    def open(self, profile: Profile, ticket: Ticket) -> Workspace:
        while not self.hold.is_set():
            ticket.checkpoint(Progress(0, note="waiting"))
            self.hold.wait(0.01)
        if self.refuse is not None:
            raise self.refuse
        return wiring.Workspace(
            access=Access(profile),
            catalog=self.catalog,
            reader=MemoryReader(*TABLES.values()),
            meter=self.meter,
            identity="",
            endpoint="http://127.0.0.1:8123",
            region="us-east-1",
            tables=NoTables(),
            new_statement_reader=self._new_statement_reader,
            new_reader=self._new_reader,
            new_raw_reader=self._new_raw_reader,
            new_sweeper=lambda _meter, folder=None: PlainSweeper(MemoryReader(*TABLES.values())),
            new_stream_reader=self._new_stream_reader,
            new_writer=self._new_writer,
            new_request_sender=self._new_request_sender,
            bench=self._bench,
            sign_in_again=self.sign_in_again,
            close=partial(self.closed.append, profile.name),
        )

    def sign_in_again(self, _ticket: Ticket) -> None:
        if self.refuse is not None:
            raise self.refuse
        self.signed_in += 1

    def _new_reader(self, _meter: Meter) -> MemoryReader:
        return MemoryReader(*TABLES.values())

    def _new_statement_reader(self, _meter: Meter) -> StatementReader:
        raise NotImplementedError("no page here runs statements")

    def _new_raw_reader(self, _meter: Meter) -> RawPageReader:
        raise NotImplementedError("no page here reads volume")

    def _new_stream_reader(self, _meter: Meter) -> StreamReader:
        raise NotImplementedError("no page here follows a stream")

    def _new_writer(self, _meter: Meter) -> TableWriter:
        raise NotImplementedError("no page here writes")

    def _new_request_sender(self, _meter: Meter) -> RequestSender:
        raise NotImplementedError("no page here composes requests")

    def _bench(self) -> Bench:
        raise NotImplementedError("no page here runs SQL")


class MemorySettings:
    notice = ""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}

    def load(self) -> dict[str, object]:
        return dict(self.values)

    def save(self, values: dict[str, object]) -> None:
        self.values = dict(values)


class SqlDouble(QWidget):
    """Remembers which tables it was asked to load."""

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("SQL")
        self.asked: list[str] = []

    def load_table(self, table: str) -> None:
        self.asked.append(table)


class RequestDouble(QWidget):
    """Remembers for which table it was begun."""

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Request")
        self.table = ""

    def set_table(self, table: TableInfo, _items: Sequence[Item]) -> None:
        self.table = table.name


def make_pages(_frame: Frame) -> Pages:
    def page(title: str) -> QWidget:
        made = QWidget()
        made.setWindowTitle(title)
        act.make(act.Action("run-again", f"Run {title}", "Runs it.", "F5"), made, made.update)
        return made

    def table(_workspace: Workspace, info: TableInfo, index: str | None) -> QWidget:
        return page(f"{info.name}: {index}" if index else info.name)

    def start(_workspace: Workspace, info: TableInfo) -> QWidget:
        return page(f"{info.name}: start")

    def rules(_workspace: Workspace, path: Path) -> QWidget:
        return page(f"Reconcile: {path.name}")

    def sql(_workspace: Workspace) -> QWidget:
        return SqlDouble()

    def partiql(_workspace: Workspace) -> QWidget:
        return page("PartiQL")

    def request(_workspace: Workspace) -> QWidget:
        return RequestDouble()

    def queries(_workspace: Workspace, _draft: Query | None, _window: QWidget) -> None:
        raise NotImplementedError("no test here asks for queries")

    def details(_workspace: Workspace, name: str) -> QWidget:
        return page(f"{name}: details")

    def create(workspace: Workspace) -> None:
        ASKED.append(("create", workspace.profile.name))

    def delete(_workspace: Workspace, info: TableInfo) -> None:
        ASKED.append(("delete", info.name))

    def lesson(workspace: Workspace) -> None:
        ASKED.append(("lesson", workspace.profile.name))

    return Pages(table, start, rules, sql, partiql, request, queries, details, create, delete, lesson)


ASKED: list[tuple[str, str]] = []
"""Dialogs that were asked for."""


class Built:
    """A window and what it was built from."""

    def __init__(self, application: QApplication) -> None:
        self.connections = AnyConnections()
        self.settings = MemorySettings()
        self.asker = FakeAsker()
        self.connect_asked: list[Kind] = []
        self.change_asked: Profile | None = None
        self.profile_made = PRODUCTION
        self.runner = JobRunner(threads=2)
        self.scheme = theme.SchemeFollower(application)
        self.window = self.build()

    def build(self) -> MainWindow:
        shell = Shell(
            connections=self.connections,
            settings=self.settings,
            tabs=MemorySettings(),
            pages=make_pages,
            connect=self._connector,
            asker=self._asker,
            sandbox_table="Social",
            sandbox_rules=Path("social.toml"),
        )
        return MainWindow(shell, self.runner, self.scheme)

    def _asker(self, _window: QWidget) -> FakeAsker:
        return self.asker

    def _connector(self, _window: QWidget) -> Connect:
        def ask(kind: Kind, then: Callable[[Profile], object], *, change: Profile | None = None) -> None:
            self.connect_asked.append(kind)
            self.change_asked = change
            then(self.profile_made)

        return ask


@pytest.fixture
def built(dressed_application: QApplication, qtbot: QtBot) -> Iterator[Built]:
    built = Built(dressed_application)
    built.window.show()
    built.window.start()
    qtbot.waitUntil(lambda: not built.window.status.jobs)
    yield built
    built.connections.hold.set()
    built.window.close()
    built.window.deleteLater()
    built.scheme.deleteLater()
    built.runner.deleteLater()


@pytest.fixture
def window(built: Built) -> MainWindow:
    return built.window


def open_sandbox(window: MainWindow, qtbot: QtBot) -> None:
    window.action(act.OPEN_SANDBOX).trigger()
    qtbot.waitUntil(lambda: window.tabs.current is not None and not window.status.jobs)


def titles(window: MainWindow) -> list[str]:
    return [page.windowTitle() for page in window.tabs.pages]


def current_title(window: MainWindow) -> str:
    return "" if window.tabs.current is None else window.tabs.current.windowTitle()


def is_current(window: MainWindow, title: str) -> bool:
    return current_title(window) == title


def tree_rows(window: MainWindow) -> list[str]:
    """What the navigator shows, indented, with notes."""
    model = window.navigator.tree.model()

    def below(parent: QModelIndex, depth: int) -> Iterator[str]:
        for n in range(model.rowCount(parent)):
            index = model.index(n, 0, parent)
            yield "  " * depth + f"{index.data()} | {index.data(NOTE)}"
            yield from below(index, depth + 1)

    return list(below(QModelIndex(), 0))


def test_first_start_has_three_doors_and_no_empty_navigator(window: MainWindow) -> None:
    assert window.tabs.current is None
    assert window.welcome.isVisible()
    assert window.navigator.isHidden()
    assert not window.walk.isHidden()
    assert "No keyring" in window.welcome.keyring
    assert window.welcome.first.hasFocus()


@pytest.mark.parametrize(("key", "kind"), [("2", "aws"), ("3", "endpoint")])
def test_the_digits_open_the_doors(built: Built, qtbot: QtBot, key: str, kind: str) -> None:
    QTest.keyClicks(built.window.welcome.first, key)
    qtbot.waitUntil(lambda: built.connect_asked == [kind])
    qtbot.waitUntil(lambda: built.window.sessions.workspace(PRODUCTION.id) is not None)


def test_enter_on_the_first_door_opens_the_sandbox_on_its_table(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(window.welcome.first, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.tabs.current is not None and not window.status.jobs)
    assert titles(window) == ["Social: start"]
    assert tree_rows(window) == [
        "sandbox | this computer",
        "  Tables | 3",
        "    Social | ≈ 1,204",
        "      GSI1 | GSI · includes 3",
        "    Stats | ≈ 310 k",
        "    Workspaces | ≈ 7",
    ]
    assert window.navigator.current == Place("table", SANDBOX, "Social")
    assert not window.navigator.isHidden()


def test_opening_can_be_stopped_with_escape(built: Built, qtbot: QtBot) -> None:
    built.connections.hold.clear()
    window = built.window
    window.action(act.OPEN_SANDBOX).trigger()
    assert tree_rows(window) == ["sandbox | opening…"]
    assert not window.action(act.OPEN_SANDBOX).isEnabled()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.status.jobs)
    assert tree_rows(window) == ["sandbox | this computer"]
    assert window.messages.current is None
    assert window.action(act.OPEN_SANDBOX).isEnabled()


def test_a_connection_that_fails_says_so_and_can_be_tried_again(built: Built, qtbot: QtBot) -> None:
    built.connections.refuse = CannotConnect("Nothing answers at port 8000.", hint="Start the emulator.")
    window = built.window
    window.action(act.CONNECT_ENDPOINT).trigger()
    qtbot.waitUntil(lambda: window.messages.current is not None)
    assert window.messages.current is not None
    assert window.messages.current.line == "Nothing answers at port 8000. Start the emulator."
    assert "shop-prod | failed" in tree_rows(window)
    built.connections.refuse = None
    window.navigator.place_opened.emit(Place("connection", PRODUCTION.id))
    qtbot.waitUntil(lambda: "shop-prod | production" in tree_rows(window))
    assert window.sessions.workspace(PRODUCTION.id) is not None


def test_a_connection_made_on_the_welcome_page_offers_its_first_table(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window.welcome.first, Qt.Key.Key_3)
    qtbot.waitUntil(lambda: window.navigator.current is not None and not window.status.jobs)
    assert window.navigator.tree.hasFocus()
    QTest.keyClick(window.navigator.tree, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: titles(window) == ["Social"])


def test_saved_connections_are_listed_closed(built: Built, qtbot: QtBot) -> None:
    built.connections.profiles = (PRODUCTION,)
    built.window.start()
    qtbot.waitUntil(lambda: not built.window.status.jobs)
    assert tree_rows(built.window) == ["shop-prod | production", "sandbox | this computer"]


def test_the_filter_acts_while_typing(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    window.action(act.FILTER_TABLES).trigger()
    QTest.keyClicks(window.navigator.field, "St")
    assert [row.split(" |")[0].strip() for row in tree_rows(window)] == ["sandbox", "Tables", "Stats"]
    window.navigator.field.clear()
    assert len(tree_rows(window)) == 6


def test_a_table_that_may_not_be_described_is_still_listed(built: Built, qtbot: QtBot) -> None:
    built.connections.catalog.refused = {"Stats"}
    open_sandbox(built.window, qtbot)
    assert "    Stats | not described" in tree_rows(built.window)
    built.window.navigator.place_opened.emit(Place("table", SANDBOX, "Stats"))
    qtbot.waitUntil(lambda: built.window.messages.current is not None)
    assert titles(built.window) == ["Social: start"]


def test_a_place_that_is_shown_comes_to_the_front_and_a_new_tab_repeats_it(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    for place in (Place("index", SANDBOX, "Social", "GSI1"), Place("table", SANDBOX, "Social")):
        window.navigator.place_opened.emit(place)
        window.navigator.place_opened.emit(place)
        qtbot.waitUntil(partial(is_current, window, "Social: " + ("GSI1" if place.index else "start")))
    assert titles(window) == ["Social: start", "Social: GSI1"]
    QTest.keySequence(window, QKeySequence("Ctrl+T"))
    qtbot.waitUntil(lambda: titles(window) == ["Social: start", "Social: GSI1", "Social"])
    QTest.keySequence(window, QKeySequence("Ctrl+W"))
    assert titles(window) == ["Social: start", "Social: GSI1"]


def test_back_and_forward_follow_the_tabs_visited(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    for name in ("Stats", "Workspaces"):
        window.navigator.place_opened.emit(Place("table", SANDBOX, name))
        qtbot.waitUntil(partial(is_current, window, name))
    assert not window.action(act.FORWARD).isEnabled()
    QTest.keySequence(window, QKeySequence("Alt+Left"))
    assert current_title(window) == "Stats"
    QTest.keySequence(window, QKeySequence("Alt+Left"))
    assert current_title(window) == "Social: start"
    assert not window.action(act.BACK).isEnabled()
    QTest.keySequence(window, QKeySequence("Alt+Right"))
    assert current_title(window) == "Stats"
    QTest.keySequence(window, QKeySequence("Ctrl+W"))
    assert "Stats" not in titles(window)
    seen = current_title(window)
    QTest.keySequence(window, QKeySequence("Alt+Left"))
    assert current_title(window) in {"Social: start", "Workspaces"}
    assert current_title(window) != seen or not window.action(act.BACK).isEnabled()


def test_a_tab_with_a_changed_item_is_closed_only_when_that_is_meant(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    workspace = window.sessions.workspace(SANDBOX)
    assert workspace is not None
    page = BrowsePage(TABLES["Social"], workspace.reader, window.runner)
    window.open_page(page, workspace)
    qtbot.waitUntil(lambda: not window.status.jobs)
    page.inspector.begin_new()
    model = page.inspector.editor.model
    model.set_value(model.find("PK").siblingAtColumn(2), String("POST#1"))
    asker = FakeAsker(answer=False)
    window.asker = asker
    QTest.keySequence(window, QKeySequence("Ctrl+W"))
    assert page in window.tabs.pages
    assert ["not staged" in question.text for question in asker.questions] == [True]
    asker.answer = True
    window.tabs.close_asked.emit(page)
    assert page not in window.tabs.pages


def test_a_connection_with_a_changed_item_is_closed_only_when_that_is_meant(built: Built, qtbot: QtBot) -> None:
    window = built.window
    open_sandbox(window, qtbot)
    workspace = window.sessions.workspace(SANDBOX)
    assert workspace is not None
    page = BrowsePage(TABLES["Social"], workspace.reader, window.runner)
    window.open_page(page, workspace)
    qtbot.waitUntil(lambda: not window.status.jobs)
    page.inspector.begin_new()
    model = page.inspector.editor.model
    model.set_value(model.find("PK").siblingAtColumn(2), String("POST#1"))
    built.asker.answer = False
    window.action(act.DISCONNECT).trigger()
    assert page in window.tabs.pages
    assert "not staged" in built.asker.questions[-1].text
    built.asker.answer = True
    window.action(act.DISCONNECT).trigger()
    assert titles(window) == []


def test_back_is_offered_only_where_a_page_or_the_tabs_can_go_back(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    workspace = window.sessions.workspace(SANDBOX)
    assert workspace is not None
    window.tabs.close_page(window.tabs.pages[0])
    page = BrowsePage(TABLES["Social"], workspace.reader, window.runner)
    window.open_page(page, workspace)
    qtbot.waitUntil(lambda: not window.status.jobs)
    back, forward = window.action(act.BACK), window.action(act.FORWARD)
    assert (back.isEnabled(), forward.isEnabled()) == (False, False)
    page.open_collection({"PK": String("POST#a91f")})
    qtbot.waitUntil(lambda: not window.status.jobs)
    assert (back.isEnabled(), forward.isEnabled()) == (True, False)
    back.trigger()
    assert (back.isEnabled(), forward.isEnabled()) == (False, True)
    forward.trigger()
    assert (back.isEnabled(), forward.isEnabled()) == (True, False)


def test_back_is_offered_after_going_to_the_other_side(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    workspace = window.sessions.workspace(SANDBOX)
    assert workspace is not None
    window.tabs.close_page(window.tabs.pages[0])
    page = BrowsePage(TABLES["Social"], workspace.reader, window.runner)
    window.open_page(page, workspace)
    qtbot.waitUntil(lambda: not window.status.jobs)
    back = window.action(act.BACK)
    assert not back.isEnabled()
    page.sides.arrived.emit()
    assert not back.isEnabled()
    page.links.leaving.emit(page.right)
    assert back.isEnabled()
    back.trigger()
    assert not back.isEnabled()


def test_a_page_renames_its_tab_and_ampersands_stay(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    assert window.tabs.current is not None
    window.tabs.current.setWindowTitle("Social: <b>R&D</b>")
    bar = window.tabs.findChild(QTabBar)
    assert isinstance(bar, QTabBar)
    assert bar.tabText(0) == "Social: <b>R&&D</b>"


def test_rules_come_from_the_sandbox_or_from_a_chosen_file(built: Built, qtbot: QtBot) -> None:
    window = built.window
    assert not window.action(act.RECONCILE).isEnabled()
    open_sandbox(window, qtbot)
    window.action(act.RECONCILE).trigger()
    qtbot.waitUntil(lambda: current_title(window) == "Reconcile: social.toml")
    assert built.asker.files == []
    window.action(act.CONNECT_AWS).trigger()
    qtbot.waitUntil(lambda: window.sessions.workspace(PRODUCTION.id) is not None and not window.status.jobs)
    window.tabs.close_page(window.tabs.pages[1])
    window.tabs.close_page(window.tabs.pages[0])
    window.navigator.select_table(PRODUCTION.id, "Stats")
    built.asker.path = Path("shop.toml")
    window.action(act.RECONCILE).trigger()
    assert built.asker.files == [("Rules file", ("Rules (*.toml)",))]
    qtbot.waitUntil(lambda: current_title(window) == "Reconcile: shop.toml")


def test_a_connection_has_one_page_of_sql_that_is_asked_to_load_the_current_table(built: Built, qtbot: QtBot) -> None:
    window = built.window
    assert not window.action(act.SQL).isEnabled()
    assert not window.action(act.LOAD_INTO_SQL).isEnabled()
    open_sandbox(window, qtbot)
    window.action(act.SQL).trigger()
    qtbot.waitUntil(lambda: isinstance(window.tabs.current, SqlDouble))
    page = window.tabs.current
    assert isinstance(page, SqlDouble)
    assert page.asked == []
    window.navigator.select_table(SANDBOX, "Stats")
    window.action(act.LOAD_INTO_SQL).trigger()
    window.tabs.show_page(window.tabs.pages[0])
    window.action(act.LOAD_INTO_SQL).trigger()
    assert page.asked == ["Stats", "Social"]
    assert titles(window) == ["Social: start", "SQL"]
    assert window.tabs.current is page
    window.tabs.close_page(page)
    window.action(act.SQL).trigger()
    qtbot.waitUntil(lambda: current_title(window) == "SQL")


def test_a_page_of_a_connection_that_closes_at_once_does_not_come(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    window.navigator.place_opened.emit(Place("table", SANDBOX, "Stats"))
    window.sessions.close(SANDBOX)
    qtbot.waitUntil(lambda: not window.status.jobs)
    assert titles(window) == []
    open_sandbox(window, qtbot)
    window.navigator.place_opened.emit(Place("table", SANDBOX, "Stats"))
    qtbot.waitUntil(partial(is_current, window, "Stats"))


def test_the_bar_belongs_to_the_current_tab(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    assert shown_chips(window) == ["SANDBOX"]
    window.action(act.CONNECT_AWS).trigger()
    qtbot.waitUntil(lambda: window.sessions.workspace(PRODUCTION.id) is not None and not window.status.jobs)
    window.navigator.place_opened.emit(Place("table", PRODUCTION.id, "Stats"))
    qtbot.waitUntil(lambda: shown_chips(window) == ["PRODUCTION"])
    window.action(act.BACK).trigger()
    assert shown_chips(window) == ["SANDBOX"]


def shown_chips(window: MainWindow) -> list[str]:
    return [chip.accessibleName() for chip in window.findChildren(Chip) if chip.isVisible()]


def test_closing_a_connection_closes_its_tabs_and_itself(built: Built, qtbot: QtBot) -> None:
    window = built.window
    open_sandbox(window, qtbot)
    window.action(act.RECONCILE).trigger()
    window.action(act.DISCONNECT).trigger()
    assert titles(window) == []
    assert window.welcome.isVisible()
    assert shown_chips(window) == []
    qtbot.waitUntil(lambda: built.connections.closed == ["sandbox"])
    assert tree_rows(window) == ["sandbox | this computer"]


@pytest.mark.parametrize("answer", [True, False])
def test_a_connection_is_forgotten_only_after_a_yes(built: Built, qtbot: QtBot, answer: bool) -> None:
    window = built.window
    window.action(act.CONNECT_AWS).trigger()
    qtbot.waitUntil(lambda: window.sessions.workspace(PRODUCTION.id) is not None and not window.status.jobs)
    window.navigator.select_table(PRODUCTION.id, "Stats")
    built.asker.answer = answer
    window.action(act.FORGET).trigger()
    assert [question.danger for question in built.asker.questions] == [True]
    qtbot.waitUntil(lambda: not window.status.jobs)
    assert built.connections.forgotten == (["shop-prod"] if answer else [])
    assert built.connections.closed == (["shop-prod"] if answer else [])
    assert ("shop-prod | production" in tree_rows(window)) is not answer


def test_a_changed_connection_is_opened_anew_under_its_new_name(built: Built, qtbot: QtBot) -> None:
    built.connections.profiles = (PRODUCTION,)
    window = built.window
    window.start()
    qtbot.waitUntil(lambda: not window.status.jobs)
    window.navigator.place_opened.emit(Place("connection", PRODUCTION.id))
    qtbot.waitUntil(lambda: window.sessions.workspace(PRODUCTION.id) is not None and not window.status.jobs)
    window.navigator.tree.setCurrentIndex(window.navigator.tree.model().index(0, 0))
    built.profile_made = replace(PRODUCTION, name="shop-test", stage="staging")
    window.action(act.CHANGE).trigger()
    assert built.change_asked == PRODUCTION
    assert built.connect_asked == ["aws"]
    qtbot.waitUntil(lambda: not window.status.jobs)
    assert built.connections.closed == ["shop-prod"]
    workspace = window.sessions.workspace(PRODUCTION.id)
    assert workspace is not None
    assert workspace.profile.name == "shop-test"
    assert tree_rows(window)[0] == "shop-test | staging"


def test_the_first_window_leaves_room_for_its_frame(window: MainWindow) -> None:
    room = window.screen().availableSize()
    assert window.height() <= room.height() - 48
    assert window.width() <= room.width() - 16


def test_damaged_settings_are_told(built: Built) -> None:
    built.settings.notice = "The settings file was damaged; it was kept as settings.json.bad."
    built.window.start()
    assert built.window.messages.current is not None
    assert built.window.messages.current.line == built.settings.notice


def test_a_run_that_ended_badly_is_told_and_can_be_looked_at(window: MainWindow, qtbot: QtBot) -> None:
    window.tell_bad_ending(BadEnding("dynodesk 0, started then", "Segmentation fault"))
    message = window.messages.current
    assert message is not None
    assert (message.kind, message.title) == ("warning", "dynodesk did not end properly the last time")
    show = next(b for b in window.messages.findChildren(QAbstractButton) if b.text() == "Show")
    show.click()
    (dialog,) = window.findChildren(DiagnosticsDialog)
    qtbot.waitUntil(dialog.copy_button.isEnabled)
    for told in ("dynodesk 0, started then", "Segmentation fault"):
        assert told in dialog.text.toPlainText()
    assert "as it is installed here" in dialog.text.toPlainText()
    dialog.reject()


def test_enter_opens_the_row_and_the_menu_key_offers_what_can_be_done(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    tree = window.navigator.tree
    window.activateWindow()
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_Down)
    QTest.keyClick(tree, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: current_title(window) == "Social: GSI1")
    tree.customContextMenuRequested.emit(tree.rect().bottomRight())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert menu.actions()[0].text() == "Open the selected table"
    menu.close()


def test_any_of_the_running_jobs_can_be_stopped(built: Built, qtbot: QtBot) -> None:
    def wait(ticket: Ticket) -> str:
        ticket.sleep(60)
        return ""

    for title in ("Scan Social", "Scan Stats"):
        built.runner.start(wait, title=title, done=built.window.welcome.show_keyring)
    assert [job.title for job in built.window.status.jobs] == ["Scan Social", "Scan Stats"]
    chooser = next(b for b in built.window.status.findChildren(QToolButton) if "one of" in b.accessibleName())
    chooser.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.actions()[0].trigger()
    menu.close()
    qtbot.waitUntil(lambda: [job.title for job in built.window.status.jobs] == ["Scan Stats"])
    built.window.action(act.STOP).trigger()
    qtbot.waitUntil(lambda: not built.window.status.jobs)


def test_closing_the_window_closes_connections_and_remembers_the_layout(built: Built, qtbot: QtBot) -> None:
    window = built.window
    open_sandbox(window, qtbot)
    window.resize(790, 555)  # within the screen of the offscreen platform
    left = window.size()
    QTest.keyClick(window, Qt.Key.Key_F1)
    window.action(act.DARK_SCHEME).trigger()
    window.close()
    assert built.connections.closed == ["sandbox"]
    assert built.settings.values["walk"] is False
    assert built.settings.values["scheme"] == "dark"
    again = built.build()
    assert again.size() == left
    assert again.walk.isHidden()
    again.deleteLater()


@pytest.mark.parametrize("nonsense", [{"window": "§", "panels": ["a"], "walk": 7}, {"window": 3, "panels": {"a": 1}}])
def test_settings_that_make_no_sense_are_ignored(built: Built, nonsense: dict[str, object]) -> None:
    built.settings.values = nonsense
    again = built.build()
    assert again.width() > 700
    assert not again.walk.isHidden()
    again.deleteLater()


def test_the_finder_runs_what_is_found(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    QTest.keySequence(window, QKeySequence("Ctrl+K"))
    assert window.finder.list.isVisible()
    QTest.keyClicks(window.finder.field, "work table")
    QTest.keyClick(window.finder.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: current_title(window) == "Workspaces")
    assert not window.finder.list.isVisible()
    QTest.keySequence(window, QKeySequence("Ctrl+K"))
    QTest.keyClicks(window.finder.field, "zzz")
    QTest.keyClick(window.finder.field, Qt.Key.Key_Return)
    QTest.keyClick(window.finder.field, Qt.Key.Key_Escape)
    assert not window.finder.list.isVisible()
    assert window.finder.field.text() == ""


def test_what_two_connections_have_alike_is_told_apart(window: MainWindow, qtbot: QtBot) -> None:
    def found(words: str) -> list[str]:
        window.finder.field.setText(words)
        window.finder.open()
        model = window.finder.list.model()
        return [f"{model.index(row, 0).data()} | {model.index(row, 0).data(NOTE)}" for row in range(model.rowCount())]

    open_sandbox(window, qtbot)
    assert found("stats") == ["Stats | table"]
    window.action(act.CONNECT_AWS).trigger()
    qtbot.waitUntil(lambda: window.sessions.workspace(PRODUCTION.id) is not None and not window.status.jobs)
    assert found("stats") == ["Stats | table · sandbox", "Stats | table · shop-prod, production"]
    assert found("stats prod") == ["Stats | table · shop-prod, production"]
    for key in (SANDBOX, PRODUCTION.id):
        workspace = window.sessions.workspace(key)
        assert workspace is not None
        window.opener.show_partiql(workspace, QWidget.setFocus)
    qtbot.waitUntil(lambda: titles(window)[1:] == ["PartiQL"] * 2)
    assert found("partiql tab") == ["PartiQL | tab · sandbox", "PartiQL | tab · shop-prod, production"]
    (bar,) = window.findChildren(QTabBar)
    document = QTextDocument()
    document.setHtml(bar.tabToolTip(2))
    assert document.toPlainText().splitlines() == ["PartiQL", "shop-prod, production"]


def test_every_new_request_has_a_tab_of_its_own_and_begins_with_the_table(window: MainWindow, qtbot: QtBot) -> None:
    assert not window.action(act.NEW_REQUEST).isEnabled()
    open_sandbox(window, qtbot)
    window.action(act.NEW_REQUEST).trigger()
    qtbot.waitUntil(lambda: titles(window)[1:] == ["Request"])
    window.action(act.NEW_REQUEST).trigger()
    qtbot.waitUntil(lambda: titles(window)[1:] == ["Request"] * 2)
    page = window.tabs.current
    assert isinstance(page, RequestDouble)
    assert page.table == "Social"


def test_the_finder_ranks_beginnings_first() -> None:
    entries = [Entry(text, note, "", print) for text, note in (("Unlock", ""), ("Social", "table"), ("Lock all", ""))]
    assert [entry.text for entry in ranked(entries, "lock")] == ["Lock all", "Unlock"]
    assert [entry.text for entry in ranked(entries, "TABLE soc")] == ["Social"]
    assert [entry.text for entry in ranked(entries, "")] == ["Unlock", "Social", "Lock all"]


def test_the_run_menu_holds_the_actions_of_the_page(window: MainWindow, qtbot: QtBot) -> None:
    def run_menu() -> list[str]:
        menu = next(m for m in window.findChildren(QMenu) if m.title() == "&Run")
        return [action.text() for action in menu.actions()]

    assert run_menu() == ["Stop the running job"]
    open_sandbox(window, qtbot)
    assert run_menu() == ["Run Social: start", "Stop the running job"]


def test_an_unclaimed_failure_of_a_job_reaches_the_message_bar(built: Built, qtbot: QtBot) -> None:
    def work(_ticket: Ticket) -> str:
        raise ZeroDivisionError("ours")

    built.runner.start(work, title="Break", done=built.window.welcome.show_keyring)
    qtbot.waitUntil(lambda: built.window.messages.current is not None)
    assert built.window.messages.current is not None
    assert built.window.messages.current.kind == "fault"


def test_a_failure_that_is_over_leaves_the_message_bar(built: Built) -> None:
    window = built.window
    error = Throttled("Social is over its read capacity.")
    window.runner.error_raised.emit(error)
    assert not window.messages.isHidden()
    window.runner.error_settled.emit(error)
    assert window.messages.isHidden()


def test_the_status_line_shows_progress_and_consumption(built: Built, qtbot: QtBot) -> None:
    window, go = built.window, threading.Event()
    open_sandbox(window, qtbot)
    half = (Consumed("Query", "Social", "", Decimal("1204.5")),)

    def work(ticket: Ticket) -> str:
        built.connections.meter.called(half)
        ticket.checkpoint(Progress(3 * 2**33, 4 * 2**33, "page 3"))
        go.wait(10)
        return "read"

    built.runner.start(work, title="Scan Social", done=window.welcome.show_keyring)
    bar = window.status.findChild(QProgressBar)
    assert isinstance(bar, QProgressBar)
    qtbot.waitUntil(lambda: bar.value() == 750)
    qtbot.waitUntil(lambda: window.status.words == "Scan Social 75 % · page 3")
    go.set()
    qtbot.waitUntil(lambda: not window.status.jobs)
    assert window.status.used == "1,204.5 RCU"


def test_numbers_are_told_in_words() -> None:
    assert units_words(Decimal(0)) == "nothing used yet"
    assert units_words(Decimal("12.50")) == "12.5 RCU"
    assert units_words(Decimal("1E+3")) == "1,000 RCU"
    assert progress_words("Scan", Progress(12_000)) == "Scan, 12,000 so far"
    assert progress_words("Scan", Progress(0)) == "Scan"
    assert [estimate(n) for n in (None, 0, 9_999, 10_000, 88_123_456)] == ["", "≈ 0", "≈ 9,999", "≈ 10 k", "≈ 88 M"]


def test_the_walk_leads_from_the_sandbox_to_the_report(window: MainWindow, qtbot: QtBot) -> None:
    go = next(b for b in window.walk.findChildren(QPushButton))
    assert go.text() == "Open the sandbox"
    go.click()
    qtbot.waitUntil(lambda: window.tabs.current is not None and not window.status.jobs)
    walked = []
    for _ in range(5):
        walked.append(go.text())
        go.click()
    assert walked == ["Open the post", "I see both", "Open Reconcile", "I see why", "Done"]
    qtbot.waitUntil(lambda: titles(window) == ["Social: start", "Reconcile: social.toml"])
    assert window.walk.isHidden()
    window.action(act.WALK).trigger()
    assert not window.walk.isHidden()
    assert window.walk.current.id == "look"


def test_the_lesson_is_given_in_the_sandbox_only(window: MainWindow, qtbot: QtBot) -> None:
    lesson = window.action(act.LESSON)
    assert not lesson.isEnabled()
    window.action(act.CONNECT_ENDPOINT).trigger()
    qtbot.waitUntil(lambda: window.navigator.current is not None and not window.status.jobs)
    assert not lesson.isEnabled()
    assert lesson.toolTip().startswith("Open the sandbox first")
    open_sandbox(window, qtbot)
    assert lesson.toolTip() == act.LESSON.tip
    ASKED.clear()
    lesson.trigger()
    assert ASKED == [("lesson", "sandbox")]


@pytest.mark.parametrize("action", act.all_actions(), ids=lambda action: str(action.id))
def test_every_action_is_explained(dressed_application: QApplication, action: act.Action) -> None:
    assert action.text
    assert action.tip.endswith(".")
    assert not action.glyph or has_icon(action.glyph)


def test_no_two_actions_share_an_id_or_a_shortcut() -> None:
    actions = act.all_actions()
    assert len({action.id for action in actions}) == len(actions)
    keys = [action.shortcut for action in actions if action.shortcut]
    assert len(set(keys)) == len(keys)


def test_every_action_of_the_frame_is_in_the_window(window: MainWindow) -> None:
    assert {action.objectName() for action in window.actions()} == {action.id for action in act.all_actions()}


def test_every_control_has_an_accessible_name(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    window.messages.notice("Saved", "report.html")
    window.finder.open()
    assert unnamed(window) == []


def unnamed(window: QWidget) -> list[str]:
    """Controls that a screen reader could not name. Qt's own parts, layouts and containers are left out."""
    controls = (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QPlainTextEdit, QProgressBar, QTabBar)
    found = []
    for widget in window.findChildren(QWidget):
        if widget.objectName().startswith("qt_") or isinstance(widget, QHeaderView):
            continue
        if isinstance(widget, controls):
            interface = QAccessible.queryAccessibleInterface(widget)
            if not interface.text(QAccessible.Text.Name):
                found.append(f"{type(widget).__name__} in {type(widget.parent()).__name__}")
    return found


def test_tab_reaches_every_part_of_the_window(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    window.activateWindow()
    window.finder.field.setFocus()
    reached = set()
    for _ in range(60):
        focus = window.focusWidget()
        reached.add(focus)
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert {window.finder.field, window.navigator.field, window.navigator.tree} <= reached
    assert any(window.walk.isAncestorOf(widget) for widget in reached)
    assert any(isinstance(widget, QTabBar) for widget in reached)


class _Painted(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.was_busy: list[bool] = []

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            self.was_busy.append(foreground.is_busy)
        return super().event(event)


def test_background_work_gives_way_while_the_window_paints(window: MainWindow, qtbot: QtBot) -> None:
    open_sandbox(window, qtbot)
    workspace = window.sessions.workspace(SANDBOX)
    assert workspace is not None
    page = _Painted()
    window.open_page(page, workspace)
    page.was_busy.clear()
    page.update()
    qtbot.waitUntil(lambda: bool(page.was_busy))
    assert set(page.was_busy) == {True}
    assert not foreground.is_busy
