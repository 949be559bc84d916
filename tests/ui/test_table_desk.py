"""Tables as a whole from the window: their actions, what cannot be done and why, tabs of tables that are gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from dynodesk.domain.errors import NotAllowed
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import TableInfo
from dynodesk.ui import actions as act
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.models.table_tree import Place
from dynodesk.ui.shell import SANDBOX
from tests.ui import test_main_window as windows
from tests.ui.test_main_window import PRODUCTION, TABLES, Built, Catalog, current_title, open_sandbox, titles, tree_rows


class ChangingCatalog(Catalog):
    """Its list can be changed, and refused."""

    def __init__(self) -> None:
        super().__init__()
        self.names = tuple(TABLES)
        self.may_list = True
        self.described: list[str] = []

    def table_names(self, ticket: Ticket) -> tuple[str, ...]:
        if not self.may_list:
            raise NotAllowed("These credentials may not do dynamodb:ListTables.")
        return self.names

    def describe(self, table: str, ticket: Ticket) -> TableInfo:
        self.described.append(table)
        return replace(TABLES["Stats"], name=table) if table not in TABLES else super().describe(table, ticket)


@pytest.fixture
def catalog() -> ChangingCatalog:
    return ChangingCatalog()


@pytest.fixture
def built(dressed_application: QApplication, qtbot: QtBot, catalog: ChangingCatalog) -> Iterator[Built]:
    windows.ASKED.clear()
    built = Built(dressed_application)
    built.connections.catalog = catalog
    built.window.show()
    built.window.start()
    qtbot.waitUntil(lambda: not built.window.status.jobs)
    yield built
    built.window.close()
    built.window.deleteLater()
    built.scheme.deleteLater()
    built.runner.deleteLater()


@pytest.fixture
def window(built: Built, qtbot: QtBot) -> MainWindow:
    open_sandbox(built.window, qtbot)
    return built.window


def idle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.status.jobs)


def connect(built: Built, qtbot: QtBot, *, read_only: bool) -> None:
    built.profile_made = replace(PRODUCTION, read_only=read_only)
    built.window.desk.ask_aws()
    qtbot.waitUntil(lambda: built.window.sessions.workspace(PRODUCTION.id) is not None)
    idle(built.window, qtbot)


def test_f4_opens_the_details_of_the_selected_table_once(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    window.navigator.select_table(SANDBOX, "Stats")
    window.navigator.tree.setFocus()
    for _ in range(2):
        QTest.keyClick(window.navigator.tree, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: current_title(window) == "Stats: details")
        window.tabs.show_page(window.tabs.pages[0])
        window.navigator.select_table(SANDBOX, "Stats")
    assert titles(window) == ["Social: start", "Stats: details"]
    window.tabs.show_page(window.tabs.pages[1])
    assert window.navigator.current == Place("table", SANDBOX, "Stats")
    window.action(act.NEW_TAB).trigger()  # of the table, not of its details
    qtbot.waitUntil(lambda: current_title(window) == "Stats")


def test_the_arn_of_a_table_of_here_opens_that_table_once(built: Built, qtbot: QtBot, catalog: ChangingCatalog) -> None:
    connect(built, qtbot, read_only=True)
    window = built.window
    window.activateWindow()
    for _ in range(2):
        window.action(act.OPEN_NAMED).trigger()
        window.navigator.field.setText("arn:aws:dynamodb:eu-west-1:111122223333:table/Stats")
        QTest.keyClick(window.navigator.field, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: current_title(window) == "Stats")
        idle(window, qtbot)
    assert titles(window) == ["Stats"]
    assert window.opener.current_place == Place("table", PRODUCTION.id, "Stats")


def test_the_actions_stand_in_the_menu_of_the_list_and_in_the_finder(built: Built, qtbot: QtBot) -> None:
    connect(built, qtbot, read_only=False)
    window = built.window
    window.navigator.select_table(PRODUCTION.id, "Stats")
    window.navigator.tree.customContextMenuRequested.emit(window.navigator.tree.rect().bottomRight())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    offered = {action.text() for action in menu.actions()}
    menu.close()
    assert {"Table details", "Create a table…", "Delete the table…", "Open a table by its name"} <= offered
    found = {entry.text for entry in window._findable()}
    assert {"Table details", "Create a table", "Delete the table", "Open a table by its name"} <= found


def test_nothing_can_be_done_before_a_connection_is_open(built: Built) -> None:
    for action in (act.TABLE_DETAILS, act.CREATE_TABLE, act.DELETE_TABLE, act.OPEN_NAMED):
        assert not built.window.action(action).isEnabled()
        assert built.window.action(action).toolTip() == "Open a connection first."


def test_a_read_only_connection_says_why_it_changes_no_table(built: Built, qtbot: QtBot) -> None:
    connect(built, qtbot, read_only=True)
    window = built.window
    window.navigator.select_table(PRODUCTION.id, "Stats")
    for action in (act.CREATE_TABLE, act.DELETE_TABLE):
        assert not window.action(action).isEnabled()
        assert "shop-prod is read-only" in window.action(action).toolTip()
    assert window.action(act.TABLE_DETAILS).isEnabled()
    window.action(act.DELETE_TABLE).trigger()
    assert windows.ASKED == []


def test_a_connection_that_writes_is_asked_for_its_table_as_it_is_now(
    built: Built, qtbot: QtBot, catalog: ChangingCatalog
) -> None:
    connect(built, qtbot, read_only=False)
    window = built.window
    window.navigator.select_table(PRODUCTION.id, "Stats")
    catalog.described.clear()
    window.action(act.DELETE_TABLE).trigger()
    qtbot.waitUntil(lambda: windows.ASKED == [("delete", "Stats")])
    assert catalog.described == ["Stats"]
    window.action(act.CREATE_TABLE).trigger()
    assert windows.ASKED[-1] == ("create", "shop-prod")


def test_the_list_follows_a_change_and_tabs_of_what_is_gone_say_so(
    window: MainWindow, qtbot: QtBot, catalog: ChangingCatalog
) -> None:
    window.navigator.place_opened.emit(Place("table", SANDBOX, "Stats"))
    qtbot.waitUntil(lambda: current_title(window) == "Stats")
    window.navigator.select_table(SANDBOX, "Stats")
    window.action(act.TABLE_DETAILS).trigger()
    qtbot.waitUntil(lambda: current_title(window) == "Stats: details")
    workspace = window.sessions.workspace(SANDBOX)
    assert workspace is not None
    catalog.names = ("New", "Social", "Workspaces")
    window.tables_changed(workspace)
    qtbot.waitUntil(lambda: "    New | ≈ 310 k" in tree_rows(window))
    notes = {page.windowTitle(): window.tabs.note_of(page) for page in window.tabs.pages}
    assert notes["Social: start"] == ""
    for title in ("Stats", "Stats: details"):
        assert notes[title].startswith("Stats is not there any more")
    assert window.tabs._bar.tabText(1) == "Stats (gone)"
    assert window.tabs._noted.isVisible()
    window.tabs.show_page(window.tabs.pages[0])
    assert not window.tabs._noted.isVisible()
    catalog.names = tuple(TABLES)
    window.tables_changed(workspace)
    qtbot.waitUntil(lambda: window.tabs._bar.tabText(1) == "Stats")


def test_who_may_not_list_tables_opens_one_by_its_name(built: Built, qtbot: QtBot, catalog: ChangingCatalog) -> None:
    catalog.may_list = False
    connect(built, qtbot, read_only=True)
    window = built.window
    assert window.messages.current is not None
    assert "ListTables" in window.messages.current.line
    assert tree_rows(window)[:2] == ["shop-prod | production", "  Tables | not listed"]
    window.navigator.tree.setCurrentIndex(window.navigator.tree.model().index(0, 0))
    window.activateWindow()
    window.action(act.OPEN_NAMED).trigger()
    QTest.keyClicks(window.navigator.field, "Hidden")
    QTest.keyClick(window.navigator.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: current_title(window) == "Hidden")
    window.navigator.field.clear()
    assert tree_rows(window)[1:3] == ["  Tables | not listed", "    Hidden | ≈ 310 k"]


def test_a_table_opened_by_name_that_was_made_since_is_listed(
    window: MainWindow, qtbot: QtBot, catalog: ChangingCatalog
) -> None:
    catalog.names = (*TABLES, "Zoo")
    window.navigator.place_opened.emit(Place("table", SANDBOX, "Zoo"))
    qtbot.waitUntil(lambda: current_title(window) == "Zoo")
    qtbot.waitUntil(lambda: "    Zoo | ≈ 310 k" in tree_rows(window))
    assert [page for page in window.tabs.pages if window.tabs.note_of(page)] == []


def test_a_table_that_is_never_listed_is_not_taken_for_gone(window: MainWindow, qtbot: QtBot) -> None:
    window.navigator.place_opened.emit(Place("table", SANDBOX, "Elsewhere"))
    qtbot.waitUntil(lambda: current_title(window) == "Elsewhere")
    idle(window, qtbot)
    assert window.tabs.note_of(window.tabs.pages[-1]) == ""
