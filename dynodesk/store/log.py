"""What the program was doing, for whoever looks for a fault later: a file of this user alone, without values.

Our own lines say what was done, with table names and error codes; items and keys that are handed to a line appear as a
tag that is the same for the same item. Of what libraries say, only the fixed part is kept: what they fill in may be
anything.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from dynodesk.domain.digests import digest_of
from dynodesk.domain.fault_report import described, fault_report
from dynodesk.domain.redaction import redaction
from dynodesk.domain.values import Value
from dynodesk.store.locks import held
from dynodesk.store.paths import FileNotWritten, open_plain, private_folder

LOG_FILE = "dynodesk.log"
LARGEST = 1_000_000
"""Bytes of the file that is written; two as large are kept beside it."""
_KEPT = 2
_OURS = "dynodesk"
_SALT = "log.salt"
_SALT_BYTES = 32


class Log:
    """The log of a folder, written to until `close`. One that cannot be kept costs nothing but a word in `failure`."""

    def __init__(self, folder: Path) -> None:
        self._file = _LogFile(folder / LOG_FILE)
        self._file.addFilter(_Redacting())
        self._file.setFormatter(_Lines())
        root, ours = logging.getLogger(), logging.getLogger(_OURS)
        self._levels = root.level, ours.level
        try:
            private_folder(folder)
            redaction.salt = _salt(folder / _SALT)
        except FileNotWritten as fault:
            self._file.failure = fault.message
        root.addHandler(self._file)
        root.setLevel(logging.WARNING)  # below it botocore quotes what it sends and receives
        ours.setLevel(logging.INFO)

    @property
    def failure(self) -> str:
        """Why lines are not kept; "" where they are."""
        return self._file.failure

    def close(self) -> None:
        logging.getLogger().removeHandler(self._file)
        logging.getLogger().setLevel(self._levels[0])
        logging.getLogger(_OURS).setLevel(self._levels[1])
        self._file.close()


def last_lines(path: Path, most: int) -> list[str]:
    """The last lines of a log, without secrets that became known since. Raises OSError where there is none."""
    with open_plain(path) as file:
        text = file.read().decode("utf-8", errors="replace")
    return [redaction.hide(line) for line in text.splitlines()[-most:]]


class _LogFile(logging.Handler):
    """Opened for each line: other programs of this user write, and move, the same file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self.failure = ""

    def emit(self, record: logging.LogRecord) -> None:
        data = (self.format(record) + "\n").encode("utf-8", "backslashreplace")
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        flags |= getattr(os, "O_NONBLOCK", 0)  # a pipe that nobody reads would be waited for
        try:
            descriptor = os.open(self._path, flags, 0o600)
            try:
                os.write(descriptor, data)
                size = os.fstat(descriptor).st_size
            finally:
                os.close(descriptor)
            if size > LARGEST:
                self._make_room()
            self.failure = ""
        except OSError as fault:
            self.failure = f"{self._path} could not be written: {fault.strerror}."

    def _make_room(self) -> None:
        # who finds the lock taken, or the file short again, has been forestalled by another program
        with contextlib.suppress(FileNotWritten), held(self._path.with_suffix(".lock"), seconds=0):
            if self._path.stat().st_size > LARGEST:
                for number in range(_KEPT, 0, -1):
                    older = self._path if number == 1 else self._path.with_suffix(f".log.{number - 1}")
                    with contextlib.suppress(FileNotFoundError):
                        older.replace(self._path.with_suffix(f".log.{number}"))


class _Redacting(logging.Filter):
    """Makes of each record one that holds nothing but its line."""

    def filter(self, record: logging.LogRecord) -> bool:
        lines = [_said(record)]
        if record.exc_info and record.exc_info[1] is not None:
            lines += ["", fault_report(record.exc_info[1])]
        record.msg, record.args = redaction.hide("\n".join(lines).rstrip("\n")), ()
        record.exc_info = record.exc_text = record.stack_info = None
        return True


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """One line for each record, and those of its report indented below."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = f"{at} {record.levelname} {record.process} {record.name}: {record.getMessage()}"
        return line.replace("\n", "\n    ")


def _said(record: logging.LogRecord) -> str:
    template = str(record.msg)
    if record.name.partition(".")[0] != _OURS:
        return template if record.args else f"(a line of {len(template)} characters)"
    args = record.args or ()
    told = tuple(_told(arg) for arg in ((args,) if isinstance(args, Mapping) else args))
    try:
        return template % told if told else template
    except (TypeError, ValueError):
        return template


def _told(argument: object) -> object:
    match argument:
        case bool() | int() | float() | str() | None:
            return argument
        case BaseException():
            return described(argument)
        case Path():
            return argument.name
        case Mapping() if argument and all(isinstance(value, get_args(Value)) for value in argument.values()):
            return f"item {redaction.tag(digest_of([argument]))}"
        case _:
            return type(argument).__name__


def _salt_in(path: Path) -> bytes:
    with open_plain(path) as file:
        return file.read(_SALT_BYTES + 1)


def _salt(path: Path) -> bytes:
    """That of this installation: made by the first program that asks. Raises FileNotWritten."""
    try:
        for _ in range(2):
            salt = _salt_in(path) if path.exists() else b""
            if len(salt) == _SALT_BYTES:
                return salt
            path.unlink(missing_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            with contextlib.suppress(FileExistsError), os.fdopen(os.open(path, flags, 0o600), "wb") as file:
                file.write(secrets.token_bytes(_SALT_BYTES))
        return _salt_in(path)
    except OSError as fault:
        raise FileNotWritten(f"{path} could not be used: {fault.strerror}.") from fault
