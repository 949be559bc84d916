"""Whether a million loaded items can be looked at: `python -m tests.benchmarks.grid --items 1000000`.

The real window reads them through its own feed from a reader that makes them up, so that nothing is measured but the
window. Printed is a line for each bar: how long until the first rows are painted, by how much the beats of a timer in
the window's event loop came late while items streamed in and while they were sorted, filtered and searched, how long a
frame took while scrolling, and what the rows take of memory.
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
from collections.abc import Callable, Generator, Iterator
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from unittest.mock import patch

from dynodesk.domain.foreground import foreground
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page, ScanPlan
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, Number, String
from tests.benchmarks.sql_window import PEER, Beat, Heart, p99
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import SOCIAL

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from dynodesk.ui.main_window import MainWindow
    from dynodesk.ui.pages.browse import BrowsePage

PAGE_ITEMS = 4_000
"""Of about 250 bytes: what fits into the megabyte of a page."""
COLLECTION_ITEMS = 40
FIRST_PAINT_MS, FRAME_MS, HEARTBEAT_MS, BLOCKED_MS = 200, 33, 50, 100
FRAMES = 300
Steps = Generator[Callable[[], object], None, None]


class MadeUp(MemoryReader):
    """Items of a table of likes, a page at a time, as fast as they can be made."""

    def __init__(self, items: int) -> None:
        super().__init__(SOCIAL)
        self._count = items
        self._chance = Random(1)
        self.first_page_at = 0.0

    def scan(self, plan: ScanPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        at = 0 if start is None else int(str(start["n"].text if isinstance(start["n"], Number) else 0))
        while at < self._count:
            ticket.checkpoint()
            end = min(self._count, at + min(PAGE_ITEMS, plan.page_limit or PAGE_ITEMS))
            items = tuple(self._item(number) for number in range(at, end))
            cursor = {"n": Number(str(end))} if end < self._count else None
            self.first_page_at = self.first_page_at or time.perf_counter()
            yield Page(items, len(items), cursor, Decimal(128), 0.01)
            at = end

    def _item(self, number: int) -> Item:
        foreground.give_way()
        user = self._chance.getrandbits(32)
        return {
            "PK": String(f"POST#{number // COLLECTION_ITEMS:06x}"),
            "SK": String(f"LIKE#USER#{user:08x}"),
            "GSI1PK": String(f"USER#{user % 100_003:05x}"),
            "GSI1SK": String(f"LIKE#{number}"),
            "likedAt": Number(str(1_750_000_000 + self._chance.getrandbits(24))),
            "kind": String("like"),
            "note": String(f"a note about {user}"),
        }


def inside(items: int) -> None:
    from tests.helpers.driving import run_program  # noqa: PLC0415  (only the inner process has a window)

    run = _Run(items)
    run_program(run.script, open_sandbox=False)
    print(json.dumps({"lines": run.lines, "phases": run.phases}))  # noqa: T201  (the figures are the output)


class _Run:
    def __init__(self, items: int) -> None:
        self._items = items
        self.lines: list[dict[str, object]] = []
        self.phases: dict[str, tuple[float, float]] = {}

    def script(self, window: MainWindow) -> Steps:
        from dynodesk.domain.reading import Portion  # noqa: PLC0415  (only the inner process has a window)
        from dynodesk.ui.pages.browse import BrowsePage  # noqa: PLC0415

        self._window = window
        yield lambda: not window.status.jobs
        window.resize(1440, 900)
        self._reader = MadeUp(self._items)
        self._page = page = BrowsePage(SOCIAL, self._reader, window.runner)
        window.tabs.open_page(page)
        yield lambda: page.left.model.rowCount() and not window.status.jobs
        self._heart = Heart(window)
        before, began = _resident_mb(), time.time()
        self._reader.first_page_at = 0.0
        paint, painted = page.left.grid.paintEvent, [0.0]

        def paint_and_tell(event: QPaintEvent) -> None:
            paint(event)
            if not painted[0] and page.left.model.rowCount():
                painted[0] = time.perf_counter()

        page.left.clear(page.left.view, "")
        with patch.object(page.left.grid, "paintEvent", paint_and_tell):
            page.left.read(ScanPlan(SOCIAL.name), page.left.view, Portion(self._items))
            yield lambda: painted[0]
        self._tell(
            "ms from the first page to its rows painted",
            (painted[0] - self._reader.first_page_at) * 1000,
            FIRST_PAINT_MS,
        )
        with _Scrolling(page):
            yield lambda: not page.left.feed.running
        self._tell_beats("while items stream in, scrolling", began)
        assert page.left.reading is not None
        assert page.left.reading.count == self._items
        self.lines.append(
            {
                "what": "MB of resident memory added by the items",
                "value": round(_resident_mb() - before, 1),
                "bytes_an_item": round((_resident_mb() - before) * 2**20 / self._items),
            }
        )
        yield from self._frames("grouped")
        yield from self._time("sort by number", lambda: page.left.sort("likedAt", False))
        yield from self._time("sort by text, descending", lambda: page.left.sort("note", True))
        yield from self._time("filter by text", lambda: self._filter("f00d"))
        yield from self._time("filter by condition", lambda: self._filter("likedAt < 1751000000"))
        yield from self._time("no filter, read order", self._all_rows)
        yield from self._time("flat", lambda: page.left.set_grouped(False))
        yield from self._frames("flat")
        page.left.find_bar.open()
        page.left.find_bar.edit.setText("f00d")
        yield from self._time("find in page", page.left.find_bar._ask)
        yield from self._time("copy 100,000 rows as JSON", self._copy)

    def _filter(self, text: str) -> None:
        self._page.left.filter_bar.edit.setText(text)
        self._page.left.filter_bar._ask()

    def _all_rows(self) -> None:
        self._page.left.filter_bar.shut()
        self._page.left.sort("", False)

    def _copy(self) -> None:
        from PySide6.QtCore import QItemSelection, QItemSelectionModel  # noqa: PLC0415

        grid, model = self._page.left.grid, self._page.left.model
        rows = QItemSelection(
            model.index(0, 0), model.index(min(100_000, model.rowCount()) - 1, model.columnCount() - 1)
        )
        grid.selectionModel().select(rows, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._page.left.copy_rows("json")

    def _time(self, what: str, ask: Callable[[], object]) -> Steps:
        left = self._page.left
        began = time.time()
        ask()
        yield lambda: not left.arranger.busy and not left.finder.busy and not self._window.status.jobs
        until = time.time() + 0.3
        yield lambda: time.time() > until  # what is painted then belongs to it
        self._tell_beats(what, began, longest=True)
        self.lines[-1]["seconds"] = round(time.time() - began - 0.3, 2)

    def _frames(self, how: str) -> Steps:
        grid, random = self._page.left.grid, Random(2)
        bar, taken = grid.verticalScrollBar(), []
        for number in range(FRAMES):
            jump = number % 20 == 0
            bar.setValue(
                random.randint(0, bar.maximum()) if jump else bar.value() + (bar.pageStep() if number % 5 == 0 else 3)
            )
            began = time.thread_time()
            grid.viewport().repaint()
            taken.append((time.thread_time() - began) * 1000)
            yield lambda: True
        self._tell(f"ms of a frame while scrolling {how}, 99 of 100", statistics.quantiles(taken, n=100)[98], FRAME_MS)

    def _tell(self, what: str, value: float, bound: float) -> None:
        self.lines.append({"what": what, "value": round(value, 1), "bound": bound, "holds": value < bound})

    def _tell_beats(self, what: str, began: float, *, longest: bool = False) -> None:
        beats, now = self._heart.beats, time.time()
        own, _ = p99(beats, began, now)
        worst = max((late - waited for at, late, waited in beats if began <= at <= now), default=0.0)
        value, bound = (worst, BLOCKED_MS) if longest else (own, HEARTBEAT_MS)
        kind = "longest beat" if longest else "late beats, 99 of 100"
        self._tell(f"ms, {kind}: {what}", value, bound)
        self.lines[-1] |= {"p99": own, "longest": round(worst, 1)}
        self.phases[str(self.lines[-1]["what"])] = (began, now)


class _Scrolling:
    """As by a wheel, while it lasts."""

    def __init__(self, page: BrowsePage) -> None:
        from PySide6.QtCore import QTimer  # noqa: PLC0415

        self._bar, self._count = page.left.grid.verticalScrollBar(), 0
        self._timer = QTimer(page)
        self._timer.timeout.connect(self._scroll)

    def _scroll(self) -> None:
        self._count += 1
        self._bar.setValue(self._bar.maximum() if self._count % 40 == 0 else self._bar.value() - 3)

    def __enter__(self) -> None:
        self._timer.start(16)

    def __exit__(self, *_: object) -> None:
        self._timer.stop()


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure(items: int) -> list[dict[str, object]]:
    """Beside the lines about beats those of a bare window at the same time, which tell what the machine adds."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "DYNODESK_HOME": home}
        with subprocess.Popen(
            [sys.executable, "-c", PEER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as peer:
            ran = subprocess.run(
                [sys.executable, "-m", "tests.benchmarks.grid", "--inside", "--items", str(items)],
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            told, _ = peer.communicate("")
    found, bare = json.loads(ran.stdout.splitlines()[-1]), json.loads(told)
    lines: list[dict[str, object]] = found["lines"]
    for line in lines:
        if line["what"] in found["phases"]:
            line.update(_bare(bare, *found["phases"][line["what"]]))
    return lines


def _bare(beats: list[Beat], began: float, ended: float) -> dict[str, object]:
    own, _ = p99(beats, began, ended)
    within = [max(0.0, late - waited) for at, late, waited in beats if began <= at <= ended]
    return {"bare_p99": own, "bare_longest": round(max(within, default=0.0), 1)}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--items", type=int, default=1_000_000)
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.inside:
        inside(chosen.items)
        return
    for line in measure(chosen.items):
        print(json.dumps(line), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
