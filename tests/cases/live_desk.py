"""A Browse page over a server: rows are read, an item is changed in the inspector, and the change is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import identity
from dynodesk.domain.edits import Edit
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.editing.committing import EditResult
from dynodesk.editing.desk import EditDesk
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.models.item_cells import ATTRIBUTE, VALUE
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.wiring import Workspace, edit_desk
from tests.faults.proxy import FaultProxy

Tagged = dict[str, dict[str, Any]]


class LiveDesk:
    """Requests go through a proxy that remembers them; what is stored is asked of the server itself."""

    def __init__(
        self, workspace: Workspace, proxy: FaultProxy, client: Any, table: str, runner: JobRunner, qtbot: QtBot
    ) -> None:
        self.proxy, self._client, self._qtbot = proxy, client, qtbot
        self.info: TableInfo = workspace.catalog.describe(table, Ticket())
        self.desk: EditDesk = edit_desk(workspace, workspace.meter)
        self.page = BrowsePage(self.info, workspace.reader, runner)
        self.edits: list[Edit] = []
        self.page.inspector.edited.connect(self.edits.append)
        qtbot.addWidget(self.page)
        self.page.resize(1300, 820)
        self.page.show()
        self.page.activateWindow()
        self.settle()
        proxy.clear()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(condition)

    def settle(self) -> None:
        page = self.page
        self.wait_for(lambda: not page.left.feed.running and not page.right.feed.running)

    # -- rows

    def run(self) -> list[Item]:
        """Ask for what the form says; the items of the rows."""
        self.page.run()
        self.settle()
        return self.items

    @property
    def items(self) -> list[Item]:
        return [entry.item for entry in self.page.left.model.rows.entries]

    def cell(self, item: Item, attribute: str) -> str:
        """What the grid says for an attribute of an item."""
        model = self.page.left.model
        entry = model.rows.find(identity(item, self.info.key_schema.names))
        row = None if entry is None else model.rows.row_of(entry)
        assert row is not None
        text: str = model.index(row, model.columns.index(attribute)).data()
        return text

    # -- one item

    def edit(self, item: Item) -> None:
        """Choose the row of an item, and begin to change it with F2."""
        page = self.page
        page.left.select(identity(item, self.info.key_schema.names))
        page.left.grid.setFocus()
        QTest.keyClick(page.left.grid, Qt.Key.Key_F2)
        self.wait_for(lambda: page.inspector.is_editing)

    def type_over(self, attribute: str, text: str) -> None:
        tree, model = self.page.inspector.tree, self.page.inspector.editor.model
        tree.close_editor()
        tree.setFocus()
        tree.setCurrentIndex(model.find(attribute).siblingAtColumn(VALUE))
        QTest.keyClick(tree, Qt.Key.Key_F2)
        field = self.page.window().focusWidget()
        assert isinstance(field, QLineEdit)
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        self.wait_for(lambda: not tree.viewport().findChildren(QLineEdit))

    def shown(self) -> dict[str, str]:
        """The rows of the inspector's tree: attribute and value."""
        model = self.page.inspector.editor.model
        rows = range(model.rowCount())
        return {model.index(row, ATTRIBUTE).data(): model.index(row, VALUE).data() for row in rows}

    def stage(self) -> Edit:
        before = len(self.edits)
        self.page.inspector.stage()
        assert len(self.edits) == before + 1, self.page.inspector.remark.text
        return self.edits[-1]

    def commit(self, edit: Edit) -> EditResult:
        (result,) = self.desk.commit(self.desk.plan([edit], Ticket()), Ticket()).results
        return result

    def sent(self, operation: str) -> list[Any]:
        return [body for name, body in self.proxy.bodies if name == operation]

    def stored(self, key: Tagged) -> Tagged | None:
        found: Tagged | None = self._client.get_item(TableName=self.info.name, Key=key, ConsistentRead=True).get("Item")
        return found
