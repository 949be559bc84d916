"""An inspector without a page: items are given to it, and read whole from a dict."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import Entry, Identity, View, prepare
from dynodesk.domain.edits import Edit
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item, String
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.models.item_cells import ATTRIBUTE, VALUE
from dynodesk.ui.pages.browse_inspector import Inspector
from dynodesk.ui.pages.item_work import new_item
from tests.helpers.asking import FakeAsker
from tests.helpers.small_tables import SOCIAL


class Desk:
    """An inspector on the screen, what it hands over, and the table behind it."""

    def __init__(self, runner: JobRunner, qtbot: QtBot, table: TableInfo = SOCIAL) -> None:
        self.table, self.qtbot, self._runner = table, qtbot, runner
        self.stored: dict[Identity, Item] = {}
        self.go = Event()
        self.go.set()
        self.asker = FakeAsker()
        self.edits: list[Edit] = []
        self.inspector = Inspector(
            View(table), QPushButton("Follow"), runner, self._complete, self._template, self.asker
        )
        self.inspector.edited.connect(self.edits.append)
        qtbot.addWidget(self.inspector)
        self.inspector.resize(420, 760)
        self.inspector.show()
        self.inspector.activateWindow()
        qtbot.waitUntil(self.inspector.isActiveWindow)

    def _template(self) -> Item:
        return new_item(self.table.key_schema, {"PK": String("POST#a91f")})

    def _complete(
        self, entry: Entry, done: Callable[[Item | None], object], failed: Callable[[BaseException], object]
    ) -> Job:
        def read(_ticket: Ticket) -> Item | None:
            assert self.go.wait(5)
            return self.stored.get(entry.identity)

        return self._runner.start(read, title="Read", done=done, failed=failed)

    def show(self, item: Item, index: str | None = None, *, whole: bool = True, staged: Edit | None = None) -> Entry:
        view = View(self.table, index)
        (entry,) = prepare([item], view).entries
        self.inspector.show_entry(entry, view, "now", whole=whole, staged=staged)
        return entry

    def edit(self, item: Item) -> None:
        """Show an item of the base table and begin to change it."""
        self.show(item)
        self.inspector.edit_action.trigger()
        assert self.inspector.is_editing

    # -- rows of the tree

    @property
    def rows(self) -> dict[str, tuple[str, str]]:
        """Type and value of the attributes, by name."""
        model = self.inspector.editor.model
        return {
            model.index(row, ATTRIBUTE).data(): (model.index(row, 1).data(), model.index(row, VALUE).data())
            for row in range(model.rowCount())
        }

    def index(self, *path: str) -> QModelIndex:
        model, index = self.inspector.editor.model, QModelIndex()
        for name in path:
            index = next(
                model.index(row, ATTRIBUTE, index)
                for row in range(model.rowCount(index))
                if name in (model.index(row, ATTRIBUTE, index).data(), model.index(row, VALUE, index).data())
            )
        return index.siblingAtColumn(VALUE)

    def go_to(self, *path: str) -> None:
        self.inspector.tree.setFocus()
        self.inspector.tree.setCurrentIndex(self.index(*path))

    @property
    def field(self) -> QLineEdit:
        """The field that is open in a row."""
        found = self.inspector.window().focusWidget()
        assert isinstance(found, QLineEdit)
        return found

    def type_over(self, text: str, *path: str) -> None:
        """Open a value with F2, type another one and press Enter."""
        self.go_to(*path)
        press(self.inspector.tree, Qt.Key.Key_F2)
        self.field.selectAll()
        QTest.keyClicks(self.field, text)
        self.enter()

    def enter(self) -> None:
        """Press Enter in the field that is open in a row."""
        press(self.field, Qt.Key.Key_Return)
        self.qtbot.waitUntil(lambda: not self.inspector.tree.viewport().findChildren(QLineEdit))

    def note(self, *path: str) -> str:
        """The word at the right of a row: what became of it."""
        spoken: str = self.index(*path).data(Qt.ItemDataRole.AccessibleTextRole)
        return spoken.rpartition(", ")[2]

    # -- the whole

    @property
    def said(self) -> str:
        return self.inspector.remark.text

    def settle(self) -> None:
        """Until what was typed is checked."""
        editor = self.inspector.editor
        self.qtbot.waitUntil(lambda: not editor.is_checking and not self.inspector.is_judging)

    def stage(self) -> Edit:
        before = len(self.edits)
        self.inspector.stage()
        assert len(self.edits) == before + 1, self.said
        return self.edits[-1]


def press(widget: QWidget, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(widget, key, held)
