"""Faults within the window: told once, logged without values; and a window that closes in the midst of a repair."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Slot
from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from dynodesk.aws.clients import open_clients
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import RepairReport
from dynodesk.reconcile.ledger import Ledger
from dynodesk.store.log import LOG_FILE, Log
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.uncaught import UncaughtErrors
from tests.aws.tables import plain_client, profile
from tests.faults.proxy import PASS, Exchange, Fault, FaultProxy
from tests.faults.repairs import CHILDREN, GUARDS, Site

CANARY = "value-of-an-item"
Index = QModelIndex | QPersistentModelIndex


class BrokenModel(QAbstractListModel):
    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 (Qt's)
        return 0 if parent.isValid() else 3

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            raise LookupError(CANARY)
        return None


class Broken(QObject):
    @Slot()
    def slot(self) -> None:
        raise ValueError(CANARY)

    def done(self, _result: object) -> None:
        raise AssertionError(CANARY)


def nothing(_result: None) -> None:
    """The report is what is looked at."""


def in_a_thread() -> None:
    raise RuntimeError(CANARY)


def in_a_job(_ticket: Ticket) -> None:
    raise KeyError(CANARY)


@pytest.fixture
def bar(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MessageBar]:
    """With the program's own hooks and log."""
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)  # pytest-qt has put its own there
    log, uncaught, made = Log(tmp_path), UncaughtErrors(), MessageBar()
    qtbot.addWidget(made)
    uncaught.raised.connect(made.show_error)
    yield made
    uncaught.restore()
    log.close()


def test_a_fault_wherever_it_happens_is_told_and_the_window_goes_on(
    bar: MessageBar, qtbot: QtBot, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []
    bar.shown.connect(lambda message: told.append(message.line.partition(".")[0]))
    broken, runner = Broken(), JobRunner(threads=1)
    runner.error_raised.connect(bar.show_error)

    QTimer.singleShot(0, broken, broken.slot)
    runner.start(in_a_job, title="fail", done=broken.done)
    runner.start(lambda _ticket: None, title="fail in the end", done=broken.done)
    thread = threading.Thread(target=in_a_thread)
    thread.start()
    thread.join()
    view, model = QListView(), BrokenModel()
    qtbot.addWidget(view)
    view.setModel(model)
    QTimer.singleShot(0, view, view.show)  # from the event loop, as all that is painted: here it would raise

    expected = {"ValueError", "KeyError", "AssertionError", "RuntimeError", "LookupError"}
    qtbot.waitUntil(lambda: set(told) == expected)
    view.viewport().update()
    QTimer.singleShot(0, broken, broken.slot)
    qtbot.wait(50)
    assert told.count("ValueError") == 1, "the same fault again is not told again"
    assert runner.shutdown()
    logged = (tmp_path / LOG_FILE).read_text()
    assert all(kind in logged for kind in expected)
    assert bar.current is not None
    assert CANARY not in logged + bar.current.copied
    streams = capfd.readouterr()
    assert "Traceback" not in streams.out + streams.err


class _Arrived(Fault):
    """Says that the request is there, and keeps it for a moment."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def apply(self, exchange: Exchange) -> None:
        self.event.set()
        exchange.wait(0.3)
        PASS.apply(exchange)


@pytest.mark.server
def test_a_window_that_closes_finishes_the_repair_that_is_under_way(
    ministack: str, qtbot: QtBot, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    reports: list[RepairReport] = []
    with FaultProxy(ministack) as proxy:
        clients = open_clients(profile(proxy.url, read_only=False))
        site = Site(plain_client(ministack), clients, tmp_path, GUARDS[0])
        site.drift(4)
        plan, arrived, runner = site.planned(), _Arrived(), JobRunner(threads=1)
        proxy.on("UpdateItem", arrived)

        def work(ticket: Ticket) -> None:
            reports.append(site.desk.apply(plan, ticket))

        runner.start(work, title="Repair", done=nothing)
        assert arrived.event.wait(30)
        with caplog.at_level(logging.WARNING):
            assert runner.shutdown(), "what a window that closes waits for"
        clients.close()
    (report,) = reports
    assert [result.outcome for result in report.results] in (["repaired"], ["unverified"])
    assert site.stored()[0] == CHILDREN
    assert not [write for write in Ledger.of(site.journal.records()).writes.values() if write.is_open]
    assert caplog.records == []
