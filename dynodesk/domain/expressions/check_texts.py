"""Checks of one expression's text: that it can be read, its length, its names, its parentheses, its operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions.conditions import And, Condition, Or, Size
from dynodesk.domain.expressions.lexer import tokens
from dynodesk.domain.expressions.nodes import Node, Span
from dynodesk.domain.expressions.projections import Projection
from dynodesk.domain.expressions.reading import Reader
from dynodesk.domain.expressions.reading_conditions import ConditionReader
from dynodesk.domain.expressions.reading_updates import ProjectionReader, UpdateReader
from dynodesk.domain.expressions.remarks import Marker, Remark, alias_for
from dynodesk.domain.expressions.reserved import RESERVED_WORDS
from dynodesk.domain.expressions.updates import IfNotExists, ListAppend, Sum, Update
from dynodesk.domain.values import Value

MAX_EXPRESSION_BYTES = 4096  # Developer Guide, "Service, account, and table quotas", of one expression
MAX_OPERATORS = 300  # same page, operators and functions

Tree = TypeVar("Tree", Condition, Update, Projection)
AnyReader = TypeVar("AnyReader", bound=Reader)


def read_condition(marker: Marker, names: Mapping[str, str], values: Mapping[str, Value]) -> Condition | None:
    """The tree of the marker's text, None where it cannot be read. What is wrong with the text is marked."""
    return _read(marker, names, values, ConditionReader, ConditionReader.condition)


def read_update(marker: Marker, names: Mapping[str, str], values: Mapping[str, Value]) -> Update | None:
    return _read(marker, names, values, UpdateReader, UpdateReader.update)


def read_projection(marker: Marker, names: Mapping[str, str]) -> Projection | None:
    return _read(marker, names, {}, ProjectionReader, ProjectionReader.projection)


def _read(
    marker: Marker,
    names: Mapping[str, str],
    values: Mapping[str, Value],
    reader_of: Callable[[str, Mapping[str, str], Mapping[str, Value]], AnyReader],
    tree_of: Callable[[AnyReader], Tree],
) -> Tree | None:
    _check_length(marker)
    try:
        if not _has_its_placeholders(marker, names, values):
            return None
        reader = reader_of(marker.text, names, values)
        tree = tree_of(reader)
    except InvalidExpression as problem:
        marker.error(Span(problem.offset, problem.length), problem.message, problem.hint)
        return None
    _check_names(marker, reader, names)
    for span in reader.redundant:
        inner = marker.at(span)[1:-1].strip()
        marker.error(span, "redundant parentheses", "One pair is enough.", inner)
    count = operator_count(tree)
    if count > MAX_OPERATORS:
        marker.error(tree.span, f"{count} operators and functions; there may be {MAX_OPERATORS}", "Split the request.")
    return tree


def _has_its_placeholders(marker: Marker, names: Mapping[str, str], values: Mapping[str, Value]) -> bool:
    complete = True
    for token in tokens(marker.text, literals=False):
        if token.kind == "alias" and token.text not in names:
            marker.error(token.span, f"{token.text} stands for no name", "Give it in ExpressionAttributeNames.")
            complete = False
        elif token.kind == "placeholder" and token.text not in values:
            marker.error(token.span, f"{token.text} stands for no value", "Give it in ExpressionAttributeValues.")
            complete = False
    return complete


def _check_length(marker: Marker) -> None:
    encoded = marker.text.encode("utf-8", "surrogatepass")
    if len(encoded) > MAX_EXPRESSION_BYTES:
        kept = len(encoded[:MAX_EXPRESSION_BYTES].decode("utf-8", "ignore"))
        marker.error(
            Span(kept, len(marker.text) - kept),
            f"the expression has {len(encoded)} bytes; there may be {MAX_EXPRESSION_BYTES}",
            "Use short aliases, or split the request.",
        )


def _check_names(marker: Marker, reader: Reader, names: Mapping[str, str]) -> None:
    for token in reader.bare_names:
        if token.text.upper() in RESERVED_WORDS:
            problem = f"{token.text} is a reserved word"
        elif token.text.startswith("_"):
            problem = f"{token.text} starts with an underscore"
        else:
            continue
        alias = alias_for(token.text, names)
        added = {} if alias in names else {alias: token.text}
        fix = f"Give it the alias {alias}."
        marker.add(Remark("error", marker.part, token.span, problem, fix, alias, added))


def operator_count(tree: Node) -> int:
    """How many operators and functions the service counts in it."""
    return sum(map(_operators, tree.walk()))


def _operators(node: Node) -> int:
    match node:
        case And(terms) | Or(terms):
            return len(terms) - 1
        case Condition() | Size() | Sum() | IfNotExists() | ListAppend():
            return 1
        case _:
            return 0
