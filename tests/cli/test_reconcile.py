"""`dynodesk reconcile` as a process: what it prints and what it exits with."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from dynodesk.sandbox.answers import answers
from dynodesk.sandbox.samples import sample_tables
from dynodesk.sandbox.seed import Api, seed
from tests.faults.proxy import FaultProxy, Hang
from tests.helpers.command import dynodesk, findings_of, result_of

pytestmark = pytest.mark.server

RULES = Path(__file__).resolve().parents[2] / "resources/rules"
SOCIAL, COURSES = RULES / "social.toml", RULES / "courses.toml"
AT_ONCE = ("--wait", 0, "--settle", 0)
JSON = ("--format", "json")


def test_the_answer_key_is_found(sandbox: str) -> None:
    finished = dynodesk("reconcile", SOCIAL, "--endpoint-url", sandbox, *JSON)
    assert finished.returncode == 1, finished.stderr
    assert findings_of(finished) == answers()["social.toml"]
    assert finished.stderr == ""


@pytest.mark.parametrize("file", ["workspaces.toml", "stats.toml"])
def test_the_answer_key_of_other_kinds_of_rules_is_found(sandbox: str, file: str) -> None:
    finished = dynodesk("reconcile", RULES / file, "--endpoint-url", sandbox, *JSON)
    assert finished.returncode == 1, finished.stderr
    assert findings_of(finished) == answers()[file]


def test_a_table_without_drift_exits_0(sandbox: str) -> None:
    finished = dynodesk("reconcile", COURSES, "--endpoint-url", sandbox, *JSON)
    assert finished.returncode == 0, finished.stderr
    assert findings_of(finished) == []
    assert result_of(finished)["run"]["complete"] is True


def test_the_same_findings_on_another_emulator(ministack: str) -> None:
    there = Api(ministack).call("ListTables", {})["TableNames"]
    seed(ministack, [sample for sample in sample_tables() if sample.name not in there])
    finished = dynodesk("reconcile", SOCIAL, "--endpoint-url", ministack, *JSON)
    assert finished.returncode == 1, finished.stderr
    assert findings_of(finished) == answers()["social.toml"]
    assert dynodesk("reconcile", COURSES, "--endpoint-url", ministack).returncode == 0


def test_nothing_listens(tmp_path: Path) -> None:
    started = time.monotonic()
    finished = dynodesk("reconcile", SOCIAL, "--endpoint-url", "http://127.0.0.1:9", timeout=10)
    assert (finished.returncode, finished.stdout) == (3, "")
    assert "[cannot-connect]" in finished.stderr
    assert time.monotonic() - started < 10


def test_one_rule_and_chosen_parents(sandbox: str) -> None:
    finished = dynodesk(
        "reconcile", SOCIAL, "--rule", "post likes", "--parent", "post=a91f",
        "--parent", '{"PK": {"S": "POST#77b0"}, "SK": {"S": "META"}}', "--endpoint-url", sandbox, *AT_ONCE, *JSON,
    )  # fmt: skip
    (rule,) = result_of(finished)["rules"]
    assert (finished.returncode, rule["parents"]) == (1, 2)
    assert [(finding["stored"], finding["drift"]) for finding in rule["findings"]] == [("41", "4"), ("-2", "-2")]


def test_reports_are_written_beside_the_result(sandbox: str, tmp_path: Path) -> None:
    files = [tmp_path / f"report.{ending}" for ending in ("html", "csv", "json", "md", "pdf", "xlsx")]
    options = [option for file in files for option in ("--report", file)]
    finished = dynodesk("reconcile", SOCIAL, "--endpoint-url", sandbox, *AT_ONCE, *options)
    assert finished.returncode == 1
    assert "POST#a91f" in finished.stdout
    assert len(list(csv.reader(files[1].read_text(encoding="utf-8-sig").splitlines()))) == 13
    assert len(json.loads(files[2].read_text(encoding="utf-8"))["rules"]) == 3
    for file in files:
        assert f"report written to {file}" in finished.stderr
    for file in files[:4]:
        assert "POST#a91f" in file.read_text(encoding="utf-8")
    assert [file.read_bytes()[:4] for file in files[4:]] == [b"%PDF", b"PK\x03\x04"]


def test_a_report_that_cannot_be_written_costs_neither_the_result_nor_the_other_reports(
    sandbox: str, tmp_path: Path
) -> None:
    elsewhere, link, written = tmp_path / "elsewhere.md", tmp_path / "link.md", tmp_path / "written.csv"
    link.symlink_to(elsewhere)
    finished = dynodesk(
        "reconcile", SOCIAL, "--endpoint-url", sandbox, *AT_ONCE, *JSON, "--report", link, "--report", written
    )
    assert finished.returncode == 4
    assert "[file-not-written]" in finished.stderr
    assert findings_of(finished) == answers()["social.toml"]
    assert written.exists()
    assert not elsewhere.exists()


def test_where_no_report_can_be_written_nothing_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.html").mkdir()
    (tmp_path / "file").touch()
    for report in (tmp_path / "missing/x.html", tmp_path / "a.html", tmp_path / "file/x.html"):
        finished = dynodesk("reconcile", SOCIAL, "--endpoint-url", "http://127.0.0.1:9", "--report", report)
        assert (finished.returncode, finished.stdout) == (2, "")
        assert "[invalid-request]" in finished.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--report", "a.json", "--plan", "./b/../a.json"),
        ("--later", "rules.toml"),
        ("--resume", "rules.toml"),
    ],
    ids=" ".join,
)
def test_no_file_is_written_over_another(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_bytes(Path(SOCIAL).read_bytes())
    (tmp_path / "b").mkdir()
    named = [option if option.startswith("--") else str(tmp_path) + "/" + option for option in options]
    refused = dynodesk("reconcile", tmp_path / "rules.toml", "--endpoint-url", "http://127.0.0.1:9", *named)
    assert refused.returncode == 2, refused.stderr
    assert "is named for two things" in refused.stderr or "is a file" in refused.stderr


def test_a_report_replaces_the_last_one(sandbox: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text("of yesterday")
    assert dynodesk("reconcile", COURSES, "--endpoint-url", sandbox, *AT_ONCE, "--report", file).returncode == 0
    assert json.loads(file.read_text(encoding="utf-8"))["run"]["complete"] is True
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_budget_leaves_the_run_incomplete(sandbox: str) -> None:
    finished = dynodesk("reconcile", SOCIAL, "--endpoint-url", sandbox, *AT_ONCE, "--max-units", 12, *JSON)
    assert finished.returncode == 4
    run = result_of(finished)["run"]
    assert (run["complete"], run["stopped"]) == (False, "the budget of 12 read units is spent")
    assert "stopped: the budget" in finished.stderr


def test_ctrl_c_ends_with_what_is_known(proxy: FaultProxy) -> None:
    command = [
        sys.executable,
        "-m",
        "dynodesk",
        "reconcile",
        SOCIAL,
        "--endpoint-url",
        proxy.url,
        "--wait",
        "60",
        *JSON,
    ]
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    ) as running:
        while not proxy.counts["TransactGetItems"]:  # the sweep is over
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    assert running.returncode == 130, err
    assert json.loads(out)["run"]["stopped"] == "cancelled"
    assert {finding["verdict"] for rule in json.loads(out)["rules"] for finding in rule["findings"]} <= {
        "suspect",
        "incomparable",
    }


@pytest.mark.parametrize("operation", ["DescribeTable", "Scan", "Query", "TransactGetItems"])
def test_ctrl_c_does_not_wait_for_a_reply_that_does_not_come(proxy: FaultProxy, operation: str) -> None:
    proxy.always(operation, Hang())
    command = [sys.executable, "-m", "dynodesk", "reconcile", SOCIAL, "--endpoint-url", proxy.url, *AT_ONCE]
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        while not proxy.counts[operation]:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=5)  # 8 seconds and more are waited for a reply
    assert running.returncode == 130


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.toml"], "cannot be read"),
        ([COURSES, "--rule", "nope"], 'no rule "nope"'),
        ([COURSES, "--format", "xml"], "'xml' is not one of"),
        ([COURSES, "--max-units", "0"], "not a number of read units"),
        ([COURSES, "--max-units", "1e9x"], "not a number of read units"),
        ([COURSES, "--max-units", "nan"], "not a number of read units"),
        ([COURSES, "--rate", "1e-999999"], "not a number of read units"),
        ([COURSES, "--wait", "-1"], "not in the range"),
        ([COURSES, "--wait", "nan"], "nan is not a number"),
        ([COURSES, "--settle", "nan"], "nan is not a number"),
        ([COURSES, "--wait", "inf"], "not in the range"),
        ([COURSES, "--report", "x.docx"], "names no form of a report"),
        ([COURSES, "--bogus"], "No such option"),
        ([], "Missing argument"),
        ([COURSES, "--parent", "nothing"], "names no parent"),
    ],
)
def test_usage_errors_exit_2(sandbox: str, arguments: list[object], words: str) -> None:
    finished = dynodesk("reconcile", *arguments, "--endpoint-url", sandbox)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert words in finished.stderr


def test_where_to_connect_must_be_said_once(sandbox: str) -> None:
    finished = dynodesk("reconcile", COURSES)
    assert finished.returncode == 2
    assert "nothing says where to connect" in finished.stderr
    finished = dynodesk("reconcile", COURSES, "--connection", "x", "--endpoint-url", sandbox)
    assert finished.returncode == 2
    finished = dynodesk("reconcile", COURSES, "--connection", "nobody")
    assert finished.returncode == 3
    assert 'no saved connection named "nobody"' in finished.stderr
    finished = dynodesk("reconcile", COURSES, "--endpoint-url", "https://dynamodb.example.org")
    assert finished.returncode == 2
    assert "needs credentials" in finished.stderr


def test_environment_variables_do_not_choose_the_place(sandbox: str) -> None:
    poisoned = {"AWS_ENDPOINT_URL": sandbox, "AWS_ACCESS_KEY_ID": "AKIAPOISON", "AWS_SECRET_ACCESS_KEY": "x" * 40}
    finished = dynodesk("tables", env=poisoned)
    assert finished.returncode == 2
    assert "nothing says where to connect" in finished.stderr


def test_rules_of_a_table_that_is_not_there(sandbox: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(COURSES.read_text(encoding="utf-8").replace('"Courses"', '"Lessons"'), encoding="utf-8")
    finished = dynodesk("reconcile", file, "--endpoint-url", sandbox)
    assert finished.returncode == 2
    assert "there is no table Lessons" in finished.stderr
    assert "rules.toml:" in finished.stderr


def test_rules_check(sandbox: str, tmp_path: Path) -> None:
    assert dynodesk("rules", "check", SOCIAL).returncode == 0
    finished = dynodesk("rules", "check", SOCIAL, "--endpoint-url", sandbox)
    assert finished.stdout == "3 rules without mistakes; they fit their tables\n"
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(SOCIAL.read_text(encoding="utf-8").replace("LIKE#{user}", "LIKE{user}"), encoding="utf-8")
    finished = dynodesk("rules", "check", wrong)
    assert finished.returncode == 2
    assert 'rule "post likes"' in finished.stderr
    assert "[invalid-rules]" in finished.stderr


def test_parents_without_a_verdict_are_listed_for_later(sandbox: str, tmp_path: Path) -> None:
    later = tmp_path / "later.txt"
    finished = dynodesk("reconcile", SOCIAL, "--endpoint-url", sandbox, *AT_ONCE, "--max-units", 80, "--later", later)
    assert finished.returncode == 4, finished.stderr
    keys = later.read_text(encoding="utf-8").splitlines()
    assert f"{len(keys)} parents left for later in {later}" in finished.stderr
    assert keys
    again = dynodesk("reconcile", SOCIAL, "--endpoint-url", sandbox, *AT_ONCE, "--parent", f"@{later}", *JSON)
    assert again.returncode == 1
    found = [json.dumps(finding["parent"], ensure_ascii=False) for finding in findings_of(again)]
    assert sorted(found) == sorted(keys)


def test_a_brake_holds_the_run_until_it_is_let_go(sandbox: str, tmp_path: Path) -> None:
    brake = tmp_path / "brake"
    brake.touch()
    threading.Timer(4, brake.unlink).start()
    finished = dynodesk("reconcile", COURSES, "--endpoint-url", sandbox, *AT_ONCE, "--brake", brake)
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr.splitlines() == [f"paused: {brake} exists", "going on"]


def test_a_sweep_over_budget_is_taken_up(sandbox: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    run = ("reconcile", SOCIAL, "--endpoint-url", sandbox, *AT_ONCE, "--resume", kept, *JSON)
    finished = dynodesk(*run, "--max-units", 3)
    assert finished.returncode == 4, finished.stderr
    assert list(kept.iterdir())
    again = dynodesk(*run)
    assert again.returncode == 1, again.stderr
    assert findings_of(again) == answers()["social.toml"]
    assert "its sweep was begun before this run" in again.stdout
    assert not kept.exists()
