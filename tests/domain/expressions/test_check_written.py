"""Remarks on updates, conditions and projections as they are written, each at its place, with a fix that fits there."""

from __future__ import annotations

import pytest

from dynodesk.domain.expressions import (
    Remark,
    check_changes,
    check_paths,
    check_write_condition,
    parse_changes,
    parse_paths,
    parse_where,
)
from dynodesk.domain.expressions.conditions import And, Condition
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import Item, List, Number, String
from tests.helpers.small_tables import SOCIAL

ITEMS: list[Item] = [{"n": Number("5"), "l": List((Number("1"),))}, {"n": String("5"), "l": List(())}]
ODD_KEY = TableInfo("odd", KeySchema((KeyAttribute('user "id".#1', "S"),)))


def said(remarks: tuple[Remark, ...], update: str = "", condition: str = "", paths: str = "") -> list[str]:
    """Severity, marked text and message of each."""
    texts = {"UpdateExpression": update, "ConditionExpression": condition, "ProjectionExpression": paths}
    return [
        f"{remark.severity}: {texts[remark.part][remark.span.offset : remark.span.end]}: {remark.message}"
        for remark in remarks
    ]


@pytest.mark.parametrize(
    ("update", "condition"),
    [
        ("SET title = 'x'", "attribute_exists(PK)"),
        ("SET n = n + 1", "n = 5"),
        ("SET version = 4, n = n + 1", "version = 3"),
        (
            "SET n = n + 1, version = if_not_exists(version, 0)",
            "attribute_not_exists(version) AND attribute_exists(PK)",
        ),
        ('SET "a.b" = 1, a.b = 2, status = 3', "((attribute_exists(PK)))"),
        ('DELETE tags {"SS": ["x"]}', ""),
    ],
)
def test_nothing_is_said_of_what_is_right(update: str, condition: str) -> None:
    changes, guard, remarks = check_changes(update, condition, SOCIAL)
    assert changes == parse_changes(update)
    assert guard == (parse_where(condition) if condition else None)
    assert said(remarks, update, condition) == []


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ("SET PK = 'x'", "error: PK: PK is part of the key, which no update changes"),
        ("SET GSI1SK = 5", "error: 5: GSI1SK is a key of the index GSI1 with type S, this is a Number"),
        ("SET a = 1 REMOVE a.b", "error: a.b: a and a.b lie within each other"),
        ("SET a = 1, a = 2", "error: a: a and a are changed in one update"),
        ('ADD n {"SS": []}', 'error: {"SS": []}: the value'),
        ("ADD n 'x'", "error: 'x': ADD takes a Number or a set, not a String"),
        ("SET a = b + 'x'", "error: 'x': + takes numbers, this is a String"),
        ("SET a = :v", "error: :v: there are no placeholders here"),
        ("SET a = ", "error: : an attribute or a value is missing at the end"),
        ("", "error: : the expression is empty"),
        (f"SET {'n' * 65536} = 1", f"error: {'n' * 65536}: the attribute name {'n' * 40}… is longer than 65535 bytes"),
        ('SET "" = 1', 'error: "": an attribute has no empty name'),
        ('SET a."\ud800" = 1', 'error: a."\ud800": an attribute name: '),
        (
            'SET a = {"M": {"": {"N": "1"}}}',
            'error: {"M": {"": {"N": "1"}}}: the value: an attribute',
        ),
        ("REMOVE l[1]", "warning: l[1]: the list ends before index 1 in 2 of 2 items looked at: nothing is removed"),
        ("SET n = n + 1", "warning: n = n + 1: sent again after a lost reply, this counts twice"),
        ("ADD m.n 1", "warning: m.n: ADD is documented for top-level attributes only"),
        ("SET b = n + 1", "warning: n: refused for 1 of 2 items looked at: n is a String: + takes numbers"),
        ("SET l[1] = 5", "warning: l[1]: the list ends before index 1 in 2 of 2 items looked at"),
        ("REMOVE l[0], l[2]", "warning: l[0]: all indexes are those of l before the update"),
    ],
)
def test_what_is_wrong_with_an_update(update: str, expected: str) -> None:
    _, _, remarks = check_changes(update, "attribute_exists(PK)", SOCIAL, items=ITEMS)
    assert any(remark.startswith(expected) for remark in said(remarks, update, "attribute_exists(PK)"))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("n BETWEEN 5 AND 1", "error: 5 AND 1: the lower end is above the upper one"),
        ("begins_with(n, 5)", "error: 5: begins_with does not work on a Number"),
        ("n < 6", "warning: n: n is N in 1 item, S in 1: only a Number compares with this value"),
        ("a =", "error: : an attribute or a value is missing at the end"),
        (f"a IN ({', '.join(map(str, range(101)))})", "error: 100: IN has 101 values; there may be 100"),
    ],
)
def test_what_is_wrong_with_a_condition(condition: str, expected: str) -> None:
    _, alone = check_write_condition(condition, items=ITEMS)
    assert said(alone, condition=condition)[0].startswith(expected)
    _, _, with_update = check_changes("REMOVE a", condition, SOCIAL, items=ITEMS)
    assert with_update == alone


@pytest.mark.parametrize(
    ("condition", "guarded"),
    [
        ("", 'attribute_exists("user ""id"".#1")'),
        ("  ", 'attribute_exists("user ""id"".#1")  '),
        ("a <> 1", 'a <> 1 AND attribute_exists("user ""id"".#1")'),
        ("a <> 1 OR b = 2", '(a <> 1 OR b = 2) AND attribute_exists("user ""id"".#1")'),
        (" (a <> 1 OR b = 2)", ' (a <> 1 OR b = 2) AND attribute_exists("user ""id"".#1")'),
        ("(a <> 1) OR (b = 2)", '((a <> 1) OR (b = 2)) AND attribute_exists("user ""id"".#1")'),
        ("NOT b = 2", 'NOT b = 2 AND attribute_exists("user ""id"".#1")'),
    ],
)
def test_an_item_that_comes_into_being_gets_its_guard(condition: str, guarded: str) -> None:
    """The condition that is offered says what was said, and that there is such an item."""
    _, _, remarks = check_changes("SET a = 1", condition, ODD_KEY)
    (remark,) = remarks
    assert (remark.severity, remark.part) == ("warning", "ConditionExpression")
    assert remark.applied_to(condition) == guarded
    assert not remark.names
    _, tree, left = check_changes("SET a = 1", guarded, ODD_KEY)
    assert left == ()
    assert tree == _both(condition, "attribute_exists(" + guarded.rpartition("attribute_exists(")[2])


def _both(condition: str, guard: str) -> Condition:
    """The tree of what was said with the guard, joined as trees."""
    if not condition.strip():
        return parse_where(guard)
    said, asked = parse_where(condition), parse_where(guard)
    return And((said, asked))


def test_fixes_are_written_out_as_well() -> None:
    update, condition = "SET a = 1", "attribute_exists(PK) AND a BETWEEN 'it''s' AND 'a'"
    _, _, (remark,) = check_changes(update, condition, SOCIAL)
    corrected = remark.applied_to(condition)
    assert corrected == "attribute_exists(PK) AND a BETWEEN 'a' AND 'it''s'"
    assert check_changes(update, corrected, SOCIAL)[2] == ()


def test_in_a_transaction_nothing_counts_twice() -> None:
    _, _, (ghost,) = check_changes("ADD n 1", "", SOCIAL, in_transaction=True)
    assert ghost.replacement == "attribute_exists(PK)"
    assert check_changes("ADD n 1", "attribute_exists(PK)", SOCIAL, in_transaction=True)[2] == ()


def test_nothing_is_said_of_guards_that_cannot_be_read() -> None:
    changes, guard, remarks = check_changes("ADD n 1", "attribute_exists(", SOCIAL)
    assert changes is not None
    assert guard is None
    assert [remark.part for remark in remarks] == ["ConditionExpression"]


def test_limits_are_those_of_what_is_sent() -> None:
    """Values and names are behind placeholders: a long one is no long expression, and many short ones are."""
    long = f"SET {'a' * 5000} = '{'x' * 5000}'"
    assert check_changes(long, "attribute_exists(PK)", SOCIAL)[2] == ()
    many = "SET " + ", ".join(f"a{n} = {n}" for n in range(300))
    (_, _, (remark,)) = check_changes(many, "attribute_exists(PK)", SOCIAL)
    assert (remark.part, many[remark.span.offset : remark.span.end]) == ("UpdateExpression", many)
    assert remark.message == "the expression has 4,282 bytes; there may be 4,096"
    condition = "n = 1 AND " + " OR ".join("n = 5" for _ in range(151))
    _, found = check_write_condition(condition)
    assert [remark.message for remark in found] == ["303 operators and functions; there may be 300"]
    big = ", ".join(f"a{n} = '{'x' * 300_000}'" for n in range(7))
    assert "2,100,014 bytes; there may be 2,097,152" in check_changes(f"SET {big}", "", SOCIAL)[2][0].message


def test_what_is_far_too_long_is_said_to_be_at_once() -> None:
    """To compare each path with each other one would take minutes."""
    many = [f"a{number}" for number in range(20_000)]
    remarks = check_changes("REMOVE " + ", ".join(many), "attribute_exists(PK)", SOCIAL)[2]
    assert [remark.message.split(" has ")[0] for remark in remarks] == ["the expression"]
    assert [remark.message.split(" has ")[0] for remark in check_paths(", ".join(many))[1]] == ["the expression"]


def test_projections() -> None:
    paths = 'a, "a.b", c[0].d'
    assert check_paths(paths) == (parse_paths(paths), ())
    overlapping = "a.b, c, a"
    _, (remark,) = check_paths(overlapping)
    assert (remark.part, remark.span.offset) == ("ProjectionExpression", 8)
    assert remark.message == "a.b and a lie within each other"
    tree, (remark,) = check_paths("a, , b")
    assert (tree, remark.span.offset) == (None, 3)
    many = ", ".join(f"a{n}" for n in range(800))
    assert "bytes; there may be 4,096" in check_paths(many)[1][0].message
