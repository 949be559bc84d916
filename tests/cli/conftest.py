"""A running sandbox for the commands, and a proxy that spoils replies on the way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dynodesk.sandbox.process import Sandbox
from tests.faults.proxy import FaultProxy


@pytest.fixture(scope="session")
def sandbox() -> Iterator[str]:
    """The endpoint of one sandbox for all commands: they only read."""
    with Sandbox.start() as running:
        yield running.endpoint


@pytest.fixture
def proxy(sandbox: str) -> Iterator[FaultProxy]:
    with FaultProxy(sandbox) as running:
        yield running
