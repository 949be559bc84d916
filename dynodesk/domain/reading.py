"""A Query or Scan in portions: what it has read, what that cost, and where it goes on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from dynodesk.domain.capacity import Consistency, Consumed, Meter, read_units
from dynodesk.domain.clock import Clock, SystemClock
from dynodesk.domain.collections import Extent, Identity, Prepared, View, prepare
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.pacing import Limits, Pace
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.reads import Page, QueryPlan, ReadPlan, ScanPlan
from dynodesk.domain.requests import operation_of
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import item_size, plain_digits

EVERYTHING = sys.maxsize
"""As many items as there are."""

State = Literal["reading", "complete", "more", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Portion:
    """How far to read in one go."""

    items: int
    """Items read, not items returned: at most so many, over all pages. `EVERYTHING`: to the end."""
    page_items: int | None = None
    """Most items of one page; None: the service's 1 MB decides."""
    until: Identity | None = None
    """Stop after the page that holds this item."""
    rate: Decimal | None = None
    """Read units a second, at most; None: as fast as it goes."""

    @property
    def is_everything(self) -> bool:
        return self.items == EVERYTHING

    def page_limit(self, left: int) -> int | None:
        """The limit of the next page with so many items left to read; None: the service decides."""
        if self.is_everything:
            return self.page_items
        return left if self.page_items is None else min(left, self.page_items)

    def progress(self, done: int) -> Progress:
        return Progress(done, None if self.is_everything else self.items, "items read")

    def ends_with(self, prepared: Prepared) -> bool:
        return self.until is not None and any(entry.identity == self.until for entry in prepared.entries)


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
    def is_at_end(self) -> bool:
        """Whether the last page that was taken leads to no other."""
        return self.cursor is None

    @property
    def has_more(self) -> bool:
        """Whether a next page exists, as far as is known. A page without items does not say that it was the last."""
        return not self.is_at_end or (self.pages == 0 and self.state != "complete")

    @property
    def extent(self) -> Extent:
        """How much of a collection is loaded. Within a Scan no collection is known to be whole before the end."""
        if self.has_more or self.state == "reading":
            return "so far"
        if self.plan.filter is not None:
            return "that meet the filter"
        if isinstance(self.plan, QueryPlan) and self.plan.sort is not None:
            return "in this range"
        return "some attributes" if self.plan.attributes else "all read"

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
        share = self.share_read if self.has_more else ""
        return " · ".join([*parts, *([share] if share else []), self.ending()])

    @property
    def share_read(self) -> str:
        """`about 3 % read, by an old count`: of a table or index that a Scan reads; "" where that cannot be said."""
        table, index = self.view.table, self.plan.index
        place = table if index is None else table.index(index)
        count = place.item_count_estimate if place is not None else None
        if not isinstance(self.plan, ScanPlan) or not count or self.scanned > count:
            return ""
        percent = 100 * self.scanned // count
        return f"{f'about {percent}' if percent else 'less than 1'} % read, by an old count"

    def nothing_found(self) -> str:
        """What is said in place of items: that there are none, or that none has come so far."""
        if self.state == "reading" and not self.pages:
            return "Reading…"
        if isinstance(self.plan, QueryPlan) and self.plan.by_key and self.state == "complete":
            return "There is no item with this key."
        pages = f"{self.pages:,} {'page' if self.pages == 1 else 'pages'}"
        so_far = " so far" if self.pages and self.state != "complete" else ""
        parts = [f"0 items{so_far}", pages, *([f"{self.scanned:,} read"] if self.tells_read else [])]
        if self.state != "complete" and self.share_read:
            parts.append(self.share_read)
        said = f"{', '.join(parts)}."
        match self.state:
            case "reading":
                return f"{said} Reading on…"
            case "complete" if self.plan.filter is not None and self.scanned:
                return f"{said} None of them meets the filter."
            case "complete":
                return f"{said} Nothing else is in this {self.whole}."
            case "failed":
                return f"{said} Reading failed before the end of the {self.whole}: run it again."
            case _:
                return f"{said} There is more to read: nothing is known about the rest."

    def ending(self) -> str:
        whole = self.whole
        match self.state:
            case "reading":
                return "reading"
            case "complete" if isinstance(self.plan, QueryPlan) and self.plan.by_key:
                return "by its key"
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
        return f"{operation_of(self.plan)} {self.plan.table}" + (
            f" through {self.plan.index}" if self.plan.index else ""
        )

    @property
    def tells_read(self) -> bool:
        """Whether replies say how many items were read to find those that they hold."""
        return True

    def portion(
        self, reader: ItemReader, start: Key | None, portion: Portion, ticket: Ticket, /
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
    reader: ItemReader,
    plan: ReadPlan,
    view: View,
    start: Key | None,
    portion: Portion,
    ticket: Ticket,
    clock: Clock | None = None,
) -> Iterator[PreparedPage]:
    """Pages from `start` on, until the end or the portion is read. Raises as `ItemReader` does, and `Cancelled`."""
    pages = PagesOf(reader, plan, start, ticket, Pacing(plan, portion, clock))
    left = portion.items
    while left > 0:
        page = pages.next_of(portion.page_limit(left))
        prepared = prepare(page.items, view)
        # Asked again after the work: what arrives when nobody wants it any more is not shown.
        ticket.checkpoint(portion.progress(portion.items - left + page.scanned))
        yield PreparedPage(page, prepared)
        left -= max(1, page.scanned)  # a server that sends empty pages for ever comes to an end too
        if page.cursor is None or portion.ends_with(prepared):
            return


class Pacing:
    """Keeps the pages of a portion to its rate. Safe across threads."""

    def __init__(self, plan: ReadPlan, portion: Portion, clock: Clock | None) -> None:
        self._plan = plan
        self._meter = Meter()
        self._pace = Pace(self._meter, Limits(rate=portion.rate), clock or SystemClock())

    def before_next(self, ticket: Ticket) -> None:
        """Raises `Cancelled` while it waits."""
        self._pace.before_next(ticket)

    def counted(self, page: Page) -> None:
        """Where a server does not say what a page consumed, what its items would is taken for it."""
        units = page.units
        if units is None:
            units = read_units(sum(map(item_size, page.items)), "strong" if self._plan.consistent else "eventual")
        self._meter.called((Consumed("", self._plan.table, self._plan.index or "", units),))


class PagesOf:
    """The pages of one plan, each with a limit of its own: the last of a portion may hold fewer items than before."""

    def __init__(self, reader: ItemReader, plan: ReadPlan, start: Key | None, ticket: Ticket, pacing: Pacing) -> None:
        self._reader, self._plan, self._ticket, self._pacing = reader, plan, ticket, pacing
        self._cursor = start
        self._limit: int | None = None
        self._pages: Iterator[Page] | None = None

    def next_of(self, limit: int | None) -> Page:
        """The next page, with at most `limit` items read. Raises as `ItemReader` does, and `Cancelled`."""
        if self._pages is None or limit != self._limit:
            # Otherwise the one before goes on: only who sees all cursors finds out that they go round in a circle.
            plan, self._limit = replace(self._plan, page_limit=limit), limit
            if isinstance(plan, QueryPlan):
                self._pages = self._reader.query(plan, self._ticket, self._cursor)
            else:
                self._pages = self._reader.scan(plan, self._ticket, self._cursor)
        self._pacing.before_next(self._ticket)
        page = next(self._pages)
        self._pacing.counted(page)
        self._cursor = page.cursor
        return page


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
    place = table if plan.index is None else table.index(plan.index)
    count, size = (place.item_count_estimate, place.size_bytes_estimate) if place is not None else (None, None)
    if not count or not size:
        return None
    share = min(size, -(-size * portion_items // count))
    what = "a table" if plan.index is None else "an index"
    return CostEstimate(read_units(share, consistency), f"by {what} size that may be 6 hours old", is_old=True)


def units_text(units: Decimal) -> str:
    """`1,204.5`: a count of the program's own, so with separators."""
    whole, _, fraction = plain_digits(units).partition(".")
    return f"{int(whole):,}" + (f".{fraction}" if fraction else "")
