"""How the runs of the window ended: each has a file for as long as it runs, and one that is left tells of a crash."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dynodesk import __version__
from dynodesk.domain.fault_report import short_path
from dynodesk.store.locks import held
from dynodesk.store.paths import FileNotWritten, open_plain, private_folder

_LARGEST = 40_000  # bytes; the stacks of all threads take a tenth of it
_FILE = re.compile(r'(?<=File ")[^"]+')


@dataclass(frozen=True, slots=True)
class BadEnding:
    """A run that neither closed its window nor is there any more."""

    began: str
    """Version and time, as a phrase: "dynodesk 0.1.0, started 2026-05-04 10:22 UTC"."""
    stacks: str
    """What the interpreter could still write: the cause and the stack of each thread; "" where it was killed."""


@contextlib.contextmanager
def noted(folder: Path) -> Iterator[list[BadEnding]]:
    """For the length of a run. Gives the runs that ended badly since the last one looked; each is given once.

    Where the folder cannot be used there is nothing to tell, and no trace is kept.
    """
    with contextlib.ExitStack() as stack:
        endings: list[BadEnding] = []
        with contextlib.suppress(FileNotWritten, OSError):
            private_folder(folder)
            endings = _taken(folder)
            path = folder / f"{os.getpid()}-{secrets.token_hex(4)}.run"
            stack.enter_context(held(path.with_suffix(".lock"), seconds=0))
            stack.callback(_removed, path)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            stack.callback(os.close, descriptor)
            os.write(descriptor, f"dynodesk {__version__}, started {datetime.now(UTC):%Y-%m-%d %H:%M} UTC\n".encode())
            if not faulthandler.is_enabled():  # else whoever runs the program wants to see it elsewhere
                faulthandler.enable(descriptor)
                stack.callback(faulthandler.disable)
        yield endings


def _taken(folder: Path) -> list[BadEnding]:
    endings = []
    for path in sorted(folder.glob("*.run")):
        # one that cannot be locked is still running; what cannot be read or removed is none of ours
        with contextlib.suppress(FileNotWritten, OSError), held(path.with_suffix(".lock"), seconds=0):
            with open_plain(path) as file:
                began, _, stacks = file.read(_LARGEST).decode("utf-8", errors="replace").partition("\n")
            endings.append(BadEnding(began, _FILE.sub(_shortened, stacks).strip()))
            _removed(path)
    return endings


def _shortened(file: re.Match[str]) -> str:
    return short_path(file[0])


def _removed(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_suffix(".lock").unlink(missing_ok=True)
