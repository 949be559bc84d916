"""Checks of what a condition says: types that do not go together, ends the wrong way round, what it cannot find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dynodesk.domain.expressions.conditions import (
    BeginsWith,
    Between,
    Comparison,
    Condition,
    Contains,
    In,
    Size,
    is_ordered,
)
from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Node
from dynodesk.domain.expressions.remarks import Marker
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.values import (
    Binary,
    Boolean,
    Item,
    Null,
    Number,
    String,
    Value,
    type_tag,
    type_word,
)

MAX_IN_OPERANDS = 100  # Developer Guide, "Service, account, and table quotas"

_HOLDS: dict[str, str] = {"S": "S", "B": "B", "SS": "S", "NS": "N", "BS": "B"}
"""What `contains` finds in a value of each type; in a list it finds anything, in every other type nothing."""


def check_condition(tree: Condition, marker: Marker, items: Sequence[Item]) -> None:
    """Mark what the service refuses whatever the item, and what `items` show to be meant otherwise."""
    for node in tree.walk():
        match node:
            case Comparison(left, comparator, right):
                _check_distinct(left, right, node, marker)
                if comparator not in {"=", "<>"}:
                    _check_ordered(comparator, (left, right), marker)
                _check_comparison(node, marker, items)
            case Between(operand, low, high):
                _check_between(operand, low, high, marker, items)
            case In(operand, choices):
                if len(choices) > MAX_IN_OPERANDS:
                    surplus = choices[MAX_IN_OPERANDS].span.to(choices[-1].span)
                    marker.error(surplus, f"IN has {len(choices)} values; there may be {MAX_IN_OPERANDS}", "Use OR.")
            case BeginsWith(operand, prefix):
                _check_distinct(operand, prefix, node, marker)
                _check_begins_with(operand, prefix, marker, items)
            case Contains(operand, sought):
                _check_distinct(operand, sought, node, marker)
                _check_contains(operand, sought, marker, items)
            case Size(Literal(Number() | Boolean() | Null()) as operand):
                marker.error(operand.span, f"a {_word(operand)} has no size")
            case _:
                pass


def census(path: DocumentPath, items: Sequence[Item]) -> Counter[str]:
    """How many items have which type at a path; "" counts those where it is missing."""
    found = (path.find(item) for item in items)
    return Counter("" if value is None else type_tag(value) for value in found)


def in_words(counted: Counter[str]) -> str:
    """`N in 2 items, S in 1, missing in 1`."""
    types = [(tag, count) for tag, count in counted.most_common() if tag]
    missing = [("missing", counted[""])] if counted[""] else []
    items = " item" if (types + missing)[0][1] == 1 else " items"
    return ", ".join(f"{what} in {count}{items * (not at)}" for at, (what, count) in enumerate(types + missing))


def _word(operand: Node) -> str:
    return type_word(operand.value) if isinstance(operand, Literal) else "size"


def _check_distinct(first: Node, second: Node, node: Node, marker: Marker) -> None:
    if isinstance(first, DocumentPath) and first == second:
        marker.error(node.span, f"{first.text(WRITTEN_OUT)} is compared with itself")


def _check_ordered(operator: str, operands: tuple[Node, ...], marker: Marker) -> None:
    for operand in operands:
        if isinstance(operand, Literal) and not isinstance(operand.value, String | Number | Binary):
            marker.error(
                operand.span,
                f"{operator} does not work on a {_word(operand)}",
                "Only strings, numbers and binary values have an order.",
            )


def _check_between(operand: Node, low: Node, high: Node, marker: Marker, items: Sequence[Item]) -> None:
    _check_ordered("BETWEEN", (operand, low, high), marker)
    if not (isinstance(low, Literal) and isinstance(high, Literal)):
        return
    ends = low.span.to(high.span)
    if type(low.value) is not type(high.value):
        marker.error(ends, f"the ends have different types: {_word(low)} and {_word(high)}")
    elif is_ordered(high.value, "<", low.value):
        turned = f"{marker.at(high.span)} AND {marker.at(low.span)}"
        marker.error(ends, "the lower end is above the upper one", "Turn them round.", turned)
    elif isinstance(operand, DocumentPath):
        _check_types(operand, low.value, "compares with", marker, items)


def _check_comparison(node: Comparison, marker: Marker, items: Sequence[Item]) -> None:
    path, value = node.left, node.right
    if isinstance(path, Literal):
        path, value = value, path
    if not isinstance(value, Literal):
        return
    if isinstance(path, Size) and not isinstance(value.value, Number):
        marker.warning(value.span, f"a size is a Number and never a {_word(value)}")
    if not isinstance(path, DocumentPath):
        return
    if isinstance(value.value, Null) and node.comparator == "=":
        name = path.text(WRITTEN_OUT)
        marker.warning(
            node.span,
            f"{name} = NULL finds where NULL is stored, not where {name} is missing",
            f"For those: attribute_not_exists({marker.at(path.span)}).",
        )
    if node.comparator == "<>":
        _check_unequal(path, value.value, marker, items)
    else:
        verb = "equals" if node.comparator == "=" else "compares with"
        _check_types(path, value.value, verb, marker, items)


def _check_unequal(path: DocumentPath, value: Value, marker: Marker, items: Sequence[Item]) -> None:
    counted = census(path, items)
    others = counted.total() - counted[type_tag(value)]
    if others:
        marker.warning(
            path.span,
            f"<> also holds where there is no {type_word(value)}: {path.text(WRITTEN_OUT)} is {in_words(counted)}",
            f"To leave those out: attribute_exists({marker.at(path.span)}) AND …" if counted[""] else "",
        )


def _check_types(path: DocumentPath, value: Value, verb: str, marker: Marker, items: Sequence[Item]) -> None:
    counted = census(path, items)
    tags = {tag for tag in counted if tag}
    # What is simply missing somewhere is no surprise to anybody who asks for a value.
    if tags and tags != {type_tag(value)}:
        marker.warning(
            path.span,
            f"{path.text(WRITTEN_OUT)} is {in_words(counted)}: only a {type_word(value)} {verb} this value",
        )


def _check_begins_with(operand: Node, prefix: Node, marker: Marker, items: Sequence[Item]) -> None:
    for side in (operand, prefix):
        if (isinstance(side, Literal) and not isinstance(side.value, String | Binary)) or isinstance(side, Size):
            fix = "Ask for a range of numbers with BETWEEN." if _word(side) in {"Number", "size"} else ""
            marker.error(side.span, f"begins_with does not work on a {_word(side)}", fix)
            return
    if isinstance(operand, DocumentPath) and isinstance(prefix, Literal):
        _check_types(operand, prefix.value, "begins with", marker, items)


def _check_contains(operand: Node, sought: Node, marker: Marker, items: Sequence[Item]) -> None:
    if not (isinstance(operand, DocumentPath) and isinstance(sought, Literal)):
        return
    counted = census(operand, items)
    tags = {tag for tag in counted if tag}
    wanted = type_tag(sought.value)
    if tags and not any(tag == "L" or _HOLDS.get(tag) == wanted for tag in tags):
        marker.warning(
            sought.span,
            f"{operand.text(WRITTEN_OUT)} is {in_words(counted)}: it holds no {type_word(sought.value)}",
        )
