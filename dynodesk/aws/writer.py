"""The ways to write: a guarded write of one item, and a batch without conditions. Each is sent once.

Nothing is ever sent again here. An increment whose reply was lost may have been applied; whether it was can only be
found out by reading the item back, and that is the caller's part.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from dynodesk.aws.calls import CALL_SECONDS, send
from dynodesk.aws.consumption import consumed
from dynodesk.aws.faults import fault_of
from dynodesk.aws.in_time import OutOfTimeError
from dynodesk.aws.wire import BODY, Wire, damaged, item_of, key_of, list_of
from dynodesk.domain.batches import PlainWrite, batch_request
from dynodesk.domain.capacity import Meter
from dynodesk.domain.collections import identity
from dynodesk.domain.errors import OutcomeUnknown
from dynodesk.domain.progress import Ticket
from dynodesk.domain.requests import value_to_request
from dynodesk.domain.write_requests import request_of
from dynodesk.domain.writes import (
    Applied,
    GuardedDelete,
    GuardedMove,
    GuardedPut,
    GuardedUpdate,
    GuardedWrite,
    NotAsExpected,
)

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients

_REFUSED = "ConditionalCheckFailed"


class GuardedWriter:
    """A `TableWriter`."""

    def __init__(self, clients: Clients, meter: Meter, *, seconds: float = CALL_SECONDS) -> None:
        self._client = clients.writes
        self._meter = meter
        self._seconds = seconds

    def write(self, write: GuardedWrite) -> Applied | NotAsExpected:
        with self._classified(write.operation, write.table):
            try:
                body = self._sent(write.operation, write.table, _parameters(write))
            except ClientError as error:
                refusal = _refusal(error, write)
                if refusal is None:
                    raise
                return refusal
            return Applied(_left(write, body))

    def write_batch(self, table: str, writes: Sequence[PlainWrite]) -> tuple[PlainWrite, ...]:
        with self._classified("BatchWriteItem", table):
            parameters = batch_request(table, writes, value_to_request) | {"ReturnConsumedCapacity": "INDEXES"}
            return _left_out(self._sent("BatchWriteItem", table, parameters), table, writes)

    def _sent(self, operation: str, table: str, parameters: Wire) -> Wire:
        reply = send(self._client, operation, parameters, self._seconds, Ticket())
        self._meter.called(consumed(operation, table, None, reply.body))
        return reply.body

    @contextlib.contextmanager
    def _classified(self, operation: str, table: str) -> Iterator[None]:
        """Every error as one of ours, which says whether anything may have been written."""
        try:
            yield
        except OutOfTimeError:
            raise _unknown(f"no answer within {self._seconds} s") from None
        except Exception as error:
            fault = fault_of(error, table=table, operation=operation)
            if not fault.not_written:
                raise _unknown(fault.error.details or fault.error.message) from error
            if fault.error is error:
                raise
            raise fault.error from error


def _left(write: GuardedWrite, body: Wire) -> dict[str, Any] | None:
    """The item as the write left it."""
    match write:
        case GuardedUpdate():
            return item_of(body.get("Attributes"), "the changed item")
        case GuardedPut():
            return dict(write.item)
        case GuardedDelete():
            return None
        case GuardedMove():
            return dict(write.put.item)


def _refusal(error: ClientError, write: GuardedWrite) -> NotAsExpected | None:
    """The reply that a condition did not hold; None for every other error."""
    response: Mapping[str, Any] = error.response
    code = response["Error"]["Code"]
    if code == f"{_REFUSED}Exception":
        return _found(response[BODY])
    reasons = response[BODY].get("CancellationReasons") if code == "TransactionCanceledException" else None
    if not isinstance(write, GuardedMove) or not isinstance(reasons, list) or len(reasons) != 2:
        return None
    # Reasons are in the order of the actions. Where both did not hold, it is the old item that counts.
    for reason, at_target in ((reasons[1], False), (reasons[0], True)):
        if isinstance(reason, dict) and reason.get("Code") == _REFUSED:
            return _found(reason, at_target=at_target)
    return None


def _found(refusal: Wire, *, at_target: bool = False) -> NotAsExpected:
    item = refusal.get("Item")
    return NotAsExpected(item_of(item, "the item found") if item else None, at_target)


def _left_out(body: Wire, table: str, writes: Sequence[PlainWrite]) -> tuple[PlainWrite, ...]:
    """Raises `DamagedReply` where the service leaves out what it was not given."""
    unprocessed = body.get("UnprocessedItems", {})
    if not isinstance(unprocessed, dict) or not {*unprocessed} <= {table}:
        raise damaged("its UnprocessedItems are not those of the table")
    by_identity = {write.identity: write for write in writes}
    left = []
    for request in list_of(unprocessed, table) if unprocessed else ():
        write = by_identity.pop(identity(_written(request), writes[0].key), None)
        if write is None:
            raise damaged("its UnprocessedItems have one that was not sent")
        left.append(write)
    return tuple(left)


def _written(request: object) -> dict[str, Any]:
    """The key, or the item, of one request that was left out."""
    match request:
        case {"DeleteRequest": {"Key": key}}:
            return {**key_of(key, "a request left out")}
        case {"PutRequest": {"Item": item}}:
            return item_of(item, "a request left out")
        case _:
            raise damaged("its UnprocessedItems make no sense")


def _unknown(details: str) -> OutcomeUnknown:
    return OutcomeUnknown(
        "The request was sent and no trustworthy answer came back.",
        hint="Read back what it wrote before anything else is done to it.",
        details=details,
    )


def _parameters(write: GuardedWrite) -> Wire:
    parameters = request_of(write, value_to_request)
    shown = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    if isinstance(write, GuardedMove):
        for action in parameters["TransactItems"]:
            for request in action.values():
                request.update(shown)
    else:
        parameters |= shown
    if isinstance(write, GuardedUpdate):
        parameters["ReturnValues"] = "ALL_NEW"
    return parameters | {"ReturnConsumedCapacity": "INDEXES"}
