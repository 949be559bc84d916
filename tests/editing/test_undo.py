"""Commits taken back: exactly what was, and only where nobody changed the item since."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from dynodesk.domain.errors import InvalidRequest, OutcomeUnknown
from dynodesk.domain.values import Item, Null, Number, NumberSet, String, StringSet
from dynodesk.editing.committing import CommitReport, plan_commit
from dynodesk.editing.log import EditLog
from dynodesk.editing.undo import UndoPlan
from tests.domain.strategies import items
from tests.editing.edit_bench import HERE, EditBench, edit, post
from tests.editing.test_committing import KINDS, bench_for, in_table, there, wanted


def undo(bench: EditBench, *ids: str) -> tuple[UndoPlan, CommitReport]:
    plan = bench.desk.plan_undo(ids, bench.ticket)
    return plan, bench.desk.commit(plan.commit, bench.ticket)


@pytest.mark.parametrize("kind", KINDS)
def test_there_and_back_and_there_again(kind: str) -> None:
    bench, one = bench_for(kind)
    first = bench.commit(one)
    plan, report = undo(bench, first.commit)
    assert (plan.left_out, report.is_done) == ((), True)
    assert in_table(bench) == there(one)
    again, report = undo(bench, report.commit)
    assert (again.left_out, report.is_done) == ((), True)
    assert in_table(bench) == wanted(one)


@given(items, items)
@settings(max_examples=40)
def test_exactly_what_was(old: Item, new: Item) -> None:
    before, after = {**old, **post()}, {**new, **post()}
    if before == after:
        return
    bench = EditBench(before)
    # Emulators hold values that the service would not take: they come back, too.
    first = bench.desk.commit(plan_commit([edit(before, after)]), bench.ticket)
    assert bench.item() == after
    undo(bench, first.commit)
    assert bench.item() == before


@pytest.mark.parametrize("kind", KINDS)
def test_only_where_nobody_changed_the_item_since(kind: str) -> None:
    bench, one = bench_for(kind)
    first = bench.commit(one)
    theirs = {**(one.after or one.before or {}), "untouched by the edit": Null()}
    bench.reader.put("Posts", theirs)
    plan, report = undo(bench, first.commit)
    (left,) = plan.left_out
    words = "there is an item with its key again" if kind == "deleted" else "somebody changed the item since"
    assert (left.reason, left.found) == (words, theirs)
    assert report.results == ()
    assert in_table(bench) == [theirs]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "deleted"])
def test_not_where_somebody_deleted_it(kind: str) -> None:
    bench, one = bench_for(kind)
    first = bench.commit(one)
    bench.reader.delete("Posts", one.new_key)
    plan, _ = undo(bench, first.commit)
    assert [left.reason for left in plan.left_out] == ["somebody deleted the item since"]


def test_a_set_in_another_order_and_a_number_otherwise_spelled_are_no_change() -> None:
    before, after = post(), post(s=StringSet(("a", "b")), n=NumberSet((Number("1"), Number("2.50"))), m=Number("1E2"))
    bench = EditBench(before)
    first = bench.commit(edit(before, after))
    bench.reader.put("Posts", post(m=Number("100"), n=NumberSet((Number("2.5"), Number("1"))), s=StringSet(("b", "a"))))
    _, report = undo(bench, first.commit)
    assert report.is_done
    assert bench.item() == before


def test_the_race_between_looking_and_writing_is_lost() -> None:
    bench, one = bench_for("edited")
    first = bench.commit(one)
    plan = bench.desk.plan_undo([first.commit], bench.ticket)
    bench.reader.put("Posts", {**(one.after or {}), "likes": Number("90")})
    (result,) = bench.desk.commit(plan.commit, bench.ticket).results
    assert result.outcome == "lost race"


def test_once() -> None:
    bench, one = bench_for("edited")
    first = bench.commit(one)
    undo(bench, first.commit)
    plan, _ = undo(bench, first.commit)
    assert [left.reason for left in plan.left_out] == ["it was taken back before"]


def test_again_after_the_undo_was_taken_back() -> None:
    bench, one = bench_for("edited")
    first = bench.commit(one)
    _, back = undo(bench, first.commit)
    undo(bench, back.commit)
    assert in_table(bench) == wanted(one)
    plan, report = undo(bench, first.commit)
    assert (plan.left_out, report.is_done) == ((), True)
    assert in_table(bench) == there(one)


def test_what_was_not_applied_or_is_not_known() -> None:
    bench, one = bench_for("edited")
    bench.reader.put("Posts", post(title=String("theirs")))
    lost = bench.commit(one)
    plan, _ = undo(bench, lost.commit)
    assert [left.reason for left in plan.left_out] == ["it was not applied: lost race"]
    bench, one = bench_for("edited")
    bench.journal.fails_at = {3: OutcomeUnknown("killed")}
    unknown = bench.commit(one)
    plan, _ = undo(bench, unknown.commit)
    assert [left.reason for left in plan.left_out] == ["whether it was applied is not known: sent, outcome unknown"]
    bench.desk.resolve(bench.ticket)  # now it is
    _, report = undo(bench, unknown.commit)
    assert report.is_done
    assert in_table(bench) == there(one)


def test_of_two_edits_of_one_item_the_later_is_taken_back_first() -> None:
    bench, one = bench_for("edited")
    back = edit(one.after, one.before)
    commits = [bench.commit(step).commit for step in (one, back, one)]
    plan, report = undo(bench, *commits)
    assert [(left.edit.commit.id, left.reason) for left in plan.left_out] == [
        (commits[1], "a later edit of the same item is taken back first"),
        (commits[0], "a later edit of the same item is taken back first"),
    ]
    assert report.is_done
    assert in_table(bench) == there(one)


def test_single_writes_of_a_commit() -> None:
    bench = EditBench()
    first = bench.commit(*(edit(None, post(f"N{number}")) for number in range(3)))
    _, report = undo(bench, first.results[1].planned.id)
    assert report.is_done
    assert [bench.item(f"N{number}") is not None for number in range(3)] == [True, False, True]
    plan, _ = undo(bench, first.commit)
    assert [left.edit.id for left in plan.left_out] == [first.results[1].planned.id]
    assert [bench.item(f"N{number}") for number in range(3)] == [None] * 3


def test_only_where_it_was_made() -> None:
    bench, one = bench_for("edited")
    first = bench.commit(one)
    elsewhere = bench.new_desk(replace(HERE, region="mars"))
    with pytest.raises(InvalidRequest, match="made at memory in nowhere"):
        elsewhere.plan_undo([first.commit], bench.ticket)
    with pytest.raises(InvalidRequest, match="no edit nothing"):
        bench.desk.plan_undo(["nothing"], bench.ticket)


def test_the_journal_says_what_it_takes_back() -> None:
    bench, one = bench_for("moved")
    first = bench.commit(one)
    undo(bench, first.commit)
    log = EditLog.of(bench.journal.entries)
    assert [edit.undoes for edit in log.edits.values()] == ["", first.results[0].planned.id]
    assert log.undone(first.results[0].planned.id)
