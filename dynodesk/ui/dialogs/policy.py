"""The permissions that something takes on a table, ready to be handed to whoever gives them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.policies import PURPOSES, WORDS, Purpose, TableScope, policy_text
from dynodesk.ui.theme import Text, metrics, px
from dynodesk.ui.widgets.code import CodeView
from dynodesk.ui.widgets.controls import button, combo
from dynodesk.ui.widgets.layouts import area, column, row

SAYS = "A policy of IAM that allows this on this table and its indexes, and nothing else."


class PolicyDialog(QDialog):
    """Show it with `open`."""

    def __init__(self, table: str, scope: TableScope, purpose: Purpose, window: QWidget | None = None) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = f"Permissions for {visible(table)}"
        self.setWindowTitle(title)
        self._scope = scope
        self.purpose = combo("What it is for")
        for each in PURPOSES:
            self.purpose.addItem(WORDS[each], each)
        self.text = CodeView("Policy", margin=5)
        self.copy_button = button("Copy", "copy", primary=True)
        self.close_button = button("Close", keys="Esc")
        heading = column(Text(title, size="title", weight="semibold"), Text(SAYS, "text2", wrap=True), gap=1.5)
        head = area(column(heading, self.purpose, gap=3, margins=(5, 4, 5, 3)), "window", "b")
        foot = row(None, self.close_button, self.copy_button, gap=2, margins=(5, 0, 5, 0))
        parts = column(head, self.text, area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0)
        parts.setStretch(1, 1)
        self.setLayout(parts)
        room = self.screen().availableSize()
        self.resize(min(px(700), round(0.95 * room.width())), min(px(620), round(0.9 * room.height())))
        self.purpose.currentIndexChanged.connect(self._show)
        self.copy_button.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.reject)
        self.purpose.setCurrentIndex(PURPOSES.index(purpose))
        self._show()
        self.purpose.setFocus()

    @Slot()
    def _show(self) -> None:
        purpose: Purpose = self.purpose.currentData()
        self.text.setPlainText(policy_text(purpose, [self._scope]))

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
