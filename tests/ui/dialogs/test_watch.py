"""The live watch in the window: what a stream shows of wrong writes is named, while the window can be used."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import Throttled
from dynodesk.domain.progress import Ticket
from dynodesk.domain.streams import IMAGES, Start, StreamPart, StreamRecord
from dynodesk.domain.tables import TableInfo, TableStream
from dynodesk.domain.values import Item
from dynodesk.reconcile.notices import Notice
from dynodesk.ui.dialogs import watch_rows
from dynodesk.ui.dialogs.watch import WatchDialog
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.pages.reconcile_places import Place
from dynodesk.ui.theme import Text
from dynodesk.wiring import SANDBOX_PROFILE, Workspace, open_workspace
from tests.helpers.social import RULES, SOCIAL, key, social
from tests.reconcile.streamed import T0, Script
from tests.ui.pages.reconcile_desk import Desk, desk_of, in_memory

WAIT = 20_000
STREAMED = replace(SOCIAL, stream=TableStream("arn", IMAGES))
POST: dict[tuple[str, str], Item] = {("POST#1", "META"): key("POST#1", "META")}
LATER = T0 + 1e6


class MemoryStream:
    """A table's stream that is handed over as it is written here, once for each that opens it."""

    def __init__(self) -> None:
        self.starts: list[Start] = []
        self.error: Exception | None = None
        self.readings = 0
        self._records: list[StreamRecord] = []
        self._lock = threading.Lock()

    def write(self, script: Script) -> None:
        with self._lock:
            self._records += script.records(POST)

    def open(self, table: TableInfo, start: Start, _ticket: Ticket) -> MemoryStream:
        assert table.stream is not None
        self.starts.append(start)
        return self

    def read(self, ticket: Ticket) -> StreamPart:
        ticket.checkpoint()
        if self.error is not None:
            raise self.error
        with self._lock:
            records, self._records = tuple(self._records), []
            self.readings += 1
        return StreamPart("Social", records, LATER, LATER, T0 - 1000)


class Watching:
    def __init__(self, desk: Desk, stream: MemoryStream, runner: JobRunner, qtbot: QtBot) -> None:
        self.desk, self.stream, self.runner, self._qtbot = desk, stream, runner, qtbot

    def ask(self) -> WatchDialog:
        """By the button of the page."""
        (asked,) = (b for b in self.desk.page.findChildren(QPushButton) if b.accessibleName() == "Watch…")
        QTest.mouseClick(asked, Qt.MouseButton.LeftButton)
        (dialog,) = self.dialogs
        return dialog

    @property
    def dialogs(self) -> list[WatchDialog]:
        return [dialog for dialog in self.desk.page.findChildren(WatchDialog) if dialog.isVisible()]

    def start(self) -> WatchDialog:
        dialog = self.ask()
        QTest.mouseClick(dialog.start_button, Qt.MouseButton.LeftButton)
        return dialog

    def wait_for_rows(self, dialog: WatchDialog, number: int) -> None:
        self._qtbot.waitUntil(lambda: dialog.model.rowCount() == number, timeout=WAIT)

    def settle(self) -> None:
        self._qtbot.waitUntil(lambda: not self.runner.findChildren(Job), timeout=WAIT)

    def wait_until_said(self, dialog: WatchDialog, words: str) -> None:
        self._qtbot.waitUntil(lambda: words in dialog.outcome.words, timeout=WAIT)


@pytest.fixture
def opened(dressed_application: QApplication) -> Iterator[Workspace]:
    profile = replace(SANDBOX_PROFILE, kind="endpoint", endpoint_url="http://127.0.0.1:9")
    workspace = open_workspace(profile, Ticket())
    yield workspace
    workspace.close()


OpenWatching = Callable[..., Watching]


@pytest.fixture
def watching_over(opened: Workspace, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenWatching]:
    made: list[Watching] = []

    def make(info: TableInfo = STREAMED, rules: str = RULES) -> Watching:
        made.append(_watching(opened, info, rules, tmp_path, qtbot))
        return made[-1]

    yield make
    for watching in made:
        for dialog in watching.dialogs:
            dialog.reject()
        assert watching.runner.shutdown()
        watching.runner.deleteLater()


@pytest.fixture
def over(watching_over: OpenWatching) -> Watching:
    return watching_over()


def _watching(opened: Workspace, info: TableInfo, rules: str, folder: Path, qtbot: QtBot) -> Watching:
    stream, runner, path = MemoryStream(), JobRunner(threads=2), folder / "rules.toml"
    path.write_text(rules, encoding="utf-8")

    def new_stream_reader(_meter: Meter) -> MemoryStream:
        return stream

    workspace = replace(in_memory(opened, social(), info), new_stream_reader=new_stream_reader)
    return Watching(desk_of(workspace, path, runner, qtbot), stream, runner, qtbot)


def cells_of(dialog: WatchDialog) -> list[list[str]]:
    return [[cell.text for cell in dialog.model.row_at(at).cells] for at in range(dialog.model.rowCount())]


def missed(user: str, at: float = T0) -> Script:
    """A like that nobody counts."""
    script = Script()
    script.put(at, "POST#1", f"LIKE#{user}")
    return script


def test_a_child_without_its_tally_is_named_as_it_comes(over: Watching) -> None:
    right = Script()
    right.put(T0, "POST#1", "LIKE#right")
    right.add(T0, "POST#1", 1)
    dialog = over.start()
    over.stream.write(right)
    over.wait_until_said(dialog, "2 records read")
    assert cells_of(dialog) == []
    over.stream.write(missed("wrong\x1b", T0 + 60))
    over.wait_for_rows(dialog, 1)
    ((when, what, item, parent, drift, cause),) = cells_of(dialog)
    assert when == "1970-01-12 13:47:40"
    assert what == "added, and likeTally did not follow within 30 s"
    assert (item, parent, drift) == ("POST#1 / LIKE#wrong␛", "POST#1 / META", "-1")
    assert cause.startswith("The child is written in a call of its own")
    assert dialog.detail.text().startswith("post likes: A child was added, changed or deleted")
    over.wait_until_said(dialog, "3 records read · 0 changes wait for their other half")
    assert over.stream.starts == ["now"]

    over.stream.write(missed("newer", T0 + 120))
    over.wait_for_rows(dialog, 2)
    assert [row[2] for row in cells_of(dialog)] == ["POST#1 / LIKE#newer", "POST#1 / LIKE#wrong␛"]
    assert dialog.grid.currentIndex().row() == 1  # what was chosen stays so
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == f"{when}\t{what}\t{item}\t{parent}\t{drift}\t{cause}"
    dialog.open_button.click()
    like = SOCIAL.key_schema.key_of(key("POST#1", "LIKE#wrong\x1b"))
    assert over.desk.opened == [Place("Social", {"PK": like["PK"]}, like)]
    assert dialog.isVisible()


def test_it_is_stopped_and_begun_anew_with_the_oldest_record(over: Watching) -> None:
    dialog = over.start()
    over.stream.write(missed("a"))
    over.wait_for_rows(dialog, 1)
    QTest.mouseClick(dialog.stop_button, Qt.MouseButton.LeftButton)
    over.settle()
    assert dialog.outcome.said.startswith("Stopped: 1 notice. 1 record read")
    assert dialog.model.rowCount() == 1
    dialog.starts.setCurrentIndex(1)
    QTest.mouseClick(dialog.start_button, Qt.MouseButton.LeftButton)
    over.stream.write(missed("b"))
    over.wait_for_rows(dialog, 1)
    assert cells_of(dialog)[0][2] == "POST#1 / LIKE#b"
    assert over.stream.starts == ["now", "trim"]


def test_only_ticked_rules_are_watched_by_one_dialog(over: Watching) -> None:
    likes, following = over.desk.page.form.rule_boxes
    likes.click()
    dialog = over.start()
    assert over.ask() is dialog
    over.stream.write(missed("a"))
    over.wait_until_said(dialog, "1 record read")
    assert dialog.model.rowCount() == 0
    dialog.reject()
    following.click()
    assert not over.desk.page.rules.watch_action.isEnabled()


def test_the_watch_ends_with_the_dialog(over: Watching) -> None:
    dialog = over.start()
    over.wait_until_said(dialog, "0 records read")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    over.settle()
    assert over.dialogs == []
    readings = over.stream.readings
    over.start()  # another one can be opened
    over.desk.wait_for(lambda: over.stream.readings > readings)


def test_the_watch_ends_with_the_page(over: Watching) -> None:
    over.start()
    over.desk.page.rules.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    over.settle()
    assert over.dialogs == []


def test_a_stream_that_fails_says_so_and_leaves_what_was_seen(over: Watching) -> None:
    dialog = over.start()
    over.stream.write(missed("a"))
    over.wait_for_rows(dialog, 1)
    over.stream.error = Throttled("the stream answers too slowly")
    over.settle()
    assert "the stream answers too slowly" in dialog.outcome.said
    assert dialog.model.rowCount() == 1
    assert dialog.start_button.isVisible()


def test_a_table_without_a_stream_is_explained(watching_over: OpenWatching) -> None:
    over = watching_over(SOCIAL)
    dialog = over.start()
    over.settle()
    assert "Social has no stream" in dialog.outcome.said
    assert over.stream.starts == []


def test_rules_that_cannot_be_watched_are_named(watching_over: OpenWatching) -> None:
    rules = RULES.split('[[tally]]\nname = "following"')[0] + 'measure = "distinct(user)"\n'
    over = watching_over(rules=rules)
    dialog = over.ask()
    assert dialog.outcome.said.startswith("None of these rules can be watched")
    assert not dialog.start_button.isEnabled()
    assert any("Not watched: post likes: whether a child" in text.text() for text in dialog.findChildren(Text))


def test_of_too_many_notices_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_rows, "MOST_KEPT", 3)
    model = watch_rows.NoticesModel()
    notices = [watch_rows.seen(Notice("gap", "likes", "Social", T0, str(at))) for at in range(9)]
    for first, end, kept in ((0, 2, "10"), (2, 3, "210"), (3, 4, "321"), (4, 9, "876")):
        model.add(notices[first:end])
        assert "".join(model.row_at(at).cells[1].text for at in range(model.rowCount())) == kept
