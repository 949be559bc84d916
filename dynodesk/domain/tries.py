"""Tries that others disturbed: how many there are, and how long to pause before the next one."""

from __future__ import annotations

from dataclasses import dataclass

MAX_TRIES = 8
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 20.0
"""Seconds: the pause after a disturbed try is random, up to a ceiling that doubles from the first to the longest."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Let a random time of up to `ceiling` seconds pass before the next try."""

    ceiling: float

    @classmethod
    def after(cls, tries: int) -> Pause:
        return cls(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1)))


@dataclass(frozen=True, slots=True)
class Waited:
    """The answer to a pause: it is over."""
