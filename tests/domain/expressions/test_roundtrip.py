"""Trees written and read again, a short run; the long one is `python -m tests.domain.expressions.roundtrip`."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions import Placeholders, parse_changes, parse_condition, parse_update, parse_where
from dynodesk.domain.expressions.conditions import Comparison
from dynodesk.domain.expressions.nodes import DocumentPath, Literal
from dynodesk.domain.values import Null, Number, String, StringSet, Value
from tests.domain.expressions.roundtrip import check_round_trip, check_text, random_tree
from tests.domain.strategies import names, values


def test_trees_and_their_texts_mean_the_same() -> None:
    for number in range(300):
        random = Random(f"short/{number}")
        tree = random_tree(random)
        check_round_trip(tree)
        check_text(tree, random)


@settings(deadline=None, max_examples=50)
@given(names, st.lists(st.one_of(names, st.integers(0, 999_999_999)), max_size=3), values)
def test_any_name_and_value_survives(name: str, steps: list[str | int], value: Value) -> None:
    tree = Comparison(DocumentPath((name, *steps)), "<>", Literal(value))
    check_round_trip(tree)
    check_text(tree, Random(name))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("NOT a=:x AND#b=:y", "(NOT a = 1) AND b = 2"),
        ("not a = :x or b = :y and c = :x", "(NOT a = 1) OR (b = 2 AND c = 1)"),
        ("a BETWEEN:x and:y And Not c In(:x,:y)", "(a BETWEEN 1 AND 2) AND (NOT (c IN (1, 2)))"),
        ("(a)BETWEEN(:x)AND(:y)or((b))in((:x),size(c))", "(a BETWEEN 1 AND 2) OR (b IN (1, size(c)))"),
        ("NOT NOT a=:x", "NOT (NOT a = 1)"),
        ("NOT(a=:x OR b=:y)AND c<>:x", "(NOT (a = 1 OR b = 2)) AND c <> 1"),
        ("a.#b[0].c<=:x", "a.b[0].c <= 1"),
        ("a . #b [ 0 ]\n=\t:x", "a.b[0] = 1"),
        ("size(a)>:x AND attribute_exists(#dotted)", 'size(a) > 1 AND attribute_exists("c.d")'),
        ("size=:x AND contains=:y", "size = 1 AND contains = 2"),
    ],
)
def test_what_binds_closer(text: str, meant: str) -> None:
    """NOT before AND before OR; the AND of BETWEEN is its own; functions are names where nothing is called."""
    names, values = {"#b": "b", "#dotted": "c.d"}, {":x": Number("1"), ":y": Number("2")}
    assert parse_condition(text, names, values) == parse_where(meant)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("DELETE s:s SET a=a+:x REMOVE b,c", 'SET a = a + 1 REMOVE b, c DELETE s {"SS": ["x"]}'),
        ("add n:x set a=(:x)-(if_not_exists(b,:y))", "SET a = 1 - if_not_exists(b, 2) ADD n 1"),
        ("set #set=#set[0].#set", 'SET "set" = "set"[0]."set"'),
    ],
)
def test_clauses_in_any_order(text: str, meant: str) -> None:
    values: dict[str, Value] = {":x": Number("1"), ":y": Number("2"), ":s": StringSet(("x",))}
    assert parse_update(text, {"#set": "set"}, values) == parse_changes(meant)


@pytest.mark.parametrize("text", ["set #set=set", "remove set[0]", "add set :x"])
def test_a_keyword_is_no_name(text: str) -> None:
    with pytest.raises(InvalidExpression, match="set is a keyword"):
        parse_update(text, {"#set": "set"}, {":x": Number("1")})


def test_one_request_has_one_table_of_placeholders() -> None:
    placeholders = Placeholders()
    path, other = DocumentPath.of("a.b", "count", 0), DocumentPath.of("count")
    assert Comparison(path, "=", Literal(String("x"))).text(placeholders) == "#n0.#n1[0] = :v0"
    assert Comparison(path, "=", Literal(Null())).text(placeholders) == "#n0.#n1[0] = :v1"
    assert other.text(placeholders) == "#n1"
    assert placeholders.names == {"#n0": "a.b", "#n1": "count"}
    assert placeholders.values == {":v0": String("x"), ":v1": Null()}


def test_a_path_starts_with_a_name() -> None:
    for steps in ((), (0,)):
        with pytest.raises(ValueError, match="starts with the name"):
            DocumentPath(steps)
