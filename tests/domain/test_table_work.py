"""Changes of tables: noted first, sent once, looked for where no answer came."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from dynodesk.domain.errors import (
    CannotConnect,
    DynodeskError,
    InvalidRequest,
    NotAllowed,
    OutcomeUnknown,
    ServiceFailed,
    TableMissing,
)
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.table_changes import CreateIndex, CreateTable, DeleteIndex, DeleteTable, TableChange
from dynodesk.domain.table_work import INTENT, LOOKS, OUTCOME, TableHands, left_open
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableDetails, TableInfo
from tests.helpers.virtual_clock import VirtualClock

PLACE = Place("arn:user", "https://there", "eu-west-1")
KEYS = KeySchema((KeyAttribute("PK", "S"),))
SOCIAL = TableInfo("Social", KEYS, id="id-1")
INDEX = IndexInfo("by-time", "GSI", KeySchema((KeyAttribute("at", "N"),)), Projection("ALL"))
CREATE, DELETE = CreateTable("Social", KEYS), DeleteTable(SOCIAL)
CREATE_INDEX, DELETE_INDEX = CreateIndex(SOCIAL, INDEX), DeleteIndex(SOCIAL, "by-time")
OTHER_INDEX = replace(INDEX, key_schema=KeySchema((KeyAttribute("day", "S"),)))
WITH_INDEX = replace(SOCIAL, indexes=(INDEX,))


@dataclass(frozen=True)
class Entry:
    sequence: int
    at: str
    kind: str
    payload: dict[str, Any]


class MemoryJournal:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.refuse_from = 1_000

    def append(self, kind: str, payload: Any) -> None:
        if len(self.entries) >= self.refuse_from:
            raise DynodeskError("the disk is full")
        self.entries.append(Entry(len(self.entries) + 1, "now", kind, dict(payload)))

    def records(self) -> tuple[Entry, ...]:
        return tuple(self.entries)

    @property
    def outcomes(self) -> list[str]:
        return [entry.payload["outcome"] for entry in self.entries if entry.kind == OUTCOME]


@dataclass
class Service:
    """One table, or none; `sees` is what each look finds, the last one for good."""

    sees: list[TableInfo | DynodeskError | None]
    answers: DynodeskError | None = None
    on_send: Callable[[], object] | None = None
    sent: list[TableChange] = field(default_factory=list)

    def table_names(self, ticket: Ticket) -> tuple[str, ...]:
        raise NotImplementedError

    def time_to_live(self, table: str, ticket: Ticket) -> str | None:
        raise NotImplementedError

    def details(self, table: str, ticket: Ticket) -> TableDetails:
        raise NotImplementedError

    def describe(self, table: str, ticket: Ticket) -> TableInfo:
        found = self.sees.pop(0) if len(self.sees) > 1 else self.sees[0]
        if found is None:
            raise TableMissing(f"{table} does not exist.")
        if isinstance(found, DynodeskError):
            raise found
        return found

    def send(self, change: TableChange) -> None:
        self.sent.append(change)
        if self.on_send is not None:
            self.on_send()
        if self.answers is not None:
            raise self.answers


def hands(service: Service, journal: MemoryJournal | None = None, clock: VirtualClock | None = None) -> TableHands:
    return TableHands(PLACE, service, service, journal or MemoryJournal(), clock or VirtualClock())


def test_it_is_noted_before_it_is_sent_and_then_what_came_of_it() -> None:
    journal = MemoryJournal()
    noted: list[int] = []
    service = Service([None], on_send=lambda: noted.append(len(journal.entries)))
    hands(service, journal).carry_out(CREATE, Ticket())
    assert noted == [1]
    intent, outcome = journal.entries
    assert (intent.kind, outcome.kind) == (INTENT, OUTCOME)
    assert intent.payload["request"]["TableName"] == "Social"
    assert (intent.payload["operation"], intent.payload["endpoint"]) == ("CreateTable", "https://there")
    assert outcome.payload == {"id": intent.payload["id"], "outcome": "accepted", "why": ""}


def test_nothing_is_sent_that_the_journal_does_not_hold() -> None:
    journal = MemoryJournal()
    journal.refuse_from = 0
    service = Service([None])
    with pytest.raises(DynodeskError, match="disk is full"):
        hands(service, journal).carry_out(CREATE, Ticket())
    assert service.sent == []


def test_a_journal_that_fails_after_sending_says_that_it_was_done() -> None:
    journal = MemoryJournal()
    journal.refuse_from = 1
    with pytest.raises(DynodeskError) as raised:
        hands(Service([None]), journal).carry_out(CREATE, Ticket())
    assert raised.value.written == "applied"


def test_a_refusal_is_noted_and_nothing_is_changed() -> None:
    journal = MemoryJournal()
    with pytest.raises(NotAllowed) as raised:
        hands(Service([SOCIAL], NotAllowed("no")), journal).carry_out(DELETE, Ticket())
    assert raised.value.written == "nothing"
    assert journal.outcomes == ["refused"]


def test_cancelled_before_it_is_sent_leaves_no_trace() -> None:
    journal, ticket = MemoryJournal(), Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        hands(Service([SOCIAL]), journal).carry_out(DELETE, ticket)
    assert journal.entries == []


@pytest.mark.parametrize(
    ("change", "found", "error", "says"),
    [
        (CREATE, SOCIAL, InvalidRequest, "There is a table Social already"),
        (DELETE, None, TableMissing, "not there any more"),
        (DELETE, replace(SOCIAL, id="id-2"), InvalidRequest, "made anew since"),
        (DELETE, replace(SOCIAL, is_protected=True), InvalidRequest, "protected"),
        (CREATE_INDEX, WITH_INDEX, InvalidRequest, "There is an index by-time already"),
        (DELETE_INDEX, SOCIAL, InvalidRequest, "no index by-time any more"),
        (DeleteIndex(WITH_INDEX, "by-time"), replace(SOCIAL, indexes=(OTHER_INDEX,)), InvalidRequest, "has other keys"),
        (DELETE, NotAllowed("may not describe"), NotAllowed, "may not describe"),
    ],
)
def test_what_must_not_be_sent(
    change: TableChange, found: TableInfo | DynodeskError | None, error: type[DynodeskError], says: str
) -> None:
    service = Service([found])
    journal = MemoryJournal()
    with pytest.raises(error, match=says):
        hands(service, journal).carry_out(change, Ticket())
    assert service.sent == []
    assert journal.entries == []


LOST = OutcomeUnknown("no answer")


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (CREATE, None, replace(SOCIAL, status="CREATING")),
        (DELETE, SOCIAL, replace(SOCIAL, status="DELETING")),
        (DELETE, SOCIAL, None),
        (DELETE, SOCIAL, replace(SOCIAL, id="id-2")),
        (CREATE_INDEX, SOCIAL, replace(SOCIAL, indexes=(replace(INDEX, status="CREATING"),))),
        (DELETE_INDEX, WITH_INDEX, replace(SOCIAL, indexes=(replace(INDEX, status="DELETING"),))),
        (DELETE_INDEX, WITH_INDEX, SOCIAL),
    ],
)
def test_a_lost_answer_is_found_out_by_looking(
    change: TableChange, before: TableInfo | None, after: TableInfo | None
) -> None:
    service, journal = Service([before, before, CannotConnect("gone for a moment"), after], LOST), MemoryJournal()
    hands(service, journal).carry_out(change, Ticket())
    assert len(service.sent) == 1
    assert journal.outcomes == ["unknown", "accepted"]
    assert list(left_open(journal.records(), PLACE)) == []


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (CREATE, None, None),
        (CREATE, None, replace(SOCIAL, key_schema=KeySchema((KeyAttribute("other", "S"),)))),
        (DELETE, SOCIAL, SOCIAL),
        (CREATE_INDEX, SOCIAL, replace(SOCIAL, id="id-2")),
        (DELETE_INDEX, WITH_INDEX, None),
        (DELETE, SOCIAL, CannotConnect("gone")),
    ],
)
def test_a_lost_answer_that_stays_unknown_is_never_sent_again(
    change: TableChange, before: TableInfo | None, after: TableInfo | DynodeskError | None
) -> None:
    service, journal, clock = Service([before, after], LOST), MemoryJournal(), VirtualClock()
    began = clock.now()
    with pytest.raises(OutcomeUnknown, match="not sent again"):
        hands(service, journal, clock).carry_out(change, Ticket())
    assert len(service.sent) == 1
    assert clock.now() - began == sum(LOOKS)
    assert journal.outcomes == ["unknown"]
    assert [trace.table for trace in left_open(journal.records(), PLACE)] == ["Social"]


def test_what_an_earlier_program_left_open_is_settled_first() -> None:
    journal = MemoryJournal()
    with pytest.raises(OutcomeUnknown):
        hands(Service([SOCIAL], LOST), journal).carry_out(DELETE, Ticket())
    other = replace(PLACE, endpoint="https://elsewhere")
    assert list(left_open(journal.records(), other)) == []
    hands(Service([None]), journal).carry_out(CREATE, Ticket())
    assert journal.outcomes == ["unknown", "accepted", "accepted"]
    assert list(left_open(journal.records(), PLACE)) == []


def test_what_was_done_to_a_table_is_told_newest_first() -> None:
    journal = MemoryJournal()
    hands(Service([None]), journal).carry_out(CREATE, Ticket())
    hands(Service([None]), journal).carry_out(replace(CREATE, table="Other"), Ticket())
    with pytest.raises(NotAllowed):
        hands(Service([SOCIAL], NotAllowed("no right")), journal).carry_out(CREATE_INDEX, Ticket())
    with pytest.raises(OutcomeUnknown):
        hands(Service([SOCIAL], LOST), journal).carry_out(DELETE, Ticket())
    past = hands(Service([None]), journal).past("Social")
    assert [(one.what, one.outcome, one.why) for one in past] == [
        ("delete table", "unknown", "no answer"),
        ("create index by-time", "refused", "no right [not-allowed]"),
        ("create table", "accepted", ""),
    ]
    journal.entries = journal.entries[:1]  # as a program leaves it that was killed while it sent
    assert [one.outcome for one in hands(Service([None]), journal).past("Social")] == ["unknown"]
    assert hands(Service([None]), journal).past("Else") == ()


def waited(change: TableChange, *sees: TableInfo | None) -> tuple[TableInfo | None, list[str]]:
    notes: list[str] = []

    class Listening(Ticket):
        def checkpoint(self, progress: Progress | None = None) -> None:
            super().checkpoint()
            if progress is not None:
                notes.append(progress.note.rpartition(" · ")[0])

    return hands(Service(list(sees))).wait(change, Listening()), notes


def test_waiting_for_a_table_and_its_indexes() -> None:
    creating = replace(INDEX, status="CREATING")
    made, notes = waited(
        CREATE,
        None,
        replace(SOCIAL, status="CREATING"),
        replace(SOCIAL, indexes=(creating,)),
        WITH_INDEX,
    )
    assert made == WITH_INDEX
    assert notes == ["Social is being made", "Social is creating", "Its index by-time is being made"]


def test_waiting_for_an_index_tells_how_far_it_is() -> None:
    creating = replace(INDEX, status="CREATING")
    filling = replace(creating, is_backfilling=True)
    made, notes = waited(
        CREATE_INDEX,
        SOCIAL,
        replace(SOCIAL, status="UPDATING", indexes=(creating,)),
        replace(SOCIAL, indexes=(filling,)),
        replace(SOCIAL, indexes=(replace(filling, item_count_estimate=1204),)),
        WITH_INDEX,
    )
    assert made == WITH_INDEX
    assert notes == [
        "by-time is being made",
        "by-time is being made: its resources are set up",
        "by-time is being filled with the items that are there",
        "by-time is being filled with the items that are there, about 1,204 so far",
    ]


def test_waiting_for_what_is_deleted() -> None:
    deleting = replace(INDEX, status="DELETING")
    assert waited(DELETE, SOCIAL, replace(SOCIAL, status="DELETING"), None)[0] is None
    assert waited(DELETE, SOCIAL, replace(SOCIAL, id="id-2"))[1] == ["Social is being deleted"]
    made, notes = waited(DELETE_INDEX, WITH_INDEX, replace(SOCIAL, indexes=(deleting,)), SOCIAL)
    assert made == SOCIAL
    assert notes == ["by-time is being deleted"] * 2


@pytest.mark.parametrize(("change", "sees"), [(CREATE, None), (CREATE_INDEX, SOCIAL), (CREATE_INDEX, None)])
def test_waiting_ends_where_nothing_comes(change: TableChange, sees: TableInfo | None) -> None:
    with pytest.raises(ServiceFailed, match="not there") as raised:
        waited(change, sees)
    assert raised.value.written == "applied"


def test_waiting_can_be_ended() -> None:
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        hands(Service([replace(SOCIAL, status="CREATING")])).wait(CREATE, ticket)
