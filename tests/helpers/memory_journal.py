"""A journal in memory, whose disk may fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dynodesk.domain.errors import DynodeskError


@dataclass(frozen=True)
class Entry:
    sequence: int
    at: str
    kind: str
    payload: Mapping[str, object]


class MemoryJournal:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.fails_at: dict[int, DynodeskError] = {}
        """By number of the call, from 1: what it raises instead."""
        self.calls = 0

    def append(self, kind: str, payload: Mapping[str, object]) -> None:
        self.calls += 1
        if self.calls in self.fails_at:
            raise self.fails_at[self.calls]
        self.entries.append(Entry(len(self.entries) + 1, "2026-01-02T03:04:05Z", kind, payload))

    def records(self) -> list[Entry]:
        return self.entries

    def told(self) -> list[tuple[str, object]]:
        """Kind and outcome or verdict of the records, without runs and their ends."""
        return [
            (entry.kind, entry.payload.get("outcome", entry.payload.get("verdict")))
            for entry in self.entries
            if not entry.kind.startswith("repair ") or entry.kind == "repair check"
        ]
