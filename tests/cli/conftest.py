"""A proxy before the sandbox that spoils replies on the way, and one user who composes requests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.aws.tables import make_table, plain_client
from tests.cli.request_home import RequestHome
from tests.faults.proxy import FaultProxy


@pytest.fixture
def proxy(sandbox: str) -> Iterator[FaultProxy]:
    with FaultProxy(sandbox) as running:
        yield running


@pytest.fixture(scope="module")
def written(ministack: str) -> Iterator[tuple[FaultProxy, Any, str]]:
    """A server that is written to, through a proxy and past it, and the table there."""
    client = plain_client(ministack)
    with FaultProxy(ministack) as running:
        yield running, client, make_table(client)


@pytest.fixture
def home(
    written: tuple[FaultProxy, Any, str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> RequestHome:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    return RequestHome(tmp_path, *written, capfd)
