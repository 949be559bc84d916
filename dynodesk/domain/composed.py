"""What sends composed requests, and what can come of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dynodesk.domain.actions import ComposedRequest
from dynodesk.domain.capacity import Consumed
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Item


@dataclass(frozen=True, slots=True)
class Done:
    """The service did all of it, or gives what it was asked for."""

    items: tuple[Item | None, ...]
    """Of a read: one for each action, None where there is no item; of a SELECT those found.

    Of an UpdateItem the item as it is now, of a PutItem and a DeleteItem the one that was there before. Of a
    transaction that writes none.
    """
    consumed: tuple[Consumed, ...]
    """For each table and index, as the service says."""
    seconds: float
    request_id: str
    goes_on: bool = False
    """Whether a SELECT has more than this page."""


@dataclass(frozen=True, slots=True)
class ActionReason:
    """What a cancelled transaction says of one action."""

    code: str
    """`None`, `ConditionalCheckFailed`, `TransactionConflict`, ..."""
    message: str
    found: Item | None
    """The item as it is, where the service shows it."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was written, for what the items are like. A single request has one reason: its condition did not hold."""

    reasons: tuple[ActionReason, ...]
    """One for each action, in their order."""
    consumed: tuple[Consumed, ...]
    seconds: float
    request_id: str

    @property
    def will_pass(self) -> bool:
        """Whether others were in the way, or capacity was missing: nothing that is in the items."""
        return all(reason.code in _PASSING for reason in self.reasons)


_PASSING = frozenset(
    {"None", "TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError", "ThrottlingException"}
)
"""Codes of reasons that are gone a moment later."""


class RequestSender(Protocol):
    def send(self, request: ComposedRequest, ticket: Ticket) -> Done | Refused:
        """Send it once. A write cannot be cancelled once it is on its way.

        Raises `OutcomeUnknown` where a write may or may not have been done; every other error means that nothing was
        written: `InvalidRequest`, `ReadOnly`, `Throttled`, `Busy`, `NotAllowed`, `TableMissing`, `CannotConnect`, ...
        """
