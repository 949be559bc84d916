"""Expressions refused as the service refuses them: to the embedded server, many are an error 500 or no error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any

from moto.core.responses import ActionResult
from moto.dynamodb.comparisons import ConditionExpressionParser
from moto.dynamodb.exceptions import MockValidationException
from moto.dynamodb.responses import DynamoHandler

MAX_BYTES = 4096
"""Of one expression."""
DEPTH = 20_000
"""Calls inside each other: enough for any update of so many bytes, of which the embedded server takes one part in
each call."""

Answer = Callable[[DynamoHandler], ActionResult]

OPERATIONS = (
    "batch_get_item",
    "delete_item",
    "get_item",
    "put_item",
    "query",
    "scan",
    "transact_get_items",
    "transact_write_items",
    "update_item",
)
"""The handler's methods for all that have expressions."""


def read_expressions_as_the_service_does() -> None:
    """In this process, from here on."""
    sys.setrecursionlimit(DEPTH)
    for operation in OPERATIONS:
        setattr(DynamoHandler, operation, _of_fair_size(getattr(DynamoHandler, operation)))
    parser: Any = ConditionExpressionParser
    parser.parse = _or_refused(parser.parse)


def _of_fair_size(answer: Answer) -> Answer:
    @wraps(answer)
    def answered(handler: DynamoHandler) -> ActionResult:
        for part in _parts(handler.body):
            for name, text in part.items():
                if name.endswith("Expression") and (size := len(text.encode())) > MAX_BYTES:
                    raise MockValidationException(
                        f"Invalid {name}: Expression size has exceeded the maximum allowed size; "
                        f"expression size: {size}"
                    )
        return answer(handler)

    return answered


def _parts(parameters: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The parameters and those of each action or table in them: wherever expressions are, and no item is."""
    yield parameters
    for action in parameters.get("TransactItems", ()):
        yield from action.values()
    yield from parameters.get("RequestItems", {}).values()


def _or_refused(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A condition that cannot be read, or that uses a placeholder which is not there, is the fault of the request."""

    @wraps(parse)
    def parsed(parser: Any) -> Any:
        try:
            return parse(parser)
        except ValueError as fault:
            raise MockValidationException(f"Invalid expression: Syntax error; {fault}") from fault
        except KeyError as fault:
            raise MockValidationException(
                f"Invalid expression: A placeholder used in the expression is not defined: {fault.args[0]}"
            ) from fault

    return parsed
