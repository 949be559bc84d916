"""A test that leaves something behind is failed by name; one that cleans up is not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

MESSY_AND_TIDY = """
import os, subprocess, sys, threading, time
from PySide6.QtWidgets import QWidget
from tests.helpers import leftovers

leftovers.GRACE_SECONDS = 1.0  # waited for in full by two of these
kept = []

def test_leaves_a_thread():
    threading.Thread(target=time.sleep, args=(3,), name="forgotten counter").start()

def test_leaves_a_process():
    kept.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "forgotten server"]))

def test_leaves_a_window(qtbot):
    window = QWidget()
    window.setWindowTitle("forgotten window")
    window.show()
    kept.append(window)

def test_cleans_up(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    thread = threading.Thread(target=time.sleep, args=(0.1,))
    thread.start()
    subprocess.run([sys.executable, "-c", ""], check=True)
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()

def test_sees_nothing_of_the_users():
    assert not [name for name in os.environ if name.startswith("AWS_")]
    assert "PYTHON_KEYRING_BACKEND" not in os.environ
    assert os.path.expanduser("~") != "the user's home"
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What pytest prints about these tests when they run under our conftest."""
    folder = tmp_path_factory.mktemp("messy")
    (folder / "test_messy.py").write_text(MESSY_AND_TIDY, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nqt_api = pyside6\nmarkers =\n    gui\n    server\n    slow\n")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "tests.conftest", "-p", "no:cacheprovider", str(folder)],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "HOME": "the user's home",
            "AWS_PROFILE": "production",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "named"),
    [
        ("test_leaves_a_thread", "thread 'forgotten counter'"),
        pytest.param(
            "test_leaves_a_process",
            "forgotten server",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="children are listed from /proc"),
        ),
        ("test_leaves_a_window", "window QWidget 'forgotten window'"),
    ],
)
def test_leftovers_fail_the_test_that_made_them(report: list[str], test: str, named: str) -> None:
    assert any(line.startswith("ERROR ") and test in line for line in report), "\n".join(report)
    assert any(named in line for line in report)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["test_cleans_up", "test_sees_nothing_of_the_users"])
def test_a_tidy_test_passes(report: list[str], test: str) -> None:
    assert any(line.startswith(f"test_messy.py::{test} PASSED") for line in report), "\n".join(report)
    assert not any(line.startswith("ERROR ") and test in line for line in report)


@pytest.mark.slow
def test_tests_with_a_window_run_last(report: list[str]) -> None:
    run = [line.split()[0].partition("::")[2] for line in report if line.startswith("test_messy.py::")]
    order = list(dict.fromkeys(run))
    assert len(order) == 5
    assert set(order[-2:]) == {"test_leaves_a_window", "test_cleans_up"}
