"""The lesson by clicks on the real sandbox: counts get lost in sight of everybody, and can be stopped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QSpinBox
from pytestqt.qtbot import QtBot

from dynodesk.composing.lesson import METHODS, ONE_LOST_IN, Method, Place, Score
from dynodesk.domain.capacity import Meter
from dynodesk.domain.progress import Ticket
from dynodesk.ui.dialogs.lesson import CLIENTS, INCREMENTS, LessonDialog
from dynodesk.ui.dialogs.lesson_rows import SAYS, TITLES, CountBar, CountTable, state_of
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.theme import Text
from dynodesk.wiring import SANDBOX_PROFILE, Workspace, open_workspace

WAIT = 30_000


@pytest.fixture
def workspace(moto: str, dressed_application: QApplication) -> Iterator[Workspace]:
    opened = open_workspace(SANDBOX_PROFILE, Ticket(), sandbox_url=moto)
    yield opened
    left = [name for name in opened.catalog.table_names(Ticket()) if "lesson" in name]
    opened.close()
    assert left == []


@pytest.fixture
def runner(dressed_application: QApplication) -> Iterator[JobRunner]:
    made = JobRunner(threads=2)
    yield made
    assert made.shutdown()
    made.deleteLater()


@pytest.fixture
def place(workspace: Workspace) -> Place:
    return Place(workspace.profile, workspace.new_request_sender(Meter()), workspace.catalog, workspace.tables)


def opened(place: Place, runner: JobRunner, qtbot: QtBot) -> LessonDialog:
    dialog = LessonDialog(place, runner)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow, timeout=WAIT)
    return dialog


def click(button: QPushButton) -> None:
    assert button.isVisible()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def type_in(field: QSpinBox, number: int) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, str(number))


def bars(dialog: LessonDialog) -> dict[Method, str]:
    """What each bar says, as it is read aloud."""
    said = [bar.accessibleName() for bar in dialog.findChildren(CountBar)]
    return {method: next(words for words in said if words.startswith(TITLES[method])) for method in METHODS}


def test_all_four_ways_are_seen_to_their_end(place: Place, runner: JobRunner, qtbot: QtBot) -> None:
    dialog = opened(place, runner, qtbot)
    assert (dialog.increments.value(), dialog.clients.value()) == (INCREMENTS, CLIENTS)
    texts = [text.text() for text in dialog.findChildren(Text)]
    assert [says for says in SAYS.values() if says in texts] == [*SAYS.values()]
    type_in(dialog.increments, 30)
    type_in(dialog.clients, 6)
    click(dialog.start_button)
    assert not dialog.increments.isEnabled()
    assert dialog.stop_button.isVisible()
    assert dialog.stop_button.hasFocus()
    qtbot.waitUntil(lambda: dialog.job is None, timeout=WAIT)
    said, twice = bars(dialog), 30 // ONE_LOST_IN
    assert said["add"] == f"ADD: 30 of 30 asked, {30 + twice} stored, 0 lost, {twice} counted twice"
    assert said["condition"].endswith(f"{30 + twice} stored, 0 lost, {twice} counted twice")
    assert said["transaction"].endswith("30 of 30 asked, 30 stored, 0 lost, 0 counted twice")
    assert said["read-modify-write"].endswith("0 counted twice")
    assert ", 0 lost" not in said["read-modify-write"]
    assert dialog.outcome.said.endswith("Exact: Transaction with a token.")
    assert dialog.start_button.hasFocus()
    click(dialog.close_button)


def test_it_is_stopped_by_a_click_and_started_again(place: Place, runner: JobRunner, qtbot: QtBot) -> None:
    dialog = opened(place, runner, qtbot)
    type_in(dialog.increments, 1000)
    click(dialog.start_button)
    qtbot.waitUntil(lambda: "0 of 1,000" not in bars(dialog)["read-modify-write"], timeout=WAIT)
    click(dialog.stop_button)
    qtbot.waitUntil(lambda: dialog.job is None, timeout=WAIT)
    assert dialog.outcome.said.startswith("Stopped.")
    type_in(dialog.increments, 1)
    type_in(dialog.clients, 1)
    click(dialog.start_button)
    qtbot.waitUntil(lambda: dialog.outcome.said.startswith("0 counts lost"), timeout=WAIT)
    dialog.reject()


def test_closing_it_stops_what_runs(place: Place, runner: JobRunner, qtbot: QtBot) -> None:
    dialog = opened(place, runner, qtbot)
    type_in(dialog.increments, 1000)
    click(dialog.start_button)
    qtbot.waitUntil(lambda: "0 of 1,000" not in bars(dialog)["read-modify-write"], timeout=WAIT)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert runner.shutdown()


def test_elsewhere_it_says_that_it_belongs_to_the_sandbox(place: Place, runner: JobRunner, qtbot: QtBot) -> None:
    dialog = opened(replace(place, profile=replace(place.profile, kind="endpoint")), runner, qtbot)
    click(dialog.start_button)
    qtbot.waitUntil(lambda: dialog.outcome.message is not None, timeout=WAIT)
    assert "sandbox only" in dialog.outcome.said
    dialog.reject()


def test_a_bar_grows_with_what_is_stored_and_lost(dressed_application: QApplication, qtbot: QtBot) -> None:
    table = CountTable()
    qtbot.addWidget(table)
    table.resize(700, 500)
    table.show()
    before = table.grab().toImage()
    score = Score("read-modify-write", told=60, stored=20, begun=64, unheard=1, seconds=1.25)
    table.show_scores([score], 100)
    after = table.grab().toImage()
    assert before != after
    bar = next(bar for bar in table.findChildren(CountBar) if bar.accessibleName())
    assert bar.accessibleName() == "Read, then write: 60 of 100 asked, 20 stored, 40 lost, 0 counted twice"
    assert state_of(score) == "1.2 s · 1 reply lost"
    assert state_of(replace(score, retries=1200, unheard=2)) == "1.2 s · 2 replies lost · 1,200 refused and begun anew"
    assert state_of(Score("add")) == "waits"
