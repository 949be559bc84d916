"""The one way to write: an update of one existing item, sent once, only if the item is as expected.

Nothing is ever sent again here. An increment whose reply was lost may have been applied; whether it was can only be
found out by reading the item back, and that is the caller's part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from dynodesk.aws.calls import CALL_SECONDS, Reply, send
from dynodesk.aws.consumption import consumed
from dynodesk.aws.expressions import Placeholders
from dynodesk.aws.faults import fault_of
from dynodesk.aws.in_time import OutOfTimeError
from dynodesk.aws.wire import BODY, Wire, item_of, to_request
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import InvalidRequest, OutcomeUnknown
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item, Number, Value

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients


@dataclass(frozen=True, slots=True)
class GuardedUpdate:
    """A change to one item, and how the item must look for it."""

    table: str
    key: Key
    expected: Mapping[str, Value | None]
    """Attribute to the value it must have; None: it must not be there. Never empty: no update without a condition."""
    add: Mapping[str, Number] = field(default_factory=dict)
    """Attribute to what is added to its number."""
    put: Mapping[str, Value] = field(default_factory=dict)
    """Attribute to its new value."""


@dataclass(frozen=True, slots=True)
class Applied:
    changed: Item
    """The changed attributes with their new values."""


@dataclass(frozen=True, slots=True)
class NotAsExpected:
    """The condition did not hold: nothing was written."""

    found: Item | None
    """The item as it is; None where it does not exist, or where the endpoint does not show it."""


class GuardedWriter:
    def __init__(self, clients: Clients, meter: Meter, *, seconds: float = CALL_SECONDS) -> None:
        self._client = clients.writes
        self._meter = meter
        self._seconds = seconds

    def update(self, update: GuardedUpdate) -> Applied | NotAsExpected:
        """Send the update once. Cannot be cancelled: once it is on its way, only its outcome counts.

        Raises `OutcomeUnknown` where it may or may not have been applied. Every other error means that nothing was
        written: `InvalidRequest`, `ReadOnly`, `Throttled`, `Busy`, `NotAllowed`, `TableMissing`, `CannotConnect`, ...
        """
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
    """Raises `InvalidRequest` where the update has no condition, changes nothing, or changes its own key."""
    if not update.key or not update.expected:
        raise InvalidRequest("an update says which item it changes, and how that item must look")
    if not update.add and not update.put:
        raise InvalidRequest("an update changes at least one attribute")
    if (update.add.keys() | update.put.keys()) & update.key.keys() or update.add.keys() & update.put.keys():
        raise InvalidRequest("an update changes an attribute once, and none of the key")
    placeholders = Placeholders()
    name, value = placeholders.name, placeholders.value
    # Without this the update of an item that has just been deleted would bring it back as a ghost.
    conditions = [f"attribute_exists({name(next(iter(update.key)))})"]
    for attribute, expected in update.expected.items():
        if expected is None:
            conditions.append(f"attribute_not_exists({name(attribute)})")
        else:
            conditions.append(f"{name(attribute)} = {value(expected)}")
    clauses = []
    if update.put:
        clauses.append("SET " + ", ".join(f"{name(attribute)} = {value(new)}" for attribute, new in update.put.items()))
    if update.add:
        clauses.append(
            "ADD " + ", ".join(f"{name(attribute)} {value(number)}" for attribute, number in update.add.items())
        )
    return {
        "TableName": update.table,
        "Key": to_request(update.key),
        "UpdateExpression": " ".join(clauses),
        "ConditionExpression": " AND ".join(conditions),
        "ReturnValues": "UPDATED_NEW",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "ReturnConsumedCapacity": "INDEXES",
        **placeholders.parameters(),
    }
