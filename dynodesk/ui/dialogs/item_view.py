"""An item to look at, whole: as a tree, as JSON, as DynamoDB JSON. What changed in it is marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.values import Item
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.item_editor import JSON, ItemEditor, written
from dynodesk.ui.theme import Text, metrics, px
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import area, column, row
from dynodesk.ui.widgets.whole_text import whole


class ItemDialog(QDialog):
    """Esc closes it. Show it with `open`."""

    def __init__(
        self,
        title: str,
        item: Item,
        before: Item | None,
        keys: Sequence[str],
        runner: JobRunner,
        window: QWidget | None = None,
    ) -> None:
        """`before`: what the marks are against; the item itself: nothing is marked. `keys` come first."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(visible(title))
        self._item = item
        self.editor = ItemEditor(runner, None)
        self.editor.show_item(item, before, tuple(keys), tuple(keys), editable=False)
        self.copy_button = button("Copy as JSON", "copy")
        self.close_button = button("Close", keys="Esc")
        head = area(row(Text(self.windowTitle(), size="title", weight="semibold"), margins=(5, 3, 5, 2)), "window")
        tabs = area(row(self.editor.tabs, None, margins=(3, 0, 3, 0)), "window", "b", metrics().tab)
        foot = row(None, self.copy_button, self.close_button, gap=2, margins=(5, 0, 5, 0))
        parts = column(
            head, tabs, self.editor, area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0
        )
        parts.setStretch(2, 1)
        self.setLayout(parts)
        room = self.screen().availableSize()
        self.resize(min(px(620), round(0.95 * room.width())), min(px(520), round(0.92 * room.height())))
        self.copy_button.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.reject)
        self.editor.tree.setFocus()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(whole(written(self._item, JSON)))
