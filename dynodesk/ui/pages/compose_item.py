"""The item of a Put, edited whole: as a tree, as JSON or as DynamoDB JSON."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QWidget

from dynodesk.domain.values import Item
from dynodesk.ui.asking import Asker
from dynodesk.ui.dialogs.form import Remark
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.item_editor import ItemEditor
from dynodesk.ui.theme import Text, metrics, px
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import area, column, row


class EditItemDialog(QDialog):
    """Show it with `open`. `then` is handed the item once it is right and taken."""

    def __init__(
        self,
        title: str,
        item: Item,
        keys: tuple[str, ...],
        runner: JobRunner,
        asker: Asker,
        then: Callable[[Item], object],
        window: QWidget | None,
    ) -> None:
        super().__init__(window)
        self._then = then
        self.setWindowTitle(title)
        self.editor = ItemEditor(runner, asker)
        self.editor.show_item(item, item, keys, keys, editable=True)
        self.remark = Remark()
        self.cancel_button = button("Cancel", keys="Esc")
        self.take_button = button("Take over", "check", "Ctrl+Enter", primary=True)
        m = metrics()
        head = row(Text(title, size="title", weight="semibold"), None, self.editor.tabs, margins=(5, 3, 4, 0))
        foot = row(None, self.cancel_button, self.take_button, gap=2, margins=(5, 0, 5, 0))
        parts = column(
            area(head, "window", "b"),
            self.editor,
            area(row(self.remark, margins=(5, 0, 5, 0)), "window", "t"),
            area(foot, "window", "t", m.control + 6 * m.unit),
            gap=0,
        )
        parts.setStretch(1, 1)
        self.setLayout(parts)
        room = self.screen().availableSize()
        self.resize(min(px(680), round(0.95 * room.width())), min(px(600), round(0.92 * room.height())))
        self.editor.changed.connect(self._show_state)
        self.editor.failed.connect(runner.error_raised)
        self.cancel_button.clicked.connect(self.reject)
        self.take_button.clicked.connect(self.accept)
        for keys_of in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys_of), self).activated.connect(self.accept)
        self._show_state()
        self.editor.begin()

    @Slot()
    def _show_state(self) -> None:
        problem = self.editor.problem
        self.remark.say("problem" if problem else "hint", problem)
        self.take_button.setEnabled(not problem)

    def accept(self) -> None:
        if self.editor.settle():
            super().accept()
            self._then(self.editor.item)
