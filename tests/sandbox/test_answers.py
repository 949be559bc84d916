"""The answer key against what was planted, written out here, and against what servers give back."""

import dataclasses
import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from dynodesk.sandbox.answers import answers, expected
from dynodesk.sandbox.samples import sample_tables
from dynodesk.sandbox.seed import Api, seed
from tests.sandbox.conftest import Scan

PREFIX = "answers-"
"""The emulator is shared: tables here have names of their own."""

PLANTED_LIKES = [
    ("exact", "POST#a91f", "41", "37", "4"),
    ("exact", "POST#0c4e", "15", "12", "3"),
    ("exact", "POST#5d19", "16", "18", "-2"),
    ("exact", "POST#77b0", "-2", "0", "-2"),
    ("exact", "POST#91d4", "1", "0", "1"),
    ("exact", "POST#c7a2", "7", "6", "1"),
    ("exact", 'POST#l\'été "25" #2', "2", "3", "-1"),
    ("incomparable", "POST#3a70", "12", "12", None),
    ("incomparable", "POST#8a3f", None, "5", None),
    ("orphans", "POST#9e21", None, "3", None),
]
PLANTED_FOLLOWING = [("probable", "USER#2f6b", "-1"), ("probable", "USER#b14a", "1")]
PLANTED_ELSEWHERE = [
    ("workspace seats", "0b93", "3"),
    ("workspace seats", "2217", "-1"),
    ("workspace seats", "acme", "1"),
    ("video plays", "VID#9f3a", "2"),
    ("video views", "VID#5c08", "-1"),
]


@pytest.mark.parametrize("scale", [0.01, 0.3, 1.0, 3.0])
def test_counting_finds_what_was_planted_and_nothing_else(scale: float) -> None:
    key = answers(scale)
    likes = [finding for finding in key["social.toml"] if finding["rule"] == "post likes"]
    assert [(f["verdict"], f["parent"]["PK"]["S"], f["stored"], f["real"], f["drift"]) for f in likes] == PLANTED_LIKES
    following = [finding for finding in key["social.toml"] if finding["rule"] == "following"]
    assert [(f["verdict"], f["parent"]["PK"]["S"], f["drift"]) for f in following] == PLANTED_FOLLOWING
    assert key["social.toml"] == likes + following
    assert all(finding["parent"]["SK"] == {"S": "META"} for finding in likes + following)
    assert key["courses.toml"] == []
    elsewhere = [
        (f["rule"], next(iter(f["parent"].values()))["S"], f["drift"])
        for f in [*key["workspaces.toml"], *key["stats.toml"]]
    ]
    assert elsewhere == PLANTED_ELSEWHERE


def test_one_more_child_is_one_less_drift() -> None:
    """The key is counted, not recited: it follows the items."""
    tables = {table.name: list(table.items) for table in sample_tables()}
    tables["Social"].append({"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#USER#late"}})
    first = next(f for f in expected(tables)["social.toml"] if f["parent"]["PK"] == {"S": "POST#a91f"})
    assert (first["real"], first["drift"]) == ("38", "3")


@pytest.mark.parametrize("file", answers())
def test_every_finding_belongs_to_a_rule_of_its_file_in_that_order(file: str) -> None:
    rules = tomllib.loads(resources.files("dynodesk_resources").joinpath("rules", file).read_text(encoding="utf-8"))
    names = [rule["name"] for rule in rules["tally"]]
    positions = [names.index(finding["rule"]) for finding in answers()[file]]
    assert positions == sorted(positions)


@pytest.mark.server
def test_the_sandbox_holds_what_the_key_says(sandbox: str, scan: Scan) -> None:
    assert expected({table.name: scan(sandbox, table.name) for table in sample_tables()}) == answers()


@pytest.fixture
def seeded_ministack(ministack: str) -> Iterator[str]:
    tables = [
        dataclasses.replace(table, name=PREFIX + table.name, create={**table.create, "TableName": PREFIX + table.name})
        for table in sample_tables()
    ]
    seed(ministack, tables)
    yield ministack
    for table in tables:
        Api(ministack).call("DeleteTable", {"TableName": table.name})


def test_another_emulator_seeded_alike_holds_the_same(seeded_ministack: str, scan: Scan) -> None:
    items: dict[str, list[dict[str, Any]]] = {
        table.name: scan(seeded_ministack, PREFIX + table.name) for table in sample_tables()
    }
    assert expected(items) == answers()
