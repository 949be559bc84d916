"""Reads as requests: what is sent for a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dynodesk.domain.expressions import Condition, Placeholders
from dynodesk.domain.expressions.conditions import And, BeginsWith, Between, Comparison
from dynodesk.domain.expressions.nodes import DocumentPath
from dynodesk.domain.expressions.nodes import Literal as Written
from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Binary, BinarySet, List, Map, Value

ReadOperation = Literal["Query", "Scan", "GetItem"]


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """One request for items. Values are those of the table until `parameters` writes them."""

    operation: ReadOperation
    options: Mapping[str, object]
    """The parameters that hold no values of the table."""
    key: Key = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)

    def parameters(self, write: Callable[[Value], object]) -> dict[str, Any]:
        """All parameters, each only where it says something: unused placeholders are an error of the service."""
        found = dict(self.options)
        if self.key:
            found["Key"] = {name: write(value) for name, value in self.key.items()}
        if self.names:
            found["ExpressionAttributeNames"] = dict(self.names)
        if self.values:
            found["ExpressionAttributeValues"] = {name: write(value) for name, value in self.values.items()}
        return found


def operation_of(plan: ReadPlan) -> ReadOperation:
    if isinstance(plan, ScanPlan):
        return "Scan"
    return "GetItem" if plan.by_key else "Query"


def key_condition(plan: QueryPlan) -> Condition:
    """What a Query asks of keys, partition key first."""
    equal = {**plan.partition, **plan.sort_equals}
    terms: list[Condition] = [Comparison(DocumentPath.of(name), "=", Written(value)) for name, value in equal.items()]
    if plan.sort is not None:
        terms.append(_sort_term(DocumentPath.of(plan.sort_name), plan.sort))
    return terms[0] if len(terms) == 1 else And(tuple(terms))


def read_request(plan: ReadPlan) -> ReadRequest:
    """The request for the first page of a plan; of a Scan in several segments, for that of the one it names."""
    placeholders = Placeholders()
    operation = operation_of(plan)
    options: dict[str, object] = {
        "TableName": plan.table,
        "ConsistentRead": plan.consistent,
        "ReturnConsumedCapacity": "INDEXES",
    }
    if plan.attributes:
        names = [placeholders.name(attribute) for attribute in dict.fromkeys(plan.attributes)]
        options["ProjectionExpression"] = ", ".join(names)
    if isinstance(plan, QueryPlan) and plan.by_key:
        key = {**plan.partition, **plan.sort_equals}
        if plan.sort is not None:
            key[plan.sort_name] = plan.sort.low
        return ReadRequest(operation, options, key, placeholders.names)
    if plan.index is not None:
        options["IndexName"] = plan.index
    if plan.page_limit is not None:
        options["Limit"] = plan.page_limit
    if isinstance(plan, QueryPlan):
        options["KeyConditionExpression"] = key_condition(plan).text(placeholders)
        options["ScanIndexForward"] = not plan.descending
    elif plan.segments > 1 and plan.segment is not None:
        options |= {"Segment": plan.segment, "TotalSegments": plan.segments}
    if plan.filter is not None:
        options["FilterExpression"] = plan.filter.text(placeholders)
    return ReadRequest(operation, options, {}, placeholders.names, placeholders.values)


def _sort_term(path: DocumentPath, condition: SortCondition) -> Condition:
    low = Written(condition.low)
    match condition.operator:
        case "between" if condition.high is not None:
            return Between(path, low, Written(condition.high))
        case "begins_with":
            return BeginsWith(path, low)
        case "between":
            raise ValueError("between takes two values")
        case comparator:
            return Comparison(path, comparator, low)


def value_to_request(value: Value) -> dict[str, Any]:
    """DynamoDB JSON as botocore takes it: binary as bytes, because it writes the Base64 itself."""
    match value:
        case Binary(data):
            return {"B": data}
        case BinarySet(members):
            return {"BS": list(members)}
        case List(elements):
            return {"L": [value_to_request(element) for element in elements]}
        case Map(entries):
            return {"M": {name: value_to_request(entry) for name, entry in entries.items()}}
        case _:
            return to_dynamodb(value)
