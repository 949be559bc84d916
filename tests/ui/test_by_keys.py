"""The main flows by keys alone, in the real program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = "import sys; from tests.ui.walk_by_keys import run; sys.exit(run())"


@pytest.mark.gui
@pytest.mark.slow
@pytest.mark.server
def test_everything_by_keys_alone(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", RUN],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "DYNODESK_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, '"walked"\n'), ran.stderr
