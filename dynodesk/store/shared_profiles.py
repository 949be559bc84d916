"""Files of connections that go from one person to another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from dynodesk.domain.errors import InvalidFile
from dynodesk.domain.profiles import Profile
from dynodesk.domain.shared_profiles import LARGEST, Shared, read_shared, shared_text
from dynodesk.store.paths import write_private


def write_shared_file(path: Path, profiles: Iterable[Profile]) -> None:
    """Raises `ProfileError`, `FileNotWritten`."""
    write_private(path.absolute(), shared_text(profiles).encode())


def read_shared_file(path: Path, taken: Sequence[Profile]) -> Shared:
    """As `read_shared`. Raises `InvalidFile`."""
    try:
        with path.open("rb") as opened:
            text = opened.read(4 * LARGEST + 1).decode("utf-8")
    except OSError as problem:
        raise InvalidFile(f"{path} cannot be read: {problem.strerror or problem}") from problem
    except UnicodeDecodeError:
        raise InvalidFile(f"{path} is not UTF-8: it is no file of connections") from None
    return read_shared(text, taken)
