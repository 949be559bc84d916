"""How fast the list of tables answers: `python -m tests.benchmarks.tables [--tables 5000]`.

`filter`: from each key press in the filter to the painted list. `find`: the same in the field that finds anything.
`list`: from the names to the painted list, new and once more. `cpu_ms` is the longest time of this process alone: it
tells a slow program from a busy computer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

BOUND = 50
"""Milliseconds from a key press to what it shows."""
BLOCKED = 100
TEAMS = ("orders", "billing", "social", "search", "audit", "users", "media", "shipping", "inventory", "sessions")
STAGES = ("prod", "staging", "dev", "test", "sandbox")
TYPED = (
    "s",
    "so",
    "soc",
    "soci",
    "socia",
    "social",
    "social-",
    "social-p",
    "prod",
    "o",
    "e",
    "-",
    "7",
    "nothing-such",
    "",
)


@dataclass(frozen=True)
class Taken:
    ms: float
    cpu_ms: float


def names(count: int) -> tuple[str, ...]:
    rng = random.Random(20)
    return tuple(sorted(f"{rng.choice(TEAMS)}-{rng.choice(STAGES)}-{rng.choice(TEAMS)}-{n:05}" for n in range(count)))


def measure(count: int) -> list[dict[str, object]]:
    from PySide6.QtCore import Qt  # noqa: PLC0415  (the platform is chosen before)
    from PySide6.QtTest import QTest  # noqa: PLC0415
    from PySide6.QtWidgets import QApplication, QWidget  # noqa: PLC0415

    from dynodesk.ui import theme  # noqa: PLC0415
    from dynodesk.ui.models.table_tree import Place  # noqa: PLC0415
    from dynodesk.ui.shell import SANDBOX  # noqa: PLC0415
    from dynodesk.ui.widgets.finder import Entry, Finder  # noqa: PLC0415
    from dynodesk.ui.widgets.navigator import Navigator  # noqa: PLC0415

    application = QApplication([])
    theme.apply(application, theme.LIGHT)
    navigator = Navigator()
    navigator.resize(280, 800)
    navigator.show()
    navigator.field.setFocus()

    painted = application.processEvents

    def taken(work: Callable[[], object]) -> Taken:
        began, cpu = time.perf_counter(), time.process_time()
        work()
        painted()
        return Taken((time.perf_counter() - began) * 1000, (time.process_time() - cpu) * 1000)

    painted()
    every = names(count)
    listed = taken(lambda: navigator.set_tables(SANDBOX, every))
    again = taken(lambda: navigator.set_tables(SANDBOX, every))
    navigator.select_table(SANDBOX, every[count // 2])
    presses: list[Taken] = []
    for _ in range(3):
        presses += [taken(partial(navigator.field.setText, text)) for text in TYPED]
        presses += [taken(partial(QTest.keyClicks, navigator.field, letter)) for letter in "social"]
        presses += [taken(partial(QTest.keyClick, navigator.field, Qt.Key.Key_Backspace)) for _ in "social"]
    assert navigator.current == Place("table", SANDBOX, every[count // 2])
    navigator.close()
    window = QWidget()
    window.resize(1000, 800)
    finder = Finder(lambda: [Entry(name, "table", "table", window.update) for name in every], window)
    finder.field.setParent(window)
    window.show()
    finder.open()
    finds = [taken(partial(QTest.keyClicks, finder.field, letter)) for word in ("social", "prod-7") for letter in word]
    finder.close()
    window.close()
    return [
        _figures("filter", count, presses, BOUND),
        _figures("find", count, finds, BOUND),
        _figures("list", count, [listed, again], BLOCKED),
    ]


def _figures(name: str, tables: int, times: list[Taken], bound: float) -> dict[str, object]:
    longest = max(one.ms for one in times)
    return {
        "benchmark": name,
        "tables": tables,
        "times": len(times),
        "median_ms": round(statistics.median(one.ms for one in times), 1),
        "longest_ms": round(longest, 1),
        "cpu_ms": round(max(one.cpu_ms for one in times), 1),
        "bound_ms": bound,
        "holds": longest < bound,
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tables", type=int, default=5_000)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    for figures in measure(options.parse_args().tables):
        print(json.dumps(figures))  # noqa: T201  (the figures are the output)


if __name__ == "__main__":
    main()
