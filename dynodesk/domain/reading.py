"""A Query or Scan in portions: what it has read, what that cost, and where it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from dynodesk.domain.capacity import Consistency, read_units
from dynodesk.domain.collections import Extent, Identity, Prepared, View, prepare
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.reads import Page, QueryPlan, ReadPlan
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import plain_digits

State = Literal["reading", "complete", "more", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Portion:
    """How far to read in one go."""

    items: int
    """Items read, not items returned: at most so many, over all pages."""
    page_items: int | None = None
    """Most items of one page; None: the service's 1 MB decides."""
    until: Identity | None = None
    """Stop after the page that holds this item."""


@dataclass(frozen=True, slots=True)
class PreparedPage:
    page: Page
    prepared: Prepared


@dataclass(eq=False)
class Reading:
    """What one Query or Scan has read so far."""

    plan: ReadPlan
    view: View
    rows: LoadedRows
    state: State = "reading"
    pages: int = 0
    scanned: int = 0
    """Items read before any filter."""
    units: Decimal | None = Decimal(0)
    """None once a reply did not say what it consumed: then the sum is not known."""
    seconds: float = 0.0
    cursor: Key | None = None
    clock: str = ""
    """Time of day of the last reply."""

    def take(self, page: Page) -> None:
        """Count a page whose items have been absorbed, and go on after it."""
        self.pages += 1
        self.scanned += page.scanned
        self.units = None if self.units is None or page.units is None else self.units + page.units
        self.seconds += page.seconds
        self.cursor = page.cursor

    @property
    def has_more(self) -> bool:
        """Whether a next page exists, as far as is known. A page without items does not say that it was the last."""
        return self.cursor is not None or (self.pages == 0 and self.state != "complete")

    @property
    def extent(self) -> Extent:
        """How much of a collection is loaded. Within a Scan no collection is known to be whole before the end."""
        if self.has_more or self.state == "reading":
            return "so far"
        return "in this range" if isinstance(self.plan, QueryPlan) and self.plan.sort is not None else "all read"

    @property
    def count(self) -> int:
        return len(self.rows.entries)

    def facts(self) -> str:
        """`1 page · 1 RCU · 12 ms · end of collection`."""
        parts = [f"{self.pages:,} {'page' if self.pages == 1 else 'pages'}"]
        if self.tells_read and (self.scanned != self.count or not self.count):
            parts.append(f"{self.scanned:,} read")
        parts.append("units not reported" if self.units is None else f"{units_text(self.units)} RCU")
        parts.append(f"{self.seconds * 1000:,.0f} ms")
        return " · ".join([*parts, self.ending()])

    def ending(self) -> str:
        whole = self.whole
        match self.state:
            case "reading":
                return "reading"
            case "complete":
                return f"end of {whole}"
            case "stopped":
                return f"stopped, more in the {whole}"
            case "failed":
                return f"failed, not at the end of the {whole}"
            case "more":
                return f"more in the {whole}"

    @property
    def title(self) -> str:
        """What is done, for the list of running work."""
        operation = "Query" if isinstance(self.plan, QueryPlan) else "Scan"
        return f"{operation} {self.plan.table}" + (f" through {self.plan.index}" if self.plan.index else "")

    @property
    def tells_read(self) -> bool:
        """Whether replies say how many items were read to find those that they hold."""
        return True

    def portion(
        self, reader: ItemReader, start: Key | None, portion: Portion, ticket: Ticket
    ) -> Iterator[PreparedPage]:
        """As `read_portion`, of what this reading is about. For a worker: it looks at nothing that changes."""
        return read_portion(reader, self.plan, self.view, start, portion, ticket)

    @property
    def whole(self) -> str:
        """What is being read, in one word."""
        if isinstance(self.plan, QueryPlan):
            return "collection" if self.plan.sort is None else "range"
        return "index" if self.plan.index else "table"


def read_portion(
    reader: ItemReader, plan: ReadPlan, view: View, start: Key | None, portion: Portion, ticket: Ticket
) -> Iterator[PreparedPage]:
    """Pages from `start` on, until the end or the portion is read. Raises as `ItemReader` does, and `Cancelled`."""
    left = portion.items
    cursor = start
    while left > 0:
        limit = left if portion.page_items is None else min(left, portion.page_items)
        page = _one_page(reader, replace(plan, page_limit=limit), cursor, ticket)
        prepared = prepare(page.items, view)
        # Asked again after the work: what arrives when nobody wants it any more is not shown.
        ticket.checkpoint(Progress(portion.items - left + page.scanned, portion.items, "items read"))
        yield PreparedPage(page, prepared)
        cursor = page.cursor
        left -= max(1, page.scanned)  # a server that sends empty pages for ever comes to an end too
        found = portion.until is not None and any(entry.identity == portion.until for entry in prepared.entries)
        if cursor is None or found:
            return


def _one_page(reader: ItemReader, plan: ReadPlan, start: Key | None, ticket: Ticket) -> Page:
    """Each page is asked for by itself: the last of a portion may hold fewer items than the ones before it."""
    pages = reader.query(plan, ticket, start) if isinstance(plan, QueryPlan) else reader.scan(plan, ticket, start)
    return next(iter(pages))


# ------------------------------------------------------------------------------------------------------------- cost


@dataclass(frozen=True, slots=True)
class CostEstimate:
    units: Decimal
    basis: str
    """Where the number comes from, in words; "" where it is the least that any such read costs."""
    is_old: bool = False


def expected_cost(
    plan: ReadPlan, table: TableInfo, portion_items: int, known_bytes: int | None = None
) -> CostEstimate | None:
    """Units to expect from reading a portion; None where nothing is known of the table.

    `known_bytes` is the size of the very collection when it was read before.
    """
    consistency: Consistency = "strong" if plan.consistent else "eventual"
    if isinstance(plan, QueryPlan):
        if known_bytes is None:
            return CostEstimate(read_units(0, consistency), "")
        return CostEstimate(read_units(known_bytes, consistency), "by its size when last read")
    count, size = table.item_count_estimate, table.size_bytes_estimate
    if not count or not size:
        return None
    share = min(size, -(-size * portion_items // count))
    return CostEstimate(read_units(share, consistency), "by a table size that may be 6 hours old", is_old=True)


def units_text(units: Decimal) -> str:
    """`1,204.5`: a count of the program's own, so with separators."""
    whole, _, fraction = plain_digits(units).partition(".")
    return f"{int(whole):,}" + (f".{fraction}" if fraction else "")
