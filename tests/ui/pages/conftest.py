"""A running sandbox, and Reconcile pages over it and over its items in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from dynodesk.domain.item_json import item_from_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Item
from dynodesk.sandbox.process import Sandbox
from dynodesk.sandbox.samples import sample_tables
from dynodesk.ui.jobs import JobRunner
from dynodesk.wiring import SANDBOX_PROFILE, Workspace, open_workspace
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.social import SOCIAL
from tests.ui.pages.reconcile_desk import SOCIAL_TOML, Desk, OpenDesk, desk_of, in_memory


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with Sandbox.start() as sandbox:
        opened = open_workspace(SANDBOX_PROFILE, Ticket(), sandbox_url=sandbox.endpoint)
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
    reader = MemoryReader(SOCIAL)
    reader.put("Social", *sample)
    return open_desk(in_memory(workspace, reader), quick)
