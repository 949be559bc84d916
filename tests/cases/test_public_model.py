"""A published kind of single-table model: tallies beside their children, under awkward names.

Attribute names end in `#`, a sort key has quotes in it, one tally is a String, one exceeds 32 bits. The model here is
our own in that shape. Where a copy of the public one lies beside the project, it is loaded too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynodesk.sandbox.sample_table import SampleTable, TaggedItem, create_request
from dynodesk.sandbox.seed import seed
from tests.helpers.command import dynodesk, findings_of

PUBLIC_FILE = Path(__file__).resolve().parents[3] / "shared/cases/files/f01-SocialNetworkSchema.v3.json"

COUNTED = ("follower", "following", "post")

RULE = """
[[tally]]
name = "{name}"
table = "{table}"
parent = {{ PK = "{parent}", SK = "\\"count\\"" }}
attribute = "{attribute}"
children = {{ PK = "{children}", SK = "{{child}}" }}
wait = 0
settle = 0
"""


def rules(table: str) -> str:
    text = "version = 1\n"
    for name in COUNTED:
        text += RULE.format(
            name=name, table=table, parent="u#{user}", attribute=f"{name}#", children=f"u#{{user}}#{name}"
        )
    return text + RULE.format(
        name="likes", table=table, parent="p#{post}#likecount", attribute="etc", children="p#{post}#likelist"
    )


def item(partition: str, sort: str, **values: Any) -> TaggedItem:
    return {"PK": {"S": partition}, "SK": {"S": sort}, **values}


def our_model() -> tuple[TaggedItem, ...]:
    counts = {"follower#": {"N": "2147483648"}, "following#": {"N": "2"}, "post#": {"N": "7"}}
    return (
        item("u#77", '"info"', name={"S": "Ada"}),
        item("u#77", '"count"', **counts),
        *(item("u#77#follower", f"u#{who}") for who in (1, 2, 3, 4)),
        *(item("u#77#following", f"u#{who}") for who in (5, 6)),
        *(item("u#77#post", f"p#{number}") for number in range(9)),
        item("u#77#timeline", "p#1#u#5"),
        item("p#9#likecount", '"count"', etc={"S": "2"}),
        *(item("p#9#likelist", f"u#{who}") for who in (1, 2)),
        item("u#7", '"count"', **{f"{name}#": {"N": "0"} for name in COUNTED}),
    )


def reconciled(endpoint: str, table: str, items: tuple[TaggedItem, ...], folder: Path) -> list[dict[str, Any]]:
    seed(endpoint, [SampleTable(table, create_request(table, [("PK", "S"), ("SK", "S")]), items)])
    file = folder / "rules.toml"
    file.write_text(rules(table), encoding="utf-8")
    finished = dynodesk("reconcile", file, "--endpoint-url", endpoint, "--format", "json")
    assert finished.returncode == 1, finished.stderr
    return findings_of(finished)


def found(rule: str, parent: str, verdict: str, stored: str, real: str, drift: str | None) -> dict[str, Any]:
    key = item(parent, '"count"')
    return {"rule": rule, "verdict": verdict, "parent": key, "stored": stored, "real": real, "drift": drift}


@pytest.mark.server
def test_our_model_gives_its_drift(ministack: str, tmp_path: Path) -> None:
    assert reconciled(ministack, "OurModel", our_model(), tmp_path) == [
        found("follower", "u#77", "probable", "2147483648", "4", "2147483644"),
        found("post", "u#77", "probable", "7", "9", "-2"),
        found("likes", "p#9#likecount", "incomparable", "2", "2", None),
    ]


@pytest.mark.server
@pytest.mark.skipif(not PUBLIC_FILE.exists(), reason="no copy of the public model lies beside the project")
def test_the_public_model_gives_its_drift(ministack: str, tmp_path: Path) -> None:
    (model,) = json.loads(PUBLIC_FILE.read_text(encoding="utf-8"))["DataModel"]
    assert reconciled(ministack, "PublicModel", tuple(model["TableData"]), tmp_path) == [
        found("follower", "u#12345", "probable", "3000000000", "3", "2999999997"),
        found("following", "u#12345", "probable", "971", "3", "968"),
        found("post", "u#12345", "probable", "4945", "2", "4943"),
        found("likes", "p#12345#likecount", "incomparable", "100", "3", None),
    ]
