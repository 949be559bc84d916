"""Browse pages over a table in memory, with all that edits it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from dynodesk.domain.capacity import Meter
from dynodesk.domain.profiles import Stage
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item
from dynodesk.reconcile.desk import RepairDesk
from dynodesk.ui.dialogs.bulk import BulkDialog
from dynodesk.ui.dialogs.commit import CommitDialog
from dynodesk.ui.dialogs.journal import JournalDialog
from dynodesk.ui.dialogs.journal_door import JournalDoor
from dynodesk.ui.dialogs.repair_work import RepairTools
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_changes import Changes
from dynodesk.ui.pages.browse_pane import CollectionPane
from tests.editing.edit_bench import POSTS
from tests.ui.dialogs.edit_shop import EditShop


class ChangesDesk(EditShop):
    def __init__(self, folder: Path, qtbot: QtBot, *items: Item, read_only: bool = False, stage: Stage = "dev") -> None:
        super().__init__(folder, qtbot, *items, read_only=read_only, stage=stage)
        self.messages = MessageBar()
        qtbot.addWidget(self.messages)
        self.gone_to: list[tuple[str, Key, Key]] = []
        self.page, self.changes = self.open_page()

    def open_page(self) -> tuple[BrowsePage, Changes]:
        """One more tab of the table."""
        page = BrowsePage(POSTS, self.bench.reader, self.runner)
        self._qtbot.addWidget(page)
        repairs = RepairTools(self.tools.access, _no_repairs, self._held, self.tools.journal, Meter())
        journal = JournalDoor(page, self.staging, self.tools, repairs, self.runner, self.asker, self.messages)
        changes = Changes(page, self.staging, self.tools, self.runner, self.messages, self._go_to, journal)
        page.resize(1300, 820)
        page.show()
        page.activateWindow()
        self.settle(page)
        return page, changes

    def _go_to(self, table: str, partition: Key, key: Key) -> None:
        self.gone_to.append((table, partition, key))

    def settle(self, page: BrowsePage) -> None:
        self.wait_for(lambda: not page.left.feed.running and not page.right.feed.running)
        self.wait_for(lambda: not page.left.arranger.busy and not page.right.arranger.busy)

    @property
    def commit_dialog(self) -> CommitDialog:
        self.wait_for(lambda: any(one.isVisible() for one in self.page.findChildren(CommitDialog)))
        return next(one for one in self.page.findChildren(CommitDialog) if one.isVisible())

    @property
    def bulk_dialog(self) -> BulkDialog:
        return next(one for one in self.page.findChildren(BulkDialog) if one.isVisible())

    @property
    def journal_dialog(self) -> JournalDialog:
        return next(one for one in self.page.findChildren(JournalDialog) if one.isVisible())

    def commit_now(self) -> CommitDialog:
        """By the key, the name typed where it is asked for."""
        QTest.keyClick(self.page.left.grid, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
        dialog = self.commit_dialog
        if dialog.approval.isVisible():
            QTest.keyClicks(dialog.approval.field, "Posts")
        QTest.mouseClick(dialog.go_button, Qt.MouseButton.LeftButton)
        self.wait_for(lambda: dialog.state == "over")
        return dialog

    def end(self) -> None:
        QTest.keyRelease(self.page, Qt.Key.Key_Control)  # or it would count as held in whatever comes next
        super().end()

    def close(self, dialog: QDialog) -> None:
        dialog.reject()
        self.page.activateWindow()
        self.wait_for(self.page.isActiveWindow)


def click_row(pane: CollectionPane, text: str) -> None:
    """Click the row that says `text` in its first column."""
    model = pane.model
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == text)
    at = pane.grid.visualRect(model.index(row, 0)).center() + QPoint(2, 0)
    QTest.mouseClick(pane.grid.viewport(), Qt.MouseButton.LeftButton, pos=at)


def texts(pane: CollectionPane, attribute: str) -> list[str]:
    """What the rows of items say in a column."""
    column = list(pane.model.columns).index(attribute)
    found = (pane.model.index(row, column) for row in range(pane.model.rowCount()))
    return [str(index.data()) for index in found if pane.model.entry(index) is not None]


def _no_repairs(_meter: Meter) -> RepairDesk:
    raise AssertionError("nothing is repaired here")
