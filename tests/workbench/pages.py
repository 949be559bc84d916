"""A `RawPageReader` over items in memory, and what most tests load with it."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from dynodesk.domain.bulk import RawPage
from dynodesk.domain.capacity import Consumed, Meter
from dynodesk.domain.pacing import Limits
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.workbench import sets
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.loading import CHUNK_ITEMS, load
from dynodesk.workbench.results import run
from dynodesk.workbench.sets import LoadedSet
from dynodesk.workbench.sources import TableSource

Tagged = dict[str, dict[str, Any]]

TABLE = TableInfo("Things", KeySchema((KeyAttribute("pk", "S"),)))
ENDPOINT = "http://127.0.0.1:8123"


class MemoryPages:
    """Items in the order of the table; a segment has those whose key falls to it. `read` lists what was asked for."""

    def __init__(self, items: Sequence[Tagged], meter: Meter, page_items: int = 100) -> None:
        self._items, self._meter, self._page_items = items, meter, page_items
        self.separators = (",", ":")
        """Of the JSON; the service has no spaces in it."""
        self.read: list[tuple[int, str | None]] = []
        self.before_page: Callable[[int, int], object] = lambda _segment, _page: None
        """Called on the reading thread with the segment and the page's number: a test may wait there, or raise."""
        self._lock = threading.Lock()

    def raw_pages(
        self, plan: ReadPlan, ticket: Ticket, *, start: str | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[RawPage]:
        own = [item for item in self._items if self._is_of(item, plan, segment, segments)]
        at = 0 if start is None else json.loads(start)["at"]
        while True:
            ticket.checkpoint()
            self.before_page(segment, at // self._page_items)
            with self._lock:
                self.read.append((segment, start))
            found = own[at : at + self._page_items]
            at += len(found)
            # As the service does: a page that is full has a cursor, even when nothing follows.
            start = json.dumps({"at": at}) if len(found) == self._page_items else None
            texts = [json.dumps(item, ensure_ascii=False, separators=self.separators).encode() for item in found]
            self._meter.called((Consumed("Scan", plan.table, "", Decimal("0.5")),))
            yield RawPage.of(
                texts,
                scanned=len(found),
                cursor=start,
                units=Decimal("0.5"),
                received=f"2026-01-01T00:00:{at % 60:02}Z",
            )
            if start is None:
                return

    @staticmethod
    def _is_of(item: Tagged, plan: ReadPlan, segment: int, segments: int) -> bool:
        if isinstance(plan, QueryPlan):
            return all(item.get(name) == {"S": getattr(value, "text", None)} for name, value in plan.partition.items())
        return zlib.crc32(json.dumps(item["pk"]).encode()) % segments == segment


def things(count: int) -> list[Tagged]:
    return [{"pk": {"S": f"thing {i}"}, "n": {"N": str(i)}} for i in range(count)]


def load_items(
    bench: Bench,
    items: Sequence[Tagged],
    *,
    name: str = "Things",
    info: TableInfo = TABLE,
    segments: int = 1,
    page_items: int = 100,
    chunk_items: int = CHUNK_ITEMS,
    reader: MemoryPages | None = None,
    ticket: Ticket | None = None,
    limits: Limits | None = None,
    meter: Meter | None = None,
    resume: bool = False,
    with_view: bool = True,
) -> LoadedSet:
    """Load all items by a Scan."""
    meter = meter or Meter()
    return load(
        TableSource((ScanPlan(info.name),), info, ENDPOINT, reader or MemoryPages(items, meter, page_items), segments),
        bench,
        name,
        ticket or Ticket(),
        meter=meter,
        limits=limits,
        resume=resume,
        with_view=with_view,
        chunk_items=chunk_items,
    )


def rows(bench: Bench, sql: str) -> list[tuple[str | None, ...]]:
    """All rows of one statement."""
    (outcome,) = run(bench, sql, Ticket())
    with outcome.result as result:
        return result.rows(0, len(result))


def stored_items(bench: Bench, loaded: LoadedSet) -> list[Tagged]:
    """The whole items of a set, ordered by key."""
    with bench.cursor(Ticket()) as cursor:
        found = cursor.execute(f"SELECT item FROM {loaded.table}").fetchall()
    return in_order(json.loads(text) for (text,) in found)


def in_order(items: Any) -> list[Tagged]:
    return sorted(items, key=lambda item: json.dumps(item["pk"]))


def columns(bench: Bench, loaded: LoadedSet) -> dict[str, sets.SetColumn]:
    with bench.cursor(Ticket()) as cursor:
        return {column.name: column for column in sets.columns_of(cursor, loaded)}
