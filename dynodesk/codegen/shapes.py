"""The types of the parameters of each operation: where values stand, and what languages with types call the rest.

Names are those of the API Reference. Parameters that it calls legacy are left out: expressions have replaced them.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from dynodesk.domain.errors import InvalidRequest


class NoCode(InvalidRequest):
    """What a language has no equivalent for; the message says why."""

    code = "no-code"
    next_step = "Choose another language or form."


class Scalar(Enum):
    TEXT = auto()
    CHOICE = auto()
    """One of a few texts."""
    INT = auto()
    LONG = auto()
    FLAG = auto()
    VALUE = auto()
    """An attribute's value in DynamoDB JSON."""


@dataclass(frozen=True, slots=True)
class ListOf:
    of: Shape


@dataclass(frozen=True, slots=True)
class MapOf:
    of: Shape


@dataclass(frozen=True, slots=True)
class Structure:
    name: str
    members: Mapping[str, Shape]

    def member(self, name: str) -> Shape:
        """Raises `NoCode`."""
        if name not in self.members:
            raise NoCode(f"{self.name} has no parameter {name} here", hint="Copy the request as JSON.")
        return self.members[name]


Shape = Scalar | ListOf | MapOf | Structure

_TEXT, _CHOICE, _INT, _LONG, _FLAG = Scalar.TEXT, Scalar.CHOICE, Scalar.INT, Scalar.LONG, Scalar.FLAG
_ITEM = MapOf(Scalar.VALUE)

_TABLE: Mapping[str, Shape] = {"TableName": _TEXT}
_NAMES: Mapping[str, Shape] = {"ExpressionAttributeNames": MapOf(_TEXT)}
_PLACEHOLDERS: Mapping[str, Shape] = {**_NAMES, "ExpressionAttributeValues": _ITEM}
_CAPACITY: Mapping[str, Shape] = {"ReturnConsumedCapacity": _CHOICE}
_WRITE_COSTS: Mapping[str, Shape] = {**_CAPACITY, "ReturnItemCollectionMetrics": _CHOICE}
_ON_FAILURE: Mapping[str, Shape] = {"ReturnValuesOnConditionCheckFailure": _CHOICE}
_GUARDED: Mapping[str, Shape] = {**_TABLE, "ConditionExpression": _TEXT, **_PLACEHOLDERS, **_ON_FAILURE}
_WRITE: Mapping[str, Shape] = {**_GUARDED, "ReturnValues": _CHOICE, **_WRITE_COSTS}
_READ: Mapping[str, Shape] = {"ConsistentRead": _FLAG, "ProjectionExpression": _TEXT, **_NAMES}
_SEARCH: Mapping[str, Shape] = {
    **_TABLE,
    **_READ,
    **_PLACEHOLDERS,
    **_CAPACITY,
    "IndexName": _TEXT,
    "Select": _CHOICE,
    "Limit": _INT,
    "FilterExpression": _TEXT,
    "ExclusiveStartKey": _ITEM,
}
_STATEMENT: Mapping[str, Shape] = {"Statement": _TEXT, "Parameters": ListOf(Scalar.VALUE), **_ON_FAILURE}

_WRITE_REQUEST = Structure(
    "WriteRequest",
    {
        "PutRequest": Structure("PutRequest", {"Item": _ITEM}),
        "DeleteRequest": Structure("DeleteRequest", {"Key": _ITEM}),
    },
)
_TRANSACT_WRITE_ITEM = Structure(
    "TransactWriteItem",
    {
        "ConditionCheck": Structure("ConditionCheck", {"Key": _ITEM, **_GUARDED}),
        "Put": Structure("Put", {"Item": _ITEM, **_GUARDED}),
        "Delete": Structure("Delete", {"Key": _ITEM, **_GUARDED}),
        "Update": Structure("Update", {"Key": _ITEM, "UpdateExpression": _TEXT, **_GUARDED}),
    },
)
_GET = Structure("Get", {**_TABLE, "Key": _ITEM, "ProjectionExpression": _TEXT, **_NAMES})

_KEY_SCHEMA = ListOf(Structure("KeySchemaElement", {"AttributeName": _TEXT, "KeyType": _CHOICE}))
_UNITS = Structure("ProvisionedThroughput", {"ReadCapacityUnits": _LONG, "WriteCapacityUnits": _LONG})
_MOST_UNITS = Structure("OnDemandThroughput", {"MaxReadRequestUnits": _LONG, "MaxWriteRequestUnits": _LONG})
_LOCAL_INDEX: Mapping[str, Shape] = {
    "IndexName": _TEXT,
    "KeySchema": _KEY_SCHEMA,
    "Projection": Structure("Projection", {"ProjectionType": _CHOICE, "NonKeyAttributes": ListOf(_TEXT)}),
}
_THROUGHPUT: Mapping[str, Shape] = {"ProvisionedThroughput": _UNITS, "OnDemandThroughput": _MOST_UNITS}
_INDEX: Mapping[str, Shape] = {**_LOCAL_INDEX, **_THROUGHPUT}
_ANY_TABLE: Mapping[str, Shape] = {
    **_TABLE,
    "AttributeDefinitions": ListOf(
        Structure("AttributeDefinition", {"AttributeName": _TEXT, "AttributeType": _CHOICE}),
    ),
    "BillingMode": _CHOICE,
    **_THROUGHPUT,
    "StreamSpecification": Structure("StreamSpecification", {"StreamEnabled": _FLAG, "StreamViewType": _CHOICE}),
    "TableClass": _CHOICE,
    "DeletionProtectionEnabled": _FLAG,
}
_INDEX_UPDATE = Structure(
    "GlobalSecondaryIndexUpdate",
    {
        "Create": Structure("CreateGlobalSecondaryIndexAction", _INDEX),
        "Update": Structure("UpdateGlobalSecondaryIndexAction", {"IndexName": _TEXT, **_THROUGHPUT}),
        "Delete": Structure("DeleteGlobalSecondaryIndexAction", {"IndexName": _TEXT}),
    },
)

OPERATIONS: Mapping[str, Structure] = {
    name: Structure(name, members)
    for name, members in {
        "PutItem": {"Item": _ITEM, **_WRITE},
        "UpdateItem": {"Key": _ITEM, "UpdateExpression": _TEXT, **_WRITE},
        "DeleteItem": {"Key": _ITEM, **_WRITE},
        "GetItem": {"Key": _ITEM, **_TABLE, **_READ, **_CAPACITY},
        "Query": {**_SEARCH, "KeyConditionExpression": _TEXT, "ScanIndexForward": _FLAG},
        "Scan": {**_SEARCH, "Segment": _INT, "TotalSegments": _INT},
        "BatchGetItem": {
            "RequestItems": MapOf(Structure("KeysAndAttributes", {"Keys": ListOf(_ITEM), **_READ})),
            **_CAPACITY,
        },
        "BatchWriteItem": {"RequestItems": MapOf(ListOf(_WRITE_REQUEST)), **_WRITE_COSTS},
        "TransactWriteItems": {
            "TransactItems": ListOf(_TRANSACT_WRITE_ITEM),
            "ClientRequestToken": _TEXT,
            **_WRITE_COSTS,
        },
        "TransactGetItems": {"TransactItems": ListOf(Structure("TransactGetItem", {"Get": _GET})), **_CAPACITY},
        "ExecuteStatement": {
            **_STATEMENT,
            "ConsistentRead": _FLAG,
            "NextToken": _TEXT,
            "Limit": _INT,
            **_CAPACITY,
        },
        "ExecuteTransaction": {
            "TransactStatements": ListOf(Structure("ParameterizedStatement", _STATEMENT)),
            "ClientRequestToken": _TEXT,
            **_CAPACITY,
        },
        "CreateTable": {
            **_ANY_TABLE,
            "KeySchema": _KEY_SCHEMA,
            "LocalSecondaryIndexes": ListOf(Structure("LocalSecondaryIndex", _LOCAL_INDEX)),
            "GlobalSecondaryIndexes": ListOf(Structure("GlobalSecondaryIndex", _INDEX)),
        },
        "UpdateTable": {**_ANY_TABLE, "GlobalSecondaryIndexUpdates": ListOf(_INDEX_UPDATE)},
        "DeleteTable": _TABLE,
    }.items()
}


def shape_of(operation: str) -> Structure:
    """Raises `NoCode` for an operation that is not known here."""
    if operation not in OPERATIONS:
        raise NoCode(f"there is no code for {operation}", hint="Copy the request as JSON.")
    return OPERATIONS[operation]


def binary_as_bytes(operation: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as SDKs take them that write the Base64 themselves. Raises `NoCode`."""
    shape = shape_of(operation)
    return {name: _decoded(shape.member(name), member) for name, member in parameters.items()}


def _decoded(shape: Shape, value: Any) -> Any:
    match shape:
        case Structure():
            return {name: _decoded(shape.member(name), member) for name, member in value.items()}
        case MapOf(of):
            return {name: _decoded(of, member) for name, member in value.items()}
        case ListOf(of):
            return [_decoded(of, member) for member in value]
        case Scalar.VALUE:
            return decoded_value(value)
        case _:
            return value


def decoded_value(tagged: Mapping[str, Any]) -> dict[str, Any]:
    """DynamoDB JSON with bytes in the place of Base64."""
    ((tag, content),) = tagged.items()
    match tag:
        case "B":
            return {tag: base64.b64decode(content)}
        case "BS":
            return {tag: [base64.b64decode(member) for member in content]}
        case "L":
            return {tag: [decoded_value(element) for element in content]}
        case "M":
            return {tag: {name: decoded_value(entry) for name, entry in content.items()}}
        case _:
            return {tag: content}


def holds_bytes(decoded: object) -> bool:
    """Whether what `binary_as_bytes` gave has any."""
    match decoded:
        case bytes():
            return True
        case dict():
            return any(map(holds_bytes, decoded.values()))
        case list():
            return any(map(holds_bytes, decoded))
        case _:
            return False
