"""Random requests with hostile names and values, each of which the service could do. Equal seeds give equal ones.

Tables are those of `TABLES`, with `OWNER` where the name of whoever has them is to stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from dynodesk.domain.expressions import Placeholders, Update
from dynodesk.domain.expressions.conditions import Exists
from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Node
from dynodesk.domain.expressions.updates import Set
from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.requests import value_to_request
from dynodesk.domain.values import Binary, Item, Number, String, Value
from tests.domain.expressions.generated import HOSTILE_NAMES, HOSTILE_TEXTS, ODD_SPELLINGS, SPELLINGS, Generator

OWNER = "@@owner@@"
TABLES: Mapping[str, Mapping[str, str]] = {f"--{OWNER}.T-1": {"pk": "S", "sk": "N"}, f"{OWNER}_2": {"pk": "B"}}
"""Key attributes with their types, partition first."""
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")
STATEMENTS = ("ExecuteStatement", "ExecuteTransaction")
EVERY_WRITE = (*WRITES, *STATEMENTS)
READS = ("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems")

TEXTS = (
    *("'", '"', "`", "\\", "\\\\", '\\"', "\\u0041", "\\x41", "\\'", "'''", '"""', "'\"'\"'"),
    *("\\\n", "\r\n", "\0", "\x1b[31m", "\x7f", "\x85", "\u00a0", "\u200b", "\u2028", "\u2029", "\u202e"),
    *("\ufeff", "\ufffd", "\uffff", "\U0001f600", "\U0010ffff"),
    *("$HOME", "${1}", "$(id)", "`id`", "!!", "%s", "%PATH%", "{0}", "{{x}}", "#{x}", "*/", "//", "--"),
    *("<<'REQUEST'", "\nREQUEST\n", "-rf", "--help", "file:///etc/hostname", "fileb:///etc/hostname"),
    *("http://127.0.0.1:1/", "aws.", "types.", "List.of(", "base64.b64decode("),
    *("__proto__", "constructor", "toString", "A" * 300),
)
_HALF = ("\ud800", "\udfff")
_NAMES = tuple(name for name in (*HOSTILE_NAMES, *TEXTS) if name and name not in _HALF)
_STRINGS = tuple(text for text in (*HOSTILE_TEXTS, *TEXTS) if text not in _HALF)
_NUMBERS = (*SPELLINGS, *ODD_SPELLINGS)


@dataclass(frozen=True, slots=True)
class Request:
    operation: str
    _parameters: Mapping[str, Any]
    """With values of the table as `Value`."""

    def as_json(self, owner: str) -> dict[str, Any]:
        return dict(_written(self._parameters, owner, to_dynamodb))

    def as_called(self, owner: str) -> dict[str, Any]:
        """As botocore takes it."""
        return dict(_written(self._parameters, owner, value_to_request))


def table_names(owner: str) -> dict[str, Mapping[str, str]]:
    return {name.replace(OWNER, owner): keys for name, keys in TABLES.items()}


def _written(tree: Any, owner: str, write: Callable[[Value], object]) -> Any:
    match tree:
        case str():
            return tree.replace(OWNER, owner)
        case bool() | int():
            return tree
        case list():
            return [_written(member, owner, write) for member in tree]
        case dict():
            return {name.replace(OWNER, owner): _written(member, owner, write) for name, member in tree.items()}
        case _:
            return write(tree)


class Requests(Generator):
    """Draws requests about few keys, so that they meet the items of those before them."""

    def __init__(self, random: Random) -> None:
        super().__init__(random, hostile=False)
        self._keys = {table: [self._new_key(table) for _ in range(6)] for table in TABLES}
        self._items: dict[tuple[str, int], Item] = {}
        self._count = 0

    def name(self) -> str:
        return self._random.choice(_NAMES)

    def string(self) -> String:
        return String(self._random.choice(_STRINGS))

    def number(self) -> Number:
        return Number(self._random.choice(_NUMBERS))

    def binary(self) -> Binary:
        return Binary(self._random.choice((b"", b"\0", b"\xff\xfe", b"text", b"'\"\\$`", self._random.randbytes(40))))

    def request(self, operation: str) -> Request:
        self._count += 1
        return Request(operation, self._parameters(operation))

    def writes(self, count: int) -> list[Request]:
        """Every operation that changes an item in turn."""
        return [self.request(EVERY_WRITE[number % len(EVERY_WRITE)]) for number in range(count)]

    # ------------------------------------------------------------------------------------------------- operations

    def _parameters(self, operation: str) -> dict[str, Any]:
        match operation:
            case "PutItem" | "UpdateItem" | "DeleteItem":
                table, at = self._some_key()
                action = self._action(operation.removesuffix("Item"), table, at)
                return action | self._random.choice(
                    ({}, {"ReturnValues": "ALL_OLD", "ReturnConsumedCapacity": "TOTAL"})
                )
            case "BatchWriteItem":
                return {"RequestItems": self._batch()}
            case "TransactWriteItems":
                return {"TransactItems": self._actions(), "ClientRequestToken": f"{OWNER}{self._count}"}
            case "ExecuteStatement":
                return self._statement(*self._some_key())
            case "ExecuteTransaction":
                statements = [self._statement(*place) for place in self._some_keys()]
                return {"TransactStatements": statements, "ClientRequestToken": f"{OWNER}{self._count}"}
            case _:
                return self._read(operation)

    def _read(self, operation: str) -> dict[str, Any]:
        table, at = self._some_key()
        key = self._keys[table][at]
        spelled = Placeholders()
        match operation:
            case "Query":
                condition = f"{spelled.name('pk')} = {spelled.value(key['pk'])}"
                limit = {"Limit": 3, "ScanIndexForward": False}
                return {"TableName": table, "KeyConditionExpression": condition, **limit, **_names(spelled)}
            case "Scan":
                condition = self.valid_condition().text(spelled)
                return {"TableName": table, "FilterExpression": condition, **_names(spelled)}
        names = dict.fromkeys((self.name(), self.name(), "likes"))
        asked = {"ProjectionExpression": ", ".join(map(spelled.name, names)), **_names(spelled)}
        match operation:
            case "GetItem":
                return {"TableName": table, "Key": key, "ConsistentRead": True, **asked}
            case "BatchGetItem":
                return {"RequestItems": {table: {"Keys": [key], **asked}}}
            case _:
                return {"TransactItems": [{"Get": {"TableName": table, "Key": key, **asked}}]}

    def _batch(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for table, at in self._some_keys():
            if self._random.random() < 0.7:
                write = {"PutRequest": {"Item": self._item(table, at)}}
            else:
                write = {"DeleteRequest": {"Key": self._keys[table][at]}}
            found.setdefault(table, []).append(write)
        return found

    def _actions(self) -> list[dict[str, Any]]:
        kinds = ("Put", "Update", "Delete", "Put", "Update", "ConditionCheck")
        chosen = [(self._random.choice(kinds), *place) for place in self._some_keys()]
        return [{kind: self._action(kind, table, at)} for kind, table, at in chosen]

    def _action(self, kind: str, table: str, at: int) -> dict[str, Any]:
        self.about(self._items.get((table, at), {}))
        sent: dict[str, Any] = {"TableName": table}
        spelled = Placeholders()
        if kind == "Update":
            sent["UpdateExpression"] = self._update().text(spelled)
        sent |= {"Item": self._item(table, at)} if kind == "Put" else {"Key": self._keys[table][at]}
        if kind == "ConditionCheck" or self._random.random() < 0.4:
            condition: Node = self.valid_condition()
            if self._random.random() < 0.7:
                condition = Exists(DocumentPath.of(self.name()), wanted=False)
            sent["ConditionExpression"] = condition.text(spelled)
        return sent | _names(spelled)

    def _update(self) -> Update:
        if self._random.random() < 0.6:
            paths = dict.fromkeys(DocumentPath.of(self.name()) for _ in range(3))
            return Update(tuple(Set(path, Literal(self.value())) for path in paths))
        while True:
            update = self.valid_update()
            if not {action.path.attribute for action in update.actions} & {"pk", "sk"}:
                return update

    def _statement(self, table: str, at: int) -> dict[str, Any]:
        key = self._keys[table][at]
        where = " AND ".join(f'"{name}" = ?' for name in key)
        match self._random.choice(("INSERT", "UPDATE", "DELETE")):
            case "INSERT":
                item = {name: value for name, value in self._item(table, at).items() if name.isalnum()}
                members = ", ".join(f"'{name}': ?" for name in item)
                return {"Statement": f'INSERT INTO "{table}" VALUE {{{members}}}', "Parameters": list(item.values())}
            case "UPDATE":
                parameters = [self.value(), *key.values()]
                update = f'UPDATE "{table}" SET "it\'s" = ? WHERE {where}'
                return {"Statement": update, "Parameters": parameters}
            case _:
                return {"Statement": f'DELETE FROM "{table}" WHERE {where}', "Parameters": list(key.values())}

    # ------------------------------------------------------------------------------------------------------ items

    def _new_key(self, table: str) -> dict[str, Value]:
        values: dict[str, Value] = {
            "S": String(self._random.choice(TEXTS)),
            "N": Number(str(self._random.randint(-3, 3))),
            "B": Binary(self._random.randbytes(3)),
        }
        return {name: values[kind] for name, kind in TABLES[table].items()}

    def _item(self, table: str, at: int) -> dict[str, Value]:
        item = {**self.item(), "likes": self.number(), **self._keys[table][at]}
        self._items[table, at] = item
        return item

    def _some_key(self) -> tuple[str, int]:
        table = self._random.choice(tuple(TABLES))
        return table, self._random.randrange(len(self._keys[table]))

    def _some_keys(self) -> list[tuple[str, int]]:
        """One to four, each of another item."""
        found = {}
        for table, at in self._some(self._some_key, 1, 4):
            found[tuple(self._keys[table][at].items())] = (table, at)
        return list(found.values())


def _names(spelled: Placeholders) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if spelled.names:
        found["ExpressionAttributeNames"] = spelled.names
    if spelled.values:
        found["ExpressionAttributeValues"] = spelled.values
    return found
