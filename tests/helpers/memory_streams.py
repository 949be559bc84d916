"""A `StreamReader` over records in memory, in virtual time: each can be read some time after it was written."""

from __future__ import annotations

from dataclasses import dataclass, field

from dynodesk.domain.clock import Clock
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.progress import Ticket
from dynodesk.domain.streams import Start, StreamPart, StreamRecord
from dynodesk.domain.tables import TableInfo


@dataclass
class MemoryStreams:
    clock: Clock
    lag: float = 1.0
    """Seconds until a record can be read; after twice that, all is said to have been read."""
    written: list[tuple[float, str, StreamRecord]] = field(default_factory=list)
    """When, to which table, what."""
    fault: DynodeskError | None = None
    lost: str = ""
    opened: int = 0

    def write(self, table: str, record: StreamRecord) -> None:
        self.written.append((self.clock.now(), table, record))

    def open(self, table: TableInfo, start: Start, ticket: Ticket) -> MemoryStream:
        self.opened += 1
        begin = 0 if start == "trim" else len(self.written)
        return MemoryStream(self, table.name, begin, self.clock.now())


@dataclass
class MemoryStream:
    streams: MemoryStreams
    table: str
    place: int
    known_from: float

    def read(self, ticket: Ticket) -> StreamPart:
        ticket.checkpoint()
        if self.streams.fault is not None:
            raise self.streams.fault
        now = self.streams.clock.now()
        if self.streams.lost:
            self.known_from = now
        records = []
        while self.place < len(self.streams.written):
            at, table, record = self.streams.written[self.place]
            if at + self.streams.lag > now:
                break
            self.place += 1
            if table == self.table:
                records.append(record)
        read_to = now - 2 * self.streams.lag
        return StreamPart(self.table, tuple(records), read_to, read_to, self.known_from, self.streams.lost)
