"""Checks of a filter as a person writes it, with every remark at its place in that text."""

from __future__ import annotations

from collections.abc import Sequence

from dynodesk.domain.expressions.check_conditions import check_condition
from dynodesk.domain.expressions.check_dots import check_dots
from dynodesk.domain.expressions.check_keys import check_filter
from dynodesk.domain.expressions.check_written import mark_limits, read_written
from dynodesk.domain.expressions.conditions import Condition
from dynodesk.domain.expressions.nodes import DocumentPath
from dynodesk.domain.expressions.placeholders import Placeholders
from dynodesk.domain.expressions.reading_conditions import parse_where
from dynodesk.domain.expressions.remarks import Marker, Remark, errors_first
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item


def check_where(
    text: str, table: TableInfo, *, index: str | None = None, of_query: bool = False, items: Sequence[Item] = ()
) -> tuple[Condition | None, tuple[Remark, ...]]:
    """The filter that `text` says, None where it cannot be read, and all remarks on it, errors first.

    `items`, loaded from the table, tell what types are met there. Raises `InvalidValue` where the table has no such
    index.
    """
    marker = Marker("FilterExpression", text)
    schema = table.schema_of(index)
    tree = read_written(parse_where, marker)
    if tree is None:
        return None, tuple(marker.remarks)
    if of_query:
        check_filter(tree, schema, marker)
    check_condition(tree, marker, items)
    check_dots(tree, marker, items, is_written_out=True)
    if index is not None:
        _check_projected(tree, table, index, marker)
    marker.remarks += check_limits(tree)
    return tree, errors_first(marker.remarks)


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
    """The limits of the filter that is sent."""
    marker = Marker("FilterExpression")
    mark_limits(tree, Placeholders(), marker, "Ask for less at once, in several reads.")
    return tuple(marker.remarks)
