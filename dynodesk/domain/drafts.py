"""Composed requests while they are typed: their expressions are written out, and nothing in them need be right yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from dynodesk.domain.actions import (
    Action,
    ActionKind,
    BoundStatement,
    CheckAction,
    ComposedOperation,
    ComposedRequest,
    DeleteAction,
    GetAction,
    PutAction,
    SingleGet,
    SingleStatement,
    SingleWrite,
    StatementTransaction,
    TransactGet,
    TransactWrite,
    UpdateAction,
    actions_of,
)
from dynodesk.domain.errors import InvalidFile, InvalidValue
from dynodesk.domain.item_json import from_dynamodb, to_dynamodb
from dynodesk.domain.values import Value

KINDS_OF: dict[ComposedOperation, tuple[ActionKind, ...]] = {
    "PutItem": ("Put",),
    "UpdateItem": ("Update",),
    "DeleteItem": ("Delete",),
    "GetItem": ("Get",),
    "TransactWriteItems": ("Put", "Update", "Delete", "ConditionCheck"),
    "TransactGetItems": ("Get",),
    "ExecuteStatement": (),
    "ExecuteTransaction": (),
}
"""The actions that an operation takes; those of PartiQL take statements."""
TRANSACTIONS: frozenset[ComposedOperation] = frozenset({"TransactWriteItems", "TransactGetItems", "ExecuteTransaction"})
WITH_TOKEN: frozenset[ComposedOperation] = frozenset({"TransactWriteItems", "ExecuteTransaction"})
STATEMENTS: frozenset[ComposedOperation] = frozenset({"ExecuteStatement", "ExecuteTransaction"})


@dataclass(frozen=True, slots=True)
class DraftAction:
    """One action as it is typed. The expressions are written out, "" where there is none."""

    kind: ActionKind
    table: str
    attributes: tuple[tuple[str, Value], ...] = ()
    """Of a Put the item, of every other the key: names and values in the order typed, a name perhaps twice."""
    update: str = ""
    condition: str = ""
    projection: str = ""
    may_create: bool = False
    """Of an update: that it makes the item where there is none is agreed to."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A request as it is typed. It has actions or statements, as its operation says."""

    operation: ComposedOperation
    actions: tuple[DraftAction, ...] = ()
    statements: tuple[BoundStatement, ...] = ()
    token: str = ""
    """Of a transaction that writes."""
    consistent: bool = True
    """Of a GetItem."""


def draft_of(request: ComposedRequest, *, may_create: bool = False) -> Draft:
    """The draft that says what the request says. `may_create`: its updates are meant to make items, too."""
    actions = tuple(_draft_action(action, may_create=may_create) for action in actions_of(request))
    match request:
        case SingleStatement(statement):
            return Draft(request.operation, statements=(statement,))
        case StatementTransaction(statements, token):
            return Draft(request.operation, statements=statements, token=token)
        case TransactWrite(token=token):
            return Draft(request.operation, actions, token=token)
        case SingleGet(consistent=consistent):
            return Draft(request.operation, actions, consistent=consistent)
        case SingleWrite() | TransactGet():
            return Draft(request.operation, actions)


def _draft_action(action: Action, *, may_create: bool) -> DraftAction:
    match action:
        case PutAction(table, item, condition):
            return DraftAction("Put", table, tuple(item.items()), condition=_text(condition))
        case UpdateAction(table, key, update, condition):
            attributes = tuple(key.items())
            return DraftAction("Update", table, attributes, str(update), _text(condition), may_create=may_create)
        case DeleteAction(table, key, condition) | CheckAction(table, key, condition):
            return DraftAction(action.kind, table, tuple(key.items()), condition=_text(condition))
        case GetAction(table, key, projection):
            return DraftAction("Get", table, tuple(key.items()), projection=_text(projection))


def _text(tree: object | None) -> str:
    return "" if tree is None else str(tree)


# ---------------------------------------------------------------------------------------------------------- for files


def draft_to_json(draft: Draft) -> dict[str, Any]:
    """For a file of JSON, which gives the same draft back, character by character."""
    return {
        "operation": draft.operation,
        "actions": [
            {
                "kind": action.kind,
                "table": action.table,
                "attributes": [[name, to_dynamodb(value)] for name, value in action.attributes],
                "update": action.update,
                "condition": action.condition,
                "projection": action.projection,
                "may_create": action.may_create,
            }
            for action in draft.actions
        ],
        "statements": [
            {"text": statement.text, "parameters": [to_dynamodb(value) for value in statement.parameters]}
            for statement in draft.statements
        ],
        "token": draft.token,
        "consistent": draft.consistent,
    }


def draft_from_json(found: Any) -> Draft:
    """Raises `InvalidFile` for what `draft_to_json` did not make."""
    try:
        return _draft(found)
    except (InvalidValue, KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InvalidFile("the request cannot be read", details=repr(problem)) from problem


def _draft(found: Any) -> Draft:
    operation = _one_of(get_args(ComposedOperation), found["operation"])
    return Draft(
        operation,
        tuple(_action(action, operation) for action in found["actions"]),
        tuple(
            BoundStatement(_string(statement["text"]), tuple(map(from_dynamodb, statement["parameters"])))
            for statement in found["statements"]
        ),
        _string(found["token"]),
        _flag(found["consistent"]),
    )


def _action(found: Any, operation: ComposedOperation) -> DraftAction:
    return DraftAction(
        _one_of(KINDS_OF[operation], found["kind"]),
        _string(found["table"]),
        tuple((_string(name), from_dynamodb(value)) for name, value in found["attributes"]),
        _string(found["update"]),
        _string(found["condition"]),
        _string(found["projection"]),
        _flag(found["may_create"]),
    )


def _one_of(known: tuple[Any, ...], found: object) -> Any:
    return found if found in known else _wrong(found)


def _string(found: object) -> str:
    return found if isinstance(found, str) else _wrong(found)


def _flag(found: object) -> bool:
    return found if isinstance(found, bool) else _wrong(found)


def _wrong(found: object) -> Any:
    raise ValueError(f"{found!r} has no place in it")
