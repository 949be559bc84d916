"""Edits from the row to the server and back, by clicks and keys: through an index, against others, by the thousand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import String
from dynodesk.editing.log import EditLog
from dynodesk.gui import edit_tools, repair_tools
from dynodesk.ui.dialogs.bulk import BulkDialog
from dynodesk.ui.dialogs.commit import VERSIONS, CommitDialog
from dynodesk.ui.dialogs.journal import JournalDialog
from dynodesk.ui.dialogs.journal_door import JournalDoor
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_changes import Changes
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.ui.staging import Staging
from dynodesk.wiring import Workspace, open_journal, open_workspace
from tests.aws.tables import likes, make_table, plain_client, profile, unique
from tests.faults.proxy import FaultProxy, LeaveOut
from tests.helpers.asking import FakeAsker

AnyDialog = TypeVar("AnyDialog", bound=QDialog)
PATIENCE = 60_000
"""Milliseconds."""
META = {
    "PK": {"S": "POST#a91f"},
    "SK": {"S": "META"},
    "actor": {"S": "ann"},
    "likes": {"N": "41"},
    "note": {"S": "see\u00a0you\r\nthere\u2028\u0007"},
    "tags": {"SS": ["b", "a"]},
    "price": {"N": "1E+2"},
    "blob": {"B": b"\x00\xff"},
    "nested": {"M": {"a.b": {"NULL": True}, "empty": {"S": ""}, "list": {"L": [{"BOOL": False}]}}},
}


class Window:
    """A page over a connection of its own, as a program of its own has it."""

    def __init__(self, workspace: Workspace, table: str, runner: JobRunner, qtbot: QtBot) -> None:
        self.workspace, self.runner, self._qtbot = workspace, runner, qtbot
        self.staging = Staging()
        self.messages = MessageBar()
        qtbot.addWidget(self.messages)
        self.table = workspace.catalog.describe(table, Ticket())
        self.page = BrowsePage(self.table, workspace.reader, runner)
        qtbot.addWidget(self.page)
        tools = edit_tools(workspace)
        asker = FakeAsker()
        journal = JournalDoor(self.page, self.staging, tools, repair_tools(workspace), runner, asker, self.messages)
        self.changes = Changes(self.page, self.staging, tools, runner, self.messages, self._go_to, journal)
        self.page.resize(1300, 820)
        self.page.show()
        self.come()
        self.settle()

    def _go_to(self, *_place: object) -> None:
        raise AssertionError("nobody leaves the table here")

    def come(self) -> None:
        self.page.activateWindow()
        self.wait(self.page.isActiveWindow)

    def wait(self, condition: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(condition, timeout=PATIENCE)

    def settle(self) -> None:
        self.wait(lambda: not self.page.left.feed.running and not self.page.right.feed.running)
        self.wait(lambda: not self.page.left.arranger.busy)

    def press(self, widget: QWidget, keys: str) -> None:
        QTest.keySequence(widget, QKeySequence(keys))

    def click(self, widget: QWidget) -> None:
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)

    def dialog(self, kind: type[AnyDialog]) -> AnyDialog:
        self.wait(lambda: any(one.isVisible() for one in self.page.findChildren(kind)))
        return next(one for one in self.page.findChildren(kind) if one.isVisible())

    def close(self, dialog: QDialog) -> None:
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        self.come()

    def ask(self, partition: str) -> None:
        field = self.page.form.partition[0]
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, partition)
        self.press(field, "Ctrl+Return")
        self.settle()

    def click_row(self, text: str) -> None:
        """The row that says `text` in any of its columns."""
        pane = self.page.left
        row = next(row for row in range(pane.model.rowCount()) if text in row_texts(pane, row))
        pane.grid.scrollTo(pane.model.index(row, 0))
        at = pane.grid.visualRect(pane.model.index(row, 0)).center() + QPoint(2, 0)
        QTest.mouseClick(pane.grid.viewport(), Qt.MouseButton.LeftButton, pos=at)

    def type_value(self, attribute: str, value: str) -> None:
        """Edit the selected item: F2, go to the attribute, type, Enter; then stage it."""
        inspector = self.page.inspector
        self.press(self.page.left.grid, "F2")
        self.wait(lambda: inspector.is_editing)
        inspector.tree.go_to(attribute)
        inspector.tree.edit_value()
        field = QApplication.focusWidget()
        assert field is not None
        self.press(field, "Ctrl+A")
        QTest.keyClicks(field, value)
        QTest.keyClick(field, Qt.Key.Key_Return)
        self.wait(lambda: QApplication.focusWidget() is inspector.tree)
        self.wait(lambda: inspector.is_changed and not inspector.is_judging)
        self.press(inspector.tree, "Ctrl+Return")
        self.wait(lambda: not inspector.is_editing)

    def commit(self) -> CommitDialog:
        """Ctrl+S, the name where it is asked for, and the button."""
        self.press(self.page.left.grid, "Ctrl+S")
        dialog = self.dialog(CommitDialog)
        if dialog.approval.isVisible():
            QTest.keyClicks(dialog.approval.field, self.table.name)
        self.click(dialog.go_button)
        self.wait(lambda: dialog.state == "over")
        return dialog


def row_texts(pane: CollectionPane, row: int) -> list[str]:
    return [str(pane.model.index(row, column).data()) for column in range(pane.model.columnCount())]


def outcomes(dialog: CommitDialog) -> list[str]:
    return [str(dialog.rows.index(row, 4).data()) for row in range(dialog.rows.rowCount())]


@pytest.fixture(scope="module", params=["moto", "ministack"])
def server(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def url(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A server; what is written is in a journal of this test alone."""
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    return server


OpenWindow = Callable[[str, str], Window]


@pytest.fixture
def open_window(dressed_application: QApplication, qtbot: QtBot) -> Iterator[OpenWindow]:
    runners: list[JobRunner] = []
    workspaces: list[Workspace] = []

    def opened(url: str, table: str) -> Window:
        runners.append(JobRunner(threads=2))
        workspaces.append(open_workspace(profile(url, read_only=False), Ticket()))
        return Window(workspaces[-1], table, runners[-1], qtbot)

    yield opened
    for runner in runners:
        assert runner.shutdown()
        runner.deleteLater()
    for workspace in workspaces:
        workspace.close()


@pytest.fixture
def posts(url: str) -> tuple[Any, str]:
    """A table with an index of keys only, and one post in it."""
    client: Any = plain_client(url)
    name = unique("posts")
    client.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in ("PK", "SK", "actor")],
        BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[
            {
                "IndexName": "ByActor",
                "KeySchema": [{"AttributeName": "actor", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    )
    client.put_item(TableName=name, Item=META)
    return client, name


def stored(client: Any, table: str) -> Any:
    key = {"PK": META["PK"], "SK": META["SK"]}
    return client.get_item(TableName=table, Key=key, ConsistentRead=True)["Item"]


def test_a_number_is_edited_in_a_row_of_a_keys_only_index(
    url: str, posts: tuple[Any, str], open_window: OpenWindow
) -> None:
    client, table = posts
    before = stored(client, table)
    window = open_window(url, table)
    window.page.open_collection({"actor": String("ann")}, index="ByActor")
    window.settle()
    window.click_row("META")
    assert window.page.left.current is not None
    assert set(window.page.left.current.item) == {"PK", "SK", "actor"}
    window.type_value("likes", "42")
    dialog = window.commit()
    assert outcomes(dialog) == ["applied"]
    window.close(dialog)
    assert stored(client, table) == {**before, "likes": {"N": "42"}}
    (write,) = EditLog.of(open_journal().records()).edits.values()
    assert [str(change.path) for change in write.changes] == ["likes"]


def test_the_second_window_sees_what_the_first_has_made_of_the_item(
    url: str, posts: tuple[Any, str], open_window: OpenWindow
) -> None:
    client, table = posts
    before = stored(client, table)
    first, second = open_window(url, table), open_window(url, table)
    for window, number in ((first, "50"), (second, "60")):
        window.come()
        window.click_row("META")
        window.type_value("likes", number)
    first.come()
    first.close(first.commit())
    second.come()
    dialog = second.commit()
    assert outcomes(dialog) == ["lost race"]
    assert dialog.page == VERSIONS
    model = dialog.race.model
    assert [model.index(0, column).data() for column in range(5)] == ["likes", "41", "50", "60", "conflict: choose"]
    assert stored(client, table) == {**before, "likes": {"N": "50"}}
    assert not dialog.race.keep_button.isEnabled()
    second.click(dialog.race.mine_here)
    second.click(dialog.race.keep_button)
    assert stored(client, table)["likes"] == {"N": "50"}  # choosing writes nothing
    second.close(dialog)
    again = second.commit()
    assert outcomes(again) == ["applied"]
    assert stored(client, table) == {**before, "likes": {"N": "60"}}
    second.click(again.undo_button)
    undo = second.dialog(CommitDialog)
    second.click(undo.go_button)
    second.wait(lambda: undo.state == "over")
    second.close(undo)
    assert stored(client, table) == {**before, "likes": {"N": "50"}}
    assert "50" in row_texts(second.page.left, second.page.left.model.rowCount() - 1)


def test_a_thousand_staged_deletions_with_a_third_left_out_at_first(url: str, open_window: OpenWindow) -> None:
    client: Any = plain_client(url)
    table = make_table(client)
    for start in range(0, 1_000, 25):
        puts = [{"PutRequest": {"Item": item}} for item in likes(1_000)[start : start + 25]]
        client.batch_write_item(RequestItems={table: puts})
    with FaultProxy(url) as proxy:
        window = open_window(proxy.url, table)
        window.ask("POST#a91f")
        grid = window.page.left.grid
        grid.setFocus()
        window.press(grid, "Ctrl+A")
        window.press(grid, "Shift+Del")
        bulk = window.dialog(BulkDialog)
        window.wait(lambda: bulk.tried is not None)
        window.click(bulk.stage_button)
        window.come()
        assert len(window.staging) == 1_000
        assert client.scan(TableName=table, Select="COUNT")["Count"] == 1_000  # nothing is written by staging
        proxy.always("BatchWriteItem", LeaveOut(1 / 3))
        window.press(grid, "Ctrl+S")
        dialog = window.dialog(CommitDialog)
        window.click(dialog.unguarded)
        QTest.keyClicks(dialog.approval.field, table)
        window.click(dialog.go_button)
        window.wait(lambda: dialog.state == "over")
        assert set(outcomes(dialog)) == {"applied"}
        assert "320 deletions were left out at first and sent again" in dialog.outcome.said
        window.close(dialog)
        window.settle()
        assert client.scan(TableName=table, Select="COUNT")["Count"] == 0
        assert len(window.staging) == 0
        assert window.page.left.model.rowCount() == 0
        batches = EditLog.of(open_journal().records()).batches.values()
        assert [len(batch.writes) for batch in batches] == [25, 8] * 40
        assert sum(len(batch.writes) - batch.left_out for batch in batches) == 1_000
        window.press(grid, "Ctrl+J")
        journal = window.dialog(JournalDialog)
        window.wait(journal.verify_button.isEnabled)
        assert journal.model.rowCount() == 80
        window.close(journal)
