"""Words that are offered while somebody types into a text: names that are known, and those of the language."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, QStringListModel, Qt, Slot
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QCompleter, QListView, QPlainTextEdit

from dynodesk.ui.theme import metrics, mono_font

LEAST_TYPED = 2
"""Characters of a word before others like it are offered."""
_TAKEN = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Escape)


class WordOffers(QObject):
    """Belongs to an editor, which asks `takes` before it has a key to itself, and tells `follow` afterwards."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self._words = QStringListModel(self)
        self._completer = QCompleter(self._words, self)
        self._completer.setWidget(editor)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.popup = QListView()
        self._completer.setPopup(self.popup)
        self.popup.setFont(mono_font())
        self.popup.setAccessibleName("Names")
        self._completer.activated.connect(self._complete)

    def set_words(self, words: Iterable[str]) -> None:
        self._words.setStringList(sorted(set(words), key=str.casefold))

    @property
    def words(self) -> list[str]:
        return self._words.stringList()

    @property
    def is_open(self) -> bool:
        return self.popup.isVisible()

    def takes(self, event: QKeyEvent) -> bool:
        """Whether the key is for the list that is open."""
        return self.is_open and event.key() in _TAKEN

    def follow(self, event: QKeyEvent, *, was_open: bool) -> None:
        """The key did to the text what it does: offer what it may become."""
        typed = event.text()
        if (typed and (typed.isalnum() or typed == "_")) or (was_open and event.key() == Qt.Key.Key_Backspace):
            self.offer(asked=False)
        elif was_open:
            self.popup.hide()

    def offer(self, *, asked: bool) -> None:
        typed = self._typed()
        if not asked and len(typed) < LEAST_TYPED:
            self.popup.hide()
            return
        self._completer.setCompletionPrefix(typed)
        found = self._completer.completionCount()
        if not found or (found == 1 and self._completer.currentCompletion() == typed):
            self.popup.hide()
            return
        self.popup.setCurrentIndex(self._completer.completionModel().index(0, 0))
        where = self._editor.cursorRect()
        where.translate(self._editor.viewport().pos())
        where.setWidth(self.popup.sizeHintForColumn(0) + 8 * metrics().unit)
        self._completer.complete(where)

    def _typed(self) -> str:
        cursor = self._editor.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock, QTextCursor.MoveMode.KeepAnchor)
        line = cursor.selectedText()
        length = 0
        while length < len(line) and (line[-1 - length].isalnum() or line[-1 - length] == "_"):
            length += 1
        return line[len(line) - length :]

    @Slot(str)
    def _complete(self, word: str) -> None:
        cursor = self._editor.textCursor()
        cursor.movePosition(
            QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(self._completer.completionPrefix())
        )
        cursor.insertText(word)
        self._editor.setTextCursor(cursor)
