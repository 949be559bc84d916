"""A table in memory and all that edits it, with a real journal: dialogs and pages without a server."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from dynodesk.domain.capacity import Meter
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import ReadOnly
from dynodesk.domain.profiles import Profile, Stage
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Item
from dynodesk.domain.writing import Hands
from dynodesk.editing.desk import EditDesk
from dynodesk.store.journal import Journal
from dynodesk.ui.dialogs.bulk import BulkDialog, Rows
from dynodesk.ui.dialogs.commit import CommitDialog
from dynodesk.ui.dialogs.commit_work import EditTools, plan_edits, plan_undo
from dynodesk.ui.dialogs.journal import JournalDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.staging import Staging
from tests.editing.edit_bench import HERE, POSTS, EditBench, MemoryCatalog
from tests.helpers.asking import FakeAsker
from tests.helpers.granted import granted
from tests.helpers.virtual_clock import VirtualClock

AnyDialog = TypeVar("AnyDialog", bound=QDialog)

PATIENCE = 20_000
"""Milliseconds."""


class EditShop:
    def __init__(self, folder: Path, qtbot: QtBot, *items: Item, read_only: bool = False, stage: Stage = "dev") -> None:
        self.bench = EditBench(*items)
        self.journal = Journal(folder)
        self.runner = JobRunner(threads=2)
        self.asker = FakeAsker()
        self.staging = Staging()
        self._dialogs: list[QDialog] = []
        self._read_only, self._qtbot = read_only, qtbot
        profile = Profile("1", "shop", "endpoint", "dummy", stage=stage, read_only=read_only)
        self.tools = EditTools(granted(profile), HERE, self._desk, lambda: self.journal, Meter())

    def _desk(self, _meter: Meter) -> EditDesk:
        bench = self.bench
        hands = Hands(bench.reader, bench.writer, self.journal, VirtualClock(), random.Random(2))
        return EditDesk(HERE, MemoryCatalog(), hands, bench.writer, self.journal, self._held)

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        if self._read_only:
            raise ReadOnly("read-only")
        yield

    # -- dialogs

    def stage(self, *edits: Edit) -> None:
        assert not self.staging.stage_all(edits)

    def open_commit(self) -> CommitDialog:
        """For all that is staged."""
        planned = plan_edits(self.tools, self.staging.edits, Ticket())
        return self._shown(CommitDialog(planned, self.staging, self.tools, self.runner))

    def open_undo(self, ids: Sequence[str]) -> CommitDialog:
        planned = plan_undo(self.tools, ids, Ticket())
        return self._shown(CommitDialog(planned, self.staging, self.tools, self.runner))

    def open_bulk(
        self, selected: Sequence[Item], shown: Sequence[Item], *, whole: bool = True, is_deletion: bool = False
    ) -> BulkDialog:
        rows = Rows(tuple(selected), tuple(shown), whole, is_filtered=False)
        return self._shown(BulkDialog(POSTS, rows, self.staging, self.tools, self.runner, is_deletion))

    def open_journal(self) -> JournalDialog:
        dialog = JournalDialog(self.journal, HERE, self.runner, self.asker, undoes_edits=True)
        self._shown(dialog)
        self.wait_for(dialog.verify_button.isEnabled)
        return dialog

    def _shown(self, dialog: AnyDialog) -> AnyDialog:
        """Dialogs delete themselves when they are closed: `end` closes those that were left open."""
        self._dialogs.append(dialog)
        dialog.open()
        return dialog

    def end(self) -> None:
        for dialog in self._dialogs:
            if isValid(dialog):
                dialog.close()
        assert self.runner.shutdown()
        self.runner.deleteLater()

    def commit_all(self) -> CommitDialog:
        """A dialog whose plan was carried out."""
        dialog = self.open_commit()
        dialog.approval.field.setText("Posts")
        dialog.go_button.click()
        self.wait_for(lambda: dialog.state == "over")
        return dialog

    def wait_for(self, condition: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(condition, timeout=PATIENCE)


def column_of(dialog: CommitDialog | BulkDialog | JournalDialog, column: int) -> list[str]:
    """What the grid says in a column."""
    model = dialog.grid.model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]
