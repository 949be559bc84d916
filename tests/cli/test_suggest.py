"""`dynodesk rules suggest` against the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynodesk.sandbox.answers import answers
from tests.helpers.command import dynodesk, findings_of

pytestmark = pytest.mark.server


def test_what_is_suggested_runs_as_it_stands(sandbox: str, tmp_path: Path) -> None:
    file = tmp_path / "suggested.toml"
    at = ("--endpoint-url", sandbox)
    finished = dynodesk("rules", "suggest", "Workspaces", "Members", *at, "--into", file)
    assert (finished.returncode, finished.stdout) == (0, f"1 rule written to {file}\n"), finished.stderr
    text = file.read_text(encoding="utf-8")
    assert "# 21 of 24 parents agree; 4 of 5 parents agree when read anew." in text
    assert "# version = 'rev'  # only if every write of the parent raises it" in text
    assert dynodesk("rules", "check", file, *at).returncode == 0
    run = dynodesk("reconcile", file, *at, "--wait", 0, "--settle", 0, "--format", "json")
    assert [f["drift"] for f in findings_of(run)] == [f["drift"] for f in answers()["workspaces.toml"]]
    again = dynodesk("rules", "suggest", "Workspaces", "Members", *at, "--into", file)
    assert again.returncode == 2
    assert "exists already" in again.stderr


def test_a_table_without_counts_gives_no_rule(sandbox: str) -> None:
    finished = dynodesk("rules", "suggest", "Readings", "--endpoint-url", sandbox)
    assert (finished.returncode, finished.stdout) == (0, "")
    assert "No number looks like a count" in finished.stderr
    assert dynodesk("rules", "suggest", "Nowhere", "--endpoint-url", sandbox).returncode == 2
