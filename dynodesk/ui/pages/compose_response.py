"""What became of the composed request that was run last: done, refused and why, not known, or not sent."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHeaderView

from dynodesk.composing import words
from dynodesk.composing.running import RunReport
from dynodesk.domain.cells import visible
from dynodesk.domain.progress import Ticket
from dynodesk.ui.actions import Action, button_for, make, tool_for
from dynodesk.ui.dialogs.item_view import ItemDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import LOOKS, message_for
from dynodesk.ui.pages.compose_response_rows import LOOK, SEND_AGAIN, Line, Response, copied_json, response_of
from dynodesk.ui.pages.reconcile_rows import Column, RowsModel
from dynodesk.ui.theme import Glyph, Text, metrics, px
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, column, row
from dynodesk.ui.widgets.lines import Line as OneLine
from dynodesk.ui.widgets.tips import plain_tip
from dynodesk.ui.widgets.token_clock import TICK, left_words
from dynodesk.ui.widgets.whole_text import whole

COPY = Action("copy-response", "Copy the response", "Copy all that is known of it, as JSON.", "", "copy")
OPEN = Action("open-response-item", "Show the item", "Show the item of the chosen line, whole (Enter).", "", "eye")
AGAIN = Action(
    "send-again", "Send again safely", "Send the same with the same token: it is done once, however often.", "", "sync"
)
LOOK_AT = Action("look-at-items", "Look at the items", "Read what is there now. Nothing is sent again.", "", "eye")
NOTHING_YET = "Nothing was sent yet. Run the request, and what the service says of it stands here."
SENDING = "Sending…"
LONGEST_WHY = 400
"""Characters of what is said of a line that are shown; its tip has more."""


class _Lines(Grid):
    """Enter opens the item of the current row."""

    opened = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit()
        else:
            super().keyPressEvent(event)


class ResponsePanel(Area):
    """Shows what it is told. Nothing is sent from here: it asks for it."""

    again_asked = Signal(object)
    """The `RunReport` of what is to be sent again with its token."""
    look_asked = Signal(object)
    """The `RunReport` of what is not known: its items are to be read once more."""
    action_chosen = Signal(int)
    """Somebody looks at what became of this action, from 0."""

    def __init__(self, runner: JobRunner, now: Callable[[], float] = time.time) -> None:
        """`now`: the time of day, in seconds."""
        super().__init__("base", "l")
        self._runner, self._now = runner, now
        self._report: RunReport | None = None
        self._response: Response | None = None
        self._facts = OneLine("", "muted")
        self.copy_action = make(COPY, self, self.copy)
        self.open_action = make(OPEN, self, self.open_current)
        self.again_action = make(AGAIN, self, self._ask_again)
        self.look_action = make(LOOK_AT, self, self._ask_to_look)
        self.copy_button, self.open_button = tool_for(self.copy_action), tool_for(self.open_action)
        head = row(
            *(Text("Response", weight="semibold"), self._facts, self.open_button, self.copy_button),
            gap=2,
            margins=(3, 0, 1.5, 0),
        )
        self._glyphs = row()
        self._title = Text("", weight="semibold", wrap=True)
        self._said = Text("", wrap=True)
        self.again_button, self.look_button = button_for(self.again_action), button_for(self.look_action)
        self._asks = area(FlowLayout(self.again_button, self.look_button), "warn_soft")
        told = column(self._title, self._said, self._asks, gap=1)
        banner = row(column(0.5, self._glyphs, None, gap=0), told, gap=2, margins=(3, 2, 3, 2))
        banner.setStretch(1, 1)
        self._banner = area(banner, "base", "b")
        self._columns: Sequence[Column] = ()
        self.grid = _Lines()
        dress_grid(self.grid, "What became of each action")
        beside = self.grid.horizontalScrollBar().sizeHint().height()
        self.grid.setMinimumHeight(metrics().bar + 2 * metrics().row + beside)
        self.why = Text("", "text2", wrap=True)
        self._why = area(column(self.why, margins=(3, 1.5, 3, 1.5)), "window", "t")
        self.units = Text("", "muted", wrap=True)
        self._units = area(column(self.units, margins=(3, 1.5, 3, 1.5)), "window", "t")
        self._nothing = Text(NOTHING_YET, "muted", wrap=True)
        self._empty = area(column(self._nothing, None, margins=(3, 2, 3, 2)), "base")
        whole_column = column(
            area(head, "window", "tb", metrics().bar + 2), self._banner, self.grid, self._empty, self._why, self._units,
            gap=0, margins=(0.25, 0, 0, 0),
        )  # fmt: skip
        whole_column.setStretch(2, 1)
        whole_column.setStretch(3, 1)
        self.setLayout(whole_column)
        self.begin_at(self.grid)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK)
        self._timer.timeout.connect(self._show_left)
        self.grid.opened.connect(self.open_current)
        self.grid.doubleClicked.connect(self.open_current)
        self.show_nothing()

    # -- what is shown

    @property
    def report(self) -> RunReport | None:
        return self._report

    @property
    def facts(self) -> str:
        """`12:06:18.402 · 4 WCU · 21 ms`."""
        return self._facts.text

    @property
    def title(self) -> str:
        return "" if self._banner.isHidden() else self._title.text()

    @property
    def said(self) -> str:
        """What is said below the title."""
        return "" if self._banner.isHidden() else self._said.text()

    def show_nothing(self) -> None:
        """Nothing was sent yet."""
        self._forget()
        self._show_empty(NOTHING_YET)

    def show_sending(self, what: str = SENDING) -> None:
        """`what` is going on, in words."""
        self._forget()
        self._tell("sync", "accent", "window", what, "")
        self._show_empty("")

    def show_report(self, report: RunReport, tables: words.Tables, note: str = "") -> None:
        """`note`: a sentence more that is said of it, such as the sum of what was read."""
        self._forget()
        self._report = report
        self._response = response = response_of(report, tables)
        glyph, ink, ground = LOOKS[response.kind]
        self._tell(glyph, ink, ground, response.title, words.sentences(response.line, note))
        self._asks.set_ground(ground)
        self._facts.set_text(response.facts)
        self.copy_action.setEnabled(True)
        self.units.setText(f"Consumed: {response.units}")
        self._units.setVisible(bool(response.units))
        self.look_button.setVisible(response.may_look)
        self.look_action.setEnabled(response.may_look)
        self._show_left()
        self._show_lines(response)
        self._make_room()

    def show_error(self, error: BaseException) -> None:
        """What kept the request from being sent."""
        self._forget()
        message = message_for(error)
        glyph, ink, ground = LOOKS[message.kind]
        self._tell(glyph, ink, ground, message.title, message.line)
        self._show_empty("")

    def _show_empty(self, says: str) -> None:
        self._nothing.setText(says)
        self._empty.show()

    def _forget(self) -> None:
        self._report = self._response = None
        for part in (self._banner, self.grid, self._empty, self._why, self._units, self._asks):
            part.hide()
        self.look_button.hide()
        self.again_button.hide()
        self._facts.set_text("")
        self.copy_action.setEnabled(False)
        for action in (self.open_action, self.again_action, self.look_action):
            action.setEnabled(False)
        self._timer.stop()

    def _tell(self, glyph: str, ink: str, ground: str, title: str, line: str) -> None:
        while (item := self._glyphs.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._glyphs.addWidget(Glyph(glyph, ink))
        self._banner.set_ground(ground)
        self._title.setText(visible(title))
        self._banner.show()
        self._say(line)

    def _say(self, line: str) -> None:
        """Below the title."""
        self._said.setText(line)
        self._said.setVisible(bool(line))
        self._banner.setAccessibleName(f"{self._title.text()} {line}".strip())
        self._make_room()

    def _show_lines(self, response: Response) -> None:
        self.grid.setVisible(bool(response.lines))
        if not response.lines:
            self._show_empty("")
            return
        model = RowsModel(response.columns, self.grid)
        model.set_rows([line.row for line in response.lines])
        old = self.grid.model()
        self.grid.setModel(model)
        if old is not None:
            old.deleteLater()
        header = self.grid.horizontalHeader()
        for at, of in enumerate(response.columns):
            self.grid.setColumnWidth(at, px(of.width))
        header.setSectionResizeMode(len(response.columns) - 1, QHeaderView.ResizeMode.Stretch)
        self.grid.selectionModel().currentRowChanged.connect(self._chosen)
        self.grid.setCurrentIndex(model.index(response.chosen, 0))
        self._show_why()

    # -- one line of it

    @property
    def current(self) -> Line | None:
        at = self.grid.currentIndex().row()
        response = self._response
        return response.lines[at] if response is not None and 0 <= at < len(response.lines) else None

    @Slot(QModelIndex)
    def _chosen(self, index: QModelIndex) -> None:
        self._show_why()
        self.action_chosen.emit(index.row())

    def _show_why(self) -> None:
        line = self.current
        why = "" if line is None else line.why
        self.why.setText(why if len(why) <= LONGEST_WHY else f"{why[:LONGEST_WHY]}…")
        self.why.setToolTip(plain_tip(why))
        self._why.setVisible(bool(why))
        self.open_action.setEnabled(line is not None and line.item is not None)
        self._make_room()

    @Slot()
    def open_current(self) -> None:
        """The item of the current line, whole."""
        line = self.current
        if line is not None and line.item is not None:
            ItemDialog(line.title, line.item, line.before, line.keys, self._runner, self.window()).open()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Wrapped words need their height at this width: without it they would be cut."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            self.setMinimumHeight(layout.totalMinimumHeightForWidth(self.width()))

    # -- what can be done

    @property
    def seconds_left(self) -> float:
        """For how long it may still be sent again with its token."""
        report = self._report
        if report is None or report.outcome != "unknown" or not report.token_until:
            return 0.0
        return max(0.0, datetime.fromisoformat(report.token_until).timestamp() - self._now())

    @Slot()
    def _show_left(self) -> None:
        report, left = self._report, self.seconds_left
        has_token = report is not None and report.outcome == "unknown" and bool(report.token_until)
        if report is not None and report.outcome == "unknown" and self._response is not None:
            self._say(words.sentences(self._response.line, SEND_AGAIN if left else LOOK))
        words_left = left_words(left) if left else "its token has ended"
        self.again_button.setText(f"Send again safely  {words_left}")
        self.again_button.setAccessibleName(f"Send again safely, {words_left}")
        self.again_action.setEnabled(left > 0)
        self.again_button.setVisible(has_token)
        self._asks.setVisible(has_token or not self.look_button.isHidden())
        if left and self.isVisible():
            self._timer.start()
        else:
            self._timer.stop()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_left()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    @Slot()
    def _ask_again(self) -> None:
        if self._report is not None:
            self.again_asked.emit(self._report)

    @Slot()
    def _ask_to_look(self) -> None:
        if self._report is not None:
            self.look_asked.emit(self._report)

    @Slot()
    def copy(self) -> None:
        if self._report is not None:
            self._runner.start(
                partial(_json_text, self._report), title="Copy the response", done=self._take_copy, quiet=True
            )

    @Slot(str)
    def _take_copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(whole(text))


def _json_text(report: RunReport, _ticket: Ticket) -> str:
    return json.dumps(copied_json(report), ensure_ascii=False, indent=2)
