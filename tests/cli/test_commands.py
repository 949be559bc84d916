"""The other commands, as processes."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest

from dynodesk.cli.main import cli
from dynodesk.sandbox.answers import answers
from dynodesk.sandbox.sample_table import SampleTable, create_request
from dynodesk.sandbox.seed import seed
from tests.helpers.command import dynodesk

pytestmark = pytest.mark.server


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_tables_are_listed_and_described(sandbox: str) -> None:
    names = dynodesk("tables", "--endpoint-url", sandbox).stdout.split()
    assert {"Social", "Courses", "TypeZoo"} <= set(names)
    assert json.loads(dynodesk("tables", "--format", "json", "--endpoint-url", sandbox).stdout) == names
    described = json.loads(dynodesk("tables", "Social", "--format", "json", "--endpoint-url", sandbox).stdout)
    assert described["key"] == [{"name": "PK", "type": "S"}, {"name": "SK", "type": "S"}]
    assert [index["name"] for index in described["indexes"]] == ["GSI1"]


def test_query_reads_a_collection(sandbox: str) -> None:
    finished = dynodesk("query", "Social", "--partition", "POST#a91f", "--endpoint-url", sandbox)
    assert finished.returncode == 0
    items = lines(finished.stdout)
    assert len(items) == 38
    assert items[-1]["SK"] == "META"
    assert finished.stderr.startswith("38 items · 1 page · ")
    assert "end" in finished.stderr


def test_query_takes_conditions_indexes_and_forms(sandbox: str) -> None:
    place = ("--endpoint-url", sandbox)
    partition = ("--partition", "POST#a91f")
    likes = dynodesk("query", "Social", *partition, "--sort", "begins_with LIKE#", "--all", *place)
    assert len(lines(likes.stdout)) == 37
    last = dynodesk("query", "Social", *partition, "--descending", "--limit", 1, "--format", "dynamodb-json", *place)
    assert lines(last.stdout)[0]["SK"] == {"S": "META"}
    assert "there is more" in last.stderr
    between = dynodesk("query", "Social", *partition, "--sort", "between LIKE#USER#0 AND LIKE#USER#1", *place)
    assert 0 < len(lines(between.stdout)) < 37
    index = dynodesk("query", "Social", "--index", "GSI1", "--partition", "USER#7c20", *place)
    assert len(lines(index.stdout)) == 12
    number = dynodesk("query", "Readings", "--partition", "thermometer", "--sort", "> 0", *place)
    assert number.returncode == 0


def test_an_arn_stands_for_the_table_of_here_alone(sandbox: str) -> None:
    place = ("--endpoint-url", sandbox)
    told = json.loads(dynodesk("describe", "Social", "--format", "json", *place).stdout)["arn"]
    assert lines(dynodesk("scan", told, "--limit", 1, *place).stdout)
    assert dynodesk("describe", told, *place).stdout.startswith("Social · ")
    elsewhere = dynodesk("scan", "arn:aws:dynamodb:eu-west-1:444455556666:table/Social", *place)
    assert (elsewhere.returncode, elsewhere.stdout) == (2, "")
    assert "leads to Social in account 444455556666, eu-west-1; this connection works in account" in elsewhere.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["query", "Social"], 2, "Missing option '--partition'"),
        (["query", "Social", "--partition", "a", "--partition", "b"], 2, "--partition once for each"),
        (["query", "Social", "--partition", "a", "--sort", "like x"], 2, "not an operator"),
        (["query", "Social", "--partition", "a", "--sort", "between a"], 2, "between takes two values"),
        (["query", "Social", "--partition", "a", "--index", "Nope"], 2, "no index Nope"),
        (["query", "Social", "--partition", "a", "--index", "GSI1", "--consistent"], 2, "no consistent reads"),
        (["query", "Readings", "--partition", "a", "--sort", "= NaN"], 2, "'NaN' is not a number"),
        (["query", "Readings", "--partition", "a", "--sort", "begins_with 1"], 2, "begins_with does not work"),
        (["scan", "Nope"], 2, "does not exist"),
        (["sandbox", "--scale", "nan"], 2, "nan is not a number"),
        (["scan", "Social", "--limit", "0"], 2, "not in the range"),
        (["scan", "Social", "--limit", "1e9"], 2, "not a valid integer"),
        (["tables", "Nope"], 2, "does not exist"),
        (["tables", ""], 2, "name is empty"),
        (["nonsense"], 2, "No such command"),
    ],
)
def test_usage_errors(sandbox: str, arguments: list[str], code: int, words: str) -> None:
    place = [] if arguments[0] in {"nonsense", "sandbox"} else ["--endpoint-url", sandbox]
    finished = dynodesk(*arguments, *place)
    assert (finished.returncode, finished.stdout) == (code, ""), finished.stderr
    assert words in finished.stderr


def test_scan_stops_at_its_limit_unless_told_otherwise(sandbox: str) -> None:
    place = ("--endpoint-url", sandbox)
    assert len(lines(dynodesk("scan", "Social", *place).stdout)) == 100
    assert len(lines(dynodesk("scan", "Social", "--limit", 7, *place).stdout)) == 7
    assert len(lines(dynodesk("scan", "TypeZoo", "--all", *place).stdout)) > 50


def test_a_limit_holds_where_pages_end_before_it(ministack: str) -> None:
    items = tuple({"PK": {"S": "big"}, "SK": {"N": str(n)}, "x": {"S": "x" * 390_000}} for n in range(8))
    table = SampleTable("Large", create_request("Large", [("PK", "S"), ("SK", "N")]), items)
    seed(ministack, [table])
    for command in (["scan", "Large"], ["query", "Large", "--partition", "big"]):
        finished = dynodesk(*command, "--limit", 4, "--endpoint-url", ministack)
        assert len(lines(finished.stdout)) == 4
        assert "4 items · 2 pages" in finished.stderr
        assert "there is more" in finished.stderr


def test_a_condition_leaves_items_out(sandbox: str) -> None:
    at = ("--endpoint-url", sandbox)
    finished = dynodesk("scan", "Members", "--all", "--where", "attribute_exists(deletedAt) AND role <> 'owner'", *at)
    assert finished.returncode == 0, finished.stderr
    items = [json.loads(line) for line in finished.stdout.splitlines()]
    assert items
    assert all("deletedAt" in item and item["role"] != "owner" for item in items)
    member = items[0]["workspace"]
    left = dynodesk("query", "Members", "--partition", member, "--all", "--where", "attribute_exists(deletedAt)", *at)
    assert left.returncode == 0, left.stderr
    assert {json.loads(line)["workspace"] for line in left.stdout.splitlines()} == {member}


def test_items_are_printed_exactly(sandbox: str) -> None:
    printed = dynodesk("scan", "TypeZoo", "--all", "--endpoint-url", sandbox).stdout
    assert "9007199254740993" in printed
    assert "9.9999999999999999999999999999999999999E+125" in printed
    assert "1E-130" in printed


def test_a_terminal_is_never_controlled_by_an_item(sandbox: str) -> None:
    """The zoo has escape sequences and direction marks in its values: on a terminal they are shown, not obeyed."""
    reading, writing = pty.openpty()
    command = [sys.executable, "-m", "dynodesk", "scan", "TypeZoo", "--all", "--endpoint-url", sandbox]
    with subprocess.Popen(command, stdout=writing, stderr=subprocess.DEVNULL) as running:
        os.close(writing)
        shown = b""
        while True:
            try:
                part = os.read(reading, 65536)
            except OSError:  # what Linux says at the end of a terminal
                break
            if not part:
                break
            shown += part
        running.wait(timeout=30)
    os.close(reading)
    text = shown.decode("utf-8")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\u202e" in text


def test_a_reader_that_has_enough_is_no_fault_of_ours(sandbox: str) -> None:
    command = f"{sys.executable} -m dynodesk scan Social --all --endpoint-url {sandbox} | head -1"
    finished = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=False)  # noqa: S602
    assert len(finished.stdout.splitlines()) == 1
    assert "Traceback" not in finished.stderr


def test_the_answer_key_is_printed() -> None:
    finished = dynodesk("sandbox", "--answers")
    assert json.loads(finished.stdout) == answers()


def test_the_sandbox_fills_another_endpoint_on_this_computer(ministack: str) -> None:
    finished = dynodesk("sandbox", "--into", "https://dynamodb.eu-west-1.amazonaws.com")
    assert finished.returncode == 2
    assert "only written to an emulator on this machine" in finished.stderr


def test_version_and_help() -> None:
    assert dynodesk("--version").stdout.startswith("dynodesk, version ")
    for name, command in cli.commands.items():
        assert command.help, f"{name} explains itself"
        finished = dynodesk(name, "--help")
        assert finished.returncode == 0
        assert "Usage:" in finished.stdout
