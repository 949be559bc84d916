"""The one way to write: an update of one existing item, sent once, only if the item is as expected.

Nothing is ever sent again here. An increment whose reply was lost may have been applied; whether it was can only be
found out by reading the item back, and that is the caller's part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from dynodesk.aws.calls import CALL_SECONDS, Reply, send
from dynodesk.aws.consumption import consumed
from dynodesk.aws.faults import fault_of
from dynodesk.aws.in_time import OutOfTimeError
from dynodesk.aws.wire import BODY, Wire, item_of, to_request, value_to_request
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import OutcomeUnknown
from dynodesk.domain.progress import Ticket
from dynodesk.domain.writes import Applied, GuardedUpdate, NotAsExpected, expressions

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients


class GuardedWriter:
    """An `ItemWriter`."""

    def __init__(self, clients: Clients, meter: Meter, *, seconds: float = CALL_SECONDS) -> None:
        self._client = clients.writes
        self._meter = meter
        self._seconds = seconds

    def update(self, update: GuardedUpdate) -> Applied | NotAsExpected:
        parameters = _parameters(update)
        try:
            reply = send(self._client, "UpdateItem", parameters, self._seconds, Ticket())
            return self._applied(update, reply)
        except OutOfTimeError:
            raise _unknown(f"no answer within {self._seconds} s") from None
        except Exception as error:
            if isinstance(error, ClientError) and (refusal := _refusal(error)) is not None:
                found = refusal.get("Item")
                return NotAsExpected(item_of(found, "the item found") if found else None)
            fault = fault_of(error, table=update.table, operation="UpdateItem")
            if not fault.not_written:
                raise _unknown(fault.error.details or fault.error.message) from error
            if fault.error is error:
                raise
            raise fault.error from error

    def _applied(self, update: GuardedUpdate, reply: Reply) -> Applied:
        self._meter.called(consumed("UpdateItem", update.table, None, reply.body))
        return Applied(item_of(reply.body.get("Attributes"), "the changed item"))


def _refusal(error: ClientError) -> Wire | None:
    """The reply that the condition did not hold; None for every other error."""
    response: Mapping[str, Any] = error.response
    return response[BODY] if response["Error"]["Code"] == "ConditionalCheckFailedException" else None


def _unknown(details: str) -> OutcomeUnknown:
    return OutcomeUnknown(
        "The update was sent and no trustworthy answer came back.",
        hint="Read the item back before anything else is done to it.",
        details=details,
    )


def _parameters(update: GuardedUpdate) -> Wire:
    words = expressions(update)
    return {
        "TableName": update.table,
        "Key": to_request(update.key),
        "UpdateExpression": words.update,
        "ConditionExpression": words.condition,
        "ExpressionAttributeNames": words.names,
        "ExpressionAttributeValues": {
            placeholder: value_to_request(value) for placeholder, value in words.values.items()
        },
        "ReturnValues": "UPDATED_NEW",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "ReturnConsumedCapacity": "INDEXES",
    }
