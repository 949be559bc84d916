"""Conditions: what a filter, a condition or a key condition expression says, and whether an item meets it.

The semantics are those of the Developer Guide, "Condition and filter expressions, operators, and functions", and where
the guide is silent, those that were observed on the service:

- What is missing makes every comparison false but `<>`, which it makes true, also where both sides are missing.
- Values of different types are not equal, and neither is before the other; only strings (by UTF-8 bytes), numbers and
  binary values (by unsigned bytes) have an order.
- NULL is a value: it exists and equals NULL.
- `size` of a string is its length in UTF-16, of binary its bytes, of a set, list or map its members; of a number, a
  Boolean or NULL there is none, so that it counts as missing.
"""

from __future__ import annotations

import operator as operators
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from types import UnionType
from typing import Literal as OneOf

from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Node, Spelling
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Item,
    List,
    Map,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
    type_tag,
)

Comparator = OneOf["=", "<>", "<", "<=", ">", ">="]
COMPARATORS: tuple[Comparator, ...] = ("=", "<>", "<", "<=", ">", ">=")
TYPE_TAGS = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M")
"""What `attribute_type` asks for."""


@dataclass(frozen=True, slots=True)
class Size(Node):
    """`size(operand)`."""

    operand: DocumentPath | Literal

    def find(self, item: Item) -> Value | None:
        match self.operand.find(item):
            case String(text):
                return Number(str(len(text) + sum(character > "\uffff" for character in text)))
            case Binary(data):
                return Number(str(len(data)))
            case StringSet(members) | NumberSet(members) | BinarySet(members) | List(members) | Map(members):
                return Number(str(len(members)))
            case _:
                return None

    def text(self, spelling: Spelling) -> str:
        return f"size({self.operand.text(spelling)})"


Operand = DocumentPath | Literal | Size


class Condition(Node):
    """A condition on one item. Its `str` is the text that `parse_where` reads."""

    __slots__ = ()

    @abstractmethod
    def holds(self, item: Item) -> bool:
        """Whether the item meets it, as the service would say. An item that does not exist is an empty one."""

    def __str__(self) -> str:
        return self.text(WRITTEN_OUT)


@dataclass(frozen=True, slots=True)
class Comparison(Condition):
    left: Operand
    comparator: Comparator
    right: Operand

    def holds(self, item: Item) -> bool:
        left, right = self.left.find(item), self.right.find(item)
        if self.comparator == "=":
            return left is not None and left == right
        if self.comparator == "<>":
            return left is None or left != right
        return is_ordered(left, self.comparator, right)

    def text(self, spelling: Spelling) -> str:
        return f"{self.left.text(spelling)} {self.comparator} {self.right.text(spelling)}"


@dataclass(frozen=True, slots=True)
class Between(Condition):
    """`operand BETWEEN low AND high`, both ends included."""

    operand: Operand
    low: Operand
    high: Operand

    def holds(self, item: Item) -> bool:
        value = self.operand.find(item)
        return is_ordered(self.low.find(item), "<=", value) and is_ordered(value, "<=", self.high.find(item))

    def text(self, spelling: Spelling) -> str:
        return f"{self.operand.text(spelling)} BETWEEN {self.low.text(spelling)} AND {self.high.text(spelling)}"


@dataclass(frozen=True, slots=True)
class In(Condition):
    """`operand IN (choice, …)`: equal to at least one."""

    operand: Operand
    choices: tuple[Operand, ...]

    def holds(self, item: Item) -> bool:
        value = self.operand.find(item)
        return value is not None and any(choice.find(item) == value for choice in self.choices)

    def text(self, spelling: Spelling) -> str:
        operand = self.operand.text(spelling)
        return f"{operand} IN ({', '.join(choice.text(spelling) for choice in self.choices)})"


@dataclass(frozen=True, slots=True)
class Exists(Condition):
    """`attribute_exists(path)`, or `attribute_not_exists(path)`."""

    path: DocumentPath
    wanted: bool = True
    """False for `attribute_not_exists`."""

    def holds(self, item: Item) -> bool:
        return (self.path.find(item) is not None) == self.wanted

    def text(self, spelling: Spelling) -> str:
        return f"attribute_{'' if self.wanted else 'not_'}exists({self.path.text(spelling)})"


@dataclass(frozen=True, slots=True)
class AttributeType(Condition):
    """`attribute_type(operand, type)`; the type is a string such as `NS`."""

    operand: DocumentPath | Literal
    type: Literal

    def holds(self, item: Item) -> bool:
        value = self.operand.find(item)
        return value is not None and self.type.value == String(type_tag(value))

    def text(self, spelling: Spelling) -> str:
        return f"attribute_type({self.operand.text(spelling)}, {self.type.text(spelling)})"


@dataclass(frozen=True, slots=True)
class BeginsWith(Condition):
    """`begins_with(operand, prefix)`, on strings and on binary values."""

    operand: Operand
    prefix: Operand

    def holds(self, item: Item) -> bool:
        match self.operand.find(item), self.prefix.find(item):
            case String(text), String(prefix):
                return text.startswith(prefix)
            case Binary(data), Binary(start):
                return data.startswith(start)
            case _:
                return False

    def text(self, spelling: Spelling) -> str:
        return f"begins_with({self.operand.text(spelling)}, {self.prefix.text(spelling)})"


@dataclass(frozen=True, slots=True)
class Contains(Condition):
    """`contains(operand, sought)`: a part of a string or of binary data, a member of a set or list."""

    operand: Operand
    sought: Operand

    def holds(self, item: Item) -> bool:
        match self.operand.find(item), self.sought.find(item):
            case (None, _) | (_, None):
                return False
            case String(text), String(sought):
                return sought in text
            case Binary(data), Binary(piece):
                return piece in data
            case StringSet(texts), String(member):
                return member in texts
            case NumberSet(numbers), Number() as number:
                return number in numbers
            case BinarySet(blobs), Binary(blob):
                return blob in blobs
            case List(elements), value:
                return value in elements
            case _:
                return False

    def text(self, spelling: Spelling) -> str:
        return f"contains({self.operand.text(spelling)}, {self.sought.text(spelling)})"


@dataclass(frozen=True, slots=True)
class Not(Condition):
    condition: Condition

    def holds(self, item: Item) -> bool:
        return not self.condition.holds(item)

    def text(self, spelling: Spelling) -> str:
        return f"NOT {_within(self.condition, spelling, And | Or | Not)}"


@dataclass(frozen=True, slots=True)
class And(Condition):
    """All of two or more. A term in parentheses that is an AND itself stays one term."""

    terms: tuple[Condition, ...]

    def holds(self, item: Item) -> bool:
        return all(term.holds(item) for term in self.terms)

    def text(self, spelling: Spelling) -> str:
        return " AND ".join(_within(term, spelling, And | Or) for term in self.terms)


@dataclass(frozen=True, slots=True)
class Or(Condition):
    """At least one of two or more."""

    terms: tuple[Condition, ...]

    def holds(self, item: Item) -> bool:
        return any(term.holds(item) for term in self.terms)

    def text(self, spelling: Spelling) -> str:
        return " OR ".join(_within(term, spelling, Or) for term in self.terms)


def all_terms(condition: Condition) -> Iterator[Condition]:
    """The conditions that all have to hold: the terms of an AND and of the ANDs in it."""
    if isinstance(condition, And):
        for term in condition.terms:
            yield from all_terms(term)
    else:
        yield condition


def _within(condition: Condition, spelling: Spelling, parenthesised: type[Condition] | UnionType) -> str:
    text = condition.text(spelling)
    return f"({text})" if isinstance(condition, parenthesised) else text


def is_ordered(left: Value | None, comparator: Comparator, right: Value | None) -> bool:
    """Whether the two stand in this order: false where one is missing, where types differ or have no order."""
    match left, right:
        case String(first), String(second):
            # Python compares code points, which is the order of their UTF-8 bytes.
            return _ORDERS[comparator](first, second)
        case Number(), Number() if left.is_valid and right.is_valid:
            return _ORDERS[comparator](left.value, right.value)
        case Binary(first_bytes), Binary(second_bytes):
            return _ORDERS[comparator](first_bytes, second_bytes)
        case _:
            return False


_ORDERS: dict[Comparator, Callable[[str | bytes | Decimal, str | bytes | Decimal], bool]] = {
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
}
