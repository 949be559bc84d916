"""Comparisons of values of different types: false to DynamoDB, an error 500 to the embedded server.

In sample tables with one text among numbers, nobody could filter by the number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from moto.dynamodb import comparisons

Compare = Callable[[Any, Any], bool]


def compare_as_the_service_does() -> None:
    """In this process, from here on."""
    kinds: tuple[Any, ...] = (
        comparisons.OpLessThan,
        comparisons.OpLessThanOrEqual,
        comparisons.OpGreaterThan,
        comparisons.OpGreaterThanOrEqual,
        comparisons.FuncBetween,
    )
    for kind in kinds:
        kind.expr = _false_where_types_differ(kind.expr)


def _false_where_types_differ(compare: Compare) -> Compare:
    @wraps(compare)
    def compared(self: Any, item: Any) -> bool:
        try:
            return compare(self, item)
        except TypeError:  # of Python, whose values of different types have no order
            return False

    return compared
