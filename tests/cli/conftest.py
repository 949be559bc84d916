"""A proxy before the sandbox that spoils replies on the way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.proxy import FaultProxy


@pytest.fixture
def proxy(sandbox: str) -> Iterator[FaultProxy]:
    with FaultProxy(sandbox) as running:
        yield running
