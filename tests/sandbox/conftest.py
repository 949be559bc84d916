"""A running sandbox for the tests of this folder, and raw requests to any emulator."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dynodesk.sandbox.process import Sandbox
from dynodesk.sandbox.seed import Api

Scan = Callable[[str, str], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[str]:
    """The endpoint of a freshly seeded sandbox."""
    with Sandbox.start() as running:
        yield running.endpoint


@pytest.fixture(scope="session")
def scan() -> Scan:
    """All items of a table, by endpoint and name, page by page over plain HTTP."""

    def read(endpoint: str, table: str) -> list[dict[str, Any]]:
        api = Api(endpoint)
        items: list[dict[str, Any]] = []
        start: dict[str, Any] = {}
        while True:
            page = api.call("Scan", {"TableName": table, "ConsistentRead": True, **start})
            items += page["Items"]
            if "LastEvaluatedKey" not in page:
                return items
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    return read
