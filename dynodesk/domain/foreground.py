"""Background threads give way to the one that draws the window.

Only one thread of Python runs at a time. The one that paints lets go at every call into the toolkit, and would wait
for a busy thread at each: a picture of the grid then takes five times as long as alone.
"""

from __future__ import annotations

import time

LOOK_EVERY = 0.0005
LONGEST_WAIT = 0.1
"""Seconds. Nobody paints for longer; whoever waits goes on whatever happens."""


class Foreground:
    """`with foreground:` where the window is drawn or changed; `give_way` in the loops of background work."""

    def __init__(self) -> None:
        self._depth = 0

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1

    @property
    def is_busy(self) -> bool:
        return self._depth > 0

    def give_way(self) -> None:
        """Waits while the window is busy. Cheap where it is not: call it every millisecond or so."""
        if self._depth:
            until = time.monotonic() + LONGEST_WAIT
            while self._depth and time.monotonic() < until:
                time.sleep(LOOK_EVERY)


foreground = Foreground()
"""Of the one window that a process has."""
