"""What the engine and the faces need from the outside. `aws` and `store` provide it; tests may too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page, QueryPlan, ScanPlan
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import Item


class TableCatalog(Protocol):
    """Raises `CannotConnect`, `NotAllowed`, `TableMissing`, `Throttled`, `ServiceFailed`, `DamagedReply`."""

    def table_names(self, ticket: Ticket) -> tuple[str, ...]:
        """All tables, from all pages, in the service's order."""

    def describe(self, table: str, ticket: Ticket) -> TableInfo: ...

    def time_to_live(self, table: str, ticket: Ticket) -> str | None:
        """The attribute whose time makes an item of the table expire; None where nothing expires."""


class PageReader(Protocol):
    """Reads of whole item collections and of single instants. Every reply is proven whole before it is believed.

    Raises `CannotConnect`, `NotAllowed`, `TableMissing`, `Throttled`, `ServiceFailed`, and `DamagedReply` when replies
    stay damaged after several tries.
    """

    def query(self, plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]: ...

    def scan(self, plan: ScanPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]: ...

    def transact_get(self, keys: Sequence[tuple[str, Key]], ticket: Ticket) -> tuple[Item | None, ...]:
        """Up to 100 items (table, key) as of one instant.

        Raises `Busy` where a write transaction holds one of them. Waits for capacity and for the network, but not for
        long: other parents may be readable.
        """


class ItemReader(PageReader, Protocol):
    """Reads of items by key as well. Raises what `PageReader` raises."""

    def get(self, table: str, key: Key, *, consistent: bool = False) -> Item | None: ...

    def batch_get(
        self, table: str, keys: Sequence[Key], ticket: Ticket, *, consistent: bool = False
    ) -> list[Item | None]:
        """One entry for each key, in order; keys given twice are read once. None: the item does not exist."""
