"""What a tally says of its children: how many they are, what they sum up to, how many differ, how many a set holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.patterns import Captures
from dynodesk.domain.values import (
    EXACT,
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
    type_word,
)

MeasureKind = Literal["count", "sum", "distinct", "size"]
Amount = int | Decimal
"""What a measure comes to. Counts are whole; a sum has as many digits as it needs."""

_CALL = re.compile(r"(sum|distinct|size)\s*\(\s*(.+?)\s*\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Measure:
    """`of` is what a sum adds up, what `distinct` tells apart, or the set, list or map whose elements `size` counts."""

    kind: MeasureKind = "count"
    of: AttributePath | None = None
    capture: str = ""
    """For `distinct`: the part of the children's key that is told apart, instead of an attribute."""

    @classmethod
    def parse(cls, text: str, captures: frozenset[str] = frozenset()) -> Measure:
        """`count`, `sum(amount)`, `distinct(user)`, `size(members)`.

        `captures` are those of the children's pattern: a name in `distinct` that is one of them means it, any other an
        attribute. Raises `ValueError` for any other text.
        """
        if text.strip() == "count":
            return cls()
        called = _CALL.fullmatch(text.strip())
        if called is None:
            raise ValueError(f"{text!r} is no measure")
        if called[1] == "distinct" and called[2] in captures:
            return cls("distinct", capture=called[2])
        path = AttributePath.parse(called[2])
        return cls("sum" if called[1] == "sum" else "distinct" if called[1] == "distinct" else "size", path)

    @property
    def words(self) -> str:
        match self.kind:
            case "count":
                return "number of"
            case "sum":
                return f"sum of {self.of} of"
            case "distinct":
                return f"number of different {self.capture or self.of} of"
            case "size":
                return f"size of {self.of} of"

    @property
    def attributes(self) -> frozenset[str]:
        """Top-level attributes of a child that the measure looks at."""
        return frozenset() if self.of is None else frozenset(self.of.names[:1])


COUNT = Measure()


class Total:
    """A measure over children taken one by one."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self.children = 0
        self._sum = Decimal(0)
        self._seen: set[object] = set()
        self.problem = ""
        """Why there is no amount: what is wrong with the first child that cannot be measured."""

    def take(self, child: Item, captures: Captures) -> None:
        self.children += 1
        measure = self._measure
        if measure.kind == "distinct" and measure.capture:
            self._seen.add(captures[measure.capture])
            return
        if measure.of is None:
            return
        value = measure.of.find(child)
        match measure.kind, value:
            case "sum", Number() if value.is_valid:
                self._sum = EXACT.add(self._sum, value.value)
            case "distinct", String() | Number() | Binary():
                self._seen.add(value)
            case "size", StringSet() | NumberSet() | BinarySet() | List() | Map():
                self._sum += _length(value)
            case "size", None:  # the last element of a set goes with the attribute
                pass
            case _:
                self.problem = self.problem or _unmeasurable(measure, value)

    @property
    def amount(self) -> Amount:
        match self._measure.kind:
            case "count":
                return self.children
            case "distinct":
                return len(self._seen)
            case "sum" | "size":
                return self._sum


def _length(value: StringSet | NumberSet | BinarySet | List | Map) -> int:
    match value:
        case Map(entries):
            return len(entries)
        case List(elements):
            return len(elements)
        case StringSet(members):
            return len(members)
        case NumberSet(numbers):
            return len(numbers)
        case BinarySet(blobs):
            return len(blobs)


def _unmeasurable(measure: Measure, value: Value | None) -> str:
    if value is None:
        return f"a child has no {measure.of}"
    needs = {"sum": "a Number", "distinct": "a String, Number or Binary", "size": "a set, list or map"}[measure.kind]
    whose = "" if measure.kind == "size" else " of a child"
    return f"{measure.of}{whose} is a {type_word(value)}, the rule needs {needs}"
