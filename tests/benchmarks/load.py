"""From a table to SQL, beside others on the same bytes: `python -m tests.benchmarks.load --items 200000 --peers`.

A server of ours replays a Scan whose replies lie ready. Each method reads it to the end and finds the posts whose tally
is wrong, in a process of its own; a method that does not find exactly those counts for nothing. CPU seconds are those
of all threads of the process, without imports and without making the client; peak memory is that of the whole process.
Printed is a line for each method, with the medians of the rounds, then a line for each bar.

Peers need an environment of their own, `.venv-peers`: `--peers` makes it. Those that take a minute for a million items
read a smaller table, and are compared by the item; their lines say how many items they read.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.measuring import Figures
from tests.benchmarks.replay import serving
from tests.benchmarks.replay_pages import Truth, write

ROOT = Path(__file__).resolve().parent.parent.parent
CONSTRAINTS = ROOT / "packaging" / "constraints-peers.txt"

PAGES = "dynodesk, pages alone"
MEMORY, KEYS = "dynodesk, reconciled", "dynodesk, keys and tallies reconciled"
SWEPT = "dynodesk, swept by rule"
FILE, FILE_ITEMS = "dynodesk, all columns in a file", "dynodesk, reconciled in a file"
COLUMNS = "dynodesk, all columns"
PARSED, INSERTED = "receive and parse", "insert"
OURS = ("receive", PARSED, INSERTED, PAGES, MEMORY, KEYS, SWEPT, COLUMNS, FILE_ITEMS, FILE)
PANDAS, PYDYNOX = "boto3 resource, pandas, DuckDB", "pydynox, Arrow, DuckDB"
PEERS = (PYDYNOX, "boto3 client, TypeDeserializer, Arrow, DuckDB", PANDAS, "awswrangler, DuckDB")
SLOW_PEERS = (PANDAS, "awswrangler, DuckDB")
SLOW_ITEMS = 200_000
"""What the slow peers read at most; a quarter of it where items are wide."""
LARGE = 1_000_000
"""Items from which the bars of a large table are asked for."""


@dataclass(frozen=True, slots=True)
class Table:
    address: str
    folder: Path
    truth: Truth


@dataclass(frozen=True, slots=True)
class Median:
    """The rounds of a method in one."""

    items: int
    seconds: float
    cpu_per_million: float
    peak_mb: float
    mismatches: int | None
    more: dict[str, float]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--items", type=int, default=SLOW_ITEMS)
    options.add_argument("--wide", action="store_true", help="items of 30 attributes of all types")
    options.add_argument("--rounds", type=int, help="default: 3, and 1 from a million items on")
    options.add_argument("--peers", action="store_true", help="measure the others too")
    chosen = options.parse_args()
    rounds = chosen.rounds or (1 if chosen.items >= LARGE else 3)
    with ExitStack() as stack:
        table = _replayed(stack, chosen.items, wide=chosen.wide)
        methods: dict[str, tuple[str, Table]] = dict.fromkeys(OURS, (sys.executable, table))
        if chosen.peers:
            python = _peers_python()
            most = SLOW_ITEMS // 4 if chosen.wide else SLOW_ITEMS
            small = table if chosen.items <= most else _replayed(stack, most, wide=chosen.wide)
            methods |= {name: (python, small if name in SLOW_PEERS else table) for name in PEERS}
        measured: dict[str, list[Figures]] = {name: [] for name in methods}
        for number in range(rounds):
            for name, (python, read) in methods.items():
                _say(f"round {number + 1} of {rounds}: {name}")
                measured[name] += _measure(python, name, read)
    medians = {name: _median(figures) for name, figures in measured.items() if len(figures) == rounds}
    for name, median in medians.items():
        _print(_line(name, median))
    bars = list(_bars(medians, table.truth))
    for bar in bars:
        _print(bar)
    for number in sorted(set(range(1, 9)) - {bar["bar"] for bar in bars}):
        _say(f"no line for bar {number}: a side of it was not measured, or it is for a million items")


def _replayed(stack: ExitStack, items: int, *, wide: bool) -> Table:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="replay-")))
    _say(f"writing replies of {items} items")
    truth = write(folder, items, wide=wide)
    return Table(stack.enter_context(serving(folder)), folder, truth)


def _peers_python() -> str:
    """The Python of the peers' environment, which is made where it is not there."""
    spec = importlib.util.spec_from_file_location("packaging_run", ROOT / "packaging" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    setting_up = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(setting_up)
    directory = ROOT / ".venv-peers"
    setting_up.make_environment(directory, ["-r", str(CONSTRAINTS)], CONSTRAINTS.read_text(encoding="utf-8"))
    python: str = setting_up.tool("python", directory)
    return python


def _measure(python: str, method: str, table: Table) -> list[Figures]:
    """One run of a method; nothing where it failed or did not find what there is to find."""
    module = "peers" if method in PEERS else "ours"
    command = [python, "-W", "ignore", "-m", f"tests.benchmarks.{module}", method, table.address]
    if module == "ours":
        command.append(str(table.folder))
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        _say(f"{method} failed: {(ran.stderr.strip().splitlines() or ['without a word'])[-1]}")
        return []
    figures = Figures(**json.loads(ran.stdout))
    if figures.items != table.truth.items or figures.mismatches not in {None, table.truth.mismatches}:
        _say(f"{method} does not count: {figures.items} items and {figures.mismatches} mismatches, not {table.truth}")
        return []
    return [figures]


def _median(rounds: list[Figures]) -> Median:
    numbers = {name for name, value in rounds[0].more.items() if isinstance(value, int | float)}
    return Median(
        items=rounds[0].items,
        seconds=statistics.median(one.seconds for one in rounds),
        cpu_per_million=statistics.median(one.cpu_seconds for one in rounds) / rounds[0].items * 1e6,
        peak_mb=statistics.median(one.peak_mb for one in rounds),
        mismatches=rounds[0].mismatches,
        more={name: statistics.median(float(str(one.more[name])) for one in rounds) for name in sorted(numbers)},
    )


def _line(method: str, median: Median) -> dict[str, object]:
    return {
        "method": method,
        "items": median.items,
        "items_per_s": round(median.items / median.seconds),
        "cpu_s_per_million": round(median.cpu_per_million, 2),
        "peak_mb": round(median.peak_mb),
        "mismatches": median.mismatches,
        **{name: round(value, 3) for name, value in median.more.items()},
    }


# ------------------------------------------------------------------------------------------------------------- bars


def _bars(medians: dict[str, Median], truth: Truth) -> Iterator[dict[str, object]]:
    """Those whose two sides were measured, and that are asked for at this number of items."""
    large = truth.items >= LARGE
    memory, file, keys = medians.get(MEMORY), medians.get(FILE), medians.get(KEYS)
    pandas, pydynox = medians.get(PANDAS), medians.get(PYDYNOX)
    parsed, inserted = medians.get(PARSED), medians.get(INSERTED)
    # A run of rules sweeps, and asks for what they look at alone; a load into memory has the items as a whole.
    for ours, name in ((medians.get(SWEPT), SWEPT), (memory, MEMORY)):
        if ours and pandas:
            ratio = pandas.cpu_per_million / ours.cpu_per_million
            yield _at_least(1, f"CPU of {PANDAS} / of {name}", ratio, 22 if large else 16)
        if ours and pydynox:
            ratio = pydynox.cpu_per_million / ours.cpu_per_million
            yield _at_least(2, f"CPU of {PYDYNOX} / of {name}", ratio, 7 if large else 4.5)
            if large:
                yield _at_least(2, f"memory of {PYDYNOX} / of {name}", pydynox.peak_mb / ours.peak_mb, 7)
    for in_file, name in ((medians.get(FILE_ITEMS), FILE_ITEMS), (file, FILE)):
        if in_file and pandas and large:
            ratio = pandas.cpu_per_million / in_file.cpu_per_million
            yield _at_least(3, f"CPU of {PANDAS} / of {name}", ratio, 14)
    if memory and parsed and inserted:
        ratio = memory.cpu_per_million / (parsed.cpu_per_million + inserted.cpu_per_million)
        yield _at_most(4, f"CPU of {MEMORY} / of {PARSED} + {INSERTED}", ratio, 3.5)
    if keys and parsed:
        yield _at_most(5, f"CPU of {KEYS} / of {PARSED}, whole items", keys.cpu_per_million / parsed.cpu_per_million, 4)
    if file and large:
        bound = 600 if truth.items == LARGE else 800
        yield _at_most(6, f"peak MB of {FILE}", file.peak_mb, bound)
    for read, name in ((memory, MEMORY), (file, FILE)):
        if read and large:
            seconds = read.more["sql_seconds"] * LARGE / truth.items
            yield _at_most(7, f"seconds of the reconciling statement for a million items, {name}", seconds, 0.15)
    if file:
        yield _at_most(8, "bytes of the file / of the JSON", file.more["file_bytes"] / truth.json_bytes, 0.22)


def _at_least(number: int, what: str, ratio: float, bound: float) -> dict[str, object]:
    return {"bar": number, "what": what, "ratio": round(ratio, 2), "bound": bound, "holds": ratio >= bound}


def _at_most(number: int, what: str, ratio: float, bound: float) -> dict[str, object]:
    return {"bar": number, "what": what, "ratio": round(ratio, 2), "bound": bound, "holds": ratio <= bound}


def _print(line: dict[str, object]) -> None:
    print(json.dumps(line), flush=True)  # noqa: T201  (the figures are the output)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
