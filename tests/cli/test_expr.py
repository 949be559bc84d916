"""`dynodesk expr`: what is wrong and where, what an item meets, and code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dynodesk.cli.checking import CODE_OF
from dynodesk.cli.diagnostics import exit_code_from
from dynodesk.cli.main import cli
from dynodesk.cli.request_texts import AROUND, marked
from dynodesk.domain.expressions.nodes import Span
from tests.helpers.command import result_of

JSON = ("--format", "json")
KEY = {"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}}
PUT = {
    "TableName": "Social",
    "Item": {"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#ann"}},
    "ConditionExpression": "attribute_not_exists(PK)",
}
COUNT = {
    "TableName": "Social",
    "Key": KEY,
    "UpdateExpression": "SET likes = likes + :one",
    "ConditionExpression": "attribute_exists(PK)",
    "ExpressionAttributeValues": {":one": {"N": "1"}},
}
LIKE = {"TransactItems": [{"Put": PUT}, {"Update": COUNT}]}
ITEM = {"rev": {"N": "3"}, "likes": {"N": "41"}}


class Command:
    def __init__(self, folder: Path, printed: pytest.CaptureFixture[str]) -> None:
        self._folder, self._printed = folder, printed

    def __call__(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """In this process: a start of the program for each command would be most of the time."""
        code = exit_code_from(cli, ["expr", *map(str, arguments)])
        return subprocess.CompletedProcess([*map(str, arguments)], code, *self._printed.readouterr())

    def file(self, content: object) -> Path:
        path = self._folder / "given.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path


@pytest.fixture
def expr(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    return Command(tmp_path, capfd)


@pytest.mark.parametrize(
    ("text", "span", "lines"),
    [
        ("SET a = b", Span(8, 1), ["SET a = b", "        ^"]),
        ("SET a =", Span(7, 0), ["SET a =", "       ^"]),
        ("{\n a = 1,\n bb = 2\n}", Span(11, 2), [" bb = 2", " ^^"]),
        ("名 = wrong", Span(4, 5), ["名 = wrong", "     ^^^^^"]),
        ("a\x1b = b", Span(5, 1), ["a␛ = b", "     ^"]),
        ("a\u202e = b", Span(1, 1), ["a⟨U+202E⟩ = b", " ^^^^^^^^"]),
        ("x" * 500 + "!" + "y" * 500, Span(500, 1), [f"…{'x' * AROUND}!{'y' * AROUND}…", " " * (AROUND + 1) + "^"]),
        ("z" * 500, Span(0, 500), [f"{'z' * AROUND}…", "^" * (AROUND + 1)]),
    ],
)
def test_a_place_is_marked_on_its_line(text: str, span: Span, lines: list[str]) -> None:
    assert list(marked(text, span)) == lines


def test_expressions_as_they_are_sent(expr: Command) -> None:
    wrong = expr("check", "--condition", "lkes = :v AND rev > :r", "--values", '{":r": {"N": "3"}, ":w": {"N": "1"}}')
    assert wrong.returncode == 1
    assert wrong.stdout.splitlines() == [
        "error: ExpressionAttributeValues: :w is used in no expression",
        "  Leave it out.",
        "error: ConditionExpression: :v stands for no value",
        "  lkes = :v AND rev > :r",
        "         ^^",
        "  Give it in ExpressionAttributeValues.",
    ]
    assert wrong.stderr == "2 errors, 0 warnings\n"
    reserved = expr("check", "--filter", "status = :s", "--values", '{":s": {"S": "new"}}', *JSON)
    assert reserved.returncode == 1
    (remark,) = result_of(reserved)["remarks"]
    assert (remark["offset"], remark["length"], remark["corrected"]) == (0, 6, "#status = :s")
    assert remark["names"] == {"#status": "status"}
    right = expr("check", "--update", "SET #n = :v", "--names", '{"#n": "title"}', "--values", '{":v": {"S": "x"}}')
    assert (right.returncode, right.stdout, right.stderr) == (0, "", "nothing wrong\n")


def test_expressions_written_out(expr: Command) -> None:
    turned = expr("check", "--condition", "a BETWEEN 5 AND 1")
    assert turned.returncode == 1
    assert "  corrected: a BETWEEN 1 AND 5" in turned.stdout.splitlines()
    warned = expr("check", "--update", "SET likes = likes + 1", *JSON)
    assert warned.returncode == 0
    assert (result_of(warned)["errors"], result_of(warned)["warnings"]) == (0, 1)
    assert expr("check", "--projection", "a, a.b").returncode == 1
    assert expr("check", "--key-condition", "PK = 'a' AND begins_with(SK, 5)").returncode == 1
    assert expr("check", "--key-condition", "PK = 'a'", "--filter", "size(x) > 3").returncode == 0


def test_a_request_is_checked_without_a_connection(expr: Command) -> None:
    fine = expr("check", expr.file(LIKE))
    assert fine.returncode == 0
    assert "ok: 2 actions on 2 different items of one Region" in fine.stdout.splitlines()
    counted = {**COUNT, "UpdateExpression": "SET PK = :one, likes = likes + :one"}
    wrong = expr("check", expr.file({"TransactItems": [{"Put": PUT}, {"Put": PUT}, {"Update": counted}]}), *JSON)
    assert wrong.returncode == 1
    remarks = result_of(wrong)["remarks"]
    assert [(remark["action"], remark["part"]) for remark in remarks if remark["severity"] == "error"] == [
        (2, "Item"),
        (3, "UpdateExpression"),
    ]
    assert "actions 1 and 2 are on one item" in remarks[0]["message"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("SELECT * FROM Social WHERE PK = 'a'", 0),
        ("UPDATE Social SET likes = 1 WHERE PK = 'a'", 0),
        ("UPDATE Social SET likes = 1 WHERE PK = 'a", 1),
        ('aws dynamodb delete-item --table-name Social --key \'{"PK": {"S": "a"}}\'', 0),
        ("client.get_item(TableName='Social', Key={'PK': {'S': 'a'}, 'SK': {'S': 'b'}})", 0),
        ("hello", 2),
        ('{"TransactItems": 5}', 2),
    ],
)
def test_what_is_read(expr: Command, content: str, code: int) -> None:
    finished = expr("check", expr.file(content))
    assert finished.returncode == code, (finished.stdout, finished.stderr)


def test_an_expression_that_cannot_be_read_is_marked_in_its_file(expr: Command) -> None:
    broken = json.dumps({"UpdateItem": {**COUNT, "UpdateExpression": "SET likes = (likes + :one"}}, indent=1)
    finished = expr("check", expr.file(broken))
    assert finished.returncode == 1
    first, line, carets = finished.stdout.splitlines()[:3]
    number = next(at for at, text in enumerate(broken.splitlines(), 1) if "UpdateExpression" in text)
    assert first.startswith(f"error: line {number}: UpdateExpression: ")
    assert line.strip().startswith('"UpdateExpression": "SET likes = (')
    assert carets.strip() == "^" * len(carets.strip())
    assert result_of(expr("check", expr.file(broken), *JSON))["errors"] == 1
    refused = expr("code", expr.file(broken), "--language", "cli")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert first in refused.stderr


@pytest.mark.parametrize("language", sorted(CODE_OF))
def test_code_of_a_request(expr: Command, language: str) -> None:
    finished = expr("code", expr.file({**LIKE, "ClientRequestToken": "once"}), "--language", language)
    assert finished.returncode == 0, finished.stderr
    assert "LIKE#ann" in finished.stdout
    assert "once" in finished.stdout
    put = expr("code", expr.file({"PutItem": PUT}), "--language", language, "--region", "eu-west-1")
    assert put.returncode == 0, put.stderr
    if language == "boto3":
        compile(put.stdout, "code", "exec")
        assert "eu-west-1" in put.stdout


def test_no_code(expr: Command) -> None:
    guarded = {**COUNT, "ConditionExpression": "size(title) > :one OR begins_with(title, :one)"}
    wrong = expr("code", expr.file({"UpdateItem": guarded}), "--language", "go")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "begins_with does not work on a Number" in wrong.stderr


@pytest.mark.parametrize("content", [ITEM, {"Item": ITEM}, {"rev": 3, "likes": 41}], ids=["tagged", "as got", "plain"])
def test_an_item_is_tried(expr: Command, content: dict[str, Any]) -> None:
    item = expr.file(content)
    holds = expr("eval", "--item", item, "--condition", "rev = :r", "--values", '{":r": {"N": "3.0"}}')
    assert (holds.returncode, holds.stdout) == (0, "it holds\n  rev = 3.0 holds: rev is Number 3\n")
    fails = expr("eval", "--item", item, "--condition", "likes > 40 AND rev = 4", "--update", "SET likes = 0", *JSON)
    assert fails.returncode == 1
    assert result_of(fails) == {
        "version": 1,
        "holds": False,
        "reasons": [{"term": "rev = 4", "holds": False, "found": {"rev": "Number 3"}}],
        "item": None,
        "problem": None,
    }
    changed = expr("eval", "--item", item, "--update", "SET likes = likes + 1, new = 'x' REMOVE rev", *JSON)
    assert changed.returncode == 0
    assert result_of(changed)["item"] == {"likes": {"N": "42"}, "new": {"S": "x"}}
    shown = expr("eval", "--item", item, "--update", "SET likes = likes + 1 REMOVE rev")
    assert shown.stdout.splitlines() == ["the update makes of it", "  rev 3 → removed", "  likes 41 → 42"]


def test_an_update_that_is_refused(expr: Command) -> None:
    finished = expr("eval", "--item", expr.file(ITEM), "--update", "SET likes = likes + gone")
    assert finished.returncode == 1
    assert finished.stdout == "the update is refused\n"
    assert "  SET likes = likes + gone\n                      ^^^^\n" in finished.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check"], "Give a FILE, or expressions"),
        (["check", "none.json"], "none.json cannot be read"),
        (["check", "x.json", "--condition", "a = 1"], "Give a FILE, or expressions"),
        (["check", "--condition", "a = 1", "--index", "GSI1"], "Give the --table"),
        (["check", "--condition", "a = 1", "--table", "T"], "nothing says where to connect"),
        (["check", "--condition", "a = :v", "--values", "5"], "--values is a JSON object"),
        (["check", "--condition", "a = :v", "--values", '{":v": 5}'], "expected one type tag"),
        (["check", "--condition", "a = :v", "--names", '{"#n": 5}'], "--names is a JSON object of texts"),
        (["code", "none.json", "--language", "perl"], "'perl' is not one of"),
        (["eval", "--item", "none.json"], "Give --condition, --update"),
        (["eval", "--item", "none.json", "--condition", "a = 1"], "none.json cannot be read"),
    ],
)
def test_usage_errors(expr: Command, arguments: list[str], words: str) -> None:
    finished = expr(*arguments)
    assert (finished.returncode, finished.stdout) == (2, ""), finished.stderr
    assert words in finished.stderr


@pytest.mark.server
def test_keys_are_asked_of_the_table(expr: Command, sandbox: str) -> None:
    at = ("--table", "Social", "--endpoint-url", sandbox)
    keyed = expr("check", "--update", "SET SK = 'x'", *at)
    assert keyed.returncode == 1
    assert "SK is part of the key" in keyed.stdout
    index = expr("check", "--key-condition", "SK = 'x'", "--index", "GSI1", *at)
    assert index.returncode == 1
    assert "SK is no key attribute here" in index.stdout
    ghost = expr("check", expr.file({"UpdateItem": {**COUNT, "ConditionExpression": "title <> :one"}}), *at[2:])
    assert ghost.returncode == 0, ghost.stdout
    missing = expr("check", expr.file({"UpdateItem": {**COUNT, "TableName": "Nope"}}), *at[2:])
    assert (missing.returncode, missing.stdout) == (2, "")


def test_without_stdin_there_is_nothing_to_read(expr: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # as Python has it where it was closed
    closed = expr("check", "-")
    assert (closed.returncode, closed.stdout) == (2, "")
    assert "stdin is closed" in closed.stderr


def test_a_request_from_stdin() -> None:
    command = [sys.executable, "-m", "dynodesk", "expr", "check", "-", *JSON]
    statement = "SELECT * FROM \"Soci\x1bal\" WHERE PK = 'a'"
    finished = subprocess.run(command, input=statement, capture_output=True, text=True, timeout=60, check=False)
    assert (finished.returncode, result_of(finished)["remarks"]) == (0, []), finished.stderr
