"""What support needs to know of an installation, as a text to look through before it is handed on."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from dynodesk import __version__
from dynodesk.domain.fault_report import described, fault_report
from dynodesk.domain.profiles import Profile
from dynodesk.domain.redaction import redaction
from dynodesk.store.log import LOG_FILE, last_lines
from dynodesk.store.paths import HOME_VARIABLE, Folders, private_folder, write_private

LINES = 120
"""Of the log."""
_LIBRARIES = ("PySide6-Essentials", "boto3", "botocore", "duckdb", "pyarrow", "keyring", "click", "moto")
_VARIABLES = (
    *("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CA_BUNDLE", "HTTPS_PROXY", "NO_PROXY", HOME_VARIABLE),
    *("QT_QPA_PLATFORM", "QT_SCALE_FACTOR", "LANG", "XDG_CURRENT_DESKTOP"),
)
"""Of the environment: those that change how the program works."""


def diagnostics(
    folders: Folders, settings: Mapping[str, object], profiles: Iterable[Profile], more: Iterable[str] = ()
) -> str:
    """Versions, folders, settings and connections without their values, and the end of the log.

    `more` are lines of whoever asks, such as what is known of the screen.
    """
    lines = [*_program(), *more, "", *_places(folders), "", *_kept(settings, profiles), "", *_log(folders)]
    return redaction.hide("\n".join(lines)) + "\n"


def write_fault_report(folder: Path, error: BaseException) -> Path:
    """Writes the report of a fault of ours for this user alone. Raises FileNotWritten."""
    path = private_folder(folder) / f"fault-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.txt"
    write_private(path, redaction.hide("\n".join([*_program(), "", fault_report(error), ""])).encode("utf-8"))
    return path


def _program() -> list[str]:
    libraries = ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES)
    return [
        f"dynodesk {__version__}",
        f"Python {platform.python_version()} ({platform.python_implementation()}), {platform.platform()}",
        libraries,
    ]


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "missing"


def _places(folders: Folders) -> list[str]:
    places = {"config": folders.config, "data": folders.data, "state": folders.state, "cache": folders.cache}
    known = [f"{name} folder: {_from_home(path)}, {_state(path)}" for name, path in places.items()]
    given = [name for name in _VARIABLES if os.environ.get(name)]
    return [*known, f"Set in the environment: {', '.join(given) or 'nothing that matters'}"]


def _from_home(path: Path) -> str:
    """The user's name is in the path of the home folder."""
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):
        return path.name


def _state(path: Path) -> str:
    if not path.is_dir():
        return "not there"
    return "writable" if os.access(path, os.W_OK) else "not writable"


def _kept(settings: Mapping[str, object], profiles: Iterable[Profile]) -> list[str]:
    kinds = Counter(
        f"{profile.kind} by {profile.credentials}, {profile.stage}, {'reads' if profile.read_only else 'writes'}"
        for profile in profiles
    )
    return [
        "Settings: " + (", ".join(f"{name} ({_shape(value)})" for name, value in sorted(settings.items())) or "none"),
        "Connections: " + ("; ".join(f"{count} × {kind}" for kind, count in sorted(kinds.items())) or "none"),
    ]


def _shape(value: object) -> str:
    match value:
        case dict() | list():
            return f"{len(value)} entries"
        case bool():
            return "yes or no"
        case str():
            return "text"
        case _:
            return "number"


def _log(folders: Folders) -> list[str]:
    try:
        lines = last_lines(folders.state / LOG_FILE, LINES)
    except FileNotFoundError:
        return ["The log is empty."]
    except OSError as fault:
        return [f"The log could not be read: {described(fault)}"]
    return ["The end of the log:", *lines]
