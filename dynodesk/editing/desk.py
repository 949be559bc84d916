"""All that is done with edits at one connection: planned, committed, taken back, and cleared up after a crash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from dynodesk.domain.batches import PlainWrite, TableWriter
from dynodesk.domain.edits import Edit, check_edit
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.ports import TableCatalog
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import KeptJournal, Place
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.domain.writing import Hands, Write
from dynodesk.editing.batches import BatchReport, resolve_batch, write_batches
from dynodesk.editing.committing import (
    CommitPlan,
    CommitReport,
    EditOutcome,
    EditResult,
    commit,
    outcome_of,
    plan_commit,
    settle,
)
from dynodesk.editing.log import EditLog, LoggedBatch, LoggedEdit
from dynodesk.editing.undo import UndoPlan, plan_undo


@dataclass(frozen=True, slots=True)
class ResolvedEdit:
    write: LoggedEdit | LoggedBatch
    outcome: EditOutcome
    reason: str


@dataclass(frozen=True, slots=True)
class EditDesk:
    """What writes holds the journal for as long as it does: `holding` raises `ReadOnly` where nothing may be written.

    Every method reads or writes the network or the disk: for worker threads.
    """

    place: Place
    catalog: TableCatalog
    hands: Hands
    writer: TableWriter
    journal: KeptJournal
    holding: Callable[[], AbstractContextManager[None]]

    def complete(self, table: TableInfo, item: Item) -> Item | None:
        """The whole item of the base table that a row stands for, however little of it was read through an index.

        In a strongly consistent read. None: the table has none, and an index is behind it.
        """
        return self.hands.reader.get(table.name, table.key_schema.key_of(item), consistent=True)

    def plan(self, edits: Sequence[Edit], ticket: Ticket) -> CommitPlan:
        """The exact requests. Raises `InvalidValue` naming the item that the service would refuse, and what describing
        its table raises.
        """
        tables = {name: self.catalog.describe(name, ticket) for name in sorted({edit.table for edit in edits})}
        for edit in edits:
            try:
                check_edit(edit, tables[edit.table])
            except InvalidValue as problem:
                raise InvalidValue(f"{edit.title}: {problem.message}", hint=problem.hint) from None
        return plan_commit(edits)

    def commit(
        self, plan: CommitPlan, ticket: Ticket, told: Callable[[EditResult], object] | None = None
    ) -> CommitReport:
        """Raises `ReadOnly` before anything is noted or sent, and otherwise as `committing.commit`."""
        with self.holding():
            return commit(plan, self.place, self.hands, ticket, told)

    def delete_unguarded(
        self,
        table: TableInfo,
        items: Iterable[Item],
        ticket: Ticket,
        told: Callable[[tuple[PlainWrite, ...]], object] | None = None,
    ) -> BatchReport:
        """Delete items whatever they have become, in batches. It cannot be taken back. Raises as `write_batches`, and
        `ReadOnly`.
        """
        writes = [PlainWrite(table.key_schema.key_of(item)) for item in items]
        with self.holding():
            return write_batches(table.name, writes, self.place, self.hands, self.writer, ticket, told)

    def log(self) -> EditLog:
        return EditLog.of(self.journal.records())

    def plan_undo(self, ids: Sequence[str], ticket: Ticket) -> UndoPlan:
        """What takes back writes, or whole commits, by their ids. Commit it as any other plan."""
        return plan_undo(self.log(), ids, self.place, self.hands.reader, ticket)

    def resolve(self, ticket: Ticket) -> tuple[ResolvedEdit, ...]:
        """Find out what became of writes whose program ended before it could note it. Belongs before all others.

        Nothing is sent again. Raises `ReadOnly`, and what reading a batch back and the journal raise.
        """
        if not self.log().has_open(self.place):
            return ()
        with self.holding():
            log = self.log()  # what another window was just writing has its outcome by now
            found = [self._resolved(edit, ticket) for edit in log.open(self.place)]
            for batch in log.open_batches(self.place):
                left = resolve_batch(batch, self.hands, ticket)
                outcome: EditOutcome = "applied" if not left else "not tried"
                found.append(ResolvedEdit(batch, outcome, f"{len(left)} of {len(batch.writes)} were not written"))
        return tuple(found)

    def _resolved(self, edit: LoggedEdit, ticket: Ticket) -> ResolvedEdit:
        written = self.hands.write(Write.left_open(edit.id, edit.write, None, edit.tries), ticket)
        if written.ending == "likely":
            written = settle(self.hands, edit.id, written)
        return ResolvedEdit(edit, outcome_of(written), written.reason)
