"""Requests as parameters: plans with what their placeholders stand for."""

from __future__ import annotations

from dynodesk.aws.wire import Wire
from dynodesk.domain.reads import ReadPlan
from dynodesk.domain.requests import ReadOperation, read_request, value_to_request


def request_of(plan: ReadPlan) -> tuple[ReadOperation, Wire]:
    """The operation that reads a plan, and its parameters for the first page."""
    request = read_request(plan)
    return request.operation, request.parameters(value_to_request)
