"""The way through a table: the collections visited, each kept with what was read there."""

from __future__ import annotations

from dataclasses import dataclass

from dynodesk.domain.collections import Identity
from dynodesk.domain.reading import Reading
from dynodesk.domain.reads import ReadPlan
from dynodesk.ui.pages.browse_beside import RightState

KEPT = 20
"""Visits remembered. Each keeps its items in memory."""


@dataclass(eq=False)
class Visit:
    """Both sides as they were when this stop was left."""

    reading: Reading
    selected: Identity | None = None
    driven: bool = False
    """It was not gone to, but shown because of a selection on the other side."""
    right: RightState | None = None
    """None until the stop is left."""
    at_right: bool = False
    """Whether the right side was the one worked on."""


class Visits:
    """Where one has been and where one is. A new visit gives up what lay ahead."""

    def __init__(self) -> None:
        self._visits: list[Visit] = []
        self._at = -1

    @property
    def current(self) -> Visit | None:
        return self._visits[self._at] if self._visits else None

    def add(self, visit: Visit) -> None:
        """A visit that was driven replaces one before it: what was shown in passing is no stop on the way."""
        current = self.current
        replaces = visit.driven and current is not None and current.driven
        del self._visits[self._at + (0 if replaces else 1) :]
        self._visits.append(visit)
        del self._visits[:-KEPT]
        self._at = len(self._visits) - 1

    def can_travel(self, step: int) -> bool:
        return 0 <= self._at + step < len(self._visits)

    def travel(self, step: int) -> Visit:
        self._at += step
        return self._visits[self._at]

    def known_bytes(self, plan: ReadPlan) -> int | None:
        """The size of all that a plan reads, where one of the visits has read it to its end."""
        for visit in reversed(self._visits):
            if visit.reading.plan == plan and visit.reading.state == "complete":
                return sum(collection.size for collection in visit.reading.rows.collections)
        return None
