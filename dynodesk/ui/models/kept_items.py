"""Keeps Python's search for garbage away from items that are loaded.

Every item is a dozen small objects. Whenever their number has grown by a quarter, the collector looks through all there
are, which takes half a second for two hundred thousand items, and the window stands still meanwhile. What has come
to stay is therefore set aside. It is freed as ever when nothing refers to it any more; what refers to itself in circles
waits until the items are given up.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject

SET_ASIDE_EVERY = 2_000
"""Items."""


class KeptItems:
    """Counts items that came to stay as long as `keeper`."""

    def __init__(self, keeper: QObject) -> None:
        self._keeper = keeper
        self._fresh = 0
        self._is_first = True

    def count(self, items: int) -> None:
        self._fresh += items
        if self._fresh >= SET_ASIDE_EVERY:
            self._fresh = 0
            if self._is_first:
                self._is_first = False
                self._keeper.destroyed.connect(look_again)
            gc.freeze()


def look_again() -> None:
    """A keeper is gone: what went with it in circles can be found again."""
    gc.unfreeze()
