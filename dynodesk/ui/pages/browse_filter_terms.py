"""A filter as it stands in fields, and back: what the fields say is the condition, and every condition fits in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions import Condition, parse_paths, parse_where
from dynodesk.domain.expressions.conditions import (
    COMPARATORS,
    TYPE_TAGS,
    And,
    AttributeType,
    BeginsWith,
    Between,
    Comparison,
    Contains,
    Exists,
    In,
    Not,
    Operand,
    Or,
    Size,
)
from dynodesk.domain.expressions.nodes import DocumentPath
from dynodesk.domain.expressions.nodes import Literal as Written
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.values import Item, String, Value, type_tag
from dynodesk.ui.pages.browse_filter_values import listed, split_list, typed_value, value_text

Connective = Literal["AND", "OR"]
Place = Literal["path", "value", "high"]

SIZE = "size "
"""What the operators begin with that compare a size."""
AS_TEXT = "as text"
"""The operator of a term that has no fields of its own: it stands as its text."""
EMPTY_IS_A_VALUE = ("S", "BOOL", "NULL")
"""The types for which an empty field says something."""
COMPARING = (*COMPARATORS, "between", "in")
OPERATORS = (
    *COMPARING,
    "begins_with",
    "contains",
    "exists",
    "not exists",
    "is type",
    *(f"{SIZE}{operator}" for operator in COMPARING),
)
ATTRIBUTE, SIZE_OF = "attribute", "size of"
VALUE_TYPES = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M", ATTRIBUTE, SIZE_OF)
LISTED = ("S", "N", "B")
ORDERED = ("S", "N", "B", ATTRIBUTE, SIZE_OF)
TYPES_OF: dict[str, tuple[str, ...]] = {
    "=": VALUE_TYPES,
    "<>": VALUE_TYPES,
    **dict.fromkeys(("<", "<=", ">", ">=", "between"), ORDERED),
    "in": LISTED,
    "begins_with": ("S", "B", ATTRIBUTE),
    "contains": VALUE_TYPES[:-1],
    "exists": (),
    "not exists": (),
    "is type": TYPE_TAGS,
    "size in": ("N",),
    AS_TEXT: (),
}
"""The types of value that each operator is offered with; those that compare sizes take `SIZE_TYPES`."""
SIZE_TYPES = ("N", ATTRIBUTE, SIZE_OF)


def types_of(operator: str) -> tuple[str, ...]:
    """What may be chosen as the type of the value beside an operator; empty where it takes none."""
    return TYPES_OF.get(operator, SIZE_TYPES)


class TermProblem(Exception):
    """What is wrong in a field, and what to do. `is_gap`: nothing is there yet."""

    def __init__(self, place: Place, message: str, hint: str = "", *, is_gap: bool = False) -> None:
        super().__init__(message)
        self.place, self.message, self.hint, self.is_gap = place, message, hint, is_gap


@dataclass(frozen=True, slots=True)
class Term:
    """One condition without AND and OR, as its fields have it."""

    path: str = ""
    operator: str = "="
    type: str = "S"
    """One of `VALUE_TYPES`; for `is type` the type asked for."""
    value: str = ""
    """Of `AS_TEXT` the whole condition."""
    high: str = ""
    """The upper end of `between`."""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Conditions in one pair of parentheses, all joined in one way."""

    connective: Connective
    parts: tuple[Term | Group, ...]
    negated: bool = False


def term_count(group: Group) -> int:
    """The terms of a group and of those within it."""
    return sum(1 if isinstance(part, Term) else term_count(part) for part in group.parts)


# ------------------------------------------------------------------------------------------------- from a condition


def group_of(condition: Condition) -> Group:
    """The outermost group, which is never negated itself."""
    found = _part(condition)
    return found if isinstance(found, Group) and not found.negated else Group("AND", (found,))


def _part(condition: Condition) -> Term | Group:
    match condition:
        case And(terms):
            return Group("AND", tuple(map(_part, terms)))
        case Or(terms):
            return Group("OR", tuple(map(_part, terms)))
        case Not(inner):
            part = _part(inner)
            if part.negated:
                return Group("AND", (part,), negated=True)
            if isinstance(part, Group):
                return Group(part.connective, part.parts, negated=True)
            return Term(part.path, part.operator, part.type, part.value, part.high, negated=True)
        case _:
            return _term(condition)


def _term(condition: Condition) -> Term:
    found = _in_fields(condition)
    if found is not None:
        try:
            if term_condition(found) == condition:
                return found
        except TermProblem:
            pass  # a value that no field takes: it stands as its text
    return Term(operator=AS_TEXT, value=str(condition))


def _in_fields(condition: Condition) -> Term | None:
    match condition:
        case Comparison(left, comparator, right):
            return _compared(left, comparator, (right,))
        case Between(operand, low, high):
            return _compared(operand, "between", (low, high))
        case In(operand, choices):
            values = [choice.value for choice in choices if isinstance(choice, Written)]
            tags = {type_tag(value) for value in values}
            if len(values) < len(choices) or len(tags) != 1 or not tags <= set(LISTED):
                return None
            subject = _subject(operand)
            text = listed(value_text(value) for value in values)
            return None if subject is None else Term(subject[1], f"{subject[0]}in", tags.pop(), text)
        case Exists(path, wanted):
            return Term(path.text(WRITTEN_OUT), "exists" if wanted else "not exists")
        case AttributeType(DocumentPath() as path, Written(String(tag))):
            return Term(path.text(WRITTEN_OUT), "is type", tag)
        case BeginsWith(DocumentPath() as path, prefix):
            return _compared(path, "begins_with", (prefix,))
        case Contains(DocumentPath() as path, sought):
            return _compared(path, "contains", (sought,))
        case _:
            return None


def _subject(operand: Operand) -> tuple[str, str] | None:
    """What the operator begins with, and the path."""
    match operand:
        case DocumentPath() as path:
            return "", path.text(WRITTEN_OUT)
        case Size(DocumentPath() as path):
            return SIZE, path.text(WRITTEN_OUT)
        case _:
            return None


def _compared(left: Operand, operator: str, others: tuple[Operand, ...]) -> Term | None:
    subject, texts = _subject(left), [_typed(other) for other in others]
    if subject is None or len({kind for kind, _ in texts}) != 1 or not texts[0][0]:
        return None
    kind, value = texts[0]
    operator = f"{subject[0]}{operator}"
    if kind not in types_of(operator):
        return None
    return Term(subject[1], operator, kind, value, texts[1][1] if len(texts) > 1 else "")


def _typed(operand: Operand) -> tuple[str, str]:
    match operand:
        case Written(value):
            return type_tag(value), value_text(value)
        case DocumentPath() as path:
            return ATTRIBUTE, path.text(WRITTEN_OUT)
        case Size(DocumentPath() as path):
            return SIZE_OF, path.text(WRITTEN_OUT)
        case _:
            return "", ""


# --------------------------------------------------------------------------------------------------- to a condition


def group_condition(group: Group) -> Condition:
    """Raises `TermProblem` for the first term that says nothing, and `ValueError` for a group without any."""
    parts = tuple(term_condition(part) if isinstance(part, Term) else group_condition(part) for part in group.parts)
    if not parts:
        raise ValueError("a group has at least one condition")
    joined = parts[0] if len(parts) == 1 else And(parts) if group.connective == "AND" else Or(parts)
    return Not(joined) if group.negated else joined


def term_condition(term: Term) -> Condition:
    """Raises `TermProblem` where a field is empty that must not be, or holds what it cannot."""
    found = _condition(term)
    return Not(found) if term.negated else found


def _condition(term: Term) -> Condition:
    if term.operator == AS_TEXT:
        return _as_text(term.value)
    path = _path(term.path, "path")
    subject: Operand = Size(path) if term.operator.startswith(SIZE) else path
    operator = term.operator.removeprefix(SIZE)
    match operator:
        case "exists" | "not exists":
            return Exists(path, operator == "exists")
        case "is type":
            return AttributeType(path, Written(String(term.type)))
        case "in":
            return In(subject, tuple(Written(value) for value in _values(term.type, term.value)))
        case "between":
            return Between(subject, _operand(term.type, term.value, "value"), _operand(term.type, term.high, "high"))
        case "begins_with":
            return BeginsWith(subject, _operand(term.type, term.value, "value"))
        case "contains":
            return Contains(subject, _operand(term.type, term.value, "value"))
        case _:
            comparator = next(known for known in COMPARATORS if known == operator)
            return Comparison(subject, comparator, _operand(term.type, term.value, "value"))


def _as_text(text: str) -> Condition:
    try:
        found = parse_where(text)
    except InvalidExpression as problem:
        raise TermProblem("value", problem.message, problem.hint, is_gap=not text.strip()) from None
    return found


def _path(text: str, place: Place) -> DocumentPath:
    if not text.strip():
        raise TermProblem(place, "the name of an attribute is missing", "Type or choose one.", is_gap=True)
    try:
        paths = parse_paths(text).paths
    except InvalidExpression as problem:
        hint = f"For one name of exactly these characters: {as_one_name(text)}"
        raise TermProblem(place, problem.message, hint) from None
    if len(paths) > 1:
        raise TermProblem(place, "this is more than one attribute", f"For one name: {as_one_name(text)}")
    return paths[0]


def as_one_name(text: str) -> str:
    """How to write a name of exactly these characters."""
    return WRITTEN_OUT.name(text)


def inside(text: str) -> str:
    """What a path with more than one step means, in words; "" for a plain name, and for none."""
    try:
        steps = _path(text, "path").steps
    except TermProblem:
        return ""
    if len(steps) == 1:
        return ""
    words = [f"element {step}" if isinstance(step, int) else str(step) for step in reversed(steps)]
    return " in ".join(words)


def only_type(text: str, items: Iterable[Item]) -> str:
    """The one type that a path has in all of the items that have it; "" where there is none, or more."""
    try:
        path = _path(text, "path")
    except TermProblem:
        return ""
    found = {type_tag(value) for item in items if (value := path.find(item)) is not None}
    return found.pop() if len(found) == 1 else ""


def _operand(kind: str, text: str, place: Place) -> Operand:
    match kind:
        case "attribute":
            return _path(text, place)
        case "size of":
            return Size(_path(text, place))
        case _:
            return Written(_value(kind, text, place))


def _value(kind: str, text: str, place: Place) -> Value:
    if kind not in EMPTY_IS_A_VALUE and not text.strip():
        raise TermProblem(place, "a value is needed", "Type one, or choose another type.", is_gap=True)
    try:
        return typed_value(kind, text)
    except InvalidValue as problem:
        raise TermProblem(place, problem.message, problem.hint) from None


def _values(kind: str, text: str) -> tuple[Value, ...]:
    try:
        texts = tuple(split_list(text))
    except InvalidValue as problem:
        raise TermProblem("value", problem.message, problem.hint) from None
    if not texts:
        raise TermProblem("value", "at least one value is needed", "Part several by commas.", is_gap=True)
    return tuple(_value(kind, one, "value") for one in texts)
