"""What a watch says of a write that leaves a tally wrong: what happened, to which item, and the likely bug."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, get_args

from dynodesk.domain.findings import signed
from dynodesk.domain.item_json import readable_key
from dynodesk.domain.streams import Event
from dynodesk.domain.tables import Key

NoticeKind = Literal["child alone", "tally alone", "jump", "expired", "orphans", "below zero", "no number", "gap"]
NOTICE_KINDS: tuple[NoticeKind, ...] = get_args(NoticeKind)
NOTICE_MEANINGS: dict[NoticeKind, str] = {
    "child alone": "A child was added, changed or deleted, and the tally did not follow.",
    "tally alone": "The tally was changed by one, and no child changed.",
    "jump": "The tally was changed by something else than what its children changed by.",
    "expired": "Time to Live deleted a child, and the tally did not follow.",
    "orphans": "The parent was deleted, and children that it had counted were not.",
    "below zero": "The tally fell below zero.",
    "no number": "The tally is no longer a number.",
    "gap": "Records of the stream were lost: what they would have shown is not known.",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that a watch saw."""

    kind: NoticeKind
    rule: str
    table: str
    at: float
    """When it happened, by the service's clock: seconds since 1970, rounded down to a second."""
    what: str
    """In words: `LIKE#7 was added, and likeTally did not follow within 5 s`."""
    event: Event | None = None
    """What was done to the item; None for a gap."""
    item: Key | None = None
    """The item that was changed; None for a gap."""
    parent: Key | None = None
    """The parent whose tally it is about; None for a gap, and where the captures make no key."""
    drift: Decimal | None = None
    """By how much the tally is off through this: stored minus real; None where that is no number."""
    cause: str = ""
    """The likely bug."""

    @property
    def item_text(self) -> str:
        return "" if self.item is None else readable_key(self.item)

    @property
    def parent_text(self) -> str:
        return "" if self.parent is None else readable_key(self.parent)

    @property
    def drift_text(self) -> str:
        return "" if self.drift is None else signed(self.drift)
