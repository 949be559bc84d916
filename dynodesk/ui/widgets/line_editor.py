"""An editor of code: line numbers, the line of the cursor, and lines marked as those where something is wrong."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Slot
from PySide6.QtGui import (
    QFocusEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from dynodesk.ui.theme import face, metrics, mono_font, tokens

PARAGRAPH = "\u2029"


class _Numbers(QWidget):
    """Line numbers, at the left of the text."""

    def __init__(self, editor: LineEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self.setAccessibleName("Line numbers")

    def sizeHint(self) -> QSize:
        return QSize(self._editor.margin, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._editor.paint_numbers(event.rect())


class LineEditor(QPlainTextEdit):
    """Monospaced, unwrapped. Lines are counted from 1."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._faulty: tuple[int, ...] = ()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(mono_font())
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.document().setDocumentMargin(2 * metrics().unit)
        self._numbers = _Numbers(self)
        self.updateRequest.connect(self._scrolled)
        self.blockCountChanged.connect(self._place_numbers)
        self.cursorPositionChanged.connect(self._mark_lines)
        self._place_numbers()

    @property
    def text(self) -> str:
        """Every character but the two that stand for the end of a line: Qt's own `toPlainText` makes spaces of some."""
        return self.document().toRawText().replace(PARAGRAPH, "\n")

    @property
    def selection(self) -> tuple[int, int]:
        """Where in `text` the selection starts and ends; both are the cursor's place where nothing is selected."""
        cursor, text = self.textCursor(), self.text
        # Qt counts UTF-16 units, of which letters beyond the first 65,536 have two.
        units = text.encode("utf-16-le", "surrogatepass")
        start, end = (
            len(units[: 2 * at].decode("utf-16-le", "surrogatepass"))
            for at in (cursor.selectionStart(), cursor.selectionEnd())
        )
        return start, end

    @property
    def faulty(self) -> tuple[int, ...]:
        """The lines that are marked."""
        return self._faulty

    def mark_faulty(self, lines: Collection[int]) -> None:
        """Paint these lines, and no others, as those where something is wrong."""
        self._faulty = tuple(sorted(lines))
        self._mark_lines()

    # -- Qt's own calls

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._mark_lines()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._mark_lines()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._mark_lines()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_numbers()

    # -- lines

    @Slot()
    def _mark_lines(self) -> None:
        marks = []
        if self.hasFocus() and not self.document().isEmpty():
            marks.append(self._mark(self.textCursor(), "hover"))
        for line in self._faulty:
            block = self.document().findBlockByNumber(line - 1)
            if block.isValid():
                marks.append(self._mark(QTextCursor(block), "danger_soft"))
        self.setExtraSelections(marks)
        self._numbers.update()

    def _mark(self, at: QTextCursor, role: str) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        at.clearSelection()
        look = QTextCharFormat()
        look.setBackground(tokens().color(role))
        look.setProperty(QTextFormat.Property.FullWidthSelection.value, True)
        mark.cursor, mark.format = at, look
        return mark

    @property
    def margin(self) -> int:
        digits = max(2, len(str(self.blockCount())))
        return face("caption", mono=True).measure.horizontalAdvance("0") * digits + 6 * metrics().unit

    @Slot()
    def _place_numbers(self) -> None:
        self.setViewportMargins(self.margin, 0, 0, 0)
        inside = self.contentsRect()
        self._numbers.setGeometry(inside.left(), inside.top(), self.margin, inside.height())

    @Slot(QRect, int)
    def _scrolled(self, _rect: QRect, _by: int) -> None:
        self._numbers.update()

    def paint_numbers(self, rect: QRect) -> None:
        p, t, of = QPainter(self._numbers), tokens(), face("caption", mono=True)
        p.fillRect(rect, t.color("base"))
        p.setFont(of.font)
        line = self.fontMetrics().height()
        block = self.firstVisibleBlock()
        current = self.textCursor().blockNumber()
        while block.isValid():
            box = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if box.top() > rect.bottom():
                break
            number = block.blockNumber()
            ink = "danger" if number + 1 in self._faulty else "text" if number == current else "muted"
            p.setPen(t.color(ink))
            place = QRectF(0, box.top(), self._numbers.width() - 2.5 * metrics().unit, line)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            p.drawText(place, right, str(number + 1))
            block = block.next()
