"""Remarks on a filter as it is written, each at its place, with what to do."""

from __future__ import annotations

import pytest

from dynodesk.domain.expressions import check_where, parse_where
from dynodesk.domain.values import Item, Number, String
from tests.helpers.small_tables import SOCIAL, social_items

ITEMS: list[Item] = [{"n": Number("5")}, {"n": Number("6")}, {"n": String("5")}, {}]


def remarks(where: str, *, index: str | None = None, of_query: bool = False, items: list[Item] = ITEMS) -> list[str]:
    """Severity, marked text and message of each."""
    condition, found = check_where(where, SOCIAL, index=index, of_query=of_query, items=items)
    assert condition is None or condition == parse_where(where)
    return [f"{remark.severity}: {where[remark.span.offset : remark.span.end]}: {remark.message}" for remark in found]


def test_nothing_is_said_of_what_is_right() -> None:
    assert remarks("n > 4 AND attribute_exists(title)", items=ITEMS[:2], of_query=True) == []


def test_keys_in_the_filter_of_a_query_and_of_a_scan() -> None:
    (said,) = remarks("title = 'x' AND SK = 'META'", of_query=True)
    assert said.startswith("error: SK: SK is a key attribute here")
    assert remarks("SK = 'META'", of_query=False) == []
    assert remarks("SK = 'META'", of_query=True, index="GSI1") == []
    assert len(remarks("GSI1SK = 'x'", of_query=True, index="GSI1")) == 1


def test_types_that_are_met_in_what_is_loaded() -> None:
    (said,) = remarks("n < 6")
    assert said == "warning: n: n is N in 2 items, S in 1, missing in 1: only a Number compares with this value"


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("begins_with(n, 5)", "error: 5: begins_with does not work on a Number"),
        ("size(n) = 'x'", "warning: 'x': a size is a Number and never a String"),
        ('a < {"SS": ["x"]}', 'error: {"SS": ["x"]}: < does not work on a String set'),
        ("a BETWEEN 5 AND 1", "error: 5 AND 1: the lower end is above the upper one"),
        ("a = a", "error: a = a: a is compared with itself"),
        ('a = {"SS": []}', 'error: {"SS": []}: the value'),
        ("a =", "error: : an attribute or a value is missing at the end"),
        ("a-b = 1", "error: -: a comparison is missing before '-'"),
        (f"a IN ({', '.join(map(str, range(101)))})", "error: 100: IN has 101 values; there may be 100"),
    ],
)
def test_what_is_wrong_wherever_it_is_asked(where: str, said: str) -> None:
    assert remarks(where)[0].startswith(said)


def test_limits_are_those_of_what_is_sent() -> None:
    """Values are behind placeholders: a long one is no long expression, and many short ones are."""
    assert remarks(f"a = '{'x' * 5000}'") == []
    many = " OR ".join(f"a{n} = {n}" for n in range(160))
    assert [said.rpartition(": ")[2] for said in remarks(many)] == [
        "319 operators and functions; there may be 300",
    ]
    assert "the expression has" in remarks(" OR ".join(f"a{n} = {n}" for n in range(300)))[0]


def test_what_an_index_has_no_copy_of() -> None:
    (said,) = remarks("title = 'x'", index="GSI1", items=social_items())
    assert said.startswith("warning: title: title is not projected into GSI1")
    assert remarks("likedAt > 3", index="GSI1", items=[]) == []
