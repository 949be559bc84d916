"""`dynodesk repair` on a sandbox: plan, apply, a second run that is clean, undo, and the journal."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dynodesk.cli.diagnostics import exit_code_from
from dynodesk.cli.main import cli
from dynodesk.domain.batches import PlainWrite
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.edits import Edit
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import String
from dynodesk.domain.writing import Hands
from dynodesk.editing.batches import write_batches
from dynodesk.editing.committing import commit, plan_commit
from dynodesk.sandbox.process import Sandbox
from dynodesk.store.locks import held
from dynodesk.store.paths import private_folder
from dynodesk.wiring import Connections, open_journal
from tests.aws.tables import profile
from tests.faults.proxy import FaultProxy, LoseReply, error
from tests.helpers.command import findings_of, result_of
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.memory_writer import MemoryWriter

pytestmark = pytest.mark.server

RULES = Path(__file__).resolve().parents[2] / "resources/rules/social.toml"
POSTS = ("--parent", "post=a91f", "--parent", "post=0c4e", "--parent", "post=77b0")
AT_ONCE = ("--rule", "post likes", *POSTS, "--wait", 0, "--settle", 0)
JSON = ("--format", "json")
REPAIRABLE = 3


@pytest.fixture(scope="module")
def own() -> Iterator[FaultProxy]:
    """A sandbox that is written to."""
    with Sandbox.start(scale=0.1) as sandbox, FaultProxy(sandbox.endpoint) as proxy:
        yield proxy


class Home:
    """One user of the command line, with a folder of their own."""

    def __init__(self, folder: Path, proxy: FaultProxy, printed: pytest.CaptureFixture[str]) -> None:
        self.folder, self.proxy, self._printed = folder, proxy, printed
        self.plan_file = folder / "plan.json"
        proxy.clear()

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        at = () if arguments[:2] == ("repair", "log") else ("--endpoint-url", self.proxy.url)
        return self.run_as_given(*arguments, *at)

    def run_as_given(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """In this process: a start of the program for each command would be most of the time."""
        code = exit_code_from(cli, list(map(str, arguments)))
        return subprocess.CompletedProcess([*map(str, arguments)], code, *self._printed.readouterr())

    def planned(self) -> list[str]:
        """Ids of the repairs in a new plan."""
        self.run("reconcile", RULES, *AT_ONCE, "--plan", self.plan_file)
        return [repair["id"] for repair in json.loads(self.plan_file.read_text("utf-8"))["repairs"]]

    def drifts(self) -> list[dict[str, Any]]:
        found = findings_of(self.run("reconcile", RULES, *AT_ONCE, *JSON))
        return [finding for finding in found if finding["verdict"] == "exact"]


@pytest.fixture
def home(tmp_path: Path, own: FaultProxy, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    return Home(tmp_path, own, capfd)


def test_from_drift_to_repair_and_back(home: Home) -> None:
    before = home.drifts()
    assert [finding["drift"] for finding in before] == ["4", "3", "-2"]
    ids = home.planned()

    read_first = home.run("repair", "apply", home.plan_file, "--yes", "Social")
    assert read_first.returncode == 4
    assert read_first.stdout.count('"UpdateExpression"') == REPAIRABLE
    assert "was never applied before" in read_first.stderr
    assert home.proxy.counts["UpdateItem"] == 0

    applied = home.run("repair", "apply", home.plan_file, "--yes", "Social", "--first", *JSON)
    assert applied.returncode == 0, applied.stderr
    assert [result["outcome"] for result in result_of(applied)["results"]] == ["repaired"] * REPAIRABLE
    assert home.proxy.counts["UpdateItem"] == REPAIRABLE
    assert home.drifts() == []

    again = home.run("repair", "apply", home.plan_file, "--yes", "Social", *JSON)
    assert again.returncode == 0, again.stderr
    assert {result["outcome"] for result in result_of(again)["results"]} == {"not needed"}

    undone = home.run("repair", "undo", *ids, ids[0], "--yes", "Social", *JSON)
    assert undone.returncode == 0, undone.stderr
    assert home.drifts() == before

    log = home.run("repair", "log", *JSON)
    assert log.returncode == 0
    assert [write["what"] for write in result_of(log)["writes"]] == ["repair"] * REPAIRABLE + ["undo"] * REPAIRABLE
    assert result_of(log)["broken"] is None


def test_a_plan_that_is_not_applied(home: Home) -> None:
    home.planned()
    unnamed = home.run("repair", "apply", home.plan_file)
    assert (unnamed.returncode, unnamed.stdout) == (2, "")
    assert "name the table with --yes" in unnamed.stderr
    too_large = home.run("repair", "apply", home.plan_file, "--yes", "Social", "--max-delta", 1)
    assert too_large.returncode == 2
    assert "raise --max-delta" in too_large.stderr
    home.plan_file.write_text(home.plan_file.read_text("utf-8").replace('"drift": "4"', '"drift": "5"'), "utf-8")
    edited = home.run("repair", "apply", home.plan_file, "--yes", "Social")
    assert edited.returncode == 2
    assert "was changed after it was made" in edited.stderr
    assert home.proxy.counts["UpdateItem"] == 0


def test_a_lost_reply_and_a_journal_that_was_changed(home: Home) -> None:
    ids = home.planned()
    home.proxy.on("UpdateItem", LoseReply())
    applied = home.run("repair", "apply", home.plan_file, "--yes", "Social", "--first", *JSON)
    assert applied.returncode == 0, applied.stderr
    assert home.proxy.counts["UpdateItem"] == REPAIRABLE
    assert home.run("repair", "undo", *ids, "--yes", "Social").returncode == 0
    assert len(home.drifts()) == REPAIRABLE

    journal = home.folder / "data/journal/journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"outcome":"settled"', b'"outcome":"applied"', 1))
    verified = home.run("repair", "log", "--verify", *JSON)
    assert verified.returncode == 1
    assert result_of(verified)["broken"].startswith("record 4: ")
    refused = home.run("repair", "undo", ids[0], "--yes", "Social")
    assert refused.returncode == 3
    assert "[journal-damaged]" in refused.stderr


def test_credentials_that_may_not_write_stop_at_the_first(home: Home) -> None:
    home.planned()
    home.proxy.always("UpdateItem", error("AccessDeniedException"))
    applied = home.run("repair", "apply", home.plan_file, "--yes", "Social", "--first", *JSON)
    assert applied.returncode == 4
    assert [result["outcome"] for result in result_of(applied)["results"]] == ["refused"] + ["not tried"] * 2
    assert home.proxy.counts["UpdateItem"] == 1
    assert home.run("repair", "resolve").stdout == "nothing was left open\n"


def test_one_program_repairs_at_a_time(home: Home) -> None:
    home.planned()
    with held(private_folder(home.folder / "data") / "repair.lock"):
        for command in (("apply", home.plan_file, "--yes", "Social", "--first"), ("undo", "1"), ("resolve",)):
            refused = home.run("repair", *command)
            assert refused.returncode == 3
            assert "is held by another running dynodesk" in refused.stderr
    assert home.proxy.counts["UpdateItem"] == 0


def test_a_plan_that_is_none(home: Home) -> None:
    for content in (b"\xff", b"{}", b""):
        home.plan_file.write_bytes(content)
        refused = home.run("repair", "apply", home.plan_file, "--yes", "Social")
        assert (refused.returncode, refused.stdout) == (2, "")
    assert home.run("repair", "apply", home.folder / "none.json", "--yes", "Social").returncode == 2


def test_a_read_only_connection_repairs_nothing(home: Home) -> None:
    home.planned()
    Connections().save(replace(profile(home.proxy.url), name="careful"))
    refused = home.run_as_given(
        "repair", "apply", home.plan_file, "--yes", "Social", "--first", "--connection", "careful"
    )
    assert refused.returncode == 3
    assert "The connection careful is read-only" in refused.stderr
    assert home.proxy.counts["UpdateItem"] == 0


def test_the_log_holds_edits_too(home: Home) -> None:
    journal, key = open_journal(), {"PK": String("POST#a91f"), "SK": String("META")}
    reader = MemoryReader(TableInfo("Posts", KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))))
    writer = MemoryWriter(reader)
    hands = Hands(reader, writer, journal, SystemClock(), random.Random(1))
    edit = Edit("Posts", key, None, {**key, "title": String("a\x1b[31m")})
    assert commit(plan_commit([edit]), Place("", "memory", "nowhere"), hands, Ticket()).is_done
    write_batches("Posts", [PlainWrite(key)], Place("", "memory", "nowhere"), hands, writer, Ticket())
    shown = result_of(home.run("repair", "log", *JSON))
    (logged,), (batch,) = shown["edits"], shown["batches"]
    assert (logged["what"], logged["outcome"], logged["operation"]) == ("new", "applied", "PutItem")
    assert logged["changes"][-1] == {"path": "title", "before": None, "after": {"S": "a\x1b[31m"}}
    assert logged["request"]["ConditionExpression"] == "attribute_not_exists(#n0)"
    assert (batch["outcome"], len(batch["request"]["RequestItems"]["Posts"])) == ("applied", 1)
    lines = home.run("repair", "log").stdout.splitlines()
    assert "new    " in lines[0]
    assert lines[0].endswith("Posts  POST#a91f / META  PK, SK, title  applied")
    assert lines[1].endswith("Posts  1 writes  applied")
