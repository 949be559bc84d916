"""A connection to the sandbox, and Reconcile pages over it and over its items in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from dynodesk.domain.bulk import RawPageReader
from dynodesk.domain.capacity import Meter
from dynodesk.domain.item_json import item_from_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Item
from dynodesk.sandbox.samples import sample_tables
from dynodesk.ui.jobs import JobRunner
from dynodesk.wiring import SANDBOX_PROFILE, Workspace, open_workspace
from dynodesk.workbench.bench import Bench
from tests.helpers.memory_reader import MemoryReader
from tests.ui.pages.reconcile_desk import SOCIAL_TOML, WITH_INDEX, Desk, OpenDesk, desk_of, in_memory
from tests.ui.pages.sql_desk import Desk as SqlDesk
from tests.ui.pages.sql_desk import HeldReader, OpenSql


@pytest.fixture(scope="session")
def workspace(sandbox: str) -> Iterator[Workspace]:
    opened = open_workspace(SANDBOX_PROFILE, Ticket(), sandbox_url=sandbox)
    yield opened
    opened.close()


@pytest.fixture
def quick(tmp_path: Path) -> Path:
    """The sandbox's own rules without waits: nobody writes to it here."""
    path = tmp_path / "quick.toml"
    text = SOCIAL_TOML.read_text(encoding="utf-8").replace('settle = "1s"', 'settle = "0s"')
    path.write_text(text.replace('wait = "2s"', 'wait = "0s"'), encoding="utf-8")
    return path


@pytest.fixture
def open_desk(qtbot: QtBot) -> Iterator[OpenDesk]:
    runners: list[JobRunner] = []

    def opened(workspace: Workspace, rules: Path) -> Desk:
        runners.append(JobRunner(threads=2))
        return desk_of(workspace, rules, runners[-1], qtbot)

    yield opened
    for runner in runners:
        assert runner.shutdown()
        runner.deleteLater()


@pytest.fixture
def live_desk(open_desk: OpenDesk, workspace: Workspace, quick: Path) -> Desk:
    """A page over the running sandbox."""
    return open_desk(workspace, quick)


@pytest.fixture(scope="session")
def sample() -> list[Item]:
    """The items of the sandbox's table, as it is filled."""
    table = next(table for table in sample_tables() if table.name == "Social")
    return [item_from_dynamodb(item) for item in table.items]


@pytest.fixture
def desk(open_desk: OpenDesk, workspace: Workspace, quick: Path, sample: list[Item]) -> Desk:
    """A page over the sandbox's items in memory, where a Scan takes no time."""
    reader = MemoryReader(WITH_INDEX)
    reader.put("Social", *sample)
    return open_desk(in_memory(workspace, reader, WITH_INDEX), quick)


@pytest.fixture
def own(workspace: Workspace) -> Iterator[Workspace]:
    """The connection with a database of this test alone."""
    with Bench.open() as bench:
        yield replace(workspace, bench=lambda: bench)


@pytest.fixture
def open_sql(qtbot: QtBot) -> Iterator[OpenSql]:
    runners: list[JobRunner] = []

    def opened(workspace: Workspace) -> SqlDesk:
        runners.append(JobRunner(threads=4))
        return SqlDesk(workspace, runners[-1], qtbot)

    yield opened
    for runner in runners:
        assert runner.shutdown()
        runner.deleteLater()


@pytest.fixture
def sql(open_sql: OpenSql, own: Workspace) -> SqlDesk:
    return open_sql(own)


@pytest.fixture
def stopped(open_sql: OpenSql, own: Workspace) -> tuple[SqlDesk, Event]:
    """A page where the load of Social was stopped after its first segment, and what lets the others go."""
    go = Event()

    def new_raw_reader(meter: Meter) -> RawPageReader:
        return HeldReader(own.new_raw_reader(meter), go)

    desk = open_sql(replace(own, new_raw_reader=new_raw_reader))
    desk.open_form("Social")
    desk.press_load()
    desk.wait(lambda: "items in 1 page," in desk.page.sets.progress)
    QTest.mouseClick(desk.page.stop_button, Qt.MouseButton.LeftButton)
    desk.wait()
    return desk, go
