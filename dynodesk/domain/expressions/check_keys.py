"""Checks of key conditions, and of filters that are about keys."""

from __future__ import annotations

from typing import Literal as OneOf

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.expressions.conditions import (
    BeginsWith,
    Between,
    Comparator,
    Comparison,
    Condition,
    In,
    Not,
    Or,
    all_terms,
)
from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Node
from dynodesk.domain.expressions.remarks import Marker
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.values import MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, check_key, type_tag, type_word

Operator = Comparator | OneOf["BETWEEN", "begins_with"]

_TURNED: dict[Comparator, Comparator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def check_filter(tree: Condition, schema: KeySchema, marker: Marker) -> None:
    """Mark key attributes in the filter of a Query."""
    for part in tree.walk():
        if isinstance(part, DocumentPath) and part.attribute in schema.names:
            marker.error(
                part.span,
                f"{part.attribute} is a key attribute here, and a filter of a Query is about other attributes",
                "Move it to the key condition, or run a Scan.",
            )


def check_key_condition(tree: Condition, schema: KeySchema, marker: Marker) -> None:
    """Mark what a Query does not take as its key condition."""
    attributes = {attribute.name: attribute for attribute in schema.attributes}
    seen: dict[str, tuple[Operator, Node]] = {}
    for term in all_terms(tree):
        found = _key_term(term, marker)
        if found is None:
            continue
        path, operator, values = found
        attribute = attributes.get(path.attribute)
        if attribute is None:
            keys = ", ".join(schema.names)
            fix = f"The key here is {keys}. Move this to the filter."
            marker.error(path.span, f"{path.text(WRITTEN_OUT)} is no key attribute here", fix)
        elif len(path.steps) > 1:
            marker.error(path.span, f"{attribute.name} is a key attribute: there is nothing inside it")
        elif attribute.name in seen:
            marker.error(term.span, f"{attribute.name} has two conditions; a key attribute takes one", "Use BETWEEN.")
        else:
            seen[attribute.name] = operator, term
            _check_values(attribute, operator, values, schema, marker)
    _check_complete(tree, seen, schema, marker)


def _key_term(term: Condition, marker: Marker) -> tuple[DocumentPath, Operator, tuple[Literal, ...]] | None:
    match term:
        case Comparison(DocumentPath() as path, comparator, Literal() as value) if comparator != "<>":
            return path, comparator, (value,)
        case Comparison(Literal() as value, comparator, DocumentPath() as path) if comparator != "<>":
            return path, _TURNED.get(comparator, comparator), (value,)
        case Between(DocumentPath() as path, Literal() as low, Literal() as high):
            return path, "BETWEEN", (low, high)
        case BeginsWith(DocumentPath() as path, Literal() as prefix):
            return path, "begins_with", (prefix,)
        case Or() | Not() | In():
            what = {Or: "OR", Not: "NOT", In: "IN"}[type(term)]
            marker.error(term.span, f"a key condition has no {what}", "Run one Query for each, or use the filter.")
        case _:
            marker.error(
                term.span,
                "a key condition compares key attributes with values: =, <, <=, >, >=, BETWEEN, begins_with",
                "Move this to the filter.",
            )
    return None


def _check_values(
    attribute: KeyAttribute, operator: Operator, values: tuple[Literal, ...], schema: KeySchema, marker: Marker
) -> None:
    if operator == "begins_with" and attribute.type == "N":
        marker.error(values[0].span, f"{attribute.name} is a Number: begins_with does not work on it", "Use BETWEEN.")
        return
    for value in values:
        if type_tag(value.value) != attribute.type:
            found = type_word(value.value)
            marker.error(value.span, f"{attribute.name} has type {attribute.type}, this is a {found}")
        elif operator == "=":
            limit = MAX_PARTITION_KEY_BYTES if attribute in schema.partition else MAX_SORT_KEY_BYTES
            try:
                check_key(value.value, attribute.name, limit)
            except InvalidValue as problem:
                marker.error(value.span, problem.message, problem.hint)


def _check_complete(tree: Condition, seen: dict[str, tuple[Operator, Node]], schema: KeySchema, marker: Marker) -> None:
    for attribute in schema.partition:
        if attribute.name not in seen:
            marker.error(tree.span, f"a Query needs {attribute.name} = a value", "Without it, run a Scan.")
        elif seen[attribute.name][0] != "=":
            operator, term = seen[attribute.name]
            marker.error(term.span, f"{attribute.name} is a partition key: it takes =, not {operator}")
    left_out = ""
    for index, attribute in enumerate(schema.sort):
        if attribute.name not in seen:
            left_out = left_out or attribute.name
            continue
        operator, term = seen[attribute.name]
        if left_out:
            marker.error(term.span, f"{attribute.name} comes after {left_out}, which has no condition")
        later = [name.name for name in schema.sort[index + 1 :] if name.name in seen]
        if operator != "=" and later:
            marker.error(term.span, f"{attribute.name} takes = where {later[0]} after it has a condition too")
