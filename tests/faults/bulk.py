"""A Scan in segments of a table behind a proxy that spoils a third of all replies: what arrived, and how.

`python -m tests.faults.bulk --items 100000` starts a server, fills a table and prints the figures as JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from dynodesk.aws.clients import open_clients
from dynodesk.aws.raw import RawPages
from dynodesk.domain.capacity import Meter
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ScanPlan
from tests.aws.tables import make_table, plain_client, profile
from tests.faults.proxy import THROTTLE, Cut, FaultProxy, error
from tests.helpers import ministack
from tests.helpers.raw_pages import texts_of

SEGMENTS = 4


@dataclass
class Figures:
    items: int
    """Written to the table."""
    seconds: float
    requests: int
    pages: int
    retries: dict[str, int]
    missing: int
    """Items that came in no page."""
    repeated: int
    """Items that came more than once."""
    strange: int
    """Items that came and were never written."""


def fill(endpoint: str, count: int) -> str:
    """A table of so many items in partitions of a hundred; its name."""
    client: Any = plain_client(endpoint)
    table = make_table(client)
    for first in range(0, count, 25):  # as many as one request takes
        puts = [{"PutRequest": {"Item": _item(n)}} for n in range(first, min(first + 25, count))]
        assert not client.batch_write_item(RequestItems={table: puts})["UnprocessedItems"]
    client.close()
    return table


def read_through_faults(endpoint: str, table: str, items: int, page_limit: int) -> Figures:
    """30 % of the requests are throttled, 1 % of the replies are cut, 1 % are errors of the service."""
    meter = Meter()
    with FaultProxy(endpoint) as proxy:
        clients = open_clients(profile(proxy.url))
        pages = RawPages(clients, meter)
        proxy.always("Scan", THROTTLE, share=0.3)
        proxy.always("Scan", Cut(), share=0.01)
        proxy.always("Scan", error("InternalServerError", 500), share=0.01)

        def segment(number: int) -> list[list[int]]:
            plan = ScanPlan(table, page_limit=page_limit)
            return [
                [int(item["n"]["N"]) for item in map(json.loads, texts_of(page))]
                for page in pages.raw_pages(plan, Ticket(), segment=number, segments=SEGMENTS)
            ]

        started = time.monotonic()
        with ThreadPoolExecutor(SEGMENTS) as pool:
            found = [page for part in pool.map(segment, range(SEGMENTS)) for page in part]
        seconds = time.monotonic() - started
        pages.close()
        clients.close()
    seen = Counter(number for page in found for number in page)
    return Figures(
        items=items,
        seconds=round(seconds, 2),
        requests=proxy.counts["Scan"],
        pages=len(found),
        retries=dict(meter.retries),
        missing=len(set(range(items)) - seen.keys()),
        repeated=sum(times > 1 for times in seen.values()),
        strange=len(seen.keys() - set(range(items))),
    )


def _item(n: int) -> dict[str, dict[str, str]]:
    return {"PK": {"S": f"POST#{n // 100}"}, "SK": {"S": f"LIKE#{n:07}"}, "n": {"N": str(n)}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--page", type=int, default=500, help="items of a page")
    asked = parser.parse_args()
    with ministack.running() as endpoint:
        table = fill(endpoint, asked.items)
        figures = read_through_faults(endpoint, table, asked.items, asked.page)
    print(json.dumps(asdict(figures), indent=2))  # noqa: T201 (the figures are the output)


if __name__ == "__main__":
    main()
