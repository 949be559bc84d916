"""A Reconcile page with what it was given, and hands for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.capacity import Meter
from dynodesk.domain.findings import Finding
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import IndexInfo, Key, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.gui import repair_tools
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages.reconcile import ReconcilePage
from dynodesk.ui.pages.reconcile_parts import CountChip
from dynodesk.ui.pages.reconcile_places import Place
from dynodesk.ui.pages.reconcile_templates import sample_rules
from dynodesk.wiring import Workspace
from tests.helpers.asking import FakeAsker
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.plain_sweep import PlainSweeper
from tests.helpers.social import SCHEMA, SOCIAL

SOCIAL_TOML, COURSES_TOML = (
    next(p for p in sample_rules() if p.name == name) for name in ("social.toml", "courses.toml")
)
WITH_INDEX = TableInfo(
    "Social",
    SCHEMA,
    (
        IndexInfo(
            "GSI1",
            "GSI",
            KeySchema((KeyAttribute("GSI1PK", "S"),), (KeyAttribute("GSI1SK", "S"),)),
            Projection("INCLUDE", ("likedAt", "since", "title")),
        ),
    ),
)
"""The sandbox's table."""
RUN_MILLISECONDS = 30_000
NOTHING_TO_WAIT_FOR = 'settle = "0s"\nwait = "0s"\n'


class Desk:
    """A page, what it was given, and hands for it."""

    def __init__(self, page: ReconcilePage, asker: FakeAsker, messages: MessageBar, qtbot: QtBot) -> None:
        self.page, self.asker, self.messages, self._qtbot = page, asker, messages, qtbot
        self.opened: list[Place] = []

    def wait_for(self, condition: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(condition, timeout=RUN_MILLISECONDS)

    def wait_until_idle(self) -> None:
        self.wait_for(self.page.form.files.isEnabled)

    def run(self) -> None:
        self.start()
        self.wait_until_idle()

    def start(self) -> None:
        QTest.mouseClick(self.page.form.run, Qt.MouseButton.LeftButton)

    def key(self, widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(widget, key, modifier)

    @property
    def findings(self) -> list[Finding]:
        return [row.finding for row in self.page.results.model.shown]

    @property
    def chips(self) -> dict[str, CountChip]:
        chips = self.page.counts.findChildren(CountChip)
        return {chip.accessibleName(): chip for chip in chips if not chip.isHidden()}

    @property
    def note(self) -> str:
        """The title that stands in place of findings, or "" where there are some."""
        note = self.page.note.note
        return note.title if note is not None and self.page.stack.currentWidget() is self.page.note else ""

    def choose(self, parent: str) -> Finding:
        at = next(at for at, finding in enumerate(self.findings) if finding.parent_text == parent)
        self.page.results.grid.setCurrentIndex(self.page.results.model.index(at, 0))
        return self.findings[at]


OpenDesk = Callable[[Workspace, Path], Desk]


def desk_of(workspace: Workspace, rules: Path, runner: JobRunner, qtbot: QtBot) -> Desk:
    """A page that is shown and has read its rules."""
    asker, messages = FakeAsker(), MessageBar()
    opened: list[Place] = []

    def open_collection(table: str, partition: Key, select: Key | None, index: str | None = None, /) -> None:
        opened.append(Place(table, partition, select, index))

    page = ReconcilePage(workspace, rules, runner, asker, messages, open_collection, repair_tools(workspace))
    qtbot.addWidget(page)
    qtbot.addWidget(messages)
    page.resize(1200, 760)
    page.show()
    desk = Desk(page, asker, messages, qtbot)
    desk.opened = opened
    desk.wait_until_idle()
    return desk


def in_memory(workspace: Workspace, reader: MemoryReader, info: TableInfo = SOCIAL) -> Workspace:
    """The connection, but over a table in memory."""

    class Catalog:
        def table_names(self, _ticket: Ticket) -> tuple[str, ...]:
            return (info.name,)

        def describe(self, table: str, _ticket: Ticket) -> TableInfo:
            return replace(info, name=table)

        def time_to_live(self, _table: str, _ticket: Ticket) -> str | None:
            return None

    def new_reader(_meter: Meter) -> MemoryReader:
        return reader

    def new_sweeper(_meter: Meter, /, folder: Path | None = None) -> PlainSweeper:
        return PlainSweeper(reader)

    return replace(workspace, catalog=Catalog(), reader=reader, new_reader=new_reader, new_sweeper=new_sweeper)
