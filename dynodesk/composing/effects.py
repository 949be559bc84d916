"""What a composed write makes of the items that were there, and what items read afterwards say of it."""

from __future__ import annotations

from dynodesk.domain.actions import ComposedRequest, SingleWrite, TransactWrite
from dynodesk.domain.foretelling import foretell
from dynodesk.domain.values import Item
from dynodesk.domain.writes import Effect

Items = tuple[Item | None, ...]
"""One for each action of a request, in their order; None where there is no such item."""


def left_by(request: ComposedRequest, before: Items) -> Items | None:
    """The items as a write leaves those that were there; None where the service would refuse it for these."""
    if not isinstance(request, SingleWrite | TransactWrite):
        raise TypeError(f"{request.operation} has no actions that write")
    told = foretell(request, before)
    return told.after if told.is_done else None


def effect_of(request: ComposedRequest, before: Items, now: Items) -> Effect:
    """What the items, read after a write was sent, say of whether it was applied.

    `likely`: they are exactly as it makes them, and were not before; somebody else's write may have made them so.
    `not applied`: they are as they were, and what is late may change them yet. `unclear`: neither, or it makes no
    difference.
    """
    after = left_by(request, before)
    if after == before:
        return "unclear"
    if after is not None and now == after:
        return "likely"
    return "not applied" if now == before else "unclear"
