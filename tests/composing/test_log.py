"""Composed requests in the journal: what was left open by a program that ended, and what can still be done about it."""

from __future__ import annotations

import pytest

from dynodesk.composing.log import RequestLog
from dynodesk.composing.running import report_left_open, what_can_be_done
from dynodesk.domain.actions import ComposedRequest
from dynodesk.domain.errors import InvalidFile, InvalidRequest, NotAllowed
from dynodesk.domain.repairs import Place
from dynodesk.editing.log import EditLog
from dynodesk.reconcile.ledger import Ledger
from tests.composing.request_bench import COUNT, LIKE, LOST, UNREACHED, RequestBench, like, likes
from tests.editing.edit_bench import HERE
from tests.helpers.memory_journal import Entry


class Killed(Exception):
    pass


def die() -> None:
    raise Killed


def left_open(bench: RequestBench, request: ComposedRequest, *, done: bool = False) -> None:
    """The program ends when the request is sent, before or after it is done."""
    script = bench.service.after if done else bench.service.before
    script[len(bench.service.sent) + 1] = die
    with pytest.raises(Killed):
        bench.run(request)


@pytest.mark.parametrize("done", [False, True])
def test_what_a_killed_program_left_is_sent_again_while_its_token_holds(done: bool) -> None:
    bench = RequestBench(likes(41))
    left_open(bench, like(), done=done)
    desk = bench.new_desk()
    (run,) = desk.log().open(HERE)
    assert (run.operation, run.tries, run.state, run.request) == (
        "TransactWriteItems",
        1,
        "sent, outcome unknown",
        like(),
    )
    report = report_left_open(run)
    assert (report.outcome, desk.why_not_again(report)) == ("unknown", "")
    again = desk.send_again(report, bench.ticket)
    assert (again.outcome, again.tries, bench.likes) == ("done", 2, "42")
    assert again.after == (LIKE, likes(42))
    assert [*desk.log().open(HERE)] == []
    assert desk.log().runs[run.id].outcome == "applied"


def test_later_only_its_items_can_be_looked_at() -> None:
    bench = RequestBench(likes(41))
    left_open(bench, like(), done=True)
    bench.clock.sleep(600, bench.ticket)
    desk = bench.new_desk()
    (run,) = desk.log().open(HERE)
    report = report_left_open(run)
    assert "token has ended" in desk.why_not_again(report)
    with pytest.raises(InvalidRequest):
        desk.send_again(report, bench.ticket)
    looked = desk.look(report, bench.ticket)
    assert (looked.after, looked.seen) == ((LIKE, likes(42)), None)
    assert desk.log().runs[run.id].outcome == "unclear"
    assert len(bench.service.sent) == 1


def test_a_single_write_is_never_sent_again() -> None:
    bench = RequestBench(likes(41))
    left_open(bench, COUNT)
    (run,) = bench.desk.log().open(HERE)
    assert run.token == ""
    assert "no token" in bench.desk.why_not_again(report_left_open(run))


def test_a_run_that_ended_is_reported_as_it_was_noted() -> None:
    bench = RequestBench(likes(41))
    bench.run(like())
    bench.service.before = {2: UNREACHED, 3: NotAllowed("no")}
    bench.run(COUNT)
    bench.run(COUNT)
    reports = [report_left_open(run) for run in bench.desk.log().runs.values()]
    assert [report.outcome for report in reports] == ["done", "not sent", "refused"]
    assert [what_can_be_done(report, bench.clock) for report in reports] == ["", "", ""]


def test_only_what_is_open_here_is_listed() -> None:
    bench = RequestBench(likes(41))
    bench.run(like())
    left_open(bench, COUNT)
    assert [*bench.desk.log().open(Place("", "elsewhere", ""))] == []
    assert [run.is_open for run in bench.desk.log().runs.values()] == [False, True]


def test_other_readers_of_the_journal_pass_over_requests() -> None:
    bench = RequestBench(likes(41))
    bench.service.after[1] = LOST
    bench.run(like())
    bench.run(COUNT)
    assert EditLog.of(bench.journal.records()) == EditLog()
    assert Ledger.of(bench.journal.records()) == Ledger()


def test_a_request_that_would_be_sent_in_other_words_is_not() -> None:
    bench = RequestBench(likes(41))
    left_open(bench, like())
    payload = dict(bench.journal.entries[0].payload)
    request = payload["request"]
    assert isinstance(request, dict)
    parameters = {**request, "ReturnConsumedCapacity": "TOTAL"}
    bench.journal.entries[0] = Entry(1, "2026-01-02T03:04:05Z", "intent", {**payload, "request": parameters})
    (run,) = bench.desk.log().open(HERE)
    with pytest.raises(InvalidFile, match="in other words"):
        report_left_open(run)


@pytest.mark.parametrize(
    "payload",
    [
        {"what": "request", "id": "x", "try": 2},
        {"what": "request", "id": "x", "try": 1, "operation": "PutItem"},
        {"what": "request", "id": "x", "try": None},
    ],
)
def test_a_record_that_is_none_of_ours_is_named(payload: dict[str, object]) -> None:
    with pytest.raises(InvalidFile, match="record 1 of the journal"):
        RequestLog.of([Entry(1, "2026-01-02T03:04:05Z", "intent", payload)])
