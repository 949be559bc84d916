"""Repairs from the Reconcile page: findings planned, and the dialogs that apply, undo and show the journal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from dynodesk.domain.findings import Finding, Report
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place, RulesText
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.ledger import LoggedWrite
from dynodesk.reconcile.planning import why_not
from dynodesk.store.journal import Journal
from dynodesk.ui.actions import Action, make
from dynodesk.ui.asking import Asker
from dynodesk.ui.dialogs.journal import JournalDialog
from dynodesk.ui.dialogs.repair import RepairDialog
from dynodesk.ui.dialogs.repair_work import Planned, RepairTools, plan_repairs, read_journal
from dynodesk.ui.dialogs.undo import UndoDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages.reconcile_rules import window_of

PLAN = Action(
    "plan-repair", "Plan repair…", "Make a plan for the chosen findings. Nothing is written yet.", "Ctrl+E", "wrench"
)
PLAN_ALL = Action(
    "plan-all-repairs", "Plan all repairs…", "Make a plan for everything that can be repaired.", "", "wrench"
)
JOURNAL = Action("journal", "Journal…", "Every write that was made, and the way back.", "Ctrl+J", "book")
LOOKED_AT = 1_000
"""Chosen findings that are looked at to say how many can be repaired; the plan looks at all of them."""


@dataclass(frozen=True, slots=True)
class Found:
    """A run that is over: what repairs are planned from."""

    report: Report
    rules: tuple[TallyRule, ...]
    source: RulesText


class Repairs(QObject):
    """The actions are the page's; the dialogs are its window's."""

    run_asked = Signal()

    def __init__(
        self, page: QWidget, tools: RepairTools, place: Place, runner: JobRunner, asker: Asker, messages: MessageBar
    ) -> None:
        super().__init__(page)
        self._tools, self._place = tools, place
        self._runner, self._asker, self._messages = runner, asker, messages
        self._found: Found | None = None
        self._chosen: Sequence[Finding] = ()
        self._is_planning = False
        self.plan_action = make(PLAN, page, self._plan_chosen)
        self.plan_all_action = make(PLAN_ALL, page, self._plan_all)
        self.journal_action = make(JOURNAL, page, self.show_journal)
        self._show_state()

    def set_found(self, found: Found | None) -> None:
        """None: another run, whose findings are still to be chosen from."""
        self._found = found
        if found is None:
            self._chosen = ()
        self._show_state()

    def set_chosen(self, findings: Sequence[Finding]) -> None:
        self._chosen = findings
        self._show_state()

    def why_not(self, finding: Finding) -> str:
        """Why a finding of the run cannot be repaired; "" where it can."""
        if self._found is None:
            return "the run is not over"
        return why_not(finding, self.rule(finding.rule))

    def rule(self, name: str) -> TallyRule:
        """Of the run that is over. Raises `KeyError` where it has none of this name."""
        return {rule.name: rule for rule in (self._found.rules if self._found else ())}[name]

    def _show_state(self) -> None:
        reasons = [self.why_not(finding) for finding in self._chosen[:LOOKED_AT]]
        number = reasons.count("")
        self.plan_action.setEnabled(bool(number) and not self._is_planning)
        self.plan_all_action.setEnabled(self._found is not None and not self._is_planning)
        many = "repairs" if len(self._chosen) > LOOKED_AT else f"{number:,} repairs"
        self.plan_action.setText(f"Plan {many}…" if number > 1 else PLAN.text)
        tip = f"{PLAN.tip} {PLAN.shortcut}"
        if reasons and not number:
            tip = f"It cannot be repaired: {reasons[0]}."
        elif self._tools.access.setting_refusal:
            tip = f"{tip}. {self._tools.profile.name} is read-only: the plan can be saved, and not applied."
        self.plan_action.setToolTip(tip)
        self.plan_action.setStatusTip(tip)

    # -- plan, and apply

    @Slot()
    def _plan_chosen(self) -> None:
        self._plan(self._chosen)

    @Slot()
    def _plan_all(self) -> None:
        if self._found is not None:
            self._plan(self._found.report.findings)

    def _plan(self, findings: Collection[Finding]) -> None:
        found = self._found
        if found is None:
            return
        self._is_planning = True
        self._show_state()
        job = self._runner.start(
            partial(plan_repairs, self._tools, found.report, findings, found.rules, found.source),
            title="Plan repairs",
            done=self._show_plan,
            failed=self._messages.show_error,
        )
        job.ended.connect(self._planned)

    @Slot()
    def _planned(self) -> None:
        self._is_planning = False
        self._show_state()

    @Slot(object)
    def _show_plan(self, planned: Planned) -> None:
        dialog = RepairDialog(planned, self._tools, self._runner, self._asker, window_of(self))
        dialog.run_asked.connect(self.run_asked)
        dialog.undo_asked.connect(self._undo_repairs)
        dialog.journal_asked.connect(self.show_journal)
        dialog.open()

    # -- back

    @Slot()
    def show_journal(self) -> None:
        dialog = JournalDialog(self._tools.journal(), self._place, self._runner, self._asker, window_of(self))
        dialog.undo_asked.connect(self._show_undo)
        dialog.open()

    @Slot(object)
    def _undo_repairs(self, ids: tuple[str, ...]) -> None:
        self._runner.start(
            partial(_logged, self._tools.journal(), ids),
            title="Read the journal",
            done=self._show_undo,
            failed=self._messages.show_error,
        )

    @Slot(object)
    def _show_undo(self, repairs: tuple[LoggedWrite, ...]) -> None:
        dialog = UndoDialog(repairs, self._tools, self._runner, window_of(self))
        dialog.run_asked.connect(self.run_asked)
        dialog.open()


def _logged(journal: Journal, ids: tuple[str, ...], ticket: Ticket) -> tuple[LoggedWrite, ...]:
    writes = read_journal(journal, ticket).ledger.writes
    return tuple(writes[repair_id] for repair_id in ids)
