"""What a reply says that it consumed."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from dynodesk.aws.wire import Wire, damaged
from dynodesk.domain.capacity import Consumed

UNBELIEVABLE = 10**9
"""Units that no single request can consume: those of hundreds of gigabytes."""


def consumed(operation: str, table: str, index: str | None, body: Wire) -> tuple[Consumed, ...]:
    """The units of a reply by table and index; empty where it does not say. `table` and `index` are those asked for.

    `CapacityUnits` is the total; its split into read and write units is not always filled in. Raises `DamagedReply`.
    """
    reported = body.get("ConsumedCapacity")
    if reported is None:
        return ()
    entries = reported if isinstance(reported, list) else [reported]
    return tuple(part for entry in entries for part in _parts(operation, table, index, entry))


def _parts(operation: str, table: str, index: str | None, entry: object) -> Iterable[Consumed]:
    total = _units(entry)
    assert isinstance(entry, dict)  # noqa: S101 (_units looked)
    name = entry.get("TableName") or table
    local, secondary = (entry.get(f"{kind}SecondaryIndexes") or {} for kind in ("Local", "Global"))
    if not isinstance(name, str) or not isinstance(local, dict) or not isinstance(secondary, dict):
        raise damaged("its ConsumedCapacity makes no sense")
    indexes = {**local, **secondary}
    if not indexes and index is not None:
        indexes = {index: entry}
    for index_name, part in indexes.items():
        units = _units(part)
        total -= units
        yield Consumed(operation, name, index_name, units)
    if total > 0 or not indexes:
        yield Consumed(operation, name, "", total)


def _units(entry: object) -> Decimal:
    units = entry.get("CapacityUnits") if isinstance(entry, dict) else None
    if not isinstance(units, int | Decimal) or isinstance(units, bool) or not 0 <= units < UNBELIEVABLE:
        raise damaged("its ConsumedCapacity says nothing")
    return Decimal(units)


def total(parts: Iterable[Consumed]) -> Decimal | None:
    """The sum; None where nothing was said."""
    units = [part.units for part in parts]
    return sum(units, Decimal(0)) if units else None
