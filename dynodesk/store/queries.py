"""The history and the saved queries of a connection, in a file of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.queries import KeptQuery, Queries, kept_from_json, kept_to_json
from dynodesk.store.documents import LARGEST_FILE, Document
from dynodesk.store.paths import remove_files

VERSION = 1
LONGEST_KEPT = 20_000
"""Characters of one query as it is written; the history passes over longer ones."""
MOST_UNREAD = 100
_ROOM = LARGEST_FILE // 2
"""Bytes that the history may take, the oldest going first: the rest of the file is for what was saved."""


class QueryStore:
    """Reading never raises, whatever state the file is in; no credential is ever in it.

    An entry that cannot be read stays in the file, apart from the others. `notice` says what the person should know.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        shape = {"saved": list, "history": list, "unread": list, "keeps": bool}
        self._document = Document(path, title="Queries", version=VERSION, shape=shape)
        self.notice = ""

    def load(self) -> Queries:
        return self._read(self._document.read())[0]

    def change(self, change: Callable[[Queries], Queries]) -> Queries:
        """Applies `change` to what is stored now, and returns what is stored then. Raises `FileNotWritten`."""
        return self._update(change, forget_unread=False)

    def clear_history(self) -> Queries:
        """Also takes away entries that cannot be read and damaged files that were kept: they hold the same values."""
        cleared = self._update(lambda stored: Queries(stored.saved, (), stored.keeps), forget_unread=True)
        remove_files(self.path.parent.glob(f"{self.path.name}.damaged-*"))
        return cleared

    def delete(self) -> None:
        """Takes away all that is kept. Raises `FileNotWritten`."""
        remove_files(self.path.parent.glob(f"{self.path.name}*"))

    def _update(self, change: Callable[[Queries], Queries], *, forget_unread: bool) -> Queries:
        changed = Queries()

        def of_document(stored: dict[str, object]) -> dict[str, object]:
            nonlocal changed
            before, unread = self._read(stored)
            changed = change(before)
            history = _within(_ROOM, [_encoded(kept) for kept in changed.history])
            return stored | {
                "keeps": changed.keeps,
                "saved": [kept_to_json(kept) for kept in changed.saved],
                "history": history,
                "unread": [] if forget_unread else unread[-MOST_UNREAD:],
            }

        self._document.update(of_document)
        return changed

    def _read(self, stored: dict[str, object]) -> tuple[Queries, list[object]]:
        unread = _list(stored.get("unread"))
        before = len(unread)
        saved = _kept(_list(stored.get("saved")), unread)
        history = _kept(_list(stored.get("history")), unread)
        self.notice = self._document.notice
        if len(unread) > before and not self.notice:
            count = len(unread) - before
            words = (
                "1 kept query cannot be read. It stays"
                if count == 1
                else f"{count} kept queries cannot be read. They stay"
            )
            self.notice = f"{words} in {self.path.name}."
        return Queries(saved, history, stored.get("keeps") is not False), unread


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []


def _kept(entries: list[object], unread: list[object]) -> tuple[KeptQuery, ...]:
    """Those that can be read; the others are added to `unread`."""
    found = []
    for entry in entries:
        try:
            found.append(kept_from_json(entry))
        except (DynodeskError, ValueError, TypeError, RecursionError):
            unread.append(entry)
    return tuple(found)


def _encoded(kept: KeptQuery) -> tuple[dict[str, object], int]:
    written = kept_to_json(kept)
    return written, len(json.dumps(written, indent=6))


def _within(room: int, entries: list[tuple[dict[str, object], int]]) -> list[dict[str, object]]:
    """The first of them that have room, without those that are too long by themselves."""
    held = []
    for written, size in entries:
        if size > LONGEST_KEPT:
            continue
        room -= size
        if room < 0:
            break
        held.append(written)
    return held
