"""Bytes to capacity units, and what a session has consumed.

Rounding rules: Developer Guide, "DynamoDB read and write operations". Units are multiples of one half: `Decimal`.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024
PAGE_BYTES = 1024 * 1024
"""A Query or Scan reads at most this many bytes of items for one page, before any filter (API Reference, Query)."""

Consistency = Literal["eventual", "strong", "transactional"]
_FACTOR: dict[Consistency, Decimal] = {"eventual": Decimal("0.5"), "strong": Decimal(1), "transactional": Decimal(2)}


def read_units(size: int, consistency: Consistency) -> Decimal:
    """Units to read `size` bytes in one item or one page. Reading nothing costs as much as reading one unit."""
    return max(1, -(-size // READ_UNIT_BYTES)) * _FACTOR[consistency]


def write_units(size: int, *, transactional: bool = False) -> int:
    """Units to write an item of `size` bytes to the table itself; each index it changes costs its own."""
    return max(1, -(-size // WRITE_UNIT_BYTES)) * (2 if transactional else 1)


@dataclass(frozen=True, slots=True)
class Consumed:
    """Units that one call said it consumed on one table or index (`index` is "" for the table itself)."""

    operation: str
    table: str
    index: str
    units: Decimal


class Meter:
    """Sums what calls consumed, by operation, table and index, and how often they were sent again.

    Shared by all threads of a connection.

    What a part of a session consumes is counted in a meter of its own and in the session's: `Meter(session)`.
    """

    def __init__(self, whole: Meter | None = None) -> None:
        self._whole = whole
        self._lock = threading.Lock()
        self._units: defaultdict[tuple[str, str, str], Decimal] = defaultdict(Decimal)
        self._retries: Counter[str] = Counter()
        self._calls = 0

    def called(self, consumed: tuple[Consumed, ...]) -> None:
        """Record one call that was answered, with what the answer said about units."""
        with self._lock:
            self._calls += 1
            for part in consumed:
                self._units[part.operation, part.table, part.index] += part.units
        if self._whole is not None:
            self._whole.called(consumed)

    def retried(self, reason: str) -> None:
        """Record that a call is sent again, after `throttled`, `damaged`, `failed` or `unreachable`."""
        with self._lock:
            self._retries[reason] += 1
        if self._whole is not None:
            self._whole.retried(reason)

    @property
    def retries(self) -> Mapping[str, int]:
        """How often calls were sent again, by reason; as of now."""
        with self._lock:
            return dict(self._retries)

    @property
    def total(self) -> Decimal:
        with self._lock:
            return sum(self._units.values(), Decimal(0))

    @property
    def calls(self) -> int:
        with self._lock:
            return self._calls

    def parts(self) -> tuple[Consumed, ...]:
        """One record for each operation, table and index, in that order."""
        with self._lock:
            return tuple(
                Consumed(operation, table, index, units)
                for (operation, table, index), units in sorted(self._units.items())
            )
