"""The Browse page by keys and clicks, over items in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QStackedWidget, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import Collection, Entry
from dynodesk.domain.errors import DynodeskError, Throttled
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Number, String
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_inspector import DYNAMODB_JSON, JSON
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.ui.theme import CELL
from dynodesk.ui.widgets.layouts import column
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import NAMES, READINGS, SOCIAL, like, post, reading, social_items

Open = Callable[..., BrowsePage]


@pytest.fixture
def reader() -> MemoryReader:
    reader = MemoryReader(SOCIAL, READINGS, NAMES)
    reader.put("Social", *social_items())
    return reader


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    runner = JobRunner(threads=2)
    yield runner
    assert runner.shutdown()
    runner.deleteLater()


@pytest.fixture
def open_page(reader: MemoryReader, runner: JobRunner, qtbot: QtBot) -> Open:
    def open_page(table: TableInfo = SOCIAL, index: str | None = None) -> BrowsePage:
        page = BrowsePage(table, reader, runner, index)
        qtbot.addWidget(page)
        page.resize(1224, 810)
        page.show()
        page.activateWindow()
        settle(qtbot, page)
        return page

    return open_page


def settle(qtbot: QtBot, page: BrowsePage) -> None:
    """Wait until nothing is read or waits to be read."""
    qtbot.waitUntil(lambda: not page.left.feed.running and not page.right.feed.running and not page.links.busy)


def ask(qtbot: QtBot, page: BrowsePage, partition: str) -> None:
    field = page.form.partition[0]
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, partition)
    QTest.keySequence(field, QKeySequence("Ctrl+Return"))
    settle(qtbot, page)


def rows(pane: CollectionPane) -> list[str]:
    """Headers in brackets, items by the text of their first column."""
    lines = pane.model.rows.lines
    return [
        f"[{line.title}]" if isinstance(line, Collection) else pane.model.index(row, 0).data()
        for row, line in enumerate(lines)
    ]


def press(widget: QWidget, key: Qt.Key, times: int = 1) -> None:
    for _ in range(times):
        QTest.keyClick(widget, key)


def linked(pane: CollectionPane) -> str:
    entry = pane.model.linked_entry
    return "" if entry is None else key_of(entry)


def key_of(entry: Entry | None) -> str:
    assert entry is not None
    pk, sk = entry.item["PK"], entry.item["SK"]
    assert isinstance(pk, String)
    assert isinstance(sk, String)
    return f"{pk.text} {sk.text}"


def select(qtbot: QtBot, pane: CollectionPane, text: str) -> None:
    """Click the row whose first column says `text`."""
    index = pane.model.index(rows(pane).index(text), 0)
    QTest.mouseClick(
        pane.grid.viewport(), Qt.MouseButton.LeftButton, pos=pane.grid.visualRect(index).center() + QPoint(2, 0)
    )


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


# ------------------------------------------------------------------------------------------------------- reading


def test_keys_work_beside_the_page_for_the_tab_that_is_seen(
    reader: MemoryReader, runner: JobRunner, qtbot: QtBot
) -> None:
    hidden, seen = (BrowsePage(SOCIAL, reader, runner) for _ in range(2))
    window, beside, tabs = QWidget(), QLineEdit(), QStackedWidget()
    window.setLayout(column(beside, tabs))
    for page in (hidden, seen):
        tabs.addWidget(page)
        tabs.setCurrentWidget(page)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    settle(qtbot, seen)
    qtbot.waitUntil(window.isActiveWindow)
    beside.setFocus()
    asked = len(reader.asked)
    QTest.keySequence(beside, QKeySequence("F5"))
    settle(qtbot, seen)
    assert len(reader.asked) == asked + 1
    for key, action in (("Ctrl+G", "grouped"), ("Ctrl+L", "linked"), ("Ctrl+B", "beside")):
        QTest.keySequence(beside, QKeySequence(key))
        switched = [[a.isChecked() for a in page.actions() if a.objectName() == action] for page in (hidden, seen)]
        assert switched == [[True], [False]], key


def test_a_first_visit_shows_one_page_and_says_that_there_is_more(
    open_page: Open, reader: MemoryReader, qtbot: QtBot
) -> None:
    reader.put("Readings", *(reading(f"d{at % 7}", str(at)) for at in range(1500)))
    page = open_page(READINGS)
    assert [(type(plan), plan.page_limit) for plan, _ in reader.asked] == [(ScanPlan, 100)]
    assert len(page.left.model.rows.entries) == 100
    assert page.left.foot == "First 100 items read, more in the table"
    assert "more in the table" in page.result
    QTest.mouseClick(page.left.more, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert page.left.foot == "First 1,100 items read, more in the table"
    assert len(reader.asked) == 2
    QTest.keySequence(page.left.grid, QKeySequence("Ctrl+Shift+Return"))
    settle(qtbot, page)
    assert page.left.foot == "Complete: 1,500 of 1,500 rows loaded"
    assert not page.left.more.isVisible()


def test_the_button_names_the_operation_its_reason_and_cost(open_page: Open, qtbot: QtBot) -> None:
    page = open_page(replace(SOCIAL, item_count_estimate=2000, size_bytes_estimate=400_000))
    assert page.run_button.text() == "Scan (no partition key) · about 24.5 RCU, old estimate"
    assert "6 hours old" in page.run_button.accessibleDescription()
    QTest.keyClicks(page.form.partition[0], "POST#a91f")
    assert page.run_button.text() == "Query · from 0.5 RCU"
    page.form.consistent.setChecked(True)
    assert page.run_button.text() == "Query · from 1 RCU"
    page.run()
    settle(qtbot, page)
    assert page.run_button.text() == "Query · about 1 RCU", "its size is known now"


def test_a_query_shows_the_collection_with_its_parent_on_top(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    assert rows(page.left) == ["[POST#a91f]", "META", "LIKE#USER#0a", "LIKE#USER#7c20", "LIKE#USER#ff"]
    assert page.result == "4 items 1 page · 0.5 RCU · 1 ms · end of collection"
    assert page.windowTitle() == "Social: POST#a91f"
    assert page.left.foot == "Complete: 4 of 4 rows loaded"


def test_nothing_found_says_what_was_read(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#none")
    assert page.left.message == "0 items, 1 page, 0 read. Nothing else is in this collection."
    assert page.left.grid.accessibleDescription() == page.left.message


def test_a_mistake_in_the_form_is_shown_there_and_nothing_is_read(
    open_page: Open, reader: MemoryReader, qtbot: QtBot
) -> None:
    page = open_page()
    before = len(reader.asked)
    page.form.partition[0].setText("POST#a91f")
    page.form.operator.setCurrentText("=")
    QTest.mouseClick(page.run_button, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert len(reader.asked) == before
    assert page.form.low is not None
    assert page.form.low.property("invalid")


def test_stop_keeps_the_rows_and_says_so(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    page = open_page()
    reader.put("Readings", *(reading("d", str(at)) for at in range(10)))
    gate, waiting = threading.Event(), threading.Event()

    def wait(_plan: ReadPlan) -> None:
        waiting.set()
        assert gate.wait(5)

    reader.before_page = wait
    page.form.partition[0].setText("POST#a91f")
    QTest.mouseClick(page.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: waiting.is_set() and page.stop_button.isVisible())
    assert not page.run_button.isVisible()
    QTest.mouseClick(page.stop_button, Qt.MouseButton.LeftButton)
    gate.set()
    settle(qtbot, page)
    assert page.result.endswith("stopped, more in the collection")
    assert page.run_button.isVisible()
    assert page.left.more.isVisible()
    QTest.mouseClick(page.left.more, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert len(rows(page.left)) == 5


def test_a_failure_is_raised_once_and_shown_as_unfinished(
    open_page: Open, reader: MemoryReader, runner: JobRunner, qtbot: QtBot
) -> None:
    page = open_page()
    errors: list[DynodeskError] = []
    settled: list[DynodeskError] = []
    runner.error_raised.connect(errors.append)
    runner.error_settled.connect(settled.append)

    def refuse(_plan: ReadPlan) -> None:
        raise Throttled("Social is over its read capacity.")

    reader.before_page = refuse
    ask(qtbot, page, "POST#a91f")
    assert [str(error) for error in errors] == ["Social is over its read capacity."]
    assert page.left.message.startswith("0 items, 0 pages, 0 read. Reading failed")
    assert page.left.foot == "Reading failed before anything was read, 0 rows loaded"
    assert settled == []
    reader.before_page = lambda _plan: None
    QTest.keySequence(page.left.grid, QKeySequence("F5"))
    settle(qtbot, page)
    assert len(rows(page.left)) == 5
    assert settled == errors  # the message of a failure goes with the next success


def test_what_failed_is_tried_again_from_where_it_stopped(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    reader.put("Readings", *(reading("d", str(at)) for at in range(40)))
    page = open_page(READINGS)
    page.form.options.page.setCurrentText("25")

    def refuse_second(_plan: ReadPlan) -> None:
        if len(reader.asked) > asked + 1:
            raise Throttled("Readings is over its read capacity.")

    asked = len(reader.asked)
    reader.before_page = refuse_second
    ask(qtbot, page, "d")
    assert page.left.foot == "Reading failed after 25 items read, 25 rows loaded"
    assert (page.left.more.text(), page.left.more.accessibleName()) == ("Try again", "Try again")
    reader.before_page = lambda _plan: None
    QTest.mouseClick(page.left.more, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert page.left.foot == "Complete: 40 of 40 rows loaded"


def test_a_table_without_indexes_has_one_side(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    reader.put("Names", {"id": String("USER#1")}, {"id": String("USER#2")})
    page = open_page(NAMES)
    assert not page.right.isVisible()
    assert "linked" not in {action.objectName() for action in page.actions()}


def test_without_a_sort_key_no_heading_stands_over_each_item(open_page: Open, reader: MemoryReader) -> None:
    reader.put("Names", {"id": String("USER#1")}, {"id": String("USER#2")})
    page = open_page(NAMES)
    assert sorted(rows(page.left)) == ["USER#1", "USER#2"]
    QTest.keySequence(page.left.grid, QKeySequence("Ctrl+G"))
    assert sorted(rows(page.left)) == ["USER#1", "USER#2", "[USER#1]", "[USER#2]"]


def test_opened_on_an_index_the_base_table_stands_beside_it(open_page: Open, qtbot: QtBot) -> None:
    page = open_page(SOCIAL, "GSI1")
    assert page.left.view.index == "GSI1"
    assert page.right.view.index is None
    assert page.windowTitle() == "Social.GSI1"
    assert not page.form.consistent.isEnabled()


# -------------------------------------------------------------------------------------------- links, edges, back


def test_selecting_a_like_shows_its_users_collection_with_the_same_item_linked(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    assert rows(page.right) == ["[USER#7c20]", "POST#a91f", "POST#b002", "POST#c310"]
    assert linked(page.right) == "POST#a91f LIKE#USER#7c20"
    assert page.right.foot == "kind, reactions are not projected"
    assert page.right.model.columns[-2:] == ("kind", "reactions")


def test_arrow_keys_drive_the_other_side_too_and_only_where_they_rest(
    open_page: Open, reader: MemoryReader, qtbot: QtBot
) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    page.left.grid.setFocus()
    before = len(reader.asked)
    press(page.left.grid, Qt.Key.Key_Home)
    press(page.left.grid, Qt.Key.Key_Down, times=4)
    settle(qtbot, page)
    assert key_of(page.left.current) == "POST#a91f LIKE#USER#ff"
    assert rows(page.right) == ["[USER#ff]", "POST#a91f"]
    assert len(reader.asked) == before + 1, "the rows passed over cost nothing"


def test_an_item_that_a_sparse_index_does_not_hold(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    before = len(reader.asked)
    select(qtbot, page.left, "META")
    settle(qtbot, page)
    assert page.right.message.startswith("Not in GSI1")
    assert "GSI1PK" in page.right.message
    assert "sparse" in page.right.message
    assert rows(page.right) == []
    assert len(reader.asked) == before
    select(qtbot, page.left, "LIKE#USER#0a")
    settle(qtbot, page)
    assert rows(page.right) == ["[USER#0a]", "POST#a91f"]


def test_selecting_at_the_right_drives_the_left_and_back_returns(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    for name in ("POST#b002", "POST#c310"):
        select(qtbot, page.right, name)
        settle(qtbot, page)
        assert rows(page.left)[0] == f"[{name}]"
        assert linked(page.left) == f"{name} LIKE#USER#7c20"
        assert rows(page.right)[0] == "[USER#7c20]", "the side one is on stays"
        assert page.form.partition[0].text() == name
    assert page.back()
    settle(qtbot, page)
    assert page.form.partition[0].text() == "POST#a91f", "what was only shown in passing is no stop on the way"
    assert key_of(page.left.current) == "POST#a91f LIKE#USER#7c20"


def test_following_an_edge_and_coming_back(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    page.right.grid.setFocus()
    page.right.grid.select(page.right.model.rows.entries[1])
    press(page.right.grid, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert rows(page.left)[0] == "[POST#b002]"
    assert key_of(page.left.current) == "POST#b002 LIKE#USER#7c20"
    assert page.left.grid.hasFocus()
    assert linked(page.right) == "POST#b002 LIKE#USER#7c20"
    assert page.windowTitle() == "Social: POST#b002"
    before = len(reader.asked)
    assert page.back()
    settle(qtbot, page)
    assert rows(page.left)[0] == "[POST#a91f]"
    assert key_of(page.left.current) == "POST#a91f LIKE#USER#7c20"
    assert page.form.partition[0].text() == "POST#a91f"
    assert page.forward()
    settle(qtbot, page)
    assert key_of(page.left.current) == "POST#b002 LIKE#USER#7c20"
    assert not page.forward()
    assert len(reader.asked) == before, "what was read is kept with the visit"


def test_double_click_and_alt_enter_follow_too(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    select(qtbot, page.right, "POST#c310")
    QTest.mouseDClick(
        page.right.grid.viewport(),
        Qt.MouseButton.LeftButton,
        pos=page.right.grid.visualRect(page.right.model.index(3, 0)).center(),
    )
    settle(qtbot, page)
    assert key_of(page.left.current) == "POST#c310 LIKE#USER#7c20"
    assert page.left.grid.hasFocus()
    QTest.keySequence(page.left.grid, QKeySequence("Alt+Return"))
    settle(qtbot, page)
    assert page.right.grid.hasFocus()
    assert key_of(page.right.current) == "POST#c310 LIKE#USER#7c20"


def test_the_menu_of_an_item_offers_to_follow_its_edge(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    menu = page.left.grid.menu_for(page.left.grid.currentIndex())
    follow = menu.actions()[0]
    assert (follow.text(), follow.isEnabled()) == ("Follow edge", True)
    follow.trigger()
    assert page.right.grid.hasFocus()
    assert key_of(page.right.current) == "POST#a91f LIKE#USER#7c20"
    menu.close()


def test_back_at_the_start_is_left_to_others(open_page: Open) -> None:
    page = open_page()
    assert not page.back()
    assert not page.forward()


def test_unlinked_sides_leave_each_other_alone(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    QTest.keySequence(page.left.grid, QKeySequence("Ctrl+L"))
    before = len(reader.asked)
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    assert rows(page.right) == []
    assert len(reader.asked) == before
    QTest.keySequence(page.left.grid, QKeySequence("Ctrl+L"))
    settle(qtbot, page)
    assert linked(page.right) == "POST#a91f LIKE#USER#7c20"


def test_one_index_beside_another_asks_the_item_for_keys_it_lacks(
    open_page: Open, reader: MemoryReader, qtbot: QtBot
) -> None:
    page = open_page(SOCIAL, "GSI1")
    page.beside.setCurrentText("GSI2")
    ask(qtbot, page, "USER#7c20")
    select(qtbot, page.left, "POST#b002")
    settle(qtbot, page)
    assert rows(page.right)[0] == "[like]"
    assert linked(page.right) == "POST#b002 LIKE#USER#7c20"


def test_an_item_that_cannot_be_fetched_for_its_keys(
    open_page: Open, reader: MemoryReader, runner: JobRunner, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Throttled("Social is over its read capacity.")

    errors: list[BaseException] = []
    runner.error_raised.connect(errors.append)
    page = open_page(SOCIAL, "GSI1")
    page.beside.setCurrentText("GSI2")
    ask(qtbot, page, "USER#7c20")
    with monkeypatch.context() as patched:
        patched.setattr(reader, "get", refuse)
        select(qtbot, page.left, "POST#b002")
        settle(qtbot, page)
    assert [str(error) for error in errors] == ["Social is over its read capacity."]
    reader.delete("Social", {"PK": String("POST#c310"), "SK": String("LIKE#USER#7c20")})
    select(qtbot, page.left, "POST#c310")
    settle(qtbot, page)
    assert page.right.message == "The item no longer exists in the base table."


def test_an_index_that_lags_behind_is_marked(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#b002")
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    reader.put("Social", {**like("b002", "7c20", 210), "likedAt": Number("999")})
    QTest.keySequence(page.left.grid, QKeySequence("F5"))
    settle(qtbot, page)
    assert "1 likedAt differs from the base" in page.right.foot
    row, column = rows(page.right).index("POST#b002"), page.right.model.columns.index("likedAt")
    assert page.right.model.index(row, column).data(CELL).differs
    assert not page.right.model.index(row - 1, column).data(CELL).differs


def test_the_newest_selection_wins(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    gate, waiting = threading.Event(), threading.Event()

    def hold_the_first(plan: ReadPlan) -> None:
        if isinstance(plan, QueryPlan) and plan.partition.get("GSI1PK") == String("USER#7c20"):
            waiting.set()
            assert gate.wait(5)

    reader.before_page = hold_the_first
    select(qtbot, page.left, "LIKE#USER#7c20")
    qtbot.waitUntil(waiting.is_set)
    select(qtbot, page.left, "LIKE#USER#ff")
    qtbot.waitUntil(lambda: rows(page.right) == ["[USER#ff]", "POST#a91f"])
    gate.set()
    settle(qtbot, page)
    qtbot.wait(50)
    assert rows(page.right) == ["[USER#ff]", "POST#a91f"]
    assert linked(page.right) == "POST#a91f LIKE#USER#ff"


def test_a_half_far_down_a_large_collection_is_found(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    reader.put("Social", *(like(f"p{i:04}", "busy", i) for i in range(1000)))
    page = open_page()
    ask(qtbot, page, "POST#p0950")
    select(qtbot, page.left, "LIKE#USER#busy")
    settle(qtbot, page)
    assert linked(page.right) == "POST#p0950 LIKE#USER#busy"
    found = page.right.model.index(rows(page.right).index("POST#p0950"), 0)
    assert page.right.grid.viewport().rect().contains(page.right.grid.visualRect(found)), "it is scrolled to"


def test_a_collection_opened_from_elsewhere(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    page.open_collection({"PK": String("POST#a91f")}, {"PK": String("POST#a91f"), "SK": String("LIKE#USER#ff")})
    settle(qtbot, page)
    assert key_of(page.left.current) == "POST#a91f LIKE#USER#ff"
    assert linked(page.right) == "POST#a91f LIKE#USER#ff"
    page.open_collection({"PK": String("POST#b002")}, {"PK": String("POST#b002"), "SK": String("gone")})
    settle(qtbot, page)
    assert "the item looked for is not in this collection" in page.left.foot


def test_opening_a_collection_before_the_page_is_shown_reads_nothing_else(
    reader: MemoryReader, runner: JobRunner, qtbot: QtBot
) -> None:
    page = BrowsePage(SOCIAL, reader, runner)
    qtbot.addWidget(page)
    page.open_collection({"PK": String("POST#a91f")})
    page.show()
    settle(qtbot, page)
    assert [type(plan) for plan, _ in reader.asked] == [QueryPlan]


def test_a_page_closed_while_it_reads(reader: MemoryReader, runner: JobRunner, qtbot: QtBot) -> None:
    gate, waiting = threading.Event(), threading.Event()

    def wait(_plan: ReadPlan) -> None:
        waiting.set()
        assert gate.wait(5)

    reader.before_page = wait
    errors: list[BaseException] = []
    runner.error_raised.connect(errors.append)
    page = BrowsePage(SOCIAL, reader, runner)
    page.show()
    qtbot.waitUntil(waiting.is_set)
    page.hide()
    with qtbot.waitSignal(page.destroyed):
        page.deleteLater()
    gate.set()
    assert runner.shutdown()
    qtbot.wait(20)
    assert errors == []


# ---------------------------------------------------------------------------------------- grid: keys, order, copying


def test_folding_by_keys_and_click(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    page.left.grid.setFocus()
    page.left.grid.setCurrentIndex(page.left.model.index(0, 0))
    press(page.left.grid, Qt.Key.Key_Left)
    assert rows(page.left) == ["[POST#a91f]"]
    press(page.left.grid, Qt.Key.Key_Right)
    assert len(rows(page.left)) == 5
    press(page.left.grid, Qt.Key.Key_Return)
    assert len(rows(page.left)) == 1
    select(qtbot, page.left, "[POST#a91f]")
    assert len(rows(page.left)) == 5


def test_flat_rows_show_the_partition_key(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page.left, "LIKE#USER#7c20")
    QTest.keySequence(page.left.grid, QKeySequence("Ctrl+G"))
    assert page.left.model.columns[:2] == ("PK", "SK")
    assert rows(page.left) == ["POST#a91f"] * 4
    assert key_of(page.left.current) == "POST#a91f LIKE#USER#7c20"
    QTest.keySequence(page.left.grid, QKeySequence("Ctrl+G"))
    assert rows(page.left)[1] == "META"
    settle(qtbot, page)


def test_a_header_click_sorts_loaded_rows_by_value(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    reader.put("Readings", *(reading("d", at) for at in ["10", "9", "100", "-5", "0.5", "1"]))
    reader.put("Readings", *(reading("d", str(at)) for at in range(1000, 2000)))
    page = open_page(READINGS)
    ask(qtbot, page, "d")
    head = page.left.grid.horizontalHeader()

    def click_header() -> None:
        at = QPoint(head.sectionViewportPosition(0) + 20, head.height() // 2)
        QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)

    click_header()
    qtbot.waitUntil(lambda: "sorted by at" in page.left.foot)
    assert rows(page.left)[1:7] == ["-5", "0.5", "1", "9", "10", "100"]
    assert "loaded rows only" in page.left.foot
    click_header()
    qtbot.waitUntil(lambda: rows(page.left)[-1] == "-5")
    page.load_more()
    settle(qtbot, page)
    qtbot.waitUntil(lambda: rows(page.left)[1] == "1999")
    assert "loaded rows only" not in page.left.foot
    click_header()
    qtbot.waitUntil(lambda: rows(page.left)[1] == "-5")
    assert "sorted" not in page.left.foot


def test_copying_gives_what_is_stored(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    odd = "see\u00a0you\r\nthere\u2028\0\u202e"
    reader.put("Social", {**post("odd", 7), "title": String(odd)})
    page = open_page()
    ask(qtbot, page, "POST#odd")
    grid, model = page.left.grid, page.left.model
    page.left.grid.setFocus()
    grid.setCurrentIndex(model.index(1, model.columns.index("title")))
    assert grid.currentIndex().data() == "see⟨U+00A0⟩you␍⏎there⟨U+2028⟩␀⟨U+202E⟩"
    QTest.keySequence(grid, QKeySequence("Ctrl+C"))
    assert clipboard() == odd
    entries = {action.text(): action for action in grid.menu_for(grid.currentIndex()).actions()}
    entries["Copy key"].trigger()
    assert clipboard() == '{\n  "PK": "POST#odd",\n  "SK": "META"\n}'
    entries["Copy as DynamoDB JSON"].trigger()
    assert '"likeTally": {\n    "N": "7"\n  }' in clipboard()
    entries["Copy as JSON"].trigger()
    assert '"likeTally": 7' in clipboard()


def test_rows_have_one_height_and_columns_are_sampled(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    reader.put("Social", {**post("wide", 1), "title": String("x" * 5000), "n": String("y")})
    page = open_page()
    ask(qtbot, page, "POST#wide")
    grid = page.left.grid
    title = page.left.model.columns.index("title")
    assert 100 < grid.columnWidth(title) < 500
    assert grid.rowHeight(0) == grid.rowHeight(1) == grid.verticalHeader().defaultSectionSize()


# ---------------------------------------------------------------------------------------------------- inspector


def test_the_inspector_shows_the_selected_item_whole(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    tree = page.inspector.tree.model()
    assert [tree.index(row, 0).data() for row in range(3)] == ["PK", "SK", "GSI1PK"]
    assert page.inspector.fact("Size").endswith("B of 400 KB")
    assert page.inspector.fact("Read") == "0.5 RCU, strong 1 RCU"
    assert page.inspector.fact("Next write") == "3 WCU: 1 on the table, 1 on GSI1, 1 on GSI2"
    select(qtbot, page.right, "POST#b002")
    settle(qtbot, page)
    assert "a copy" in page.inspector.fact("Size")
    assert page.inspector.fact("Seen").endswith("GSI1, eventual")


def test_json_in_the_inspector_is_the_item_and_copies_exactly(
    open_page: Open, reader: MemoryReader, qtbot: QtBot
) -> None:
    reader.put("Social", {**post("odd", 7), "title": String("see\u00a0you\u2028\x7f"), "n": Number("1E+125")})
    page = open_page()
    ask(qtbot, page, "POST#odd")
    select(qtbot, page.left, "META")
    page.inspector.show_as(JSON)
    text = page.inspector.text.toPlainText()
    assert '"title": "see\\u00a0you\\u2028\\u007f"' in text
    assert '"n": 1E+125' in text
    QTest.mouseClick(page.inspector.copy, Qt.MouseButton.LeftButton)
    assert '"title": "see\u00a0you\u2028\x7f"' in clipboard()
    page.inspector.show_as(DYNAMODB_JSON)
    assert '"N": "1E+125"' in page.inspector.text.toPlainText()
    settle(qtbot, page)


def test_in_a_narrow_page_the_inspector_waits_to_be_asked_for(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    page.resize(860, 700)
    qtbot.waitUntil(lambda: not page.inspector.isVisible())
    select(qtbot, page.left, "META")
    press(page.left.grid, Qt.Key.Key_Return)
    assert page.inspector.isVisible()
    page.resize(850, 700)
    assert page.inspector.isVisible()
    settle(qtbot, page)


def test_f4_hides_and_shows_the_inspector(open_page: Open) -> None:
    page = open_page()
    for shown in (False, True):
        QTest.keySequence(page.left.grid, QKeySequence("F4"))
        assert page.inspector.isVisible() is shown


# ------------------------------------------------------------------------------------------------ accessibility


def test_every_control_has_a_name(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    nameless = []
    for widget in page.findChildren(QWidget):
        takes_focus = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible()
        if not takes_focus or widget.objectName().startswith("qt_"):
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        if not interface.text(QAccessible.Text.Name):
            nameless.append(f"{type(widget).__name__} in {type(widget.parent()).__name__}")
    assert nameless == []


def test_tab_from_the_left_rows_reaches_the_linked_row(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    ask(qtbot, page, "POST#a91f")
    select(qtbot, page.left, "LIKE#USER#7c20")
    settle(qtbot, page)
    page.left.grid.setFocus()
    for _ in range(6):
        press(page.focusWidget(), Qt.Key.Key_Tab)
        if page.right.grid.hasFocus():
            break
    assert key_of(page.right.current) == "POST#a91f LIKE#USER#7c20"
    assert linked(page.left) == "POST#a91f LIKE#USER#7c20"
