"""A `RawPageReader` over tables in memory, and sweeps of one rule in both ways."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from dynodesk.domain.bulk import RawPage
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, ReadPlan
from dynodesk.domain.values import Item
from tests.helpers.memory_reader import MemoryReader

PAGE_ITEMS = 4


class MemoryRawPages:
    """Small pages, every other one with nothing but ASCII in it."""

    def __init__(self, reader: MemoryReader) -> None:
        self._reader = reader
        self.plans: list[ReadPlan] = []

    def raw_pages(
        self, plan: ReadPlan, ticket: Ticket, *, start: str | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[RawPage]:
        assert not isinstance(plan, QueryPlan)
        self.plans.append(plan)
        items = [
            item_to_dynamodb(item)
            for page in self._reader.scan(replace(plan, page_limit=None), ticket)
            for item in page.items
            if _segment(item, segments) == segment
        ]
        first = 0 if start is None else json.loads(start) + PAGE_ITEMS
        for at in range(first, len(items) + 1, PAGE_ITEMS):
            ticket.checkpoint()
            found = items[at : at + PAGE_ITEMS]
            as_ascii = at % (2 * PAGE_ITEMS) == 0
            texts = [json.dumps(item, ensure_ascii=as_ascii).encode() for item in found]
            cursor = str(at) if at + PAGE_ITEMS <= len(items) else None
            yield RawPage.of(
                texts, scanned=len(found), cursor=cursor, units=Decimal("0.5"), received="2026-01-01T00:00:00Z"
            )


def _segment(item: Item, segments: int) -> int:
    return zlib.crc32(repr(sorted(item.items(), key=repr)).encode()) % segments
