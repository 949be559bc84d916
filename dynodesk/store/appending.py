"""A file that is only ever added to, each line whole and on the disk, or not there."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Self

from dynodesk.store.paths import FileNotWritten, NoPlainFile


class AppendedFile:
    """The file, open to be added to; it is made where there is none. A symbolic link is not followed.

    Whoever opens it holds a lock that keeps all others from it. Raises `FileNotWritten`.
    """

    def __init__(self, path: Path, *, title: str, hint: str) -> None:
        """`title` is what the file is, as within a sentence: "the journal"."""
        self._path, self._title, self._hint = path, title, hint

    def __enter__(self) -> Self:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            self._descriptor = os.open(self._path, flags, 0o600)
            if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
                os.close(self._descriptor)
                raise NoPlainFile(self._path)
        except OSError as fault:
            raise self._failed(fault) from fault
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    @property
    def size(self) -> int:
        return os.fstat(self._descriptor).st_size

    def read_from(self, start: int) -> bytes:
        os.lseek(self._descriptor, start, os.SEEK_SET)
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            return file.read()

    def write_at_end(self, line: bytes) -> None:
        """All of it, on the disk; or nothing, as far as the disk allows."""
        before = self.size
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            os.fsync(self._descriptor)
        except OSError as fault:
            self.cut_at(before)
            raise self._failed(fault) from fault

    def cut_at(self, end: int) -> None:
        try:
            os.ftruncate(self._descriptor, end)
            os.fsync(self._descriptor)
        except OSError as fault:
            raise self._failed(fault) from fault

    def _failed(self, fault: OSError) -> FileNotWritten:
        return FileNotWritten(
            f"{self._title[:1].upper()}{self._title[1:]} {self._path} could not be written: {fault.strerror}.",
            hint=self._hint,
            details=str(fault),
        )
