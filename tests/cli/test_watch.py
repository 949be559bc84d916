"""`dynodesk watch` in a process of its own, on an emulator's stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.aws.tables import make_table, plain_client, unique
from tests.helpers.command import dynodesk, findings_of

RULES = """\
version = 1
[[tally]]
name = "likes"
table = "{table}"
parent = {{ PK = "POST#{{post}}", SK = "META" }}
attribute = "likeTally"
children = {{ PK = "POST#{{post}}", SK = "LIKE#{{user}}" }}

[[tally]]
name = "fans"
table = "{table}"
parent = {{ PK = "POST#{{post}}", SK = "META" }}
attribute = "fanTally"
children = {{ PK = "POST#{{post}}", SK = "LIKE#{{user}}" }}
measure = "distinct(user)"
"""
AGE = 8
"""Seconds after which a change is judged, where its answer has no time at all, and a little more."""


def key(sort: str, post: str = "1") -> dict[str, Any]:
    return {"PK": {"S": f"POST#{post}"}, "SK": {"S": sort}}


@pytest.fixture(scope="module")
def table(ministack: str) -> str:
    """A post with a like that was counted, one that was not, and a tally that fell below zero."""
    client: Any = plain_client(ministack)
    name = unique("watched")
    make_table(client, name=name)
    client.update_table(
        TableName=name, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    )
    for post in ("1", "2"):
        client.put_item(TableName=name, Item={**key("META", post), "likeTally": {"N": "0"}})
    count = {
        "Update": {
            "TableName": name,
            "Key": key("META"),
            "UpdateExpression": "ADD likeTally :by",
            "ExpressionAttributeValues": {":by": {"N": "1"}},
        }
    }
    client.transact_write_items(TransactItems=[{"Put": {"TableName": name, "Item": key("LIKE#right")}}, count])
    client.put_item(TableName=name, Item=key("LIKE#wrong\x1b[31m"))
    client.update_item(
        TableName=name,
        Key=key("META", "2"),
        UpdateExpression="ADD likeTally :by",
        ExpressionAttributeValues={":by": {"N": "-1"}},
    )
    return name


@pytest.fixture
def rules_file(tmp_path: Path, table: str) -> Path:
    path = tmp_path / "likes.toml"
    path.write_text(RULES.format(table=table))
    return path


@pytest.mark.slow
def test_what_was_written_wrong_is_named(ministack: str, rules_file: Path, table: str) -> None:
    options = ("watch", rules_file, "--endpoint-url", ministack, "--from", "trim", "--within", 0)
    finished = dynodesk(*options, "--for", AGE, "--format", "json")
    assert finished.returncode == 1, finished.stderr
    notices = [json.loads(line) for line in finished.stdout.splitlines()]
    assert [notice["kind"] for notice in notices] == ["below zero", "child alone", "tally alone"]
    (missed,) = (notice for notice in notices if notice["kind"] == "child alone")
    assert missed["item"] == key("LIKE#wrong\x1b[31m")
    assert (missed["rule"], missed["table"], missed["event"], missed["drift"]) == ("likes", table, "INSERT", "-1")
    assert missed["parent"] == key("META")
    assert missed["cause"]
    assert "not watched: fans" in finished.stderr
    assert "likes: a child and its tally have 0 s" in finished.stderr

    in_words = dynodesk(*options, "--for", 2, "--rule", "likes")
    lines = in_words.stdout.splitlines()
    assert len(lines) == 3
    assert r"LIKE#wrong\x1b[31m" in in_words.stdout
    assert "added, and likeTally did not follow within 0 s · parent POST#1 / META · drift -1" in in_words.stdout
    assert "records: 1 below zero, 1 child alone, 1 tally alone" in in_words.stderr


def test_from_now_on_nothing_is_wrong(ministack: str, rules_file: Path) -> None:
    finished = dynodesk("watch", rules_file, "--endpoint-url", ministack, "--for", 0)
    assert (finished.returncode, finished.stdout) == (0, "")
    assert "0 records: nothing wrong seen" in finished.stderr


def test_a_table_without_a_stream(ministack: str, tmp_path: Path) -> None:
    path = tmp_path / "likes.toml"
    path.write_text(RULES.format(table=make_table(plain_client(ministack))))
    finished = dynodesk("watch", path, "--endpoint-url", ministack, "--for", 0)
    assert finished.returncode == 2
    assert "has no stream" in finished.stderr
    only_distinct = dynodesk("watch", path, "--endpoint-url", ministack, "--for", 0, "--rule", "fans")
    assert only_distinct.returncode == 2
    assert "none of these rules can be watched" in only_distinct.stderr


@pytest.mark.slow
def test_a_drift_that_the_stream_proves(ministack: str, rules_file: Path, tmp_path: Path, table: str) -> None:
    """Without a version it would be probable. Nobody writes to the table any more."""
    options = ("--endpoint-url", ministack, "--rule", "likes", "--wait", 0.5, "--settle", 0, "--format", "json")
    alone = findings_of(dynodesk("reconcile", rules_file, *options))
    assert {(finding["verdict"], finding["drift"]) for finding in alone} == {("probable", "-1")}
    finished = dynodesk("reconcile", rules_file, *options, "--witness")
    assert {(finding["verdict"], finding["drift"]) for finding in findings_of(finished)} == {("exact", "-1")}
    assert "no record of parent or children" in finished.stdout
    unseen = tmp_path / "unseen.toml"
    name = make_table(plain_client(ministack), [{**key("META"), "likeTally": {"N": "3"}}])
    unseen.write_text(RULES.format(table=name))
    finished = dynodesk("reconcile", unseen, *options, "--witness")
    assert [finding["verdict"] for finding in findings_of(finished)] == ["probable"]
    assert f"No stream witness for {name}: it has no stream" in finished.stdout
