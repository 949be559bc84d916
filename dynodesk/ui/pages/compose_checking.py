"""Checks of the request while it is typed: at once where that is quick, and shown at their places and in the list."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from dynodesk.domain.cells import visible
from dynodesk.domain.composition import ActionRemark, CheckedDraft, Draft, check_draft
from dynodesk.domain.drafts import STATEMENTS
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.compose_checks import Check, ChecksPanel, sentence
from dynodesk.ui.pages.compose_model import ActionsModel
from dynodesk.ui.pages.compose_panel import ActionsPanel
from dynodesk.ui.pages.compose_tables import KnownTables
from dynodesk.ui.pages.compose_units import Totals, totals_of

PAUSE = 40
"""Milliseconds without a key before the request is checked."""
SLOW = 0.012
"""Seconds that a check may take before the next one is made in the background: less than a frame."""


class Checking(QObject):
    begun = Signal(object)
    """The `Draft` as it stands is being checked."""
    checked = Signal()
    """`found` and `totals` are of the draft as it stands."""

    def __init__(
        self,
        draft: Callable[[], Draft],
        panel: ActionsPanel,
        model: ActionsModel,
        known: KnownTables,
        checks: ChecksPanel,
        runner: JobRunner,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._draft, self._panel, self._model = draft, panel, model
        self._known, self._checks, self._runner = known, checks, runner
        self._number = self._shown = 0
        """Of the check that was begun last, and of the one that is shown."""
        self._is_slow = False
        self.found: CheckedDraft | None = None
        self.totals = Totals("")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE)
        self._timer.timeout.connect(self.check)
        model.edited.connect(self.check_soon)
        panel.statements.changed.connect(self.check_soon)
        panel.consistent.toggled.connect(self.check_soon)
        checks.place_asked.connect(self.go_to)

    @property
    def is_waiting(self) -> bool:
        """Whether something was typed that is not checked yet."""
        return self._timer.isActive() or self._shown != self._number

    @Slot()
    def check_soon(self) -> None:
        self._timer.start()

    @Slot()
    def check(self) -> None:
        """Say what there is to say of the request as it stands."""
        self._timer.stop()
        draft = self._draft()
        self._number += 1
        for action in draft.actions:
            self._known.ask(action.table)
        self.begun.emit(draft)
        work = partial(_check, self._number, draft, dict(self._known.infos), self._known.items)
        if self._is_slow:
            self._runner.start(work, title="Check the request", done=self._take, quiet=True)
        else:
            self._take(work(Ticket()))

    def check_now(self) -> None:
        """The same, and do not return before it is said."""
        self._is_slow = False
        self.check()

    @Slot(object)
    def _take(self, result: tuple[int, CheckedDraft, float]) -> None:
        number, checked, seconds = result
        self._is_slow = seconds > SLOW
        if number != self._number:
            return  # something was typed since
        self._shown = number
        remarks = tuple(one for one in checked.remarks if not self._is_of_waiting(one))
        problems = self._problems(checked.draft)
        self.found = replace(checked, remarks=remarks, request=None if problems else checked.request)
        self.totals = totals_of(self.found, self._known)
        if checked.draft.operation in STATEMENTS:
            self._panel.statements.show_remarks(remarks)
        else:
            self._model.show_remarks(remarks)
            self._model.show_units(self.totals.of_actions)
        self._panel.show_totals(self.totals)
        oks = [Check("ok", words) for words in checked.oks]
        self._checks.show_checks([*problems, *_remarks(self.found), *self._notes(), *oks])
        self.checked.emit()

    # -- what is said

    def _problems(self, draft: Draft) -> list[Check]:
        """Texts that are no values yet."""
        if draft.operation in STATEMENTS:
            return [Check("error", words, action=at) for at, words in self._panel.statements.problems]
        return [
            Check("error", visible(words), action=self._model.action_at(index), row=index.row())
            for index, words in self._model.problems
        ]

    def _is_of_waiting(self, one: ActionRemark) -> bool:
        """Whether it is said only because a table is not described yet."""
        if one.remark.part != "TableName" or one.action is None or one.action >= len(self._model.actions):
            return False
        return self._known.is_waiting(self._model.actions[one.action].table)

    def _notes(self) -> list[Check]:
        """What is not known yet."""
        tables = dict.fromkeys(action.table for action in self._model.actions)
        notes = [Check("note", f"{visible(one)} is being described.") for one in tables if self._known.is_waiting(one)]
        if self.totals.of_actions and not self.totals.is_known:
            notes.append(Check("note", "Units depend on the items as they are. F5 reads them."))
        return notes

    @Slot(object)
    def go_to(self, check: Check) -> None:
        """To the place that a check is about."""
        one = check.remark
        at = one.action if one is not None else check.action
        tree, actions = self._panel.tree, self._model.actions
        if at is None:
            return
        if self.found is not None and self.found.draft.operation in STATEMENTS:
            self._panel.statements.go_to(at, 0 if one is None else one.remark.span.offset)
        elif at >= len(actions):
            return
        elif one is None:
            tree.go_to(at, None if check.row is None else actions[at].parts[check.row])
        elif one.remark.part == "TableName":
            tree.go_to(at, None)
            self._panel.table.setFocus()
        else:
            part, remark = actions[at].place(one)
            tree.go_to(at, part, remark.span)


def _remarks(checked: CheckedDraft) -> list[Check]:
    """Of a request that nothing was put into yet the page says what to do: that is no mistake."""
    if not checked.draft.actions and not checked.draft.statements:
        return []
    many = len(checked.draft.actions) > 1 or len(checked.draft.statements) > 1
    found = []
    for one in checked.remarks:
        lead = f"{one.action + 1}: " if many and one.action is not None else ""
        found.append(Check("error" if one.remark.severity == "error" else "note", lead + sentence(one.remark), one))
    return found


def _check(
    number: int, draft: Draft, tables: Mapping[str, TableInfo], items: Mapping[str, Sequence[Item]], _ticket: Ticket
) -> tuple[int, CheckedDraft, float]:
    began = time.perf_counter()
    checked = check_draft(draft, tables, items)
    return number, checked, time.perf_counter() - began
