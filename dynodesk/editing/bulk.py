"""The same change for many loaded items: first what it would do, then it is a commit as any other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.collections import Identity, identity
from dynodesk.domain.edits import Edit, StagedEdits, check_edit
from dynodesk.domain.errors import InvalidRequest, InvalidValue
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import Item, Value


@dataclass(frozen=True, slots=True)
class SetAttributes:
    """Gives attributes new values, and takes others away."""

    put: Mapping[AttributePath, Value] = field(default_factory=dict)
    remove: tuple[AttributePath, ...] = ()


@dataclass(frozen=True, slots=True)
class DeleteItems:
    pass


BulkChange = SetAttributes | DeleteItems


@dataclass(frozen=True, slots=True)
class LeftOut:
    key: Key
    reason: str

    @property
    def title(self) -> str:
        return readable_key(self.key)


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a change would do. Nothing was read or written for it."""

    edits: tuple[Edit, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def units(self) -> int:
        """Write units on the table itself; each index that is touched takes its own."""
        return sum(edit.units for edit in self.edits)


def dry_run(
    table: TableInfo, items: Sequence[Item], change: BulkChange, ticket: Ticket, staged: Iterable[Edit] = ()
) -> DryRun:
    """`items` are whole items of the table; one that is there twice counts once.

    Where one of the `staged` edits is of the item, the change is one of what that edit makes of it. Raises
    `InvalidRequest` for a change of the key, and for one that changes nothing.
    """
    if isinstance(change, SetAttributes):
        _check(change, table)
    begun = StagedEdits(staged)
    edits: dict[Identity, Edit] = {}
    left_out = []
    for number, item in enumerate(items):
        if number % 1000 == 0:
            ticket.checkpoint(Progress(number, len(items), "Trying"))
        place = identity(item, table.key_schema.names)
        earlier = begun.find(table.name, place)
        if earlier is not None and earlier.identity != place and earlier.after != item:
            earlier = None  # another item is to be moved to where this one is: the service will refuse that
        before = item if earlier is None else earlier.after
        if before is None:
            left_out.append(LeftOut(table.key_schema.key_of(item), "it is to be deleted already"))
            continue
        key = table.key_schema.key_of(before)
        try:
            after = None if isinstance(change, DeleteItems) else changed(before, change)
            edit = Edit(table.name, key, before, after)
            check_edit(edit, table)
        except InvalidValue as problem:
            left_out.append(LeftOut(key, problem.message))
            continue
        if edit.changes:
            edits[edit.identity] = edit
        else:
            left_out.append(LeftOut(key, "it is so already"))
    return DryRun(tuple(edits.values()), tuple(left_out))


def changed(item: Item, change: SetAttributes) -> Item:
    """Raises `InvalidValue` where something is to be put into what is no map."""
    for path, value in change.put.items():
        item = path.put_into(item, value)
    for path in change.remove:
        if path.find(item) is not None:
            item = path.put_into(item, None)
    return item


def _check(change: SetAttributes, table: TableInfo) -> None:
    paths = [*change.put, *change.remove]
    if not paths:
        raise InvalidRequest("nothing is to be changed")
    for path in paths:
        if path.names[0] in table.key_schema.names:
            raise InvalidRequest(f"{path.names[0]} is part of the key: it is changed item by item")
