"""Requests as parameters: plans, and what the placeholders of expressions stand for."""

from __future__ import annotations

from typing import Literal

from dynodesk.aws.wire import Wire, value_to_request
from dynodesk.domain import expressions
from dynodesk.domain.reads import QueryPlan, ReadPlan

PagedRead = Literal["Query", "Scan"]
"""The operations that read page after page."""


class Placeholders(expressions.Placeholders):
    """The names and values of one request, as its parameters."""

    def parameters(self) -> Wire:
        """`ExpressionAttributeNames` and `ExpressionAttributeValues`, each only where there are any."""
        parameters: Wire = {}
        if self.names:
            parameters["ExpressionAttributeNames"] = self.names
        if self.values:
            parameters["ExpressionAttributeValues"] = {
                placeholder: value_to_request(value) for placeholder, value in self.values.items()
            }
        return parameters


def key_condition(plan: QueryPlan, placeholders: Placeholders) -> str:
    """The key condition expression of a Query."""
    terms = [f"{placeholders.name(name)} = {placeholders.value(value)}" for name, value in plan.partition.items()]
    if plan.sort is not None:
        name, low = placeholders.name(plan.sort_name), placeholders.value(plan.sort.low)
        match plan.sort.operator:
            case "between" if plan.sort.high is not None:
                terms.append(f"{name} BETWEEN {low} AND {placeholders.value(plan.sort.high)}")
            case "begins_with":
                terms.append(f"begins_with({name}, {low})")
            case operator:
                terms.append(f"{name} {operator} {low}")
    return " AND ".join(terms)


def projection(attributes: tuple[str, ...], placeholders: Placeholders) -> Wire:
    """The projection of a read, empty where everything is asked for."""
    names = [placeholders.name(attribute) for attribute in dict.fromkeys(attributes)]
    return {"ProjectionExpression": ", ".join(names)} if names else {}


def request_of(plan: ReadPlan) -> tuple[PagedRead, Wire]:
    """The operation that reads a plan, and its parameters for the first page."""
    placeholders = Placeholders()
    parameters: Wire = {
        "TableName": plan.table,
        "ConsistentRead": plan.consistent,
        "ReturnConsumedCapacity": "INDEXES",
        **projection(plan.attributes, placeholders),
    }
    if plan.index is not None:
        parameters["IndexName"] = plan.index
    if plan.page_limit is not None:
        parameters["Limit"] = plan.page_limit
    if isinstance(plan, QueryPlan):
        parameters["KeyConditionExpression"] = key_condition(plan, placeholders)
        parameters["ScanIndexForward"] = not plan.descending
    if plan.filter is not None:
        parameters["FilterExpression"] = plan.filter.text(placeholders)
    operation: PagedRead = "Query" if isinstance(plan, QueryPlan) else "Scan"
    return operation, parameters | placeholders.parameters()
