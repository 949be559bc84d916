"""How a run ended is known to the next one, once."""

from __future__ import annotations

import faulthandler
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dynodesk.store.endings import BadEnding, noted

RUN = """
import sys, os, signal, faulthandler
from pathlib import Path
from dynodesk.store.endings import noted

def in_the_midst(ending):
    if ending == "segfault":
        faulthandler._sigsegv()
    elif ending == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif ending == "waits":
        print("there", flush=True)
        sys.stdin.read()

with noted(Path(sys.argv[1])) as endings:
    print(len(endings), flush=True)
    in_the_midst(sys.argv[2])
"""


def run(folder: Path, ending: str) -> int:
    command = [sys.executable, "-c", RUN, str(folder), ending]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode


def look(folder: Path) -> list[BadEnding]:
    with noted(folder) as endings:
        return endings


def test_a_run_that_ends_in_order_leaves_nothing(tmp_path: Path) -> None:
    assert run(tmp_path / "runs", "in order") == 0
    assert list((tmp_path / "runs").iterdir()) == []
    assert look(tmp_path / "runs") == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_a_crash_leaves_the_stacks_without_values_and_is_told_once(tmp_path: Path) -> None:
    assert run(tmp_path, "segfault") == -signal.SIGSEGV
    (ending,) = look(tmp_path)
    assert ending.began.startswith("dynodesk 0.")
    assert "Segmentation fault" in ending.stacks
    assert "in in_the_midst" in ending.stacks
    assert look(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_a_kill_leaves_no_stacks_but_is_told(tmp_path: Path) -> None:
    assert run(tmp_path, "killed") == -signal.SIGKILL
    assert [ending.stacks for ending in look(tmp_path)] == [""]


def test_what_is_still_running_did_not_end(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUN, str(tmp_path), "waits"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "0\n"
        assert running.stdout.readline() == "there\n"
        assert look(tmp_path) == []
        running.communicate("")
    assert running.returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_paths_of_the_user_are_not_in_what_is_told(tmp_path: Path) -> None:
    stack = (
        'Fatal Python error: Aborted\n\n  File "/opt/jane/dynodesk-0.1/dynodesk/ui/jobs.py", line 7 in run\n'
        '  File "/opt/jane/lib/site-packages/boto3/x.py", line 1 in y\n  File "/opt/jane/z.py", line 2 in z\n'
    )
    (tmp_path / "7-abc.run").write_text(f"dynodesk 0.1.0, started then\n{stack}")
    (ending,) = look(tmp_path)
    assert "jane" not in ending.stacks
    assert 'File "dynodesk/ui/jobs.py", line 7 in run' in ending.stacks


def test_a_folder_that_cannot_be_used_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with noted(tmp_path / "file" / "runs") as endings:
        assert endings == []


def test_another_fault_handler_is_left_alone(tmp_path: Path) -> None:
    before = faulthandler.is_enabled()
    look(tmp_path)
    assert faulthandler.is_enabled() is before
