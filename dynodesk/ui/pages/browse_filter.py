"""The filter of a read: lines of fields or the same as text, with what is to be said of it where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QScrollArea, QTextEdit, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.expressions import Condition, Remark, check_where
from dynodesk.domain.expressions.check_where import check_limits
from dynodesk.domain.expressions.nodes import Span
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.ui.pages.browse_filter_lines import FilterGroup, TermLine
from dynodesk.ui.pages.browse_filter_terms import (
    Group,
    TermProblem,
    group_condition,
    group_of,
    only_type,
    term_condition,
    term_count,
)
from dynodesk.ui.theme import Glyph, Text, metrics, mono_font, px, tokens
from dynodesk.ui.widgets.controls import button, switch, tool
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, column, row

MOST_LINES = 12
"""Conditions that are shown in lines; a filter of more is shown as its text."""
TALLEST = 240
"""Height that lines take before they scroll."""
PARAGRAPH = "\u2029"
EMPTY = Group("AND", ())
PAID = "What is filtered out is read and paid for all the same."


class FilterText(QPlainTextEdit):
    """A filter with its names and values written out. Ctrl+Enter runs, Tab goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setFont(mono_font())
        self.setTabChangesFocus(True)
        self.setAccessibleName("Filter as text")
        self.setPlaceholderText("status <> 'deleted' AND (size(tags) > 3 OR attribute_exists(\"user-id\"))")
        self.setFixedHeight(px(76))

    @property
    def text(self) -> str:
        """Without Qt's habit of making spaces of no-break spaces."""
        return self.document().toRawText().replace(PARAGRAPH, "\n")

    def mark(self, remarks: Sequence[Remark]) -> None:
        """Underline the places that the remarks are about."""
        marks = []
        for remark in remarks:
            mark = QTextEdit.ExtraSelection()
            look = QTextCharFormat()
            look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            look.setUnderlineColor(tokens().color("danger" if remark.severity == "error" else "warn"))
            mark.cursor, mark.format = self.selected(remark.span), look
            marks.append(mark)
        self.setExtraSelections(marks)

    def selected(self, span: Span) -> QTextCursor:
        """A cursor that selects a place of the text."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(_utf16(self.text[: span.offset]))
        cursor.setPosition(_utf16(self.text[: span.end]), QTextCursor.MoveMode.KeepAnchor)
        return cursor


class FilterPanel(Area):
    """Hidden while there is no filter. `condition` is what it says, whichever view shows it."""

    changed = Signal()
    run_asked = Signal()
    closed = Signal()
    shaped = Signal()
    """Lines came or went: `focus_order` is another one."""

    def __init__(self, table: TableInfo, loaded: Callable[[], Sequence[Item]], parent: QWidget | None = None) -> None:
        super().__init__("window", "t", parent)
        self._table, self._loaded = table, loaded
        self._index: str | None = None
        self._of_query = False
        self.condition: Condition | None = None
        """None: there is no filter, or none that can be asked."""
        self._tree: Condition | None = None
        """The same, also where the service would refuse it."""
        self.is_wrong = False
        """Something cannot be asked as it stands. It says so there."""
        self._gaps_shown = False
        self._checked: dict[str, tuple[Condition | None, tuple[Remark, ...]]] = {}
        """What was said of which text, as long as the same is loaded: a key changes one line of many."""
        self.group = FilterGroup(self.names, self._type_of, outermost=True)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its lines are, and each scrolls to where it is seen
        self._scroll.setAccessibleName("Conditions")
        self._scroll.setWidget(self.group)
        self.text = FilterText()
        self.text.hide()
        self.add_line = button("Condition", "add", tone="quiet")
        self.add_group = button("Group", "add", tone="quiet")
        self.as_text = switch("code", "Edit the filter as text", on=False, text="As text")
        self.close_button = tool("close", "Remove the filter")
        self._text_sign = Glyph("error", "danger", metrics().icon - 2)
        self._warning_sign = Glyph("warning", "warn", metrics().icon - 2)
        self._said = Text("", "text2", wrap=True)
        said = row(self._text_sign, self._warning_sign, self._said, gap=1.5)
        said.setStretch(2, 1)
        self._remark = area(said)
        foot = row(
            FlowLayout(self.add_line, self.add_group, self.as_text, Text(PAID, "muted"), gap=1.5),
            self.close_button,
            gap=1,
        )
        foot.setStretch(0, 1)
        self.setLayout(column(self._scroll, self.text, self._remark, foot, gap=0.5, margins=(3, 1, 2, 0.5)))

        self.group.changed.connect(self._edited)
        self.group.shape_changed.connect(self._shaped)
        self.group.run_asked.connect(self.run_asked)
        self.group.remove_asked.connect(self.close_filter)
        self.add_line.clicked.connect(self._add_line)
        self.add_group.clicked.connect(self._add_group)
        self.text.textChanged.connect(self._edited)
        self.as_text.toggled.connect(self._switch)
        self.close_button.clicked.connect(self.close_filter)
        self._show_remark("")
        self.hide()

    # -- what it is about

    def set_read(self, index: str | None, *, of_query: bool) -> None:
        """The kind of read it belongs to: what it may be about depends on that."""
        if (index, of_query) != (self._index, self._of_query):
            self._index, self._of_query = index, of_query
            self.look_again()

    def look_again(self) -> None:
        """Other items may be loaded now: what is said of them may be otherwise."""
        self._checked.clear()
        if self.is_open:
            self._read()

    def names(self) -> list[str]:
        """Attributes of keys and of what is loaded, as they are written in a filter."""
        schemas = (self._table.key_schema, *(index.key_schema for index in self._table.indexes))
        keys = [name for schema in schemas for name in schema.names]
        found = dict.fromkeys([*keys, *(name for item in self._loaded() for name in item)])
        return sorted(map(WRITTEN_OUT.name, found))

    def _type_of(self, path: str) -> str:
        """The type that an attribute has wherever it is loaded; "" where that is not one."""
        return only_type(path, self._loaded())

    # -- what it says

    @property
    def is_open(self) -> bool:
        return not self.isHidden()

    def open_filter(self) -> None:
        """Show it, with a line to fill in where it is empty."""
        if not self.is_open:
            self.show()
            if not self.group.parts:
                self.group.new_line()
            self._read()
        target = self.text if self.as_text.isChecked() else next(self.group.lines).path
        target.setFocus()

    @Slot()
    def close_filter(self) -> None:
        self.set_condition(None)
        self.closed.emit()
        self.changed.emit()

    def set_condition(self, condition: Condition | None) -> None:
        """Show what a read is filtered by; None closes it."""
        self._gaps_shown = False
        self._checked.clear()
        if condition is None:
            self.hide()
            self._fill(None)
        else:
            self.show()
            self._fill(condition)
        self._read()

    def show_gaps(self) -> None:
        """From now on a field that is empty and must not be is remarked on too."""
        if not self._gaps_shown:
            self._gaps_shown = True
            self._read()

    def _fill(self, condition: Condition | None) -> None:
        group = group_of(condition) if condition is not None else None
        in_lines = group is None or term_count(group) <= MOST_LINES
        with QSignalBlocker(self), QSignalBlocker(self.text), QSignalBlocker(self.group):
            if group is None or not in_lines:
                self.group.set_group(EMPTY)
            else:
                self.group.set_group(group)
            self.text.setPlainText("" if condition is None else str(condition))
        if not in_lines or group is None:
            with QSignalBlocker(self.as_text):
                self.as_text.setChecked(not in_lines)
        self._show_view()
        self._shaped()

    # -- two views of the same

    @Slot()
    def _switch(self) -> None:
        """Lines to text and back; a text that cannot be read, or not be shown in lines, stays text."""
        problem = self._to_text() if self.as_text.isChecked() else self._to_lines()
        if problem:
            with QSignalBlocker(self.as_text):
                self.as_text.setChecked(not self.as_text.isChecked())
            self._show_remark(problem)
            return
        self._show_view()
        self._shaped()
        self._edited()
        (self.text if self.as_text.isChecked() else next(self.group.lines).path).setFocus()

    def _to_text(self) -> str:
        """What stands in the way, if anything does."""
        if self._tree is None and any(line.term().path or line.term().value for line in self.group.lines):
            self.show_gaps()
            return "Lines that are not filled in have no text yet."
        shown = "" if self._tree is None else str(self._tree)
        with QSignalBlocker(self.text):
            self.text.setPlainText(shown)
        if self.text.text != shown:  # a text field has its own ideas of where lines end
            return "It holds characters that a text field would change: it is edited in lines."
        return ""

    def _to_lines(self) -> str:
        if self._tree is None and self.text.text.strip():
            return "It cannot be read, so it stays text until it can."
        group = EMPTY if self._tree is None else group_of(self._tree)
        if term_count(group) > MOST_LINES:
            return f"A filter of more than {MOST_LINES} conditions stays text."
        with QSignalBlocker(self), QSignalBlocker(self.group):
            self.group.set_group(group)
            if not group.parts:
                self.group.new_line()
        return ""

    def _show_view(self) -> None:
        is_text = self.as_text.isChecked()
        self.text.setVisible(is_text)
        self._scroll.setVisible(not is_text)
        self.add_line.setVisible(not is_text)
        self.add_group.setVisible(not is_text)

    # -- as it is typed

    @Slot()
    def _edited(self) -> None:
        self._read()
        self.changed.emit()

    def _read(self) -> None:
        self.condition, self.is_wrong, self._tree = None, False, None
        self._show_remark("")
        if not self.is_open:
            return
        if self.as_text.isChecked():
            self._read_text()
        else:
            self._read_lines()

    def _read_text(self) -> None:
        text = self.text.text
        if not text.strip():
            self.text.mark(())
            self._show_remark("Write a condition, or remove the filter." if self._gaps_shown else "", is_error=True)
            return
        self._tree, remarks = self._check(text)
        self.text.mark(remarks)
        self.is_wrong = any(remark.severity == "error" for remark in remarks)
        self.condition = None if self.is_wrong else self._tree
        if remarks:
            self._show_remark(_sentence(remarks[0]), is_error=remarks[0].severity == "error")

    def _read_lines(self) -> None:
        filled_in = [self._read_line(line) for line in self.group.lines]
        if filled_in and all(filled_in):
            self._tree = group_condition(self.group.group())
            if limits := check_limits(self._tree):
                self.is_wrong = True
                self._show_remark(_sentence(limits[0]), is_error=True)
        self.condition = None if self.is_wrong else self._tree
        self._fit()

    def _read_line(self, line: TermLine) -> bool:
        """Whether it is filled in."""
        term = line.term()
        try:
            condition = term_condition(term)
        except TermProblem as problem:
            self.is_wrong = True
            shown = "" if problem.is_gap and not self._gaps_shown else _words(problem.message, problem.hint)
            line.show_remark(shown, is_error=True, at=problem.place if shown else None)
            return False
        _, remarks = self._check(str(condition))
        is_error = any(remark.severity == "error" for remark in remarks)
        self.is_wrong = self.is_wrong or is_error
        line.show_remark(_sentence(remarks[0]) if remarks else "", is_error=is_error)
        return True

    def _check(self, text: str) -> tuple[Condition | None, tuple[Remark, ...]]:
        found = self._checked.get(text)
        if found is None:
            found = self._checked[text] = check_where(
                text, self._table, index=self._index, of_query=self._of_query, items=self._loaded()
            )
        return found

    def _show_remark(self, said: str, *, is_error: bool = False) -> None:
        self._said.setText(visible(said))
        self._text_sign.setVisible(bool(said) and is_error)
        self._warning_sign.setVisible(bool(said) and not is_error)
        self._remark.setVisible(bool(said))
        self.text.setAccessibleDescription(said)

    @property
    def remarks(self) -> list[str]:
        """What is said below the lines, and below all of them."""
        said = [line.remark for line in self.group.lines] if not self.as_text.isChecked() else []
        return [words for words in (*said, self._said.text()) if words]

    # -- its shape

    @Slot()
    def _add_line(self) -> None:
        self.group.new_line().path.setFocus()

    @Slot()
    def _add_group(self) -> None:
        self.group.add_group.click()

    @property
    def focus_order(self) -> Iterator[QWidget]:
        yield from self.group.focus_order
        yield from (self.text, self.add_line, self.add_group, self.as_text, self.close_button)

    @Slot()
    def _shaped(self) -> None:
        for one, following in pairwise(self.focus_order):
            QWidget.setTabOrder(one, following)
        self.shaped.emit()
        if self.is_open and not self.signalsBlocked():
            self._edited()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As tall as its lines are, up to where they scroll."""
        width = max(1, self._scroll.viewport().width())
        layout = self.group.layout()
        wanted = layout.totalHeightForWidth(width) if layout is not None and layout.hasHeightForWidth() else 0
        self._scroll.setFixedHeight(min(px(TALLEST), max(wanted, self.group.minimumSizeHint().height())))


def _sentence(remark: Remark) -> str:
    return _words(remark.message, remark.fix)


def _words(message: str, hint: str) -> str:
    return f"{message.rstrip('.')}. {hint}".strip()


def _utf16(text: str) -> int:
    """Positions of a text field count characters beyond the first plane twice."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
