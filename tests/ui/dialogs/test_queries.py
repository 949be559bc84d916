"""The dialog of saved queries and the history, by keys; and the shelf behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.queries import Query
from dynodesk.domain.reads import QueryPlan, ScanPlan
from dynodesk.domain.statements import as_select
from dynodesk.domain.values import String
from dynodesk.store.queries import QueryStore
from dynodesk.ui.dialogs.queries import QueriesDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.query_shelf import QueryShelf
from tests.helpers.asking import FakeAsker

POST = QueryPlan("Social", {"PK": String("POST#a91f")})
USER = QueryPlan("Social", {"GSI1PK": String("USER#7c20")}, index="GSI1")
ALL = ScanPlan("Workspaces")
LIKES = as_select("SELECT *\nFROM Social WHERE PK = ?", (String("POST#<b>a91f</b>"),))
CTRL = Qt.KeyboardModifier.ControlModifier


class Desk:
    def __init__(self, path: Path, runner: JobRunner, qtbot: QtBot) -> None:
        self.path, self._runner, self._qtbot = path, runner, qtbot
        self.asker = FakeAsker()
        self.ran: list[Query] = []
        self.errors: list[BaseException] = []
        runner.error_raised.connect(self.errors.append)
        self.shelf = QueryShelf(QueryStore(path), runner, runner)

    def open(self, draft: Query | None = None) -> QueriesDialog:
        self.wait()
        dialog = QueriesDialog(self.shelf, self.ran.append, self.asker, draft)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        self._qtbot.addWidget(dialog)
        dialog.open()
        dialog.activateWindow()
        self._qtbot.waitUntil(dialog.isActiveWindow)
        return dialog

    def wait(self) -> None:
        self._qtbot.waitUntil(lambda: not self.shelf.is_writing)

    def filled(self) -> QueriesDialog:
        self.shelf.save(LIKES, "Likes of a post")
        for query in (POST, ALL, USER):
            self.shelf.remember(query)
        return self.open()


def shown(dialog: QueriesDialog) -> list[str]:
    """The last cell of each row."""
    model = dialog.model
    return [model.index(row, 3).data() for row in range(model.rowCount())]


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    runner = JobRunner(threads=2)
    yield runner
    assert runner.shutdown()
    runner.deleteLater()


@pytest.fixture
def desk(tmp_path: Path, runner: JobRunner, qtbot: QtBot) -> Desk:
    return Desk(tmp_path / "queries" / "0123.json", runner, qtbot)


def press(widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(widget, key, modifier)


def test_saved_come_first_and_the_newest_of_the_history_next(desk: Desk) -> None:
    dialog = desk.filled()
    assert shown(dialog) == [
        "SELECT * FROM Social WHERE PK = ? · POST#<b>a91f</b>",
        "GSI1PK = USER#7c20",
        "all items",
        "PK = POST#a91f",
    ]
    assert dialog.model.index(0, 0).data() == "Likes of a post"
    assert dialog.focusWidget() is dialog.search


def test_typing_filters_at_once_and_enter_runs_it(desk: Desk) -> None:
    dialog = desk.filled()
    QTest.keyClicks(dialog.search, "social post")
    assert shown(dialog) == ["SELECT * FROM Social WHERE PK = ? · POST#<b>a91f</b>", "PK = POST#a91f"]
    press(dialog.search, Qt.Key.Key_Down)
    press(dialog.search, Qt.Key.Key_Return)
    assert desk.ran == [POST]
    assert not dialog.isVisible()


def test_nothing_found_is_said_and_nothing_runs(desk: Desk) -> None:
    dialog = desk.filled()
    QTest.keyClicks(dialog.search, "nothing like it")
    assert shown(dialog) == []
    assert dialog.detail.toPlainText() == "No query has these words."
    press(dialog.search, Qt.Key.Key_Return)
    assert desk.ran == []
    assert dialog.isVisible()
    assert not dialog.run_button.isEnabled()


def test_delete_takes_one_of_the_history_away_for_good(desk: Desk) -> None:
    dialog = desk.filled()
    dialog.grid.setFocus()
    dialog.grid.selectRow(1)
    press(dialog.grid, Qt.Key.Key_Delete)
    assert "GSI1PK = USER#7c20" not in shown(dialog)
    assert dialog.current is not None
    assert dialog.current.query == ALL
    desk.wait()
    assert [kept.query for kept in QueryStore(desk.path).load().history] == [ALL, POST]


def test_a_saved_one_goes_only_after_a_question(desk: Desk) -> None:
    dialog = desk.filled()
    dialog.grid.setFocus()
    dialog.grid.selectRow(0)
    desk.asker.answer = False
    press(dialog.grid, Qt.Key.Key_Delete)
    assert len(desk.shelf.queries.saved) == 1
    assert desk.asker.questions[-1].text == "Remove “Likes of a post”?"
    desk.asker.answer = True
    press(dialog.grid, Qt.Key.Key_Delete)
    assert not desk.shelf.queries.saved


def test_one_of_the_history_is_saved_and_renamed_by_keys(desk: Desk) -> None:
    dialog = desk.filled()
    dialog.grid.setFocus()
    dialog.grid.selectRow(3)
    press(dialog.grid, Qt.Key.Key_D, CTRL | Qt.KeyboardModifier.ShiftModifier)
    assert dialog.focusWidget() is dialog.name
    QTest.keyClicks(dialog.name, "likes of A post")
    press(dialog.name, Qt.Key.Key_Return)
    assert dialog._problem.text() == "Likes of a post is the name of another saved query."
    dialog.name.clear()
    QTest.keyClicks(dialog.name, "A post")
    press(dialog.name, Qt.Key.Key_Return)
    assert [kept.name for kept in desk.shelf.queries.saved] == ["A post", "Likes of a post"]
    assert dialog.current is not None
    assert dialog.current.query == POST
    press(dialog.grid, Qt.Key.Key_F2)
    assert dialog.name.selectedText() == "A post"
    QTest.keyClicks(dialog.name, "Post")
    press(dialog.name, Qt.Key.Key_Return)
    desk.wait()
    assert [kept.name for kept in QueryStore(desk.path).load().saved] == ["Likes of a post", "Post"]


def test_what_the_form_asks_for_is_saved_without_being_run(desk: Desk) -> None:
    dialog = desk.open(draft=POST)
    assert dialog.focusWidget() is dialog.name
    assert dialog.model.index(0, 0).data() == "not run yet"
    assert not dialog.remove_button.isEnabled()
    QTest.keyClicks(dialog.name, "A post")
    press(dialog.name, Qt.Key.Key_Return)
    assert shown(dialog) == ["PK = POST#a91f"]
    assert [kept.name for kept in desk.shelf.queries.saved] == ["A post"]
    assert desk.shelf.queries.history == ()
    assert desk.ran == []
    assert dialog.isVisible()


def test_a_draft_that_is_in_the_history_is_found_there(desk: Desk) -> None:
    desk.shelf.remember(POST)
    desk.shelf.remember(ALL)
    dialog = desk.open(draft=POST)
    assert len(shown(dialog)) == 2
    assert dialog.current is not None
    assert dialog.current.query == POST


def test_a_name_being_typed_outlives_what_is_kept_meanwhile(desk: Desk) -> None:
    dialog = desk.filled()
    dialog.grid.selectRow(1)
    dialog.name.setFocus()
    QTest.keyClicks(dialog.name, "Half a na")
    desk.shelf.remember(LIKES)
    desk.wait()
    assert dialog.name.text() == "Half a na"
    assert dialog.current is not None
    assert dialog.current.query == USER


def test_tabs_show_the_saved_or_the_history(desk: Desk) -> None:
    dialog = desk.filled()
    dialog.tabs.setFocus()
    press(dialog.tabs, Qt.Key.Key_Right)
    assert len(shown(dialog)) == 1
    press(dialog.tabs, Qt.Key.Key_Right)
    assert len(shown(dialog)) == 3


def test_the_history_is_cleared_and_can_be_switched_off(desk: Desk) -> None:
    dialog = desk.filled()
    dialog.clear_button.click()
    assert "3 queries" in desk.asker.questions[-1].text
    assert len(shown(dialog)) == 1
    press(dialog.keep, Qt.Key.Key_Space)
    desk.shelf.remember(POST)
    desk.wait()
    kept = QueryStore(desk.path).load()
    assert kept.history == ()
    assert not kept.keeps
    assert b"a91f" not in desk.path.read_bytes().replace(b"POST#<b>a91f</b>", b"")
    assert len(kept.saved) == 1


def test_what_another_program_kept_is_not_lost(desk: Desk) -> None:
    desk.wait()
    other = QueryStore(desk.path)
    other.change(lambda queries: queries.with_run(ALL, "2026-01-01T12:00:00+00:00"))
    desk.shelf.remember(POST)
    desk.wait()
    assert [kept.query for kept in desk.shelf.queries.history] == [POST, ALL]


def test_a_file_that_cannot_be_written_is_told_and_the_queries_hold(desk: Desk) -> None:
    desk.wait()
    desk.path.parent.mkdir(parents=True)
    desk.path.write_text('{"version": 99}')
    desk.shelf.remember(POST)
    desk.wait()
    assert [kept.query for kept in desk.shelf.queries.history] == [POST]
    (error,) = desk.errors
    assert "newer version" in str(error)
    assert desk.path.read_text() == '{"version": 99}'


def test_a_damaged_file_is_told_of_in_the_dialog(tmp_path: Path, runner: JobRunner, qtbot: QtBot) -> None:
    path = tmp_path / "queries" / "0123.json"
    path.parent.mkdir()
    path.write_bytes(b"{")
    path.chmod(0o600)
    dialog = Desk(path, runner, qtbot).open()
    assert "could not be read" in dialog._notice.text()
    assert dialog.detail.toPlainText() == "Nothing is kept yet."


def test_every_control_has_a_name(desk: Desk) -> None:
    dialog = desk.filled()
    controls = [
        widget
        for widget in dialog.findChildren(QWidget)
        if widget.isVisibleTo(dialog)
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.objectName().startswith("qt_")
    ]
    assert len(controls) > 8
    nameless = [
        type(widget).__name__
        for widget in controls
        if not (widget.accessibleName() or QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name))
    ]
    assert nameless == []
