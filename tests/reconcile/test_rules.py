"""Rules files: what is right is read, and every mistake is named with rule, line and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynodesk.domain.errors import InvalidFile, InvalidRules, RuleProblem
from dynodesk.reconcile.rules import parse_duration, parse_rules, read_rules
from tests.helpers.social import RULES

RULE = """\
version = 1

[[tally]]
name = "post likes"
table = "Social"
parent = { PK = "POST#{post}", SK = "META" }
attribute = "likeTally"
children = { PK = "POST#{post}", SK = "LIKE#{user}" }
"""


def test_a_rule_is_read_with_its_defaults() -> None:
    (draft,) = parse_rules(RULE, "rules.toml")
    assert (draft.name, draft.table, str(draft.attribute)) == ("post likes", "Social", "likeTally")
    assert (draft.writers, draft.wait, draft.settle, draft.version) == ("transaction", 30, 2, None)
    assert not draft.missing_is_zero


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ('writers = "two-step"', "wait", 300),
        ('writers = "async"', "wait", 25 * 3600),
        ('wait = "45s"', "wait", 45),
        ("wait = 0", "wait", 0),
        ("settle = 0.5", "settle", 0.5),
        ('settle = "0"', "settle", 0),
        ('missing = "zero"', "missing_is_zero", True),
        ('version = "rev"', "version", "rev"),
        ('measure = "count"', "wait", 30),
        ('expired = "count"', "wait", 30),
        ("tolerance = 0", "wait", 30),
        ('marker = "_reconciled"', "wait", 30),
    ],
)
def test_fields_that_may_be_given(line: str, field: str, value: object) -> None:
    (draft,) = parse_rules(RULE + line, "rules.toml")
    assert getattr(draft, field) == value


@pytest.mark.parametrize(
    ("changed", "to", "line", "words"),
    [
        ('name = "post likes"', 'name = ""', 4, "name must be a text"),
        ('name = "post likes"', "name = 7", 4, "name must be a text"),
        ('name = "post likes"\n', "", 3, "name is missing"),
        ('table = "Social"\n', "", 3, "table is missing"),
        ('attribute = "likeTally"', 'attribute = ".likes"', 7, "empty name"),
        ('attribute = "likeTally"', 'attribut = "likeTally"', 7, "unknown field attribut"),
        ('SK = "META" }', "SK = 1 }", 6, "parent.SK must be a pattern in quotes"),
        ('parent = { PK = "POST#{post}", SK = "META" }', 'parent = "POST"', 6, "parent must say"),
        ("POST#{post}", "POST#{post", 6, "a brace stands alone"),
        ("POST#{post}", "POST#{}", 6, "is not a capture"),
        ("POST#{post}", "POST#{a b}", 6, "is not a capture"),
        ("LIKE#{user}", "LIKE#{user}{rest}", 8, "nothing stands between"),
        ("LIKE#{user}", "LIKE{user}", 8, "nothing closes 'LIKE'"),
        ('SK = "LIKE#{user}"', 'SK = ""', 8, "empty pattern"),
        ('children = { PK = "POST#{post}"', 'children = { PK = "POST#all"', 8, "{post} of the parent is not in its"),
        ("children = { PK", 'children = { index = "GSI1", PK', 8, "behind an index are not counted"),
        ("children = { PK", 'children = { table = "Likes", PK', 8, "in another table are not counted"),
        ("children = { PK", 'children = { table = "Social", PK', 8, "the rule's own table"),
    ],
)
def test_mistakes_name_rule_and_line(changed: str, to: str, line: int, words: str) -> None:
    with pytest.raises(InvalidRules) as raised:
        parse_rules(RULE.replace(changed, to), "rules.toml")
    problem = next(found for found in raised.value.problems if words in found.message)
    assert problem.line == line
    assert str(problem).startswith(f"rules.toml:{line}: ")
    if "name" not in changed:
        assert problem.rule == "post likes"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('where = "attribute_not_exists(deletedAt)"', "where: children chosen by a condition are not counted"),
        ('sum_of = "shards"', "sum_of: tallies spread over shards are not counted"),
        ('measure = "sum(amount)"', "measure = 'sum(amount)' is not counted"),
        ('expired = "ignore"', "expired = 'ignore' is not counted"),
        ("tolerance = 2", "tolerance = 2 is not counted"),
        ("tolerance = false", "tolerance = False is not counted"),
        ('writers = "careless"', "writers is 'careless'"),
        ('missing = "one"', "missing is 'one'"),
        ('wait = "soon"', "wait is 'soon'"),
        ("wait = -1", "wait is -1"),
        ("wait = nan", "wait is nan"),
        ("wait = true", "wait is True"),
        ('wait = "8760h"', "wait is longer than a week"),
        ("settle = inf", "settle is inf"),
        ("version = 3", "version must be a text"),
        ("marker = 3", "marker must be a text"),
        ('limit = "all"', "unknown field limit"),
    ],
)
def test_fields_that_are_refused(line: str, words: str) -> None:
    with pytest.raises(InvalidRules) as raised:
        parse_rules(RULE + line, "rules.toml")
    (problem,) = raised.value.problems
    assert words in problem.message
    assert problem.line == 9


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "the file does not say its version"),
        ("version = 2\n[[tally]]", 1, "version is 2"),
        ("version = true\n[[tally]]", 1, "version is True"),
        ("version = 1", 1, "there is no rule"),
        ("version = 1\ntally = 3", 1, "there is no rule"),
        ("version = 1\n[tally]\nname = 'x'", 1, "there is no rule"),
        ("version = 1\n\n[[tally]\n", 3, "this is not TOML"),
        ("version = 1\n" + RULE, 2, "this is not TOML"),
        ("\x00", 1, "this is not TOML"),
        ("version = " + "1" * 5000, 1, "thousands of digits"),
        ("version = 0x" + "f" * 5000, 1, "version is a number of thousands of digits"),
        (RULE + "tolerance = 0x" + "f" * 5000, 9, "tolerance = a number of thousands of digits"),
        (RULE.replace("version = 1", "version = 1\nrules = 3"), 2, "unknown field rules"),
    ],
)
def test_files_that_are_no_rules_files(text: str, line: int, words: str) -> None:
    with pytest.raises(InvalidRules) as raised:
        parse_rules(text, "rules.toml")
    problem = raised.value.problems[0]
    assert words in problem.message
    assert problem.line == line


def test_every_mistake_is_named_at_once_in_order() -> None:
    text = RULE.replace("LIKE#{user}", "LIKE{user}").replace('"likeTally"', "7") + RULE.split("\n\n")[1] + "limit = 1\n"
    with pytest.raises(InvalidRules) as raised:
        parse_rules(text, "rules.toml")
    assert [problem.line for problem in raised.value.problems] == [7, 8, 15]


def test_two_rules_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidRules, match="another rule has this name"):
        parse_rules(RULE + RULE.split("\n\n")[1], "rules.toml")


def test_lines_of_rules_written_with_sub_tables_and_inline() -> None:
    sub_tables = RULE.replace('children = { PK = "POST#{post}", SK = "LIKE#{user}" }', "").rstrip()
    sub_tables += '\n[tally.children]\nPK = "POST#{post}"\nSK = "LIKE{user}"\n'
    with pytest.raises(InvalidRules) as raised:
        parse_rules(sub_tables, "rules.toml")
    assert raised.value.problems[0].line == 8
    with pytest.raises(InvalidRules) as raised:
        parse_rules('version = 1\n\ntally = [{ name = "x" }]', "rules.toml")
    assert {problem.line for problem in raised.value.problems} == {3}


def test_a_mistake_reads_as_sentences() -> None:
    problem = RuleProblem("it is wrong", file="f.toml", line=3, rule="r", hint="Mend it.")
    assert str(problem) == 'f.toml:3: rule "r": it is wrong. Mend it.'


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"missing\.toml cannot be read"):
        read_rules(tmp_path / "missing.toml")
    with pytest.raises(InvalidFile, match="cannot be read"):
        read_rules(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes(RULE.replace("post likes", "été").encode("latin-1"))
    with pytest.raises(InvalidFile, match="not UTF-8: byte"):
        read_rules(latin)
    huge = tmp_path / "huge.toml"
    huge.write_bytes(b"#" * (1024 * 1024 + 1))
    with pytest.raises(InvalidFile, match="at most"):
        read_rules(huge)
    good = tmp_path / "good.toml"
    for encoding in ("utf-8", "utf-8-sig"):
        good.write_text(RULES, encoding=encoding)
        assert [draft.name for draft in read_rules(good)] == ["post likes", "following"]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30s", 30),
        ("500ms", 0.5),
        ("5m", 300),
        ("1h", 3600),
        ("2", 2),
        (1.5, 1.5),
        ("-1s", None),
        ("1d", None),
        ([], None),
    ],
)
def test_durations(value: object, seconds: float | None) -> None:
    assert parse_duration(value) == seconds
