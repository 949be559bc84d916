"""A fault of ours on the command line: a few words, a report in a file, no traceback, nothing of anybody's in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CANARY = "value-of-an-item"

FAILING = f"""
import sys, threading
from dynodesk.cli import main as program
import click

@program.cli.command()
@click.argument("where")
def fail(where):
    local = "{CANARY}"
    if where == "thread":
        thread = threading.Thread(target=lambda: [][7 if local else 0])
        thread.start()
        thread.join()
    elif where == "destructor":
        class Left:
            def __del__(self):
                raise RuntimeError(local)
        Left()
    else:
        raise KeyError(local)

program.main(sys.argv[1:])
"""


def failing(where: str, home: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", FAILING, "fail", where]
    environment = {**os.environ, "DYNODESK_HOME": str(home)}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)


def everything(home: Path) -> str:
    return "".join(file.read_text() for file in home.rglob("*") if file.is_file() and file.suffix != ".salt")


def test_a_command_that_meets_a_fault_says_so_and_writes_a_report(tmp_path: Path) -> None:
    ended = failing("command", tmp_path)
    assert ended.returncode == 70
    assert "Traceback" not in ended.stderr
    first, where, _written, report, _send = ended.stderr.splitlines()
    assert first.startswith("This is a fault in dynodesk itself")
    assert where.strip().startswith("KeyError, in ")
    (path,) = (tmp_path / "state" / "faults").iterdir()
    assert report.endswith(str(path))
    assert "KeyError" in path.read_text()
    assert "A command met a fault" in everything(tmp_path)
    assert CANARY not in ended.stderr + everything(tmp_path)


def test_a_thread_that_meets_a_fault_says_so_in_the_same_words(tmp_path: Path) -> None:
    ended = failing("thread", tmp_path)
    assert "Traceback" not in ended.stderr
    assert "This is a fault in dynodesk itself" in ended.stderr
    assert CANARY not in ended.stderr + everything(tmp_path)


def test_what_fails_while_it_is_cleared_away_is_in_the_log(tmp_path: Path) -> None:
    ended = failing("destructor", tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "RuntimeError" in everything(tmp_path)
    assert CANARY not in everything(tmp_path)


def test_without_a_place_for_it_the_report_is_on_stderr(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    ended = failing("command", tmp_path)
    assert ended.returncode == 70
    assert "Traceback" not in ended.stderr
    assert "[file-not-written]" in ended.stderr
    assert "dynodesk/cli/diagnostics.py:" in ended.stderr
    assert CANARY not in ended.stderr


def test_diagnostics_are_printed_with_what_failed_before(tmp_path: Path) -> None:
    failing("command", tmp_path)
    environment = {**os.environ, "DYNODESK_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "dynodesk", "diagnostics"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("dynodesk 0.")
    assert "A command met a fault" in ended.stdout
    assert CANARY not in ended.stdout
