"""Pages of a Query or Scan as the bytes they came in: for reading millions of items.

A page is proven before it is handed on: its length and checksum, its JSON from the first byte to the last, its counts
and its cursor. What is in its items is not looked at here: whether `{"N": …}` is a number,
and whether an item is of the partition that was asked for, is for those to see who take the items apart. A member that
an object holds twice is not noticed; the last one counts.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from dynodesk.aws.calls import Calls
from dynodesk.aws.consumption import consumed, total
from dynodesk.aws.cursors import Cursors
from dynodesk.aws.expressions import request_of
from dynodesk.aws.raw_http import RawHttp, RawReply
from dynodesk.aws.wire import count_of, damaged, key_of, list_of, object_of
from dynodesk.domain.bulk import RawPage
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import DamagedReply, InvalidFile, InvalidRequest
from dynodesk.domain.foreground import foreground
from dynodesk.domain.item_json import read_json
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, ReadPlan
from dynodesk.domain.requests import ReadOperation
from dynodesk.domain.table_arns import refuse_arn
from dynodesk.domain.tables import Key

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients


class _Page(msgspec.Struct, rename="pascal"):
    items: list[msgspec.Raw]
    count: int
    scanned_count: int
    last_evaluated_key: msgspec.Raw = msgspec.Raw(b"null")
    consumed_capacity: msgspec.Raw = msgspec.Raw(b"null")


_PAGE = msgspec.json.Decoder(_Page)
_OBJECT = frozenset(b"{")
"""What an object starts with, and no other JSON value."""


class RawPages:
    """The `RawPageReader` of a connection. Safe across threads; `meter` gets what every reply says it consumed."""

    def __init__(self, clients: Clients, meter: Meter, calls: Calls | None = None) -> None:
        self._http = RawHttp(clients)
        self._calls = calls or Calls(clients, meter)
        self._meter = meter
        # A page is looked through without letting go of the interpreter. Threads that do so side by side are no faster,
        # and the window would wait for all of them.
        self._one_by_one = threading.Lock()

    def raw_pages(
        self, plan: ReadPlan, ticket: Ticket, *, start: str | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[RawPage]:
        """As `RawPageReader`. Raises `InvalidRequest` at once for a `start` that is no key, and for a wrong segment."""
        if isinstance(plan, QueryPlan):
            if segments != 1:
                raise InvalidRequest("a Query has no segments", hint="Run a Scan to read in several.")
            plan = replace(plan, by_key=False)
        else:
            plan = replace(plan, segments=segments, segment=segment)
        refuse_arn(plan.table)  # these requests pass by the gate that the client has
        operation, parameters = request_of(plan)
        if not 0 <= segment < segments:
            raise InvalidRequest(f"there is no segment {segment} of {segments}")
        cursors = Cursors(None if start is None else _start_key(start))
        first = self._http.body_of(operation, parameters)
        return self._pages(operation, first, plan, ticket, start, cursors)

    def close(self) -> None:
        self._http.close()

    def _pages(
        self,
        operation: ReadOperation,
        first: bytes,
        plan: ReadPlan,
        ticket: Ticket,
        start: str | None,
        cursors: Cursors,
    ) -> Iterator[RawPage]:
        number_read = 0

        def understand(reply: RawReply) -> tuple[RawPage, Key | None]:
            page, cursor = self._proven(operation, plan, reply)
            cursors.check(cursor)
            return page, cursor

        while True:
            ticket.checkpoint()
            # Exactly the text that the service gave: no reading and writing of it can change what it means.
            body = first if start is None else first[:-1] + b',"ExclusiveStartKey":' + start.encode() + b"}"

            def send(body: bytes = body) -> RawReply:
                return self._http.send(operation, body)

            page, cursor = self._calls.answer(
                operation, send, understand, table=plan.table, ticket=ticket, done=number_read
            )
            number_read += page.count
            yield page
            if cursor is None:
                return
            cursors.passed(cursor)
            start = page.cursor

    def _proven(self, operation: ReadOperation, plan: ReadPlan, reply: RawReply) -> tuple[RawPage, Key | None]:
        """The page with its cursor as a key. Raises `Fault` and `DamagedReply`."""
        with self._one_by_one:
            foreground.give_way()
            found = _taken_apart(reply)
        parts = consumed(operation, plan.table, plan.index, {"ConsumedCapacity": _value(found.consumed_capacity)})
        self._meter.called(parts)
        if found.count != len(found.items):
            raise damaged(f"it says {found.count} items and holds {len(found.items)}")
        if found.scanned_count < found.count:
            raise damaged(f"it says {found.scanned_count} items were read and {found.count} of them found")
        tagged = _value(found.last_evaluated_key)
        key = None if tagged is None or tagged == {} else key_of(tagged, "the cursor")
        page = RawPage.of(
            found.items,
            scanned=found.scanned_count,
            cursor=None if key is None else bytes(found.last_evaluated_key).decode(),
            units=total(parts),
            received=reply.received,
        )
        if not _OBJECT.issuperset(map(page.texts.__getitem__, page.offsets[:-1])):
            raise damaged("it is not a page of items (one of them is no object)")
        return page, key


def _taken_apart(reply: RawReply) -> _Page:
    """The members of a page. Raises `Fault` and `DamagedReply` for another reply: with the words of a smaller read."""
    try:
        found = _PAGE.decode(reply.body)
        if not reply.body.isascii():
            reply.body.decode()  # the decoder skips text that nobody asked for, whatever bytes it is made of
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        body = object_of(reply.status, reply.headers, reply.body)
        list_of(body, "Items")
        for count in ("Count", "ScannedCount"):
            count_of(body, count)
        raise damaged(f"it is not a page of items ({problem})") from None
    return found


def _value(raw: msgspec.Raw) -> Any:
    return json.loads(bytes(raw), parse_float=Decimal)


def _start_key(start: str) -> Key:
    """The cursor that a caller gives. Raises `InvalidRequest`: it becomes a part of the request as it is."""
    try:
        return key_of(read_json(start, "the cursor"), "the cursor")
    except (InvalidFile, DamagedReply):
        raise InvalidRequest(
            "the cursor to go on from is not a key as DynamoDB writes it", hint="Start from the beginning."
        ) from None
