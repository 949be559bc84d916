"""What a read sends, in one line of words, and the exact request to be copied."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.reading import Portion
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan
from dynodesk.domain.request_code import as_boto3, as_cli, as_json
from dynodesk.domain.requests import key_condition, operation_of, read_request, value_to_request

RequestForm = Literal["json", "boto3", "cli"]


def explained(plan: ReadPlan) -> str:
    """`Query Social through GSI1: GSI1PK = 'USER#7c20' · filter: likedAt > 3 · eventually consistent`."""
    place = plan.table if plan.index is None else f"{plan.table} through {plan.index}"
    said = f"{operation_of(plan)} {place}"
    if isinstance(plan, QueryPlan):
        said += f": {key_condition(plan)}"
    elif plan.segments > 1:
        said += f" in {plan.segments} segments"
    parts = [said]
    if plan.filter is not None:
        parts.append(f"filter: {plan.filter}")
    if isinstance(plan, QueryPlan) and plan.descending:
        parts.append("descending")
    parts.append("strongly consistent" if plan.consistent else "eventually consistent")
    if plan.attributes:
        parts.append(f"returns {', '.join(plan.attributes)}")
    return " · ".join(parts)


def request_text(plan: ReadPlan, portion: Portion, form: RequestForm) -> str:
    """The request for the first page, as it is sent; of a Scan in several segments, that of the first of them."""
    plan = replace(plan, page_limit=portion.page_limit(portion.items))
    if isinstance(plan, ScanPlan) and plan.segments > 1:
        plan = replace(plan, segment=0)
    request = read_request(plan)
    match form:
        case "json":
            return as_json(request.parameters(to_dynamodb))
        case "boto3":
            return as_boto3(request.operation, request.parameters(value_to_request))
        case "cli":
            return as_cli(request.operation, request.parameters(to_dynamodb))
