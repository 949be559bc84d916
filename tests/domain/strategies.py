"""Random values of the table, the odd ones included."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import strategies as st

from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
"""Any text but one with half a surrogate pair."""

ODD_NAMES = (
    *("count", "a.b", "a[0]", "#n", ":v", "$", "$binary", "$map", "$number", "$stringSet"),
    *('q"uote', "back\\slash", "line\nend", "\0", "é", "e\u0301", "\u202ertl", "💙"),
)
names = st.one_of(st.sampled_from(ODD_NAMES), texts.filter(bool))


@st.composite
def decimals(draw: st.DrawFn) -> Decimal:
    """A number that DynamoDB holds, often near the ends of what it holds."""
    digits = draw(st.one_of(st.integers(0, 999), st.integers(0, 10**38 - 1)))
    first = draw(st.one_of(st.integers(-3, 12), st.sampled_from([-130, -129, 124, 125])))
    value = Decimal((draw(st.integers(0, 1)), tuple(map(int, str(digits))), first - len(str(digits)) + 1))
    return Decimal(0) if digits == 0 else value


@st.composite
def spellings(draw: st.DrawFn, numbers: st.SearchStrategy[Decimal]) -> str:
    """A text of a number: with zeros before and after, a plus, the point anywhere, an exponent."""
    sign, digits, exponent = draw(numbers).as_tuple()
    assert isinstance(exponent, int)
    zeros_after = draw(st.integers(0, 3))
    text = "0" * draw(st.integers(0, 3)) + "".join(map(str, digits)) + "0" * zeros_after
    exponent -= zeros_after
    point = draw(st.integers(0, len(text)))
    exponent += len(text) - point
    has_point = point < len(text) or draw(st.booleans())
    shown = f"{text[:point]}.{text[point:]}" if has_point else text
    has_exponent = exponent != 0 or draw(st.booleans())
    power = f"{draw(st.sampled_from('eE'))}{exponent:{draw(st.sampled_from(['', '+']))}d}" if has_exponent else ""
    return ("-" if sign else draw(st.sampled_from(["", "+"]))) + shown + power


numbers = spellings(decimals()).map(Number)
stored_numbers = st.one_of(
    numbers, st.sampled_from(["NaN", "1_000", "", "1E126", "1" * 39, "1" * 200, "１２"]).map(Number)
)
"""What an emulator may hold as a number."""

blobs = st.binary(max_size=8)

values: st.SearchStrategy[Value] = st.recursive(
    st.one_of(
        texts.map(String),
        stored_numbers,
        blobs.map(Binary),
        st.booleans().map(Boolean),
        st.just(Null()),
        st.lists(texts, max_size=4, unique=True).map(tuple).map(StringSet),
        st.lists(stored_numbers, max_size=4, unique=True).map(tuple).map(NumberSet),
        st.lists(blobs, max_size=4, unique=True).map(tuple).map(BinarySet),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(tuple).map(List), st.dictionaries(names, inner, max_size=4).map(Map)
    ),
    max_leaves=12,
)
items = st.dictionaries(names, values, max_size=5)
