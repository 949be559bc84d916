"""Edits of items that are not written yet: what each changes, whether it could be written, and all of a connection.

Values are compared by what they are: `1` and `1.0` are one number, a set in another order is the same set, and `NULL`,
an empty string and a missing attribute are three different things.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.capacity import write_units
from dynodesk.domain.collections import Identity, identity
from dynodesk.domain.errors import InvalidFile, InvalidRequest, InvalidValue
from dynodesk.domain.item_json import item_from_dynamodb, item_to_dynamodb, readable_key
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import (
    MAX_PARTITION_KEY_BYTES,
    MAX_SORT_KEY_BYTES,
    Binary,
    Item,
    Map,
    Number,
    String,
    Value,
    check_item,
    check_item_size,
    check_key,
    item_size,
    type_tag,
    type_word,
)

EditKind = Literal["new", "edited", "deleted", "moved"]
EDIT_KINDS: tuple[EditKind, ...] = get_args(EditKind)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. Maps are looked into, everything else is one value."""

    path: AttributePath
    before: Value | None
    """None: it was not there."""
    after: Value | None
    """None: it is taken away."""


@dataclass(frozen=True)
class Edit:
    """What a person made of one item. Raises `ValueError` where it is about no item, or about another one's key."""

    table: str
    key: Key
    """The item's key in the table, partition key first: that of `before`, of a new item that of `after`."""
    before: Item | None
    """The whole item as it was read; None: it is new."""
    after: Item | None
    """None: it is to be deleted."""

    def __post_init__(self) -> None:
        item = self.after if self.before is None else self.before
        if item is None or not self.key or any(item.get(name) != value for name, value in self.key.items()):
            raise ValueError("an edit is about the item that has its key")

    @cached_property
    def kind(self) -> EditKind:
        """`moved`: its key is another one afterwards, which takes a new item and the deletion of the old one."""
        if self.before is None:
            return "new"
        if self.after is None:
            return "deleted"
        return "edited" if self.target == self.identity else "moved"

    @cached_property
    def identity(self) -> Identity:
        return identity(self.key, self.key)

    @cached_property
    def target(self) -> Identity | None:
        """The identity that the item has afterwards; None where it is gone."""
        return None if self.after is None else identity(self.after, self.key)

    @property
    def new_key(self) -> Key:
        """The key that the item has afterwards: the same but where it is moved. Raises `InvalidValue` where it has
        none.
        """
        if self.after is None:
            return self.key
        found: dict[str, String | Number | Binary] = {}
        for name in self.key:
            value = self.after.get(name)
            if not isinstance(value, String | Number | Binary):
                raise InvalidValue(f"key attribute {name} is {'missing' if value is None else type_word(value)}")
            found[name] = value
        return found

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """In the order of the item, added attributes last. All attributes where the item is new or deleted."""
        if self.before is None or self.after is None:
            names = self.after if self.before is None else self.before
            return tuple(
                Change(AttributePath((name,)), (self.before or {}).get(name), (self.after or {}).get(name))
                for name in names or ()
            )
        return tuple(_changes(self.before, self.after, ()))

    @property
    def units(self) -> int:
        """Write units on the table itself; each index that it touches takes its own."""
        before, after = item_size(self.before or {}), item_size(self.after or {})
        if self.kind == "moved":
            return write_units(before, transactional=True) + write_units(after, transactional=True)
        return write_units(max(before, after))

    @property
    def title(self) -> str:
        """For people: `POST#a91f / META`."""
        return readable_key(self.key)


def _changes(before: Mapping[str, Value], after: Mapping[str, Value], names: tuple[str, ...]) -> Iterator[Change]:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        path = (*names, name)
        if isinstance(old, Map) and isinstance(new, Map):
            yield from _changes(old.entries, new.entries, path)
        else:
            yield Change(AttributePath(path), old, new)


def check_edit(edit: Edit, table: TableInfo) -> None:
    """Raises `InvalidValue` where the service would refuse the edit whatever the item has become since.

    What the edit leaves alone is not looked at, but for the size of the whole: emulators hold values that the service
    would not take, and an update does not send them.
    """
    if set(edit.key) != set(table.key_schema.names):
        raise InvalidValue(f"the edit is of an item with the key {', '.join(edit.key)}; {table.name} has another one")
    after = edit.after
    if after is None:
        return
    if edit.kind in {"new", "moved"}:
        table.key_schema.check(table.key_schema.key_of(after))
    is_whole = edit.kind != "edited"  # a new item, and a moved one, are sent with all that is in them
    sent = {name: after[name] for name in after if is_whole or (edit.before or {}).get(name) != after[name]}
    check_item(sent)
    check_item_size(after)
    check_index_keys({name: value for name, value in sent.items() if name not in edit.key}, table)


def check_index_keys(item: Item, table: TableInfo) -> None:
    """Raises `InvalidValue` where an attribute is the key of an index and cannot be one."""
    for index in table.indexes:
        for attribute in index.key_schema.attributes:
            value = item.get(attribute.name)
            if value is None:
                continue
            if type_tag(value) != attribute.type:
                raise InvalidValue(
                    f"{attribute.name} is a key of the index {index.name} with type {attribute.type}, "
                    f"this is a {type_word(value)}",
                    hint="Without the attribute the item is not in the index.",
                )
            is_partition = attribute in index.key_schema.partition
            limit = MAX_PARTITION_KEY_BYTES if is_partition else MAX_SORT_KEY_BYTES
            try:
                check_key(value, attribute.name, limit)
            except InvalidValue as problem:
                raise InvalidValue(f"index {index.name}: {problem.message}", hint=problem.hint) from None


# ------------------------------------------------------------------------------------------------------------- staged


_Place = tuple[str, Identity]
"""A table, and the identity of a key in it."""


class StagedEdits:
    """The edits of one connection that are not written yet: one for each item, in the order in which they began."""

    def __init__(self, edits: Iterable[Edit] = ()) -> None:
        self._edits: dict[_Place, Edit] = {}
        self._targets: dict[_Place, _Place] = {}
        """Which staged edit makes the item of a place."""
        for edit in edits:
            self.stage(edit)

    def stage(self, edit: Edit) -> Edit | None:
        """What is staged for the item now; None where nothing is left to write.

        Over a staged edit of the same item: from what that one began with to what this one ends with. Raises
        `InvalidRequest` where another staged edit needs the key that the item is to have, and for a new item in the
        place of one that is staged.
        """
        place = self._place_of(edit)
        earlier = self._edits.get(place)
        if edit.before is None and earlier is not None and earlier.kind in {"edited", "moved"}:
            raise InvalidRequest(f"the item {edit.title} is in the table: it is staged as {earlier.kind}")
        before, key = (edit.before, edit.key) if earlier is None else (earlier.before, earlier.key)
        if before == edit.after:
            self._forget(place)
            return None
        if before is None:  # its key is that of what it is now
            key = edit.new_key if edit.before is not None else edit.key
        merged = Edit(edit.table, key, before, edit.after)
        self._check_free(merged, place)
        new_place = (merged.table, merged.identity)
        if new_place != place:
            self._forget(place)
        elif earlier is not None and earlier.target is not None:
            del self._targets[place[0], earlier.target]
        self._edits[new_place] = merged
        if merged.target is not None:
            self._targets[merged.table, merged.target] = new_place
        return merged

    def _place_of(self, edit: Edit) -> _Place:
        """Where the staged edit is that this one goes on with. An item that is to be moved is edited under its new key
        as well; one that has that key in the table is another item.
        """
        place = (edit.table, edit.identity)
        if place in self._edits or edit.before is None:
            return place
        made = self._targets.get(place)
        return made if made is not None and self._edits[made].after == edit.before else place

    def _check_free(self, edit: Edit, place: _Place) -> None:
        if edit.target is None:
            return
        target = (edit.table, edit.target)
        for other in (target if target in self._edits else None, self._targets.get(target)):
            if other is not None and other != place:
                staged = self._edits[other]
                raise InvalidRequest(
                    f"a staged edit of {staged.title} ({staged.kind}) needs the same key",
                    hint="Commit or discard that one first.",
                )

    def _forget(self, place: _Place) -> Edit | None:
        edit = self._edits.pop(place, None)
        if edit is not None and edit.target is not None:
            del self._targets[edit.table, edit.target]
        return edit

    def unstage(self, table: str, key: Key) -> Edit | None:
        """Forget the edit of an item; what it was."""
        return self._forget((table, identity(key, key)))

    def find(self, table: str, identity: Identity) -> Edit | None:
        """The staged edit of the item that has this identity of the base table's key, as read or as staged."""
        place = (table, identity)
        return self._edits.get(place) or self._edits.get(self._targets.get(place, place))

    def of(self, table: str) -> tuple[Edit, ...]:
        return tuple(edit for edit in self._edits.values() if edit.table == table)

    def __iter__(self) -> Iterator[Edit]:
        return iter(tuple(self._edits.values()))

    def __len__(self) -> int:
        return len(self._edits)


def edit_to_json(edit: Edit) -> dict[str, Any]:
    """For a file of JSON, which gives the same edit back, character by character."""
    return {
        "table": edit.table,
        "key": item_to_dynamodb(edit.key),
        "before": None if edit.before is None else item_to_dynamodb(edit.before),
        "after": None if edit.after is None else item_to_dynamodb(edit.after),
    }


def edit_from_json(found: Any) -> Edit:
    """Raises `InvalidFile` for what `edit_to_json` did not make."""
    try:
        key: Any = item_from_dynamodb(found["key"])
        before, after = (
            None if found[part] is None else item_from_dynamodb(found[part]) for part in ("before", "after")
        )
        return Edit(found["table"], key, before, after)
    except (InvalidRequest, InvalidValue, KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InvalidFile("the staged edit cannot be read", details=repr(problem)) from problem
