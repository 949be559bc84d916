"""A table in memory and everything that edits it, in virtual time."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator

from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import ReadOnly
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Item, String, Value
from dynodesk.domain.writing import Hands
from dynodesk.editing.committing import CommitReport, EditResult
from dynodesk.editing.desk import EditDesk
from tests.helpers.memory_journal import MemoryJournal
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.memory_writer import MemoryWriter
from tests.helpers.virtual_clock import VirtualClock

SCHEMA = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
BY_ACTOR = IndexInfo("ByActor", "GSI", KeySchema((KeyAttribute("actor", "S"),)), Projection("KEYS_ONLY"))
POSTS = TableInfo("Posts", SCHEMA, (BY_ACTOR,))
HERE = Place("arn:aws:iam::1:user/ann", "memory", "nowhere")


def post(sort: str = "META", **attributes: Value) -> dict[str, Value]:
    return {"PK": String("POST#a91f"), "SK": String(sort), **attributes}


def edit(before: Item | None, after: Item | None) -> Edit:
    return Edit("Posts", SCHEMA.key_of(before or after or {}), before, after)


class MemoryCatalog:
    def table_names(self, ticket: Ticket) -> tuple[str, ...]:
        return ("Posts",)

    def describe(self, table: str, ticket: Ticket) -> TableInfo:
        return POSTS

    def time_to_live(self, table: str, ticket: Ticket) -> str | None:
        return None


class EditBench:
    def __init__(self, *items: Item, read_only: bool = False) -> None:
        self.reader = MemoryReader(POSTS)
        self.reader.put("Posts", *items)
        self.writer = MemoryWriter(self.reader)
        self.journal = MemoryJournal()
        self.clock = VirtualClock()
        self.ticket = Ticket()
        self.told: list[EditResult] = []
        self.read_only = read_only
        self.desk = self.new_desk()

    def new_desk(self, place: Place = HERE) -> EditDesk:
        """Of another program, or of this one after it was started again."""
        hands = Hands(self.reader, self.writer, self.journal, self.clock, random.Random(2))
        return EditDesk(place, MemoryCatalog(), hands, self.writer, self.journal, self._holding)

    @contextlib.contextmanager
    def _holding(self) -> Iterator[None]:
        if self.read_only:
            raise ReadOnly("read-only")
        yield

    def commit(self, *edits: Edit) -> CommitReport:
        return self.desk.commit(self.desk.plan(edits, self.ticket), self.ticket, self.told.append)

    def item(self, sort: str = "META") -> Item | None:
        return self.reader.get("Posts", SCHEMA.key_of(post(sort)))
