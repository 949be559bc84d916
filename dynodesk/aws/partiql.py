"""Statements of PartiQL that read: page after page, each proven whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dynodesk.aws.calls import Calls, Reply
from dynodesk.aws.consumption import consumed, total
from dynodesk.aws.cursors import Cursors
from dynodesk.aws.wire import Wire, damaged, item_of, key_of, list_of
from dynodesk.domain.capacity import Meter
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import Page
from dynodesk.domain.requests import value_to_request
from dynodesk.domain.statements import Select
from dynodesk.domain.tables import Key
from dynodesk.domain.values import KeyValue, String

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients

GO_ON = "NextToken"
"""The one name in a cursor of a statement."""


class DynamoStatements:
    """The `StatementReader` of a connection, through the client that lets out nothing that writes."""

    def __init__(self, clients: Clients, meter: Meter, calls: Calls | None = None) -> None:
        self._calls = calls or Calls(clients, meter)
        self._meter = meter

    def select(self, asked: Select, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
        parameters: Wire = {
            "Statement": asked.text,
            "ConsistentRead": asked.consistent,
            "ReturnConsumedCapacity": "INDEXES",
        }
        if asked.parameters:
            parameters["Parameters"] = [value_to_request(value) for value in asked.parameters]
        if asked.page_limit is not None:
            parameters["Limit"] = asked.page_limit
        tokens, places = Cursors(start), Cursors(None)
        number_read = 0

        def understand(reply: Reply) -> tuple[Page, dict[str, KeyValue] | None]:
            parts = consumed("ExecuteStatement", asked.table, asked.index, reply.body)
            self._meter.called(parts)
            items = tuple(
                item_of(item, f"item {number} of {asked.table}")
                for number, item in enumerate(list_of(reply.body, "Items"), start=1)
            )
            cursor, place = _token(reply.body), _place(reply.body)
            if place is not None and cursor is None:
                raise damaged("it says that there is more, and not how to go on")
            tokens.check(cursor)
            places.check(place)
            return Page(items, len(items), cursor, total(parts), reply.seconds), place

        cursor = start
        while True:
            ticket.checkpoint()
            page, place = self._calls.read(
                "ExecuteStatement",
                parameters if cursor is None else parameters | {GO_ON: _text(cursor)},
                understand,
                table=asked.table,
                ticket=ticket,
                done=number_read,
            )
            number_read += len(page.items)
            yield page
            if page.cursor is None:
                return
            cursor = page.cursor
            tokens.passed(cursor)
            if place is not None:
                places.passed(place)


def _token(body: Wire) -> dict[str, KeyValue] | None:
    token = body.get(GO_ON)
    if token is None:
        return None
    if not isinstance(token, str) or not token:
        raise damaged(f"its {GO_ON} is none")
    return {GO_ON: String(token)}


def _place(body: Wire) -> dict[str, KeyValue] | None:
    """The key of the item read last, where the reply says it."""
    place = body.get("LastEvaluatedKey")
    return None if place is None or place == {} else key_of(place, "the cursor")


def _text(cursor: Key) -> str:
    token = cursor[GO_ON]
    assert isinstance(token, String)  # noqa: S101  (`_token` made it)
    return token.text
