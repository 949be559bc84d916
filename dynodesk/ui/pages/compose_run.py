"""Composed requests on their way: run, sent again with their token, looked at; and what that says of each action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from dynodesk.composing import words
from dynodesk.composing.desk import RequestDesk
from dynodesk.composing.rehearsal import Rehearsal
from dynodesk.composing.running import RunReport
from dynodesk.domain.access import Access
from dynodesk.domain.actions import Action, ComposedRequest, GetAction, SingleWrite, TransactWrite, actions_of
from dynodesk.domain.composed import ActionReason, Refused
from dynodesk.domain.composition import Draft
from dynodesk.domain.expressions.conditions import Exists
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.tallies import TallyRule
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.pages.compose_rows import Verdict

Told = Callable[[str], object]
Work = Callable[[RequestDesk, Ticket, Told], RunReport]


@dataclass(frozen=True, slots=True)
class ComposeTools:
    """What it takes to run requests at one connection."""

    access: Access
    place: Place
    desk: Callable[[], RequestDesk]
    """Slow when it is first called: for worker threads."""
    rehearse: Callable[[SingleWrite | TransactWrite, Ticket], Rehearsal]
    """The same."""
    open_draft: Callable[[Draft, str], object]
    """Opens a page of its own for a draft, under a name; "" leaves the name to the page."""
    rules: Callable[[], Sequence[TallyRule]]
    """Those of the rules file that was opened last at the connection."""

    @property
    def profile(self) -> Profile:
        return self.access.profile


class RequestRuns(QObject):
    """One at a time."""

    told = Signal(str)
    """What is going on, in words."""
    ended = Signal(object)
    """The `RunReport`."""
    failed = Signal(object)
    """What kept it from being sent."""
    changed = Signal()
    """It runs now, or does not any more."""

    def __init__(self, tools: ComposeTools, runner: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._tools, self._runner = tools, runner
        self._job: Job | None = None

    @property
    def is_running(self) -> bool:
        return self._job is not None

    def run(self, request: ComposedRequest) -> None:
        self._start(f"Run {request.operation}", partial(_run, request))

    def send_again(self, report: RunReport) -> None:
        self._start(f"Send {report.request.operation} again", partial(_again, report))

    def look(self, report: RunReport) -> None:
        self._start("Look at the items", partial(_look, report))

    @Slot()
    def stop(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _start(self, title: str, work: Work) -> None:
        if self._job is not None:
            return
        whole = partial(_work, self._tools.desk, work, self.told.emit)
        self._job = self._runner.start(whole, title=title, done=self._done, failed=self._not_done)
        self._job.cancelled.connect(self._cancelled)
        self.changed.emit()

    @Slot(object)
    def _done(self, report: RunReport) -> None:
        self._job = None
        self.ended.emit(report)
        self.changed.emit()

    @Slot(object)
    def _not_done(self, error: BaseException) -> None:
        self._job = None
        self.failed.emit(error)
        self.changed.emit()

    @Slot()
    def _cancelled(self) -> None:
        self._job = None
        self.told.emit("Stopped before anything was sent.")
        self.changed.emit()


def _work(desk: Callable[[], RequestDesk], work: Work, told: Told, ticket: Ticket) -> RunReport:
    return work(desk(), ticket, told)


def _run(request: ComposedRequest, desk: RequestDesk, ticket: Ticket, told: Told) -> RunReport:
    return desk.run(request, ticket, told)


def _again(report: RunReport, desk: RequestDesk, ticket: Ticket, told: Told) -> RunReport:
    return desk.send_again(report, ticket, told)


def _look(report: RunReport, desk: RequestDesk, ticket: Ticket, _told: Told) -> RunReport:
    return desk.look(report, ticket)


def verdicts_of(report: RunReport) -> dict[int, Verdict]:
    """What a run made of each action, by its number; nothing where that is not known."""
    actions = actions_of(report.request)
    match report.result, report.outcome:
        case Refused(reasons), _:
            pairs = zip(actions, reasons, strict=False)
            return {at: _verdict(action, reason) for at, (action, reason) in enumerate(pairs)}
        case _, "done":
            return {at: Verdict("done") for at in range(len(actions))}
        case _:
            return {}


def _verdict(action: Action, reason: ActionReason) -> Verdict:
    if reason.code == "None":
        return Verdict("not evaluated", "not evaluated", of_condition=True)
    if reason.code != "ConditionalCheckFailed":
        return Verdict("failed", f"failed: {words.meaning(reason.code)}")
    return Verdict("failed", f"failed: {_why(action, reason)}", of_condition=True)


def _why(action: Action, reason: ActionReason) -> str:
    condition = None if isinstance(action, GetAction) else action.condition
    if isinstance(condition, Exists) and not condition.wanted:
        return "the item exists" if reason.found is not None else "it is there"
    if reason.found is None:
        return "there is no such item" if isinstance(condition, Exists) else "its condition does not hold"
    return next(words.why_words(condition, reason.found), "its condition does not hold")
