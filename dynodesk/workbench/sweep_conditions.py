"""Which children count, as SQL: with the meaning that `domain` gives conditions, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import floor

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.children import TTL_MEMORY, Children
from dynodesk.domain.expressions.conditions import (
    TYPE_TAGS,
    And,
    AttributeType,
    BeginsWith,
    Between,
    Comparator,
    Comparison,
    Condition,
    Exists,
    In,
    Not,
    Or,
)
from dynodesk.domain.expressions.nodes import DocumentPath, Literal
from dynodesk.domain.values import Boolean, Null, Number, String, Value
from dynodesk.workbench.census import pointer
from dynodesk.workbench.sets import literal
from dynodesk.workbench.sweep_sql import EXACTLY, SHORT, Looks, path_pointer, short_number

_WHOLE = r'\{"N":"(0|-?[1-9][0-9]{0,17})"\}'


class _TooHardError(Exception):
    """The engine cannot decide this as `domain` does."""


def counts(children: Children, now: float, looks: Looks) -> str | None:
    """Whether a child counts, as a condition on what `looks` finds; None where the engine cannot tell of any child.

    NULL for one of which it cannot tell.
    """
    terms = []
    if children.where is not None:
        try:
            terms.append(_condition(children.where, looks))
        except _TooHardError:
            return None
    if children.expires is not None:
        value = looks.at(pointer(children.expires))
        at = f"TRY_CAST({value}[7:-3] AS BIGINT)"
        terms.append(
            f"CASE WHEN {_is(value, 'N')} IS NOT true THEN true WHEN regexp_full_match({value}, {literal(_WHOLE)}) "
            # Of whole numbers, those after a time are those after the whole second before it.
            f"THEN NOT ({floor(now - TTL_MEMORY)} < {at} AND {at} <= {floor(now)}) END"
        )
    return _joined(" AND ", terms)


def _condition(condition: Condition, looks: Looks) -> str:
    """NULL only for an item of which the engine cannot tell: NOT, AND and OR keep that meaning of it."""
    match condition:
        case Exists(path, wanted):
            return f"{looks.at(_place(path))} IS {'NOT ' if wanted else ''}NULL"
        case AttributeType(DocumentPath() as path, Literal(String(tag))) if tag in TYPE_TAGS:
            return f"coalesce({_is(looks.at(_place(path)), tag)}, false)"
        case BeginsWith(DocumentPath() as path, Literal(String(prefix))):
            return f"coalesce(starts_with({looks.at(_place(path) + '/S')}, {literal(prefix)}), false)"
        case Comparison(DocumentPath() as path, comparator, Literal(value)):
            return _compared(_place(path), comparator, value, looks)
        case Between(DocumentPath() as path, Literal(low), Literal(high)):
            place = _place(path)
            return _joined(" AND ", [_compared(place, ">=", low, looks), _compared(place, "<=", high, looks)])
        case In(DocumentPath() as path, choices):
            values = [choice.value for choice in choices if isinstance(choice, Literal)]
            if len(values) < len(choices):
                raise _TooHardError
            return _joined(" OR ", (_compared(_place(path), "=", value, looks) for value in values))
        case Not(inner):
            return f"NOT ({_condition(inner, looks)})"
        case And(terms):
            return _joined(" AND ", (_condition(term, looks) for term in terms))
        case Or(terms):
            return _joined(" OR ", (_condition(term, looks) for term in terms))
        case _:
            raise _TooHardError


def _compared(place: str, comparator: Comparator, value: Value, looks: Looks) -> str:
    if_other = "true" if comparator == "<>" else "false"
    """What a comparison with something missing or of another type comes to."""
    match value:
        case String(text):  # the engine too orders texts by their UTF-8 bytes
            return f"coalesce({looks.at(place + '/S')} {comparator} {literal(text)}, {if_other})"
        case Number() if value.is_valid and re.fullmatch(SHORT, value.canonical):
            found = looks.at(place)
            number = f"CAST({literal(value.canonical)} AS {EXACTLY})"
            return (
                f"CASE WHEN {_is(found, 'N')} IS NOT true THEN {if_other} "
                f"ELSE {short_number(found)} {comparator} {number} END"
            )
        case Boolean(truth) if comparator in {"=", "<>"}:
            return f"coalesce({looks.at(place + '/BOOL')} {comparator} '{'true' if truth else 'false'}', {if_other})"
        case Null() if comparator in {"=", "<>"}:
            return f"{looks.at(place + '/NULL')} IS {'NOT ' if comparator == '=' else ''}NULL"
        case _:
            raise _TooHardError


def _is(value: str, tag: str) -> str:
    """Whether a value in DynamoDB JSON has this type; NULL where there is no value."""
    return f"starts_with({value}, {literal('{' + chr(34) + tag + chr(34) + ':')})"


def _joined(word: str, terms: Iterable[str]) -> str:
    return word.join(f"({term})" for term in terms)


def _place(path: DocumentPath) -> str:
    names = [step for step in path.steps if isinstance(step, str)]
    if len(names) < len(path.steps):
        raise _TooHardError
    return path_pointer(AttributePath(tuple(names)))
