"""Conditions with names and values written out: what they say, and what is said of those that cannot be read."""

from __future__ import annotations

import pytest

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.item_json import from_plain

POST = from_plain(
    """{"status": "open", "amount": 12.50, "n": 1E1, "user-id": "u7", "a.b": 1, "a": {"b": 2, "list": ["x", 5]},
    "tags": {"$stringSet": ["red", "blue"]}, "gone": null, "yes": true, "in": 3, "it": "it's"}"""
)


@pytest.mark.parametrize(
    "text",
    [
        "attribute_not_exists(deletedAt)",
        "status <> 'deleted' AND amount > 5",
        "STATUS = 'open' or status = 'open'",
        "amount = 12.5 and n = 10",
        "amount between -1 and +1.3E1",
        "\"user-id\" = 'u7'",
        '"a.b" = 1 AND a.b = 2',
        "a.list[1] = 5 AND NOT a.list[0] = 5",
        'tags = {"SS": ["blue", "red"]}',
        "gone = NULL AND attribute_exists(gone)",
        "yes = true AND yes <> FALSE",
        '"in" IN (1, 2, 3)',
        "it = 'it''s'",
        "size(tags) = 2",
        "contains(tags, 'red')",
        "begins_with(status, 'op')",
        "attribute_type(amount, 'N')",
        "missing <> 1",
        "NOT missing = 1",
        "(status) = ('open')",
        "NOT status = 'x' AND amount > 5",
        "amount > 50 AND n > 50 OR n = 10",
        "n = 10 OR amount > 50 AND n > 50",
    ],
)
def test_holds_for_the_post(text: str) -> None:
    assert parse_where(text).holds(POST)
    assert not parse_where(f"NOT ({text})").holds(POST)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a=1 and(b=2 or c=3)", "a = 1 AND (b = 2 OR c = 3)"),
        ("a = 1 AND b = 2 AND c = 3", "a = 1 AND b = 2 AND c = 3"),
        ("(a = 1 AND b = 2) AND c = 3", "(a = 1 AND b = 2) AND c = 3"),
        ("not(not a = 1)", "NOT (NOT a = 1)"),
        ("NOT (a = 1 OR b = 2)", "NOT (a = 1 OR b = 2)"),
        ('"x y"."z".w [ 3 ] <> null', '"x y".z.w[3] <> NULL'),
        ('"not" = \'q"\'', '"not" = \'q"\''),
        ('"say ""hi""" = 1', '"say ""hi""" = 1'),
        ("size (a)>=0.50", "size(a) >= 0.50"),
        ('b = {"B": "AAE="}', 'b = {"B": "AAE="}'),
    ],
)
def test_is_written_out_again(text: str, shown: str) -> None:
    condition = parse_where(text)
    assert str(condition) == shown
    assert parse_where(shown) == condition


def test_tells_the_attributes_it_looks_at() -> None:
    assert parse_where('size(a.b[0]) > c AND attribute_exists("d.e") OR NOT f IN (g, 1)').attributes == {
        *("a", "c", "d.e", "f", "g")
    }


@pytest.mark.parametrize(
    ("text", "message", "place", "hint"),
    [
        ("", "empty", "", ""),
        ("   ", "empty", "", ""),
        ("a", "a comparison is missing at the end", "", "BETWEEN or IN"),
        ("a =", "an attribute or a value is missing at the end", "", ""),
        ("status == 3", "missing before '='", "=", ""),
        ("a = 'x", "the quote ' is not closed", "'x", "written twice"),
        ('"a = 1', 'the quote " is not closed', '"a = 1', "written twice"),
        ("Size(a) > 1", "no function Size", "Size", "small letters"),
        ("length(a) > 1", "no function length", "length", "attribute_exists"),
        ("size(a)", "not a condition", "size(a)", "Compare it"),
        ("contains(a, b) = TRUE", "cannot follow", "=", ""),
        ("TRUE = contains(a, b)", "contains is a condition", "contains(a, b)", ""),
        ("attribute_exists(5)", "takes the path of an attribute", "5", ""),
        ("size(size(a)) = 1", "size takes an attribute or a value", "size(a)", ""),
        ("begins_with(a)", "begins_with takes 2 operands, not 1", "begins_with(a)", ""),
        ("a IN ()", "missing before ')'", ")", ""),
        ("a IN 5", "( is missing", "5", "IN takes a list"),
        ("a BETWEEN 1 OR 2", "AND is missing", "OR", "two ends"),
        ("a[-1] = 3", "the index of a list", "-", ""),
        ("a[1.5] = 3", "the index of a list", "1.5", ""),
        ("(a = 1", ") is missing at the end", "", "character 1 is not closed"),
        ("a = 1)", "')' cannot follow", ")", "no ("),
        ("a = 1 b = 2", "'b' cannot follow", "b", ""),
        ("a = 1 AND", "missing at the end", "", ""),
        ("#a = 1", "no placeholders", "#a", "the name itself"),
        ("a = :v", "no placeholders", ":v", "the value itself"),
        ("user-id = 3", "a comparison is missing", "-", "double quotes"),
        ("straße = 3", "'ß'", "ß", "double quotes"),
        ('a."" = 3', "no empty name", '""', ""),
        ("in = 3", "in is a keyword", "in", 'Write "in"'),
        ("a = 1_000", "'1_000' is not a number", "1_000", "Digits"),
        ("a = 1E126", "outside the range", "1E126", ""),
        ("a = " + "9" * 39, "39 significant digits", "9" * 39, ""),
        ("a != 3", "'!' has no meaning", "!", "<>"),
        ("a = 1 && b = 2", "'&' has no meaning", "&", "AND"),
        ("a = 1 || b = 2", "'|' has no meaning", "|", "OR"),
        ("a = {'S': 1}", "no JSON", "'", "DynamoDB JSON"),
        ('a = {"X": "1"}', "'X' is not a type", '{"X": "1"}', ""),
        ("attribute_type(a, 'X')", "'X' is no type", "'X'", "NULL"),
        ("attribute_type(a, b)", "stands in a value", "b", "NULL"),
        ("attribute_type(a, 5)", "a String, not a Number", "5", "NULL"),
        ("(" * 5000 + "a = 1" + ")" * 5000, "nested deeper", "(", ""),
        ("NOT " * 5000 + "a = 1", "nested deeper", "NOT", ""),
    ],
)
def test_says_what_cannot_be_read_and_where(text: str, message: str, place: str, hint: str) -> None:
    with pytest.raises(InvalidExpression) as refused:
        parse_where(text)
    problem = refused.value
    assert message in problem.message
    assert hint in problem.hint
    assert text[problem.offset : problem.offset + problem.length] == place
