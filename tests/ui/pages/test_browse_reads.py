"""Queries and Scans of the Browse page from the form to their rows: over items in memory, and over a server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from dynodesk.domain.expressions import parse_where
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ReadPlan, ScanPlan
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item, Number, String
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.theme import Text
from dynodesk.wiring import Workspace
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import READINGS, SOCIAL, reading, social_items

Open = Callable[..., BrowsePage]


@pytest.fixture
def reader() -> MemoryReader:
    reader = MemoryReader(SOCIAL, READINGS)
    reader.put("Social", *social_items())
    reader.put("Readings", *(reading(f"d-{device}", str(at)) for device in range(20) for at in range(10)))
    return reader


@pytest.fixture
def runner() -> Iterator[JobRunner]:
    runner = JobRunner(threads=2)
    errors: list[BaseException] = []
    runner.error_raised.connect(errors.append)
    yield runner
    assert runner.shutdown()
    runner.deleteLater()
    assert errors == []


@pytest.fixture
def open_page(reader: MemoryReader, runner: JobRunner, qtbot: QtBot) -> Open:
    def open_page(table: TableInfo = SOCIAL) -> BrowsePage:
        return shown(qtbot, BrowsePage(table, reader, runner))

    return open_page


@pytest.fixture
def open_live(workspace: Workspace, runner: JobRunner, qtbot: QtBot) -> Open:
    def open_live(table: str) -> BrowsePage:
        info = workspace.catalog.describe(table, Ticket())
        return shown(qtbot, BrowsePage(info, workspace.reader, runner))

    return open_live


def shown(qtbot: QtBot, page: BrowsePage) -> BrowsePage:
    qtbot.addWidget(page)
    page.resize(1224, 810)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    settle(qtbot, page)
    return page


def settle(qtbot: QtBot, page: BrowsePage) -> None:
    qtbot.waitUntil(lambda: not page.left.feed.running and not page.right.feed.running and not page.links.busy)


def run(qtbot: QtBot, page: BrowsePage) -> None:
    QTest.keySequence(page, QKeySequence("Ctrl+Return"))
    settle(qtbot, page)


def items(page: BrowsePage) -> list[Item]:
    return [entry.item for entry in page.left.model.rows.entries]


# ------------------------------------------------------------------------------------------------------- in memory


def test_a_filter_by_keys_alone(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    QTest.keySequence(page, QKeySequence("Ctrl+Alt+F"))
    line = next(page.form.filter.group.lines)
    QTest.keyClicks(line.path, "likedAt")
    QTest.keyClick(line.path, Qt.Key.Key_Escape)
    QTest.keyClick(line.path, Qt.Key.Key_Tab)
    QTest.keyClicks(line.operator, ">=")
    QTest.keyClick(line.operator, Qt.Key.Key_Tab)
    QTest.keyClicks(line.kind, "N")
    QTest.keyClick(line.kind, Qt.Key.Key_Tab)
    QTest.keyClicks(line.value, "210")
    QTest.keyClick(line.value, Qt.Key.Key_Return)
    settle(qtbot, page)
    assert sorted(str(item["likedAt"]) for item in items(page)) == sorted(
        str(Number(at)) for at in ("210", "220", "300")
    )
    assert page.result == "3 items 1 page · 8 read · 0.5 RCU · 1 ms · end of table"


def test_none_so_far_is_not_none(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    reader.put("Readings", {**reading("d-3", "777"), "note": String("here")})
    page = open_page(replace(READINGS, item_count_estimate=400))
    page.form.set_plan(ScanPlan("Readings", filter=parse_where("attribute_exists(note)")))
    page.form.options.items.setCurrentText("100")
    page.form.options.page.setCurrentText("25")
    asked = len(reader.asked)
    run(qtbot, page)
    assert len(reader.asked) - asked == 4
    assert (
        len(items(page)) + page.left.message.count("so far, 4 pages, 100 read, about 25 % read, by an old count") == 1
    )
    if items(page):
        assert page.left.foot == "1 found in the first 100 items read, more in the table"
    while page.left.more.isVisible():
        QTest.mouseClick(page.left.more, Qt.MouseButton.LeftButton)
        settle(qtbot, page)
    assert [item["at"] for item in items(page)] == [Number("777")]
    assert "201 read" in page.result
    assert page.result.endswith("end of table")


def test_a_scan_in_segments_stops_and_goes_on(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    page = open_page(READINGS)
    gate, seen = threading.Event(), threading.Event()

    def wait(plan: ReadPlan) -> None:
        if isinstance(plan, ScanPlan) and plan.segment == 3:
            seen.set()
            assert gate.wait(5)

    reader.before_page = wait
    page.form.set_plan(ScanPlan("Readings", segments=4))
    page.form.options.items.setCurrentText("all")
    page.form.options.page.setCurrentText("25")
    assert "Scan" in page.run_button.text()
    page.run()
    qtbot.waitUntil(seen.is_set)
    page.stop()
    gate.set()
    settle(qtbot, page)
    assert "stopped, more in the table" in page.result
    first = items(page)
    assert len(first) < 200
    page.form.options.page.setCurrentText("1 MB")
    page.left.read_on(page.form.portion())
    settle(qtbot, page)
    keys = [(str(item["device"]), str(item["at"])) for item in items(page)]
    assert len(keys) == len(set(keys)) == 200
    assert items(page)[: len(first)] == first
    assert page.result.endswith("end of table")


def test_more_is_as_much_as_was_chosen(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    page = open_page(READINGS)
    assert page.left.more.text() == "Load 1,000 more"
    page.form.options.items.setCurrentText("100")
    run(qtbot, page)
    assert page.left.more.text() == "Load 100 more"
    QTest.mouseClick(page.left.more, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert len(items(page)) == 200
    page.form.options.items.setCurrentText("all")
    assert page.left.more.text() == "Load all"
    QTest.keySequence(page, QKeySequence("Ctrl+Shift+Return"))
    settle(qtbot, page)
    assert page.result.endswith("end of table")
    assert reader.asked[-1][0].page_limit is None


def test_where_there_is_no_room_words_go_and_nothing_is_cut(open_page: Open, qtbot: QtBot) -> None:
    page = open_page(replace(SOCIAL, item_count_estimate=2000, size_bytes_estimate=400_000))
    assert page.run_button.text() == "Scan (no partition key) · about 24.5 RCU, old estimate"
    page.resize(680, 700)
    qtbot.waitUntil(lambda: page.run_button.text() == "Scan · about 24.5 RCU")
    qtbot.waitUntil(lambda: page.run_button.width() >= page.run_button.sizeHint().width())
    assert page.run_button.accessibleName() == "Scan (no partition key) · about 24.5 RCU, old estimate"
    assert "no partition key" in page.run_button.toolTip()


def test_the_inspector_takes_its_room_from_words_too(open_page: Open, qtbot: QtBot) -> None:
    page = open_page(replace(SOCIAL, item_count_estimate=2000, size_bytes_estimate=400_000))
    page.resize(900, 700)
    (inspecting,) = [each for each in page.actions() if each.text() == "Inspector"]
    inspecting.setChecked(False)
    inspecting.trigger()
    assert page.inspector.isVisible()
    qtbot.waitUntil(lambda: page.run_button.text() == "Scan · about 24.5 RCU")
    qtbot.waitUntil(lambda: page.run_button.width() >= page.run_button.sizeHint().width())
    inspecting.trigger()
    qtbot.waitUntil(lambda: page.run_button.text().startswith("Scan (no partition key)"))


def test_only_some_attributes_and_always_the_keys(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    QTest.keySequence(page, QKeySequence("Ctrl+Alt+O"))
    assert page.form.options.returned.hasFocus()
    QTest.keyClicks(page.form.options.returned, "likeTally")
    run(qtbot, page)
    assert {name for item in items(page) for name in item} == {"PK", "SK", "likeTally"}


def test_one_item_by_its_key(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    page.form.partition[0].setText("POST#a91f")
    page.form.operator.setCurrentText("=")
    assert page.form.low is not None
    page.form.low.setText("META")
    assert page.run_button.text() == "GetItem · from 0.5 RCU"
    assert page.run_button.accessibleDescription().startswith("GetItem Social: PK = 'POST#a91f' AND SK = 'META'")
    run(qtbot, page)
    assert page.result == "1 item 1 page · 0.5 RCU · 1 ms · by its key"
    page.form.low.setText("GONE")
    run(qtbot, page)
    assert page.left.message == "There is no item with this key."


def test_what_is_in_a_tip_is_never_taken_as_markup(open_page: Open) -> None:
    page = open_page()
    page.form.partition[0].setText("<b>bold</b>")
    assert "&lt;b&gt;bold&lt;/b&gt;" in page.run_button.toolTip()


def test_a_range_that_leaves_out_what_it_seems_to_name(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    page.form.partition[0].setText("POST#a91f")
    run(qtbot, page)
    page.form.operator.setCurrentText("between")
    low, high = page.form.low, page.form.high
    assert low is not None
    assert high is not None
    low.setText("LIKE#")
    high.setText("LIKE#USER#7")
    words = [label.text() for label in page.form.findChildren(Text)]
    assert any(said.startswith("SK: LIKE#USER#7c20 goes on after LIKE#USER#7") for said in words)
    run(qtbot, page)
    assert [item["SK"] for item in items(page)] == [String("LIKE#USER#0a")]


def test_back_brings_the_filter_back(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    where = parse_where("likedAt > 200 AND NOT (likedAt = 300)")
    page.form.filter.set_condition(where)
    run(qtbot, page)
    assert len(items(page)) == 2
    page.form.filter.close_filter()
    run(qtbot, page)
    assert len(items(page)) == 8
    assert page.back()
    assert page.form.filter.condition == where
    assert len(items(page)) == 2


def test_types_are_looked_up_in_what_is_loaded(open_page: Open, reader: MemoryReader, qtbot: QtBot) -> None:
    reader.put("Readings", {**reading("x", "1"), "n": Number("1")}, {**reading("x", "2"), "n": String("1")})
    page = open_page(READINGS)
    page.form.filter.set_condition(parse_where("n < 2"))
    page.form.options.items.setCurrentText("all")
    page.form.partition[0].setText("x")
    run(qtbot, page)
    page.form.filter.close_filter()
    run(qtbot, page)
    page.form.filter.set_condition(parse_where("n < 2"))
    assert page.form.filter.remarks == ["n is N in 1 item, S in 1: only a Number compares with this value."]


# ------------------------------------------------------------------------------------------------------ on a server


@pytest.mark.server
@pytest.mark.parametrize("segments", [1, 4])
def test_a_whole_table_by_segments(open_live: Open, qtbot: QtBot, segments: int) -> None:
    page = open_live("Readings")
    page.form.set_plan(ScanPlan("Readings", segments=segments))
    page.form.options.items.setCurrentText("all")
    run(qtbot, page)
    assert page.result.endswith("end of table")
    keys = {(str(item["device"]), str(item["at"])) for item in items(page)}
    assert len(keys) == len(items(page)) > 5
    assert page.left.reading is not None
    assert page.left.reading.units is not None
    assert page.left.reading.units > Decimal(0)


@pytest.mark.server
def test_what_the_server_filters_is_what_the_filter_says(open_live: Open, qtbot: QtBot) -> None:
    page = open_live("Social")
    where = parse_where(
        "begins_with(SK, 'LIKE#') AND (attribute_exists(reactions) OR likedAt BETWEEN 0 AND 1750620000)"
    )
    page.form.options.items.setCurrentText("all")
    run(qtbot, page)
    everything = items(page)
    page.form.filter.set_condition(where)
    run(qtbot, page)
    expected = [item for item in everything if where.holds(item)]
    assert 0 < len(expected) < len(everything)
    assert items(page) == expected


@pytest.mark.server
def test_one_item_from_a_server(open_live: Open, qtbot: QtBot) -> None:
    page = open_live("Social")
    page.form.partition[0].setText("POST#a91f")
    page.form.operator.setCurrentText("=")
    assert page.form.low is not None
    page.form.low.setText("META")
    page.form.consistent.setChecked(True)
    run(qtbot, page)
    (item,) = items(page)
    assert item["SK"] == String("META")
    assert page.result.endswith("by its key")
    page.form.options.returned.setText("likeTally")
    run(qtbot, page)
    assert [set(item) for item in items(page)] == [{"PK", "SK", "likeTally"}]
