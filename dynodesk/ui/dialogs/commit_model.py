"""The rows of a commit: each planned edit with what became of it, and how those go that go together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject

from dynodesk.domain.batches import MAX_BATCH
from dynodesk.domain.index_writes import all_units
from dynodesk.domain.tables import TableInfo
from dynodesk.editing.committing import EditResult, PlannedEdit
from dynodesk.ui.dialogs.commit_rows import COLUMNS, edit_row
from dynodesk.ui.models.made_rows import MadeRows
from dynodesk.ui.theme import Row


class CommitModel(MadeRows):
    def __init__(
        self, edits: Sequence[PlannedEdit], tables: Mapping[str, TableInfo], parent: QObject | None = None
    ) -> None:
        super().__init__(COLUMNS, parent)
        self._edits, self._tables = edits, tables
        self._places = {planned.id: at for at, planned in enumerate(edits)}
        self._deletions: defaultdict[str, list[PlannedEdit]] = defaultdict(list)
        for planned in edits:
            if planned.edit.kind == "deleted":
                self._deletions[planned.edit.table].append(planned)
        self.results: dict[str, EditResult] = {}
        """By the id of the write, as they become known."""
        self.settled: dict[str, str] = {}
        """What a person decided after a race was lost, in words."""
        self.in_batches = False
        """Deletions go together and without conditions."""
        self.set_count(len(edits))

    def make(self, row: int) -> Row:
        planned = self._edits[row]
        return edit_row(
            planned,
            self.results.get(planned.id),
            all_units(planned.edit, self._tables[planned.edit.table]),
            unguarded=self.goes_in_batch(planned),
            settled=self.settled.get(planned.id, ""),
        )

    def take(self, result: EditResult) -> int:
        """Show what became of an edit; its row."""
        at = self._places[result.planned.id]
        self.results[result.planned.id] = result
        self.show_again(at)
        return at

    def goes_in_batch(self, planned: PlannedEdit) -> bool:
        return self.in_batches and planned.edit.kind == "deleted"

    def batch_of(self, planned: PlannedEdit) -> Sequence[PlannedEdit]:
        """Those that go in one request with a deletion. What the service leaves out comes in another one."""
        together = self._deletions[planned.edit.table]
        first = together.index(planned) // MAX_BATCH * MAX_BATCH
        return together[first : first + MAX_BATCH]
