"""Commits taken back: the inverse edits, only where nobody changed the item since."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dynodesk.domain.collections import Identity, identity
from dynodesk.domain.digests import digest_of
from dynodesk.domain.edits import Change, Edit
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item
from dynodesk.domain.writes import GuardedMove
from dynodesk.editing.committing import CommitPlan, plan_commit
from dynodesk.editing.log import EditLog, LoggedEdit


@dataclass(frozen=True, slots=True)
class NotUndone:
    edit: LoggedEdit
    reason: str
    found: Item | None = None
    """The item as it is now, where somebody changed it since."""


@dataclass(frozen=True, slots=True)
class UndoPlan:
    commit: CommitPlan
    """The exact requests; commit it as any other."""
    left_out: tuple[NotUndone, ...]


def plan_undo(log: EditLog, ids: Sequence[str], place: Place, reader: ItemReader, ticket: Ticket) -> UndoPlan:
    """What takes writes back, by their ids or by that of their commit: the last one first.

    Reads each item in a strongly consistent read. Raises `InvalidRequest` where the journal has no such write, or has
    it of another place, and what reading raises.
    """
    chosen = _chosen(log, ids, place)
    reasons = {edit.id: why_not(edit, log) for edit in chosen}
    now = _read([edit for edit in chosen if not reasons[edit.id]], reader, ticket)
    edits: dict[tuple[str, Identity], tuple[Edit, str]] = {}
    left_out = []
    for edit in chosen:
        reason, found = reasons[edit.id], now.get(edit.id)
        where = (edit.write.table, identity(_key_now(edit), _key_now(edit)))
        if not reason and where in edits:
            reason = "a later edit of the same item is taken back first"
        if not reason and (None if found is None else digest_of([found])) != edit.left:
            reason = "somebody changed the item since" if found is not None else "somebody deleted the item since"
            if edit.left is None:
                reason = "there is an item with its key again"
        if reason:
            left_out.append(NotUndone(edit, reason, found))
        else:
            edits[where] = inverse(edit, found), edit.id
    plan = plan_commit([edit for edit, _ in edits.values()], [id_ for _, id_ in edits.values()])
    return UndoPlan(plan, tuple(left_out))


def inverse(edit: LoggedEdit, now: Item | None) -> Edit:
    """The edit that makes the item what it was before. `now`: as it is, and as it was left."""
    key = _key_now(edit)
    before = restored(now or {}, edit.changes)
    if edit.kind == "new":
        return Edit(edit.write.table, key, now, None)
    return Edit(edit.write.table, key, now, before)


def restored(item: Item, changes: Iterable[Change]) -> Item:
    """The item with each change taken back."""
    for change in changes:
        item = change.path.put_into(item, change.before)
    return item


def _chosen(log: EditLog, ids: Sequence[str], place: Place) -> tuple[LoggedEdit, ...]:
    found: dict[str, LoggedEdit] = {}
    for id_ in ids:
        edits = log.of_commit(id_) if id_ in log.commits else tuple(filter(None, [log.edits.get(id_)]))
        if not edits:
            raise InvalidRequest(f"the journal has no edit {id_} that can be taken back")
        found |= {edit.id: edit for edit in edits}
    for edit in found.values():
        where = edit.commit.place
        if where != place:
            raise InvalidRequest(
                f"edit {edit.id} was made at {where.endpoint} in {where.region} as {where.identity or 'nobody'}",
                hint="Connect there.",
            )
    return tuple(edit for edit in reversed([*log.edits.values()]) if edit.id in found)


def why_not(edit: LoggedEdit, log: EditLog) -> str:
    """Why a write cannot be taken back, whatever the item is now; "" where that decides."""
    if log.undone(edit.id):
        return "it was taken back before"
    if edit.is_open or edit.outcome == "unclear":
        return f"whether it was applied is not known: {edit.state}"
    if not edit.was_applied:
        return f"it was not applied: {edit.state}"
    return ""


def _read(edits: Sequence[LoggedEdit], reader: ItemReader, ticket: Ticket) -> dict[str, Item | None]:
    """The items as they are now, by the ids of the edits."""
    by_table: defaultdict[str, list[LoggedEdit]] = defaultdict(list)
    for edit in edits:
        by_table[edit.write.table].append(edit)
    found: dict[str, Item | None] = {}
    for table, of_table in by_table.items():
        items = reader.batch_get(table, [_key_now(edit) for edit in of_table], ticket, consistent=True)
        found |= {edit.id: item for edit, item in zip(of_table, items, strict=True)}
    return found


def _key_now(edit: LoggedEdit) -> Key:
    """The key of the item after the edit; of a deleted one, the key that it had."""
    return edit.write.put.key if isinstance(edit.write, GuardedMove) else edit.write.key
