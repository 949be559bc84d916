"""The window's entry, in processes of its own: what is loaded when, what is said when it cannot be."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    kept.pop("QT_QPA_PLATFORM", None)
    return subprocess.run(
        [sys.executable, "-c", code], env=kept | environment, capture_output=True, text=True, timeout=90, check=False
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_there_is_one_line_and_status_3() -> None:
    ended = python("import sys; from dynodesk import gui; sys.exit(gui.run(open_sandbox=False, check=False))")
    assert ended.returncode == 3
    assert ended.stderr.count("\n") == 1
    assert "no display" in ended.stderr
    assert ended.stdout == ""


SHOWN_FIRST = """
import sys
from dynodesk import gui
heavy = {"boto3", "botocore", "keyring", "moto", "flask", "duckdb", "pyarrow", "jinja2", "dynodesk.ui.pages.browse"}
start = gui.MainWindow.start

def look(window):
    print("shown", window.isVisible(), sorted(heavy & set(sys.modules)))
    start(window)
    window.close()

gui.MainWindow.start = look
sys.exit(gui.run(open_sandbox=False, check=False))
"""


@pytest.mark.slow
def test_the_window_is_shown_before_anything_heavy_is_loaded() -> None:
    ended = python(SHOWN_FIRST, QT_QPA_PLATFORM="offscreen")
    assert (ended.returncode, ended.stdout) == (0, "shown True []\n"), ended.stderr


@pytest.mark.slow
def test_the_check_opens_the_sandbox_on_its_table_and_ends() -> None:
    ended = python(
        "import sys; from dynodesk import gui; sys.exit(gui.run(open_sandbox=True, check=True))",
        QT_QPA_PLATFORM="offscreen",
    )
    assert ended.returncode == 0, ended.stderr
    assert "dynodesk:" not in ended.stderr


REFUSED = """
import sys
from dynodesk import gui
from dynodesk.domain.errors import CannotConnect

def refuse(connections, ticket):
    raise CannotConnect("The sandbox did not start.", hint="Start it again.")

gui.Connections.open_sandbox = refuse
sys.exit(gui.run(open_sandbox=True, check=True))
"""


@pytest.mark.slow
def test_the_check_says_why_it_failed() -> None:
    ended = python(REFUSED, QT_QPA_PLATFORM="offscreen")
    assert ended.returncode == 1
    assert "dynodesk: Failed: The sandbox did not start. Start it again." in ended.stderr
