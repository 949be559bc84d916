"""The frame of dialogs that make, change and delete tables: the request, the approval, the sending and the waiting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDialog, QWidget

from dynodesk.domain.access import Access
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Progress
from dynodesk.domain.table_changes import TableChange, operation, request
from dynodesk.domain.table_work import TableHands, Tables, describe_change, done_words
from dynodesk.ui.dialogs.allow_writes import allow_buttons
from dynodesk.ui.dialogs.approval import Approval
from dynodesk.ui.dialogs.outcome import Outcome
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.theme import Text, metrics, px
from dynodesk.ui.widgets.connection_bar import STAGES
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import area, column, row
from dynodesk.ui.widgets.marks import Chip
from dynodesk.ui.widgets.request_view import RequestView

State = Literal["asking", "sending", "waiting", "over"]


@dataclass(frozen=True, slots=True)
class TableTools:
    """What tables of a connection are looked at and changed with."""

    access: Access
    tables: Tables
    hands: Callable[[], TableHands]

    @property
    def profile(self) -> Profile:
        return self.access.profile

    @property
    def refusal(self) -> str:
        """Why nothing can be changed here however much it is allowed; "": it can be."""
        return self.access.setting_refusal


class TableChangeDialog(QDialog):
    """Asks, sends, waits. Nothing is sent before the person has said so.

    Show it with `show`: an index may be filled for hours, and the window goes on working meanwhile.
    """

    taken = Signal(object)
    """The `TableChange` that the service has accepted. It may take its time to make it."""
    settled = Signal(object)
    """The same once it is made, or once nobody waits for it any more."""

    def __init__(
        self,
        title: str,
        says: str,
        tools: TableTools,
        runner: JobRunner,
        window: QWidget | None,
        go: str,
        *,
        approval: Approval | None = None,
    ) -> None:
        """`go` is the word on the button that sends. With an approval that is given first."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._tools, self._runner = tools, runner
        self._state: State = "asking"
        self._job: Job | None = None
        self._sent: TableChange | None = None
        self._refusal = tools.access.refusal
        self.approval = approval
        self.request = RequestView("Request, exactly as sent")
        self.outcome = Outcome()
        self.cancel_button = button("Cancel", keys="Esc")
        self.go_button = button(go, "trash" if approval else "add", tone="danger" if approval else "")
        word, glyph, solid, ink = STAGES[tools.profile.stage]
        heading = row(
            Text(title, size="title", weight="semibold"), None, Text(tools.profile.name, "text2"),
            Chip(word, glyph, solid, ink), gap=2,
        )  # fmt: skip
        self._head = area(column(heading, Text(says, "text2", wrap=True), gap=1.5, margins=(5, 4, 5, 3)), "window", "b")

    def arrange(self, content: QWidget, width: int, height: int) -> None:
        """`content` holds the request; the size is that at the usual text size."""
        foot = row(None, self.cancel_button, self.go_button, gap=2, margins=(5, 0, 5, 0))
        parts = column(
            self._head, content, *([self.approval] if self.approval else []), self.outcome,
            area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0,
        )  # fmt: skip
        parts.setStretch(1, 1)
        self.setLayout(parts)
        room = self.screen().availableSize()
        self.resize(min(px(width), round(0.95 * room.width())), min(px(height), round(0.92 * room.height())))
        if self.approval is not None:
            self.approval.changed.connect(self.show_state)
        self.cancel_button.clicked.connect(self.reject)
        self.go_button.clicked.connect(self.go)
        if self._refusal:
            self.refuse(self._refusal)
        self.show_state()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrapped words need their height at this width: without it they would be cut."""
        super().resizeEvent(event)
        layout = self.layout()
        if layout is not None:
            room = round(0.95 * self.screen().availableSize().height())
            self.setMinimumHeight(min(layout.totalMinimumHeightForWidth(event.size().width()), room))

    # -- what a subclass says

    def change(self) -> TableChange | None:
        """What is to be sent, as far as it is filled in; None where that is not enough."""
        raise NotImplementedError

    def may_send(self) -> bool:
        """Asked when the person wants to send: shows what is missing."""
        return True

    # -- state

    @property
    def state(self) -> State:
        return self._state

    @property
    def refusal(self) -> str:
        """Why nothing can be sent; "": it can."""
        return self._refusal

    def refuse(self, why: str) -> None:
        """Nothing can be sent; "": it can."""
        self._refusal = why
        if why:
            access = self._tools.access
            buttons = allow_buttons(access, self, self._allowed) if why == access.refusal else []
            self.outcome.show_end("lock", "Nothing can be changed", why, *buttons)
        else:
            self.outcome.clear()
        self.show_state()

    @Slot()
    def _allowed(self) -> None:
        self.refuse("")

    @Slot()
    def show_state(self) -> None:
        is_asking = self._state == "asking"
        approved = self.approval is None or bool(self.approval.approved)
        is_ready = is_asking and not self._refusal and approved
        self.go_button.setEnabled(is_ready)
        self.go_button.setDefault(is_ready)
        self.go_button.setVisible(is_asking)
        if self.approval is not None:
            self.approval.setVisible(is_asking and not self._refusal)
        words: dict[State, str] = {"asking": "Cancel", "sending": "Cancel", "waiting": "Stop waiting", "over": "Close"}
        self.cancel_button.setText(words[self._state])
        self.cancel_button.setAccessibleName(words[self._state])
        self.cancel_button.setDefault(self._state == "over")

    def show_change(self) -> None:
        """Call when what is to be sent has changed."""
        change = self.change()
        if change is None:
            self.request.show_nothing("Nothing to send yet.")
        else:
            self.request.show_request(operation(change), request(change))

    # -- sending and waiting

    @Slot()
    def go(self) -> None:
        change = self.change() if self._state == "asking" and not self._refusal and self.may_send() else None
        if change is None:
            return
        self._sent = change
        self._state = "sending"
        self.outcome.show_running("Noting the request in the journal…")
        work = partial(self._tools.hands().carry_out, change)
        self._job = self._runner.start(work, title=describe_change(change), done=self._taken, failed=self._failed)
        self._job.progressed.connect(self._progressed)
        self._job.cancelled.connect(self._not_sent)
        self.show_state()
        self.cancel_button.setFocus()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        """Nothing more is sent from here where it is not known what came of it."""
        self._job = None
        is_unsent = isinstance(error, DynodeskError) and error.written == "nothing"
        self._state = "asking" if is_unsent else "over"
        self.outcome.show_error(error)
        self.show_state()
        if self._state == "over":
            self.taken.emit(self._sent)

    @Slot()
    def _not_sent(self) -> None:
        self._job = None
        self._state = "asking"
        self.outcome.clear()
        self.show_state()

    @Slot(object)
    def _taken(self, _result: None) -> None:
        self._state = "waiting"
        self.outcome.show_running("Accepted. Waiting for it to be done…")
        self.taken.emit(self._sent)
        if self._sent is None:
            return
        work = partial(self._tools.hands().wait, self._sent)
        title = f"Wait: {describe_change(self._sent)}"
        self._job = self._runner.start(work, title=title, done=self._made, failed=self._wait_failed)
        self._job.progressed.connect(self._progressed)
        self._job.cancelled.connect(self._not_waited)
        self.show_state()

    @Slot(object)
    def _made(self, _found: object) -> None:
        self._over()
        self.outcome.show_end("pass", "Done", f"{self._done_words} It is in the journal.")
        self.settled.emit(self._sent)

    @Slot(object)
    def _wait_failed(self, error: BaseException) -> None:
        self._over()
        self.outcome.show_error(error)
        self.settled.emit(self._sent)

    @Slot()
    def _not_waited(self) -> None:
        self._over()
        self.outcome.show_end(
            "warning", "Accepted, and not waited for", "The service goes on with it. Refresh the tables to see it."
        )
        self.settled.emit(self._sent)

    def _over(self) -> None:
        self._job = None
        self._state = "over"
        self.show_state()
        self.cancel_button.setFocus()

    @property
    def _done_words(self) -> str:
        return "" if self._sent is None else done_words(self._sent)

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if self._job is not None and not self._job.stopping and progress.note:
            self.outcome.show_running(progress.note)

    def reject(self) -> None:
        """Esc stops what runs; the next one closes the dialog."""
        if self._job is None:
            super().reject()
        elif not self._job.stopping:
            self._job.cancel()
            if self._state == "sending":
                self.outcome.show_running("Stopping: what is on its way is brought to its end first…")
