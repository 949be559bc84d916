"""What the dialogs about edits do in the background: plan, write, read back, plan an undo. Nothing is Qt's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dynodesk.domain.access import Access
from dynodesk.domain.batches import PlainWrite
from dynodesk.domain.capacity import Meter
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.index_writes import index_writes
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.editing.batches import BatchReport
from dynodesk.editing.bulk import BulkChange, DryRun, dry_run
from dynodesk.editing.committing import CommitPlan, EditResult, PlannedEdit
from dynodesk.editing.desk import EditDesk, ResolvedEdit
from dynodesk.editing.log import LoggedEdit
from dynodesk.editing.undo import NotUndone
from dynodesk.store.journal import Journal

READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class EditTools:
    """What it takes to write edits at one connection."""

    access: Access
    place: Place
    desk: Callable[[Meter], EditDesk]
    """Slow when it is first called: for worker threads."""
    journal: Callable[[], Journal]
    meter: Meter

    @property
    def profile(self) -> Profile:
        return self.access.profile

    @property
    def new_desk(self) -> EditDesk:
        return self.desk(Meter(self.meter))


@dataclass(frozen=True, slots=True)
class PlannedCommit:
    """The exact requests, and what has to be known before they are sent."""

    plan: CommitPlan
    tables: Mapping[str, TableInfo]
    table_units: int
    """Write units on the tables themselves."""
    index_units: Mapping[str, int]
    """Write units that indexes take beside the tables, by `table.index`."""
    left_out: tuple[NotUndone, ...] = ()
    """Of an undo: what cannot be taken back."""
    is_undo: bool = False

    @property
    def deletions(self) -> int:
        return sum(planned.edit.kind == "deleted" for planned in self.plan.edits)

    @property
    def units(self) -> int:
        return self.table_units + sum(self.index_units.values())


@dataclass(frozen=True, slots=True)
class Committed:
    commit: str
    """The id that the journal knows it by; "" where nothing was written on a condition."""
    results: tuple[EditResult, ...]
    """One for each edit of the plan, in its order."""
    stopped: str | None
    found: Mapping[str, Item | None]
    """Of lost races: the item as it is now, by the id of the write, as far as it is known."""
    resolved: tuple[ResolvedEdit, ...]
    """What became of writes that an earlier program had left open."""
    sent_again: int = 0
    """Deletions that the service left out of a batch at first, counted each time."""


def plan_edits(tools: EditTools, edits: Sequence[Edit], ticket: Ticket) -> PlannedCommit:
    """Raises what `EditDesk.plan` raises."""
    ticket.checkpoint(Progress(0, note="Planning"))
    desk = tools.new_desk
    return _planned(desk, desk.plan(edits, ticket), ticket)


def plan_undo(tools: EditTools, ids: Sequence[str], ticket: Ticket) -> PlannedCommit:
    """Raises what `EditDesk.plan_undo` raises."""
    ticket.checkpoint(Progress(0, note="Reading what it left"))
    desk = tools.new_desk
    undo = desk.plan_undo(ids, ticket)
    planned = _planned(desk, undo.commit, ticket)
    return replace(planned, left_out=undo.left_out, is_undo=True)


def _planned(desk: EditDesk, plan: CommitPlan, ticket: Ticket) -> PlannedCommit:
    names = sorted({planned.edit.table for planned in plan.edits})
    tables = {name: desk.catalog.describe(name, ticket) for name in names}
    units: Counter[str] = Counter()
    for planned in plan.edits:
        edit = planned.edit
        for index, more in index_writes(edit.before, edit.after, tables[edit.table]).items():
            units[f"{edit.table}.{index}"] += more
    return PlannedCommit(plan, tables, plan.units, dict(units))


def write_edits(
    tools: EditTools,
    planned: PlannedCommit,
    told: Callable[[EditResult], object],
    ticket: Ticket,
    *,
    unguarded: bool = False,
) -> Committed:
    """Write all of a plan. With `unguarded`, deletions go in batches, whatever their items have become.

    Raises what `EditDesk.commit` and `delete_unguarded` raise before they write anything.
    """
    desk = tools.new_desk
    resolved = desk.resolve(ticket)
    alone = [one for one in planned.plan.edits if not (unguarded and one.edit.kind == "deleted")]
    results: dict[str, EditResult] = {}
    stopped: str | None = None
    if alone:
        report = desk.commit(CommitPlan(planned.plan.id, tuple(alone)), ticket, told)
        results |= {result.planned.id: result for result in report.results}
        stopped = report.stopped
    sent_again = 0
    guarded = {one.id for one in alone}
    for table, together in _by_table(one for one in planned.plan.edits if one.id not in guarded).items():
        if stopped is not None:
            break
        try:
            batch = _delete(desk, planned.tables[table], together, told, ticket)
        except DynodeskError as fault:  # what was written before is to be told nevertheless
            if not results:
                raise
            stopped = f"{fault.message} [{fault.code}]"
            break
        results |= {result.planned.id: result for result in _results_of(batch, together)}
        stopped, sent_again = batch.stopped, sent_again + batch.sent_again
    rest = f"the commit ended before it: {stopped}"
    whole = tuple(results.get(one.id) or EditResult(one, "not tried", rest) for one in planned.plan.edits)
    return Committed(planned.plan.id if alone else "", whole, stopped, _look_again(desk, whole), resolved, sent_again)


def _by_table(edits: Iterable[PlannedEdit]) -> dict[str, list[PlannedEdit]]:
    found: defaultdict[str, list[PlannedEdit]] = defaultdict(list)
    for planned in edits:
        found[planned.edit.table].append(planned)
    return dict(found)


def _delete(
    desk: EditDesk,
    table: TableInfo,
    together: Sequence[PlannedEdit],
    told: Callable[[EditResult], object],
    ticket: Ticket,
) -> BatchReport:
    by_identity = {planned.edit.identity: planned for planned in together}

    def each(writes: tuple[PlainWrite, ...]) -> None:
        for write in writes:
            told(EditResult(by_identity[write.identity], "applied"))

    items = [planned.edit.before for planned in together if planned.edit.before is not None]
    return desk.delete_unguarded(table, items, ticket, each)


def _results_of(batch: BatchReport, together: Sequence[PlannedEdit]) -> Iterable[EditResult]:
    done = {write.identity for write in batch.done}
    unknown = {write.identity for write in batch.unknown}
    for planned in together:
        if planned.edit.identity in done:
            yield EditResult(planned, "applied")
        elif planned.edit.identity in unknown:
            yield EditResult(planned, "unknown", "no answer came, and the item could not be read")
        else:
            yield EditResult(planned, "not tried", f"the commit ended before it: {batch.stopped}")


def _look_again(desk: EditDesk, results: Sequence[EditResult]) -> dict[str, Item | None]:
    """The items of lost races, read now. Those that are not known are left out."""
    found = {result.planned.id: result.seen for result in results if result.outcome == "lost race"}
    lost = _by_table(result.planned for result in results if result.outcome == "lost race" and not result.at_target)
    for table, edits in lost.items():
        try:
            items = desk.hands.reader.batch_get(table, [one.edit.key for one in edits], Ticket(), consistent=True)
        except DynodeskError:  # then what the refusal showed is what is known; not every endpoint shows anything
            unread = {planned.id for planned in edits}
            found = {id_: item for id_, item in found.items() if item is not None or id_ not in unread}
            continue
        found |= {planned.id: item for planned, item in zip(edits, items, strict=True)}
    return found


def read_back(tools: EditTools, ticket: Ticket) -> tuple[ResolvedEdit, ...]:
    """What became of writes of which no answer came. Raises what `EditDesk.resolve` raises."""
    ticket.checkpoint(Progress(0, note="Reading back"))
    return tools.new_desk.resolve(ticket)


def try_change(
    tools: EditTools,
    table: TableInfo,
    items: Sequence[Item],
    staged: Sequence[Edit],
    change: BulkChange,
    ticket: Ticket,
    *,
    whole: bool,
) -> DryRun:
    """What the change would do to the items of rows, which are read whole first where they are not `whole`, and to
    what is `staged` of them.

    Raises what reading and `dry_run` raise.
    """
    if not whole:
        reader, read = tools.new_desk.hands.reader, list[Item]()
        keys = [table.key_schema.key_of(item) for item in items]
        for at in range(0, len(keys), READ_AT_ONCE):
            ticket.checkpoint(Progress(at, len(keys), "Reading whole items"))
            found = reader.batch_get(table.name, keys[at : at + READ_AT_ONCE], ticket, consistent=True)
            read += [item for item in found if item is not None]
        items = read
    return dry_run(table, items, change, ticket, staged)


def resolved_words(resolved: Sequence[ResolvedEdit]) -> str:
    """What an earlier program had left open, in a sentence; "" where it left nothing."""
    return " ".join(f"Left open by an earlier program: {_title(one)}, {one.outcome}: {one.reason}." for one in resolved)


def _title(one: ResolvedEdit) -> str:
    return one.write.title if isinstance(one.write, LoggedEdit) else f"a batch of {len(one.write.writes)} deletions"
