"""Expressions of DynamoDB as trees: read, decided or applied, and written again.

Reading, where what cannot be read is an `InvalidExpression` (of `dynodesk.domain.errors`) with the `offset` and
`length` of its place:

- `parse_where`, `parse_changes` and `parse_paths` read a condition, an update and a projection with names and values
  written out, as a rules file has them;
- `parse_condition`, `parse_update` and `parse_projection` read those of a request with its placeholders; filters and
  key conditions are conditions.

Using: `condition.holds(item)` decides as the service would, `update.apply(item)` gives the item that it would store,
and `attributes` of either are the top-level attributes that it looks at. `reasons` tells which terms of a condition
decided, and what they found.

Writing: `str` gives what the first three read. `tree.text(placeholders)` gives the text for a request; all expressions
of one request share one `Placeholders`, whose `names` and `values` go with them.

Checking: `check_request` says what is wrong with the `RequestExpressions` of a request, or may not be meant, as
`Remark`s with their places and fixes. Of texts with their names and values written out, `check_where` says it of a
filter, `check_changes` of an update with its condition, `check_write_condition` of a condition alone, and `check_paths`
of a projection.
`read_statement` and `check_statement` do what can be done for PartiQL: the verb, the table, whether it reads
everything.
"""

from dynodesk.domain.expressions.check_where import check_where
from dynodesk.domain.expressions.check_written import check_changes, check_paths, check_write_condition
from dynodesk.domain.expressions.checks import check_request
from dynodesk.domain.expressions.conditions import Condition
from dynodesk.domain.expressions.partiql import Statement, as_sent, check_statement, read_statement
from dynodesk.domain.expressions.placeholders import Placeholders
from dynodesk.domain.expressions.projections import Projection
from dynodesk.domain.expressions.reading_conditions import parse_condition, parse_where
from dynodesk.domain.expressions.reading_updates import parse_changes, parse_paths, parse_projection, parse_update
from dynodesk.domain.expressions.reasons import Reason, reasons
from dynodesk.domain.expressions.remarks import Remark, RequestExpressions
from dynodesk.domain.expressions.updates import Update

__all__ = [
    "Condition",
    "Placeholders",
    "Projection",
    "Reason",
    "Remark",
    "RequestExpressions",
    "Statement",
    "Update",
    "as_sent",
    "check_changes",
    "check_paths",
    "check_request",
    "check_statement",
    "check_where",
    "check_write_condition",
    "parse_changes",
    "parse_condition",
    "parse_paths",
    "parse_projection",
    "parse_update",
    "parse_where",
    "read_statement",
    "reasons",
]
