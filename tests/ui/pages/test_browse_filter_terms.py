"""A filter fits in its fields whatever it says, and the fields say exactly that."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.expressions import Condition, parse_where
from dynodesk.domain.values import Boolean, List, Null, Number, String
from dynodesk.ui.pages.browse_filter_terms import (
    AS_TEXT,
    Group,
    Term,
    TermProblem,
    group_condition,
    group_of,
    inside,
    term_condition,
)
from dynodesk.ui.pages.browse_filter_values import listed, split_list, typed_value
from tests.domain.expressions.roundtrip import random_tree
from tests.domain.strategies import texts

IN_FIELDS = [
    ("a = 'x'", Term("a", "=", "S", "x")),
    ("a <> ''", Term("a", "<>", "S", "")),
    ("a = 0", Term("a", "=", "N", "0")),
    ("a = FALSE", Term("a", "=", "BOOL", "false")),
    ("a = NULL", Term("a", "=", "NULL", "")),
    ('a = {"B": "AP8="}', Term("a", "=", "B", "00ff")),
    ('a <> {"SS": ["x", "y, z"]}', Term("a", "<>", "SS", "x, 'y, z'")),
    ('a = {"NS": ["1", "2.5"]}', Term("a", "=", "NS", "1, 2.5")),
    ('a = {"L": [{"S": "x"}]}', Term("a", "=", "L", '[{"S": "x"}]')),
    ("a >= b", Term("a", ">=", "attribute", "b")),
    ("a < size(b)", Term("a", "<", "size of", "b")),
    ('"a.b" = 1', Term('"a.b"', "=", "N", "1")),
    ("a.b[2].c = 1", Term("a.b[2].c", "=", "N", "1")),
    ("a BETWEEN 1 AND 5", Term("a", "between", "N", "1", "5")),
    ("a IN ('x', 'y, z', '')", Term("a", "in", "S", "x, 'y, z', ''")),
    ("a IN (1, 2)", Term("a", "in", "N", "1, 2")),
    ("begins_with(a, 'x')", Term("a", "begins_with", "S", "x")),
    ("contains(a, 3)", Term("a", "contains", "N", "3")),
    ("attribute_exists(a)", Term("a", "exists")),
    ("attribute_not_exists(a)", Term("a", "not exists")),
    ("attribute_type(a, 'NS')", Term("a", "is type", "NS")),
    ("size(a) > 5", Term("a", "size >", "N", "5")),
    ("size(a) BETWEEN 1 AND 2", Term("a", "size between", "N", "1", "2")),
    ("size(a) = b", Term("a", "size =", "attribute", "b")),
    ("size(a) IN (1)", Term("a", "size in", "N", "1")),
    ("NOT a = 1", Term("a", "=", "N", "1", negated=True)),
    # What no fields are made for stands as its text.
    ("5 < a", Term(operator=AS_TEXT, value="5 < a")),
    ("a IN ('x', 2)", Term(operator=AS_TEXT, value="a IN ('x', 2)")),
    ("a BETWEEN 1 AND b", Term(operator=AS_TEXT, value="a BETWEEN 1 AND b")),
    ("size(a) = 'x'", Term(operator=AS_TEXT, value="size(a) = 'x'")),
]


@pytest.mark.parametrize(("where", "term"), IN_FIELDS)
def test_what_stands_in_the_fields(where: str, term: Term) -> None:
    condition = parse_where(where)
    assert group_of(condition) == Group("AND", (term,))
    assert term_condition(term) == condition


@pytest.mark.parametrize(
    ("where", "group"),
    [
        ("a = 1 OR b = 1", Group("OR", (Term("a", "=", "N", "1"), Term("b", "=", "N", "1")))),
        (
            "a = 1 AND (b = 1 OR NOT c = 1)",
            Group(
                "AND",
                (
                    Term("a", "=", "N", "1"),
                    Group("OR", (Term("b", "=", "N", "1"), Term("c", "=", "N", "1", negated=True))),
                ),
            ),
        ),
        (
            "NOT (a = 1 AND b = 1)",
            Group("AND", (Group("AND", (Term("a", "=", "N", "1"), Term("b", "=", "N", "1")), negated=True),)),
        ),
    ],
)
def test_groups(where: str, group: Group) -> None:
    assert group_of(parse_where(where)) == group
    assert str(group_condition(group)) == where


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32 - 1))
def test_every_condition_fits(seed: int) -> None:
    tree = random_tree(Random(seed))
    if isinstance(tree, Condition):
        assert group_condition(group_of(tree)) == tree


@settings(deadline=None, max_examples=100)
@given(st.lists(texts, max_size=4))
def test_several_values_in_one_field(values: list[str]) -> None:
    assert list(split_list(listed(values))) == values


@pytest.mark.parametrize(
    ("text", "values"), [("a, b", ["a", "b"]), (" a b ,, c,", ["a b", "c"]), ("'it''s' ,x", ["it's", "x"]), ("", [])]
)
def test_values_as_a_person_types_them(text: str, values: list[str]) -> None:
    assert list(split_list(text)) == values


@pytest.mark.parametrize("text", ["'a", "'a' b", "'a''"])
def test_quotes_that_do_not_fit(text: str) -> None:
    with pytest.raises(InvalidValue):
        list(split_list(text))


@pytest.mark.parametrize(
    ("term", "place", "gap"),
    [
        (Term("", "=", "S", "x"), "path", True),
        (Term("a-b", "=", "S", "x"), "path", False),
        (Term("a, b", "=", "S", "x"), "path", False),
        (Term("a", "=", "N", ""), "value", True),
        (Term("a", "=", "N", "1x"), "value", False),
        (Term("a", "=", "N", " 5"), "value", False),
        (Term("a", "=", "B", "0g"), "value", False),
        (Term("a", "=", "M", "{"), "value", False),
        (Term("a", "=", "M", '{"a": 1}'), "value", False),
        (Term("a", "=", "attribute", ""), "value", True),
        (Term("a", "between", "N", "1", ""), "high", True),
        (Term("a", "in", "S", ""), "value", True),
        (Term("a", "in", "N", "1, x"), "value", False),
        (Term(operator=AS_TEXT, value="a ="), "value", False),
    ],
)
def test_what_is_wrong_is_said_of_its_field(term: Term, place: str, gap: bool) -> None:
    with pytest.raises(TermProblem) as problem:
        term_condition(term)
    assert (problem.value.place, problem.value.is_gap) == (place, gap)


def test_a_name_with_other_characters_is_offered_in_quotes() -> None:
    with pytest.raises(TermProblem) as problem:
        term_condition(Term("user-id", "=", "S", "x"))
    assert '"user-id"' in problem.value.hint


def test_a_dot_is_a_part_of_a_name_or_a_way_inside() -> None:
    assert inside("a.b[0]") == "element 0 in b in a"
    assert inside('"a.b[0]"') == inside("a") == inside("") == inside("a.") == ""


def test_values_are_of_the_type_that_was_chosen() -> None:
    assert typed_value("S", "5") == String("5")
    assert typed_value("N", "5") == Number("5")
    assert typed_value("S", "") == String("")
    assert typed_value("BOOL", "false") == Boolean(False)
    assert typed_value("NULL", "") == Null()
    assert typed_value("L", '[{"N": "5"}]') == List((Number("5"),))
