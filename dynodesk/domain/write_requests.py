"""Guarded writes in DynamoDB's words: expressions with a placeholder for every name and value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.expressions.placeholders import Placeholders
from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, String, Value
from dynodesk.domain.writes import Expected, GuardedDelete, GuardedMove, GuardedPut, GuardedUpdate, GuardedWrite


@dataclass(frozen=True, slots=True)
class WriteExpressions:
    update: str
    """"" for a put and a delete."""
    condition: str
    names: Mapping[str, str]
    values: Mapping[str, Value]


def expressions(write: GuardedUpdate | GuardedPut | GuardedDelete) -> WriteExpressions:
    """Raises `InvalidRequest` as `check` does."""
    write.check()
    words = _Words()
    if isinstance(write, GuardedPut) and write.expected is None:
        conditions = [f"attribute_not_exists({words.key(write.key)})"]
    else:
        # Without the first an update of an item that has just been deleted would bring it back as a ghost.
        conditions = [f"attribute_exists({words.key(write.key)})", *words.conditions(write.expected or {})]
    update = ""
    if isinstance(write, GuardedUpdate):
        conditions += words.maps(write.within)
        update = words.update(write)
    return WriteExpressions(update, " AND ".join(conditions), words.placeholders.names, words.placeholders.values)


class _Words:
    def __init__(self) -> None:
        self.placeholders = Placeholders()

    def name(self, path: AttributePath) -> str:
        return ".".join(map(self.placeholders.name, path.names))

    def key(self, key: Key) -> str:
        return self.placeholders.name(next(iter(key)))

    def conditions(self, expected: Expected) -> Iterator[str]:
        for path, value in expected.items():
            if value is None:
                yield f"attribute_not_exists({self.name(path)})"
            else:
                yield f"{self.name(path)} = {self.placeholders.value(value)}"

    def maps(self, paths: tuple[AttributePath, ...]) -> Iterator[str]:
        if paths:
            kind = self.placeholders.value(String("M"))
            yield from (f"attribute_type({self.name(path)}, {kind})" for path in paths)

    def update(self, update: GuardedUpdate) -> str:
        name, value = self.name, self.placeholders.value
        changes = [f"{name(path)} = {name(path)} + {value(number)}" for path, number in update.add.items()]
        changes += [f"{name(path)} = {value(content)}" for path, content in update.put.items()]
        clauses = [f"SET {', '.join(changes)}"] if changes else []
        if update.remove:
            clauses.append(f"REMOVE {', '.join(map(name, update.remove))}")
        return " ".join(clauses)


def request_json(write: GuardedWrite) -> dict[str, Any]:
    """The request of `write.operation` as DynamoDB JSON, as other tools send it. Raises `InvalidRequest`."""
    return request_of(write, to_dynamodb)


def request_of(write: GuardedWrite, encode: Callable[[Value], Any]) -> dict[str, Any]:
    """The parameters of the request, its values as `encode` makes them. Raises `InvalidRequest` as `check` does."""
    match write:
        case GuardedUpdate():
            return {"TableName": write.table, "Key": _encoded(write.key, encode), **_expressions(write, encode)}
        case GuardedPut():
            return {"TableName": write.table, "Item": _encoded(write.item, encode), **_expressions(write, encode)}
        case GuardedDelete():
            return {"TableName": write.table, "Key": _encoded(write.key, encode), **_expressions(write, encode)}
        case GuardedMove(put, delete, token):
            write.check()
            return {
                "TransactItems": [{"Put": request_of(put, encode)}, {"Delete": request_of(delete, encode)}],
                "ClientRequestToken": token,
            }


def _expressions(write: GuardedUpdate | GuardedPut | GuardedDelete, encode: Callable[[Value], Any]) -> dict[str, Any]:
    words = expressions(write)
    parameters: dict[str, Any] = {"UpdateExpression": words.update} if words.update else {}
    parameters["ConditionExpression"] = words.condition
    parameters["ExpressionAttributeNames"] = dict(words.names)
    if words.values:
        parameters["ExpressionAttributeValues"] = _encoded(words.values, encode)
    return parameters


def _encoded(item: Item, encode: Callable[[Value], Any]) -> dict[str, Any]:
    return {name: encode(value) for name, value in item.items()}
