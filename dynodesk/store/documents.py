"""A JSON file that outlives crashes, hand edits and other versions of the program."""

from __future__ import annotations

import json
import math
import os
import re
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NoReturn

from dynodesk.store.locks import held
from dynodesk.store.paths import FileNotWritten, NoPlainFile, open_plain, private_folder, write_private

LARGEST_FILE = 1_000_000  # bytes; hundreds of connections take a tenth of it
_LEAST_BYTES = 50
"""Of a file for each list and object in it: what the program writes, a line for each value, has more. A file of nothing
but brackets takes a hundred times as long to read as one of its size with texts."""
_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""Also one without an end: else each of its quotes would be looked at as the beginning of another."""


class _Damaged(Exception):
    """Says why the content of a file cannot be used."""


class Document:
    """One JSON object in one file, with its version and a backup beside it.

    Reading never raises: what cannot be used is kept beside as `<name>.damaged-<n>`, the last good backup is read
    instead, and `notice` says so. A file of a newer version, or one that is not this user's own, is read and not
    written. Several running programs may share the file: each change is made to what is stored at that moment.
    """

    def __init__(
        self,
        path: Path,
        *,
        title: str,
        version: int,
        shape: Mapping[str, type] | None = None,
        largest: int = LARGEST_FILE,
    ) -> None:
        """`title` is what the file holds, in the plural, as a sentence begins: "Settings".

        Larger than `largest` bytes it is neither written nor read.
        `shape` gives the type that a value must have if it is there: a file where one has another is damaged.
        """
        self.path = path
        self.notice = ""
        self._title = title
        self._version = version
        self._shape = shape or {}
        self._largest = largest
        self._why_not_written = ""
        self._put_right = ""
        """What was said of damage: it stays to be told, however often the file is read afterwards."""

    @property
    def is_writable(self) -> bool:
        return not self._why_not_written

    def read(self) -> dict[str, object]:
        """The stored object without its version; empty if there is none. Never raises for what is on the disk."""
        self._why_not_written, self.notice = "", self._put_right
        try:
            return self._stored()
        except _Damaged as damage:
            # under the lock and looked at again: another program may just have put it right
            try:
                with self._lock():
                    return self._recovered()
            except FileNotWritten as fault:
                self._protect(f"{self.path} {damage} and could not be put right. {fault.message}")
                return self._backup()

    def update(self, change: Callable[[dict[str, object]], dict[str, object]]) -> dict[str, object]:
        """Applies `change` to what is stored now, writes the outcome and returns it. Raises FileNotWritten."""
        private_folder(self.path.parent)
        with self._lock():
            self._why_not_written = ""
            try:
                stored = self._stored()
            except _Damaged:
                stored = self._recovered()
            if self._why_not_written:
                raise FileNotWritten(
                    f"{self._title} are not kept: {self._why_not_written}", hint="They hold until the program ends."
                )
            changed = change(stored)
            self._write(changed)
        return changed

    def _write(self, values: dict[str, object]) -> None:
        data = self._encoded(values)
        if len(data) > self._largest:
            raise FileNotWritten(f"{self._title} are not kept: they take more than {self._largest:,} bytes.")
        if _has_too_many(data, self._largest):
            raise FileNotWritten(f"{self._title} are not kept: they have too many parts.")
        write_private(self.path, data)
        try:
            write_private(self._backup_path, data)
        except FileNotWritten as fault:
            raise FileNotWritten(
                f"{self._title} were saved, but not their backup. {fault.message}", hint=fault.hint, written="applied"
            ) from fault

    def _encoded(self, values: dict[str, object]) -> bytes:
        version: dict[str, object] = {"version": self._version}  # first, and never from `values`
        return (json.dumps(version | values | version, indent=2, allow_nan=False) + "\n").encode("ascii")

    @property
    def _backup_path(self) -> Path:
        return self.path.with_name(self.path.name + ".bak")

    def _stored(self) -> dict[str, object]:
        """What the file holds, or the backup if it is missing or cannot be opened. Raises _Damaged."""
        try:
            values, version = self._parsed(self.path)
            if version > self._version:
                self._protect(f"{self.path} was written by a newer version of the program.")
            elif self.path.is_symlink():
                self._protect(f"{self.path} is a symbolic link.")
            elif sys.platform != "win32" and self.path.stat().st_uid != os.geteuid():
                self._protect(f"{self.path} belongs to another user.")
        except FileNotFoundError:
            values = self._backup()
            if values:
                self.notice = f"{self._title} were missing: the last backup was read."
        except OSError as fault:
            self._protect(f"{self.path} could not be read: {fault.strerror}.")
            values = self._backup()
        return values

    def _parsed(self, path: Path) -> tuple[dict[str, object], int]:
        """The object in the file without its version, and the version. Raises _Damaged, OSError."""
        try:
            data = _content(path, self._largest)
            if _has_too_many(data, self._largest):
                raise _Damaged("has more parts than this program ever writes")
            found = json.loads(data.decode("utf-8"), parse_constant=_refuse_constant, parse_float=_finite)
        except (ValueError, RecursionError):
            raise _Damaged("is not whole JSON") from None
        if not isinstance(found, dict):
            raise _Damaged("does not hold an object")
        version = found.pop("version", None)
        if type(version) is not int or version < 1:
            raise _Damaged("does not say its version")
        for name, kind in self._shape.items():
            if version <= self._version and name in found and not isinstance(found[name], kind):
                raise _Damaged(f'holds something else than expected under "{name}"')
        return found, version

    def _recovered(self) -> dict[str, object]:
        """The backup, after a damaged file was set aside. Called with the lock held."""
        try:
            return self._stored()
        except _Damaged as damage:
            reason = str(damage)
        values = self._backup()
        instead = "the last backup was read" if values else "there was no backup, so they start empty"
        try:
            kept = self._set_aside()
        except OSError as fault:
            self._protect(f"{self.path} {reason} and could not be set aside: {fault.strerror}.")
            return values
        self.notice = f"{self._title} could not be read, the file {reason}: {instead}. It is kept as {kept.name}."
        self._put_right = self.notice
        if values and self.is_writable:
            write_private(self.path, self._encoded(values))
        return values

    def _backup(self) -> dict[str, object]:
        try:
            values, version = self._parsed(self._backup_path)
        except (OSError, _Damaged):
            return {}  # the notice about the file itself says that nothing was read
        if version > self._version:
            self._protect(f"{self._backup_path} was written by a newer version of the program.")
        return values

    def _set_aside(self) -> Path:
        taken = [
            int(number)
            for other in self.path.parent.iterdir()
            if other.name.startswith(prefix := f"{self.path.name}.damaged-")
            and (number := other.name.removeprefix(prefix)).isdecimal()
        ]
        return self.path.rename(self.path.with_name(f"{self.path.name}.damaged-{max(taken, default=0) + 1}"))

    def _protect(self, reason: str) -> None:
        self._why_not_written = reason
        self.notice = f"{reason} Changes to {self._title.lower()} are not kept."

    def _lock(self) -> AbstractContextManager[None]:
        """Holds off other running programs."""
        return held(self.path.with_name(self.path.name + ".lock"))


def _content(path: Path, largest: int) -> bytes:
    try:
        opened = open_plain(path)
    except NoPlainFile:
        raise _Damaged("is not a plain file") from None
    with opened as file:
        status = os.fstat(file.fileno())
        if os.name == "posix" and status.st_mode & stat.S_IWOTH:
            raise _Damaged("can be changed by every user of this machine")
        data = file.read(largest + 1)
    if len(data) > largest:
        raise _Damaged(f"is larger than {largest:,} bytes")
    return data


def _has_too_many(data: bytes, largest: int) -> bool:
    if _parts(data) * _LEAST_BYTES <= largest:
        return False
    return _parts(_TEXT.sub(b"", data)) * _LEAST_BYTES > largest  # those within texts are none, as in values of JSON


def _parts(data: bytes) -> int:
    return data.count(b"[") + data.count(b"{")


def _finite(digits: str) -> float:
    """Raises ValueError for a number that no file could be written with again."""
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(digits)
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
