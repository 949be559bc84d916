"""The emulator decides as we do, a short run; the long one is `python -m tests.domain.expressions.agreement`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.domain.expressions import dynalite
from tests.domain.expressions.agreement import run


@pytest.mark.server
def test_no_disagreement_without_a_ruling() -> None:
    tallies = run("ministack", "short", 150)
    assert [example for tally in tallies.values() for example in tally.unexplained] == []
    assert all(tally.agreed > 100 for tally in tallies.values())


@pytest.mark.parametrize(
    ("node", "folder", "said"),
    [
        (None, ".", "needs node"),
        ("/usr/bin/node", None, "DYNODESK_DYNALITE names no folder"),
        ("/usr/bin/node", ".", "there is no dynalite in"),
    ],
)
def test_what_is_missing_of_the_second_emulator_is_said(
    node: str | None, folder: str | None, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: node)
    monkeypatch.delenv("DYNODESK_DYNALITE", raising=False)
    if folder is not None:
        monkeypatch.setenv("DYNODESK_DYNALITE", str(tmp_path / folder))
    with pytest.raises(dynalite.MissingEmulator, match=said):
        dynalite.command()
