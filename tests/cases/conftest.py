"""Browse pages over two emulators, with all that edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from dynodesk.domain.progress import Ticket
from dynodesk.ui.jobs import JobRunner
from dynodesk.wiring import Workspace, open_workspace
from tests.aws.tables import plain_client, profile
from tests.cases.live_desk import LiveDesk
from tests.faults.proxy import FaultProxy

Place = tuple[Workspace, FaultProxy, Any]
"""A connection that writes, the proxy it goes through, and a plain client past it."""
OpenDesk = Callable[[str], LiveDesk]


@pytest.fixture(scope="module", params=["moto", "ministack"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    url: str = request.getfixturevalue(request.param)
    with FaultProxy(url) as proxy:
        workspace = open_workspace(profile(proxy.url, read_only=False), Ticket())
        yield workspace, proxy, plain_client(url)
        workspace.close()


@pytest.fixture
def open_desk(place: Place, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenDesk]:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    workspace, proxy, client = place
    runner = JobRunner(threads=2)
    errors: list[BaseException] = []
    runner.error_raised.connect(errors.append)

    def opened(table: str) -> LiveDesk:
        return LiveDesk(workspace, proxy, client, table, runner, qtbot)

    yield opened
    assert runner.shutdown()
    runner.deleteLater()
    assert errors == []
