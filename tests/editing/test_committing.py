"""Edits committed: what is written, what the journal holds, and what becomes of each when luck is bad."""

from __future__ import annotations

import contextlib
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import (
    Busy,
    CannotConnect,
    DynodeskError,
    InvalidRequest,
    InvalidValue,
    NotAllowed,
    OutcomeUnknown,
    ReadOnly,
    Throttled,
)
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.tries import MAX_TRIES
from dynodesk.domain.values import Item, Map, Null, Number, String
from dynodesk.domain.writes import GuardedDelete, GuardedPut, GuardedUpdate
from dynodesk.editing.committing import EDIT_MEANINGS, EDIT_OUTCOMES, plan_commit
from dynodesk.editing.log import EditLog
from tests.editing.edit_bench import EditBench, edit, post
from tests.helpers.memory_writer import Luck

OLD = post(likes=Number("41"), title=String("a"), stats=Map({"views": Number("7")}))
NEW = post(likes=Number("42"), title=String("a"), stats=Map({"views": Number("7"), "new": Null()}))
MOVED = {**OLD, "SK": String("DRAFT")}
KINDS: dict[str, tuple[Item | None, Item | None]] = {
    "new": (None, OLD),
    "edited": (OLD, NEW),
    "deleted": (OLD, None),
    "moved": (OLD, MOVED),
}


def bench_for(kind: str) -> tuple[EditBench, Edit]:
    before, after = KINDS[kind]
    return EditBench(*([before] if before else [])), edit(before, after)


def in_table(bench: EditBench) -> list[Item]:
    return [item for item in (bench.item("META"), bench.item("DRAFT")) if item is not None]


def wanted(one: Edit) -> list[Item]:
    return [] if one.after is None else [one.after]


def there(one: Edit) -> list[Item]:
    return [] if one.before is None else [one.before]


@pytest.mark.parametrize("kind", KINDS)
def test_applied(kind: str) -> None:
    bench, one = bench_for(kind)
    report = bench.commit(one)
    (result,) = report.results
    assert (result.outcome, result.seen, result.tries, report.stopped) == ("applied", one.after, 1, None)
    assert in_table(bench) == wanted(one)
    assert report.is_done
    assert bench.told == [result]
    assert [entry.kind for entry in bench.journal.entries] == ["commit", "intent", "outcome", "commit end"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_journal_says_what_is_changed_before_it_is_sent(kind: str) -> None:
    bench, one = bench_for(kind)
    at_sending: list[int] = []
    bench.writer.before = lambda: at_sending.append(len(bench.journal.entries))
    plan = bench.desk.plan([one], bench.ticket)
    bench.desk.commit(plan, bench.ticket)
    assert at_sending == [2]
    (logged,) = EditLog.of(bench.journal.entries).edits.values()
    (planned,) = plan.edits
    assert (logged.id, logged.kind, logged.write) == (planned.id, one.kind, planned.write)
    assert sorted(map(repr, logged.changes)) == sorted(map(repr, one.changes))
    assert (logged.outcome, logged.is_open, logged.was_applied) == ("applied", False, True)
    payload: Mapping[str, Any] = bench.journal.entries[1].payload
    assert json.loads(json.dumps(payload)) == payload  # nothing but JSON


def test_the_request_that_was_shown_is_the_one_that_is_sent() -> None:
    bench, one = bench_for("moved")
    plan = bench.desk.plan([one], bench.ticket)
    bench.desk.commit(plan, bench.ticket)
    assert bench.writer.sent == [plan.edits[0].write]


@pytest.mark.parametrize("kind", KINDS)
def test_a_lost_race_shows_the_other_version_and_writes_nothing(kind: str) -> None:
    bench, one = bench_for(kind)
    theirs = post(likes=Number("90"), stats=Map({"new": Number("1")}))
    bench.reader.put("Posts", theirs)
    (result,) = bench.commit(one).results
    assert (result.outcome, result.seen, result.at_target) == ("lost race", theirs, False)
    assert in_table(bench) == [theirs]
    assert len(bench.writer.sent) == 1


def test_an_item_that_is_gone_stays_gone() -> None:
    for kind in ("edited", "deleted", "moved"):
        bench, one = bench_for(kind)
        bench.reader.delete("Posts", one.key)
        (result,) = bench.commit(one).results
        assert (result.outcome, result.seen) == ("lost race", None)
        assert in_table(bench) == []


def test_a_move_onto_an_item_shows_that_item() -> None:
    bench, one = bench_for("moved")
    other = post("DRAFT", title=String("theirs"))
    bench.reader.put("Posts", other)
    (result,) = bench.commit(one).results
    assert (result.outcome, result.seen, result.at_target) == ("lost race", other, True)
    assert in_table(bench) == [OLD, other]


def test_two_people_change_different_attributes_and_both_stay() -> None:
    bench, one = bench_for("edited")
    bench.reader.put("Posts", {**OLD, "title": String("theirs"), "added": Null()})
    assert bench.commit(one).is_done
    assert in_table(bench) == [{**NEW, "title": String("theirs"), "added": Null()}]


# --------------------------------------------------------------------------------------------------------- bad luck


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("luck", ["reply lost", "request lost", "arrives late"])
def test_without_an_answer_the_item_tells(kind: str, luck: Luck) -> None:
    bench, one = bench_for(kind)
    bench.writer.luck = [luck]
    (result,) = bench.commit(one).results
    assert (result.outcome, result.seen) == ("applied", one.after)
    assert in_table(bench) == wanted(one)
    assert len(bench.writer.sent) == (1 if luck == "reply lost" else 2)
    (logged,) = EditLog.of(bench.journal.entries).edits.values()
    assert logged.was_applied
    for late in bench.writer.late:
        bench.writer.arrive(late)
    assert in_table(bench) == wanted(one)


@pytest.mark.parametrize("kind", KINDS)
def test_somebody_else_may_have_been_before_the_answer(kind: str) -> None:
    bench, one = bench_for(kind)
    bench.writer.luck = ["reply lost"]
    theirs = post("DRAFT" if kind == "moved" else "META", likes=Number("7"), title=String("theirs"))
    bench.writer.after = lambda: bench.reader.put("Posts", theirs)
    (result,) = bench.commit(one).results
    assert result.outcome == "unknown"
    assert in_table(bench) == [theirs]
    assert len(bench.writer.sent) == 1


def test_refused_for_the_moment_is_tried_again() -> None:
    for fault in (Busy("held"), Throttled("full")):
        bench, one = bench_for("edited")
        bench.writer.luck = [fault] * (MAX_TRIES - 1)
        assert bench.commit(one).is_done
        assert len(bench.clock.slept) == MAX_TRIES - 1
        bench, one = bench_for("edited")
        bench.writer.luck = [fault] * MAX_TRIES
        (result,) = bench.commit(one).results
        assert (result.outcome, result.reason, result.tries) == ("refused", fault.message, MAX_TRIES)


def test_a_refusal_of_one_item_leaves_the_others_alone() -> None:
    bench = EditBench()
    bench.writer.luck = [InvalidRequest("no")]
    report = bench.commit(*(edit(None, post(f"N{number}")) for number in range(5)))
    assert Counter(result.outcome for result in report.results) == {"applied": 4, "refused": 1}
    assert report.stopped is None
    assert "no [invalid-request]" in report.of("refused")[0].reason


@pytest.mark.parametrize("fault", [CannotConnect("gone"), NotAllowed("no"), ReadOnly("no")])
def test_what_the_next_would_meet_as_well_ends_the_commit(fault: DynodeskError) -> None:
    bench = EditBench()
    bench.writer.luck = [fault] * 100
    report = bench.commit(*(edit(None, post(f"N{number:02}")) for number in range(50)))
    assert report.stopped == f"{fault.message} [{fault.code}]"
    assert len(report.of("refused")) == len(bench.writer.sent) < 10
    assert len(report.not_tried) == 50 - len(bench.writer.sent)
    bench.writer.luck = []
    assert bench.commit(*report.not_tried).is_done


def test_cancelled_between_two_writes() -> None:
    bench = EditBench()
    plan = bench.desk.plan([edit(None, post(f"N{number:02}")) for number in range(50)], bench.ticket)
    report = bench.desk.commit(plan, bench.ticket, lambda _: bench.ticket.cancel())
    applied = report.of("applied")
    assert 1 <= len(applied) <= 8
    assert report.stopped == "cancelled"
    assert [result.planned for result in report.results] == [*plan.edits]
    assert len(report.not_tried) == 50 - len(applied)
    log = EditLog.of(bench.journal.entries)
    assert len(log.edits) == len(applied)
    assert not [*log.open(bench.desk.place)]


def test_cancelled_in_a_pause() -> None:
    cases: list[tuple[Luck, str]] = [(Busy("held"), "not tried"), ("arrives late", "unknown")]
    for luck, outcome in cases:
        bench, one = bench_for("edited")
        bench.writer.luck = [luck]
        bench.clock.at(0.0, bench.ticket.cancel)
        (result,) = bench.commit(one).results
        assert result.outcome == outcome
        assert in_table(bench) == [OLD]


@pytest.mark.parametrize(("call", "sent"), [(1, 0), (2, 0), (3, 1)])
def test_a_full_disk(call: int, sent: int) -> None:
    """Nothing is sent that the journal does not hold."""
    bench, one = bench_for("edited")
    bench.journal.fails_at = {call: CannotConnect("disk full")}
    if call == 1:
        with pytest.raises(CannotConnect):
            bench.commit(one)
    else:
        (result,) = bench.commit(one).results
        assert result.outcome == ("refused" if sent == 0 else "unknown")
    assert len(bench.writer.sent) == sent


def test_read_only_leaves_no_trace() -> None:
    bench, one = bench_for("edited")
    bench.read_only = True
    with pytest.raises(ReadOnly):
        bench.commit(one)
    with pytest.raises(ReadOnly):
        bench.desk.delete_unguarded(bench.desk.catalog.describe("Posts", bench.ticket), [OLD], bench.ticket)
    assert [*bench.journal.entries, *bench.writer.sent, *bench.writer.batches] == []


def test_a_plan_says_which_edit_would_be_refused() -> None:
    bench = EditBench()
    with pytest.raises(InvalidValue, match=r"^POST#a91f / META: actor is a key of the index ByActor"):
        bench.commit(edit(OLD, {**OLD, "actor": Number("1")}))


def test_two_edits_of_one_item_are_no_plan() -> None:
    for other in (edit(OLD, None), edit(post("X"), OLD), edit(None, MOVED)):
        with pytest.raises(InvalidRequest, match="two edits are of the item"):
            plan_commit([edit(OLD, MOVED), other])
    for other in (edit(OLD, None), edit(post("X"), OLD)):
        with pytest.raises(InvalidRequest, match="two edits are of the item"):
            plan_commit([edit(OLD, NEW), other])


def test_units() -> None:
    assert plan_commit([edit(OLD, NEW), edit(post("X"), post("Y"))]).units == 1 + 4


def test_an_outcome_for_every_meaning() -> None:
    assert {*EDIT_MEANINGS} == {*EDIT_OUTCOMES}


# --------------------------------------------------------------------------------------------- left behind, resolved


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("was_sent", [True, False])
def test_what_a_killed_program_left_open_is_found_out_and_not_sent(kind: str, was_sent: bool) -> None:
    bench, one = bench_for(kind)
    killed = OutcomeUnknown("no answer")
    bench.journal.fails_at = {3: killed}  # intent noted, sent or not, and then nothing more
    bench.writer.luck = [None if was_sent else "request lost"]
    bench.commit(one)
    before = len(bench.writer.sent)
    (resolved,) = bench.new_desk().resolve(bench.ticket)
    assert resolved.outcome == ("applied" if was_sent else "not tried")
    assert len(bench.writer.sent) == before
    assert in_table(bench) == (wanted(one) if was_sent else there(one))
    assert bench.new_desk().resolve(bench.ticket) == ()


def test_what_another_window_is_just_writing_is_not_taken_for_left_open() -> None:
    bench, one = bench_for("edited")
    other = bench.new_desk()
    bench.commit(edit(None, post("OTHER")))

    @contextlib.contextmanager
    def after_the_other() -> Iterator[None]:
        bench.journal.entries.append(held_back)  # it has noted its outcome before it lets go
        yield

    bench.commit(one)
    held_back = next(entry for entry in reversed(bench.journal.entries) if entry.kind == "outcome")
    bench.journal.entries.remove(held_back)
    assert replace(other, holding=after_the_other).resolve(bench.ticket) == ()
    assert EditLog.of(bench.journal.entries).edits[str(held_back.payload["id"])].outcome == "applied"


def test_a_payload_holds_every_character() -> None:
    hard = String("a\xa0b\r\nc\u2028d\x00\x0b💙")
    bench = EditBench(post(text=hard))
    bench.commit(edit(post(text=hard), post(text=String(hard.text + "!"))))
    (logged,) = EditLog.of(bench.journal.entries).edits.values()
    assert logged.changes[0].before == hard
    assert isinstance(logged.write, GuardedUpdate)
    assert item_to_dynamodb(bench.item() or {})["text"]["S"] == hard.text + "!"


def test_what_is_sent_for_each_kind() -> None:
    kinds = {GuardedPut: "new", GuardedUpdate: "edited", GuardedDelete: "deleted"}
    for write, kind in kinds.items():
        bench, one = bench_for(kind)
        bench.commit(one)
        assert [type(sent) for sent in bench.writer.sent] == [write]


def test_a_deletion_is_in_the_journal_once_and_all_of_it() -> None:
    """Its request has the values; those that are too many for its condition stand beside it."""
    large = {**post(), **{f"a{number:03}": Number(str(number)) for number in range(200)}}
    bench = EditBench(large)
    bench.commit(edit(large, None))
    (logged,) = EditLog.of(bench.journal.entries).edits.values()
    assert {change.path.names[0]: change.before for change in logged.changes} == large
    changes: Any = bench.journal.entries[1].payload["changes"]
    assert len(changes) == len(logged.write.unguarded) == 200 - 149


LUCKS: tuple[Luck, ...] = (
    *(None, None, None, "reply lost", "request lost"),
    *(Busy("held"), Throttled("full"), InvalidRequest("no"), NotAllowed("no")),
)


@pytest.mark.parametrize("seed", range(40))
def test_whatever_the_luck_what_is_told_is_true(seed: int) -> None:
    chance = random.Random(seed)
    items = [post(f"N{number:02}", likes=Number("1")) for number in range(12)]
    bench = EditBench(*items[:9])
    edits = [edit(item, {**item, "likes": Number("2")}) for item in items[:3]]
    edits += [edit(item, None) for item in items[3:6]]
    edits += [edit(item, {**item, "SK": String(f"M{number:02}")}) for number, item in enumerate(items[6:9])]
    edits += [edit(None, item) for item in items[9:]]
    bench.writer.luck = [chance.choice(LUCKS) for _ in range(40)]
    report = bench.commit(*edits)
    bench.writer.luck = []
    bench.desk.resolve(bench.ticket)
    log = EditLog.of(bench.journal.entries)
    assert not [*log.open(bench.desk.place)]
    for result in report.results:
        one = result.planned.edit
        old, new = bench.reader.get("Posts", one.key), bench.reader.get("Posts", one.new_key)
        is_done = new == one.after and (one.kind != "moved" or old is None)
        is_left = old == one.before and (one.kind != "moved" or new is None)
        assert is_done or is_left
        if result.outcome == "applied":
            assert is_done
        elif result.outcome != "unknown":
            assert is_left
        logged = log.edits.get(result.planned.id)
        assert is_done == (logged is not None and logged.was_applied)
