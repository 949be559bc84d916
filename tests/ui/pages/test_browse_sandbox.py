"""Journeys through the Browse page on the sandbox: a real server, the real reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import Collection
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Number, String
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_inspector import JSON
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.ui.theme import CELL
from dynodesk.wiring import Workspace

pytestmark = pytest.mark.server
Open = Callable[[str], BrowsePage]


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    runner = JobRunner(threads=2)
    errors: list[BaseException] = []
    runner.error_raised.connect(errors.append)
    yield runner
    assert runner.shutdown()
    runner.deleteLater()
    assert errors == []


@pytest.fixture
def open_page(workspace: Workspace, runner: JobRunner, qtbot: QtBot) -> Open:
    def open_page(table: str) -> BrowsePage:
        page = BrowsePage(workspace.catalog.describe(table, Ticket()), workspace.reader, runner)
        qtbot.addWidget(page)
        page.resize(1224, 810)
        page.show()
        page.activateWindow()
        settle(qtbot, page)
        return page

    return open_page


def settle(qtbot: QtBot, page: BrowsePage) -> None:
    qtbot.waitUntil(lambda: not page.left.feed.running and not page.right.feed.running and not page.links.busy)


def ask(qtbot: QtBot, page: BrowsePage, partition: str) -> None:
    field = page.form.partition[0]
    field.setText(partition)
    QTest.keySequence(field, QKeySequence("Ctrl+Return"))
    settle(qtbot, page)


def rows(pane: CollectionPane) -> list[str]:
    return [
        f"[{line.title}]" if isinstance(line, Collection) else pane.model.index(row, 0).data()
        for row, line in enumerate(pane.model.rows.lines)
    ]


def linked(pane: CollectionPane) -> str:
    entry = pane.model.linked_entry
    return "" if entry is None else "/".join(part[1:] for part in entry.identity)


def test_from_a_post_to_the_user_who_likes_it_to_another_post_and_back(open_page: Open, qtbot: QtBot) -> None:
    page = open_page("Social")
    assert page.left.foot == "First 100 items read, more in the table"
    ask(qtbot, page, "POST#a91f")
    assert len(rows(page.left)) == 1 + 38
    assert rows(page.left)[:2] == ["[POST#a91f]", "META"]
    assert rows(page.left)[2:] == sorted(rows(page.left)[2:])

    page.left.grid.setFocus()
    QTest.keyClick(page.left.grid, Qt.Key.Key_Home)
    while rows(page.left)[page.left.grid.currentIndex().row()] != "LIKE#USER#7c20":
        QTest.keyClick(page.left.grid, Qt.Key.Key_Down)
    settle(qtbot, page)
    assert rows(page.right)[0] == "[USER#7c20]"
    assert len(rows(page.right)) == 1 + 12
    assert linked(page.right) == "POST#a91f/LIKE#USER#7c20"
    assert "not projected" in page.right.foot

    other = rows(page.right)[2]
    page.right.grid.setFocus()
    page.right.grid.setCurrentIndex(page.right.model.index(2, 0))
    QTest.keyClick(page.right.grid, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert rows(page.left)[0] == f"[{other}]"
    assert page.left.current is not None
    assert page.left.current.item["SK"] == String("LIKE#USER#7c20")
    assert linked(page.right) == f"{other}/LIKE#USER#7c20"

    assert page.back()
    settle(qtbot, page)
    assert rows(page.left)[0] == "[POST#a91f]"
    assert linked(page.right) == "POST#a91f/LIKE#USER#7c20"


def test_a_viral_post_streams_in_whole_and_finds_a_far_half(open_page: Open, qtbot: QtBot) -> None:
    page = open_page("Social")
    ask(qtbot, page, "POST#e001")
    assert len(page.left.model.rows.entries) == 801
    assert page.result.endswith("end of collection")
    last = page.left.model.rows.entries[-2]
    page.left.grid.select(last)
    settle(qtbot, page)
    assert linked(page.right) == "/".join(part[1:] for part in last.identity)


def test_the_sharp_sign_quotes_and_spaces_of_a_key_are_kept(open_page: Open, qtbot: QtBot) -> None:
    page = open_page("Social")
    ask(qtbot, page, 'POST#l\'été "25" #2')
    assert rows(page.left)[:2] == ['[POST#l\'été "25" #2]', "META"]
    assert len(page.left.model.rows.entries) == 4


def test_a_number_key_is_compared_by_value_and_exactly(open_page: Open, qtbot: QtBot) -> None:
    page = open_page("Readings")
    ask(qtbot, page, "d-1")
    all_of_them = [entry.item["at"] for entry in page.left.model.rows.entries]
    page.form.operator.setCurrentText("=")
    assert page.form.low is not None
    for typed in ("0", "9007199254740993", "-12.0"):
        page.form.low.setText(typed)
        page.run()
        settle(qtbot, page)
        assert [entry.item["at"] for entry in page.left.model.rows.entries] == [Number(typed)]
    page.form.operator.setCurrentText("any")
    page.form.order.setCurrentText("descending")
    page.run()
    settle(qtbot, page)
    assert [entry.item["at"] for entry in page.left.model.rows.entries] == all_of_them[::-1]


def test_every_value_of_the_type_zoo_is_shown_and_copied(open_page: Open, qtbot: QtBot) -> None:
    page = open_page("TypeZoo")
    while page.left.more.isVisible():
        QTest.mouseClick(page.left.more, Qt.MouseButton.LeftButton)
        settle(qtbot, page)
    model, grid = page.left.model, page.left.grid
    kinds = set()
    for row in range(model.rowCount()):
        entry = model.entry(model.index(row, 0))
        if entry is None:
            continue
        for column, name in enumerate(model.columns):
            index = model.index(row, column)
            kinds.add(index.data(CELL).kind)
            assert isinstance(index.data(), str)
            if isinstance(value := entry.item.get(name), String):
                grid.setCurrentIndex(index)
                grid.copy_value()
                assert QGuiApplication.clipboard().text() == value.text
        page.inspector.show_entry(entry, model.view)
        page.inspector.show_as(JSON)
        assert page.inspector.text.toPlainText()
    assert kinds >= {"key", "S", "N", "B", "set", "map", "bool", "null", "empty", "missing"}
    page.grab()
