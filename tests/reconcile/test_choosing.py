"""Parents given by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynodesk.domain.errors import InvalidFile, InvalidRequest
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Number, String
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.choosing import choose_parents
from dynodesk.reconcile.rules import parse_rules
from tests.helpers.social import RULES, SOCIAL, no_time_to_live


@pytest.fixture
def rules() -> tuple[TallyRule, ...]:
    return bind_rules(parse_rules(RULES, "rules.toml"), lambda _: SOCIAL, no_time_to_live)


def test_captures_and_keys_name_the_same_parent_once(rules: tuple[TallyRule, ...]) -> None:
    texts = ["post=a91f", '{"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}}', "user=alice"]
    chosen = choose_parents(texts, rules)
    assert [(suspect.rule.name, suspect.key) for suspect in chosen] == [
        ("post likes", {"PK": String("POST#a91f"), "SK": String("META")}),
        ("following", {"PK": String("USER#alice"), "SK": String("META")}),
    ]


def test_a_file_holds_one_parent_a_line(rules: tuple[TallyRule, ...], tmp_path: Path) -> None:
    listed = tmp_path / "parents.txt"
    listed.write_text('post=a\n\n {"PK": {"S": "POST#b"}, "SK": {"S": "META"}} \n', encoding="utf-8")
    assert [suspect.captures["post"] for suspect in choose_parents([f"@{listed}"], rules)] == ["a", "b"]
    with pytest.raises(InvalidFile, match="cannot be read"):
        choose_parents([f"@{tmp_path}/none"], rules)


def test_captures_are_taken_to_the_letter(rules: tuple[TallyRule, ...], tmp_path: Path) -> None:
    names = [" a ", "b\u2028c", "d\x85e"]
    listed = tmp_path / "parents.txt"
    listed.write_text("\ufeff" + "\r\n".join(f"post={name}" for name in names), encoding="utf-8", newline="")
    assert [suspect.captures["post"] for suspect in choose_parents([f"@{listed}"], rules)] == names
    assert [suspect.captures["post"] for suspect in choose_parents([f"post={name}" for name in names], rules)] == names


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a91f", "names no parent"),
        ("post=a,post=b", "gives post twice"),
        ("post=", "names no parent"),
        ("=a91f", "names no parent"),
        ("", "names no parent"),
        ("article=1", "no rule's parent is made of article"),
        ("post=a,user=b", "no rule's parent is made of post, user"),
        ('{"PK": {"S": "POST#a91f"}}', "not the key of a parent"),
        ('{"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#1"}}', "not the key of a parent"),
        ('{"PK": {"N": "1"}, "SK": {"S": "META"}}', "not the key of a parent"),
        ('{"PK": {"S": "POST#a"}, "SK": {"S": "META"}, "x": {"S": "y"}}', "not the key of a parent"),
        ('{"PK": "POST#a91f", "SK": "META"}', "one type tag"),
        ('{"PK": {"S": "POST#a"}, "PK": {"S": "POST#b"}, "SK": {"S": "META"}}', "occurs twice"),
        ("{not json", "line 1"),
        (f"post={'x' * 2050}", "at most 2048"),
    ],
)
def test_texts_that_name_no_parent(rules: tuple[TallyRule, ...], text: str, words: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        choose_parents([text], rules)
    assert words in raised.value.message


def test_a_number_key_may_be_typed_as_number_or_text() -> None:
    table = TableInfo("T", KeySchema((KeyAttribute("id", "N"),), (KeyAttribute("sk", "S"),)))
    text = """version = 1
[[tally]]
name = "r"
table = "T"
parent = { id = "{n}", sk = "META" }
attribute = "n"
children = { id = "{n}", sk = "C#{c}" }
"""
    rules = bind_rules(parse_rules(text, "rules.toml"), lambda _: table, no_time_to_live)
    texts = ['{"id": {"N": "5.0"}, "sk": {"S": "META"}}', '{"id": {"N": 5}, "sk": {"S": "META"}}', "n=5"]
    (suspect,) = choose_parents(texts, rules)
    assert suspect.key == {"id": Number("5"), "sk": String("META")}
