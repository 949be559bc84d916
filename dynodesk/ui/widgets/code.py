"""Code and JSON in the look of the window: colours by kind of word, and a view that wraps and never shortens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import (
    QFocusEvent,
    QPainter,
    QPaintEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from dynodesk.ui.theme import focus_ring, metrics, mono_font, tokens

_PIECE = re.compile(
    r"(?P<comment>#[^\n]*|//[^\n]*)"
    r"|(?P<string>\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|`[^`]*`?)"
    r"|(?P<number>(?<![\w#:])-?\d[\d_.]*\b)"
    r"|(?P<header>^\s*\[\[?[^\]]*\]\]?)"
    r"|(?P<call>[^\W\d][\w.]*(?=\())"
    r"|(?P<word>[^\W\d][\w-]*)"
)
_CAPTURE = re.compile(r"\$?\{[^{}\s\"]+\}")
_MEMBER = re.compile(r"\s*[:=](?!=)")
# fmt: off
_KEYWORDS = frozenset((
    "await", "class", "const", "false", "for", "from", "func", "if", "import", "new", "nil", "null", "package",
    "public", "return", "static", "true", "try", "var", "void",
    "AND", "DELETE", "EXISTS", "FROM", "INSERT", "INTO", "IS", "MISSING", "NOT", "OR", "REMOVE", "RETURNING",
    "SELECT", "SET", "UPDATE", "VALUE", "WHERE",
))
# fmt: on
"""Of all languages at once: bare words of one are seldom words of another."""
INKS = {
    "comment": "muted",
    "string": "ink_green",
    "capture": "ink_violet",
    "member": "ink_blue",
    "number": "ink_ochre",
    "header": "ink_teal",
    "call": "ink_blue",
    "keyword": "ink_violet",
}


@dataclass(frozen=True, slots=True)
class Piece:
    kind: str
    """A key of `INKS`."""
    start: int
    end: int


def pieces(line: str) -> Iterator[Piece]:
    """What is coloured in a line of JSON, TOML or a programming language; later pieces lie upon earlier ones."""
    for found in _PIECE.finditer(line):
        kind, start, end = found.lastgroup or "", *found.span()
        if kind in {"string", "word"} and _MEMBER.match(line, end):
            yield Piece("member", start, end)
        elif kind == "word":
            if found[0] in _KEYWORDS:
                yield Piece("keyword", start, end)
        else:
            yield Piece(kind, start, end)
            if kind == "string":
                yield from (Piece("capture", *capture.span()) for capture in _CAPTURE.finditer(line, start, end))


class CodeColours(QSyntaxHighlighter):
    """Belongs to a document. `renew` takes the inks of another scheme."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.is_faded = False
        """Whether everything has one muted ink, as something that does not hold at present."""
        self._formats: dict[str, QTextCharFormat] = {}
        self.renew()

    def renew(self) -> None:
        for kind, role in INKS.items():
            of = self._formats[kind] = QTextCharFormat()
            of.setForeground(tokens().color(role))
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        if self.is_faded:
            self.setFormat(0, len(text), self._formats["comment"])
            return
        for piece in pieces(text):
            self.setFormat(piece.start, piece.end - piece.start, self._formats[piece.kind])


class CodeView(QPlainTextEdit):
    """Read, chosen and copied, not changed."""

    def __init__(self, name: str, margin: float = 3) -> None:
        """`margin`, in units of the look, is that of the panel or dialog (5) that it stands in."""
        super().__init__()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(mono_font())
        self.setTabChangesFocus(True)
        self.setAccessibleName(name)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(margin * metrics().unit)
        self._colours = CodeColours(self.document())

    @property
    def is_faded(self) -> bool:
        return self._colours.is_faded

    def set_faded(self, faded: bool) -> None:
        """Take the colours away from what does not hold at present."""
        if faded != self._colours.is_faded:
            self._colours.is_faded = faded
            self._colours.rehighlight()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colours.renew()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():  # no cursor shows it in what is only read
            box = QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1)
            focus_ring(QPainter(self.viewport()), box, tokens(), 2)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()
