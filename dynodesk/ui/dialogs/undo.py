"""The dialog that takes repairs back: what each gives its tally again, on condition of what, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.findings import signed
from dynodesk.domain.writes import GuardedUpdate
from dynodesk.reconcile.ledger import LoggedWrite
from dynodesk.reconcile.undo import UndoOutcome, UndoResult, undo_update
from dynodesk.ui.dialogs import repair_work as work
from dynodesk.ui.dialogs.approval import Approval
from dynodesk.ui.dialogs.repair_rows import condition_words
from dynodesk.ui.dialogs.repair_work import RepairTools, Undone
from dynodesk.ui.dialogs.writing import WritesDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.reconcile_rows import Column
from dynodesk.ui.theme import Cell, Row, Text
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import area, column

COLUMNS = (
    Column("Repaired (UTC)", 168),
    Column("Parent", 160),
    Column("Rule", 100),
    Column("Back", 66, right=True),
    Column("Outcome", 100),
    Column("Only if", 200),
)
INKS: dict[UndoOutcome, str] = {"undone": "ok", "not undone": "warn", "unknown": "slate"}
MEANINGS: dict[UndoOutcome, str] = {
    "undone": "What the repair took from the tally was given back, once.",
    "not undone": "Nothing was written.",
    "unknown": "Whether it was written could not be found out yet.",
}
SAYS = (
    "The tally gets back what the repair took. With the repair's marker that is right however often it was written "
    "since; without one it is done only if nobody wrote the parent."
)


class UndoDialog(WritesDialog):
    """For repairs that the journal says were made at this connection. Used once."""

    run_asked = Signal()
    """To look again at what is off now. The dialog is closed by then."""

    def __init__(
        self, repairs: Sequence[LoggedWrite], tools: RepairTools, runner: JobRunner, window: QWidget | None = None
    ) -> None:
        self._repairs, self._tools = tuple(repairs), tools
        self.results: dict[str, UndoResult] = {}
        tables = sorted({repair.update.table for repair in repairs})
        number = "1 repair" if len(repairs) == 1 else f"{len(repairs):,} repairs"
        approval = Approval(tables, is_production=tools.profile.stage == "production")
        title = f"Undo {number} in {', '.join(tables)}"
        super().__init__(title, SAYS, tools.access, approval, COLUMNS, f"Undo {number}", runner, window)
        self.again_button = button("Run again", "play")
        self.again_button.clicked.connect(self._run_again)
        told = Text("Each is written to the journal before it is sent, and sent once.", "text2", wrap=True)
        self.arrange(area(column(told, margins=(5, 2, 5, 2)), "window", "t"), (), (self.again_button,))
        self.set_rows([_row(repair, None) for repair in self._repairs])
        self.refuse(tools.access.refusal)

    def update_at(self, at: int) -> GuardedUpdate | None:
        return undo_update(self._repairs[at])

    def result_at(self, at: int) -> str:
        result = self.results.get(self._repairs[at].id)
        if result is None:
            return ""
        reason = f" {result.reason[0].upper()}{result.reason[1:]}." if result.reason else ""
        return f"{result.outcome.capitalize()}. {MEANINGS[result.outcome]}{reason}"

    @Slot()
    def go(self) -> None:
        ids = [repair.id for repair in self._repairs]
        taken_back = partial(work.undo_repairs, self._tools, ids, self.approval.approved)
        self.start(taken_back, "Undo", self._show_end)

    def _show_end(self, undone: Undone) -> None:
        self.results = {result.repair.id: result for result in undone.results}
        for at, repair in enumerate(self._repairs):
            self.rows.set_row(at, _row(repair, self.results.get(repair.id)))
        number = sum(result.outcome == "undone" for result in undone.results)
        is_done = number == len(self._repairs)
        words = f"{number:,} of {len(self._repairs):,} undone"
        self.outcome.show_end("pass" if is_done else "warning", words, work.resolved_words(undone.resolved))

    @Slot()
    def show_state(self) -> None:
        super().show_state()
        self.again_button.setVisible(self.state == "over")
        self.again_button.setDefault(self.state == "over")

    @Slot()
    def _run_again(self) -> None:
        self.accept()
        self.run_asked.emit()


def _row(repair: LoggedWrite, result: UndoResult | None) -> Row:
    return Row(
        (
            Cell(repair.at[:19].replace("T", " "), "S"),
            Cell(visible(repair.parent_text), "S"),
            Cell(visible(repair.rule), "text", ink="text2"),
            Cell(signed(repair.drift.value), "N"),
            Cell("", "text") if result is None else Cell(result.outcome, "text", ink=INKS[result.outcome]),
            Cell(visible(condition_words(undo_update(repair))), "S", ink="text2"),
        )
    )
