"""What a write of an item costs beyond the table itself: each index that holds a copy is written too.

Rules: Developer Guide, "Global secondary indexes", write capacity. A copy whose key changes is taken out and put in
anew, one that only changes is written once, and one that stays the same costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from dynodesk.domain.capacity import write_units
from dynodesk.domain.cells import visible
from dynodesk.domain.collections import View, absence
from dynodesk.domain.edits import Edit
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item, Value, item_size


def index_writes(before: Item | None, after: Item | None, table: TableInfo) -> dict[str, int]:
    """Write units for each index that the change touches, by its name."""
    units = {}
    for index in table.indexes:
        view = View(table, index.name)
        old, new = _copy(before, view), _copy(after, view)
        if old == new:
            continue
        if old is None or new is None:
            units[index.name] = write_units(item_size(old or new or {}))
            continue
        names = (*index.key_schema.names, *table.key_schema.names)
        if any(old.get(name) != new.get(name) for name in names):
            units[index.name] = write_units(item_size(old)) + write_units(item_size(new))
        else:
            units[index.name] = write_units(max(item_size(old), item_size(new)))
    return units


def all_units(edit: Edit, table: TableInfo) -> int:
    """Write units of an edit on its table and on every index that it touches."""
    return edit.units + sum(index_writes(edit.before, edit.after, table).values())


def units_words(base: int, indexes: Mapping[str, int], base_name: str = "the table") -> str:
    """`2 WCU: 1 on the table, 1 on GSI1`; without an index that is touched `1 WCU`."""
    parts = [f"{base:,} on {base_name}", *(f"{units:,} on {visible(name)}" for name, units in indexes.items())]
    return f"{base + sum(indexes.values()):,} WCU{': ' + ', '.join(parts) if indexes else ''}"


def _copy(item: Item | None, view: View) -> dict[str, Value] | None:
    """What the index holds of the item; None where it does not hold it."""
    if item is None or absence(item, view):
        return None
    return {name: value for name, value in item.items() if view.carries(name)}
