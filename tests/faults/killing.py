"""A repair in a process of its own, killed with SIGKILL at a named point of its way."""

from __future__ import annotations

import http.client
import os
import random
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from dynodesk.aws.catalog import DynamoCatalog
from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.reader import DynamoReader
from dynodesk.aws.writer import GuardedWriter
from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.pacing import Limits, Pace
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.writes import Applied, GuardedWrite, ItemWriter, NotAsExpected
from dynodesk.domain.writing import Hands
from dynodesk.reconcile.desk import RepairDesk
from dynodesk.reconcile.plan_files import read_plan
from dynodesk.reconcile.repair import Sight
from dynodesk.store.journal import Journal, Record
from dynodesk.store.paths import write_private
from tests.aws.tables import profile
from tests.helpers.plain_sweep import PlainSweeper

POINTS = (
    "before the intent",
    "intent half written",
    "intent written, not synced",
    "intent synced, not counted",
    "intent noted, nothing sent",
    "request sent, no reply",
    "reply there, not noted",
    "outcome half written",
    "outcome written, not synced",
    "outcome synced, not counted",
    "outcome noted, not verified",
    "verified, not noted",
)
"""In the order of a repair's way."""


def new_desk(clients: Clients, journal: Journal, writer: ItemWriter | None = None) -> RepairDesk:
    clock, chance, meter = SystemClock(), random.Random(), Meter()
    reader = DynamoReader(clients, meter)
    writer = writer or GuardedWriter(clients, meter)
    sight = Sight(reader, PlainSweeper(reader), Pace(meter, Limits(), clock), clock, chance)
    hands = Hands(reader, writer, journal, clock, chance)
    return RepairDesk(Place("", clients.endpoint_url, clients.region), DynamoCatalog(clients), sight, hands, journal)


def apply_and_die(point: str, url: str, folder: str, plan_text: str) -> None:
    """Applies the plan as far as the point. Ends the process in any case."""
    plan = read_plan(plan_text, "plan")
    clients = open_clients(profile(url, read_only=False))
    deadly = _Deadly(point)
    with deadly.armed():
        journal = _Watched(Path(folder), deadly)
        writer = _WatchedWriter(GuardedWriter(clients, Meter()), deadly)
        new_desk(clients, journal, writer).apply(plan, Ticket())
    raise AssertionError(f"{point} was never reached")


@dataclass
class _Deadly:
    point: str
    adding: str = ""
    """Kind of the record that is being added."""
    sending: bool = False

    def reached(self, point: str) -> None:
        if point == self.point:
            os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def armed(self) -> Iterator[None]:
        """Puts itself into the calls to the operating system that a repair makes."""
        write, fsync, note = os.write, os.fsync, write_private
        getresponse = http.client.HTTPConnection.getresponse

        def half_written(descriptor: int, data: bytes) -> int:
            if self.point == f"{self.adding} half written":
                write(descriptor, data[: len(data) // 2])
                self.reached(self.point)
            return write(descriptor, data)

        def not_synced(descriptor: int) -> None:
            self.reached(f"{self.adding} written, not synced")
            fsync(descriptor)

        def not_counted(path: Path, data: bytes) -> None:
            self.reached(f"{self.adding} synced, not counted")
            note(path, data)

        def no_reply(connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
            if self.sending:
                self.reached("request sent, no reply")
            return getresponse(connection)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "write", half_written)
            patch.setattr(os, "fsync", not_synced)
            patch.setattr("dynodesk.store.journal.write_private", not_counted)
            patch.setattr(http.client.HTTPConnection, "getresponse", no_reply)
            yield


class _Watched(Journal):
    def __init__(self, folder: Path, deadly: _Deadly) -> None:
        super().__init__(folder)
        self._deadly = deadly

    def append(self, kind: str, payload: Mapping[str, object]) -> Record:
        self._deadly.reached(f"before the {kind}")
        if kind == "repair check":
            self._deadly.reached("verified, not noted")
        self._deadly.adding = kind
        record = super().append(kind, payload)
        self._deadly.adding = ""
        if kind == "outcome":
            self._deadly.reached("outcome noted, not verified")
        return record


class _WatchedWriter:
    def __init__(self, inner: ItemWriter, deadly: _Deadly) -> None:
        self._inner, self._deadly = inner, deadly

    def write(self, write: GuardedWrite) -> Applied | NotAsExpected:
        self._deadly.reached("intent noted, nothing sent")
        self._deadly.sending = True
        outcome = self._inner.write(write)
        self._deadly.reached("reply there, not noted")
        return outcome
