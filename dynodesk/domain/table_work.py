"""Changes of tables carried out: noted first, sent once, and looked for where no answer came.

The service takes no condition with these requests. So the table is looked at right before: what is made must not be
there yet, what is deleted must be the very table that was seen. Where no trustworthy answer comes back, the table is
looked at again until it shows what became of the request; it is never sent a second time.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Protocol

from dynodesk.domain.clock import Clock
from dynodesk.domain.errors import DynodeskError, InvalidRequest, OutcomeUnknown, ServiceFailed, TableMissing
from dynodesk.domain.ports import TableCatalog
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.repairs import JournalRecord, Place, Recorder
from dynodesk.domain.table_changes import (
    CreateIndex,
    CreateTable,
    DeleteIndex,
    DeleteTable,
    TableChange,
    operation,
    request,
)
from dynodesk.domain.tables import IndexInfo, TableDetails, TableInfo

INTENT, OUTCOME = "table change", "table change outcome"
"""Kinds of records: what is about to be sent, and what is known to have become of it."""

LOOKS = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between the looks for a request whose answer was lost: half a minute in all."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 5.0
"""Seconds between two looks while a change is made, the first and the longest."""
UNSEEN_SECONDS = 30
"""A table just made may not be described yet: for so long that is not taken for its end."""

Effect = Literal["done", "not done", "unclear"]


class Tables(Protocol):
    """Tables as a whole. Raises what `TableCatalog` names."""

    def details(self, table: str, ticket: Ticket) -> TableDetails:
        """Everything that can be asked about a table; a part that is refused holds the refusal."""

    def send(self, change: TableChange) -> None:
        """Send the request once. Cannot be cancelled.

        Raises `OutcomeUnknown` where it may or may not have been taken. Every other error means that nothing is
        changed: `InvalidRequest`, `ReadOnly`, `NotAllowed`, `Busy`, `CannotConnect`, ...
        """


class TableJournal(Recorder, Protocol):
    def records(self) -> Iterable[JournalRecord]:
        """All of them. Raises a `DynodeskError` where they are not what was written."""


@dataclass(frozen=True, slots=True)
class PastChange:
    """A change as the journal tells of it."""

    at: str
    """UTC, ISO 8601."""
    what: str
    """`create index by-time`."""
    outcome: str
    """accepted or refused; not done or unclear, as seen later; unknown where nobody has looked yet."""
    why: str


def describe_change(change: TableChange) -> str:
    """In words, as a title."""
    match change:
        case CreateTable():
            return f"Create table {change.table}"
        case DeleteTable():
            return f"Delete table {change.table}"
        case CreateIndex(_, index):
            return f"Create index {index.name} of {change.table}"
        case DeleteIndex(_, name):
            return f"Delete index {name} of {change.table}"


def done_words(change: TableChange) -> str:
    """What is true once it is made, in a sentence."""
    match change:
        case CreateTable():
            return f"The table {change.table} is active."
        case DeleteTable():
            return f"The table {change.table} is deleted."
        case CreateIndex(_, index):
            return f"The index {index.name} of {change.table} is active."
        case DeleteIndex(_, name):
            return f"The index {name} of {change.table} is deleted."


# ------------------------------------------------------------------------------------------------------------ effects


@dataclass(frozen=True, slots=True)
class Trace:
    """What the journal holds of a change: enough to find out later what became of it."""

    id: str
    what: Literal["create table", "delete table", "create index", "delete index"]
    table: str
    index: str
    table_id: str
    """Of the table that was there before; "" where there was none, or where the service tells no ids."""
    keys: tuple[str, ...]
    """Key attributes of what is made."""

    def effect(self, found: TableInfo | None) -> Effect:
        """What the table, read after the request was sent, says of whether it was taken."""
        match self.what:
            case "create table":
                if found is None:
                    return "not done"
                return "done" if found.key_schema.names == self.keys else "unclear"
            case "delete table":
                gone = found is None or found.status == "DELETING" or self._is_another(found)
                return "done" if gone else "not done"
            case _ if found is None or self._is_another(found):
                return "unclear"
            case "create index":
                index = found.index(self.index)
                if index is None:
                    return "not done"
                return "done" if index.key_schema.names == self.keys else "unclear"
            case "delete index":
                index = found.index(self.index)
                return "done" if index is None or index.status == "DELETING" else "not done"

    def _is_another(self, found: TableInfo) -> bool:
        return bool(self.table_id) and _identity(found) != self.table_id


def _identity(info: TableInfo) -> str:
    """Of a table among those of its name; the time it was made where the service tells no id."""
    return info.id or info.created


def _trace(change: TableChange) -> Trace:
    id_ = uuid.uuid4().hex
    match change:
        case CreateTable():
            return Trace(id_, "create table", change.table, "", "", change.key_schema.names)
        case DeleteTable(info):
            return Trace(id_, "delete table", change.table, "", _identity(info), ())
        case CreateIndex(info, index):
            return Trace(id_, "create index", change.table, index.name, _identity(info), index.key_schema.names)
        case DeleteIndex(info, name):
            return Trace(id_, "delete index", change.table, name, _identity(info), ())


def obstacle(change: TableChange, found: TableInfo | None) -> DynodeskError | None:
    """Why the change must not be sent to the table as it is found; None: it may."""
    if isinstance(change, CreateTable):
        return None if found is None else InvalidRequest(f"There is a table {change.table} already.")
    if found is None:
        return TableMissing(f"{change.table} is not there any more.", hint="Refresh the list of tables.")
    if _identity(found) != _identity(change.info):
        return InvalidRequest(
            f"{change.table} is not the table that was looked at: it was made anew since.", hint="Look at it again."
        )
    match change:
        case DeleteTable() if found.is_protected:
            return InvalidRequest(
                f"{change.table} is protected from being deleted.", hint="Switch its deletion protection off first."
            )
        case CreateIndex(_, index) if found.index(index.name) is not None:
            return InvalidRequest(f"There is an index {index.name} already.")
        case DeleteIndex(_, name) if found.index(name) is None:
            return InvalidRequest(f"There is no index {name} any more.")
        case DeleteIndex(info, name) if _is_other_index(info.index(name), found.index(name)):
            return InvalidRequest(
                f"The index {name} has other keys or attributes than the one that was looked at.",
                hint="Look at it again.",
            )
    return None


def _is_other_index(seen: IndexInfo | None, found: IndexInfo | None) -> bool:
    """Whether one of the same name was made anew, as far as that shows: an index has no id."""
    if seen is None or found is None:
        return False
    before, now = ((index.key_schema, index.projection.kind, {*index.projection.included}) for index in (seen, found))
    return before != now


# ------------------------------------------------------------------------------------------------------- carrying out


@dataclass(frozen=True, slots=True)
class TableHands:
    """Carries out changes of the tables of one connection."""

    place: Place
    catalog: TableCatalog
    tables: Tables
    journal: TableJournal
    clock: Clock

    def carry_out(self, change: TableChange, ticket: Ticket) -> None:
        """Returns once the service has taken it: `wait` tells when it is done. Cancelled only before it is sent.

        Raises `OutcomeUnknown` where that cannot be found out. After every other error nothing is changed, or the
        error says that it is.
        """
        ticket.checkpoint(Progress(0, note=f"Looking at {change.table}"))
        self._settle_earlier(change.table, ticket)
        refused = obstacle(change, self._found(change.table, ticket))
        if refused is not None:
            raise refused
        ticket.checkpoint(Progress(0, note="Sending the request"))
        trace = _trace(change)
        self.journal.append(
            INTENT, {**asdict(trace), **asdict(self.place), "operation": operation(change), "request": request(change)}
        )
        try:
            self.tables.send(change)
        except OutcomeUnknown as fault:
            self._note(trace, "unknown", fault.details or fault.message)
            self._resolve(trace, fault)
        except DynodeskError as fault:
            self._note(trace, "refused", f"{fault.message} [{fault.code}]")
            raise
        else:
            self._note(trace, "accepted")

    def wait(self, change: TableChange, ticket: Ticket) -> TableInfo | None:
        """Looks until the change is made, telling how far it is; the table as it is then, None where it is gone.

        Cancelling ends the looking; the change goes on. Raises what `TableCatalog` names, and `ServiceFailed` where
        what was to be made is gone again.
        """
        began, pause = self.clock.now(), FIRST_WAIT
        while True:
            try:
                found = self._found(change.table, ticket)
                state = _state(change, found, seconds := self.clock.now() - began)
            except DynodeskError as fault:
                fault.written = "applied"  # the service has taken it, whatever was seen since
                raise
            if state is None:
                return found
            ticket.checkpoint(Progress(0, note=f"{state} · {seconds:,.0f} s"))
            self.clock.sleep(pause, ticket)
            pause = min(LONGEST_WAIT, pause * 1.5)

    def past(self, table: str) -> tuple[PastChange, ...]:
        """What was done to a table from here, by its name. Raises a `DynodeskError` where the journal is damaged."""
        return past_changes(self.journal.records(), self.place, table)

    def _found(self, table: str, ticket: Ticket) -> TableInfo | None:
        try:
            return self.catalog.describe(table, ticket)
        except TableMissing:
            return None

    def _resolve(self, trace: Trace, fault: OutcomeUnknown) -> None:
        """Returns where the change is seen to be made. The ticket is one of its own: what was sent is followed up."""
        seen = "it could not be looked at"
        for seconds in LOOKS:
            self.clock.sleep(seconds, Ticket())
            try:
                effect = trace.effect(self._found(trace.table, Ticket()))
            except DynodeskError as failed:
                seen = failed.message
                continue
            if effect == "done":
                self._note(trace, "accepted", "no answer came; the change is seen to be made")
                return
            seen = "the table shows no sign of it" if effect == "not done" else "the table does not say"
        raise OutcomeUnknown(
            f"The request was sent, no answer came, and {seen}. It is not sent again.",
            hint="Look at the table again in a few minutes.",
            details=fault.details,
        ) from fault

    def _settle_earlier(self, table: str, ticket: Ticket) -> None:
        """Notes what became of requests for the table that an earlier program left open."""
        left = [trace for trace in left_open(self.journal.records(), self.place) if trace.table == table]
        if not left:
            return
        found = self._found(table, ticket)
        for trace in left:
            effect = trace.effect(found)
            self._note(trace, "accepted" if effect == "done" else effect, "looked for before the next change")

    def _note(self, trace: Trace, outcome: str, why: str = "") -> None:
        try:
            self.journal.append(OUTCOME, {"id": trace.id, "outcome": outcome, "why": why})
        except DynodeskError as fault:
            fault.written = "unknown" if outcome == "unknown" else "nothing" if outcome == "refused" else "applied"
            raise


def left_open(records: Iterable[JournalRecord], place: Place) -> Iterator[Trace]:
    """Changes at a place that were about to be sent, and of which nobody knows what became."""
    traces: dict[str, Trace] = {}
    for record in records:
        payload: Mapping[str, Any] = record.payload
        if record.kind == INTENT and _is_at(payload, place):
            known = {name: payload[name] for name in ("id", "what", "table", "index", "table_id")}
            traces[payload["id"]] = Trace(**known, keys=tuple(payload["keys"]))
        elif record.kind == OUTCOME and payload["outcome"] != "unknown":
            traces.pop(payload["id"], None)
    return iter(traces.values())


def past_changes(records: Iterable[JournalRecord], place: Place, table: str) -> tuple[PastChange, ...]:
    """Those of a table at a place, the newest first."""
    found: dict[str, PastChange] = {}
    for record in records:
        payload: Mapping[str, Any] = record.payload
        if record.kind == INTENT and payload["table"] == table and _is_at(payload, place):
            what = f"{payload['what']} {payload['index']}".rstrip()
            found[payload["id"]] = PastChange(record.at, what, "unknown", "no outcome was noted")
        elif record.kind == OUTCOME and payload["id"] in found:
            found[payload["id"]] = replace(found[payload["id"]], outcome=payload["outcome"], why=payload["why"])
    return tuple(reversed(found.values()))


def _is_at(payload: Mapping[str, Any], place: Place) -> bool:
    return all(payload[name] == value for name, value in asdict(place).items())


def _state(change: TableChange, found: TableInfo | None, seconds: float) -> str | None:
    """What the change is at, in words; None: it is made."""
    match change:
        case DeleteTable(info):
            is_gone = found is None or _identity(found) != _identity(info)
            return None if is_gone else f"{change.table} is being deleted"
        case CreateTable():
            if found is None:
                if seconds > UNSEEN_SECONDS:
                    raise ServiceFailed(f"{change.table} is not there: it was not made, or is deleted already.")
                return f"{change.table} is being made"
            pending = [index.name for index in found.indexes if index.status != "ACTIVE"]
            if found.status != "ACTIVE":
                return f"{change.table} is {found.status.lower()}"
            return f"Its index {pending[0]} is being made" if pending else None
        case CreateIndex(_, index):
            made = None if found is None else found.index(index.name)
            if made is None:
                if found is None or seconds > UNSEEN_SECONDS:
                    raise ServiceFailed(f"The index {index.name} is not there: making it has ended without it.")
                return f"{index.name} is being made"
            return None if made.status == "ACTIVE" and found and found.status == "ACTIVE" else backfill_words(made)
        case DeleteIndex(_, name):
            is_gone = found is None or found.index(name) is None
            return None if is_gone and (found is None or found.status == "ACTIVE") else f"{name} is being deleted"


def backfill_words(index: IndexInfo) -> str:
    """How far an index is, in words; the service counts what it has copied only now and then."""
    if index.status != "CREATING":
        return f"{index.name} is {index.status.lower()}"
    if not index.is_backfilling:
        return f"{index.name} is being made: its resources are set up"
    copied = f", about {index.item_count_estimate:,} so far" if index.item_count_estimate else ""
    return f"{index.name} is being filled with the items that are there{copied}"
