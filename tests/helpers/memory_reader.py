"""An `ItemReader` over items in memory: DynamoDB's order, limits, cursors, projections and units, without a server."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dynodesk.domain.capacity import PAGE_BYTES, read_units
from dynodesk.domain.errors import InvalidRequest, TableMissing
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page, QueryPlan, ReadPlan, ScanPlan, SortCondition, check_plan
from dynodesk.domain.tables import Key, KeySchema, TableInfo
from dynodesk.domain.values import Binary, Item, KeyValue, Number, String, item_size, order

Position = tuple[Any, ...]


class MemoryReader:
    """Tables by name. Tests change `put` and `delete` items at any time; `asked` lists the plans that were run."""

    def __init__(self, *tables: TableInfo) -> None:
        self._tables = {table.name: table for table in tables}
        self._items: dict[str, dict[Position, Item]] = {table.name: {} for table in tables}
        self.asked: list[tuple[ReadPlan, Key | None]] = []
        self.before_page: Callable[[ReadPlan], object] = _nothing
        """Called on the reading thread before each page: a test may wait there, or raise."""

    def put(self, table: str, *items: Item) -> None:
        schema = self._tables[table].key_schema
        for item in items:
            self._items[table][_position(schema.key_of(item), schema)] = item

    def delete(self, table: str, key: Key) -> None:
        del self._items[table][_position(key, self._tables[table].key_schema)]

    # -- ItemReader

    def get(self, table: str, key: Key, *, consistent: bool = False) -> Item | None:
        return self._items[table].get(_position(key, self._info(table).key_schema))

    def batch_get(
        self, table: str, keys: Sequence[Key], ticket: Ticket, *, consistent: bool = False
    ) -> list[Item | None]:
        ticket.checkpoint()
        return [self.get(table, key, consistent=consistent) for key in keys]

    def transact_get(self, keys: Sequence[tuple[str, Key]], ticket: Ticket) -> tuple[Item | None, ...]:
        return tuple(self.get(table, key) for table, key in keys)

    def query(self, plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._pages(plan, ticket, start)

    def scan(self, plan: ScanPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._pages(plan, ticket, start)

    # -- how DynamoDB reads

    def _info(self, table: str) -> TableInfo:
        if table not in self._tables:
            raise TableMissing(f"there is no table {table}")
        return self._tables[table]

    def _pages(self, plan: ReadPlan, ticket: Ticket, start: Key | None) -> Iterator[Page]:
        info = self._info(plan.table)
        check_plan(plan, info)
        schema = info.schema_of(plan.index)
        descending = isinstance(plan, QueryPlan) and plan.descending
        found = [
            (_place(item, schema, info.key_schema), item)
            for item in self._items[plan.table].values()
            if _is_in(item, schema) and matches(item, plan) and _is_in_segment(item, schema, plan)
        ]
        found.sort(key=lambda placed: placed[0], reverse=descending)
        at = 0
        if start is not None:
            after = _place(start, schema, info.key_schema)
            at = sum(1 for place, _ in found if (place >= after if descending else place <= after))
        while True:
            ticket.checkpoint()
            self.asked.append((plan, start))
            self.before_page(plan)
            items: list[Item] = []
            size = 0
            while at < len(found) and (plan.page_limit is None or len(items) < plan.page_limit):
                item = found[at][1]
                size += item_size(item)
                items.append(item)
                at += 1
                if size >= PAGE_BYTES:
                    break
            # A page that is full by its limit has a cursor even when nothing follows.
            full = size >= PAGE_BYTES or len(items) == plan.page_limit
            names = dict.fromkeys((*schema.names, *info.key_schema.names))
            start = {name: key_value(items[-1], name) for name in names} if full else None
            yield Page(
                items=tuple(
                    projected(item, plan, info) for item in items if plan.filter is None or plan.filter.holds(item)
                ),
                scanned=len(items),
                cursor=start,
                units=read_units(size, "strong" if plan.consistent else "eventual"),
                seconds=0.001,
            )
            if start is None:
                return


def _nothing(_plan: ReadPlan) -> None:
    pass


def key_value(item: Item, name: str) -> KeyValue:
    value = item[name]
    assert isinstance(value, String | Number | Binary)
    return value


def _position(key: Key, schema: KeySchema) -> Position:
    return tuple(order(key[name]) for name in schema.names)


def _place(item: Item, schema: KeySchema, base: KeySchema) -> Position:
    """Where an item stands in a Scan or Query: by a hash of its partition key, then its sort key, then its base key.

    The service promises no order among equal index keys; a cursor still has to mean one place.
    """
    own = schema.key_of(item)
    partition = repr([order(own[attribute.name]) for attribute in schema.partition])
    return (
        hashlib.md5(partition.encode(), usedforsecurity=False).digest(),
        *(order(own[attribute.name]) for attribute in schema.sort),
        *_position(base.key_of(item), base),
    )


def _is_in(item: Item, schema: KeySchema) -> bool:
    return all(
        {"S": "String", "N": "Number", "B": "Binary"}[attribute.type] == type(item.get(attribute.name)).__name__
        for attribute in schema.attributes
    )


def _is_in_segment(item: Item, schema: KeySchema, plan: ReadPlan) -> bool:
    """A collection is in one segment as a whole."""
    if not isinstance(plan, ScanPlan) or plan.segment is None:
        return True
    partition = repr([order(key_value(item, attribute.name)) for attribute in schema.partition])
    return hashlib.md5(partition.encode(), usedforsecurity=False).digest()[0] % plan.segments == plan.segment


def matches(item: Item, plan: ReadPlan) -> bool:
    if not isinstance(plan, QueryPlan):
        return True
    if any(item.get(name) != value for name, value in (*plan.partition.items(), *plan.sort_equals.items())):
        return False
    return plan.sort is None or _holds(plan.sort, key_value(item, plan.sort_name))


def _holds(condition: SortCondition, value: KeyValue) -> bool:
    here, low = order(value), order(condition.low)
    match condition.operator:
        case "=":
            return here == low
        case "<":
            return here < low
        case "<=":
            return here <= low
        case ">":
            return here > low
        case ">=":
            return here >= low
        case "between":
            assert condition.high is not None
            return low <= here <= order(condition.high)
        case "begins_with":
            assert isinstance(value, String)
            assert isinstance(condition.low, String)
            return value.text.startswith(condition.low.text)


def projected(item: Item, plan: ReadPlan, info: TableInfo) -> Item:
    """A local index fetches from the table what is asked for by name; a global one refuses it."""
    index = None if plan.index is None else info.index(plan.index)
    if plan.index is None or index is None or (index.kind == "LSI" and plan.attributes):
        return {name: value for name, value in item.items() if not plan.attributes or name in plan.attributes}
    if lacking := [name for name in plan.attributes if not info.projects(plan.index, name)]:
        raise InvalidRequest(f"{plan.index} does not project {', '.join(lacking)}")
    carried = {name: value for name, value in item.items() if info.projects(plan.index, name)}
    return {name: value for name, value in carried.items() if not plan.attributes or name in plan.attributes}
