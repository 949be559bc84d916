"""Pages on their way from a worker to the window: in order, in portions, and only for the newest reading."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import Prepared, View
from dynodesk.domain.errors import Throttled
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.reading import Portion, Reading
from dynodesk.domain.reads import QueryPlan, ReadPlan
from dynodesk.domain.values import Number, String
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.models.page_feed import ROWS_AT_ONCE, PageFeed
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import READINGS, reading

VIEW = View(READINGS)


class Window(QObject):
    """Does with the feed what a pane does."""

    def __init__(self, reader: MemoryReader, runner: JobRunner) -> None:
        super().__init__()
        self.feed = PageFeed(reader, runner, self)
        self.portions: list[int] = []
        self.errors: list[BaseException] = []
        self.current: Reading | None = None
        self.feed.items_ready.connect(self._show)
        self.feed.failed.connect(self.errors.append)

    @Slot(object)
    def _show(self, prepared: Prepared) -> None:
        assert self.current is not None
        self.portions.append(len(prepared.entries))
        for insertion in self.current.rows.absorb(prepared):
            self.current.rows.insert(insertion)

    def read(self, device: str, portion: Portion) -> Reading:
        self.feed.drop()
        plan = QueryPlan("Readings", {"device": String(device)})
        self.current = Reading(plan, VIEW, LoadedRows(VIEW))
        self.feed.start(self.current, portion, "Query Readings")
        return self.current


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    runner = JobRunner(threads=2)
    yield runner
    assert runner.shutdown()
    runner.deleteLater()


@pytest.fixture
def reader() -> MemoryReader:
    reader = MemoryReader(READINGS)
    reader.put("Readings", *(reading("d", str(at)) for at in range(3000)), *(reading("e", str(at)) for at in range(7)))
    return reader


@pytest.fixture
def window(reader: MemoryReader, runner: JobRunner) -> Iterator[Window]:
    window = Window(reader, runner)
    yield window
    window.deleteLater()


def instants(reading: Reading) -> list[str]:
    values = [entry.item["at"] for entry in reading.rows.entries]
    return [value.text for value in values if isinstance(value, Number)]


def test_everything_arrives_once_in_order_and_in_portions(window: Window, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.feed.ended):
        read = window.read("d", Portion(10_000))
    assert instants(read) == [str(at) for at in range(3000)]
    assert read.state == "complete"
    assert max(window.portions) <= ROWS_AT_ONCE
    assert not window.feed.running


def test_a_portion_ends_with_more_to_read_and_goes_on(window: Window, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.feed.ended):
        read = window.read("d", Portion(1000, page_items=400))
    assert (read.state, read.count, read.pages) == ("more", 1000, 3)
    with qtbot.waitSignal(window.feed.ended):
        window.feed.start(read, Portion(2500), "Query Readings")
    assert instants(read) == [str(at) for at in range(3000)]
    assert read.state == "complete"


def test_stopping_keeps_what_arrived_and_can_continue_without_gap(
    window: Window, reader: MemoryReader, qtbot: QtBot
) -> None:
    gate, arrived = threading.Event(), threading.Event()

    def second_page_waits(_plan: ReadPlan) -> None:
        if len(reader.asked) > 1:
            arrived.set()
            assert gate.wait(5)

    reader.before_page = second_page_waits
    with qtbot.waitSignal(window.feed.ended):
        read = window.read("d", Portion(3000, page_items=100))
        qtbot.waitUntil(lambda: arrived.is_set() and read.count == 100)
        window.feed.stop()
        gate.set()
    assert (read.state, read.count, read.has_more) == ("stopped", 100, True)
    with qtbot.waitSignal(window.feed.ended):
        window.feed.start(read, Portion(5000), "Query Readings")
    assert instants(read) == [str(at) for at in range(3000)]


def test_the_newest_reading_wins_and_late_pages_of_the_older_are_dropped(
    window: Window, reader: MemoryReader, qtbot: QtBot
) -> None:
    gate = threading.Event()

    def first_reading_waits(plan: ReadPlan) -> None:
        if isinstance(plan, QueryPlan) and plan.partition["device"] == String("d"):
            assert gate.wait(5)

    reader.before_page = first_reading_waits
    older = window.read("d", Portion(1000))
    with qtbot.waitSignal(window.feed.ended):
        newer = window.read("e", Portion(1000))
    gate.set()
    qtbot.waitUntil(lambda: not window.feed.running)
    qtbot.wait(50)
    assert (newer.state, newer.count) == ("complete", 7)
    assert (older.state, older.count) == ("stopped", 0)


def test_a_failure_is_told_and_reading_can_be_tried_again(window: Window, reader: MemoryReader, qtbot: QtBot) -> None:
    def refuse(_plan: ReadPlan) -> None:
        if len(reader.asked) == 2:
            raise Throttled("over capacity")

    reader.before_page = refuse
    with qtbot.waitSignal(window.feed.ended):
        read = window.read("d", Portion(1000, page_items=400))
    assert [str(error) for error in window.errors] == ["over capacity"]
    assert (read.state, read.count, read.has_more) == ("failed", 400, True)
    with qtbot.waitSignal(window.feed.ended):
        window.feed.start(read, Portion(600), "Query Readings")
    assert instants(read) == [str(at) for at in range(1000)]


def test_a_closed_page_reads_no_further(reader: MemoryReader, runner: JobRunner, qtbot: QtBot) -> None:
    page = QWidget()
    started, gate = threading.Event(), threading.Event()

    def wait_a_little(_plan: ReadPlan) -> None:
        started.set()
        assert gate.wait(5)

    reader.before_page = wait_a_little
    feed = PageFeed(reader, runner, page)
    read = Reading(QueryPlan("Readings", {"device": String("d")}), VIEW, LoadedRows(VIEW))
    feed.start(read, Portion(3000, page_items=10), "Query Readings")
    qtbot.waitUntil(started.is_set)
    with qtbot.waitSignal(page.destroyed):
        page.deleteLater()
    gate.set()
    assert runner.shutdown()
    assert len(reader.asked) == 1
