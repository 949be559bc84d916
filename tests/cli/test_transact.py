"""`dynodesk transact` on a real server: what is approved is done once, and what is not is not sent."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from dynodesk.composing.log import intent_payload
from dynodesk.domain.actions import TransactWrite, UpdateAction, new_token
from dynodesk.domain.expressions import parse_changes
from dynodesk.domain.repairs import Place
from dynodesk.domain.values import String
from dynodesk.domain.writing import INTENT
from dynodesk.wiring import Connections, open_journal
from tests.aws.tables import profile
from tests.cli.request_home import JSON, LIKE_KEY, META, RequestHome
from tests.faults.proxy import Answer, error
from tests.helpers.command import result_of

pytestmark = pytest.mark.server

WRITE = "TransactWriteItems"


def test_a_script_that_runs_twice_with_one_token_counts_once(home: RequestHome) -> None:
    like = home.like(ClientRequestToken=new_token())
    first = home.run("transact", like, "--yes", home.table)
    assert first.returncode == 0, first.stderr
    title, put, update = first.stdout.splitlines()
    assert title.startswith("Done · 4 WCU ")
    assert put == "  1  Put LIKE#ann: new, PK POST#a91f, SK LIKE#ann"
    assert update == "  2  Update META: likes 41 → 42"
    assert "from the file" in first.stderr
    again = home.run("transact", like, "--yes", home.table, *JSON)
    assert again.returncode == 0, again.stderr
    assert (result_of(again)["outcome"], home.likes) == ("done", "42")
    assert result_of(again)["before"] == result_of(again)["after"]
    assert home.proxy.counts[WRITE] == 2
    other = home.run("transact", like, "--token", new_token(), "--yes", home.table)
    assert (other.returncode, home.likes) == (1, "42")


def test_the_plan_is_shown_and_nothing_sent_without_a_terminal(home: RequestHome) -> None:
    refused = home.run("transact", home.like())
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"Put POST#a91f / LIKE#ann in {home.table}: 2 attributes" in refused.stderr
    assert f"Update POST#a91f / META in {home.table}: likes + 1" in refused.stderr
    assert "only if attribute_exists(PK) · 2 WCU" in refused.stderr
    assert f"to {home.proxy.url} · us-east-1" in refused.stderr
    assert "name the table with --yes" in refused.stderr
    other = home.run("transact", home.like(), "--yes", home.table, "--yes", "Other")
    assert other.returncode == 2
    assert "it does not write to Other" in other.stderr
    assert (home.likes, home.proxy.counts[WRITE]) == ("41", 0)


def test_a_process_without_a_terminal_takes_no_answer(home: RequestHome, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-m", "dynodesk", "transact", str(home.like()), "--endpoint-url", home.proxy.url]
    refused = subprocess.run(command, input=f"{home.table}\n", capture_output=True, text=True, timeout=60, check=False)
    monkeypatch.setattr(sys, "stdin", None)  # as Python has it where it was closed
    for finished in (refused, home.run("transact", home.like())):
        assert (finished.returncode, finished.stdout) == (2, "")
        assert "There is no terminal to ask on" in finished.stderr
    assert home.likes == "41"


def test_a_token_of_a_file_cannot_change_the_terminal(home: RequestHome) -> None:
    refused = home.run("transact", home.like(ClientRequestToken="a\x1b[2J\n  1  Put"))
    assert "token a␛[2J⏎  1  Put" in refused.stderr


@pytest.mark.parametrize(
    ("answer", "code", "likes"), [("{table}\n", 0, "42"), ("yes\n", 2, "41"), ("", 130, "41")], ids=repr
)
def test_a_terminal_asks_for_the_name_of_the_table(home: RequestHome, answer: str, code: int, likes: str) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "dynodesk", "transact", str(home.like()), "--endpoint-url", home.proxy.url]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs) as running:
        os.close(theirs)
        shown = b""
        while b"to write to it: " not in shown:
            shown += os.read(ours, 4096)
        if answer:
            os.write(ours, answer.format(table=home.table).encode())
        else:
            running.send_signal(signal.SIGINT)
        assert running.stdout is not None
        printed = running.stdout.read()
        assert running.wait(timeout=60) == code
    os.close(ours)
    assert printed.startswith(b"Done") == (code == 0)
    assert home.likes == likes


def test_a_cancelled_transaction_names_its_action(home: RequestHome) -> None:
    refused = home.run("transact", home.like(condition="likes > :one AND rev = :one"), "--yes", home.table)
    assert refused.returncode == 1, refused.stderr
    head, action, why, found = refused.stdout.splitlines()
    assert head.startswith("Cancelled: nothing was written")
    assert action == "  action 2, Update META: ConditionalCheckFailed: its condition did not hold"
    assert why == "     rev = 1 does not hold: rev is Number 7"
    assert found == "     it is: PK POST#a91f, SK META, likes 41, rev 7"
    told = result_of(home.run("transact", home.like(condition="rev = :one"), "--yes", home.table, *JSON))
    assert told["outcome"] == "refused"
    assert [(reason["action"], reason["code"]) for reason in told["reasons"]] == [
        (1, "None"),
        (2, "ConditionalCheckFailed"),
    ]
    assert told["reasons"][1]["item"]["rev"] == {"N": "7"}
    assert (home.likes, home.item(LIKE_KEY)) == ("41", None)


BUSY = {"CancellationReasons": [{"Code": "None"}, {"Code": "TransactionConflict", "Message": "it is held"}]}


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (error("AccessDeniedException"), 3, "[not-allowed]"),
        (error("ValidationException"), 2, "[invalid-request]"),
        (error("ProvisionedThroughputExceededException"), 4, "[throttled]"),
        (error("TransactionCanceledException", more=BUSY), 4, "action 2, Update META: TransactionConflict: "),
    ],
)
def test_what_the_service_refuses(home: RequestHome, answer: Answer, status: int, words: str) -> None:
    home.proxy.always(WRITE, answer)
    finished = home.run("transact", home.like(), "--yes", home.table)
    assert finished.returncode == status, finished.stderr
    told = finished.stdout + finished.stderr
    assert words in told
    assert "othing was written" in told
    assert home.likes == "41"


def test_a_run_whose_outcome_nobody_noted_is_sent_again(home: RequestHome) -> None:
    count = UpdateAction(home.table, {"PK": String("POST#a91f"), "SK": String("META")}, parse_changes("ADD likes 1"))
    here = Place("", home.proxy.url, "us-east-1")
    journal = open_journal()
    journal.append(INTENT, intent_payload("left", 1, TransactWrite((count,), new_token()), here))
    elsewhere = replace(here, region="eu-west-1")
    journal.append(INTENT, intent_payload("far", 1, TransactWrite((count,), new_token()), elsewhere))
    refused = home.run("transact", "--again", "left")
    assert (refused.returncode, home.likes) == (2, "41")
    named = home.run("repair", "resolve").stderr
    assert "not known: request left of " in named
    assert "far" not in named
    done = home.run("transact", "--again", "left", "--yes", home.table)
    assert done.returncode == 0, done.stderr
    assert "its token" in done.stderr
    assert home.run("transact", "--again", "left", "--yes", home.table).returncode == 0
    assert home.likes == "42"
    unknown = home.run("transact", "--again", "none")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    other = home.run("transact", "--again", "far", "--yes", home.table)
    assert other.returncode == 2
    assert "was sent to " in other.stderr
    logged = result_of(home.run_as_given("repair", "log", *JSON))["requests"]
    assert [(run["id"], run["outcome"], run["tries"]) for run in logged] == [("left", "applied", 3), ("far", None, 1)]


def test_a_mirror_is_rehearsed_and_done(home: RequestHome) -> None:
    like = home.like()
    assert home.run("transact", like, "--yes", home.table).returncode == 0
    tried = home.run("transact", like, "--mirror", "--rehearse")
    assert tried.returncode == 0, tried.stderr
    assert tried.stdout.splitlines()[1:] == [
        "  1  Delete LIKE#ann: deleted, it was PK POST#a91f, SK LIKE#ann",
        "  2  Update META: likes 42 → 41",
    ]
    assert home.likes == "42"
    assert home.run("transact", like, "--mirror", "--yes", home.table).returncode == 0
    assert (home.likes, home.item(LIKE_KEY)) == ("41", None)
    again = home.run("transact", like, "--mirror", "--yes", home.table)
    assert (again.returncode, home.likes) == (1, "41")


def test_items_are_read_as_of_one_instant(home: RequestHome) -> None:
    gets = [{"Get": {"TableName": home.table, "Key": key}} for key in (META, LIKE_KEY)]
    read = home.run("transact", home.file({"TransactItems": gets}))
    assert read.returncode == 0, read.stderr
    assert read.stdout.splitlines() == ['{"PK": "POST#a91f", "SK": "META", "likes": 41, "rev": 7}', "null"]
    assert result_of(home.run("transact", home.file({"TransactItems": gets}), *JSON))["items"][1] is None
    assert not open_journal().read().records


def test_an_item_is_not_made_unasked(home: RequestHome) -> None:
    nobody = {"PK": {"S": "POST#none"}, "SK": {"S": "META"}}
    update = {"TableName": home.table, "Key": nobody, "UpdateExpression": "ADD likes :one"}
    request = home.file({"UpdateItem": {**update, "ExpressionAttributeValues": {":one": {"N": "1"}}}})
    refused = home.run("transact", request, "--yes", home.table)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "would make an item where there is none" in refused.stderr
    assert home.item(nobody) is None
    assert home.run("transact", request, "--yes", home.table, "--create").returncode == 0
    assert home.item(nobody) == {**nobody, "likes": {"N": "1"}}
    home.client.delete_item(TableName=home.table, Key=nobody)


def test_a_read_only_connection_sends_nothing(home: RequestHome) -> None:
    Connections().save(replace(profile(home.proxy.url), name="careful"))
    refused = home.run_as_given("transact", home.like(), "--yes", home.table, "--connection", "careful")
    assert (refused.returncode, refused.stdout) == (3, "")
    assert "to careful · dev · " in refused.stderr
    assert "The connection careful is read-only" in refused.stderr
    assert home.proxy.counts[WRITE] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Give a FILE, or --again"),
        (["--again", "x", "--create"], "no other option changes it"),
        (["none.json"], "cannot be read"),
    ],
)
def test_usage_errors(home: RequestHome, arguments: list[str], words: str) -> None:
    finished = home.run("transact", *arguments)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert words in finished.stderr


def test_what_is_wrong_is_marked_and_not_sent(home: RequestHome) -> None:
    finished = home.run("transact", home.like(condition="begins_with(rev, :one)"), "--yes", home.table)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "error: action 2, ConditionExpression: begins_with does not work on a Number" in finished.stderr
    read = home.run("transact", home.file({"GetItem": {"TableName": home.table, "Key": META}}), "--token", "x")
    assert read.returncode == 2
    assert "GetItem has no token" in read.stderr
    assert home.proxy.counts[WRITE] == 0
