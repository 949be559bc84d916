"""What is kept on the disk is there at the end, also where the last attempt to write it came to nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.progress import Ticket
from dynodesk.store.settings import Settings
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.keeping import Keeper

pytestmark = pytest.mark.gui


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    made = JobRunner(1, qapp)
    yield made
    made.shutdown()


def stored(file: Path) -> object:
    return json.loads(file.read_text())["edits"]


def test_saved_at_the_end_though_its_job_never_got_a_thread(tmp_path: Path, runner: JobRunner, qtbot: QtBot) -> None:
    file = tmp_path / "kept.json"
    keeper = Keeper(lambda: {"edits": 3}, Settings(file, "Edits"), runner, runner)
    keeper.begin({})

    def wait_to_be_stopped(ticket: Ticket) -> None:
        ticket.sleep(60)

    runner.start(wait_to_be_stopped, title="Save", done=print, quiet=True)
    keeper.look()
    runner.shutdown()
    qtbot.waitUntil(lambda: keeper.is_saved)
    assert not file.exists()
    keeper.flush()
    assert stored(file) == 3


def test_saved_while_every_thread_reads(tmp_path: Path, runner: JobRunner, qtbot: QtBot) -> None:
    file = tmp_path / "kept.json"
    keeper = Keeper(lambda: {"edits": 3}, Settings(file, "Edits"), runner, runner)
    keeper.begin({})
    runner.start(lambda ticket: ticket.sleep(60), title="Scan", done=print)
    keeper.look()
    qtbot.waitUntil(lambda: keeper.is_saved)
    assert stored(file) == 3


def test_saved_at_the_end_though_the_disk_refused_it_before(tmp_path: Path, runner: JobRunner, qtbot: QtBot) -> None:
    file = tmp_path / "folder" / "kept.json"
    file.parent.write_text("in the way")
    keeper = Keeper(lambda: {"edits": 3}, Settings(file, "Edits"), runner, runner)
    keeper.begin({})
    with qtbot.waitSignal(runner.error_raised):
        keeper.look()
    keeper.look()
    assert keeper.is_saved  # the same is not tried, and complained of, again and again
    file.parent.unlink()
    keeper.flush()
    assert stored(file) == 3
