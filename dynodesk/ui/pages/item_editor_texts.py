"""Text editors that give back every character that was put into them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextOption
from PySide6.QtWidgets import QPlainTextEdit

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.spelled_text import spelled, unspelled
from dynodesk.ui.widgets.code import CodeColours
from dynodesk.ui.widgets.line_editor import LineEditor
from dynodesk.ui.widgets.whole_text import whole

PARAGRAPH = "\u2029"
COLOURED = 2_000
"""Lines that are still coloured: more would hold the window up."""
LONG_LINE = 5_000
"""Characters of a line that is neither coloured nor wrapped between words: looking for words in it takes seconds."""


class ExactText(LineEditor):
    """Shows texts spelled, and gives them back as they are spelled: nothing in it is a character that Qt replaces.

    Long lines are wrapped; the numbers at the left tell them from lines that the text has.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)

    @property
    def typed(self) -> str:
        """What is in the editor. Its own line ends are `\\n`; no-break spaces stay what they are."""
        return self.document().toRawText().replace(PARAGRAPH, "\n")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.InsertLineSeparator) and not self.isReadOnly():
            self.textCursor().insertBlock()  # not the line separator that Qt would put in, unseen
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """What is pasted comes with every character it has."""
        self.insertPlainText(spelled(source.text(), lines=True))

    def createMimeDataFromSelection(self) -> QMimeData:
        """What is copied is the text that is meant, as far as the selection does not cut an escape."""
        chosen = self.chosen
        made = QMimeData()
        try:
            made.setText(whole(unspelled(chosen)))
        except InvalidValue:
            made.setText(chosen)
        return made

    @property
    def chosen(self) -> str:
        return self.textCursor().selectedText().replace(PARAGRAPH, "\n")


class JsonText(ExactText):
    """JSON, with JSON's own escapes for what cannot be seen."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._colours = CodeColours(self.document())

    def show_json(self, text: str) -> None:
        shown = escaped(text)
        is_long = max(map(len, shown.split("\n"))) > LONG_LINE
        self._colours.setDocument(None if is_long or text.count("\n") > COLOURED else self.document())
        wrap = QTextOption.WrapMode.WrapAnywhere if is_long else QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
        self.setWordWrapMode(wrap)
        self.setPlainText(shown)

    def insertFromMimeData(self, source: QMimeData) -> None:
        lines = source.text().removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self.insertPlainText("\t".join(map(escaped, lines.split("\t"))))  # between values a tab is a blank

    def createMimeDataFromSelection(self) -> QMimeData:
        made = QMimeData()
        made.setText(self.chosen)
        return made

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._colours.document() is not None:
            self._colours.renew()


def escaped(text: str) -> str:
    """JSON text in which every character that cannot be seen is a JSON escape: another spelling of the same item.

    A text widget replaces some of them when text is copied out of it; escapes it leaves alone.
    """
    if text.replace("\n", "").isprintable() and "\ufffc" not in text:
        return text
    return "".join(char if _is_plain(char) else _escape(char) for char in text)


def _is_plain(char: str) -> bool:
    return char == "\n" or (char.isprintable() and char != "\ufffc")


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
