"""Composed requests as the service takes them: every name and value behind a placeholder of its own request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynodesk.domain.actions import (
    Action,
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
)
from dynodesk.domain.expressions import Placeholders, as_sent, read_statement
from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.values import Item, Value

Encode = Callable[[Value], Any]
"""One value of the table, as the taker of the parameters wants it."""

SHOW_OLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
"""So that who loses to a condition sees what is there."""
COUNT_UNITS = {"ReturnConsumedCapacity": "INDEXES"}


def parameters_json(request: ComposedRequest) -> dict[str, Any]:
    """The parameters of the request as DynamoDB JSON, exactly as they are sent: binary as Base64.

    Raises `InvalidExpression` for a statement that is none.
    """
    return parameters_of(request, to_dynamodb)


def parameters_of(request: ComposedRequest, encode: Encode) -> dict[str, Any]:
    """The parameters of `request.operation`. Raises as `parameters_json`."""
    match request:
        case SingleWrite(action):
            back = {"ReturnValues": "ALL_NEW" if isinstance(action, UpdateAction) else "ALL_OLD"}
            return action_parameters(action, encode) | back | SHOW_OLD | COUNT_UNITS
        case SingleGet(action, consistent):
            return action_parameters(action, encode) | {"ConsistentRead": consistent} | COUNT_UNITS
        case TransactWrite(actions, token):
            written = [{action.kind: action_parameters(action, encode) | SHOW_OLD} for action in actions]
            return {"TransactItems": written, "ClientRequestToken": token} | COUNT_UNITS
        case TransactGet(actions):
            return {"TransactItems": [{"Get": action_parameters(action, encode)} for action in actions]} | COUNT_UNITS
        case SingleStatement(statement):
            return _statement(statement, encode) | COUNT_UNITS
        case StatementTransaction(statements, token):
            bound = [_statement(statement, encode) for statement in statements]
            return {"TransactStatements": bound, "ClientRequestToken": token} | COUNT_UNITS


def action_parameters(action: Action, encode: Encode) -> dict[str, Any]:
    """What one action says, without what is to be given back."""
    placeholders = Placeholders()
    found: dict[str, Any] = {"TableName": action.table}
    match action:
        case PutAction(item=item):
            found["Item"] = _encoded(item, encode)
        case UpdateAction(key=key, update=update):
            found |= {"Key": _encoded(key, encode), "UpdateExpression": update.text(placeholders)}
        case DeleteAction(key=key) | CheckAction(key=key):
            found["Key"] = _encoded(key, encode)
        case GetAction(key=key, projection=projection):
            found["Key"] = _encoded(key, encode)
            if projection is not None:
                found["ProjectionExpression"] = projection.text(placeholders)
    if not isinstance(action, GetAction) and action.condition is not None:
        found["ConditionExpression"] = action.condition.text(placeholders)
    if placeholders.names:
        found["ExpressionAttributeNames"] = placeholders.names
    if placeholders.values:
        found["ExpressionAttributeValues"] = _encoded(placeholders.values, encode)
    return found


def _statement(statement: BoundStatement, encode: Encode) -> dict[str, Any]:
    found: dict[str, Any] = {"Statement": as_sent(statement.text)}
    if statement.parameters:
        found["Parameters"] = [encode(value) for value in statement.parameters]
    has_condition = read_statement(statement.text).verb in {"UPDATE", "DELETE"}
    return found | SHOW_OLD if has_condition else found


def _encoded(item: Item, encode: Encode) -> dict[str, Any]:
    return {name: encode(value) for name, value in item.items()}
