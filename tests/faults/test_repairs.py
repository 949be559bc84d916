"""Repairs under lost answers, refusals and kills, over real sockets: each doubt resolved, nothing written twice."""

from __future__ import annotations

import json
import multiprocessing
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import RepairReport
from dynodesk.reconcile.ledger import Ledger
from tests.aws.tables import plain_client, profile
from tests.faults.killing import POINTS
from tests.faults.proxy import PASS, THROTTLE, Exchange, Fault, FaultProxy, error
from tests.faults.repairs import BAD, CHILDREN, CUTS, GUARDS, Site, cut_once, kill_once

IN_SUITE = ("intent half written", "request sent, no reply", "outcome half written")


@pytest.fixture(scope="module")
def line(ministack: str) -> Iterator[tuple[FaultProxy, Clients]]:
    with FaultProxy(ministack) as running:
        clients = open_clients(profile(running.url, read_only=False))
        yield running, clients
        clients.close()


@pytest.fixture
def proxy(line: tuple[FaultProxy, Clients]) -> FaultProxy:
    line[0].clear()
    return line[0]


def site_at(ministack: str, line: tuple[FaultProxy, Clients], folder: Path, guard: str = GUARDS[0]) -> Site:
    return Site(plain_client(ministack), line[1], folder, guard)


@pytest.fixture
def site(ministack: str, line: tuple[FaultProxy, Clients], proxy: FaultProxy, tmp_path: Path) -> Site:
    made = site_at(ministack, line, tmp_path)
    made.drift(4)
    return made


def applied(site: Site) -> RepairReport:
    plan = site.planned()
    return site.desk.apply(plan, Ticket())


@pytest.mark.parametrize("name", CUTS)
def test_an_answer_lost_on_its_way(
    ministack: str, line: tuple[FaultProxy, Clients], proxy: FaultProxy, tmp_path: Path, name: str
) -> None:
    guard = GUARDS[list(CUTS).index(name) % len(GUARDS)]
    seen = cut_once(site_at(ministack, line, tmp_path, guard), proxy, CUTS[name], by=1)
    assert seen["repaired"] == seen["applied"] == 1
    assert {what: seen[what] for what in BAD} == dict.fromkeys(BAD, 0)


@pytest.mark.parametrize("fault", [THROTTLE, error("TransactionConflictException")], ids=["throttled", "conflict"])
def test_a_refusal_for_now_is_tried_again_and_each_try_is_noted(site: Site, proxy: FaultProxy, fault: Fault) -> None:
    proxy.on("UpdateItem", fault, times=3)
    (result,) = applied(site).results
    assert (result.outcome, result.tries, proxy.counts["UpdateItem"]) == ("repaired", 4, 4)
    noted = [record.payload["outcome"] for record in site.journal.records() if record.kind == "outcome"]
    assert noted == ["not applied"] * 3 + ["applied"]


@pytest.mark.parametrize(
    "fault", [error("AccessDeniedException"), error("ResourceNotFoundException"), error("ExpiredTokenException")]
)
def test_a_refusal_for_good_stops_at_the_first(site: Site, proxy: FaultProxy, fault: Fault) -> None:
    proxy.always("UpdateItem", fault)
    report = applied(site)
    assert [result.outcome for result in report.results] == ["refused"]
    assert proxy.counts["UpdateItem"] == 1
    assert site.stored() == (CHILDREN + 4, 0)


class _Looked(Fault):
    """Looks at the journal when the request arrives."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.kinds: list[str] = []

    def apply(self, exchange: Exchange) -> None:
        data = self.site.journal.path.read_bytes()
        self.kinds = [json.loads(line)["kind"] for line in data.splitlines()]
        PASS.apply(exchange)


def test_the_intent_is_in_the_journal_before_the_request_arrives(site: Site, proxy: FaultProxy) -> None:
    looked = _Looked(site)
    proxy.on("UpdateItem", looked)
    applied(site)
    assert looked.kinds == ["repair run", "intent"]


@pytest.mark.parametrize("guard", GUARDS, ids=["version", "marker", "both"])
def test_two_programs_at_once_repair_once(
    ministack: str, line: tuple[FaultProxy, Clients], proxy: FaultProxy, tmp_path: Path, guard: str
) -> None:
    """On two computers: each has a journal of its own, and no lock holds them apart."""
    first = site_at(ministack, line, tmp_path / "first", guard)
    first.drift(4)
    second = Site(first.client, first.clients, tmp_path / "second", guard, table=first.table, number=first.number)
    plans = [(site, site.planned()) for site in (first, second)]
    outcomes: list[str] = []

    def work(site: Site, plan: Any) -> None:
        outcomes.extend(result.outcome for result in site.desk.apply(plan, Ticket()).results)

    threads = [threading.Thread(target=work, args=pair) for pair in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["not needed", "repaired"]
    assert first.stored()[0] == CHILDREN
    assert first.stored()[1] <= 1


@pytest.mark.slow
@pytest.mark.parametrize("point", IN_SUITE)
def test_killed_on_its_way(ministack: str, tmp_path: Path, point: str) -> None:
    clients = open_clients(profile(ministack, read_only=False))
    try:
        site = Site(plain_client(ministack), clients, tmp_path, GUARDS[POINTS.index(point) % 3])
        seen = kill_once(site, point, multiprocessing.get_context("spawn"), by=-1)
    finally:
        clients.close()
    assert {what: seen[what] for what in BAD} == dict.fromkeys(BAD, 0)
    contents = site.journal.read()
    assert contents.broken is None
    assert ("torn line" in {record.kind for record in contents.records}) == ("half" in point)
    assert not any(write.is_open for write in Ledger.of(contents.records).writes.values())
