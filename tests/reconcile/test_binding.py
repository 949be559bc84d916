"""Rules against tables: what cannot be joined, counted or told apart is refused before anything is read."""

from __future__ import annotations

import pytest

from dynodesk.domain.errors import InvalidRules, TableMissing
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.rules import parse_rules
from tests.helpers.social import RULES, SOCIAL, no_time_to_live

READINGS = TableInfo("Readings", KeySchema((KeyAttribute("device", "S"),), (KeyAttribute("at", "N"),)))
BLOBS = TableInfo("Blobs", KeySchema((KeyAttribute("id", "S"),), (KeyAttribute("part", "B"),)))
FLAT = TableInfo("Flat", KeySchema((KeyAttribute("id", "S"),)))
COUNTED = TableInfo("Counted", KeySchema((KeyAttribute("id", "S"),), (KeyAttribute("n", "N"),)))
DELETING = TableInfo("Deleting", SOCIAL.key_schema, status="DELETING")
TABLES = {table.name: table for table in (SOCIAL, READINGS, BLOBS, FLAT, COUNTED, DELETING)}


def describe(name: str) -> TableInfo:
    if name not in TABLES:
        raise TableMissing(f"{name} does not exist")
    return TABLES[name]


def bound(table: str, parent: str, children: str) -> tuple[TallyRule, ...]:
    text = f"""version = 1
[[tally]]
name = "r"
table = "{table}"
parent = {{ {parent} }}
attribute = "n"
children = {{ {children} }}
"""
    return bind_rules(parse_rules(text, "rules.toml"), describe, no_time_to_live)


def test_rules_are_bound_and_each_table_is_described_once() -> None:
    asked = []

    def describe_once(name: str) -> TableInfo:
        asked.append(name)
        return describe(name)

    rules = bind_rules(parse_rules(RULES, "rules.toml"), describe_once, no_time_to_live)
    assert [rule.name for rule in rules] == ["post likes", "following"]
    assert asked == ["Social"]
    assert rules[0].words == "likeTally on PK POST#{post} / SK META = number of PK POST#{post} / SK LIKE#{user}"


@pytest.mark.parametrize(
    ("table", "parent", "children"),
    [
        ("Social", 'PK = "P#{p}", SK = "META"', 'PK = "P#{p}", SK = "C#{c}"'),
        ("Social", 'PK = "P#{p}", SK = "META"', 'PK = "P#{p}#children"'),
        ("Social", 'PK = "one", SK = "count"', 'PK = "one#list"'),
        ("Social", 'PK = "u#{id}", SK = "\\"count\\""', 'PK = "u#{id}#follower", SK = "{who}"'),
        ("Readings", 'device = "D#{d}", at = "0"', 'device = "D#{d}#r", at = "{at}"'),
        ("Blobs", 'id = "x"', 'id = "x#{p}"'),
    ],
)
def test_rules_that_fit(table: str, parent: str, children: str) -> None:
    if table == "Blobs":  # its sort key is binary: no pattern says what a parent's is
        with pytest.raises(InvalidRules, match="says nothing about the key attribute part"):
            bound(table, parent, children)
    else:
        assert len(bound(table, parent, children)) == 1


@pytest.mark.parametrize(
    ("table", "parent", "children", "words"),
    [
        ("Nowhere", 'PK = "P#{p}", SK = "M"', 'PK = "P#{p}", SK = "C#{c}"', "there is no table Nowhere"),
        ("Deleting", 'PK = "P#{p}", SK = "M"', 'PK = "P#{p}", SK = "C#{c}"', "table Deleting is deleting"),
        ("Social", 'PK = "P#{p}", sk = "M"', 'PK = "P#{p}", SK = "C#{c}"', "parent.sk is not a key attribute"),
        ("Social", 'PK = "P#{p}"', 'PK = "P#{p}", SK = "C#{c}"', "parent says nothing about the key attribute SK"),
        ("Social", 'PK = "P#{p}", SK = "M"', 'SK = "C#{p}"', "children says nothing about the key attribute PK"),
        (
            "Social",
            'PK = "P#{p}", SK = "M"',
            'PK = "C#{c}", SK = "P#{p}"',
            "{c} in the partition key of children is not known",
        ),
        ("Social", 'PK = "P#{p}", SK = "M"', 'PK = "P#{p}", SK = "C#"', "no capture of its own"),
        ("Social", 'PK = "P#{p}", SK = "M"', 'PK = "P#{p}", SK = "{any}"', "children also matches the parent"),
        ("Social", 'PK = "P#{p}", SK = "M"', 'PK = "P#{p}"', "children also matches the parent"),
        ("Social", 'PK = "P#{p}", SK = "{s}"', 'PK = "P#{p}", SK = "{s}#{c}"', "parent also matches the children"),
        ("Flat", 'id = "{p}"', 'id = "{p}#c"', "no capture of its own"),
        ("Readings", 'device = "D#{d}", at = "D{n}"', 'device = "D#{d}", at = "{at}"', "nothing closes"),
        (
            "Readings",
            'device = "D#{d}", at = "0.0"',
            'device = "D#{d}", at = "{at}"',
            "is a Number: '0.0' matches none",
        ),
        ("Readings", 'device = "D#{d}", at = "a"', 'device = "D#{d}", at = "{at}"', "is a Number: 'a' matches none"),
        ("Blobs", 'id = "x", part = "a"', 'id = "x#c"', "parent.part is binary"),
        ("Counted", 'id = "{p}"', 'id = "{p}#{c}"', "attribute is n, part of the key"),
    ],
)
def test_rules_that_do_not_fit(table: str, parent: str, children: str, words: str) -> None:
    with pytest.raises(InvalidRules) as raised:
        bound(table, parent, children)
    assert any(words in problem.message for problem in raised.value.problems), str(raised.value)
    assert all(problem.line > 1 and problem.rule == "r" for problem in raised.value.problems)
