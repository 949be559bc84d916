"""`dynodesk update` on a real server."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dynodesk.wiring import Connections
from tests.aws.tables import profile
from tests.cli.request_home import JSON, RequestHome
from tests.faults.proxy import Drop, LoseReply
from tests.helpers.command import result_of

pytestmark = pytest.mark.server

POST = ("--key", "PK=POST#a91f", "--key", "SK=META")
NOBODY = {"PK": {"S": "POST#none"}, "SK": {"S": "META"}}


def test_a_counter_is_raised_as_long_as_its_version_holds(home: RequestHome) -> None:
    counted = (*POST, "--set", "likes = likes + 1", "--set", "rev = rev + 1", "--if", "rev = 7", "--yes", home.table)
    done = home.run("update", home.table, *counted)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == "  1  Update META: likes 41 → 42, rev 7 → 8"
    assert "only if rev = 7 · 1 WCU" in done.stderr
    again = home.run("update", home.table, *counted)
    assert again.returncode == 1
    assert "     rev = 7 does not hold: rev is Number 8" in again.stdout.splitlines()
    assert home.likes == "42"


def test_an_item_has_to_exist_unless_it_may_be_made(home: RequestHome) -> None:
    key = '{"PK": {"S": "POST#none"}, "SK": {"S": "META"}}'
    changes = ("--update", "SET likes = if_not_exists(likes, 0) + 1, title = 'x'", "--yes", home.table)
    refused = home.run("update", home.table, "--key", key, *changes)
    assert refused.returncode == 1
    assert refused.stdout.splitlines()[-1] == "     there is no such item"
    guarded = home.run("update", home.table, "--key", key, *changes, "--if", "attribute_not_exists(gone)")
    assert guarded.returncode == 1
    assert "only if attribute_exists(PK) AND attribute_not_exists(gone)" in guarded.stderr
    assert home.item(NOBODY) is None
    made = home.run("update", home.table, "--key", key, *changes, "--create", "--return")
    assert made.returncode == 0, made.stderr
    assert made.stdout == '{"PK": "POST#none", "SK": "META", "likes": 1, "title": "x"}\n'
    home.client.delete_item(TableName=home.table, Key=NOBODY)


def test_the_outcome_as_json(home: RequestHome) -> None:
    done = home.run("update", home.table, *POST, "--set", "title = 'a\x1b'", "--yes", home.table, *JSON)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    told = result_of(done)
    assert (told["outcome"], told["tries"], told["token"]) == ("done", 1, None)
    assert told["after"] == [{**told["before"][0], "title": {"S": "a\x1b"}}]
    assert told["consumed"][0]["table"] == home.table


def test_a_lost_answer_is_settled_by_the_item(home: RequestHome) -> None:
    counted = (*POST, "--update", "ADD likes 1", "--yes", home.table)
    home.proxy.on("UpdateItem", LoseReply())
    settled = home.run("update", home.table, *counted)
    assert (settled.returncode, home.likes) == (0, "42")
    assert settled.stdout.startswith("Looks applied · ")
    home.proxy.on("UpdateItem", Drop())
    unknown = home.run("update", home.table, *counted)
    assert (unknown.returncode, home.likes) == (5, "42")
    assert unknown.stdout.startswith("Not certain, looks not applied · ")
    assert "It has no token" in unknown.stderr
    assert home.proxy.counts["UpdateItem"] == 2


def test_a_read_only_connection_sends_nothing(home: RequestHome) -> None:
    Connections().save(replace(profile(home.proxy.url), name="careful"))
    careful = ("--connection", "careful", "--yes", home.table)
    refused = home.run_as_given("update", home.table, *POST, "--set", "likes = 0", *careful)
    assert (refused.returncode, refused.stdout) == (3, "")
    assert "is read-only" in refused.stderr
    assert home.proxy.counts["UpdateItem"] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*POST], "Give --update with a whole expression"),
        ([*POST, "--update", "SET a = 1", "--set", "b = 1"], "Give --update with a whole expression"),
        ([*POST, "--set", "likes = 'x"], "the quote ' is not closed"),
        ([*POST, "--set", "PK = 'x'"], "PK is part of the key"),
        ([*POST, "--set", "likes = 1", "--if", "rev = "], "ConditionExpression"),
        ([*POST, "--set", "likes = 1"], "name the table with --yes"),
        (["--key", "PK=a", "--set", "likes = 1"], "key attribute SK is missing"),
        (["--key", "id=a", "--set", "likes = 1"], "Give --key PK=VALUE and --key SK=VALUE"),
        (["--key", "{", "--set", "likes = 1"], "--key"),
        (["--set", "likes = 1"], "Missing option '--key'"),
    ],
)
def test_what_is_not_sent(home: RequestHome, arguments: list[str], words: str) -> None:
    finished = home.run("update", home.table, *arguments)
    assert (finished.returncode, finished.stdout) == (2, ""), finished.stderr
    assert words in finished.stderr
    assert home.proxy.counts["UpdateItem"] == 0
