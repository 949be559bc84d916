"""A read-only connection under everything that the command line and the window can do: nothing is written, as counted
where requests arrive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from dynodesk.aws.clients import READ_OPERATIONS, STREAM_OPERATIONS
from dynodesk.cli.diagnostics import ExitCode, exit_code_from
from dynodesk.cli.main import cli
from dynodesk.domain.profiles import Profile
from dynodesk.sandbox.process import Sandbox
from dynodesk.wiring import Connections
from tests.faults.proxy import FaultProxy
from tests.store.state import strangers

pytestmark = pytest.mark.server

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "resources/rules/social.toml"
READS = READ_OPERATIONS | STREAM_OPERATIONS | {"ExecuteStatement"}
CONNECTION = "0123456789abcdef"
LOCAL = {
    *("demo", "sandbox", "sql", "rules history", "repair log", "diagnostics", "expr code", "expr eval"),
    *("connections list", "connections export", "connections import", "audit verify", "audit log"),
}
"""Commands that open no connection."""
POST = ("--key", "PK=POST#a91f", "--key", "SK=META")
PLANNED = ("--rule", "post likes", "--parent", "post=a91f", "--wait", "0", "--settle", "0")


@pytest.fixture(scope="module")
def proxy() -> Iterator[FaultProxy]:
    with Sandbox.start(scale=0.1) as sandbox, FaultProxy(sandbox.endpoint) as running:
        yield running


def connect(home: Path, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch, *, read_only: bool) -> None:
    monkeypatch.setenv("DYNODESK_HOME", str(home))
    proxy.clear()
    made = Profile(
        CONNECTION, "shop", "endpoint", "dummy", endpoint_url=proxy.url, region="us-east-1", stage="dev",
        read_only=read_only,
    )  # fmt: skip
    Connections().save(made)


def leaves(group: click.Group, above: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, f"{above}{name} ")
        else:
            yield f"{above}{name}"


def commands(folder: Path) -> dict[str, tuple[list[str], set[int]]]:
    """What is asked of each command, and the codes with which it may end."""
    plan, rules = str(folder / "plan.json"), str(RULES)
    fine, refused = {int(ExitCode.OK), int(ExitCode.DRIFT)}, {3}
    return {
        "tables": ([], fine),
        "describe": (["Social"], fine),
        "query": (["Social", "--partition", "POST#a91f"], fine),
        "scan": (["Social", "--limit", "5"], fine),
        "load": (["Stats", "--into", str(folder / "sets.duckdb")], fine),
        "reconcile": ([rules, *PLANNED, "--plan", plan], fine),
        "watch": ([rules, "--once"], fine | {2, 3, 4}),
        "rules check": ([rules], fine),
        "rules suggest": (["Workspaces", "Members"], fine),
        "repair apply": ([plan, "--yes", "Social", "--first"], refused),
        "repair undo": (["r-1", "--yes", "Social"], refused),
        "repair resolve": ([], fine),
        "policy": (["Social", "--for", "repair"], fine),
        "expr check": (["--condition", "likeTally > 3", "--table", "Social"], fine),
        "transact": ([_like(folder), "--yes", "Social"], refused),
        "update": (["Social", *POST, "--set", "likeTally = likeTally + 1", "--yes", "Social"], refused),
    }


def _like(folder: Path) -> str:
    file = folder / "like.json"
    file.write_text('{"PutItem": {"TableName": "Social", "Item": {"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#ann"}}}}')
    return str(file)


def test_every_command_on_a_read_only_connection_writes_nothing(
    proxy: FaultProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    connect(tmp_path / "home", proxy, monkeypatch, read_only=True)
    asked = commands(tmp_path)
    assert set(leaves(cli)) - LOCAL == set(asked), "a command that this does not know of"
    for name, (arguments, codes) in asked.items():
        status = exit_code_from(cli, [*name.split(), *arguments, "--connection", "shop"])
        assert status in codes, (name, status, capsys.readouterr().err)
    assert set(proxy.counts) <= READS
    assert {"ListTables", "DescribeTable", "Query", "Scan", "TransactGetItems"} <= set(proxy.counts)


def walked(folder: Path, *parts: str) -> dict[str, list[str]]:
    run = f"import sys; from tests.ui.walk_every_action import run; sys.exit(run(*{parts!r}))"
    ended = subprocess.run(
        [sys.executable, "-c", run],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "DYNODESK_HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=ROOT,
    )
    assert ended.returncode == 0, ended.stderr
    found: dict[str, list[str]] = json.loads(ended.stdout.splitlines()[-1])
    return found


@pytest.mark.gui
@pytest.mark.slow
def test_every_action_of_the_window_on_a_read_only_connection_writes_nothing(
    proxy: FaultProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(tmp_path, proxy, monkeypatch, read_only=True)
    found = walked(tmp_path)
    assert set(proxy.counts) <= READS
    assert {"Query", "Scan", "TransactGetItems", "ExecuteStatement"} <= set(proxy.counts)
    assert len(found["actions"]) > 40
    assert {"ComposePage", "BrowsePage", "ReconcilePage", "SqlPage", "PartiqlPage", "TableDetailsPage"} == set(
        found["pages"]
    )
    # Beside the rules file of the walk. Else something new is kept, and not tested with damaged files yet.
    assert strangers(tmp_path) == ["quick.toml"]


@pytest.mark.gui
@pytest.mark.slow
def test_the_same_walk_writes_where_it_may(proxy: FaultProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the other one would show nothing."""
    connect(tmp_path, proxy, monkeypatch, read_only=False)
    walked(tmp_path, "browse", "compose")
    assert {"DeleteItem", "PutItem", "TransactWriteItems"} <= set(proxy.counts)
