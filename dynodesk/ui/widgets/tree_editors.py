"""Rows of a tree that are typed into where they stand: a field, or a few words to choose from."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from dynodesk.ui.widgets.controls import combo, field
from dynodesk.ui.widgets.trees import TreeDelegate

LONGEST = 10_000_000
"""Characters in a row: no item has as many, and by itself a field cuts what is pasted."""


class EditingDelegate(TreeDelegate):
    """Makes editors; what they are for is for those that derive from it."""

    def field(self, parent: QWidget, name: str) -> QLineEdit:
        made = field(name)
        made.setTextMargins(0, 0, 0, 0)
        made.setMaxLength(LONGEST)
        made.setParent(parent)
        return made

    def chooser(self, parent: QWidget, name: str, words: Iterable[tuple[str, str]]) -> QComboBox:
        """Of words, each with what it means; the word is the data of the choice. Choosing is done with it."""
        made = combo(name)
        made.setParent(parent)
        for word, meaning in words:
            made.addItem(f"{word}  {meaning}".strip(), word)
        made.activated.connect(partial(self._chosen, made))
        return made

    def _chosen(self, editor: QWidget, _row: int) -> None:
        self.finish(editor)

    def finish(self, editor: QWidget) -> None:
        """Take what the editor says, and close it."""
        self.commitData.emit(editor)
        self.closeEditor.emit(editor)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Ctrl+Enter is for whoever holds the tree: here it would be taken for Enter."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                return False
        return super().eventFilter(editor, event)
