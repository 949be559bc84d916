"""The commands that were allowed to be run for credentials: by their digest, so that no argument is written down."""

from __future__ import annotations

import re
from pathlib import Path

from dynodesk.store.documents import Document
from dynodesk.store.paths import FileNotWritten

VERSION = 1
MOST = 1000
"""Digests kept. Who has so many makes them by a program: the oldest are asked for again."""

_DIGEST = re.compile(r"[0-9a-f]{64}")


class AllowedCommands:
    """An `AllowedPrograms` in one JSON file. Several running programs may share it."""

    def __init__(self, path: Path) -> None:
        self._document = Document(path, title="Allowed programs", version=VERSION, shape={"digests": list})
        self._of_this_run: set[str] = set()

    @property
    def notice(self) -> str:
        """What the person should know about the file, once it was read; "" when all is well."""
        return self._document.notice

    def read(self) -> None:
        """So that `notice` is known before anything is asked."""
        self._document.read()

    def holds(self, digest: str) -> bool:
        return digest in self._of_this_run or digest in _digests(self._document.read())

    def add(self, digest: str) -> None:
        """Where it cannot be written it holds until the program ends."""
        self._of_this_run.add(digest)

        def put(stored: dict[str, object]) -> dict[str, object]:
            others = [kept for kept in _digests(stored) if kept != digest]
            return stored | {"digests": [*others, digest][-MOST:]}

        try:
            self._document.update(put)
        except FileNotWritten:
            return  # asked once more in the next run; nothing else is lost


def _digests(stored: dict[str, object]) -> list[str]:
    found = stored.get("digests")
    kept = found if isinstance(found, list) else []
    return [digest for digest in kept if isinstance(digest, str) and _DIGEST.fullmatch(digest)]
