"""What a table's stream tells: every change of every item, in the order of each item, some time after it happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import Item

Event = Literal["INSERT", "MODIFY", "REMOVE"]
EVENTS: tuple[Event, ...] = get_args(Event)
Start = Literal["now", "trim"]
"""Where to begin: with what is written from now on, or with the oldest record that is still kept (24 hours)."""

IMAGES = "NEW_AND_OLD_IMAGES"


@dataclass(frozen=True, slots=True)
class StreamRecord:
    """One change of one item."""

    event: Event
    key: Key
    old: Item | None
    """The item before, None where there was none, or where the stream does not carry it."""
    new: Item | None
    at: float
    """When the change was made, by the service's clock: seconds since 1970, rounded down to a second."""
    by_ttl: bool = False
    """Whether Time to Live deleted the item."""
    sequence: str = ""


@dataclass(frozen=True, slots=True)
class StreamPart:
    """What one round of reading brought: the records, and up to when there are no others.

    Records of one item are in their order, over all parts; those of different items may come in any order.
    """

    table: str
    records: tuple[StreamRecord, ...]
    read_to: float
    """By the service's clock: every change made before this moment has been handed over. Never falls."""
    caught_up: float
    """The same moment by our clock (`Clock.now`)."""
    known_from: float
    """By the service's clock: no change made after this moment is missing. It rises where records were lost."""
    lost: str = ""
    """Why records were lost in this round; empty where none were."""


class OpenStream(Protocol):
    """One reader's place in a table's stream."""

    def read(self, ticket: Ticket) -> StreamPart:
        """One round over all shards that may be read now; none may be, then there are no records.

        To be called about once a second. Raises `Cancelled`, and `CannotConnect`, `NotAllowed`, `TableMissing`,
        `Throttled`, `ServiceFailed`, `DamagedReply` after the usual patience.
        """


class StreamReader(Protocol):
    def open(self, table: TableInfo, start: Start, ticket: Ticket) -> OpenStream:
        """Raises `InvalidRequest` where the table has no stream, and what `OpenStream.read` raises."""


def check_images(table: TableInfo) -> None:
    """Raises `InvalidRequest` where the stream does not tell what an item was before and what it is now."""
    if table.stream is None:
        raise InvalidRequest(
            f"{table.name} has no stream, so nobody can see its writes happen",
            hint=f"Switch a stream on, with {IMAGES}.",
        )
    if table.stream.view != IMAGES:
        raise InvalidRequest(
            f"the stream of {table.name} carries {table.stream.view}: it does not tell by how much a tally moved, "
            "nor whether a child counted before",
            hint=f"It takes {IMAGES}: switch the stream off and on again with that view.",
        )
