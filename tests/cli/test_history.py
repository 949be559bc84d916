"""`dynodesk rules history`: what runs leave behind, and a drift that grows named as such."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynodesk.sandbox.seed import Api
from tests.helpers.command import dynodesk, result_of

pytestmark = pytest.mark.server

RULES = """
version = 1

[[tally]]
name = "tool likes"
table = "HistoryTools"
parent = { PK = "TOOL#{tool}", SK = "META" }
attribute = "likes"
children = { PK = "TOOL#{tool}", SK = "LIKE#{user}" }
version = "rev"
wait = "0s"
settle = "0s"
"""


@pytest.fixture
def tools(sandbox: str) -> Api:
    """One parent with two children, whose tally is what a test makes it."""
    api = Api(sandbox)
    names = [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")]
    schema = [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}]
    if "HistoryTools" in api.call("ListTables", {})["TableNames"]:
        api.call("DeleteTable", {"TableName": "HistoryTools"})
    api.call(
        "CreateTable",
        {
            "TableName": "HistoryTools",
            "AttributeDefinitions": names,
            "KeySchema": schema,
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for user in ("a", "b"):
        put(api, {"PK": {"S": "TOOL#1"}, "SK": {"S": f"LIKE#{user}"}})
    return api


def put(api: Api, item: dict[str, Any]) -> None:
    api.call("PutItem", {"TableName": "HistoryTools", "Item": item})


def store(api: Api, likes: int) -> None:
    put(api, {"PK": {"S": "TOOL#1"}, "SK": {"S": "META"}, "likes": {"N": str(likes)}, "rev": {"N": str(likes)}})


def test_a_drift_that_grows_is_named_in_the_report_and_in_the_history(tools: Api, tmp_path: Path) -> None:
    rules, home = tmp_path / "tools.toml", {"DYNODESK_HOME": str(tmp_path / "home")}
    rules.write_text(RULES, encoding="utf-8")
    place = ("--endpoint-url", tools.endpoint, "--format", "json")
    causes = []
    for likes in (2938, 5874, 6608):
        store(tools, likes)
        finished = dynodesk("reconcile", rules, *place, env=home)
        assert finished.returncode == 1, finished.stderr
        causes.append(result_of(finished)["rules"][0]["causes"])
    assert causes[:2] == [[], []]
    assert "2,936 on " in causes[2][0]
    assert causes[2][0].startswith("The drift grows from run to run (")

    store(tools, 9000)
    assert dynodesk("reconcile", rules, *place, "--no-history", env=home).returncode == 1
    assert dynodesk("reconcile", rules, *place, "--parent", "tool=1", env=home).returncode == 1

    (rule,) = result_of(dynodesk("rules", "history", rules, "--format", "json", env=home))["rules"]
    (place_of_runs,) = rule["places"]
    assert [run["drift"] for run in place_of_runs["runs"]] == ["2936", "5872", "6606", "8998"]
    assert [run["counts"] for run in place_of_runs["runs"]] == [True, True, True, False]
    assert (rule["name"], place_of_runs["table"], place_of_runs["growing"]) == ("tool likes", "HistoryTools", True)

    shown = dynodesk("rules", "history", rules, env=home)
    assert shown.returncode == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == "tool likes in HistoryTools"
    assert lines[2].endswith("UTC  1 of 1 parent off, drift 2,936")
    assert lines[5].endswith("drift 8,998; not counted: 1 chosen parent")
    assert lines[6].startswith("  Drift: 2,936 on ")
    assert lines[6].endswith(": growing")


def test_a_rule_without_runs_and_a_damaged_line(tmp_path: Path) -> None:
    rules, home = tmp_path / "tools.toml", tmp_path / "home"
    rules.write_text(RULES, encoding="utf-8")
    file = home / "data" / "history" / "history.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("not a run\n", encoding="utf-8")
    shown = dynodesk("rules", "history", rules, env={"DYNODESK_HOME": str(home)})
    assert (shown.returncode, shown.stdout) == (0, "tool likes: no run is kept\n\n")
    assert "1 line that cannot be read, now kept as history.jsonl.damaged-1" in shown.stderr
    as_json = dynodesk("rules", "history", rules, "--format", "json", env={"DYNODESK_HOME": str(home)})
    assert json.loads(as_json.stdout)["rules"][0]["places"] == []
