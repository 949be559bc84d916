"""Where the program keeps its files, and how a file is written so that it is whole or not there."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import platformdirs

from dynodesk.domain.errors import DynodeskError

HOME_VARIABLE = "DYNODESK_HOME"

_PRIVATE_FOLDER = 0o700
_REPLACE_WAITS = (0.02, 0.04, 0.08, 0.16, 0.32)  # seconds; virus scanners let go of a new file within them
_ABANDONED_AFTER = 3600  # seconds; no write takes that long


class FileNotWritten(DynodeskError):
    """A file could not be written. What was there before is still there, unless `written` says otherwise."""

    code = "file-not-written"
    next_step = "Free some space or choose another place, then try again."


class NoPlainFile(OSError):
    """A folder, a pipe or a device is where a file should be."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EINVAL, "it is not a plain file", str(path))


@dataclass(frozen=True, slots=True)
class Folders:
    """The program's folders. They may not exist yet: `private_folder` makes one."""

    config: Path
    data: Path
    state: Path
    cache: Path


def folders() -> Folders:
    """The folders of this user, or those below DYNODESK_HOME where that is set. Touches no disk."""
    home = os.environ.get(HOME_VARIABLE, "")
    if home:
        root = Path(home).absolute()
        return Folders(root / "config", root / "data", root / "state", root / "cache")
    of_user = platformdirs.PlatformDirs("dynodesk", appauthor=False)
    return Folders(of_user.user_config_path, of_user.user_data_path, of_user.user_state_path, of_user.user_cache_path)


def private_folder(path: Path) -> Path:
    """Makes a folder, and those above it that are missing, for this user alone. Raises FileNotWritten."""
    try:
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(_PRIVATE_FOLDER)
    except OSError as fault:
        raise FileNotWritten(
            f"The folder {path} cannot be used: {_words(fault)}.",
            hint=f"Make it writable, or name another place in {HOME_VARIABLE}.",
        ) from fault
    return path


def open_plain(path: Path) -> BinaryIO:
    """A file to be read. Raises OSError, also for what is none: a pipe would be waited for without end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise NoPlainFile(path)
    # not blocking: a pipe may be put there in between
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    return os.fdopen(descriptor, "rb")


def write_private(path: Path, data: bytes) -> None:
    """Writes `path` for this user alone: afterwards it holds `data`, or on any failure what it held before.

    The folder must exist. A symbolic link at `path` is refused: it is neither followed nor replaced.
    Raises FileNotWritten; its `written` is "unknown" if only the last step, making the change of name durable, failed.
    """
    try:
        if path.is_symlink():
            raise FileNotWritten(
                f"{path} is a symbolic link and is left alone.",
                hint="Put a plain file in its place, or remove the link.",
            )
        part = _written_beside(path, data)
        try:
            _replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as fault:
        raise FileNotWritten(
            f"{path} could not be written: {_words(fault)}.", hint=_remedy(fault), details=str(fault)
        ) from fault
    try:
        _sync_folder(path.parent)
    except OSError as fault:
        raise FileNotWritten(
            f"{path} was replaced, but the disk did not confirm it: {_words(fault)}.",
            hint="Check the disk.",
            written="unknown",
            details=str(fault),
        ) from fault
    _remove_abandoned_parts(path)


def _written_beside(path: Path, data: bytes) -> Path:
    """A new file in the same folder that holds `data` and has reached the disk."""
    # mkstemp: a name nobody could foresee, created anew, mode 0600
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return part


def _replace(part: Path, path: Path) -> None:
    for wait in _REPLACE_WAITS:
        try:
            part.replace(path)
        except PermissionError:
            time.sleep(wait)
        else:
            return
    part.replace(path)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return  # Windows has no such call: the change of name is in the file system's journal
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as fault:
        if fault.errno not in {errno.EINVAL, errno.ENOTSUP}:  # some network file systems cannot
            raise
    finally:
        os.close(descriptor)


def _remove_abandoned_parts(path: Path) -> None:
    """What programs that were killed in the middle of a write left behind."""
    oldest = time.time() - _ABANDONED_AFTER
    # the write itself has succeeded: what cannot be removed now is tried again at the next one
    with contextlib.suppress(OSError):
        for part in path.parent.iterdir():
            is_part = part.name.startswith(f".{path.name}.") and part.name.endswith(".part")
            if is_part and part.lstat().st_mtime < oldest:
                part.unlink()


def _words(fault: OSError) -> str:
    return fault.strerror or type(fault).__name__


def _remedy(fault: OSError) -> str:
    if fault.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "Free some space and try again."
    if fault.errno == errno.ENOENT:
        return "The folder is gone: start the program again."
    return f"Check the folder's permissions, or name another place in {HOME_VARIABLE}."


def remove_files(paths: Iterable[Path]) -> None:
    """Raises FileNotWritten for one that stays."""
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as fault:
            raise FileNotWritten(f"{path} could not be removed: {fault.strerror}.") from fault
