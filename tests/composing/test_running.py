"""Runs of composed requests: noted before they are sent, never doubled, and no more said than is known."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from dynodesk.composing.running import TOKEN_MARGIN, Sending
from dynodesk.domain.actions import (
    TOKEN_SECONDS,
    BoundStatement,
    CheckAction,
    ComposedRequest,
    DeleteAction,
    GetAction,
    PutAction,
    SingleGet,
    SingleStatement,
    SingleWrite,
    StatementTransaction,
    TransactWrite,
    UpdateAction,
)
from dynodesk.domain.composed import ActionReason, Done, Refused
from dynodesk.domain.errors import (
    Busy,
    DynodeskError,
    InvalidRequest,
    NotAllowed,
    OutcomeUnknown,
    ReadOnly,
    ServiceFailed,
    TableMissing,
    Throttled,
)
from dynodesk.domain.expressions import parse_changes, parse_where
from dynodesk.domain.progress import Cancelled
from dynodesk.domain.tries import MAX_TRIES
from dynodesk.domain.values import Item, Number, String
from tests.composing.request_bench import (
    COUNT,
    LIKE,
    LOST,
    META,
    TOKEN,
    UNREACHED,
    RequestBench,
    like,
    likes,
)
from tests.editing.edit_bench import post

CONFLICT = Refused(
    (ActionReason("TransactionConflict", "Transaction is ongoing for the item", None), ActionReason("None", "", None)),
    (),
    0.01,
    "",
)
LAST = TOKEN_SECONDS - TOKEN_MARGIN
"""Seconds after the first try in which the token is used."""


@pytest.fixture
def bench() -> RequestBench:
    return RequestBench(likes(41))


# ------------------------------------------------------------------------------------------------------------- answered


def test_a_transaction_that_is_done(bench: RequestBench) -> None:
    report = bench.run(like())
    assert (report.outcome, report.title, report.reason, report.tries) == ("done", "Done", "", 1)
    assert report.before == (None, likes(41))
    assert report.after == (LIKE, likes(42))
    assert report.request_ids == ("REQUEST1",)
    assert report.token == TOKEN
    assert bench.told == ["Reading the items as they are", "Sending", "Reading the items as they are now"]
    intent, outcome = bench.journal.entries
    assert intent.kind == "intent"
    assert (intent.payload["what"], intent.payload["id"], intent.payload["try"]) == ("request", report.id, 1)
    assert outcome.payload == {"id": report.id, "try": 1, "outcome": "applied", "why": ""}


def test_the_intent_is_noted_before_anything_is_sent(bench: RequestBench) -> None:
    noted: list[int] = []
    bench.service.before[1] = lambda: noted.append(len(bench.journal.entries))
    bench.run(like())
    assert noted == [1]


def test_what_was_answered_is_noted_before_anything_is_read_again(
    bench: RequestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    bench.service.after[1] = lambda: monkeypatch.setattr(bench.reader, "batch_get", die)
    with pytest.raises(KeyboardInterrupt):
        bench.run(like())
    assert bench.outcomes() == ["applied"]


@pytest.mark.parametrize(
    ("action", "before", "after"),
    [
        (PutAction("Posts", LIKE), None, LIKE),
        (PutAction("Posts", likes(7)), likes(41), likes(7)),
        (UpdateAction("Posts", META, parse_changes("SET likes = likes + 1")), likes(41), likes(42)),
        (DeleteAction("Posts", META), likes(41), None),
    ],
    ids=["new", "put over", "update", "delete"],
)
def test_a_single_write_shows_its_item_before_and_after(
    bench: RequestBench, action: PutAction | UpdateAction | DeleteAction, before: Item | None, after: Item | None
) -> None:
    report = bench.run(SingleWrite(action))
    assert (report.outcome, report.before, report.after) == ("done", (before,), (after,))
    assert report.token_until == ""


def test_a_refusal_names_the_action_and_writes_nothing(bench: RequestBench) -> None:
    report = bench.run(like(CheckAction("Posts", {**META, "SK": String("USER")}, parse_where("attribute_exists(PK)"))))
    assert report.outcome == "refused"
    assert isinstance(report.result, Refused)
    assert [reason.code for reason in report.result.reasons] == ["None", "None", "ConditionalCheckFailed"]
    assert (bench.likes, bench.outcomes()) == ("41", ["refused"])


def test_a_read_is_read_and_not_noted(bench: RequestBench) -> None:
    report = bench.run(SingleGet(GetAction("Posts", META)))
    assert isinstance(report.result, Done)
    assert (report.outcome, report.result.items, report.before, report.tries) == ("done", (likes(41),), None, 1)
    bench.service.before[2] = TableMissing("it is gone")
    report = bench.run(SingleGet(GetAction("Posts", META)))
    assert (report.outcome, report.reason, report.result) == ("refused", "it is gone", None)
    assert isinstance(report.error, TableMissing)
    assert bench.journal.entries == []
    assert bench.desk.why_not_again(report) == "It reads: run it once more."


@pytest.mark.parametrize("fault", [Busy("held"), Throttled("slow"), NotAllowed("no"), InvalidRequest("bad")])
def test_an_error_that_is_certain_wrote_nothing_and_is_not_sent_again(
    bench: RequestBench, fault: DynodeskError
) -> None:
    bench.service.before[1] = fault
    report = bench.run(like())
    assert (report.outcome, report.error, report.tries, bench.likes) == ("refused", fault, 1, "41")
    assert bench.outcomes() == ["refused"]
    assert not report.result


def test_what_does_not_arrive_is_not_sent(bench: RequestBench) -> None:
    bench.service.before[1] = UNREACHED
    report = bench.run(COUNT)
    assert (report.outcome, report.title, report.error) == ("not sent", "Not sent", UNREACHED)
    assert bench.outcomes() == ["not applied"]


# ----------------------------------------------------------------------------------------------- not sent to begin with


def test_a_read_only_connection_notes_and_sends_nothing() -> None:
    bench = RequestBench(likes(41), read_only=True)
    report = bench.run(SingleGet(GetAction("Posts", META)))
    assert report.outcome == "done"
    for request in (like(), COUNT, SingleStatement(BoundStatement("DELETE FROM Posts WHERE PK = 'a' AND SK = 'b'"))):
        with pytest.raises(ReadOnly):
            bench.run(request)
    assert (len(bench.service.sent), bench.journal.calls) == (1, 0)


def test_without_a_journal_nothing_is_sent(bench: RequestBench) -> None:
    bench.journal.fails_at[1] = ServiceFailed("the disk is full")
    report = bench.run(like())
    assert (report.outcome, report.tries, report.first_sent) == ("not sent", 0, None)
    assert "the disk is full" in report.reason
    assert bench.service.sent == []
    assert bench.desk.why_not_again(report) == "It was never sent: run it."


def test_a_journal_that_fails_afterwards_does_not_hide_what_was_done(bench: RequestBench) -> None:
    bench.journal.fails_at[2] = ServiceFailed("the disk is full")
    report = bench.run(like())
    assert report.outcome == "done"
    assert "the disk is full" in report.reason
    assert report.error is bench.journal.fails_at[2]


def test_what_cannot_be_read_first_is_not_sent(bench: RequestBench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise TableMissing("there is no such table")

    monkeypatch.setattr(bench.reader, "batch_get", refuse)
    report = bench.run(COUNT)
    assert (report.outcome, bench.service.sent) == ("not sent", [])


def test_who_may_write_and_not_read_writes(bench: RequestBench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise NotAllowed("no reading here")

    monkeypatch.setattr(bench.reader, "batch_get", refuse)
    report = bench.run(like())
    assert (report.outcome, report.before, report.after, bench.likes) == ("done", None, None, "42")


def test_cancelled_before_it_is_sent(bench: RequestBench) -> None:
    bench.ticket.cancel()
    with pytest.raises(Cancelled):
        bench.run(like())
    assert (bench.service.sent, bench.journal.entries) == ([], [])


# ----------------------------------------------------------------------------------------- lost answers of transactions


def test_a_lost_answer_is_asked_for_with_the_same_token(bench: RequestBench) -> None:
    bench.service.after[1] = LOST
    report = bench.run(like())
    assert (report.outcome, report.tries, bench.likes) == ("done", 2, "42")
    assert bench.service.sent == [like(), like()]
    assert report.after == (LIKE, likes(42))
    assert "once" in report.reason
    assert bench.outcomes() == ["unknown", "applied"]
    assert [entry.payload.get("request") is None for entry in bench.journal.entries] == [False, True, True, True]


def test_a_request_that_never_arrived_is_done_by_the_next_try(bench: RequestBench) -> None:
    bench.service.before[1] = bench.service.before[2] = LOST
    report = bench.run(like())
    assert (report.outcome, report.tries, bench.likes) == ("done", 3, "42")


def test_an_answer_that_never_comes_leaves_it_open(bench: RequestBench) -> None:
    for number in range(1, 20):
        bench.service.after[number] = LOST
    report = bench.run(like())
    assert (report.outcome, report.tries, bench.likes) == ("unknown", MAX_TRIES, "42")
    assert (report.seen, report.title) == ("likely", "Not certain, looks applied")
    assert report.after == (LIKE, likes(42))
    assert bench.outcomes() == ["unknown"] * MAX_TRIES
    assert sum(bench.clock.slept) > 5  # the service finishes by itself what it has begun after that
    assert [run.id for run in bench.desk.log().open(bench.desk.place)] == [report.id]
    bench.service.after.clear()
    assert bench.desk.why_not_again(report) == ""
    again = bench.desk.send_again(report, bench.ticket)
    assert (again.id, again.outcome, again.tries, bench.likes) == (report.id, "done", MAX_TRIES + 1, "42")
    assert again.before == report.before
    assert [*bench.desk.log().open(bench.desk.place)] == []


@pytest.mark.parametrize("passing", [Busy("held"), Throttled("slow"), UNREACHED])
def test_what_passes_after_a_lost_answer_decides_nothing(bench: RequestBench, passing: DynodeskError) -> None:
    bench.service.after[1] = LOST
    bench.service.before[2] = passing
    report = bench.run(like())
    assert (report.outcome, report.tries, bench.likes) == ("done", 3, "42")
    assert bench.outcomes() == ["unknown", "unknown", "applied"]


def test_what_does_not_pass_after_a_lost_answer_leaves_it_unknown(bench: RequestBench) -> None:
    bench.service.after[1] = LOST
    bench.service.before[2] = NotAllowed("the credentials have expired")
    report = bench.run(like())
    assert (report.outcome, report.tries) == ("unknown", 2)
    assert "reply lost" in report.reason
    assert "expired" in report.reason
    assert bench.outcomes() == ["unknown", "unknown"]


def test_a_condition_that_fails_after_a_lost_request_was_not_met_by_ours(bench: RequestBench) -> None:
    bench.service.before[1] = LOST
    bench.service.before[2] = lambda: bench.reader.put("Posts", LIKE)  # somebody else's like
    report = bench.run(like())
    assert (report.outcome, bench.likes) == ("refused", "41")


def test_a_service_that_keeps_no_tokens_is_not_believed(bench: RequestBench) -> None:
    bench.service.keeps_tokens = False
    bench.service.after[1] = LOST
    report = bench.run(like())
    assert (report.outcome, report.seen, report.result, bench.likes) == ("unknown", "likely", None, "42")
    assert "token" in report.reason


def test_cancelled_between_two_tries(bench: RequestBench) -> None:
    bench.service.after[1] = LOST
    bench.clock.at(0, bench.ticket.cancel)
    report = bench.run(like())
    assert (report.outcome, report.tries, len(bench.service.sent)) == ("unknown", 1, 1)
    assert "stopped between two tries" in report.reason
    assert bench.outcomes() == ["unknown"]


def test_statements_in_a_transaction_are_sent_again_too(bench: RequestBench) -> None:
    bench.service.before[1] = LOST
    bench.service.replies[2] = Done((), (), 0.01, "R")
    report = bench.run(StatementTransaction((BoundStatement("DELETE FROM Posts WHERE PK = 'a'"),), TOKEN))
    assert (report.outcome, report.tries, report.before, report.after) == ("done", 2, None, None)


# ------------------------------------------------------------------------------------------------- the ten-minute rule


@pytest.mark.parametrize(("slow", "tries"), [(LAST - 30, 2), (LAST + 1, 1)])
def test_a_token_is_used_while_it_certainly_holds(slow: float, tries: int) -> None:
    bench = RequestBench(likes(41))

    def lose() -> None:
        bench.clock.sleep(slow, bench.ticket)
        raise LOST

    bench.service.after[1] = lose
    report = bench.run(like())
    assert (len(bench.service.sent), bench.likes) == (tries, "42")
    assert report.outcome == ("done" if tries == 2 else "unknown")


def test_it_is_never_sent_again_once_the_token_may_have_ended(bench: RequestBench) -> None:
    report = bench.run(like())
    assert bench.desk.seconds_left(report) == LAST
    assert report.token_until == "2026-01-02T03:12:35.000Z"
    bench.clock.sleep(LAST - 1, bench.ticket)
    assert bench.desk.why_not_again(report) == ""
    again = bench.desk.send_again(report, bench.ticket)
    assert (again.outcome, again.reason, bench.likes) == (
        "done",
        "it had been done before: nothing was changed",
        "42",
    )
    bench.clock.sleep(1, bench.ticket)
    assert bench.desk.seconds_left(again) == 0
    with pytest.raises(InvalidRequest, match="token has ended"):
        bench.desk.send_again(again, bench.ticket)
    assert len(bench.service.sent) == 2
    assert bench.likes == "42"


def test_a_pause_of_the_computer_counts_and_so_does_a_clock_that_is_set(bench: RequestBench) -> None:
    class Clock:
        seconds = 0.0
        moment = datetime(2026, 1, 2, tzinfo=UTC)

        def now(self) -> float:
            return self.seconds

        def utc(self) -> str:
            return self.moment.isoformat()

        def sleep(self, seconds: float, ticket: object) -> None:
            raise AssertionError

    clock = Clock()
    here, before = Sending(clock.utc(), 0.0), Sending(clock.utc(), None)
    clock.moment += timedelta(hours=8)  # asleep: only the time of day went on
    assert here.seconds_since(clock) == before.seconds_since(clock) == 8 * 3600
    clock.moment -= timedelta(hours=9)  # set back
    clock.seconds = 100
    assert here.seconds_since(clock) == 100
    assert before.seconds_since(clock) == float("inf")


def test_a_cancelled_transaction_may_be_sent_again_with_its_token(bench: RequestBench) -> None:
    bench.service.replies[1] = CONFLICT
    report = bench.run(like())
    assert (report.outcome, report.result, len(bench.service.sent)) == ("refused", CONFLICT, 1)
    again = bench.desk.send_again(report, bench.ticket)
    assert (again.outcome, bench.likes) == ("done", "42")
    assert bench.service.sent == [like()] * 2


def test_a_done_transaction_stays_done_where_the_journal_fails(bench: RequestBench) -> None:
    report = bench.run(like())
    bench.journal.fails_at[3] = ServiceFailed("the disk is full")
    again = bench.desk.send_again(report, bench.ticket)
    assert (again.outcome, again.tries, len(bench.service.sent)) == ("done", 1, 1)
    assert "the disk is full" in again.reason


def test_a_done_transaction_stays_done_whatever_is_answered_later(bench: RequestBench) -> None:
    report = bench.run(like())
    bench.service.before[2] = Busy("held")
    again = bench.desk.send_again(report, bench.ticket)
    assert (again.outcome, bench.likes) == ("done", "42")
    assert "done before" in again.reason
    bench.service.keeps_tokens = False
    again = bench.desk.send_again(again, bench.ticket)
    assert (again.outcome, again.result, bench.likes) == ("done", None, "42")
    assert bench.outcomes() == ["applied"] * 3


# ---------------------------------------------------------------------------------------- lost answers of single writes


def test_a_lost_increment_is_not_sent_again_and_its_item_is_read(bench: RequestBench) -> None:
    bench.service.after[1] = LOST
    report = bench.run(COUNT)
    assert (len(bench.service.sent), bench.likes) == (1, "42")
    assert (report.outcome, report.title, report.seen) == ("done", "Looks applied", "likely")
    assert report.result is None
    assert "another writer would look no different" in report.reason
    assert (report.before, report.after) == ((likes(41),), (likes(42),))
    assert bench.outcomes() == ["unknown", "settled"]
    assert "no token" in bench.desk.why_not_again(report)
    with pytest.raises(InvalidRequest):
        bench.desk.send_again(report, bench.ticket)
    assert len(bench.service.sent) == 1


def test_an_increment_that_did_not_arrive_may_arrive_yet(bench: RequestBench) -> None:
    bench.service.before[1] = LOST
    report = bench.run(COUNT)
    assert (report.outcome, report.seen, report.title) == ("unknown", "not applied", "Not certain, looks not applied")
    assert "late" in report.reason
    assert bench.outcomes() == ["unknown"]  # stays open
    bench.reader.put("Posts", likes(42))  # there it is
    looked = bench.desk.look(report, bench.ticket)
    assert (looked.seen, looked.after) == ("likely", (likes(42),))
    assert bench.outcomes() == ["unknown", "unclear"]


def test_an_item_that_others_changed_says_nothing(bench: RequestBench) -> None:
    def lose() -> None:
        bench.reader.put("Posts", likes(50))
        raise LOST

    bench.service.after[1] = lose
    report = bench.run(COUNT)
    assert (report.outcome, report.seen, report.title) == ("unknown", "unclear", "Not known whether it was applied")
    assert bench.outcomes() == ["unknown", "unclear"]


def test_what_makes_no_difference_cannot_be_seen(bench: RequestBench) -> None:
    bench.service.after[1] = LOST
    report = bench.run(SingleWrite(PutAction("Posts", likes(41))))
    assert (report.outcome, report.seen) == ("unknown", "unclear")


def test_what_the_service_would_have_refused_was_not_applied(bench: RequestBench) -> None:
    bench.service.before[1] = bench.service.before[2] = LOST
    update = UpdateAction("Posts", META, parse_changes("ADD likes 1"), parse_where("likes < 10"))
    assert bench.run(SingleWrite(update)).seen == "not applied"
    wrong = UpdateAction("Posts", META, parse_changes("SET likes = missing + 1"))
    assert bench.run(SingleWrite(wrong)).seen == "not applied"


def test_a_statement_without_an_answer_stays_unknown(bench: RequestBench) -> None:
    bench.service.before[1] = OutcomeUnknown("sent, no answer")
    report = bench.run(SingleStatement(BoundStatement("UPDATE Posts SET likes = 1 WHERE PK = 'a' AND SK = 'b'")))
    assert (report.outcome, report.seen, report.after, len(bench.service.sent)) == ("unknown", None, None, 1)
    assert bench.outcomes() == ["unknown"]


def test_an_item_that_cannot_be_read_back_says_nothing(bench: RequestBench, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose() -> None:
        def refuse(*_: object, **__: object) -> None:
            raise UNREACHED

        monkeypatch.setattr(bench.reader, "batch_get", refuse)
        raise LOST

    bench.service.after[1] = lose
    report = bench.run(COUNT)
    assert (report.outcome, report.seen) == ("unknown", None)
    assert UNREACHED.message in report.reason


def test_several_items_say_together_what_was_done() -> None:
    bench = RequestBench(likes(41), post("USER", likes=Number("0")))
    both = TransactWrite(
        (
            UpdateAction("Posts", META, parse_changes("ADD likes 1")),
            UpdateAction("Posts", {**META, "SK": String("USER")}, parse_changes("ADD likes 1")),
        ),
        TOKEN,
    )
    for number in range(1, 20):
        bench.service.before[number] = LOST
    assert bench.run(both).seen == "not applied"

    def half() -> None:
        bench.reader.put("Posts", likes(42))
        raise LOST

    bench.service.before = dict.fromkeys(range(1, 40), LOST)
    bench.service.before[len(bench.service.sent) + 1] = half
    assert bench.run(both).seen == "unclear"


# ------------------------------------------------------------------------------------------------------ whatever comes

FAULTS = (LOST, LOST, Busy("held"), Throttled("slow"), UNREACHED, NotAllowed("no"), None)


@pytest.mark.parametrize("request_", [like(), COUNT], ids=["transaction", "single write"])
def test_nothing_is_done_twice_and_nothing_is_said_that_is_not_so(request_: ComposedRequest) -> None:
    """Random losses before and after, times between them, and people who ask for it again and again."""
    seen: set[tuple[str, str]] = set()
    for seed in range(400):
        chance = random.Random(seed)
        bench = RequestBench(likes(41))
        for number in range(1, 40):
            if (fault := chance.choice(FAULTS)) is not None:
                bench.service.before[number] = fault
            if chance.random() < 0.4:
                bench.service.after[number] = LOST
        report = bench.run(request_)
        for _ in range(3):
            assert bench.likes in {"41", "42"}
            if report.outcome == "done":
                assert bench.likes == "42"
            if report.outcome in {"refused", "not sent"}:
                assert bench.likes == "41"
            seen.add((report.outcome, bench.likes))
            bench.clock.sleep(chance.choice((1, 100, 300)), bench.ticket)
            if not bench.desk.why_not_again(report):
                report = bench.desk.send_again(report, bench.ticket)
    assert {("done", "42"), ("unknown", "41"), ("refused", "41"), ("not sent", "41")} <= seen
