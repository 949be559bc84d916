"""Where a command works is said by its options, or nothing is done."""

from __future__ import annotations

import pytest

from dynodesk.cli.diagnostics import exit_code_from
from dynodesk.cli.main import cli


@pytest.mark.parametrize("option", ["connection", "profile", "endpoint-url", "region"])
@pytest.mark.parametrize("value", ["", " "])
def test_an_empty_option_leads_nowhere_else(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A variable that is not set, as the endpoint of an emulator, must not lead to AWS."""
    assert exit_code_from(cli, ["tables", "--env", f"--{option}", value]) == 2
    assert f"--{option} is empty" in capsys.readouterr().err
