"""A table's stream as a program gets it: a record for each change, at the instant when the change shows."""

from __future__ import annotations

import math
from collections.abc import Callable

from dynodesk.domain.streams import Event, StreamRecord
from dynodesk.domain.values import Item
from tests.simulator.tables import Address, Table
from tests.simulator.timeline import Timeline


class Recorder:
    """A `Watcher` that passes on each record. Times are the timeline's, without their fraction."""

    def __init__(self, timeline: Timeline, told: Callable[[StreamRecord], object]) -> None:
        self._timeline, self._told = timeline, told

    def decided(self, table: Table, address: Address, old: Item | None, new: Item | None) -> None:
        """Nobody can see it yet."""

    def shown(self, table: Table, address: Address, old: Item | None, new: Item | None, *, was_decided: bool) -> None:
        item = new if new is not None else old
        if item is None or old == new:
            return
        event: Event = "INSERT" if old is None else "REMOVE" if new is None else "MODIFY"
        at = float(math.floor(self._timeline.now()))
        self._told(StreamRecord(event, table.info.key_schema.key_of(item), old, new, at))
