"""A guarded write: what changes in one existing item, and how the item has to look for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, Protocol

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.expressions.placeholders import Placeholders
from dynodesk.domain.item_json import from_dynamodb, item_from_dynamodb, item_to_dynamodb, to_dynamodb
from dynodesk.domain.tables import Key
from dynodesk.domain.values import EXACT, Item, Number, Value, plain_digits


@dataclass(frozen=True, slots=True)
class GuardedUpdate:
    """A change to one item, and how the item must look for it."""

    table: str
    key: Key
    expected: Mapping[AttributePath, Value | None]
    """The value each must have; None: it must not be there. Never empty: no update without a condition."""
    add: Mapping[AttributePath, Number] = field(default_factory=dict)
    """What is added to each number. It must be there: nothing is made of nothing."""
    put: Mapping[AttributePath, Value] = field(default_factory=dict)
    """New values."""

    def check(self) -> None:
        """Raises `InvalidRequest` where it has no condition, changes nothing, its key, or one attribute twice."""
        if not self.key or not self.expected:
            raise InvalidRequest("an update says which item it changes, and how that item must look")
        if not self.add and not self.put:
            raise InvalidRequest("an update changes at least one attribute")
        changed = [*self.add, *self.put]
        overlap = any(
            one.names[: len(other.names)] == other.names[: len(one.names)] for one, other in combinations(changed, 2)
        )
        if overlap or any(path.names[0] in self.key for path in changed):
            raise InvalidRequest("an update changes an attribute once, and none of the key")


@dataclass(frozen=True, slots=True)
class Applied:
    changed: Item
    """The changed attributes with their new values; of nested ones the maps around them, with nothing else in them."""


@dataclass(frozen=True, slots=True)
class NotAsExpected:
    """The condition did not hold: nothing was written."""

    found: Item | None
    """The item as it is; None where it does not exist, or where the endpoint does not show it."""


class ItemWriter(Protocol):
    def update(self, update: GuardedUpdate) -> Applied | NotAsExpected:
        """Send the update once. Cannot be cancelled: once it is on its way, only its outcome counts.

        Raises `OutcomeUnknown` where it may or may not have been applied. Every other error means that nothing was
        written: `InvalidRequest`, `ReadOnly`, `Throttled`, `Busy`, `NotAllowed`, `TableMissing`, `CannotConnect`, ...
        """


# ----------------------------------------------------------------------------------------------------- as a request


@dataclass(frozen=True, slots=True)
class UpdateExpressions:
    """An update in DynamoDB's words, with a placeholder for every name and value."""

    update: str
    condition: str
    names: Mapping[str, str]
    values: Mapping[str, Value]


def expressions(update: GuardedUpdate) -> UpdateExpressions:
    """Raises `InvalidRequest` as `check` does."""
    update.check()
    placeholders = Placeholders()
    value = placeholders.value

    def name(path: AttributePath) -> str:
        return ".".join(map(placeholders.name, path.names))

    # Without this the update of an item that has just been deleted would bring it back as a ghost.
    conditions = [f"attribute_exists({name(AttributePath((next(iter(update.key)),)))})"]
    for path, expected in update.expected.items():
        if expected is None:
            conditions.append(f"attribute_not_exists({name(path)})")
        else:
            conditions.append(f"{name(path)} = {value(expected)}")
    changes = [f"{name(path)} = {name(path)} + {value(number)}" for path, number in update.add.items()]
    changes += [f"{name(path)} = {value(content)}" for path, content in update.put.items()]
    return UpdateExpressions(
        "SET " + ", ".join(changes),
        " AND ".join(conditions),
        placeholders.names,
        placeholders.values,
    )


def request_json(update: GuardedUpdate) -> dict[str, Any]:
    """The UpdateItem request as DynamoDB JSON, as other tools send it. Raises `InvalidRequest` as `check` does."""
    words = expressions(update)
    return {
        "TableName": update.table,
        "Key": item_to_dynamodb(update.key),
        "UpdateExpression": words.update,
        "ConditionExpression": words.condition,
        "ExpressionAttributeNames": dict(words.names),
        "ExpressionAttributeValues": item_to_dynamodb(words.values),
    }


# ------------------------------------------------------------------------------------------------------- was it done?


Effect = Literal["applied", "not applied", "likely", "unclear"]


def effect_on(item: Item | None, update: GuardedUpdate, marker: AttributePath | None) -> Effect:
    """What an item, read after an update was sent, says of whether it was applied.

    With a marker, an attribute that the update sets to what nobody else sets it to, it is certain as long as nobody
    else set it since. Without one an item that looks as if may owe it to somebody else's write: `likely`.
    """
    if item is None:
        return "unclear"
    if marker is not None:
        found = marker.find(item)
        if found == update.put[marker]:
            return "applied"
        return "not applied" if found == update.expected[marker] else "unclear"
    if all(path.find(item) == expected for path, expected in update.expected.items()):
        return "not applied"
    after = {**{path: _sum(update.expected.get(path), number) for path, number in update.add.items()}, **update.put}
    return "likely" if all(path.find(item) == value for path, value in after.items()) else "unclear"


def _sum(before: Value | None, added: Number) -> Value | None:
    if not isinstance(before, Number) or not before.is_valid:
        return None
    return Number(plain_digits(EXACT.add(before.value, added.value)))


# --------------------------------------------------------------------------------------------------------- for files


def update_to_json(update: GuardedUpdate) -> dict[str, Any]:
    return {
        "table": update.table,
        "key": item_to_dynamodb(update.key),
        "expected": [[list(path.names), value and to_dynamodb(value)] for path, value in update.expected.items()],
        "add": [[list(path.names), number.text] for path, number in update.add.items()],
        "put": [[list(path.names), to_dynamodb(value)] for path, value in update.put.items()],
    }


def update_from_json(found: Mapping[str, Any]) -> GuardedUpdate:
    """Raises `InvalidValue`, `KeyError`, `TypeError` or `ValueError` for what `update_to_json` did not make."""
    key: Any = item_from_dynamodb(found["key"])

    def path(names: list[str]) -> AttributePath:
        return AttributePath(tuple(names))

    return GuardedUpdate(
        found["table"],
        key,
        {path(names): None if value is None else from_dynamodb(value) for names, value in found["expected"]},
        add={path(names): Number(text) for names, text in found["add"]},
        put={path(names): from_dynamodb(value) for names, value in found["put"]},
    )
