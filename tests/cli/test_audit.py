"""`dynodesk audit` on a journal with a write of each kind."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from dynodesk.cli.diagnostics import exit_code_from
from dynodesk.cli.main import cli
from dynodesk.composing.log import intent_payload, outcome_payload
from dynodesk.domain.actions import DeleteAction, PutAction, SingleWrite, TransactWrite
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.sensitive import SensitiveAttributes, SensitiveJournal
from dynodesk.domain.table_work import INTENT as TABLE_INTENT
from dynodesk.domain.table_work import OUTCOME as TABLE_OUTCOME
from dynodesk.domain.values import String
from dynodesk.domain.writing import INTENT, OUTCOME
from dynodesk.wiring import open_journal
from tests.editing.edit_bench import EditBench, edit, post

HERE = Place("arn:aws:iam::111122223333:user/me", "https://dynamodb.eu-west-1.amazonaws.com", "eu-west-1")
KEY = {"PK": String("=a"), "SK": String("b")}


@pytest.fixture(autouse=True)
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    journal = open_journal()
    put = SingleWrite(PutAction("Social", KEY))
    both = TransactWrite((DeleteAction("Social", KEY), PutAction("Stats", KEY)), "token")
    journal.append(INTENT, intent_payload("q1", 1, put, HERE))
    journal.append(OUTCOME, outcome_payload("q1", 1, "applied"))
    journal.append(INTENT, intent_payload("q2", 1, both, HERE))
    change = {"id": "t1", "what": "delete", "table": "Old", "index": "", "table_id": "", "keys": []}
    place = {"identity": HERE.identity, "endpoint": HERE.endpoint, "region": HERE.region}
    sent = {"operation": "DeleteTable", "request": {"TableName": "Old"}}
    journal.append(TABLE_INTENT, {**change, **place, **sent})
    journal.append(TABLE_OUTCOME, {"id": "t1", "outcome": "refused", "why": "it is protected"})
    return journal.path


def writes(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, str]]:
    assert exit_code_from(cli, ["audit", "log", "--format", "json", *arguments]) == 0
    found: list[dict[str, str]] = json.loads(capsys.readouterr().out)["writes"]
    return found


def test_every_kind_is_listed_with_its_outcome(capsys: pytest.CaptureFixture[str]) -> None:
    assert [(one["kind"], one["table"], one["outcome"]) for one in writes(capsys)] == [
        ("request", "Social", "applied"),
        ("request", "Social, Stats", "unknown"),
        ("table", "Old", "refused"),
    ]


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (["--table", "Social"], ["q1", "q2"]),
        (["--kind", "table"], ["t1"]),
        (["--outcome", "unknown"], ["q2"]),
        (["--text", "111122223333", "--text", "PROTECTED"], ["t1"]),
        (["--since", "2999-01-01"], []),
        (["--until", "2000-01-01"], []),
        (["--since", "2000-01-01", "--until", "2999"], ["q1", "q2", "t1"]),
    ],
)
def test_writes_are_found(capsys: pytest.CaptureFixture[str], arguments: list[str], ids: list[str]) -> None:
    assert [one["id"] for one in writes(capsys, *arguments)] == ids


def test_a_spreadsheet_sees_no_formula(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_from(cli, ["audit", "log", "--format", "csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["id"] for row in rows] == ["q1", "q2", "t1"]
    assert not [cell for row in rows for cell in row.values() if cell[:1] in {"=", "+", "@"}]


def test_the_chain_is_checked(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_from(cli, ["audit", "verify"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "5 records, whole"
    head = said[1].removeprefix("last record ")
    assert exit_code_from(cli, ["audit", "verify", "--head", head]) == 0
    assert exit_code_from(cli, ["audit", "verify", "--head", "0" * 63 + "1"]) == 1
    journal.write_bytes(journal.read_bytes().replace(b'"Old"', b'"New"', 1))
    capsys.readouterr()
    assert exit_code_from(cli, ["audit", "verify"]) == 1
    assert "CHANGED: record 4" in capsys.readouterr().out
    assert exit_code_from(cli, ["audit", "log"]) == 1


@pytest.mark.parametrize("form", ["text", "csv", "json"])
def test_nothing_that_a_rule_calls_sensitive_is_printed(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = post(email=String("canary-old")), post(email=String("canary-new"), note=String("seen"))
    sensitive = SensitiveAttributes()
    sensitive.by_table = {"Posts": frozenset({("email",)})}
    journal = SensitiveJournal(open_journal(), sensitive)
    bench = EditBench(before)
    hands = replace(bench.desk.hands, journal=journal)
    assert replace(bench.desk, hands=hands).commit(bench.desk.plan([edit(before, after)], Ticket()), Ticket()).is_done
    journal.append(INTENT, intent_payload("q9", 1, SingleWrite(PutAction("Posts", after)), HERE))
    journal.append(OUTCOME, outcome_payload("q9", 1, "refused", "canary-new is too long"))
    assert exit_code_from(cli, ["audit", "log", "--format", form]) == 0
    listed = capsys.readouterr().out
    assert "canary" not in listed
    assert "(sensitive) is too long" in listed
    assert listed.count("Posts") == 2
    assert exit_code_from(cli, ["repair", "log", "--format", "text" if form == "csv" else form]) == 0
    listed = capsys.readouterr().out
    assert "canary" not in listed
    assert ("seen" in listed) == ("(sensitive)" in listed) == (form == "json")
    assert exit_code_from(cli, ["audit", "verify"]) == 0
    assert b"canary-old" in open_journal().path.read_bytes()  # undo needs it
