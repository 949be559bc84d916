"""The members of a request as the API names them: what each kind of request has, and what they tell of it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from dynodesk.domain.actions import ActionKind
from dynodesk.domain.errors import InvalidRequest

_REPORTS = frozenset(
    {
        *("ReturnValues", "ReturnValuesOnConditionCheckFailure"),
        *("ReturnConsumedCapacity", "ReturnItemCollectionMetrics"),
    }
)
"""What a request wants to be told. It changes nothing."""
_PLACEHOLDERS = frozenset({"ExpressionAttributeNames", "ExpressionAttributeValues"})
MEMBERS: Mapping[ActionKind, frozenset[str]] = {
    "Put": _PLACEHOLDERS | {"TableName", "Item", "ConditionExpression"},
    "Update": _PLACEHOLDERS | {"TableName", "Key", "UpdateExpression", "ConditionExpression"},
    "Delete": _PLACEHOLDERS | {"TableName", "Key", "ConditionExpression"},
    "ConditionCheck": _PLACEHOLDERS | {"TableName", "Key", "ConditionExpression"},
    "Get": frozenset({"TableName", "Key", "ProjectionExpression", "ExpressionAttributeNames"}),
}
_LEGACY = {
    "Expected": "ConditionExpression",
    "ConditionalOperator": "AND and OR in ConditionExpression",
    "AttributeUpdates": "UpdateExpression",
    "AttributesToGet": "ProjectionExpression",
    "KeyConditions": "KeyConditionExpression",
    "QueryFilter": "FilterExpression",
    "ScanFilter": "FilterExpression",
}
"""Parameters of the time before expressions, and what has replaced them."""
_NEW_VALUES = frozenset({"ALL_NEW", "UPDATED_NEW", "UPDATED_OLD"})
"""What only an UpdateItem can be asked to return."""


def operation_of(members: Mapping[str, Any]) -> str:
    """Told from the members of a request. Raises `InvalidRequest` where two operations have them."""
    for member, operation in (
        ("TransactStatements", "ExecuteTransaction"),
        ("Statement", "ExecuteStatement"),
        ("Item", "PutItem"),
        ("UpdateExpression", "UpdateItem"),
        ("AttributeUpdates", "UpdateItem"),
        ("KeyConditionExpression", "Query"),
        ("KeyConditions", "Query"),
        ("RequestItems", "a batch"),
        ("Statements", "a batch"),
    ):
        if member in members:
            return operation
    if "TransactItems" in members:
        listed = members["TransactItems"]
        is_read = (
            isinstance(listed, list) and listed and all(isinstance(each, dict) and "Get" in each for each in listed)
        )
        return "TransactGetItems" if is_read else "TransactWriteItems"
    if "Key" not in members:
        return "Scan" if "TableName" in members else _unclear("it is not told what the request is")
    if "ReturnValues" in members:
        return "UpdateItem" if members["ReturnValues"] in _NEW_VALUES else "DeleteItem"
    if "ConditionExpression" in members or "Expected" in members:
        return _unclear("this may be a DeleteItem or a ConditionCheck")
    return "GetItem"


def _unclear(message: str) -> str:
    raise InvalidRequest(message, hint='Say it around it, as {"PutItem": {…}} or {"ConditionCheck": {…}}.')


def refuse_unknown(found: Mapping[str, Any], known: Iterable[str] | None, place: str) -> None:
    """`known`: None where only what is legacy is refused."""
    for name in found:
        if name in _LEGACY:
            raise InvalidRequest(
                f"{place}: {name} is a legacy parameter", hint=f"{_LEGACY[name]} says the same: write it with that."
            )
        if known is not None and name not in known and name not in _REPORTS:
            near = difflib.get_close_matches(name, known, n=1)
            raise InvalidRequest(
                f"{place}: {name} has no place in it", hint=f"Is it {near[0]}?" if near else "Leave it out."
            )


def as_mapping(found: object, place: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise InvalidRequest(f"{place}: a JSON object is expected")
    return found


def as_list(found: object, place: str) -> list[Any]:
    if not isinstance(found, list):
        raise InvalidRequest(f"{place}: a list is expected")
    return found


def as_text(found: object, place: str) -> str:
    if not isinstance(found, str):
        raise InvalidRequest(f"{place}: a text is expected")
    return found
