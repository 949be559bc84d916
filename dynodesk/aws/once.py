"""Writes sent once, and every error told apart by whether anything may have been written.

Nothing is ever sent again here. An increment whose reply was lost may have been applied; whether it was can only be
found out by reading the item back, or by a token, and that is the caller's part.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dynodesk.aws.calls import CALL_SECONDS, Reply, send
from dynodesk.aws.consumption import consumed
from dynodesk.aws.faults import fault_of
from dynodesk.aws.in_time import OutOfTimeError
from dynodesk.aws.wire import Wire, item_of
from dynodesk.domain.capacity import Consumed, Meter
from dynodesk.domain.errors import OutcomeUnknown
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Item

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients

REFUSED = "ConditionalCheckFailed"
"""What a cancelled transaction says of an action whose condition does not hold."""
CANCELLED = "TransactionCanceledException"


class Once:
    """Through the client of a connection that writes, where it does. `meter` counts what replies say of units."""

    def __init__(self, clients: Clients, meter: Meter, seconds: float = CALL_SECONDS) -> None:
        self._clients = clients
        self._meter = meter
        self._seconds = seconds

    def sent(
        self, operation: str, table: str, parameters: Wire, index: str | None = None
    ) -> tuple[Reply, tuple[Consumed, ...]]:
        """The reply, and the units that it tells of. Raises what botocore raises: call it within `classified`."""
        reply = send(self._clients, operation, parameters, self._seconds, Ticket())
        parts = consumed(operation, table, index, reply.body)
        self._meter.called(parts)
        return reply, parts

    @contextlib.contextmanager
    def classified(self, operation: str, table: str) -> Iterator[None]:
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


def found_in(refusal: Wire) -> Item | None:
    """The item that a refusal shows; None where there is none, or where it shows none. Raises `DamagedReply`."""
    item = refusal.get("Item")
    return item_of(item, "the item found") if item else None


def _unknown(details: str) -> OutcomeUnknown:
    return OutcomeUnknown(
        "The request was sent and no trustworthy answer came back.",
        hint="Read back what it wrote before anything else is done to it.",
        details=details,
    )
