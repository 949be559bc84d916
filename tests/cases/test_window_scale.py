"""Fractional scales: nothing is cut, and every dialog fits a small screen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

WINDOWS = Path(__file__).with_name("scaled_windows.py")


@pytest.mark.gui
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a screen of another scale is made by Qt's own platform for tests")
@pytest.mark.parametrize(("scale", "size"), [("1.25", (1280, 720)), ("1.5", (1280, 720)), ("2", (2560, 1440))])
def test_windows_at_a_scale(scale: str, size: tuple[int, int], tmp_path: Path) -> None:
    screen = {"name": "small", "x": 0, "y": 0, "width": size[0], "height": size[1]}
    screen |= {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
    config = tmp_path / "screen.json"
    config.write_text(json.dumps({"screens": [screen]}), encoding="utf-8")
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", WINDOWS],
        env={**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={config}", "QT_SCALE_FACTOR": scale},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
