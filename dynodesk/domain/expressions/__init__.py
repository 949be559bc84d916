"""Expressions of DynamoDB as trees.

`parse_where` reads a condition with names and values written out, as a rules file has it, `parse_condition` one of a
request with its placeholders. Both give a `Condition`: `condition.holds(item)` decides it as the service would,
`condition.attributes` are the top-level attributes that it looks at, `str(condition)` writes it out again. What cannot
be read is an `InvalidExpression` (of `dynodesk.domain.errors`) with `offset` and `length` of its place.
"""

from dynodesk.domain.expressions.conditions import Condition
from dynodesk.domain.expressions.reading_conditions import parse_condition, parse_where

__all__ = ["Condition", "parse_condition", "parse_where"]
