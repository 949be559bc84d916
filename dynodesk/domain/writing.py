"""One guarded write from intent to certainty: a pure state machine, and what carries out its requests.

What is about to be sent is in the journal before it is sent, and sent once. A refusal for a conflict or for want of
capacity wrote nothing, so that the same may be tried again, as a try of its own in the journal. Where no trustworthy
answer came, the item is read: its marker tells. Without a marker an item that looks as if the write was applied may owe
that to somebody else, so the children have to be counted before it is believed (`likely`). A try that was not applied
is repeated with the same condition: should the first one arrive late, one of the two finds its condition broken, and
of two moves with one token the service does one.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Literal

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.clock import Clock
from dynodesk.domain.digests import digest_of
from dynodesk.domain.errors import Busy, DynodeskError, OutcomeUnknown, Throttled
from dynodesk.domain.ports import ItemReader
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.repairs import Recorder
from dynodesk.domain.tries import MAX_TRIES, Pause, Waited
from dynodesk.domain.values import Item
from dynodesk.domain.writes import (
    Applied,
    GuardedMove,
    GuardedWrite,
    ItemWriter,
    NotAsExpected,
    effect_on,
    write_to_json,
)

INTENT, OUTCOME = "intent", "outcome"
"""Kinds of records: what is about to be sent, and what is known to have become of it."""

# ------------------------------------------------------------------------------------------------------- requests


@dataclass(frozen=True, slots=True)
class Record:
    """Add this to the journal, and go on when it is on the disk."""

    kind: str
    payload: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Send:
    """Send it, once."""

    write: GuardedWrite


@dataclass(frozen=True, slots=True)
class ReadBack:
    """Read the item in a strongly consistent read; of a move then what has the new key."""


Request = Record | Send | ReadBack | Pause

# -------------------------------------------------------------------------------------------------------- replies


@dataclass(frozen=True, slots=True)
class Recorded:
    pass


@dataclass(frozen=True, slots=True)
class Failed:
    """The journal, the writer or the reader could not do what was asked."""

    fault: DynodeskError


@dataclass(frozen=True, slots=True)
class ItemSeen:
    item: Item | None
    target: Item | None = None
    """What has a move's new key."""


Reply = Recorded | Applied | NotAsExpected | Failed | ItemSeen | Waited

# ---------------------------------------------------------------------------------------------------------- state


class _Next(Enum):
    INTENT = "note what is about to be sent"
    SEND = "send it"
    OUTCOME = "note what came back"
    READ_BACK = "read whether it was applied"
    RESOLUTION = "note what the item says"
    PAUSE = "pause before the next try"


Ending = Literal["applied", "likely", "settled", "lost race", "not applied", "refused", "unknown", "unclear"]


@dataclass(frozen=True, slots=True)
class Written:
    """How a write ended.

    `likely`: it looks applied, and only a count of the children can say more; `settled`: it has. `unknown`: nothing
    says so far whether it was applied. `unclear`: nothing ever will.
    """

    ending: Ending
    reason: str = ""
    tries: int = 0
    seen: Item | None = None
    """The item as the last reply or read showed it: as it was left where it was applied, as found where not."""
    at_target: bool = False
    """Of a move that lost its race: `seen` is an item that has the new key already."""
    fault: DynodeskError | None = None
    """Why it was refused."""


class StoppedBetweenTries(Cancelled):
    """Cancelled in a pause: nothing is on its way that was not given up."""

    def __init__(self, *, is_doubtful: bool) -> None:
        super().__init__()
        self.is_doubtful = is_doubtful
        """Whether an earlier try may be applied yet: the journal keeps it open."""


@dataclass(frozen=True, slots=True)
class Write:
    """Where one write stands. `request` is what it waits for; `after` takes the reply to it."""

    id: str
    guarded: GuardedWrite
    marker: AttributePath | None = None
    """The attribute that an update sets to what nobody else sets it to."""
    about: Mapping[str, object] = field(default_factory=dict)
    """What else the journal is to say of it."""
    tries: int = 1
    is_doubtful: bool = False
    """Whether an earlier try may be on its way still."""
    may_try_again: bool = True
    came_back: Written | None = None
    """What to end with, once that is noted; None: another try."""
    next: _Next = _Next.INTENT
    said: str = ""

    @classmethod
    def left_open(cls, id_: str, guarded: GuardedWrite, marker: AttributePath | None, tries: int) -> Write:
        """A write that an earlier program left without an outcome: it is resolved, and never sent again."""
        return cls(id_, guarded, marker, tries=tries, is_doubtful=True, may_try_again=False, next=_Next.READ_BACK)

    @property
    def is_open(self) -> bool:
        """Whether something was sent whose outcome is not in the journal."""
        return self.next in {_Next.OUTCOME, _Next.READ_BACK, _Next.RESOLUTION}

    @property
    def request(self) -> Request:
        match self.next:
            case _Next.INTENT:
                about = {**self.about, "id": self.id, "try": self.tries, **write_to_json(self.guarded)}
                return Record(INTENT, {**about, "marker": self.marker and list(self.marker.names)})
            case _Next.SEND:
                return Send(self.guarded)
            case _Next.OUTCOME | _Next.RESOLUTION:
                # What one read or refusal says holds for now: an earlier try may be on its way still, and the journal
                # keeps the write open until a later one has settled it.
                so_far = "unknown" if self.is_doubtful else "not applied"
                ending = self.came_back.ending if self.came_back else so_far
                why = self.came_back.reason if self.came_back else self.said
                payload = {"id": self.id, "try": self.tries, "outcome": ending, "why": why}
                return Record(OUTCOME, {**payload, **left_as(self.came_back)})
            case _Next.READ_BACK:
                return ReadBack()
            case _Next.PAUSE:
                return Pause.after(self.tries)

    def after(self, reply: Reply) -> Write | Written:
        """The next state, or the end. Raises `TypeError` for a reply to something that was not asked."""
        match self.next, reply:
            case _Next.INTENT, Recorded():
                return replace(self, next=_Next.SEND)
            case _Next.INTENT, Failed(fault):
                return replace(self._refused(fault.message, fault), tries=self.tries - 1)
            case _Next.SEND, (Applied() | NotAsExpected() | Failed()):
                return replace(self, came_back=self._came_back(reply), said=_said(reply), next=_Next.OUTCOME)
            case ((_Next.OUTCOME | _Next.RESOLUTION), Recorded()):
                if self.came_back is None:
                    return replace(self, next=_Next.PAUSE)
                if self.came_back.ending == "unknown" and self.next is _Next.OUTCOME:
                    return replace(self, is_doubtful=True, next=_Next.READ_BACK)
                return self.came_back
            case ((_Next.OUTCOME | _Next.RESOLUTION), Failed(fault)):
                return Written("unknown", f"sent, and the journal could not say what came of it: {fault}", self.tries)
            case _Next.READ_BACK, ItemSeen(item, target):
                return self._read_back(item, target)
            case _Next.READ_BACK, Failed(fault):
                return Written("unknown", f"the item could not be read back: {fault.message}", self.tries)
            case _Next.PAUSE, Waited():
                return replace(self, tries=self.tries + 1, came_back=None, next=_Next.INTENT)
            case _:
                raise TypeError(f"{reply!r} does not answer {self.request!r}")

    def _came_back(self, reply: Reply) -> Written | None:
        match reply:
            case Applied(item):
                return Written("applied", "", self.tries, item)
            case NotAsExpected(found, at_target):
                effect = "unclear" if at_target else effect_on(found, self.guarded, self.marker)
                if effect == "applied":
                    return Written("applied", "an earlier try had arrived", self.tries, found)
                if self.is_doubtful and effect != "not applied":
                    return Written("unknown", "the item has changed since an earlier try", self.tries)
                words = "there is an item with the new key" if at_target else "the item is not as it was"
                return Written("lost race", words, self.tries, found, at_target)
            case Failed(OutcomeUnknown() as fault):
                return Written("unknown", fault.details or fault.message, self.tries)
            case Failed((Busy() | Throttled()) as fault):
                if self._has_tries:
                    return None
                ending: Ending = "unknown" if self.is_doubtful else "lost race"
                return replace(self._refused(fault.message, fault), ending=ending)
            case Failed(fault):
                return self._refused(f"{fault.message} [{fault.code}]", fault)
            case _:
                raise TypeError(f"{reply!r} does not answer {self.request!r}")

    def _read_back(self, item: Item | None, target: Item | None) -> Write | Written:
        match effect_on(item, self.guarded, self.marker, target=target):
            case "applied":
                found = Written("applied", "its marker is in the item", self.tries, item)
            case "not applied" if self._has_tries:
                return replace(self, came_back=None, said="the item is as it was", next=_Next.RESOLUTION)
            case "not applied":
                ending: Ending = "unknown" if self.may_try_again else "not applied"
                found = Written(ending, "the item is as it was", self.tries, item)
            case "likely":
                # Not noted yet: the journal holds what is known.
                seen = target if isinstance(self.guarded, GuardedMove) else item
                return Written("likely", "the item looks as it should afterwards", self.tries, seen)
            case "unclear":
                words = "it does not exist any more" if item is None else "others have changed it since"
                found = Written("unclear", f"the item does not say whether it was applied: {words}", self.tries, item)
        return replace(self, came_back=found, next=_Next.RESOLUTION)

    def _refused(self, why: str, fault: DynodeskError) -> Written:
        """This try wrote nothing. An earlier one may have."""
        if self.is_doubtful:
            return Written("unknown", f"an earlier try may have been applied; then: {why}", self.tries)
        return Written("refused", why, self.tries, fault=fault)

    @property
    def _has_tries(self) -> bool:
        return self.may_try_again and self.tries < MAX_TRIES


def left_as(written: Written | None) -> dict[str, object]:
    """What an outcome says of the item as the write left it: a digest, so that who undoes it sees whether it still is.

    None: it was left without an item.
    """
    if written is None or written.ending not in {"applied", "likely"}:
        return {}
    return {"left": None if written.seen is None else digest_of([written.seen])}


def _said(reply: Reply) -> str:
    return reply.fault.message if isinstance(reply, Failed) else ""


# -------------------------------------------------------------------------------------------------------- carried out


@dataclass(frozen=True, slots=True)
class Hands:
    """What carries out requests."""

    reader: ItemReader
    writer: ItemWriter
    journal: Recorder
    clock: Clock
    chance: random.Random

    def write(self, write: Write, ticket: Ticket) -> Written:
        """To its end. Cancelling ends it between two tries only, then raises `StoppedBetweenTries`."""
        while True:
            try:
                reply = self._reply(write.request, write, ticket)
            except Cancelled:
                raise StoppedBetweenTries(is_doubtful=write.is_doubtful) from None
            after = write.after(reply)
            if isinstance(after, Written):
                return after
            write = after

    def _reply(self, request: Request, write: Write, ticket: Ticket) -> Reply:
        try:
            match request:
                case Record(kind, payload):
                    self.journal.append(kind, payload)
                    return Recorded()
                case Send(guarded):
                    return self.writer.write(guarded)
                case ReadBack():
                    return self._read_back(write.guarded)
                case Pause(ceiling):
                    self.clock.sleep(self.chance.uniform(0, ceiling), ticket)
                    return Waited()
        except DynodeskError as fault:
            return Failed(fault)

    def _read_back(self, guarded: GuardedWrite) -> ItemSeen:
        # In this order: where the old item is gone, the new one has been there from that moment on.
        item = self.reader.get(guarded.table, guarded.key, consistent=True)
        if not isinstance(guarded, GuardedMove):
            return ItemSeen(item)
        return ItemSeen(item, self.reader.get(guarded.put.table, guarded.put.key, consistent=True))
