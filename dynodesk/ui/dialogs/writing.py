"""The frame of dialogs that write: the rows, each request exactly as sent, the approval, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QDialog, QHeaderView, QWidget

from dynodesk.domain.access import Access
from dynodesk.domain.cells import visible
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.write_requests import request_json
from dynodesk.domain.writes import GuardedWrite
from dynodesk.reports.characters import json_text
from dynodesk.ui.dialogs.allow_writes import allow_buttons
from dynodesk.ui.dialogs.approval import Approval
from dynodesk.ui.dialogs.outcome import Outcome
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.pages.reconcile_rows import Column, RowsModel
from dynodesk.ui.theme import Row, Text, metrics, px
from dynodesk.ui.widgets.code import CodeView
from dynodesk.ui.widgets.connection_bar import STAGES
from dynodesk.ui.widgets.controls import button, tool
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import Area, Content, area, column, row
from dynodesk.ui.widgets.lines import Line
from dynodesk.ui.widgets.marks import Chip

State = Literal["asking", "running", "over"]
Result = TypeVar("Result")

LOW_SCREEN = 600
"""Pixels of height below which rows and request leave the others more room: a notebook at 150 %."""


class ResultStream(QObject):
    """Hands results of the thread that writes over to the thread it was made on. Not the dialog's: it outlives it."""

    told = Signal(object)

    def take(self, result: object) -> None:
        self.told.emit(result)


class WritesDialog(QDialog):
    """Asks, writes, and shows the outcome. Nothing is sent before `approval` is given. Show it with `open`."""

    def __init__(
        self,
        title: str,
        says: str,
        access: Access,
        approval: Approval,
        columns: Sequence[Column],
        go: str,
        runner: JobRunner,
        window: QWidget | None,
        glyph: str = "wrench",
    ) -> None:
        """`go` is the word on the button that writes, and `glyph` its icon."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._runner, self._access = runner, access
        self._state: State = "asking"
        self._job: Job | None = None
        self._refusal = ""
        self.rows = self.new_rows(columns)
        self.grid = Grid()
        self.grid.setModel(self.rows)
        dress_grid(self.grid, title)
        for at, of in enumerate(columns):
            self.grid.setColumnWidth(at, px(of.width))
        self.grid.horizontalHeader().setStretchLastSection(True)
        self.grid.horizontalHeader().setSectionResizeMode(len(columns) - 1, QHeaderView.ResizeMode.Stretch)
        self.request_title = Text("", weight="semibold")
        self.request = CodeView("Request, exactly as sent", margin=5)
        self.became = Text("", "text2", wrap=True)
        self.became.setContentsMargins(*[round(part * metrics().unit) for part in (5, 2, 5, 0)])
        self.became.hide()
        self.approval = approval
        self.outcome = Outcome()
        self.note = Line("", "muted", stretch=False)
        self.cancel_button = button("Cancel", keys="Esc")
        self.pause_button = button("Pause", "debug-pause")
        self.go_button = button(go, glyph, tone="danger", primary=False)
        self.says = Text(says, "text2", wrap=True)
        self._head = self._make_head(title)

    def _make_head(self, title: str) -> Area:
        word, glyph, solid, ink = STAGES[self._access.profile.stage]
        heading = row(Text(title, size="title", weight="semibold"), None, Chip(word, glyph, solid, ink))
        return area(column(heading, self.says, gap=1.5, margins=(5, 4, 5, 3)), "window", "b")

    def arrange(self, facts: QWidget, left: Iterable[Content], right: Iterable[Content] = (), *tabs: QWidget) -> None:
        """`left` and `right` are more buttons of the foot; `tabs` stand in the bar over the request."""
        copy = tool("copy", "Copy the request")
        copy.clicked.connect(self._copy_request)
        bar = area(
            row(self.request_title, *tabs, None, copy, gap=3, margins=(5, 0, 3, 0)),
            "window", "tb", metrics().tab + 1,
        )  # fmt: skip
        foot = row(
            *left, None, self.note, self.pause_button, self.cancel_button, *right, self.go_button,
            gap=2, margins=(5, 0, 5, 0),
        )  # fmt: skip
        self._middle = area(column(self.became, self.request, gap=0), "base")
        parts = column(
            self._head, self.grid, bar, self._middle, facts, self.approval, self.outcome,
            area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0,
        )  # fmt: skip
        parts.setStretch(1, 2)
        parts.setStretch(3, 3)
        self.setLayout(parts)
        room = self.screen().availableSize()
        is_low = room.height() < px(LOW_SCREEN)
        self.grid.setMinimumHeight((1 if is_low else 3) * metrics().row + metrics().bar)
        self.request.setMinimumHeight((2 if is_low else 5) * metrics().line)
        self.show_state()  # first: what is hidden takes no room
        self.resize(min(px(880), round(0.95 * room.width())), min(px(680), round(0.92 * room.height())))
        self.grid.selectionModel().currentRowChanged.connect(self._current_changed)
        self.approval.changed.connect(self.show_state)
        self.pause_button.clicked.connect(self._pause_or_go_on)
        self.cancel_button.clicked.connect(self.reject)
        self.go_button.clicked.connect(self.go)
        self.approval.field.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.make_room()

    def make_room(self) -> None:
        """Wrapped words need their height at this width: without it they would be cut."""
        layout = self.layout()
        if layout is not None:
            room = round(0.95 * self.screen().availableSize().height())
            self.setMinimumHeight(min(layout.totalMinimumHeightForWidth(self.width()), room))

    # -- what a subclass says

    def new_rows(self, columns: Sequence[Column]) -> RowsModel:
        return RowsModel(columns, self)

    def update_at(self, at: int) -> GuardedWrite | None:
        """What a row writes."""
        raise NotImplementedError

    def request_at(self, at: int) -> Mapping[str, object] | None:
        """The request of a row, as it is sent."""
        update = self.update_at(at)
        return None if update is None else request_json(update)

    def request_words(self, at: int, count: int) -> str:
        return f"Request {at + 1:,} of {count:,}, exactly as sent"

    @property
    def is_approved(self) -> bool:
        return bool(self.approval.approved)

    def result_at(self, at: int) -> str:
        """What became of a row, in sentences; "" as long as nothing did."""
        raise NotImplementedError

    def go(self) -> None:
        """Write."""
        raise NotImplementedError

    # -- rows

    def set_rows(self, rows: Sequence[Row]) -> None:
        self.rows.set_rows(rows)
        if rows:
            self.grid.setCurrentIndex(self.rows.index(0, 0))

    @property
    def current(self) -> int:
        return self.grid.currentIndex().row()

    @Slot()
    def _current_changed(self) -> None:
        self.show_current()

    def show_current(self) -> None:
        at, count = self.current, self.rows.rowCount()
        request = self.request_at(at) if at >= 0 else None
        self.request_title.setText("No request" if request is None else self.request_words(at, count))
        self.request.setPlainText("" if request is None else json_lines(request))
        words = self.result_at(at) if at >= 0 else ""
        self.became.setText(visible(words))
        self.became.setVisible(bool(words))

    @Slot()
    def _copy_request(self) -> None:
        QGuiApplication.clipboard().setText(self.request.toPlainText())

    # -- state

    @property
    def state(self) -> State:
        return self._state

    @property
    def job(self) -> Job | None:
        return self._job

    @property
    def refusal(self) -> str:
        """Why nothing can be written; "": it can."""
        return self._refusal

    def refuse(self, why: str) -> None:
        self._refusal = why
        if why:
            is_locked = why == self._access.refusal
            buttons = allow_buttons(self._access, self, self._allowed) if is_locked else []
            self.outcome.show_end("lock", "Nothing can be applied", why, *buttons)
        else:
            self.outcome.clear()
        self.show_state()

    @Slot()
    def _allowed(self) -> None:
        self.refuse("")
        if self.approval.isVisible():
            self.approval.field.setFocus()

    @Slot()
    def show_state(self) -> None:
        is_ready = self._state == "asking" and not self._refusal and self.is_approved
        self.go_button.setEnabled(is_ready)
        self.go_button.setDefault(is_ready)  # filled once it does what it says
        self.go_button.setVisible(self._state == "asking")
        self.approval.setVisible(self._state == "asking" and not self._refusal)
        self.pause_button.setVisible(self._state == "running")
        self.cancel_button.setText({"asking": "Cancel", "running": "Stop", "over": "Close"}[self._state])
        self.cancel_button.setAccessibleName(self.cancel_button.text())

    def start(self, work: Callable[[Ticket], Result], title: str, over: Callable[[Result], object]) -> Job:
        """Run `work`; `over`, a bound method, is handed its result and shows what came of it."""
        self._state = "running"
        self.outcome.show_running(f"{title}…")
        self._job = self._runner.start(work, title=title, done=self._done, failed=self._failed)
        self._job.succeeded.connect(over)
        self._job.progressed.connect(self._progressed)
        self._job.cancelled.connect(self._cancelled)
        self._job.ended.connect(self._ended)
        self.show_state()
        self.cancel_button.setFocus()
        return self._job

    def progress_words(self, progress: Progress) -> str:
        of = f"{progress.done:,} of {progress.total:,}" if progress.total else ""
        return " · ".join(part for part in (progress.note, of) if part)

    @Slot(object)
    def _done(self, _result: object) -> None:
        self._job = None
        self._state = "over"
        self.outcome.clear()

    @Slot()
    def _ended(self) -> None:
        self.show_state()
        self.show_current()
        (self.approval.field if self._state == "asking" else self.cancel_button).setFocus()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._job = None
        self._state = "asking"
        self.outcome.show_error(error)

    @Slot()
    def _cancelled(self) -> None:
        self._job = None
        self._state = "asking"
        self.outcome.clear()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if self._job is not None and not self._job.stopping and not self._job.paused:
            self.outcome.show_running(self.progress_words(progress))

    @Slot()
    def _pause_or_go_on(self) -> None:
        if self._job is None:
            return
        (self._job.resume if self._job.paused else self._job.pause)()
        paused = self._job.paused
        self.pause_button.setText("Go on" if paused else "Pause")
        self.pause_button.setAccessibleName(self.pause_button.text())
        self.outcome.show_running("Paused: nothing more is read or written until you go on." if paused else "Going on…")

    def reject(self) -> None:
        """Esc stops what runs; the next one closes the dialog."""
        if self._job is None:
            super().reject()
        elif not self._job.stopping:
            self._job.cancel()
            self.outcome.show_running("Stopping: what is on its way is brought to its end first…")


def json_lines(content: Mapping[str, object]) -> str:
    """JSON as a person reads it: one member a line, what is short within on one. Unseen characters are escapes."""
    members = [f"  {json_text(name)}: {json_text(value)}" for name, value in content.items()]
    return "{\n" + ",\n".join(members) + "\n}"
