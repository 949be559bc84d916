"""Along the edges of a table and back, by clicks and by keys alone, on the sandbox and on another emulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from dynodesk.sandbox.samples import sample_tables
from dynodesk.sandbox.seed import seed
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.wiring import Workspace, open_workspace
from tests.ui.pages.browse_desk import click_arrow, key_of, keys, linked, rows, settle

pytestmark = pytest.mark.server
TABLE = "SocialEdges"
FOLLOWERS = ["ACTOR#2f6b", "ACTOR#alice"]
"""Of TARGET#bob, by name and among others."""


@pytest.fixture(scope="module")
def elsewhere(ministack: str) -> Iterator[Workspace]:
    """A connection to an emulator that serves requests at the same time, with the sandbox's table by another name."""
    social = next(table for table in sample_tables(0.1) if table.name == "Social")
    seed(ministack, [replace(social, name=TABLE, create=social.create | {"TableName": TABLE})])
    profile = Profile("5e1ec7ed", "elsewhere", "endpoint", "dummy", endpoint_url=ministack, stage="dev")
    opened = open_workspace(profile, Ticket())
    yield opened
    opened.close()


@pytest.fixture(params=["on the sandbox", "elsewhere"])
def page(
    request: pytest.FixtureRequest, workspace: Workspace, elsewhere: Workspace, qapp: QApplication, qtbot: QtBot
) -> Iterator[BrowsePage]:
    connection, table = (workspace, "Social") if request.param == "on the sandbox" else (elsewhere, TABLE)
    runner = JobRunner(threads=2)
    errors: list[BaseException] = []
    runner.error_raised.connect(errors.append)
    page = BrowsePage(connection.catalog.describe(table, Ticket()), connection.reader, runner)
    qtbot.addWidget(page)
    page.resize(1224, 810)
    page.show()
    page.activateWindow()
    settle(qtbot, page)
    yield page
    assert runner.shutdown()
    runner.deleteLater()
    assert errors == []


def walk_down(qtbot: QtBot, page: BrowsePage, pane: CollectionPane, text: str) -> None:
    """With the arrow keys, from the top."""
    assert pane.grid.hasFocus()
    keys(page, "Ctrl+Home")
    for _ in range(pane.model.rowCount()):
        if pane.model.index(pane.grid.currentIndex().row(), 0).data() == text:
            break
        QTest.keyClick(pane.grid, Qt.Key.Key_Down)
    assert pane.model.index(pane.grid.currentIndex().row(), 0).data() == text
    settle(qtbot, page)


def query(qtbot: QtBot, page: BrowsePage, key: str) -> None:
    field = page.form.partition[0]
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, key)
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, page)


def at_the_followers(page: BrowsePage) -> None:
    """Alice's own edges at the left, all edges to bob at the right, hers selected."""
    assert rows(page.left)[0] == "[ACTOR#alice]"
    assert rows(page.right)[0] == "[TARGET#bob]"
    assert set(FOLLOWERS) <= set(rows(page.right))
    assert key_of(page.right.current) == "ACTOR#alice/TARGET#bob"
    assert linked(page.left) == "ACTOR#alice/TARGET#bob"


def there_and_back(
    qtbot: QtBot, page: BrowsePage, follow: Callable[[CollectionPane, str], object], back: Callable[[], object]
) -> None:
    follow(page.left, "TARGET#bob")
    assert page.right.grid.hasFocus()
    at_the_followers(page)
    follow(page.right, "ACTOR#2f6b")
    assert page.left.grid.hasFocus()
    assert rows(page.left)[0] == "[ACTOR#2f6b]"
    assert key_of(page.left.current) == "ACTOR#2f6b/TARGET#bob"
    assert rows(page.right)[0] == "[TARGET#bob]"
    back()
    settle(qtbot, page)
    at_the_followers_again = rows(page.left)[0], rows(page.right)[0]
    assert at_the_followers_again == ("[ACTOR#alice]", "[TARGET#bob]")
    back()
    settle(qtbot, page)
    assert key_of(page.left.current) == "ACTOR#alice/TARGET#bob"
    assert page.left.grid.hasFocus()


def test_along_an_edge_and_back_by_clicks(page: BrowsePage, qtbot: QtBot) -> None:
    query(qtbot, page, "ACTOR#alice")

    def follow(pane: CollectionPane, text: str) -> None:
        click_arrow(qtbot, page, pane, text)

    there_and_back(qtbot, page, follow, page.back)


def test_along_an_edge_and_back_by_keys_alone(page: BrowsePage, qtbot: QtBot) -> None:
    query(qtbot, page, "ACTOR#alice")
    for _ in range(40):
        if page.left.grid.hasFocus():
            break
        keys(page, "Tab")

    def follow(pane: CollectionPane, text: str) -> None:
        walk_down(qtbot, page, pane, text)
        keys(page, "Alt+Return")
        settle(qtbot, page)

    there_and_back(qtbot, page, follow, page.back)


def test_a_question_at_the_right_and_sides_swapped_by_keys_alone(page: BrowsePage, qtbot: QtBot) -> None:
    query(qtbot, page, "ACTOR#alice")
    keys(page, "Ctrl+Alt+Q")
    keys(page, "Ctrl+A")
    QTest.keyClicks(page.focusWidget(), "TARGET#alice")
    keys(page, "Return")
    settle(qtbot, page)
    assert rows(page.right)[0] == "[TARGET#alice]"
    assert "ACTOR#bob" in rows(page.right)
    keys(page, "Ctrl+Shift+B")
    settle(qtbot, page)
    assert rows(page.left)[0] == "[TARGET#alice]"
    assert rows(page.right)[0] == "[ACTOR#alice]"
    assert page.form.view.index == "GSI1"
