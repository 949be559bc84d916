"""Rows that follow what was written: each item as it is now, as far as the view they are seen through carries it."""

from __future__ import annotations

from collections.abc import Iterable

from dynodesk.domain.collections import Entry, Identity, View, absence, prepare
from dynodesk.domain.reads import QueryPlan, ReadPlan
from dynodesk.domain.values import Item, Value
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.ui.staging import Written


def show_written(pane: CollectionPane, items: Iterable[Written]) -> None:
    """New items come last where all was read; elsewhere reading on, or again, finds them."""
    reading = pane.reading
    if reading is None:
        return
    table, view, plan = pane.view.table.name, pane.view, reading.plan
    now: dict[Identity, Entry | None] = {}
    fresh: list[Item] = []
    for one in items:
        if one.table != table:
            continue
        copy = None if one.item is None else carried(one.item, view, plan)
        entry = None if copy is None else prepare([copy], view).entries[0]
        if pane.model.rows.is_read(one.identity):
            now[one.identity] = entry
        elif copy is not None and not reading.has_more and is_asked_for(copy, view, plan):
            fresh.append(copy)
    rearranges = pane.model.take_written(now)
    if fresh:
        pane.model.append(prepare(fresh, view))
    if rearranges or fresh:
        pane.arranger.arrange_again()
    elif now:
        pane.arranger.sort_again()


def carried(item: Item, view: View, plan: ReadPlan) -> dict[str, Value] | None:
    """What a reading through the view has of the item; None where the view does not hold it."""
    if absence(item, view):
        return None
    keys = {*view.schema.names, *view.table.key_schema.names}
    asked = plan.attributes
    return {
        name: value
        for name, value in item.items()
        if name in keys or (view.carries(name) and (not asked or name in asked))
    }


def is_asked_for(item: Item, view: View, plan: ReadPlan) -> bool:
    """Whether a plan without conditions, which a program would have to judge, finds the item."""
    if plan.filter is not None:
        return False
    if not isinstance(plan, QueryPlan):
        return True
    return plan.sort is None and not plan.sort_equals and not plan.by_key and view.partition_of(item) == plan.partition
