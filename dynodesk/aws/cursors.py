"""Reads of many pages come to an end, whatever the cursors say."""

from __future__ import annotations

from dynodesk.aws.wire import damaged
from dynodesk.domain.tables import Key


class Cursors:
    """Finds a read that would never end because its cursors go round in a circle.

    Each cursor is compared with the last one and with one that is moved ahead every time the number of pages has
    doubled (Brent): any circle is found within a few rounds, and nothing is kept of millions of pages.
    """

    def __init__(self, start: Key | None) -> None:
        self._last = self._anchor = start
        self._pages, self._move_at = 0, 1

    def check(self, cursor: Key | None) -> None:
        """Raises `DamagedReply` for a cursor that was there before."""
        if cursor is not None and cursor in (self._last, self._anchor):
            raise damaged("its cursor leads back to where the read has been, so it would never end")

    def passed(self, cursor: Key) -> None:
        self._last = cursor
        self._pages += 1
        if self._pages == self._move_at:
            self._anchor, self._move_at = cursor, self._move_at * 2
