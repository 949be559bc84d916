"""What a test may leave behind by mistake: threads, processes, windows. Each with a name a reader can search for."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import Shiboken

GRACE_SECONDS = 3.0
# One of each stays for the life of the interpreter.
STAYING = ("multiprocessing.resource_tracker", "tests.helpers.command_copies")


def threads() -> dict[int, str]:
    """Threads that keep the interpreter alive."""
    return {
        thread.native_id or 0: f"thread {thread.name!r}"
        for thread in threading.enumerate()
        if thread is not threading.main_thread() and not thread.daemon
    }


def processes() -> dict[int, str]:
    """Running children of this process. Empty on systems without /proc."""
    found = {}
    for listing in Path("/proc/self/task").glob("*/children"):
        for number in _text(listing).split():
            state = _text(Path("/proc", number, "stat")).rpartition(")")[2].split()
            command = _text(Path("/proc", number, "cmdline")).replace("\0", " ").strip()
            if state and state[0] != "Z" and not any(name in command for name in STAYING):
                found[int(number)] = f"process {number}: {command}"
    return found


def windows() -> dict[int, QWidget]:
    """Visible top-level windows. By address: Python's wrapper of a window may be another one each time."""
    return {
        Shiboken.getCppPointer(window)[0]: window for window in QApplication.topLevelWidgets() if window.isVisible()
    }


def beyond(before: dict[int, str], now: Callable[[], dict[int, str]]) -> dict[int, str]:
    """What `now` finds that was not there before, after a moment's grace for what is just ending."""
    deadline = time.monotonic() + GRACE_SECONDS
    while True:
        left = {key: name for key, name in now().items() if key not in before}
        if not left or time.monotonic() >= deadline:
            return left
        time.sleep(0.02)


def kill(numbers: dict[int, str]) -> None:
    for number in numbers:
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):  # it ended between listing and reading
        return ""
