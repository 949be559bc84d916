"""Updates: what an update expression says, and what it makes of an item.

The semantics are those of the Developer Guide, "Update expressions", and where the guide is silent, those that were
observed on the service:

- Everything is computed from the item as it was, and indexes are those of the lists as they were.
- SET beyond the end of a list appends, several in the order of their indexes; REMOVE there does nothing.
- What a path leads through has to be there, a map for a name and a list for an index.
- ADD starts from nothing where there is nothing. DELETE of the last member removes the attribute.
- Sums are exact: a result of more than 38 significant digits is refused, not rounded.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import DecimalException
from typing import Literal as OneOf
from typing import TypeVar

from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions.changes import changed
from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Node, Span, Spelling, of_one_attribute
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.values import (
    EXACT,
    BinarySet,
    Item,
    List,
    Number,
    NumberSet,
    StringSet,
    Value,
    plain_digits,
    type_word,
)

Member = TypeVar("Member")


@dataclass(frozen=True, slots=True)
class IfNotExists(Node):
    """`if_not_exists(path, default)`."""

    path: DocumentPath
    default: SetOperand

    def find(self, item: Item) -> Value | None:
        found = self.path.find(item)
        return self.default.find(item) if found is None else found

    def text(self, spelling: Spelling) -> str:
        return f"if_not_exists({self.path.text(spelling)}, {self.default.text(spelling)})"


@dataclass(frozen=True, slots=True)
class ListAppend(Node):
    """`list_append(first, second)`."""

    first: SetOperand
    second: SetOperand

    def find(self, item: Item) -> Value | None:
        return List(_elements(self.first, item) + _elements(self.second, item))

    def text(self, spelling: Spelling) -> str:
        return f"list_append({self.first.text(spelling)}, {self.second.text(spelling)})"


SetOperand = DocumentPath | Literal | IfNotExists | ListAppend


@dataclass(frozen=True, slots=True)
class Sum(Node):
    """`left + right` or `left - right`; there are no sums of three."""

    left: SetOperand
    sign: OneOf["+", "-"]
    right: SetOperand

    def find(self, item: Item) -> Value | None:
        left, right = self._number(self.left, item), self._number(self.right, item)
        return _sum(left, self.sign, right, self.span)

    def _number(self, operand: SetOperand, item: Item) -> Number:
        value = _needed(operand, item)
        if not isinstance(value, Number):
            raise _unusable(operand, value, f"{self.sign} takes numbers")
        return value

    def text(self, spelling: Spelling) -> str:
        return f"{self.left.text(spelling)} {self.sign} {self.right.text(spelling)}"


SetValue = SetOperand | Sum


class Action(Node):
    """One change. `path` is where."""

    __slots__ = ()

    path: DocumentPath

    @abstractmethod
    def new_value(self, item: Item) -> Value | None:
        """What stands at the path afterwards, None for nothing. Raises `InvalidExpression`."""


@dataclass(frozen=True, slots=True)
class Set(Action):
    """`SET path = value`."""

    path: DocumentPath
    value: SetValue

    def new_value(self, item: Item) -> Value | None:
        return _needed(self.value, item)

    def text(self, spelling: Spelling) -> str:
        return f"{self.path.text(spelling)} = {self.value.text(spelling)}"


@dataclass(frozen=True, slots=True)
class Remove(Action):
    """`REMOVE path`."""

    path: DocumentPath

    def new_value(self, _item: Item) -> Value | None:
        return None

    def text(self, spelling: Spelling) -> str:
        return self.path.text(spelling)


@dataclass(frozen=True, slots=True)
class Add(Action):
    """`ADD path value`: to a number, or into a set."""

    path: DocumentPath
    value: Literal

    def new_value(self, item: Item) -> Value | None:
        match self.path.find(item), self.value.value:
            case None, (Number() | StringSet() | NumberSet() | BinarySet()) as added:
                return added
            case Number() as old, Number() as delta:
                return _sum(old, "+", delta, self.span)
            case StringSet(old_texts), StringSet(texts):
                return StringSet(tuple(dict.fromkeys(old_texts + texts)))
            case NumberSet(old_numbers), NumberSet(numbers):
                return NumberSet(tuple(dict.fromkeys(old_numbers + numbers)))
            case BinarySet(old_blobs), BinarySet(blobs):
                return BinarySet(tuple(dict.fromkeys(old_blobs + blobs)))
            case _, (Number() | StringSet() | NumberSet() | BinarySet()) as added:
                raise _unusable(self.path, self.path.find(item), f"ADD of a {type_word(added)} needs one")
            case _, other:
                raise _unusable(self.value, other, "ADD takes a number or a set")

    def text(self, spelling: Spelling) -> str:
        return f"{self.path.text(spelling)} {self.value.text(spelling)}"


@dataclass(frozen=True, slots=True)
class Delete(Action):
    """`DELETE path value`: members out of a set."""

    path: DocumentPath
    value: Literal

    def new_value(self, item: Item) -> Value | None:
        match self.path.find(item), self.value.value:
            case None, (StringSet() | NumberSet() | BinarySet()):
                return None
            case StringSet(old_texts), StringSet(texts):
                return StringSet(left_texts) if (left_texts := _without(old_texts, texts)) else None
            case NumberSet(old_numbers), NumberSet(numbers):
                return NumberSet(left_numbers) if (left_numbers := _without(old_numbers, numbers)) else None
            case BinarySet(old_blobs), BinarySet(blobs):
                return BinarySet(left_blobs) if (left_blobs := _without(old_blobs, blobs)) else None
            case _, (StringSet() | NumberSet() | BinarySet()) as gone:
                raise _unusable(self.path, self.path.find(item), f"DELETE of a {type_word(gone)} needs one")
            case _, other:
                raise _unusable(self.value, other, "DELETE takes a set")

    def text(self, spelling: Spelling) -> str:
        return f"{self.path.text(spelling)} {self.value.text(spelling)}"


@dataclass(frozen=True, slots=True)
class Update(Node):
    """All changes of one update, at least one. Its `str` is the text that `parse_changes` reads."""

    sets: tuple[Set, ...] = ()
    removes: tuple[Remove, ...] = ()
    adds: tuple[Add, ...] = ()
    deletes: tuple[Delete, ...] = ()

    def __post_init__(self) -> None:
        if not self.actions:
            raise ValueError("an update changes something")

    @property
    def actions(self) -> tuple[Action, ...]:
        return *self.sets, *self.removes, *self.adds, *self.deletes

    @property
    def makes_items(self) -> bool:
        """Whether there is an item afterwards where there was none: what only takes away makes none."""
        return bool(self.sets or self.adds)

    def apply(self, item: Item, *, exists: bool = True) -> dict[str, Value]:
        """The item as the service would store it, but for limits, which `values.check_item` knows.

        An item that does not exist yet is its key, with `exists` False; there is none afterwards either, unless it
        `makes_items`. Raises `InvalidExpression` with the place of
        what the service would refuse.
        """
        for first, second, why in clashes(self):
            place = second.path.span
            raise InvalidExpression(
                f"{first.path.text(WRITTEN_OUT)} and {second.path.text(WRITTEN_OUT)} {why}",
                offset=place.offset,
                length=place.length,
            )
        # Of an item that does not exist the service removes what it is told, wherever the path leads.
        actions = [action for action in self.actions if exists or not isinstance(action, Remove)]
        return changed(item, [(action.path, action.new_value(item)) for action in actions])

    def text(self, spelling: Spelling) -> str:
        clauses: tuple[tuple[str, tuple[Action, ...]], ...] = (
            ("SET", self.sets),
            ("REMOVE", self.removes),
            ("ADD", self.adds),
            ("DELETE", self.deletes),
        )
        return " ".join(
            f"{word} {', '.join(action.text(spelling) for action in actions)}" for word, actions in clauses if actions
        )

    def __str__(self) -> str:
        return self.text(WRITTEN_OUT)


def clashes(update: Update) -> Iterator[tuple[Action, Action, str]]:
    """Pairs of actions that the service does not take in one update, and what is wrong with them."""
    ordered = sorted(update.actions, key=lambda action: action.path.span.offset)
    for first, second in of_one_attribute(ordered, lambda action: action.path):
        mine, theirs = first.path.steps, second.path.steps
        if first.path.overlaps(second.path):
            yield first, second, "are changed in one update" if mine == theirs else "lie within each other"
            continue
        fork = next(index for index, (one, other) in enumerate(zip(mine, theirs, strict=False)) if one != other)
        if isinstance(mine[fork], str) != isinstance(theirs[fork], str):
            yield first, second, "take one attribute for a map and for a list"


# --------------------------------------------------------------------------------------------------- computing


def _needed(operand: SetValue, item: Item) -> Value:
    found = operand.find(item)
    if found is None:
        shown = operand.text(WRITTEN_OUT)
        raise InvalidExpression(
            f"{shown} is not in the item",
            hint=f"Start from a value: if_not_exists({shown}, …).",
            offset=operand.span.offset,
            length=operand.span.length,
        )
    return found


def _elements(operand: SetOperand, item: Item) -> tuple[Value, ...]:
    value = _needed(operand, item)
    if not isinstance(value, List):
        raise _unusable(operand, value, "list_append joins lists")
    return value.elements


def _unusable(operand: Node, value: Value | None, why: str) -> InvalidExpression:
    found = "missing" if value is None else f"a {type_word(value)}"
    return InvalidExpression(
        f"{operand.text(WRITTEN_OUT)} is {found}: {why}", offset=operand.span.offset, length=operand.span.length
    )


def _sum(left: Number, sign: OneOf["+", "-"], right: Number, span: Span) -> Number:
    try:
        total = (EXACT.add if sign == "+" else EXACT.subtract)(left.value, right.value)
        return Number.parse(plain_digits(total))
    except (InvalidValue, DecimalException) as problem:
        why = problem.message if isinstance(problem, InvalidValue) else "the result has too many digits"
        raise InvalidExpression(
            f"{left} {sign} {right}: {why}", hint="It would not be rounded.", offset=span.offset, length=span.length
        ) from None


def _without(members: tuple[Member, ...], gone: tuple[Member, ...]) -> tuple[Member, ...]:
    unwanted = frozenset(gone)
    return tuple(member for member in members if member not in unwanted)
