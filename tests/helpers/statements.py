"""A `StatementReader` that hands out pages that are given to it, and can be held before each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from threading import Event

from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page
from dynodesk.domain.statements import Select
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, Number


class PagedStatements:
    """Every statement has the same pages. Where one goes on is told by the number of the page."""

    def __init__(self, *pages: Sequence[Item]) -> None:
        self.pages = pages
        self.asked: list[Select] = []
        """One for each page."""
        self.failure: Exception | None = None
        self.go = Event()
        """Cleared: each page waits for it."""
        self.go.set()

    def select(self, asked: Select, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        number = 0 if start is None else _number(start)
        for at in range(number, len(self.pages)):
            while not self.go.is_set():
                ticket.sleep(0.01)
            ticket.checkpoint()
            self.asked.append(asked)
            if self.failure is not None:
                raise self.failure
            items = tuple(self.pages[at])
            cursor = {"page": Number(str(at + 1))} if at + 1 < len(self.pages) else None
            yield Page(items, len(items), cursor, Decimal("0.5"), 0.001)


def _number(cursor: Key) -> int:
    value = cursor["page"]
    assert isinstance(value, Number)
    return int(value.text)
