"""Whether the window goes on answering while a million items load, and how a million rows scroll.

`python -m tests.benchmarks.sql_window --items 1000000`

Printed is a line for each phase: by how much the beats of a timer of 5 ms in the window's event loop came late, beside
those of a bare PySide6 window in a process of its own at the same time, which tells what the machine adds. Then lines
for the grid: memory added, time to show, frames a second beside Qt's own delegate.
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
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from unittest.mock import patch

from tests.benchmarks.replay import serving
from tests.benchmarks.replay_pages import TABLE, write

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from dynodesk.ui.main_window import MainWindow
    from dynodesk.ui.pages.sql import SqlPage

CONNECTION = "5e1ec7ed5e1ec7ed"
BEAT = 5
"""Milliseconds."""
P99_BOUND = 50
"""Milliseconds that 99 of 100 beats may be late."""
MB_BOUND = 60
SHOWN_BOUND = 0.3
"""Seconds."""
FRAMES = 100
FRAME_RATIO = 1.4
SCROLL_EVERY = 16
"""Milliseconds."""
ROWS_SQL = (
    "SELECT i AS number, md5(i::VARCHAR) AS hash, 'user ' || i AS name, i * 1.25 AS price, i % 7 = 0 AS flag, "
    "DATE '2020-01-01' + (i % 3000)::INTEGER AS day, i % 100 AS share, 'a note about ' || i AS note "
    "FROM range({n}) t(i)"
)
"""Eight columns."""

PEER = """
import json, sys, time
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
from tests.benchmarks.sql_window import Heart
app = QApplication([])
window = QMainWindow()
window.show()
heart = Heart(window)
looks = QTimer(window)
ended = []
import threading
threading.Thread(target=lambda: ended.append(sys.stdin.read()), daemon=True).start()
looks.timeout.connect(lambda: app.quit() if ended else None)
looks.start(200)
app.exec()
print(json.dumps(heart.beats))
"""


Beat = tuple[float, float, float]
"""When, in seconds since the epoch; milliseconds late; of these, waited for a processor."""


class Heart:
    """Beats in the event loop of `parent`."""

    def __init__(self, parent: QObject) -> None:
        from PySide6.QtCore import Qt, QTimer  # noqa: PLC0415  (only the inner processes have a window)

        self.beats: list[Beat] = []
        self._last = (time.time(), _waited_ms())
        self._timer = QTimer(parent)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT)

    def _beat(self) -> None:
        now, waited = time.time(), _waited_ms()
        last, waited_then = self._last
        self.beats.append((now, max(0.0, (now - last) * 1000 - BEAT), waited - waited_then))
        self._last = (now, waited)


def _waited_ms() -> float:
    """Of this thread, since it began, for a processor that was busy otherwise."""
    return int(Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()[1]) / 1e6


def p99(beats: Sequence[Beat], start: float, end: float) -> tuple[float, float]:
    """Milliseconds that 99 of 100 beats between two moments were late at most: without and with the waiting."""
    found = [(max(0.0, late - waited), late) for at, late, waited in beats if start <= at <= end]
    if len(found) < 2:
        return 0.0, 0.0
    own, all_of_it = (statistics.quantiles(late, n=100, method="inclusive")[98] for late in zip(*found, strict=True))
    return round(own, 1), round(all_of_it, 1)


# ------------------------------------------------------------------------------------------------- the window's process


def inside(address: str, items: int) -> None:
    from dynodesk import gui  # noqa: PLC0415  (only the inner processes have a window)
    from tests.helpers.asking import FakeAsker  # noqa: PLC0415
    from tests.helpers.driving import run_program  # noqa: PLC0415

    run = _Run(address, items)
    with patch.object(gui, "DialogAsker", lambda _window: FakeAsker()):
        run_program(run.script, open_sandbox=False)
    print(json.dumps(run.found))  # noqa: T201  (the figures are the output)


class _Run:
    def __init__(self, address: str, items: int) -> None:
        self._address, self._items = address, items
        self.found: dict[str, object] = {}
        self.phases: list[dict[str, object]] = []

    def script(self, window: MainWindow) -> Generator[Callable[[], object], None, None]:
        from PySide6.QtWidgets import QStyledItemDelegate  # noqa: PLC0415

        from dynodesk.domain.profiles import Profile  # noqa: PLC0415
        from dynodesk.ui.pages.sql import SqlPage  # noqa: PLC0415

        yield lambda: not window.status.jobs
        heart = Heart(window)
        self._began = time.time()
        until = time.monotonic() + 2
        yield lambda: time.monotonic() > until
        self._end("idle", heart)

        profile = Profile(
            id=CONNECTION,
            name="replay",
            kind="endpoint",
            credentials="dummy",
            region="us-east-1",
            endpoint_url=self._address,
            stage="dev",
        )
        window.sessions.open(profile)
        yield lambda: window.sessions.workspace(CONNECTION) is not None and not window.status.jobs
        workspace = window.sessions.workspace(CONNECTION)
        assert workspace is not None
        window.opener.open_sql(workspace)
        yield lambda: isinstance(window.tabs.current, SqlPage) and not window.status.jobs
        page = window.tabs.current
        assert isinstance(page, SqlPage)
        self._end("open", heart)

        yield from self._ask(page, window, ROWS_SQL.format(n=1000))  # what any first result costs
        self._begin()
        yield from self._ask(page, window, ROWS_SQL.format(n=self._items))
        self._end("run", heart)

        page.load_table(TABLE)
        yield lambda: page.form.isVisible() and not window.status.jobs
        page.form.load_button.click()
        yield page.stop_button.isEnabled
        with _scrolling(page):
            yield lambda: not window.status.jobs
        self._end("load, scrolling", heart)
        assert page.sets.current is not None
        assert page.sets.current.loaded.provenance.items == self._items

        self._begin()
        with _scrolling(page):
            until = time.monotonic() + 5
            yield lambda: time.monotonic() > until
        self._end("scroll", heart)

        page.result.show_note("")
        yield lambda: True
        yield from self._grid(page, window)
        ours = _frames_per_second(page)
        page.result.grid.setItemDelegate(QStyledItemDelegate(page.result.grid))
        default = _frames_per_second(page)
        self.found |= {
            "phases": self.phases,
            "beats": heart.beats,
            "frames": {name: (rate, default[name]) for name, rate in ours.items()},
        }

    def _grid(self, page: SqlPage, window: MainWindow) -> Generator[Callable[[], object], None, None]:
        """Memory that is added by rows that are shown and scrolled, and how long they take to show."""
        answers: list[float] = []
        show = page.result.show_answer

        def timed(answer: object) -> None:
            before, start = _private_mb(), time.perf_counter()
            show(answer)  # type: ignore[arg-type]  # patched in for the method itself
            page.result.grid.viewport().repaint()
            answers[:] = [before, time.perf_counter() - start]

        with patch.object(page.result, "show_answer", timed):
            yield from self._ask(page, window, ROWS_SQL.format(n=self._items))
        before, seconds = answers
        bar = page.result.grid.verticalScrollBar()
        for at in range(0, bar.maximum(), max(1, bar.maximum() // 100)):
            bar.setValue(at)
            page.result.grid.viewport().repaint()
        self.found |= {"added_mb": round(_private_mb() - before, 1), "shown_seconds": round(seconds, 3)}

    def _ask(self, page: SqlPage, window: MainWindow, sql: str) -> Generator[Callable[[], object], None, None]:
        page.editor.setPlainText(sql)
        page.editor.selectAll()
        page.run()
        yield lambda: page.result.outcome is not None and not window.status.jobs

    def _begin(self) -> None:
        self._began = time.time()

    def _end(self, phase: str, heart: Heart) -> None:
        now = time.time()
        self.phases.append({"phase": phase, "start": self._began, "end": now})
        self._began = now


@contextmanager
def _scrolling(page: SqlPage) -> Iterator[None]:
    """As by a wheel, three rows at a time, now and then a page, or a jump to anywhere."""
    from PySide6.QtCore import QTimer  # noqa: PLC0415

    bar, random, count = page.result.grid.verticalScrollBar(), Random(1), [0]

    def scroll() -> None:
        count[0] += 1
        if count[0] % 40 == 0:
            bar.setValue(random.randint(0, bar.maximum()))
        else:
            bar.setValue(bar.value() + (bar.pageStep() if count[0] % 10 == 0 else 3))

    timer = QTimer(page)
    timer.timeout.connect(scroll)
    timer.start(SCROLL_EVERY)
    yield
    timer.stop()


def _frames_per_second(page: SqlPage) -> dict[str, float]:
    grid, random = page.result.grid, Random(2)
    bar, rates = grid.verticalScrollBar(), {}
    steps: dict[str, Callable[[], int]] = {
        "wheel": lambda: bar.value() + 3,
        "page": lambda: bar.value() + bar.pageStep(),
        "jump": lambda: random.randint(0, bar.maximum()),
    }
    for name, step in steps.items():
        bar.setValue(0)
        start = time.process_time()
        for _ in range(FRAMES):
            bar.setValue(step())
            grid.viewport().repaint()
        rates[name] = round(FRAMES / (time.process_time() - start), 1)
    return rates


def _private_mb() -> float:
    """Memory that is this process's alone. A file that is mapped is not: the system takes it back when it likes."""
    found = Path("/proc/self/smaps_rollup").read_text(encoding="ascii")
    return sum(int(line.split()[1]) for line in found.splitlines() if line.startswith("Private_Dirty")) / 1024


# ----------------------------------------------------------------------------------------------------------- all of it


def measure(items: int) -> Iterator[dict[str, object]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="replay-")))
        write(folder, items, wide=False)
        address = stack.enter_context(serving(folder))
        home = stack.enter_context(tempfile.TemporaryDirectory())
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "DYNODESK_HOME": home}
        with subprocess.Popen(
            [sys.executable, "-c", PEER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as peer:
            ran = subprocess.run(
                [sys.executable, "-m", "tests.benchmarks.sql_window", "--inside", address, "--items", str(items)],
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            told, _ = peer.communicate("")
    found, bare = json.loads(ran.stdout), json.loads(told)
    for one in found["phases"]:
        own, late = p99(found["beats"], one["start"], one["end"])
        bare_own, bare_late = p99(bare, one["start"], one["end"])
        yield {
            "phase": one["phase"],
            "seconds": round(one["end"] - one["start"], 1),
            "p99_ms": own,
            "p99_with_others_ms": late,
            "bare_p99_ms": bare_own,
            "bare_p99_with_others_ms": bare_late,
            "bound": P99_BOUND,
            "holds": own < P99_BOUND,
        }
    yield {
        "bar": 11,
        "what": "MB added by the rows shown",
        "mb": found["added_mb"],
        "bound": MB_BOUND,
        "holds": found["added_mb"] <= MB_BOUND,
    }
    yield {
        "bar": 11,
        "what": "seconds until they are shown",
        "seconds": found["shown_seconds"],
        "bound": SHOWN_BOUND,
        "holds": found["shown_seconds"] <= SHOWN_BOUND,
    }
    for name, (ours, default) in found["frames"].items():
        yield {
            "bar": 11,
            "what": f"frames a CPU second by {name} / of the default delegate",
            "frames": ours,
            "ratio": round(ours / default, 2),
            "bound": FRAME_RATIO,
            "holds": ours >= FRAME_RATIO * default,
        }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--items", type=int, default=1_000_000)
    options.add_argument("--inside", metavar="ADDRESS", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.inside:
        inside(chosen.inside, chosen.items)
        return
    for line in measure(chosen.items):
        print(json.dumps(line), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
