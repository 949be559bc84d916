"""Guarded writes: what changes in one item, and how the item has to look for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Literal, Protocol

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.item_json import from_dynamodb, item_from_dynamodb, item_to_dynamodb, to_dynamodb
from dynodesk.domain.tables import Key
from dynodesk.domain.values import EXACT, Item, KeyValue, Number, Value, plain_digits

Expected = Mapping[AttributePath, Value | None]
"""The value that each must have; None: it must not be there."""


@dataclass(frozen=True, slots=True)
class GuardedUpdate:
    """A change to one existing item, and how the item must look for it."""

    operation: ClassVar[str] = "UpdateItem"

    table: str
    key: Key
    expected: Expected
    """Never empty: no update without a condition."""
    add: Mapping[AttributePath, Number] = field(default_factory=dict)
    """What is added to each number. It must be there: nothing is made of nothing."""
    put: Mapping[AttributePath, Value] = field(default_factory=dict)
    """New values."""
    remove: tuple[AttributePath, ...] = ()
    within: tuple[AttributePath, ...] = ()
    """What must be a map: something in it is changed that is not there."""
    unguarded: tuple[str, ...] = ()
    """Attributes that it changes whatever they have become: a condition on all would be longer than one may be."""

    def check(self) -> None:
        """Raises `InvalidRequest` where it has no condition, changes nothing, its key, or one attribute twice."""
        if not self.key or not self.expected:
            raise InvalidRequest("an update says which item it changes, and how that item must look")
        changed = [*self.add, *self.put, *self.remove]
        if not changed:
            raise InvalidRequest("an update changes at least one attribute")
        overlap = any(
            one.names[: len(other.names)] == other.names[: len(one.names)] for one, other in combinations(changed, 2)
        )
        if overlap or any(path.names[0] in self.key for path in changed):
            raise InvalidRequest("an update changes an attribute once, and none of the key")


@dataclass(frozen=True, slots=True)
class GuardedPut:
    """A whole item: a new one, or one in the place of the item that was read."""

    operation: ClassVar[str] = "PutItem"

    table: str
    key: Key
    item: Item
    expected: Expected | None = None
    """How the item in its place must look; None: there must be none."""
    unguarded: tuple[str, ...] = ()
    """Attributes, as read, that it replaces whatever they have become. Those added since are lost, too."""

    def check(self) -> None:
        """Raises `InvalidRequest` where the item has another key."""
        if not self.key or any(self.item.get(name) != value for name, value in self.key.items()):
            raise InvalidRequest("an item is put under its own key")


@dataclass(frozen=True, slots=True)
class GuardedDelete:
    """The deletion of an item that must exist and be as it was read. Attributes added since do not keep it."""

    operation: ClassVar[str] = "DeleteItem"

    table: str
    key: Key
    expected: Expected
    unguarded: tuple[str, ...] = ()
    """Attributes that may have become anything: a condition on all would be longer than one may be."""

    def check(self) -> None:
        """Raises `InvalidRequest` where it has no key."""
        if not self.key:
            raise InvalidRequest("a deletion says which item it deletes")


@dataclass(frozen=True, slots=True)
class GuardedMove:
    """An item under a new key and the deletion of the old one: both, or none."""

    operation: ClassVar[str] = "TransactWriteItems"

    put: GuardedPut
    delete: GuardedDelete
    token: str
    """Up to 36 characters. Sent again with it within ten minutes, it is not done again."""

    @property
    def table(self) -> str:
        return self.delete.table

    @property
    def key(self) -> Key:
        """As it was."""
        return self.delete.key

    @property
    def unguarded(self) -> tuple[str, ...]:
        return self.delete.unguarded

    def check(self) -> None:
        """Raises `InvalidRequest` as its parts do, and where both have one key."""
        self.put.check()
        self.delete.check()
        if self.put.expected is not None or (self.put.table, self.put.key) == (self.table, self.key):
            raise InvalidRequest("an item is moved to a key that no item has")


GuardedWrite = GuardedUpdate | GuardedPut | GuardedDelete | GuardedMove


@dataclass(frozen=True, slots=True)
class Applied:
    item: Item | None
    """The item as it is now; None where it was deleted."""


@dataclass(frozen=True, slots=True)
class NotAsExpected:
    """The condition did not hold: nothing was written."""

    found: Item | None
    """The item as it is; None where it does not exist, or where the endpoint does not show it."""
    at_target: bool = False
    """Of a move: the item found is one that has the new key already."""


class ItemWriter(Protocol):
    def write(self, write: GuardedWrite) -> Applied | NotAsExpected:
        """Send it once. Cannot be cancelled: once it is on its way, only its outcome counts.

        Raises `OutcomeUnknown` where it may or may not have been applied. Every other error means that nothing was
        written: `InvalidRequest`, `ReadOnly`, `Throttled`, `Busy`, `NotAllowed`, `TableMissing`, `CannotConnect`, ...
        """


# ------------------------------------------------------------------------------------------------------- was it done?


Effect = Literal["applied", "not applied", "likely", "unclear"]


def effect_on(
    item: Item | None, write: GuardedWrite, marker: AttributePath | None = None, *, target: Item | None = None
) -> Effect:
    """What an item, read after a write was sent, says of whether it was applied. `target`: what has a move's new key.

    With a marker, an attribute that an update sets to what nobody else sets it to, it is certain as long as nobody
    else set it since. Without one an item that looks as if may owe it to somebody else's write: `likely`.
    """
    match write:
        case GuardedUpdate():
            return _effect_of_update(item, write, marker)
        case GuardedPut():
            if item == write.item:
                return "likely"
            is_before = item is None if write.expected is None else _is_as(write.expected, item)
            return "not applied" if is_before else "unclear"
        case GuardedDelete():
            if item is None:
                return "likely"
            return "not applied" if _is_as(write.expected, item) else "unclear"
        case GuardedMove():
            if item is None:
                return "likely" if target == write.put.item else "unclear"
            return "not applied" if _is_as(write.delete.expected, item) else "unclear"


def _effect_of_update(item: Item | None, update: GuardedUpdate, marker: AttributePath | None) -> Effect:
    if item is None:
        return "unclear"
    if marker is not None:
        found = marker.find(item)
        if found == update.put[marker]:
            return "applied"
        return "not applied" if found == update.expected[marker] else "unclear"
    if _is_as(update.expected, item):
        return "not applied"
    after: dict[AttributePath, Value | None] = dict.fromkeys(update.remove)
    after |= {path: _sum(update.expected.get(path), number) for path, number in update.add.items()}
    return "likely" if _is_as({**after, **update.put}, item) else "unclear"


def _is_as(expected: Expected, item: Item | None) -> bool:
    return item is not None and all(path.find(item) == value for path, value in expected.items())


def _sum(before: Value | None, added: Number) -> Value | None:
    if not isinstance(before, Number) or not before.is_valid:
        return None
    return Number(plain_digits(EXACT.add(before.value, added.value)))


# --------------------------------------------------------------------------------------------------------- for files


def write_to_json(write: GuardedWrite) -> dict[str, Any]:
    """One member, named after what it is: `update`, `put`, `delete` or `move`."""
    match write:
        case GuardedUpdate():
            return {"update": update_to_json(write)}
        case GuardedPut():
            return {"put": _put_to_json(write)}
        case GuardedDelete():
            return {"delete": _delete_to_json(write)}
        case GuardedMove(put, delete, token):
            return {"move": {"put": _put_to_json(put), "delete": _delete_to_json(delete), "token": token}}


def write_from_json(found: Mapping[str, Any]) -> GuardedWrite:
    """The write among the members of `found`. Raises as `update_from_json`."""
    if "update" in found:
        return update_from_json(found["update"])
    if "put" in found:
        return _put_from_json(found["put"])
    if "delete" in found:
        return _delete_from_json(found["delete"])
    move = found["move"]
    return GuardedMove(_put_from_json(move["put"]), _delete_from_json(move["delete"]), move["token"])


def update_to_json(update: GuardedUpdate) -> dict[str, Any]:
    found: dict[str, Any] = {
        "table": update.table,
        "key": item_to_dynamodb(update.key),
        "expected": _expected_to_json(update.expected),
        "add": [[list(path.names), number.text] for path, number in update.add.items()],
        "put": [[list(path.names), to_dynamodb(value)] for path, value in update.put.items()],
    }
    # The hash of a plan of repairs, which have none of these, is the one that it always had.
    rest = {
        "remove": [list(path.names) for path in update.remove],
        "within": [list(path.names) for path in update.within],
        "unguarded": list(update.unguarded),
    }
    return found | {name: content for name, content in rest.items() if content}


def update_from_json(found: Mapping[str, Any]) -> GuardedUpdate:
    """Raises `InvalidValue`, `KeyError`, `TypeError` or `ValueError` for what `update_to_json` did not make."""
    return GuardedUpdate(
        found["table"],
        _key(found["key"]),
        _expected(found["expected"]),
        add={_path(names): Number(text) for names, text in found["add"]},
        put={_path(names): from_dynamodb(value) for names, value in found["put"]},
        remove=tuple(map(_path, found.get("remove", ()))),
        within=tuple(map(_path, found.get("within", ()))),
        unguarded=tuple(found.get("unguarded", ())),
    )


def _put_to_json(put: GuardedPut) -> dict[str, Any]:
    return {
        "table": put.table,
        "key": item_to_dynamodb(put.key),
        "item": item_to_dynamodb(put.item),
        "expected": None if put.expected is None else _expected_to_json(put.expected),
        "unguarded": list(put.unguarded),
    }


def _put_from_json(found: Any) -> GuardedPut:
    expected = found["expected"]
    return GuardedPut(
        found["table"],
        _key(found["key"]),
        item_from_dynamodb(found["item"]),
        None if expected is None else _expected(expected),
        tuple(found["unguarded"]),
    )


def _delete_to_json(delete: GuardedDelete) -> dict[str, Any]:
    return {
        "table": delete.table,
        "key": item_to_dynamodb(delete.key),
        "expected": _expected_to_json(delete.expected),
        "unguarded": list(delete.unguarded),
    }


def _delete_from_json(found: Any) -> GuardedDelete:
    expected = _expected(found["expected"])
    return GuardedDelete(found["table"], _key(found["key"]), expected, tuple(found["unguarded"]))


def _expected_to_json(expected: Expected) -> list[list[Any]]:
    return [[list(path.names), value and to_dynamodb(value)] for path, value in expected.items()]


def _expected(found: Any) -> dict[AttributePath, Value | None]:
    return {_path(names): None if value is None else from_dynamodb(value) for names, value in found}


def _path(names: list[str]) -> AttributePath:
    return AttributePath(tuple(names))


def _key(found: Any) -> Key:
    return {name: value for name, value in item_from_dynamodb(found).items() if isinstance(value, KeyValue)}
