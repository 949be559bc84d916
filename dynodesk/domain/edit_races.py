"""An edit whose item is not as it was read any more: what each side made of it, and the edit on top of the other's."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import InvalidRequest, InvalidValue
from dynodesk.domain.values import Item, Value


@dataclass(frozen=True, slots=True)
class Disputed:
    """One attribute that the edit, or somebody else, has changed since it was read. None: it is not there."""

    path: AttributePath
    read: Value | None
    now: Value | None
    wanted: Value | None

    @property
    def is_theirs(self) -> bool:
        """Somebody else changed it."""
        return self.now != self.read

    @property
    def is_mine(self) -> bool:
        return self.wanted != self.read

    @property
    def is_conflict(self) -> bool:
        """Both changed it, to different values: a person chooses."""
        return self.is_theirs and self.is_mine and self.now != self.wanted


@dataclass(frozen=True)
class Race:
    """An edit, and the item as it was found in its place."""

    edit: Edit
    found: Item | None
    """None: there is no item with the key."""

    @cached_property
    def attributes(self) -> tuple[Disputed, ...]:
        """In the order of the item as read, what was added since last. Maps are looked into as far as both sides do."""
        read, now, wanted = self.edit.before or {}, self.found or {}, self.edit.after or {}
        paths = _apart((*_paths(self.edit, read, wanted), *_paths(self.edit, read, now)))
        return tuple(Disputed(path, path.find(read), path.find(now), path.find(wanted)) for path in paths)

    @property
    def conflicts(self) -> tuple[Disputed, ...]:
        """What cannot be merged silently. None where one side is the item as a whole."""
        if self.edit.after is None or self.found is None:
            return ()
        return tuple(one for one in self.attributes if one.is_conflict)

    def rebased(self, mine: Collection[AttributePath] = ()) -> Edit | None:
        """The edit of the item as found: what only one side changed is as that side made it, a conflict is as the edit
        has it where it is in `mine`, and as found elsewhere. None: nothing is left to write.

        Raises `InvalidRequest` where neither a deletion nor a new item could be what is meant.
        """
        edit, found = self.edit, self.found
        if edit.after is None:
            return None if found is None else Edit(edit.table, edit.key, found, None)
        if found is None:  # somebody deleted it: it is made anew, where there still is none
            return Edit(edit.table, edit.new_key, None, edit.after)
        merged: Item = dict(found)
        for one in self.attributes:
            if one.is_mine and (not one.is_conflict or one.path in mine):
                try:
                    merged = one.path.put_into(merged, one.wanted)
                except InvalidValue as problem:
                    raise InvalidRequest(problem.message) from None
        return None if merged == found else Edit(edit.table, edit.key, found, merged)


def _paths(edit: Edit, before: Item, after: Item) -> Iterable[AttributePath]:
    names = edit.key
    keyed = {name: value for name, value in (edit.before or edit.after or {}).items() if name in names}
    return (change.path for change in Edit(edit.table, edit.key, {**keyed, **before}, {**keyed, **after}).changes)


def _apart(paths: Iterable[AttributePath]) -> tuple[AttributePath, ...]:
    """Without those that lie within another: where one side replaced a map, it is one value."""
    unique = dict.fromkeys(paths)
    inside = {path.names[:depth] for path in unique for depth in range(1, len(path.names))}
    whole = {path.names for path in unique if path.names in inside}
    return tuple(path for path in unique if not any(path.names[:depth] in whole for depth in range(1, len(path.names))))
