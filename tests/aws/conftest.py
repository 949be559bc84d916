"""A connection through the fault proxy to a real emulator, with waits that only take note of how long they were."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dynodesk.aws.calls import Calls
from dynodesk.aws.catalog import DynamoCatalog
from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.raw import RawPages
from dynodesk.aws.reader import DynamoReader
from dynodesk.domain.capacity import Meter
from dynodesk.domain.progress import Ticket
from tests.aws.tables import profile
from tests.faults.proxy import FaultProxy


@pytest.fixture(scope="module", params=["moto", "ministack"])
def endpoint(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(request.param)
    return url


@pytest.fixture(scope="module")
def connection(ministack: str) -> Iterator[tuple[FaultProxy, Clients]]:
    """Made once a module: clients take their time to make."""
    with FaultProxy(ministack) as running:
        opened = open_clients(profile(running.url))
        yield running, opened
        opened.close()


@pytest.fixture
def proxy(connection: tuple[FaultProxy, Clients]) -> FaultProxy:
    """Spoils nothing, has counted nothing."""
    connection[0].clear()
    return connection[0]


@pytest.fixture
def clients(connection: tuple[FaultProxy, Clients], proxy: FaultProxy) -> Clients:
    """As if just opened: the endpoint has not answered yet."""
    connection[1].answered.clear()
    return connection[1]


@pytest.fixture
def waits() -> list[float]:
    """Seconds that would have been waited."""
    return []


@pytest.fixture
def calls(clients: Clients, meter: Meter, waits: list[float]) -> Calls:
    def sleep(ticket: Ticket, seconds: float) -> None:
        waits.append(seconds)
        ticket.checkpoint()

    return Calls(clients, meter, sleep=sleep)


@pytest.fixture
def meter() -> Meter:
    return Meter()


@pytest.fixture
def reader(clients: Clients, meter: Meter, calls: Calls) -> DynamoReader:
    return DynamoReader(clients, meter, calls)


@pytest.fixture
def catalog(clients: Clients, calls: Calls) -> DynamoCatalog:
    return DynamoCatalog(clients, calls)


@pytest.fixture
def raw(clients: Clients, meter: Meter, calls: Calls) -> Iterator[RawPages]:
    pages = RawPages(clients, meter, calls)
    yield pages
    pages.close()
