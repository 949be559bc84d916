"""Composed requests out of the parameters that they are sent with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dynodesk.domain.actions import (
    BoundStatement,
    CheckAction,
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
    WriteAction,
)
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.expressions import parse_condition, parse_projection, parse_update
from dynodesk.domain.item_json import from_dynamodb, item_from_dynamodb
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, KeyValue, Value

_KINDS = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete"}


def request_from_json(operation: str, parameters: Mapping[str, Any]) -> ComposedRequest:
    """The request of parameters in DynamoDB JSON, as `parameters_json` makes them. What else they say is left out.

    Raises `InvalidRequest`, `InvalidExpression` and `InvalidValue` for what is none.
    """
    try:
        return _request(operation, parameters)
    except (KeyError, TypeError, AttributeError) as problem:
        raise InvalidRequest(f"these are not the parameters of {operation}: {problem!r}") from problem


def _request(operation: str, parameters: Mapping[str, Any]) -> ComposedRequest:
    match operation:
        case "PutItem" | "UpdateItem" | "DeleteItem":
            action = _write(_KINDS[operation], parameters)
            if isinstance(action, CheckAction):
                raise TypeError(operation)
            return SingleWrite(action)
        case "GetItem":
            return SingleGet(_get(parameters), bool(parameters.get("ConsistentRead")))
        case "TransactWriteItems":
            actions = tuple(_write(kind, said) for entry in parameters["TransactItems"] for kind, said in entry.items())
            return TransactWrite(actions, parameters["ClientRequestToken"])
        case "TransactGetItems":
            return TransactGet(tuple(_get(entry["Get"]) for entry in parameters["TransactItems"]))
        case "ExecuteStatement":
            return SingleStatement(_statement(parameters))
        case "ExecuteTransaction":
            statements = tuple(map(_statement, parameters["TransactStatements"]))
            return StatementTransaction(statements, parameters["ClientRequestToken"])
        case _:
            raise InvalidRequest(f"{operation} is no request that is composed here")


def _write(kind: str, said: Mapping[str, Any]) -> WriteAction:
    table, names, values = said["TableName"], said.get("ExpressionAttributeNames", {}), _values(said)
    text = said.get("ConditionExpression")
    condition = None if text is None else parse_condition(text, names, values)
    match kind:
        case "Put":
            return PutAction(table, item_from_dynamodb(said["Item"]), condition)
        case "Update":
            update = parse_update(said["UpdateExpression"], names, values)
            return UpdateAction(table, _key(said["Key"]), update, condition)
        case "Delete":
            return DeleteAction(table, _key(said["Key"]), condition)
        case "ConditionCheck" if condition is not None:
            return CheckAction(table, _key(said["Key"]), condition)
        case _:
            raise InvalidRequest(f"{kind} is no action of a transaction that writes")


def _get(said: Mapping[str, Any]) -> GetAction:
    text = said.get("ProjectionExpression")
    projection = None if text is None else parse_projection(text, said.get("ExpressionAttributeNames", {}))
    return GetAction(said["TableName"], _key(said["Key"]), projection)


def _statement(said: Mapping[str, Any]) -> BoundStatement:
    return BoundStatement(said["Statement"], tuple(map(from_dynamodb, said.get("Parameters", ()))))


def _values(said: Mapping[str, Any]) -> Item:
    values: dict[str, Value] = item_from_dynamodb(said.get("ExpressionAttributeValues", {}))
    return values


def _key(found: object) -> Key:
    key = {name: value for name, value in item_from_dynamodb(found).items() if isinstance(value, KeyValue)}
    if not key:
        raise InvalidRequest("an action says which item it is for")
    return key
