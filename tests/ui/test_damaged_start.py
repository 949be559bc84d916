"""The program starts with every file of its state damaged, keeps each, and says so of each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dynodesk.domain.profiles import Profile
from dynodesk.ui.main_window import MainWindow
from dynodesk.wiring import Connections
from tests.helpers.driving import run_program
from tests.ui.walking import Steps

FILES = ("config/settings.json", "config/connections.json", "state/tabs.json")


def told(window: MainWindow) -> Steps:
    """What the message bar says, one after the other."""
    seen: list[str] = []
    yield lambda: not window.status.jobs and window.messages.current is not None
    while (message := window.messages.current) is not None:
        seen.append(message.title)
        window.messages.dismiss()
        yield lambda: True
    print(json.dumps({"told": sorted(seen), "connections": window.desk.has_any}))  # noqa: T201  (read by the test)


def run() -> int:
    return run_program(told, open_sandbox=False)


@pytest.mark.gui
@pytest.mark.slow
def test_it_starts_with_every_file_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    connections = Connections()
    connections.save(Profile("0123456789abcdef", "shop", "aws", "profile", "prod", region="eu-west-1"))
    connections.settings.save({"scheme": "dark"})
    connections.tabs.save({"tabs": []})
    for name in FILES:
        (tmp_path / name).write_bytes(b'{"version": 1, "half')
    ran = subprocess.run(
        [sys.executable, "-c", "import sys; from tests.ui.test_damaged_start import run; sys.exit(run())"],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {"told": ["Connections", "Open tabs", "Settings"], "connections": True}
    for name in FILES:
        assert (tmp_path / f"{name}.damaged-1").read_bytes() == b'{"version": 1, "half'
