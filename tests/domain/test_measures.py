"""What children come to: counts, sums, differing values, sizes."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.measures import COUNT, Measure, Total
from dynodesk.domain.values import Item, Null, Number, NumberSet, String, StringSet, Value


def total(text: str, *children: Item) -> Total:
    made = Total(Measure.parse(text, frozenset({"user"})))
    for child in children:
        made.take(child, {"user": "u"})
    return made


@pytest.mark.parametrize(
    ("text", "measure", "words"),
    [
        ("count", COUNT, "number of"),
        (" count ", COUNT, "number of"),
        ("sum(amount)", Measure("sum", AttributePath(("amount",))), "sum of amount of"),
        (r"sum(a\.b)", Measure("sum", AttributePath(("a.b",))), r"sum of a\.b of"),
        ("distinct(user)", Measure("distinct", capture="user"), "number of different user of"),
        ("distinct(land)", Measure("distinct", AttributePath(("land",))), "number of different land of"),
        ("size(a.b)", Measure("size", AttributePath(("a", "b"))), "size of a.b of"),
        ("sum(f(x))", Measure("sum", AttributePath(("f(x)",))), "sum of f(x) of"),
    ],
)
def test_measures_are_read(text: str, measure: Measure, words: str) -> None:
    parsed = Measure.parse(text, frozenset({"user"}))
    assert (parsed, parsed.words) == (measure, words)


@pytest.mark.parametrize("text", ["", "sum", "sum()", "count(x)", "max(a)", "sum(a.)", "sum(a) + 1"])
def test_anything_else_is_no_measure(text: str) -> None:
    with pytest.raises(ValueError, match=r"measure|empty"):
        Measure.parse(text)


@given(st.lists(st.decimals(-(10**20), 10**20, places=9)))
def test_a_sum_is_exact(numbers: list[Decimal]) -> None:
    made = total("sum(n)", *({"n": Number(f"{number:f}")} for number in numbers))
    assert Fraction(made.amount) == sum(map(Fraction, numbers), Fraction(0))
    assert (made.children, made.problem) == (len(numbers), "")


def test_a_sum_spans_every_magnitude() -> None:
    made = total("sum(n)", {"n": Number("1E+125")}, {"n": Number("1E-130")})
    assert Decimal(made.amount).as_tuple().exponent == -130
    assert made.amount > 10**125


def test_the_first_child_that_cannot_be_measured_is_told() -> None:
    made = total("sum(n)", {"n": Number("1")}, {"n": Null()}, {})
    assert made.problem == "n of a child is a Null, the rule needs a Number"
    assert made.children == 3


def test_equal_members_of_different_types_differ() -> None:
    values: list[Value] = [String("1"), Number("1"), Number("1.0"), String("1")]
    assert total("distinct(v)", *({"v": value} for value in values)).amount == 2
    assert total("distinct(user)", {}, {}).amount == 1


def test_sizes() -> None:
    assert total("size(m)", {"m": StringSet(("a", "b"))}).amount == 2
    assert total("size(m)", {"m": NumberSet((Number("1"),))}).amount == 1
    assert total("size(m)", {}).amount == 0
    assert total("size(m)", {"m": String("abc")}).problem == "m is a String, the rule needs a set, list or map"
