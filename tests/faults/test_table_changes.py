"""Tables made and deleted through a line that loses replies: the end of each is found out, nothing is sent twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dynodesk.aws.catalog import DynamoCatalog
from dynodesk.aws.clients import open_clients
from dynodesk.aws.tables import DynamoTables
from dynodesk.domain.errors import OutcomeUnknown, TableMissing
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.table_changes import CreateIndex, CreateTable, DeleteIndex, DeleteTable
from dynodesk.domain.table_work import OUTCOME, TableHands
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection
from dynodesk.store.journal import Journal
from tests.aws.tables import profile, unique
from tests.faults.proxy import Cut, Fault, FaultProxy, LoseReply, error
from tests.helpers.virtual_clock import VirtualClock

KEYS = KeySchema((KeyAttribute("PK", "S"),))
INDEX = IndexInfo("by-time", "GSI", KeySchema((KeyAttribute("at", "N"),)), Projection("ALL"))


@pytest.fixture(scope="module")
def proxy(ministack: str) -> Iterator[FaultProxy]:
    with FaultProxy(ministack) as running:
        yield running


@pytest.fixture
def hands(proxy: FaultProxy, tmp_path: Path) -> Iterator[TableHands]:
    proxy.clear()
    clients = open_clients(profile(proxy.url, read_only=False))
    journal = Journal(tmp_path / "journal")
    place = Place("", proxy.url, "us-east-1")
    yield TableHands(place, DynamoCatalog(clients), DynamoTables(clients), journal, VirtualClock())
    clients.close()


def outcomes(hands: TableHands) -> list[object]:
    return [record.payload["outcome"] for record in hands.journal.records() if record.kind == OUTCOME]


@pytest.mark.parametrize("fault", [LoseReply(), Cut()], ids=["lost", "cut"])
def test_every_reply_is_lost_after_it_was_done(hands: TableHands, proxy: FaultProxy, fault: Fault) -> None:
    name = unique("lossy")
    for operation in ("CreateTable", "UpdateTable", "DeleteTable"):
        proxy.always(operation, fault)
    hands.carry_out(CreateTable(name, KEYS), Ticket())
    info = hands.catalog.describe(name, Ticket())
    hands.carry_out(CreateIndex(info, INDEX), Ticket())
    made = hands.wait(CreateIndex(info, INDEX), Ticket())
    assert made is not None
    assert [index.name for index in made.indexes] == ["by-time"]
    hands.carry_out(DeleteIndex(made, "by-time"), Ticket())
    hands.carry_out(DeleteTable(info), Ticket())
    assert hands.wait(DeleteTable(info), Ticket()) is None
    with pytest.raises(TableMissing):
        hands.catalog.describe(name, Ticket())
    assert outcomes(hands) == ["unknown", "accepted"] * 4
    assert {operation: proxy.counts[operation] for operation in ("CreateTable", "UpdateTable", "DeleteTable")} == {
        "CreateTable": 1,
        "UpdateTable": 2,
        "DeleteTable": 1,
    }


def test_a_request_that_came_to_nothing_may_be_asked_for_anew(hands: TableHands, proxy: FaultProxy) -> None:
    name = unique("lossy")
    proxy.on("CreateTable", error("InternalServerError", 500))
    with pytest.raises(OutcomeUnknown, match="no sign of it"):
        hands.carry_out(CreateTable(name, KEYS), Ticket())
    assert proxy.counts["CreateTable"] == 1
    hands.carry_out(CreateTable(name, KEYS), Ticket())
    assert outcomes(hands) == ["unknown", "not done", "accepted"]
    assert hands.wait(CreateTable(name, KEYS), Ticket()) is not None
