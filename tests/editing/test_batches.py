"""Batches without a condition: all of it done, or said which is not."""

from __future__ import annotations

import random

import pytest

from dynodesk.domain.batches import PlainWrite
from dynodesk.domain.errors import (
    CannotConnect,
    DynodeskError,
    InvalidRequest,
    NotAllowed,
    OutcomeUnknown,
    ServiceFailed,
    Throttled,
)
from dynodesk.domain.tries import MAX_TRIES
from dynodesk.domain.values import Number, String
from dynodesk.editing.batches import BatchReport, write_batches
from dynodesk.editing.log import EditLog
from tests.editing.edit_bench import HERE, POSTS, SCHEMA, EditBench, post


def bench_of(count: int) -> EditBench:
    return EditBench(*(post(f"N{number:04}") for number in range(count)))


def delete_all(bench: EditBench, count: int) -> BatchReport:
    items = [post(f"N{number:04}") for number in range(count)]
    return bench.desk.delete_unguarded(POSTS, items, bench.ticket)


def left_in(bench: EditBench, count: int) -> int:
    return sum(bench.item(f"N{number:04}") is not None for number in range(count))


def test_26_are_two_requests() -> None:
    bench = bench_of(26)
    report = delete_all(bench, 26)
    assert (report.requests, len(report.done), report.sent_again, report.stopped) == (2, 26, 0, None)
    assert [len(batch) for batch in bench.writer.batches] == [25, 1]
    assert left_in(bench, 26) == 0


def test_what_was_left_out_is_sent_again_until_none_is() -> None:
    bench = bench_of(25)
    bench.writer.leaves_out = [7, 2, 0]
    report = delete_all(bench, 25)
    assert (report.requests, len(report.done), report.sent_again) == (3, 25, 9)
    assert left_in(bench, 25) == 0
    assert len(bench.clock.slept) == 2
    log = EditLog.of(bench.journal.entries)
    assert [(len(batch.writes), batch.left_out, batch.outcome) for batch in log.batches.values()] == [
        (25, 7, "applied"),
        (7, 2, "applied"),
        (2, 0, "applied"),
    ]


def test_pauses_grow_only_as_long_as_nothing_is_taken() -> None:
    bench = bench_of(25)
    bench.writer.leaves_out = [25, 25, 25, 10, 0]
    assert len(delete_all(bench, 25).done) == 25
    slept = bench.clock.slept
    assert slept[0] < slept[1] < slept[2] > slept[3]


@pytest.mark.parametrize("fault", [None, Throttled("full")])
def test_a_table_that_takes_nothing_is_given_up(fault: DynodeskError | None) -> None:
    bench = bench_of(60)
    if fault is None:
        bench.writer.leaves_out = [0] + [25] * 100
    else:
        bench.writer.luck = [None, *[fault] * 100]
    report = delete_all(bench, 60)
    assert (len(report.done), len(report.not_done), report.unknown) == (25, 35, ())
    assert report.requests == 1 + MAX_TRIES
    assert report.stopped is not None
    assert "took none of 25 writes" in report.stopped


@pytest.mark.parametrize(
    ("luck", "done_at_once"), [("reply lost", 25), ("request lost", 0)], ids=["reply lost", "request lost"]
)
def test_without_an_answer_the_items_are_read_back(luck: str, done_at_once: int) -> None:
    bench = bench_of(25)
    bench.writer.luck = ["reply lost" if luck == "reply lost" else "request lost"]
    report = delete_all(bench, 25)
    assert (len(report.done), report.unknown, left_in(bench, 25)) == (25, (), 0)
    assert report.sent_again == 25 - done_at_once
    first = next(iter(EditLog.of(bench.journal.entries).batches.values()))
    assert (first.outcome, first.left_out) == ("settled", 25 - done_at_once)


def test_what_cannot_be_read_back_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = bench_of(30)
    bench.writer.luck = [None, "reply lost"]

    def fails(*_: object, **__: object) -> None:
        raise CannotConnect("gone")

    monkeypatch.setattr(bench.reader, "batch_get", fails)
    report = delete_all(bench, 30)
    assert (len(report.done), len(report.unknown), report.not_done) == (25, 5, ())
    assert report.stopped == "gone [cannot-connect]"
    monkeypatch.undo()
    (resolved,) = bench.new_desk().resolve(bench.ticket)
    assert (resolved.outcome, resolved.reason) == ("applied", "0 of 5 were not written")
    assert bench.new_desk().resolve(bench.ticket) == ()


def test_without_an_answer_and_without_a_journal_it_is_unknown_and_not_undone() -> None:
    bench = bench_of(30)
    bench.writer.luck = ["reply lost"]
    bench.journal.fails_at = {3: CannotConnect("disk full")}  # the outcome of the first request
    report = delete_all(bench, 30)
    assert (len(report.done), len(report.unknown), len(report.not_done), left_in(bench, 30)) == (0, 25, 5, 5)
    assert report.stopped == "disk full [cannot-connect]"


@pytest.mark.parametrize("fault", [NotAllowed("no"), CannotConnect("gone"), ServiceFailed("no")])
def test_what_the_next_would_meet_as_well_ends_it(fault: DynodeskError) -> None:
    bench = bench_of(60)
    bench.writer.luck = [None, fault]
    report = delete_all(bench, 60)
    assert (len(report.done), len(report.not_done), report.requests) == (25, 35, 2)
    assert report.stopped == f"{fault.message} [{fault.code}]"


def test_stopped_and_taken_up_again() -> None:
    bench = bench_of(100)
    writes = [PlainWrite(SCHEMA.key_of(post(f"N{number:04}"))) for number in range(100)]
    told: list[int] = []

    def tell(done: tuple[PlainWrite, ...]) -> None:
        told.append(len(done))
        bench.ticket.cancel()

    bench.writer.leaves_out = [3]
    report = write_batches("Posts", writes, HERE, bench.desk.hands, bench.writer, bench.ticket, tell)
    assert (told, len(report.done), len(report.not_done), report.stopped) == ([22], 22, 78, "cancelled")
    assert left_in(bench, 100) == 78
    bench = EditBench(*(post(f"N{number:04}") for number in range(22, 100)))
    rest = write_batches("Posts", report.not_done, HERE, bench.desk.hands, bench.writer, bench.ticket)
    assert (len(rest.done), rest.stopped, left_in(bench, 100)) == (78, None, 0)


def test_one_key_twice_is_refused_before_anything() -> None:
    bench = bench_of(1)
    with pytest.raises(InvalidRequest):
        bench.desk.delete_unguarded(POSTS, [post("N0000"), post("N0000")], bench.ticket)
    assert bench.journal.entries == []
    assert bench.writer.batches == []


def test_nothing_is_sent_that_the_journal_does_not_hold() -> None:
    bench = bench_of(60)
    bench.journal.fails_at = {4: CannotConnect("disk full")}  # the second intent
    report = delete_all(bench, 60)
    assert (len(bench.writer.batches), len(report.done), len(report.not_done)) == (1, 25, 35)
    assert report.stopped == "disk full [cannot-connect]"


def test_killed_before_the_outcome_was_noted() -> None:
    bench = bench_of(25)
    bench.journal.fails_at = {3: OutcomeUnknown("killed")}
    delete_all(bench, 25)
    (resolved,) = bench.new_desk().resolve(bench.ticket)
    assert resolved.outcome == "applied"


def test_puts_as_well() -> None:
    bench = EditBench(post("N0000", n=Number("1")))
    wanted = [post(f"N{number:04}", n=Number("2"), text=String("a\xa0b")) for number in range(30)]
    writes = [PlainWrite(SCHEMA.key_of(item), item) for item in wanted]
    bench.writer.leaves_out = [random.Random(1).randint(1, 24)]
    bench.writer.luck = [None, "reply lost"]
    report = write_batches("Posts", writes, HERE, bench.desk.hands, bench.writer, bench.ticket)
    assert (len(report.done), report.unknown) == (30, ())
    assert [bench.item(f"N{number:04}") for number in range(30)] == wanted
