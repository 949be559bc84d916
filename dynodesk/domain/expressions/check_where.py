"""Checks of a filter as a person writes it, with every remark at its place in that text."""

from __future__ import annotations

from collections.abc import Sequence

from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions.check_conditions import check_condition
from dynodesk.domain.expressions.check_keys import check_filter
from dynodesk.domain.expressions.check_texts import MAX_EXPRESSION_BYTES, MAX_OPERATORS, operator_count
from dynodesk.domain.expressions.conditions import Condition
from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Span
from dynodesk.domain.expressions.placeholders import Placeholders
from dynodesk.domain.expressions.reading_conditions import parse_where
from dynodesk.domain.expressions.remarks import Marker, Remark
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item, check


def check_where(
    text: str, table: TableInfo, *, index: str | None = None, of_query: bool = False, items: Sequence[Item] = ()
) -> tuple[Condition | None, tuple[Remark, ...]]:
    """The filter that `text` says, None where it cannot be read, and all remarks on it, errors first.

    `items`, loaded from the table, tell what types are met there. Raises `InvalidValue` where the table has no such
    index.
    """
    marker = Marker("FilterExpression", text)
    schema = table.schema_of(index)
    try:
        tree = parse_where(text)
    except InvalidExpression as problem:
        marker.error(Span(problem.offset, problem.length), problem.message, problem.hint)
        return None, tuple(marker.remarks)
    _check_values(tree, marker)
    if of_query:
        check_filter(tree, schema, marker)
    check_condition(tree, marker, items)
    if index is not None:
        _check_projected(tree, table, index, marker)
    marker.remarks += check_limits(tree)
    marker.remarks.sort(key=lambda remark: remark.severity != "error")
    return tree, tuple(marker.remarks)


def _check_values(tree: Condition, marker: Marker) -> None:
    for part in tree.walk():
        if isinstance(part, Literal):
            try:
                check(part.value, "the value")
            except InvalidValue as problem:
                marker.error(part.span, problem.message, problem.hint)


def _check_projected(tree: Condition, table: TableInfo, index: str, marker: Marker) -> None:
    found = table.index(index)
    if found is None or found.kind == "LSI":  # a local one fetches from the table what it has no copy of
        return
    for part in tree.walk():
        if isinstance(part, DocumentPath) and not table.projects(index, part.attribute):
            marker.warning(
                part.span,
                f"{part.attribute} is not projected into {index}: it is missing in every item that is read there",
                "Read the base table.",
            )


def check_limits(tree: Condition) -> tuple[Remark, ...]:
    """The limits of the expression that is sent: values are behind placeholders there, so it is not this text."""
    marker = Marker("FilterExpression")
    length = len(tree.text(Placeholders()).encode("utf-8", "surrogatepass"))
    if length > MAX_EXPRESSION_BYTES:
        marker.error(
            tree.span,
            f"the expression has {length:,} bytes; there may be {MAX_EXPRESSION_BYTES:,}",
            "Ask for less at once, in several reads.",
        )
    if (count := operator_count(tree)) > MAX_OPERATORS:
        marker.error(
            tree.span,
            f"{count} operators and functions; there may be {MAX_OPERATORS}",
            "Ask for less at once, in several reads.",
        )
    return tuple(marker.remarks)
