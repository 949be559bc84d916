"""The ways to write what this program makes up: a guarded write of one item, and a batch without conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from dynodesk.aws.calls import CALL_SECONDS
from dynodesk.aws.once import CANCELLED, REFUSED, Once, found_in
from dynodesk.aws.wire import BODY, Wire, damaged, item_of, key_of, list_of
from dynodesk.domain.batches import PlainWrite, batch_request
from dynodesk.domain.capacity import Meter
from dynodesk.domain.collections import identity
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


class GuardedWriter:
    """A `TableWriter`. What it sends, it sends once."""

    def __init__(self, clients: Clients, meter: Meter, *, seconds: float = CALL_SECONDS) -> None:
        self._once = Once(clients, meter, seconds)

    def write(self, write: GuardedWrite) -> Applied | NotAsExpected:
        with self._once.classified(write.operation, write.table):
            try:
                reply, _ = self._once.sent(write.operation, write.table, _parameters(write))
            except ClientError as error:
                refusal = _refusal(error, write)
                if refusal is None:
                    raise
                return refusal
            return Applied(_left(write, reply.body))

    def write_batch(self, table: str, writes: Sequence[PlainWrite]) -> tuple[PlainWrite, ...]:
        with self._once.classified("BatchWriteItem", table):
            parameters = batch_request(table, writes, value_to_request) | {"ReturnConsumedCapacity": "INDEXES"}
            reply, _ = self._once.sent("BatchWriteItem", table, parameters)
            return _left_out(reply.body, table, writes)


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
    if code == f"{REFUSED}Exception":
        return NotAsExpected(found_in(response[BODY]))
    reasons = response[BODY].get("CancellationReasons") if code == CANCELLED else None
    if not isinstance(write, GuardedMove) or not isinstance(reasons, list) or len(reasons) != 2:
        return None
    # Reasons are in the order of the actions. Where both did not hold, it is the old item that counts.
    for reason, at_target in ((reasons[1], False), (reasons[0], True)):
        if isinstance(reason, dict) and reason.get("Code") == REFUSED:
            return NotAsExpected(found_in(reason), at_target)
    return None


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
