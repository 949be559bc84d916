"""A service with tables in memory, for dialogs and pages that show, make and delete them."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from pytestqt.qtbot import QtBot

from dynodesk.domain.clock import SystemClock
from dynodesk.domain.errors import DynodeskError, TableMissing
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.table_changes import CreateIndex, CreateTable, DeleteIndex, DeleteTable, TableChange
from dynodesk.domain.table_work import TableHands
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, Recovery, TableDetails, TableInfo
from dynodesk.domain.tables import TimeToLive as Expiry
from dynodesk.store.journal import Journal
from dynodesk.ui.dialogs.table_change import TableTools
from dynodesk.ui.jobs import JobRunner
from tests.helpers.granted import granted

KEYS = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
GSI1 = IndexInfo("GSI1", "GSI", KeySchema((KeyAttribute("GSI1PK", "S"),)), Projection("ALL"))
BY_TIME = IndexInfo(
    "by-time", "LSI", KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("at", "N"),)), Projection("ALL")
)
SOCIAL = TableInfo(
    "Social",
    KEYS,
    (GSI1, BY_TIME),
    arn="arn:aws:dynamodb:eu-west-1:111122223333:table/Social",
    created="2026-01-02T03:04:05+00:00",
    item_count_estimate=0,
    size_bytes_estimate=0,
    billing="PAY_PER_REQUEST",
    id="id-1",
)
PROFILE = Profile("aaaaaaaa", "shop-dev", "aws", "profile", "dev", region="eu-west-1", stage="dev", read_only=False)


class MemoryTables:
    """A catalog and `Tables`. What is made is there at once, unless `pending` holds it back."""

    def __init__(self, *infos: TableInfo) -> None:
        self.infos = {info.name: info for info in infos}
        self.sent: list[TableChange] = []
        self.answer: DynodeskError | None = None
        self.loses: bool = True
        """Whether a request that is answered by an error is not carried out."""
        self.pending = threading.Event()
        self.pending.set()
        self.expiry: Expiry | DynodeskError = Expiry("", "DISABLED")
        self.recovery: Recovery | DynodeskError = Recovery("DISABLED")
        self.refused: DynodeskError | None = None

    def table_names(self, ticket: Ticket) -> tuple[str, ...]:
        return tuple(self.infos)

    def time_to_live(self, table: str, ticket: Ticket) -> str | None:
        raise NotImplementedError

    def describe(self, table: str, ticket: Ticket) -> TableInfo:
        if self.refused is not None:
            raise self.refused
        if table not in self.infos:
            raise TableMissing(f"{table} does not exist.")
        info = self.infos[table]
        return info if self.pending.is_set() else replace(info, status="UPDATING")

    def details(self, table: str, ticket: Ticket) -> TableDetails:
        try:
            info: TableInfo | DynodeskError = self.describe(table, ticket)
        except DynodeskError as refused:
            info = refused
        return TableDetails(info, self.expiry, self.recovery)

    def send(self, change: TableChange) -> None:
        self.sent.append(change)
        if self.answer is None or not self.loses:
            self._make(change)
        if self.answer is not None:
            raise self.answer

    def _make(self, change: TableChange) -> None:
        match change:
            case CreateTable():
                self.infos[change.table] = TableInfo(change.table, change.key_schema, change.indexes, id="id-2")
            case DeleteTable():
                del self.infos[change.table]
            case CreateIndex(info, index):
                self.infos[info.name] = replace(info, indexes=(*info.indexes, index))
            case DeleteIndex(info, name):
                left = tuple(index for index in info.indexes if index.name != name)
                self.infos[info.name] = replace(info, indexes=left)


class TableShop:
    def __init__(self, folder: Path, qtbot: QtBot, *infos: TableInfo, profile: Profile = PROFILE) -> None:
        self.tables = MemoryTables(*infos)
        self.journal = Journal(folder)
        self.runner = JobRunner(threads=2)
        self.qtbot = qtbot
        self.tools = TableTools(granted(profile), self.tables, self._hands)

    def _hands(self) -> TableHands:
        place = Place("arn:me", "https://there", "eu-west-1")
        return TableHands(place, self.tables, self.tables, self.journal, SystemClock())

    def close(self) -> None:
        self.tables.pending.set()
        assert self.runner.shutdown()
        self.runner.deleteLater()
