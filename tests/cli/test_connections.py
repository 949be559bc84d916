"""`dynodesk connections`: out of one home and into another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dynodesk.cli.diagnostics import exit_code_from
from dynodesk.cli.main import cli
from dynodesk.domain.profiles import Profile, new_profile_id
from dynodesk.wiring import Connections


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Exported from one home; then another is at home."""
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path / "first"))
    shop = Profile(new_profile_id(), "shop", "aws", "profile", "prod", region="eu-west-1", read_only=False)
    for profile in (shop, replace(shop, id=new_profile_id(), name="shop-dev", stage="dev")):
        Connections().save(profile)
    exported = tmp_path / "team.json"
    assert exit_code_from(cli, ["connections", "export", str(exported)]) == 0
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path / "second"))
    return exported


def test_what_one_exports_another_imports(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_from(cli, ["connections", "import", str(file)]) == 0
    assert [(one.name, one.stage, one.read_only) for one in Connections().saved()] == [
        ("shop", "production", True),
        ("shop-dev", "dev", True),
    ]
    capsys.readouterr()
    assert exit_code_from(cli, ["connections", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "shop  production, reads  eu-west-1 · prod"


def test_names_that_are_taken_are_asked_for(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_from(cli, ["connections", "import", str(file)]) == 0
    assert exit_code_from(cli, ["connections", "import", str(file)]) == 2
    assert "shop, shop-dev" in capsys.readouterr().err
    assert len(Connections().saved()) == 2
    assert exit_code_from(cli, ["connections", "import", str(file), "--rename"]) == 0
    assert [one.name for one in Connections().saved()] == ["shop", "shop-dev", "shop (2)", "shop-dev (2)"]


def test_a_file_that_is_there_is_not_written_over(file: Path) -> None:
    before = file.read_bytes()
    assert exit_code_from(cli, ["connections", "export", str(file)]) == 2
    assert file.read_bytes() == before
    assert exit_code_from(cli, ["connections", "export", str(file), "--force"]) == 0
    assert file.read_bytes() != before


def test_some_left_out_is_said_with_the_code(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(file.read_text().replace('"stage": "dev"', '"stage": "nowhere"'))
    assert exit_code_from(cli, ["connections", "import", str(file)]) == 4
    assert "Connection 2 was left out" in capsys.readouterr().err
    assert [one.name for one in Connections().saved()] == ["shop"]
    file.write_bytes(b"\xff")
    assert exit_code_from(cli, ["connections", "import", str(file)]) == 2
