"""The user's settings: read at every start, whatever state the file is in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from dynodesk.store.documents import LARGEST_FILE, Document

VERSION = 1

T = TypeVar("T", str, bool, int, float, list[object], dict[str, object])


class Settings:
    """Named values of JSON types. No code and no secret is ever among them."""

    def __init__(
        self,
        path: Path,
        title: str = "Settings",
        *,
        shape: Mapping[str, type] | None = None,
        largest: int = LARGEST_FILE,
    ) -> None:
        """`shape` and `largest` as `Document` has them."""
        self._document = Document(path, title=title, version=VERSION, shape=shape, largest=largest)
        self._seen: dict[str, object] = {}  # as the caller last got or gave them
        self._values: dict[str, object] = {}

    @property
    def notice(self) -> str:
        """What the user should know about the file; "" when all is well."""
        return self._document.notice

    @property
    def is_writable(self) -> bool:
        return self._document.is_writable

    def load(self) -> dict[str, object]:
        """Never raises for what is on the disk."""
        self._seen = self._values = self._document.read()
        return _copied(self._seen)

    def save(self, values: dict[str, object]) -> None:
        """Makes `values` the settings; they hold for this run even if the file cannot be written.

        Changes only what differs from the values of the last load or save, so that what another running program
        saved in the meantime is kept. Raises FileNotWritten.
        """
        self._values = _copied(values)
        before = self._seen

        def merge(stored: dict[str, object]) -> dict[str, object]:
            dropped = before.keys() - values.keys()
            changed = {name: value for name, value in values.items() if name not in before or before[name] != value}
            return {name: value for name, value in stored.items() if name not in dropped} | changed

        merged = self._document.update(merge)
        self._seen = _copied(values)
        self._values = _copied(merged)

    def get(self, name: str, kind: type[T], default: T) -> T:
        """The setting if it has the type `kind`, else `default`. True is not a number here."""
        value = self._values.get(name)
        return _copied(value) if type(value) is kind else default


def _copied(value: T) -> T:
    """Much faster than the copying that knows all types, which counts where a file has megabytes."""
    copied: T = json.loads(json.dumps(value))
    return copied
