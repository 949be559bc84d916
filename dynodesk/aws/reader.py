"""Items out of DynamoDB: single ones, batches, snapshots, and the pages of a Query or Scan."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from dynodesk.aws.calls import Calls, Reply
from dynodesk.aws.consumption import consumed, total
from dynodesk.aws.cursors import Cursors
from dynodesk.aws.expressions import request_of
from dynodesk.aws.faults import Fault, Retry, throttled
from dynodesk.aws.wire import Wire, count_of, damaged, item_of, key_of, list_of, to_request
from dynodesk.domain.capacity import Consumed, Meter
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import MAX_TRANSACTION_ITEMS, Page, QueryPlan, ReadPlan, ScanPlan
from dynodesk.domain.requests import read_request
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, KeyValue

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients

MAX_BATCH_KEYS = 100  # API Reference, BatchGetItem

Identity = frozenset[tuple[str, KeyValue]]
"""A key as something that hashes. Equal numbers are one key, however they are spelled."""


class DynamoReader:
    """The `ItemReader` of a connection. Safe across threads; `meter` gets what every reply says it consumed."""

    def __init__(self, clients: Clients, meter: Meter, calls: Calls | None = None) -> None:
        self._calls = calls or Calls(clients, meter)
        self._meter = meter

    # ------------------------------------------------------------------------------------------------ items by key

    def get(self, table: str, key: Key, *, consistent: bool = False) -> Item | None:
        parameters: Wire = {
            "TableName": table,
            "Key": to_request(key),
            "ConsistentRead": consistent,
            "ReturnConsumedCapacity": "INDEXES",
        }

        def understand(reply: Reply) -> Item | None:
            self._metered("GetItem", table, None, reply)
            return asked_for(reply.body, table, key)

        return self._calls.read("GetItem", parameters, understand, table=table)

    def batch_get(
        self, table: str, keys: Sequence[Key], ticket: Ticket, *, consistent: bool = False
    ) -> list[Item | None]:
        asked: dict[Identity, Key] = {}
        for key in keys:
            asked.setdefault(frozenset(key.items()), key)
        found: dict[Identity, Item] = {}
        identities = list(asked)
        for at in range(0, len(identities), MAX_BATCH_KEYS):
            ticket.checkpoint()
            waiting = {identity: asked[identity] for identity in identities[at : at + MAX_BATCH_KEYS]}
            self._get_batch(table, waiting, found, ticket, consistent=consistent)
        return [found.get(frozenset(key.items())) for key in keys]

    def _get_batch(
        self, table: str, waiting: dict[Identity, Key], found: dict[Identity, Item], ticket: Ticket, *, consistent: bool
    ) -> None:
        """Add what exists of `waiting` to `found`, asking again for what the service left out."""
        failures, since = 0, time.monotonic()
        while waiting:
            asked = waiting

            def understand(
                reply: Reply, asked: dict[Identity, Key] = asked
            ) -> tuple[dict[Identity, Item], set[Identity]]:
                self._metered("BatchGetItem", table, None, reply)
                return _batch_reply(reply.body, table, asked)

            parameters: Wire = {
                "RequestItems": {
                    table: {"Keys": [to_request(key) for key in asked.values()], "ConsistentRead": consistent}
                },
                "ReturnConsumedCapacity": "INDEXES",
            }
            items, left = self._calls.read(
                "BatchGetItem", parameters, understand, table=table, ticket=ticket, done=len(found)
            )
            found.update(items)
            waiting = {identity: key for identity, key in asked.items() if identity in left}
            if waiting:
                if len(waiting) < len(asked):
                    failures, since = 0, time.monotonic()
                failures += 1
                fault = Fault(throttled(table, f"BatchGetItem left {len(waiting)} keys"), Retry.THROTTLED)
                self._calls.wait_or_raise(fault, failures, since, ticket, len(found))

    def transact_get(self, keys: Sequence[tuple[str, Key]], ticket: Ticket) -> tuple[Item | None, ...]:
        if not keys:
            return ()
        if len(keys) > MAX_TRANSACTION_ITEMS:
            raise InvalidRequest(f"a transaction reads at most {MAX_TRANSACTION_ITEMS} items, not {len(keys)}")
        if len({(table, frozenset(key.items())) for table, key in keys}) < len(keys):
            raise InvalidRequest("a transaction reads an item once: one key is given twice")
        tables = ", ".join(sorted({table for table, _ in keys}))
        parameters: Wire = {
            "TransactItems": [{"Get": {"TableName": table, "Key": to_request(key)}} for table, key in keys],
            "ReturnConsumedCapacity": "INDEXES",
        }

        def understand(reply: Reply) -> tuple[Item | None, ...]:
            self._metered("TransactGetItems", tables, None, reply)
            responses = list_of(reply.body, "Responses")
            if len(responses) != len(keys):
                raise damaged(f"it has {len(responses)} responses to {len(keys)} questions")
            return tuple(
                asked_for(response, table, key) for response, (table, key) in zip(responses, keys, strict=True)
            )

        return self._calls.read(
            "TransactGetItems",
            parameters,
            understand,
            table=tables,
            ticket=ticket,
            patiences=self._calls.one_of_many,
        )

    # ------------------------------------------------------------------------------------------------------- pages

    def query(self, plan: QueryPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._pages(plan, ticket, start)

    def scan(self, plan: ScanPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        return self._pages(plan, ticket, start)

    def _pages(self, plan: ReadPlan, ticket: Ticket, start: Key | None) -> Iterator[Page]:
        operation, parameters = request_of(plan)
        cursors = Cursors(start)
        if start is not None:
            parameters = parameters | {"ExclusiveStartKey": to_request(start)}
        number_read = 0

        def understand(reply: Reply) -> Page:
            units = total(self._metered(operation, plan.table, plan.index, reply))
            page = _page(reply, plan, units)
            cursors.check(page.cursor)
            return page

        while True:
            ticket.checkpoint()
            page = self._calls.read(
                operation, parameters, understand, table=plan.table, ticket=ticket, done=number_read
            )
            number_read += len(page.items)
            yield page
            if page.cursor is None:
                return
            cursors.passed(page.cursor)
            parameters = parameters | {"ExclusiveStartKey": to_request(page.cursor)}

    def _metered(self, operation: str, table: str, index: str | None, reply: Reply) -> tuple[Consumed, ...]:
        parts = consumed(operation, table, index, reply.body)
        self._meter.called(parts)
        return parts


def _page(reply: Reply, plan: ReadPlan, units: Decimal | None) -> Page:
    body = reply.body
    if isinstance(plan, QueryPlan) and plan.by_key:
        asked = read_request(plan).key
        item = asked_for(body, plan.table, {name: asked[name] for name in asked if _returns(plan, name)})
        return Page(() if item is None else (item,), 0 if item is None else 1, None, units, reply.seconds)
    tagged = list_of(body, "Items")
    count, scanned = count_of(body, "Count"), count_of(body, "ScannedCount")
    if count != len(tagged):
        raise damaged(f"it says {count} items and holds {len(tagged)}")
    if scanned < count:
        raise damaged(f"it says {scanned} items were read and {count} of them found")
    partition = plan.partition if isinstance(plan, QueryPlan) else {}
    place = f"of {plan.table}" + (f" in {readable_key(partition)}" if partition else "")
    items = tuple(item_of(item, f"item {number} {place}") for number, item in enumerate(tagged, start=1))
    for name, value in partition.items():
        if any(item.get(name, value) != value for item in items):
            raise damaged(f"it holds an item of another {name} than the one asked for")
    cursor = body.get("LastEvaluatedKey")
    return Page(
        items=items,
        scanned=scanned,
        cursor=None if cursor is None or cursor == {} else key_of(cursor, "the cursor"),
        units=units,
        seconds=reply.seconds,
    )


def _returns(plan: QueryPlan, name: str) -> bool:
    return not plan.attributes or name in plan.attributes


def asked_for(response: object, table: str, key: Key) -> Item | None:
    """The item in one response to a read by key; None where it does not exist. Raises `DamagedReply`."""
    if not isinstance(response, dict):
        raise damaged("a response is not an object")
    if "Item" not in response:
        return None
    item = item_of(response["Item"], f"item {readable_key(key)} of {table}")
    if any(item.get(name) != value for name, value in key.items()):
        raise damaged(f"it holds another item of {table} than the one asked for")
    return item


def _batch_reply(body: Wire, table: str, asked: dict[Identity, Key]) -> tuple[dict[Identity, Item], set[Identity]]:
    """The items of a BatchGetItem reply, and the keys that it leaves to be asked for again. Raises `DamagedReply`."""
    responses, unprocessed = body.get("Responses"), body.get("UnprocessedKeys") or {}
    if not isinstance(responses, dict) or not isinstance(unprocessed, dict):
        raise damaged("it has no Responses")
    names = next(iter(asked.values())).keys()
    items: dict[Identity, Item] = {}
    for tagged in list_of(responses, table) if table in responses else ():
        item = item_of(tagged, f"an item of {table}")
        identity = frozenset(
            (name, value) for name, value in item.items() if name in names and isinstance(value, KeyValue)
        )
        if identity not in asked or identity in items:
            raise damaged(f"it holds an item of {table} that was not asked for, or holds one twice")
        items[identity] = item
    left = {
        frozenset(key_of(key, "an unprocessed key").items())
        for part in unprocessed.values()
        for key in list_of(part, "Keys")
    }
    if not left <= asked.keys() - items.keys():
        raise damaged("its unprocessed keys are not among those asked for")
    return items, left
