"""Rules files: what is right is read, and every mistake is named with rule, line and remedy."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.errors import InvalidFile, InvalidRules, RuleProblem
from dynodesk.domain.measures import COUNT, Measure
from dynodesk.domain.values import String
from dynodesk.reconcile.rule_reader import parse_duration
from dynodesk.reconcile.rules import parse_rules, read_rules
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
    assert (draft.missing, draft.repairs) == ("report", "exact")
    assert (draft.marker, draft.tolerance) == (None, Decimal(0))
    assert (draft.measure, draft.is_sharded, draft.shards, draft.siblings) == (COUNT, False, (), ())
    children = draft.children
    assert (children.table, children.index, children.where, children.ignores_expired) == ("Social", None, None, False)


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ('writers = "two-step"', "wait", 300),
        ('writers = "async"', "wait", 25 * 3600),
        ('wait = "45s"', "wait", 45),
        ("wait = 0", "wait", 0),
        ("settle = 0.5", "settle", 0.5),
        ('settle = "0"', "settle", 0),
        ('missing = "zero"', "missing", "zero"),
        ('repairs = "probable"', "repairs", "probable"),
        ('measure = "sum(amount)"', "measure", Measure("sum", AttributePath(("amount",)))),
        ('measure = "sum( a.b )"', "measure", Measure("sum", AttributePath(("a", "b")))),
        ('measure = "distinct(user)"', "measure", Measure("distinct", capture="user")),
        ('measure = "distinct(country)"', "measure", Measure("distinct", AttributePath(("country",)))),
        ("tolerance = 2", "tolerance", Decimal(2)),
        ('tolerance = "0.01"', "tolerance", Decimal("0.01")),
        ("shards = 3", "shards", ("0", "1", "2")),
        ('shards = ["a", "b"]', "shards", ("a", "b")),
        ('version = "rev"', "version", "rev"),
        ('measure = "count"', "measure", COUNT),
        ('expired = "count"', "wait", 30),
        ("tolerance = 0", "tolerance", 0),
        ('marker = "_reconciled"', "marker", "_reconciled"),
        (
            'sensitive = ["email", "profile.ssn"]',
            "sensitive",
            (AttributePath(("email",)), AttributePath(("profile", "ssn"))),
        ),
        (r'sensitive = ["a\\.b"]', "sensitive", (AttributePath(("a.b",)),)),
        ("sensitive = []", "sensitive", ()),
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
        ("children = { PK", "children = { index = 7, PK", 8, "children.index must be a name"),
        ("children = { PK", 'children = { table = "", PK', 8, "children.table must be a name"),
        ('SK = "META" }', 'SK = "META#{shard}" }', 6, "parent has a {shard}, and sum_of is missing"),
        ("children = { PK", 'children = { table = "Social", PK', 8, "the rule's own table"),
        ('attribute = "likeTally"', 'attribute = "likes.n"\nversion = "likes"', 8, "version is the attribute of"),
        ('attribute = "likeTally"', 'attribute = "likeTally"\nmarker = "likeTally"', 8, "marker is the attribute of"),
        ('attribute = "likeTally"', 'attribute = "n"\nversion = "v"\nmarker = "v"', 9, "marker is the version"),
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
        ('where = "deletedAt ="', "where: "),
        ("where = 3", "where must be a text"),
        ('sum_of = "shards"', "parent has no {shard}"),
        ("sum_of = 3", "sum_of is 3"),
        ("shards = 0", "shards is 0"),
        ("shards = 101", "shards is 101"),
        ("shards = true", "shards is True"),
        ('shards = ["a", "a"]', "shards is ['a', 'a']"),
        ("shards = [1]", "shards is [1]"),
        ('measure = "sum()"', "measure is 'sum()'"),
        ('measure = "total(amount)"', "measure is 'total(amount)'"),
        ('measure = "sum(a..b)"', "measure is 'sum(a..b)'"),
        ("measure = 1", "measure is 1"),
        ('expired = "maybe"', "expired is 'maybe'"),
        ("tolerance = 0.5", "tolerance is 0.5"),
        ("tolerance = -1", "tolerance is -1"),
        ('tolerance = "some"', "tolerance is 'some'"),
        ("tolerance = false", "tolerance is False"),
        ('repairs = "all"', "repairs is 'all'"),
        ("siblings = 3", "siblings must be a list"),
        ('sensitive = "email"', "sensitive must be a list of attributes"),
        ("sensitive = [3]", "sensitive must be a list of attributes"),
        ('sensitive = ["email", "email"]', "sensitive: email is there twice"),
        ('sensitive = ["profile", "profile.ssn"]', "sensitive: profile.ssn and profile are one within the other"),
        ('sensitive = ["profile..ssn"]', "sensitive: 'profile..ssn': an attribute path has an empty name"),
        ('sensitive = ["likeTally"]', "sensitive: likeTally is the tally"),
        ('siblings = ["other"]', "siblings: no other rule is named 'other'"),
        ('siblings = ["post likes"]', "siblings: no other rule is named 'post likes'"),
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
        (RULE + "tolerance = 0x" + "f" * 5000, 9, "tolerance is a number of thousands of digits"),
        (RULE.replace("version = 1", "version = 1\nrules = 3"), 2, "unknown field rules"),
    ],
)
def test_files_that_are_no_rules_files(text: str, line: int, words: str) -> None:
    with pytest.raises(InvalidRules) as raised:
        parse_rules(text, "rules.toml")
    problem = raised.value.problems[0]
    assert words in problem.message
    assert problem.line == line


def test_children_have_no_meaning_where_the_parent_itself_is_measured() -> None:
    with pytest.raises(InvalidRules) as raised:
        parse_rules(RULE + 'measure = "size(members)"\nwhere = "attribute_exists(a)"', "rules.toml")
    assert [(problem.line, problem.message[:8]) for problem in raised.value.problems] == [
        (8, "children"),
        (10, "where ha"),
    ]
    (draft,) = parse_rules(RULE.replace("children", "#") + 'measure = "size(members)"', "rules.toml")
    assert (draft.children.pattern, draft.measure) == (draft.parent, Measure("size", AttributePath(("members",))))


def test_where_children_are() -> None:
    elsewhere = RULE.replace("children = { ", 'children = { table = "Likes", index = "ByPost", ')
    (draft,) = parse_rules(elsewhere + "where = \"attribute_not_exists(gone)\"\nexpired = 'ignore'", "rules.toml")
    children = draft.children
    assert (children.table, children.index, children.ignores_expired) == ("Likes", "ByPost", True)
    assert set(children.pattern.attributes) == {"PK", "SK"}
    assert children.where is not None
    assert children.where.holds({"PK": String("a")})
    assert not children.where.holds({"gone": String("a")})


def test_a_tally_of_shards_joins_by_everything_but_the_shard() -> None:
    sharded = RULE.replace('SK = "META"', 'SK = "TOTAL#{shard}"') + 'sum_of = "shards"'
    (draft,) = parse_rules(sharded, "rules.toml")
    assert (draft.is_sharded, draft.shards) == (True, ())


def test_siblings_are_rules_over_the_same_parent() -> None:
    other = RULE.split("\n\n")[1].replace("post likes", "post fans").replace("likeTally", "fans")
    parse_rules(RULE + 'siblings = ["post fans"]\n' + other, "rules.toml")
    with pytest.raises(InvalidRules, match="is about another parent"):
        parse_rules(RULE + 'siblings = ["post fans"]\n' + other.replace("META", "INFO"), "rules.toml")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('version = "rev"\nsensitive = ["rev"]', "sensitive: rev is the version"),
        ('marker = "_by"\nsensitive = ["_by.name"]', "sensitive: _by.name is the marker"),
        ('measure = "sum(paid.cents)"\nsensitive = ["paid"]', "sensitive: paid is what the rule adds up"),
        ('sensitive = [\n  "email",\n  "email",\n]', "sensitive: email is there twice"),
    ],
)
def test_what_a_rule_shows_is_not_sensitive(more: str, words: str) -> None:
    with pytest.raises(InvalidRules) as raised:
        parse_rules(RULE + more, "rules.toml")
    (problem,) = raised.value.problems
    assert words in problem.message
    assert (RULE + more).splitlines()[problem.line - 1].startswith("sensitive")


def test_nor_is_what_another_rule_of_the_file_shows() -> None:
    other = RULE.partition("[[tally]]")[2].replace("post likes", "post fans").replace("likeTally", "fanTally")
    with pytest.raises(InvalidRules) as raised:
        parse_rules(RULE + 'sensitive = ["fanTally"]\n[[tally]]' + other, "rules.toml")
    assert [problem.message for problem in raised.value.problems] == ["sensitive: fanTally is the tally of 'post fans'"]


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
