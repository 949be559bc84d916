"""One program at a time: a lock on a file, freed by the system when the program that holds it ends, however it ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from dynodesk.store.paths import FileNotWritten

LOCK_WAIT = 2.0
"""Seconds: enough for whoever holds a lock for the length of one write."""


@contextlib.contextmanager
def held(path: Path, *, seconds: float = LOCK_WAIT) -> Iterator[None]:
    """Holds off everybody else who asks for the lock on `path`, other threads of this program included.

    The folder must exist. Raises FileNotWritten where the lock is not free within `seconds`.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError as fault:
        raise FileNotWritten(f"{path} could not be opened: {fault.strerror}.") from fault
    try:
        give_up = time.monotonic() + seconds
        while not _taken(descriptor):
            if time.monotonic() > give_up:
                raise FileNotWritten(f"{path} is held by another running dynodesk.", hint="Try again.")
            time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _taken(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _taken(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
