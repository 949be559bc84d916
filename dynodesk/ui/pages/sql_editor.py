"""The editor of the SQL page: line numbers, colours, the statement at the cursor, earlier ones, names to choose."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent, QSyntaxHighlighter, QTextCharFormat, QTextCursor, QTextDocument

from dynodesk.ui.pages.sql_text import KEYWORDS, OPEN, Kind, Stretch, below, open_after, pieces, statement_at
from dynodesk.ui.theme import tokens
from dynodesk.ui.widgets.line_editor import LineEditor
from dynodesk.ui.widgets.word_offers import WordOffers

INKS: dict[Kind, str] = {
    "comment": "muted",
    "string": "ink_green",
    "name": "text",
    "number": "ink_ochre",
    "keyword": "ink_violet",
    "call": "ink_blue",
}
HINT = "SELECT … FROM a loaded set. Ctrl+Enter runs the statement at the cursor."


class _Colours(QSyntaxHighlighter):
    def __init__(self, document: QTextDocument, keywords: frozenset[str]) -> None:
        super().__init__(document)
        self._keywords = keywords
        self._formats: dict[Kind, QTextCharFormat] = {}
        self.renew()

    def renew(self) -> None:
        """Take the inks of the scheme in force."""
        for kind, role in INKS.items():
            of = self._formats[kind] = QTextCharFormat()
            of.setForeground(tokens().color(role))
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        opener = OPEN[max(0, self.previousBlockState())]
        line = opener + text
        for piece in pieces(line, self._keywords):
            if piece.kind in self._formats:
                start = max(0, piece.start - len(opener))
                self.setFormat(start, piece.end - len(opener) - start, self._formats[piece.kind])
        self.setCurrentBlockState(OPEN.index(open_after(line)))


class SqlEditor(LineEditor):
    """Alt+Up and Alt+Down walk through what was run; Ctrl+Space offers names."""

    def __init__(self, name: str = "SQL", hint: str = HINT, keywords: frozenset[str] = KEYWORDS) -> None:
        super().__init__(name)
        self._keywords = keywords
        self._history: list[str] = []
        self._at = 0
        self._draft = ""
        self.setPlaceholderText(hint)
        self._colours = _Colours(self.document(), keywords)
        self._offers = WordOffers(self)
        self._popup = self._offers.popup
        self.set_names(())
        self.textChanged.connect(self._forget_fault)

    # -- what is to be run

    @property
    def chosen(self) -> Stretch | None:
        """The selection, or the statement at the cursor; None: there is nothing to run."""
        (start, end), text = self.selection, self.text
        if start == end:
            return statement_at(text, end)
        picked = text[start:end]
        return Stretch(start, picked) if picked.strip() else None

    def add_statement(self, text: str) -> None:
        """Puts a statement below what there is, with the cursor at its start. One undo takes it away."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(below(self.text) + text)
        cursor.setPosition(cursor.position() - len(text))
        self.setTextCursor(cursor)
        self.centerCursor()
        self.setFocus()

    # -- earlier statements

    def remember(self, text: str) -> None:
        if not self._history or self._history[-1] != text:
            self._history.append(text)
        self._at = len(self._history)

    def _walk(self, step: int) -> None:
        to = self._at + step
        if not 0 <= to <= len(self._history):
            return
        if self._at == len(self._history):
            self._draft = self.text
        self._at = to
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(self._draft if to == len(self._history) else self._history[to])
        self.setTextCursor(cursor)

    # -- names

    def set_names(self, names: Iterable[str]) -> None:
        """Names that are offered, beside the language's own words."""
        self._offers.set_words({*names, *self._keywords})

    # -- Qt's own calls

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = event.key(), event.modifiers()
        was_open = self._offers.is_open
        if self._offers.takes(event):
            event.ignore()
        elif modifiers == Qt.KeyboardModifier.AltModifier and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._walk(-1 if key == Qt.Key.Key_Up else 1)
        elif modifiers == Qt.KeyboardModifier.ControlModifier and key == Qt.Key.Key_Space:
            self._offers.offer(asked=True)
        else:
            super().keyPressEvent(event)
            self._offers.follow(event, was_open=was_open)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colours.renew()

    # -- lines

    def mark_fault(self, line: int | None) -> None:
        """Paint the line as the one where it went wrong, until the text is changed."""
        self.mark_faulty(() if line is None else (line,))
        if line is not None:
            QTimer.singleShot(0, self, self.ensureCursorVisible)  # once the words on it have taken their room

    @Slot()
    def _forget_fault(self) -> None:
        if self.faulty:
            self.mark_fault(None)
