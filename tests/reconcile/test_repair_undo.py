"""Repairs taken back under writers, and writes cleared up that a program left behind when it was killed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from dynodesk.domain.errors import InvalidRequest, OutcomeUnknown
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.values import Number, String
from dynodesk.reconcile.ledger import Ledger
from tests.helpers.memory_writer import Luck
from tests.reconcile.repair_bench import GUARDS, HERE, MARKER, VERSION, Bench, drifted

SOCIAL = frozenset({"Social"})


@pytest.fixture(params=GUARDS)
def guard(request: pytest.FixtureRequest) -> str:
    return GUARDS[str(request.param)]


def repaired(*items: Any, guard: str = VERSION) -> tuple[Bench, list[str]]:
    bench = Bench(*items, guard=guard)
    report = bench.apply()
    assert report.is_done
    return bench, [result.repair.id for result in report.results]


def undone(bench: Bench, *ids: str) -> list[str]:
    return [result.outcome for result in bench.desk.undo(ids, SOCIAL, bench.ticket)]


def test_undo_brings_the_drift_back(guard: str) -> None:
    bench, ids = repaired(*drifted("a", 41, 37), *drifted("b", -2, 0), guard=guard)
    assert undone(bench, *ids) == ["undone", "undone"]
    assert (int(bench.tally("a")), int(bench.tally("b"))) == (41, -2)
    assert [repair.drift for repair in bench.plan().repairs] == [-2, 4]


def test_undo_happens_once(guard: str) -> None:
    bench, (repair_id,) = repaired(*drifted("a", 41, 37), guard=guard)
    undone(bench, repair_id)
    with pytest.raises(InvalidRequest, match="was undone before"):
        undone(bench, repair_id)
    # Also where the journal does not know of it: then the marker says that it was done.
    bench.journal.entries = [entry for entry in bench.journal.entries if entry.payload.get("what") != "undo"]
    assert undone(bench, repair_id) == ["undone" if MARKER in guard else "not undone"]
    assert bench.tally("a") == 41


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("guard", [MARKER, VERSION + MARKER], ids=["marker", "both"])
def test_with_a_marker_undo_is_right_however_many_likes_came(guard: str, seed: int) -> None:
    """The tally is what the writers alone would have made of it."""
    chance = random.Random(seed)
    drifts = {f"p{n:02}": chance.choice([-1, 1]) * chance.randint(1, 50) for n in range(25)}
    items = [item for name, drift in drifts.items() for item in drifted(name, 3 + drift, 3)]
    bench, ids = repaired(*items, guard=guard)
    alone = {name: 3 + drift for name, drift in drifts.items()}
    for step in range(100):
        name = chance.choice(list(drifts))
        bench.like(name, f"late-{step}")
        alone[name] += 1
    assert undone(bench, *ids) == ["undone"] * 25
    assert {name: int(bench.tally(name)) for name in drifts} == alone


def test_without_a_marker_undo_needs_a_parent_that_nobody_wrote() -> None:
    bench, (repair_id,) = repaired(*drifted("a", 41, 37))
    bench.like("a", "zoe")
    assert undone(bench, repair_id) == ["not undone"]
    assert bench.tally("a") == 38


def test_a_repair_over_the_marker_of_another_cannot_be_undone_beneath_it() -> None:
    bench, (first,) = repaired(*drifted("a", 41, 37), guard=MARKER)
    bench.change("a", likeTally=Number("50"))
    bench.apply()
    assert undone(bench, first) == ["not undone"]
    assert bench.tally("a") == 37


@pytest.mark.parametrize("luck", ["reply lost", "request lost"])
@pytest.mark.parametrize("guard", [MARKER, VERSION + MARKER], ids=["marker", "both"])
def test_an_undo_without_an_answer_is_resolved(guard: str, luck: Luck) -> None:
    bench, (repair_id,) = repaired(*drifted("a", 41, 37), guard=guard)
    bench.writer.luck = [luck]
    assert undone(bench, repair_id) == ["undone"]
    assert bench.tally("a") == 41


def test_what_cannot_be_undone_here() -> None:
    bench, (repair_id,) = repaired(*drifted("a", 41, 37))
    with pytest.raises(InvalidRequest, match="no repair 123"):
        undone(bench, "123")
    with pytest.raises(InvalidRequest, match="which was not approved"):
        bench.desk.undo([repair_id], frozenset({"Other"}), bench.ticket)
    elsewhere = bench.new_desk(place=Place("somebody", "elsewhere", "eu-west-1"))
    with pytest.raises(InvalidRequest, match="was made at memory in nowhere"):
        elsewhere.undo([repair_id], SOCIAL, bench.ticket)
    assert len(bench.writer.sent) == 1


# ----------------------------------------------------------------------------------------------------------- left open


class Killed(BaseException):
    """Stands for kill -9: nothing of the program runs after it."""


def killed_in_send(guard: str, *, arrives: bool) -> Bench:
    """The program ends between the request and its outcome."""
    bench = Bench(*drifted("a", 41, 37), guard=guard)

    def die() -> None:
        raise Killed

    if arrives:
        bench.writer.after = die
    else:
        bench.writer.before = die
    with pytest.raises(Killed):
        bench.apply()
    bench.writer.before = bench.writer.after = lambda: None
    return bench


@pytest.mark.parametrize("arrives", [True, False])
def test_a_write_left_open_is_resolved_by_reading(guard: str, arrives: bool) -> None:
    bench = killed_in_send(guard, arrives=arrives)
    (resolved,) = bench.new_desk().resolve(bench.ticket)
    done = "applied" if MARKER in guard else "settled"
    assert resolved.outcome == (done if arrives else "not applied")
    assert bench.tally("a") == (37 if arrives else 41)
    assert len(bench.writer.sent) == 1
    assert bench.new_desk().resolve(bench.ticket) == ()
    # What follows finds everything in order.
    assert [result.outcome for result in bench.apply().results] == ([] if arrives else ["repaired"])
    assert bench.tally("a") == 37


def test_a_write_left_open_is_resolved_after_likes(guard: str) -> None:
    bench = killed_in_send(guard, arrives=True)
    bench.like("a", "zoe")
    (resolved,) = bench.new_desk().resolve(bench.ticket)
    # Without a marker, a parent that was written since says nothing any more.
    assert resolved.outcome == ("applied" if MARKER in guard else "unclear")
    assert bench.new_desk().resolve(bench.ticket) == ()
    if resolved.outcome == "unclear":
        with pytest.raises(InvalidRequest, match="was applied is not known: unclear"):
            undone(bench, resolved.write.id)


def test_an_undo_left_open_is_resolved(guard: str) -> None:
    bench, (repair_id,) = repaired(*drifted("a", 41, 37), guard=guard)

    def die() -> None:
        raise Killed

    bench.writer.after = die
    with pytest.raises(Killed):
        undone(bench, repair_id)
    bench.writer.after = lambda: None
    (resolved,) = bench.new_desk().resolve(bench.ticket)
    assert resolved.outcome == ("applied" if MARKER in guard else "settled")
    assert Ledger.of(bench.journal.records()).undone(repair_id)


def test_a_like_that_looks_like_a_lost_repair_leaves_it_open() -> None:
    bench = Bench(*drifted("a", 4, 5))

    def like_and_die() -> None:
        bench.like("a", "zoe")
        raise Killed

    bench.writer.before = like_and_die
    with pytest.raises(Killed):
        bench.apply()
    bench.writer.before = lambda: None
    (resolved,) = bench.new_desk().resolve(bench.ticket)
    assert resolved.outcome == "unknown"


@pytest.mark.parametrize("guard", [VERSION + MARKER, MARKER])
def test_a_request_that_arrives_after_it_was_read_back_is_not_lost_from_the_journal(
    guard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was on its way when the item was read, the program was killed before its next try, and then it arrived."""
    bench = Bench(*drifted("a", 7, 5), guard=guard)
    bench.writer.luck = ["arrives late"]
    sleep = bench.clock.sleep

    def killed_between_two_tries(seconds: float, ticket: Ticket) -> None:
        if bench.writer.late:
            raise Killed
        sleep(seconds, ticket)

    with monkeypatch.context() as patch:
        patch.setattr(bench.clock, "sleep", killed_between_two_tries)
        with pytest.raises(Killed):
            bench.apply()
    bench.writer.arrive(bench.writer.late.pop())
    assert bench.tally("a") == 5
    desk = bench.new_desk()
    (resolved,) = desk.resolve(bench.ticket)
    assert resolved.outcome == "applied"
    (undone,) = desk.undo([resolved.write.id], frozenset({"Social"}), bench.ticket)
    assert undone.outcome == "undone"
    assert bench.tally("a") == 7


def test_what_cannot_be_read_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = killed_in_send(VERSION + MARKER, arrives=True)

    def fail(*_: object, **__: object) -> None:
        raise OutcomeUnknown("no answer")

    with monkeypatch.context() as patch:
        patch.setattr(bench.reader, "get", fail)
        assert [resolved.outcome for resolved in bench.new_desk().resolve(bench.ticket)] == ["unknown"]
    assert [resolved.outcome for resolved in bench.new_desk().resolve(bench.ticket)] == ["applied"]


def test_what_was_left_elsewhere_is_left_alone() -> None:
    bench = killed_in_send(VERSION, arrives=True)
    elsewhere = bench.new_desk(place=Place(HERE.identity, "elsewhere", HERE.region))
    assert elsewhere.resolve(bench.ticket) == ()
    assert Ledger.of(bench.journal.records()).writes[_only_id(bench)].is_open


def _only_id(bench: Bench) -> str:
    (repair_id,) = Ledger.of(bench.journal.records()).writes
    return repair_id


def test_the_ledger_says_what_is_known() -> None:
    bench, (repair_id,) = repaired(*drifted("a", 41, 37), guard=MARKER)
    undone(bench, repair_id)
    ledger = Ledger.of(bench.journal.records())
    assert [(write.what, write.state) for write in ledger.writes.values()] == [
        ("repair", "applied, then ok, ok"),
        ("undo", "applied"),
    ]
    assert ledger.writes[repair_id].update.put == {ledger.writes[repair_id].marker: String(repair_id)}


@pytest.mark.parametrize("guard", GUARDS.values())
def test_a_plan_makes_each_of_its_repairs_once(guard: str) -> None:
    """Applied again it would be found under the same name in the journal, and could be taken back only once."""
    bench = Bench(*drifted("a", 7, 5), guard=guard)
    plan = bench.plan()
    assert [result.outcome for result in bench.apply(plan).results] == ["repaired"]
    bench.change("a", likeTally=Number("7"))  # the same drift once more
    (again,) = bench.apply(plan).results
    assert (again.outcome, len(bench.writer.sent)) == ("not needed", 1)
    assert again.reason.startswith("this plan has made it before: applied")
    bench.change("a", likeTally=Number("5"))
    (undone,) = bench.desk.undo([again.repair.id], frozenset({"Social"}), bench.ticket)
    assert undone.outcome == "undone"
    (after,) = bench.apply(plan).results
    assert after.reason.startswith("this plan has made it before, and it was taken back")


def test_a_plan_with_nothing_to_do_may_be_approved() -> None:
    bench = Bench(*drifted("a", 5, 5))
    bench.check(bench.plan())
