"""Composed requests sent: those that read as all reads are, those that write once."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from dynodesk.aws.calls import CALL_SECONDS, Calls, Reply, send_once
from dynodesk.aws.consumption import consumed
from dynodesk.aws.faults import Retry, fault_of
from dynodesk.aws.once import CANCELLED, REFUSED, Once, found_in
from dynodesk.aws.partiql import GO_ON
from dynodesk.aws.reader import asked_for
from dynodesk.aws.wire import BODY, Wire, damaged, item_of, list_of
from dynodesk.domain.action_json import parameters_of
from dynodesk.domain.actions import (
    ComposedRequest,
    GetAction,
    SingleGet,
    SingleStatement,
    SingleWrite,
    StatementTransaction,
    TransactGet,
    TransactWrite,
    UpdateAction,
    actions_of,
    is_read,
    statements_of,
)
from dynodesk.domain.capacity import Consumed, Meter
from dynodesk.domain.composed import ActionReason, Done, Refused
from dynodesk.domain.expressions import read_statement
from dynodesk.domain.progress import Ticket
from dynodesk.domain.redaction import redaction
from dynodesk.domain.requests import value_to_request
from dynodesk.domain.values import Item

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients

DUPLICATE = "DuplicateItem"
"""What an INSERT is refused for: there is an item with its key."""


class DynamoRequests:
    """A `RequestSender`."""

    def __init__(
        self, clients: Clients, meter: Meter, calls: Calls | None = None, *, seconds: float = CALL_SECONDS
    ) -> None:
        self._reads = clients.reads
        self._calls = calls or Calls(clients, meter)
        self._once = Once(clients, meter, seconds)
        self._meter = meter

    def send(self, request: ComposedRequest, ticket: Ticket) -> Done | Refused:
        parameters = parameters_of(request, value_to_request)
        table, index = _place(request)
        if is_read(request):
            return self._read(request, parameters, table, index, ticket)
        return self._write(request, parameters, table)

    def _read(
        self, request: ComposedRequest, parameters: Wire, table: str, index: str | None, ticket: Ticket
    ) -> Done | Refused:
        operation, started = request.operation, time.monotonic()

        def send() -> Reply | ClientError:
            try:
                return send_once(self._reads, operation, parameters)
            except ClientError as error:
                is_final = fault_of(error, table=table, operation=operation).retry is Retry.NEVER
                if is_final and error.response["Error"]["Code"] == CANCELLED:
                    return error
                raise

        def understand(answer: Reply | ClientError) -> Done | Refused:
            if isinstance(answer, ClientError):
                return self._refused(answer, request, time.monotonic() - started, _cancelled(answer, request))
            parts = consumed(operation, table, index, answer.body)
            self._meter.called(parts)
            return _done(request, answer, parts)

        return self._calls.answer(operation, send, understand, table=table, ticket=ticket)

    def _write(self, request: ComposedRequest, parameters: Wire, table: str) -> Done | Refused:
        started = time.monotonic()
        with self._once.classified(request.operation, table):
            try:
                reply, parts = self._once.sent(request.operation, table, parameters)
            except ClientError as error:
                reasons = _reasons(error, request)
                if reasons is None:
                    raise
                return self._refused(error, request, time.monotonic() - started, reasons)
            return _done(request, reply, parts)

    def _refused(
        self, error: ClientError, request: ComposedRequest, seconds: float, reasons: tuple[ActionReason, ...]
    ) -> Refused:
        parts = consumed(request.operation, _place(request)[0], None, _body(error))
        self._meter.called(parts)
        return Refused(reasons, parts, seconds, str(error.response["ResponseMetadata"].get("RequestId", "")))


def _place(request: ComposedRequest) -> tuple[str, str | None]:
    """The tables in words, and the index that a statement reads."""
    statements = [read_statement(statement.text) for statement in statements_of(request)]
    tables = {action.table for action in actions_of(request)} | {statement.table for statement in statements}
    return ", ".join(sorted(tables)), statements[0].index if len(statements) == 1 else None


# ------------------------------------------------------------------------------------------------------------- answers


def _done(request: ComposedRequest, reply: Reply, parts: tuple[Consumed, ...]) -> Done:
    """Raises `DamagedReply`."""
    goes_on = isinstance(request, SingleStatement) and reply.body.get(GO_ON) is not None
    return Done(_items(request, reply.body), parts, reply.seconds, reply.request_id, goes_on)


def _items(request: ComposedRequest, body: Wire) -> tuple[Item | None, ...]:
    match request:
        case SingleWrite(UpdateAction(update=update)):
            changed = body.get("Attributes")
            is_none = not changed and not update.makes_items  # there was no item, and there is none now
            return (None if is_none else item_of(changed or None, "the changed item"),)
        case SingleWrite():
            former = body.get("Attributes")
            return (item_of(former, "the former item") if former else None,)
        case SingleGet(action):
            return (_item(body, action),)
        case TransactGet(actions):
            return tuple(map(_item, _responses(body, len(actions)), actions))
        case SingleStatement():
            tagged = list_of(body, "Items") if is_read(request) or "Items" in body else []
            return tuple(item_of(item, f"item {number}") for number, item in enumerate(tagged, start=1))
        case StatementTransaction(statements) if is_read(request):
            responses = _responses(body, len(statements))
            return tuple(asked_for(response, "the table", {}) for response in responses)
        case TransactWrite() | StatementTransaction():
            return ()


def _item(response: object, action: GetAction) -> Item | None:
    # What is left out by the projection cannot be compared.
    return asked_for(response, action.table, action.key if action.projection is None else {})


def _responses(body: Wire, count: int) -> list[object]:
    responses = list_of(body, "Responses")
    if len(responses) != count:
        raise damaged(f"it has {len(responses)} responses to {count} questions")
    return responses


# ------------------------------------------------------------------------------------------------------------ refusals


def _reasons(error: ClientError, request: ComposedRequest) -> tuple[ActionReason, ...] | None:
    """Why nothing was written, for what the items are like; None for every other error. Raises `DamagedReply`."""
    match error.response["Error"]["Code"]:
        case "ConditionalCheckFailedException":
            return (_reason({**_body(error), "Code": REFUSED}),)
        case "DuplicateItemException":
            return (_reason({**_body(error), "Code": DUPLICATE}),)
        case code if code == CANCELLED:
            return _cancelled(error, request)
        case _:
            return None


def _cancelled(error: ClientError, request: ComposedRequest) -> tuple[ActionReason, ...]:
    reasons = list_of(_body(error), "CancellationReasons")
    count = len(actions_of(request)) or len(statements_of(request))
    if len(reasons) != count:
        raise damaged(f"it has {len(reasons)} reasons for {count} actions")
    return tuple(map(_reason, reasons))


def _reason(said: object) -> ActionReason:
    code = said.get("Code") if isinstance(said, dict) else None
    if not isinstance(said, dict) or not isinstance(code, str) or not code:
        raise damaged("a reason has no code")  # which is not the code None: that one was in nobody's way
    message = said.get("Message", said.get("message"))
    words = redaction.hide_known(message) if isinstance(message, str) else ""
    return ActionReason(code, words, found_in(said))


def _body(error: ClientError) -> Wire:
    response: Mapping[str, Any] = error.response
    body: Wire = response[BODY]
    return body
