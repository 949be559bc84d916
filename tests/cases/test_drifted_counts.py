"""Bugs that others met when they counted and repaired counters, and what is right instead."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dynodesk.domain.repairs import RepairReport
from dynodesk.domain.values import Number, String
from tests.helpers.social import key, likes
from tests.reconcile.repair_bench import MARKER, VERSION, Bench, drifted
from tests.reconcile.test_rule_kinds import FOLLOWERS, World


def outcomes(report: RepairReport) -> list[str]:
    return [result.outcome for result in report.results]


@pytest.mark.parametrize("guard", [VERSION, MARKER])
def test_a_count_taken_before_a_like_is_not_written_after_it(guard: str) -> None:
    """Counts were all loaded first and written later, so that a child created in between became a new drift."""
    bench = Bench(*drifted("a", 5, 4), guard=guard)
    plan = bench.plan()
    bench.like("a", "late")
    report = bench.apply(plan)
    assert outcomes(report) == ["repaired"]
    assert bench.tally("a") == 5


def test_a_count_taken_before_a_like_meets_the_condition_when_the_like_comes_last() -> None:
    bench = Bench(*drifted("a", 5, 4))
    plan = bench.plan()

    def a_like_comes_first() -> None:
        bench.writer.before = lambda: None
        bench.like("a", "late")

    bench.writer.before = a_like_comes_first
    assert outcomes(bench.apply(plan)) == ["repaired"]
    assert bench.tally("a") == 5
    assert len(bench.writer.sent) == 2


def test_a_double_decrement_is_a_drift_with_its_sign() -> None:
    """Two jobs took the same children off, and the tally ended too low, or below zero."""
    bench = Bench(*drifted("a", -2, 0), *drifted("b", 3, 5))
    plan = bench.plan()
    assert [repair.words for repair in plan.repairs] == ["-2 → 0 (+2)", "3 → 5 (+2)"]
    assert outcomes(bench.apply(plan)) == ["repaired", "repaired"]
    assert [bench.tally("a"), bench.tally("b")] == [Decimal(0), Decimal(5)]


def test_a_tally_below_zero_is_flagged_even_where_it_is_right_by_its_children() -> None:
    world = World(FOLLOWERS, Social=[{"PK": "USER#a", "SK": "META", "followerCount": -2, "rev": 1}])
    (finding,) = world.run().findings
    assert (finding.negative, finding.drift_text, finding.stored_text) == (True, "-2", "-2")


def test_a_repair_writes_the_real_number_and_is_read_back() -> None:
    """A repair wrote the drifted number to itself and reported success."""
    bench = Bench(*drifted("a", 7, 5))
    assert outcomes(bench.apply()) == ["repaired"]
    assert bench.tally("a") == 5
    assert bench.plan().repairs == ()


def test_a_repair_that_did_nothing_is_no_success() -> None:
    bench = Bench(*drifted("a", 7, 5))
    bench.writer.after = lambda: bench.change("a", likeTally=Number("7"), rev=Number("9"))
    report = bench.apply()
    assert outcomes(report) == ["not verified"]
    assert report.stopped is not None


def test_a_missing_tally_is_reported_and_no_item_is_made_for_it() -> None:
    """Time to Live took the item with the tally; a repair made an item of a key and a zero, and nothing else."""
    bench = Bench(*likes("a", 2), {**key("POST#b", "META"), "rev": Number("1"), "title": String("no tally")})
    plan = bench.plan()
    assert plan.repairs == ()
    assert len(plan.left_out) == 2
    assert bench.writer.sent == []


@pytest.mark.parametrize("guard", [VERSION, MARKER])
def test_an_item_that_expires_before_the_repair_is_not_brought_back(guard: str) -> None:
    bench = Bench(*drifted("a", 7, 5), guard=guard)
    plan = bench.plan()
    bench.writer.before = lambda: bench.reader.delete("Social", plan.repairs[0].key)
    bench.apply(plan)
    assert bench.reader.get("Social", plan.repairs[0].key) is None


@pytest.mark.parametrize("guard", [VERSION, MARKER])
def test_a_repair_whose_reply_is_lost_is_applied_once(guard: str) -> None:
    """The request was sent again after a timeout, and the increment applied twice: 3 in place of 5."""
    bench = Bench(*drifted("a", 7, 5), guard=guard)
    bench.writer.luck = ["reply lost"]
    assert outcomes(bench.apply())[0] in {"repaired", "settled"}
    assert bench.tally("a") == 5
    assert len(bench.writer.sent) == 1


def test_what_an_index_does_not_hold_is_not_called_drift() -> None:
    """Children without the index's sort key were not counted: 2 in the index, 3 in the table, no drift."""
    by_user = FOLLOWERS.replace(', G2 = "ACTOR#{actor}"', "")
    children = [{"PK": f"C{i}", "SK": "x", "G1": "TARGET#p", **({"G2": str(i)} if i < 3 else {})} for i in (1, 2, 3)]
    world = World(by_user, Social=[{"PK": "USER#p", "SK": "META", "followerCount": 3, "rev": 1}, *children])
    assert world.found() == []


def test_growing_drift_is_no_smaller_for_being_clamped() -> None:
    """Deletes went past the counter and a floor at zero swallowed what was taken off: each run is told as it is."""
    drifts = []
    for stored in (3745, 6681, 7415):
        (repair,) = Bench(*drifted("a", stored, 8)).plan().repairs
        drifts.append(repair.drift)
    assert drifts == [Decimal(3737), Decimal(6673), Decimal(7407)]
