"""The whole program for a stated time: the real window on a real emulator, faults on the way, and a monkey at the keys.

`python -m tests.faults.soak --minutes 10` prints what happened as JSON, and ends with 1 where anything went wrong:
a crash, an exception that nobody caught, a complaint of Qt, a traceback on stderr or in a message, a thread or a
process left behind, a window that did not close. Runs of a few minutes follow each other on the same folders, each
closed in the midst of its work, so that each begins with what the one before it left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from unittest.mock import patch

from dynodesk.sandbox.samples import sample_tables
from dynodesk.sandbox.seed import seed as fill
from tests.faults.proxy import (
    HTML,
    PASS,
    THROTTLE,
    Answer,
    Cut,
    Delay,
    Drip,
    Drop,
    Fault,
    FaultProxy,
    LoseReply,
    Raw,
    Rewrite,
    error,
)
from tests.helpers import ministack

READS = (
    "Query",
    "Scan",
    "GetItem",
    "BatchGetItem",
    "TransactGetItems",
    "ExecuteStatement",
    "DescribeTable",
    "ListTables",
)
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems", "ExecuteTransaction")
FAULTS: tuple[Fault, ...] = (
    *(THROTTLE, HTML, Cut(), Cut(at=0), LoseReply(), Drop(), Delay(0.7), Drip(0.001), Answer(503), Answer(200, b"{}")),
    *(Raw(b"nonsense\r\n\r\n"), Rewrite(headers={"x-amz-crc32": "1"}), Rewrite(headers={"Content-Length": "9999999"})),
    *(error("InternalServerError", 500), error("AccessDeniedException"), error("ExpiredTokenException")),
    *(error("ResourceNotFoundException"), error("TransactionConflictException"), error("ValidationException")),
    *(error("UnrecognizedClientException"), error("RequestLimitExceeded"), error("LimitExceededException")),
)
EPISODE_SECONDS = 120
CLOSING_SECONDS = 60
"""For a window to close with all that it is doing, and for its process to end."""
KNOWN_TO_QT = ("This plugin does not support", "OpenType support missing")
TRACEBACK = "Traceback (most recent call last)"


@dataclass
class Seen:
    """What one run tells of itself."""

    actions: dict[str, int] = field(default_factory=dict)
    unhandled: list[str] = field(default_factory=list)
    qt: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    left_behind: list[str] = field(default_factory=list)
    gaps: list[tuple[int, str]] = field(default_factory=list)
    memory_mb: int = 0


@dataclass
class Figures:
    """All runs together."""

    seed: int
    seconds: float = 0
    runs: int = 0
    requests: int = 0
    faults: int = 0
    crashes: list[str] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)

    @property
    def wrong(self) -> list[str]:
        """All that went wrong. How long the window was away is for people to judge: others may need the processors."""
        seen = self.seen
        return [*self.crashes, *seen.unhandled, *seen.qt, *seen.tracebacks, *seen.left_behind]

    def add(self, seen: Seen) -> None:
        mine = self.seen
        mine.actions = dict((Counter(mine.actions) + Counter(seen.actions)).most_common())
        mine.unhandled += seen.unhandled
        mine.qt += seen.qt
        mine.tracebacks += seen.tracebacks
        mine.left_behind += seen.left_behind
        mine.gaps = sorted([*mine.gaps, *((gap, what) for gap, what in seen.gaps)], reverse=True)[:5]
        mine.memory_mb = max(mine.memory_mb, seen.memory_mb)


# ----------------------------------------------------------------------------------------------------- the one outside


def soak(seconds: float, seed: int, episode_seconds: float = EPISODE_SECONDS) -> Figures:
    """Raises nothing for what goes wrong in a run: that is in the figures."""
    figures, began = Figures(seed), time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="dynodesk-soak-") as folder,
        ministack.running() as upstream,
        _Spoiling(upstream, seed) as proxy,
    ):
        fill(upstream, sample_tables(0.02))
        while (left := seconds - (time.monotonic() - began)) > 1:
            figures.runs += 1
            _run(figures, min(left, episode_seconds), seed + figures.runs, proxy.url, Path(folder))
        figures.requests, figures.faults = proxy.total, proxy.spoilt
    figures.seconds = round(time.monotonic() - began, 1)
    return figures


def _run(figures: Figures, seconds: float, seed: int, url: str, folder: Path) -> None:
    command = [sys.executable, "-m", "tests.faults.soak", "--run", url, "--seed", str(seed), "--seconds", str(seconds)]
    with subprocess.Popen(
        command, cwd=Path.cwd(), env=_environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            said, complained = process.communicate(timeout=seconds + CLOSING_SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)  # leaves the stacks of its threads
            said, complained = process.communicate()
            complained += "\nthe window did not close"
    lines = said.splitlines()
    if process.returncode == 0 and lines:
        told = json.loads(lines[-1])
        told["gaps"] = [(gap, f"seed {seed}: {what}") for gap, what in told["gaps"]]
        figures.add(Seen(**told))
    else:
        stacks = [file.read_text(errors="replace") for file in folder.rglob("*.run")]
        figures.crashes.append("\n".join([f"seed {seed}: status {process.returncode}", complained[-3000:], *stacks]))
    if TRACEBACK in complained:
        figures.seen.tracebacks.append(complained[-3000:])


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "XDG_", "DBUS_"))}
    (folder / "work").mkdir(exist_ok=True)
    return {
        **kept,
        "HOME": str(folder),
        "DYNODESK_HOME": str(folder / "dynodesk"),
        "PYTHONPATH": str(Path(__file__).resolve().parent.parent.parent),
        "QT_QPA_PLATFORM": "offscreen",
    }


class _Spoiling(FaultProxy):
    """Every few seconds it spoils something else."""

    def __init__(self, upstream: str, seed: int) -> None:
        super().__init__(upstream)
        self.total = self.spoilt = 0
        self._luck = random.Random(seed)
        self._turns = threading.Thread(target=self._turn, name="turns")

    def __enter__(self) -> Self:
        super().__enter__()
        self._turns.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._turns.join()

    def fault_for(self, operation: str, body: bytes) -> Fault:
        fault = super().fault_for(operation, body)
        self.total += 1
        self.spoilt += fault is not PASS
        return fault

    def _turn(self) -> None:
        while not self.closing.wait(self._luck.uniform(1, 4)):
            self.clear()
            if self._luck.random() < 0.05:  # the network is gone
                for operation in (*READS, *WRITES):
                    self.always(operation, Drop())
                continue
            for operation in (*READS, *WRITES):
                if self._luck.random() < 0.6:
                    self.always(operation, self._luck.choice(FAULTS), share=self._luck.choice((0.05, 0.2, 0.5, 1.0)))


# ------------------------------------------------------------------------------------------------------ the one inside


def run_inside(url: str, seed: int, seconds: float) -> Seen:
    """The program itself, in this process, which has folders of its own."""
    from tests.helpers import leftovers  # noqa: PLC0415  (loads Qt: the one outside does without)

    seen, threads, processes = Seen(), leftovers.threads(), leftovers.processes()
    with _listening(seen) as busy_with:
        _run_window(url, seed, seconds, seen, busy_with)
    seen.left_behind += leftovers.beyond(threads, leftovers.threads).values()
    seen.left_behind += leftovers.beyond(processes, leftovers.processes).values()
    return seen


def _run_window(url: str, seed: int, seconds: float, seen: Seen, busy_with: list[Callable[[], str]]) -> None:
    from PySide6.QtCore import QTimer  # noqa: PLC0415
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    from dynodesk import gui  # noqa: PLC0415
    from dynodesk.cli.main import main as program  # noqa: PLC0415
    from dynodesk.ui.main_window import MainWindow  # noqa: PLC0415
    from tests.faults.monkey import Heartbeat, Monkey, StaysOpen  # noqa: PLC0415

    profiles = _profiles(url)

    class Driven(MainWindow):
        def start(self) -> None:  # called right after the first paint
            super().start()
            self.messages.shown.connect(self._look_at)
            self._stays = StaysOpen(self)
            self._monkey = Monkey(self, seed, profiles)
            self._heart = Heartbeat(self, self._doing)
            busy_with.append(self._doing)
            QTimer.singleShot(round(seconds * 1000), self, self._end)

        def _doing(self) -> str:
            page = type(self.tabs.current).__name__
            return f"{self._monkey.last} on {page}"

        def _look_at(self, message: Any) -> None:
            shown = f"{message.title} {message.line} {message.details}"
            if TRACEBACK in shown or message.kind == "fault":
                seen.tracebacks.append(f"{self._doing()}: {shown}")

        def _end(self) -> None:
            self._monkey.stop()
            self._heart.stop()
            while (modal := QApplication.activeModalWidget()) is not None:
                modal.hide()
            seen.actions = dict(self._monkey.done)
            seen.gaps = self._heart.gaps
            seen.memory_mb = _memory_mb()
            self._stays.is_let_go = True
            self.close()

    try:
        with patch.object(gui, "MainWindow", Driven):
            program([])
    except SystemExit as end:
        if end.code:
            seen.unhandled.append(f"the program ended with {end.code}")


@contextmanager
def _listening(seen: Seen) -> Iterator[list[Callable[[], str]]]:
    """Takes note of what nobody caught, before the program deals with it. Who is put into the list says what was on."""
    from PySide6.QtCore import qInstallMessageHandler  # noqa: PLC0415

    from dynodesk.domain.errors import DynodeskError  # noqa: PLC0415
    from dynodesk.ui import jobs, uncaught  # noqa: PLC0415

    busy_with: list[Callable[[], str]] = []

    def note(error: BaseException) -> None:
        doing = busy_with[-1]() if busy_with else "starting"
        seen.unhandled.append(f"{doing}:\n{''.join(traceback.format_exception(error))}")

    def from_hook(self: Any, kind: Any, error: BaseException, trace: Any) -> None:
        note(error)
        hook(self, kind, error, trace)

    def from_job(error: BaseException) -> None:
        if not isinstance(error, DynodeskError):
            note(error)
        log(error)

    def from_qt(_kind: object, _context: object, text: str) -> None:
        if not text.startswith(KNOWN_TO_QT):
            doing = busy_with[-1]() if busy_with else "starting"
            seen.qt.append(f"{doing}: {text}")

    hook, log = uncaught.UncaughtErrors._hook, jobs._log
    before = qInstallMessageHandler(from_qt)
    with patch.object(uncaught.UncaughtErrors, "_hook", from_hook), patch.object(jobs, "_log", from_job):
        yield busy_with
    qInstallMessageHandler(before)


def _profiles(url: str) -> list[str]:
    """Two connections to the same place: one that may write, one that only reads. Made by the first run."""
    from dynodesk.domain.profiles import Profile, new_profile_id  # noqa: PLC0415
    from dynodesk.wiring import Connections  # noqa: PLC0415

    connections = Connections()
    saved = {profile.name: profile.id for profile in connections.saved()}
    for name, read_only in (("soak", False), ("soak, to read", True)):
        if name not in saved:
            profile = Profile(
                id=new_profile_id(), name=name, kind="endpoint", credentials="dummy", region="us-east-1",
                endpoint_url=url, stage="dev", read_only=read_only,
            )  # fmt: skip
            saved[name] = connections.save(profile).id
    return list(saved.values())


def _memory_mb() -> int:
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except FileNotFoundError:
        return 0
    return next(int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--run", metavar="URL", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=0, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        os.chdir(Path(os.environ["HOME"]) / "work")  # what is saved under a random name lands there
        sys.stdout.write(f"\n{json.dumps(asdict(run_inside(asked.run, asked.seed, asked.seconds)))}\n")
        return 0
    figures = soak(asked.minutes * 60, asked.seed)
    sys.stdout.write(f"{json.dumps(asdict(figures), indent=2)}\n")
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
