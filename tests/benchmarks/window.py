"""How soon the window is there, and whether it ever stops answering: `python -m tests.benchmarks.window`.

`start`: from the start of the process to the first paint, beside a window of PySide6 alone in the same run.
`heartbeat`: the longest time between two turns of the window's event loop while the sandbox is opened, browsed and
reconciled, beside that of a window with nothing to do.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynodesk.ui.main_window import MainWindow

BEAT = 10
"""Milliseconds between two beats of the timer that listens."""
BLOCKED = 100
"""Milliseconds: longer than this a window is felt to hang."""

BARE = """
import os, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.resize(1440, 900)
QTimer.singleShot(0, lambda: (print(time.time() - float(os.environ["BEGAN"])), window.close()))
window.show()
app.exec()
"""
OURS = """
import os, time
from PySide6.QtWidgets import QApplication
from dynodesk import gui
def painted(window):
    print(time.time() - float(os.environ["BEGAN"]))
    window.close()
gui.MainWindow.start = painted
gui.run(open_sandbox=False, check=False)
"""


def start(rounds: int) -> dict[str, object]:
    times: dict[str, list[float]] = {BARE: [], OURS: []}
    with tempfile.TemporaryDirectory() as compiled:
        for _ in range(rounds + 1):
            for code, taken in times.items():
                with tempfile.TemporaryDirectory() as home:
                    taken.append(_seconds(code, home, compiled))
    bare, ours = (statistics.median(taken[1:]) for taken in times.values())  # the first round warms and compiles
    return {
        "benchmark": "start",
        "seconds": round(ours, 3),
        "bare_seconds": round(bare, 3),
        "ratio": round(ours / bare, 2),
        "bound_seconds": 1.5,
        "holds": ours < 1.5,
    }


def _seconds(code: str, home: str, compiled: str) -> float:
    """`compiled`: where compiled modules are kept, as those of an installed program are."""
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "PYTHONPYCACHEPREFIX": compiled,
        "QT_QPA_PLATFORM": "offscreen",
        "DYNODESK_HOME": home,
        "BEGAN": str(time.time()),
    }
    finished = subprocess.run(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    )
    return float(finished.stdout)


def heartbeat() -> dict[str, object]:
    with tempfile.TemporaryDirectory() as home:
        finished = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.window", "--inside"],
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "DYNODESK_HOME": home},
            stdout=subprocess.PIPE,
            check=True,
        )
    figures: dict[str, object] = json.loads(finished.stdout)
    return figures


def inside() -> dict[str, object]:
    from PySide6.QtCore import Qt, QTimer  # noqa: PLC0415  (only the inner process has a window)

    from dynodesk.ui.pages.browse import BrowsePage  # noqa: PLC0415
    from dynodesk.ui.pages.reconcile import ReconcilePage  # noqa: PLC0415
    from tests.helpers.driving import run_program  # noqa: PLC0415

    gaps: dict[str, list[float]] = {"idle": [], "sandbox and browse": [], "reconcile": []}
    phase = ["idle"]

    def script(window: MainWindow) -> Generator[Callable[[], object], None, None]:
        beats = QTimer(window)
        beats.setTimerType(Qt.TimerType.PreciseTimer)
        last = [time.perf_counter()]

        def beat() -> None:
            now = time.perf_counter()
            gaps[phase[0]].append((now - last[0]) * 1000)
            last[0] = now

        beats.timeout.connect(beat)
        yield lambda: not window.status.jobs
        beats.start(BEAT)
        until = time.perf_counter() + 2
        yield lambda: time.perf_counter() > until
        phase[0] = "sandbox and browse"
        window.open_sandbox()
        yield lambda: isinstance(window.tabs.current, BrowsePage) and not window.status.jobs
        phase[0] = "reconcile"
        window.walk.step_asked.emit("sure")
        yield lambda: isinstance(window.tabs.current, ReconcilePage) and not window.status.jobs
        page = window.tabs.current
        assert isinstance(page, ReconcilePage)
        page.run_action.trigger()
        yield lambda: page.run_action.text() == "Run again" and not window.status.jobs
        beats.stop()

    run_program(script, open_sandbox=False)
    longest = {name: round(max(taken), 1) for name, taken in gaps.items()}
    missed = sum(gap > BLOCKED for taken in gaps.values() for gap in taken)
    return {
        "benchmark": "heartbeat",
        "beats": {name: len(taken) for name, taken in gaps.items()},
        "longest_ms": longest,
        "p99_ms": {name: round(statistics.quantiles(taken, n=100)[98], 1) for name, taken in gaps.items()},
        "bound_ms": BLOCKED,
        "missed": missed,
        "holds": missed == 0,
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.inside:
        print(json.dumps(inside()))  # noqa: T201  (the figures are the output)
        return
    for figures in (start(chosen.rounds), heartbeat()):
        print(json.dumps(figures))  # noqa: T201


if __name__ == "__main__":
    main()
