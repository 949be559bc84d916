"""A table in memory with drift in it and all that repairs it, with a real journal: dialogs without a server."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.findings import Report
from dynodesk.domain.pacing import Limits, Pace
from dynodesk.domain.profiles import Profile, Stage
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Item
from dynodesk.domain.writing import Hands
from dynodesk.reconcile.desk import RepairDesk
from dynodesk.reconcile.repair import Sight
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.store.journal import Journal
from dynodesk.ui.dialogs.journal import JournalDialog
from dynodesk.ui.dialogs.repair import RepairDialog
from dynodesk.ui.dialogs.repair_work import Planned, RepairTools, plan_repairs, read_journal
from dynodesk.ui.dialogs.undo import UndoDialog
from dynodesk.ui.jobs import JobRunner
from tests.helpers.asking import FakeAsker
from tests.helpers.granted import granted
from tests.helpers.plain_sweep import PlainSweeper
from tests.reconcile.repair_bench import GUARDS, HERE, Bench, drifted

AT_ONCE = 'wait = "0s"\nsettle = "0s"\n'
PATIENCE = 20_000
"""Milliseconds."""


class Shop:
    def __init__(
        self, folder: Path, qtbot: QtBot, *items: Item, read_only: bool = False, stage: Stage = "dev", guard: str = ""
    ) -> None:
        self.bench = Bench(
            *(items or (*drifted("a", 5, 3), *drifted("b", 1, 4))), guard=guard or GUARDS["both"], more=AT_ONCE
        )
        self.journal = Journal(folder)
        self.runner = JobRunner(threads=2)
        self.asker = FakeAsker()
        self._qtbot = qtbot
        profile = Profile("1", "shop", "endpoint", "dummy", stage=stage, read_only=read_only)
        self.tools = RepairTools(granted(profile), self._desk, self._held, lambda: self.journal, Meter())

    def _desk(self, meter: Meter) -> RepairDesk:
        bench, clock = self.bench, SystemClock()
        sight = Sight(bench.reader, PlainSweeper(bench.reader), Pace(meter, Limits(), clock), clock, random.Random(1))
        hands = Hands(bench.reader, bench.writer, self.journal, clock, random.Random(2))
        return RepairDesk(HERE, bench.catalog, sight, hands, self.journal)

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        yield

    # -- runs and plans

    def report(self) -> Report:
        bench, meter = self.bench, Meter()
        origin = Origin(HERE.identity, HERE.endpoint, HERE.region, "rules.toml")
        sweeper = PlainSweeper(bench.reader)
        return Run(bench.rules, Scope(), bench.reader, sweeper, meter, origin, clock=SystemClock()).report(Ticket())

    def planned(self) -> Planned:
        report = self.report()
        return plan_repairs(self.tools, report, report.findings, self.bench.rules, self.bench.source, Ticket())

    # -- dialogs

    def open_repair(self, planned: Planned | None = None) -> RepairDialog:
        dialog = RepairDialog(planned or self.planned(), self.tools, self.runner, self.asker)
        self._show(dialog)
        return dialog

    def open_journal(self) -> JournalDialog:
        dialog = JournalDialog(self.journal, HERE, self.runner, self.asker)
        self._show(dialog)
        self.wait_for(dialog.verify_button.isEnabled)
        return dialog

    def open_undo(self) -> UndoDialog:
        """For every repair in the journal."""
        writes = read_journal(self.journal, Ticket()).ledger.writes.values()
        dialog = UndoDialog([write for write in writes if write.what == "repair"], self.tools, self.runner)
        self._show(dialog)
        return dialog

    def _show(self, dialog: QDialog) -> None:
        self._qtbot.addWidget(dialog)
        dialog.open()

    def apply_all(self) -> RepairDialog:
        """A dialog whose plan was applied."""
        dialog = self.open_repair()
        dialog.approval.was_read.setChecked(True)
        dialog.approval.field.setText("Social")
        dialog.go_button.click()
        self.wait_for(lambda: dialog.state == "over")
        return dialog

    def wait_for(self, condition: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(condition, timeout=PATIENCE)


def texts_of(dialog: RepairDialog | UndoDialog | JournalDialog, column: int) -> list[str]:
    """What the grid says in a column."""
    model = dialog.grid.model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]
