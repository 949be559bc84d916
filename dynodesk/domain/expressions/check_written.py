"""Checks of what a write or a read of one item says, written out by a person: every remark at its place in that text.

The request that is sent has all names and values behind placeholders. So reserved words, odd names and parentheses too
many are no mistakes here, and the limits are those of the text that is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions.check_conditions import check_condition
from dynodesk.domain.expressions.check_dots import check_dots
from dynodesk.domain.expressions.check_texts import MAX_EXPRESSION_BYTES, MAX_OPERATORS, operator_count
from dynodesk.domain.expressions.check_updates import (
    check_counters,
    check_ghost,
    check_keys,
    check_on_items,
    check_update,
)
from dynodesk.domain.expressions.checks import MAX_SUBSTITUTED_BYTES, check_projection
from dynodesk.domain.expressions.conditions import Condition
from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Span
from dynodesk.domain.expressions.placeholders import Placeholders
from dynodesk.domain.expressions.projections import Projection
from dynodesk.domain.expressions.reading_conditions import parse_where
from dynodesk.domain.expressions.reading_updates import parse_changes, parse_paths
from dynodesk.domain.expressions.remarks import Marker, Remark, errors_first
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.expressions.updates import Update
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item, check, check_name, size

Tree = TypeVar("Tree", Condition, Update, Projection)
SPLIT = "Split the request."


def check_changes(
    update: str,
    condition: str,
    table: TableInfo,
    *,
    items: Sequence[Item] = (),
    in_transaction: bool = False,
    may_create: bool = False,
) -> tuple[Update | None, Condition | None, tuple[Remark, ...]]:
    """The update and its condition that the texts say, and all remarks on them, errors first.

    A tree is None where its text cannot be read, that of the condition where none is given, too. Remarks have the part
    `UpdateExpression` or `ConditionExpression` and their place in that text. `items`, loaded from the table, tell what
    types are met there. In a transaction with a token an update is not applied twice. `may_create`: it is meant that
    the update makes an item where there is none.
    """
    of_update, of_condition = Marker("UpdateExpression", update), Marker("ConditionExpression", condition)
    placeholders = Placeholders()
    changes = read_written(parse_changes, of_update)
    if changes is not None:
        check_update(changes, of_update)
        check_on_items(changes, items, of_update)
        check_dots(changes, of_update, items, is_written_out=True)
        check_keys(changes, table, of_update)
        mark_limits(changes, placeholders, of_update)
    is_guarded = bool(condition.strip())
    guard = _write_condition(of_condition, items, placeholders) if is_guarded else None
    if changes is not None and (guard is not None or not is_guarded):  # else what it guards is not known
        exists = f"attribute_exists({WRITTEN_OUT.name(table.key_schema.names[0])})"
        if not may_create:
            check_ghost(changes, guard, condition if is_guarded else "", exists, {}, of_condition)
        if not in_transaction:
            check_counters(changes, guard, of_update)
    _mark_substituted(placeholders, of_update)
    return changes, guard, errors_first(of_update.remarks + of_condition.remarks)


def check_write_condition(text: str, *, items: Sequence[Item] = ()) -> tuple[Condition | None, tuple[Remark, ...]]:
    """The condition of a put, a delete or a condition check, None where it cannot be read, and all remarks on it."""
    marker, placeholders = Marker("ConditionExpression", text), Placeholders()
    tree = _write_condition(marker, items, placeholders)
    _mark_substituted(placeholders, marker)
    return tree, errors_first(marker.remarks)


def check_paths(text: str) -> tuple[Projection | None, tuple[Remark, ...]]:
    """The projection that `text` says, None where it cannot be read, and all remarks on it, errors first."""
    marker = Marker("ProjectionExpression", text)
    tree = read_written(parse_paths, marker)
    if tree is not None:
        check_projection(tree, marker)
        mark_limits(tree, Placeholders(), marker)
    return tree, errors_first(marker.remarks)


def _write_condition(marker: Marker, items: Sequence[Item], placeholders: Placeholders) -> Condition | None:
    tree = read_written(parse_where, marker)
    if tree is not None:
        check_condition(tree, marker, items)
        check_dots(tree, marker, items, is_written_out=True)
        mark_limits(tree, placeholders, marker)
    return tree


def read_written(parse: Callable[[str], Tree], marker: Marker) -> Tree | None:
    """The tree of the marker's text, None where it cannot be read. What is wrong in the text itself is marked."""
    try:
        tree = parse(marker.text)
    except InvalidExpression as problem:
        marker.error(Span(problem.offset, problem.length), problem.message, problem.hint)
        return None
    for part in tree.walk():
        try:
            match part:
                case Literal(value):
                    check(value, "the value")
                case DocumentPath(steps):
                    for step in steps:
                        if isinstance(step, str):
                            check_name(step)
                case _:
                    pass
        except InvalidValue as problem:
            marker.error(part.span, problem.message, problem.hint)
    return tree


def mark_limits(tree: Tree, placeholders: Placeholders, marker: Marker, fix: str = SPLIT) -> None:
    """Mark a text that is too long, or says too much, once it is sent with `placeholders`: values are behind them."""
    length = _bytes_of(tree.text(placeholders))
    if length > MAX_EXPRESSION_BYTES:
        marker.error(tree.span, f"the expression has {length:,} bytes; there may be {MAX_EXPRESSION_BYTES:,}", fix)
    if (count := operator_count(tree)) > MAX_OPERATORS:
        marker.error(tree.span, f"{count} operators and functions; there may be {MAX_OPERATORS}", fix)


def _mark_substituted(placeholders: Placeholders, marker: Marker) -> None:
    total = sum(map(_bytes_of, placeholders.names.values())) + sum(map(size, placeholders.values.values()))
    if total > MAX_SUBSTITUTED_BYTES:
        message = f"names and values have {total:,} bytes; there may be {MAX_SUBSTITUTED_BYTES:,}"
        marker.error(Span(0, len(marker.text)), message, SPLIT)


def _bytes_of(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
