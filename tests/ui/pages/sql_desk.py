"""The SQL page over a running sandbox, what it was given, and hands for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStackedWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.bulk import RawPage, RawPageReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ReadPlan
from dynodesk.domain.tables import Key
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages.sql import SqlPage
from dynodesk.ui.pages.sql_queries import READY
from dynodesk.wiring import Workspace
from tests.helpers.asking import FakeAsker

LONG = 30_000
"""Milliseconds that anything may take."""


class Desk:
    """A page, what it was given, and hands for it."""

    def __init__(self, workspace: Workspace, runner: JobRunner, qtbot: QtBot) -> None:
        self.asker, self.messages = FakeAsker(), MessageBar()
        self.opened: list[tuple[str, Key, Key | None]] = []
        self.running = 0
        self._qtbot = qtbot
        self.runner = runner
        runner.started.connect(self._started)
        self.page = SqlPage(workspace, runner, self.asker, self.messages, self._open)
        self._tabs = QStackedWidget()
        self._tabs.addWidget(self.page)
        qtbot.addWidget(self._tabs)
        qtbot.addWidget(self.messages)
        self._tabs.resize(1200, 760)
        self._tabs.show()
        self.wait()

    def _started(self, job: Job) -> None:
        self.running += 1
        job.ended.connect(self._ended)

    def _ended(self) -> None:
        self.running -= 1

    def _open(self, table: str, partition: Key, select: Key | None) -> None:
        self.opened.append((table, partition, select))

    def wait(self, condition: Callable[[], bool] | None = None) -> None:
        self._qtbot.waitUntil(condition or (lambda: not self.running), timeout=LONG)

    def open_form(self, table: str) -> None:
        self.page.load_table(table)
        self.wait()

    def press_load(self) -> None:
        QTest.mouseClick(self.page.form.load_button, Qt.MouseButton.LeftButton)

    def load(self, table: str) -> None:
        self.open_form(table)
        self.press_load()
        self.wait()

    def type(self, text: str) -> None:
        self.page.editor.selectAll()
        self.page.editor.insertPlainText(text)

    def start(self, text: str) -> None:
        self.type(text)
        QTest.keyClick(self.page.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)

    def run(self, text: str) -> list[list[str]]:
        self.start(text)
        self.wait()
        return self.rows

    def ready(self, title: str) -> list[list[str]]:
        (at,) = (at for at, query in enumerate(READY) if query.title == title)
        tree = self.page.sets.ready
        QTest.mouseClick(
            tree.viewport(), Qt.MouseButton.LeftButton, pos=tree.visualRect(tree.model().index(at, 0)).center()
        )
        self.wait()
        QTest.keyClick(self.page.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        self.wait()
        return self.rows

    @property
    def rows(self) -> list[list[str]]:
        model = self.page.result.model
        return [[model.index(row, at).data() for at in range(model.columnCount())] for row in range(model.rowCount())]

    @property
    def tree(self) -> list[str]:
        """The lines under the first set, without its columns."""
        model = self.page.sets.tree.model()
        top = model.index(0, 0)
        return [top.data(), *(model.index(at, 0, top).data() for at in range(model.rowCount(top)))]


class HeldReader:
    """Reads the first segment; the others wait until they are let go."""

    def __init__(self, reader: RawPageReader, go: Event) -> None:
        self._reader, self._go = reader, go

    def raw_pages(
        self, plan: ReadPlan, ticket: Ticket, *, start: str | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[RawPage]:
        while segment and not self._go.is_set():
            ticket.sleep(0.01)
        yield from self._reader.raw_pages(plan, ticket, start=start, segment=segment, segments=segments)


OpenSql = Callable[[Workspace], Desk]
