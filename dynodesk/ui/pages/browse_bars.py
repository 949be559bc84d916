"""Bars over the rows of a pane: one that filters what is loaded, one that finds a text in what is shown."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

from dynodesk.domain.row_choice import RowFilter, read_filter
from dynodesk.domain.text_search import Sought
from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.theme import Text, metrics
from dynodesk.ui.widgets.controls import field, switch, tool
from dynodesk.ui.widgets.layouts import Area, row
from dynodesk.ui.widgets.whole_text import whole

SETTLE_MS = 250
"""Typing must have stopped for so long before many rows are looked through."""


class _Bar(Area):
    """A line with a field, opened by a key and closed by Esc or its cross."""

    closed = Signal()

    def __init__(self, edit: QLineEdit, lines: str) -> None:
        super().__init__("window", lines)
        self.edit = edit
        self.settling = QTimer(self)
        self.settling.setSingleShot(True)
        self.settling.setInterval(SETTLE_MS)
        self.close_button = tool("close", "Close this bar")
        self.close_button.clicked.connect(self.shut)
        edit.installEventFilter(self)
        self.setFixedHeight(metrics().bar + 2)
        self.hide()

    def open(self) -> None:
        self.show()
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    @Slot()
    def shut(self) -> None:
        self.settling.stop()
        self.hide()
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc is the frame's key unless somebody claims it."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.shut()
                return True
        return super().eventFilter(watched, event)


class FilterBar(_Bar):
    """Hides loaded rows: by a condition as in rules, or by a text in any attribute."""

    asked = Signal(object)
    """A `RowFilter`, or None: all rows."""

    def __init__(self) -> None:
        super().__init__(field("Filter loaded rows", "text in any attribute, or: likeTally > 40"), "b")
        self._kind = Text("", "muted")
        self.words = ShortText("text2")
        self.setLayout(
            row(Text("Show", "text2"), self.edit, self._kind, self.words, self.close_button, margins=(3, 0, 1, 0))
        )
        self.edit.textChanged.connect(self._typed)
        self.edit.returnPressed.connect(self._ask)
        self.settling.timeout.connect(self._ask)
        self.closed.connect(self._clear)

    @property
    def taken(self) -> str:
        """How what is typed is taken: `by condition`, `by text`, "" for no filter."""
        return self._kind.text()

    def show_filter(self, row_filter: RowFilter | None) -> None:
        """What the rows now shown are filtered by."""
        self.edit.blockSignals(True)
        self.edit.setText("" if row_filter is None else whole(row_filter.text))
        self.edit.blockSignals(False)
        self._show_kind()
        if row_filter is not None:
            self.show()

    @Slot()
    def _typed(self) -> None:
        self._show_kind()
        self.settling.start()

    def _show_kind(self) -> None:
        found = read_filter(self.edit.text())
        self._kind.setText("" if found is None else {"condition": "by condition", "text": "by text"}[found.kind])

    @Slot()
    def _ask(self) -> None:
        self.settling.stop()
        self.asked.emit(read_filter(self.edit.text()))

    @Slot()
    def _clear(self) -> None:
        self.edit.blockSignals(True)
        self.edit.clear()
        self.edit.blockSignals(False)
        self._show_kind()
        self.asked.emit(None)


class FindBar(_Bar):
    """Takes a text to look for; what it finds is told back to it."""

    asked = Signal(object)
    """A `Sought`, or None: nothing is looked for."""
    next_asked = Signal()
    previous_asked = Signal()

    def __init__(self) -> None:
        super().__init__(field("Find in the rows shown", "text in a cell"), "t")
        self._case = switch("case-sensitive", "Match case", on=False)
        self._case.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        back, on = tool("arrow-up", "Previous match"), tool("arrow-down", "Next match")
        self.count = ShortText("text2")
        self.setLayout(
            row(
                Text("Find", "text2"),
                self.edit,
                self._case,
                back,
                on,
                self.count,
                None,
                self.close_button,
                margins=(3, 0, 1, 0),
            )
        )
        self.edit.textChanged.connect(self._typed)
        self.edit.returnPressed.connect(self._return_pressed)
        self.settling.timeout.connect(self._ask)
        self._case.toggled.connect(self._ask)
        back.clicked.connect(self.previous_asked)
        on.clicked.connect(self.next_asked)
        self.closed.connect(self._ask_for_nothing)

    @property
    def sought(self) -> Sought | None:
        text = self.edit.text()
        return Sought(text, self._case.isChecked()) if text and not self.isHidden() else None

    @Slot()
    def _typed(self) -> None:
        self.settling.start()

    @Slot()
    def _return_pressed(self) -> None:
        if self.settling.isActive():
            self._ask()
        self.next_asked.emit()

    @Slot()
    def _ask(self) -> None:
        self.settling.stop()
        self.asked.emit(self.sought)

    @Slot()
    def _ask_for_nothing(self) -> None:
        self.asked.emit(None)
