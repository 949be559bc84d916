"""A Scan in several segments side by side, in rounds, so that its items come in the same order every time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from dynodesk.domain.clock import Clock
from dynodesk.domain.collections import View, prepare
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reading import Pacing, PagesOf, Portion, PreparedPage, Reading
from dynodesk.domain.reads import Page, ReadPlan, ScanPlan
from dynodesk.domain.tables import Key

AT_ONCE = 16
"""Segments that are asked at the same time, however many there are: connections are not without end."""


@dataclass(eq=False)
class SegmentedReading(Reading):
    """What the segments of one Scan have read so far."""

    scan: ScanPlan = field(kw_only=True)
    """The plan."""
    unread: dict[int, Key | None] = field(init=False)
    """Where each segment that is not at its end goes on; None: at its start."""

    def __post_init__(self) -> None:
        self.unread = dict.fromkeys(range(self.scan.segments))

    def take(self, page: Page) -> None:
        super().take(page)
        if page.cursor is None:
            del self.unread[page.segment]
        else:
            self.unread[page.segment] = page.cursor

    @property
    def is_at_end(self) -> bool:
        return not self.unread

    def portion(
        self, reader: ItemReader, _start: Key | None, portion: Portion, ticket: Ticket
    ) -> Iterator[PreparedPage]:
        """As `read_segments`: every segment has a start of its own."""
        return read_segments(reader, self.scan, self.view, dict(self.unread), portion, ticket)


def reading_for(plan: ReadPlan, rows: LoadedRows) -> Reading:
    """A reading of a plan that has not begun."""
    if isinstance(plan, ScanPlan) and plan.segments > 1 and plan.segment is None:
        return SegmentedReading(plan, rows.view, rows, scan=plan)
    return Reading(plan, rows.view, rows)


def read_segments(
    reader: ItemReader,
    plan: ScanPlan,
    view: View,
    starts: Mapping[int, Key | None],
    portion: Portion,
    ticket: Ticket,
    clock: Clock | None = None,
) -> Iterator[PreparedPage]:
    """Pages of the segments in `starts`, until all are at their end or the portion is read.

    In each round every segment reads one page, and the pages come by number of segment. Raises as `ItemReader` does,
    and `Cancelled`, after the pages that the round has read.
    """
    pacing = Pacing(plan, portion, clock)
    waiting = {
        segment: PagesOf(reader, replace(plan, segment=segment), start, ticket, pacing)
        for segment, start in starts.items()
    }
    left = portion.items
    with ThreadPoolExecutor(max_workers=min(AT_ONCE, max(1, len(waiting)))) as pool:
        while waiting and left > 0:
            shares = _shares(list(waiting), left)
            running = {
                segment: pool.submit(waiting[segment].next_of, portion.page_limit(share))
                for segment, share in shares.items()
            }
            found = False
            failure: BaseException | None = None
            for segment, future in running.items():
                failure = failure or future.exception()
                if future.exception() is not None:
                    continue
                page = replace(future.result(), segment=segment)
                prepared = prepare(page.items, view)
                left -= page.scanned if page.cursor is None else max(1, page.scanned)
                ticket.checkpoint(portion.progress(portion.items - left))
                yield PreparedPage(page, prepared)
                found = found or portion.ends_with(prepared)
                if page.cursor is None:
                    del waiting[segment]
            if failure is not None:
                raise failure
            if found:
                return


def _shares(segments: list[int], left: int) -> dict[int, int]:
    """How many items each segment reads next, so that all together read no more than `left`."""
    each, rest = divmod(left, len(segments))
    shares = {segment: each + (at < rest) for at, segment in enumerate(segments)}
    return {segment: share for segment, share in shares.items() if share}
