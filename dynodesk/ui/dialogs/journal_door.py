"""The journal of a connection, opened, and what takes back the writes that were chosen in it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from dynodesk.domain.edits import Edit
from dynodesk.reconcile.ledger import LoggedWrite
from dynodesk.ui.actions import Action, make
from dynodesk.ui.asking import Asker
from dynodesk.ui.dialogs.commit import CommitDialog
from dynodesk.ui.dialogs.commit_work import EditTools, PlannedCommit, plan_edits, plan_undo
from dynodesk.ui.dialogs.journal import JournalDialog
from dynodesk.ui.dialogs.repair_work import RepairTools
from dynodesk.ui.dialogs.undo import UndoDialog
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.staging import Staging

JOURNAL = Action("edit-journal", "Journal…", "Every write that was made, and the way back.", "Ctrl+J", "book")


class JournalDoor(QObject):
    """The dialogs are the page's window's."""

    def __init__(
        self,
        page: QWidget,
        staging: Staging,
        edits: EditTools,
        repairs: RepairTools,
        runner: JobRunner,
        asker: Asker,
        messages: MessageBar,
    ) -> None:
        super().__init__(page)
        self._staging, self._edits, self._repairs = staging, edits, repairs
        self._runner, self._asker, self._messages = runner, asker, messages
        make(JOURNAL, page, self.open)

    @property
    def _window(self) -> QWidget:
        """Not kept: page and part would keep each other for ever."""
        return cast(QWidget, self.parent()).window()

    @Slot()
    def open(self) -> None:
        dialog = JournalDialog(
            self._edits.journal(), self._edits.place, self._runner, self._asker, self._window, undoes_edits=True
        )
        dialog.undo_asked.connect(self._undo_repairs)
        dialog.undo_edits_asked.connect(self.undo_edits)
        dialog.open()

    @Slot(object)
    def undo_edits(self, ids: tuple[str, ...]) -> None:
        """Take back commits, or single writes of them."""
        self._runner.start(
            partial(plan_undo, self._edits, ids),
            title="Plan the undo",
            done=self.show_plan,
            failed=self._messages.show_error,
        )

    @Slot(object)
    def commit_edits(self, edits: Sequence[Edit]) -> Job:
        """Show the requests of staged edits, once they are planned."""
        return self._runner.start(
            partial(plan_edits, self._edits, edits),
            title="Plan the commit",
            done=self.show_plan,
            failed=self._messages.show_error,
        )

    @Slot(object)
    def show_plan(self, planned: PlannedCommit) -> None:
        dialog = CommitDialog(planned, self._staging, self._edits, self._runner, self._window)
        dialog.undo_asked.connect(self.undo_edits)
        dialog.journal_asked.connect(self.open)
        dialog.again_asked.connect(self.commit_edits)
        dialog.open()

    @Slot(object)
    def _undo_repairs(self, repairs: tuple[LoggedWrite, ...]) -> None:
        UndoDialog(repairs, self._repairs, self._runner, self._window).open()
