"""Repairs applied to a table in memory: right numbers, written once, and an end at the first surprise."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dynodesk.domain.errors import Busy, CannotConnect, DynodeskError, NotAllowed, Throttled
from dynodesk.domain.repairs import RepairReport
from dynodesk.domain.values import Map, Number, String
from dynodesk.reconcile.repair import waves
from tests.helpers.memory_writer import Luck
from tests.helpers.social import key, likes
from tests.reconcile.repair_bench import GUARDS, MARKER, RULE, VERSION, Bench, drifted


def outcomes(report: RepairReport) -> list[str]:
    return [result.outcome for result in report.results]


@pytest.fixture(params=GUARDS)
def guard(request: pytest.FixtureRequest) -> str:
    return GUARDS[str(request.param)]


# ----------------------------------------------------------------------------------------------------- what is written


def test_over_and_under(guard: str) -> None:
    bench = Bench(*drifted("over", 41, 37), *drifted("under", -2, 3), *drifted("right", 2, 2), guard=guard)
    report = bench.apply()
    assert outcomes(report) == ["repaired", "repaired"]
    assert [bench.tally(name) for name in ("over", "under", "right")] == [Decimal(37), Decimal(3), Decimal(2)]
    assert report.stopped is None
    assert report.is_done
    assert all(result.held for result in report.results)
    assert bench.plan().repairs == ()


def test_what_one_repair_writes() -> None:
    bench = Bench(*drifted("a", 41, 37, title=String("Harbour walk")), guard=VERSION + MARKER)
    before = dict(bench.parent("a"))
    (result,) = bench.apply().results
    changed = {"likeTally": Number("37"), "rev": Number("8"), "_repaired": String(result.repair.id)}
    assert bench.parent("a") == {**before, **changed}
    assert len(bench.writer.sent) == 1


def test_a_nested_tally() -> None:
    parent = {**key("POST#a", "META"), "rev": Number("1"), "stats": Map({"likes": Number("5"), "views": Number("9")})}
    bench = Bench(parent, *likes("a", 2), rule=RULE.replace('"likeTally"', '"stats.likes"'))
    assert outcomes(bench.apply()) == ["repaired"]
    assert bench.parent("a")["stats"] == Map({"likes": Number("2"), "views": Number("9")})


def test_a_missing_tally_is_set_only_where_the_rule_says_what_it_stands_for(guard: str) -> None:
    parent = {**key("POST#a", "META"), "rev": Number("1")}
    assert outcomes(Bench(parent, *likes("a", 2), guard=guard).apply()) == []
    bench = Bench(parent, *likes("a", 2), guard=guard, more='missing = "zero"\n')
    assert outcomes(bench.apply()) == ["repaired"]
    assert bench.tally("a") == 2


def test_a_parent_that_was_deleted_stays_deleted() -> None:
    bench = Bench(*drifted("a", 3, 0))
    plan = bench.plan()
    bench.writer.before = lambda: bench.reader.delete("Social", plan.repairs[0].key)
    report = bench.apply(plan)
    assert outcomes(report) == ["not needed"]
    assert bench.reader.get("Social", plan.repairs[0].key) is None


def test_waves_grow() -> None:
    bench = Bench(*(item for n in range(140) for item in drifted(f"p{n:03}", n + 1, 0)))
    plan = bench.plan()
    assert [len(wave) for wave in waves(plan.repairs)] == [1, 5, 25, 100, 9]
    assert [abs(repair.drift) for repair in plan.repairs] == list(range(1, 141))  # the smallest first


# ------------------------------------------------------------------------------------------------ what moved meanwhile


def test_a_drift_that_is_gone_is_not_repaired(guard: str) -> None:
    bench = Bench(*drifted("a", 41, 37), guard=guard)
    plan = bench.plan()
    bench.change("a", likeTally=Number("37"), rev=Number("8"))
    assert outcomes(bench.apply(plan)) == ["not needed"]
    assert bench.writer.sent == []


def test_a_drift_of_another_size_is_not_repaired(guard: str) -> None:
    bench = Bench(*drifted("a", 41, 37), guard=guard)
    plan = bench.plan()
    bench.change("a", likeTally=Number("42"))
    (result,) = bench.apply(plan).results
    assert (result.outcome, result.reason) == ("changed", "its drift is +5 now, and +4 was planned")
    assert bench.writer.sent == []


def test_likes_since_the_plan_are_kept(guard: str) -> None:
    """They move tally and version: the whole protocol is gone through again, and the same drift is taken off."""
    bench = Bench(*drifted("a", 41, 37), guard=guard)
    plan = bench.plan()
    bench.like("a", "zoe")
    assert outcomes(bench.apply(plan)) == ["repaired"]
    assert bench.tally("a") == 38


def test_a_like_just_before_the_write_loses_the_race_and_is_kept(guard: str) -> None:
    bench = Bench(*drifted("a", 41, 37), guard=guard)
    plan = bench.plan()
    to_come = ["zoe", "yan"]
    bench.writer.before = lambda: bench.like("a", to_come.pop()) if to_come else None
    (result,) = bench.apply(plan).results
    assert result.outcome == "repaired"
    assert bench.tally("a") == 39
    assert bench.journal.told() == [
        ("intent", None),
        ("outcome", "lost race"),
        ("intent", None),
        ("outcome", "lost race"),
        ("intent", None),
        ("outcome", "applied"),
        ("repair check", "ok"),
        ("repair check", "ok"),
    ]


def test_a_race_that_is_always_lost_ends() -> None:
    bench = Bench(*drifted("a", 41, 37))
    bench.writer.before = lambda: bench.like("a", f"u{len(bench.writer.sent)}-late")
    report = bench.apply()
    assert outcomes(report) == ["lost race"]
    assert report.stopped is None
    assert bench.tally("a") == 41 + len(bench.writer.sent)


def test_a_like_and_an_unlike_that_leave_the_same_tally_are_noticed() -> None:
    """The tally is the planned one, and the version tells that it is not the same one."""
    bench = Bench(*drifted("a", 41, 37))
    plan = bench.plan()

    def toggle() -> None:
        bench.writer.before = lambda: None
        bench.like("a", "zoe")
        bench.unlike("a", "u000")

    bench.writer.before = toggle
    assert outcomes(bench.apply(plan)) == ["repaired"]
    assert len(bench.writer.sent) == 2
    assert bench.tally("a") == 37


@pytest.mark.parametrize("guard", GUARDS.values(), ids=GUARDS)
def test_two_tools_with_a_like_in_between_repair_once(guard: str) -> None:
    bench = Bench(*drifted("a", 2, 1), guard=guard)
    plan, other_plan = bench.plan(), bench.plan()
    other = bench.new_desk()

    def other_is_faster() -> None:
        bench.writer.before = lambda: None
        other.apply(other_plan, bench.ticket)
        bench.like("a", "zoe")  # the tally is the planned one again

    bench.writer.before = other_is_faster
    assert outcomes(bench.apply(plan)) == ["not needed"]
    assert bench.tally("a") == 2


@pytest.mark.parametrize("guard", [MARKER, VERSION + MARKER], ids=["marker", "both"])
def test_a_repair_by_somebody_else_since_the_plan_is_noticed(guard: str) -> None:
    bench = Bench(*drifted("a", 2, 1), guard=guard)
    plan, other_plan = bench.plan(), bench.plan()
    bench.new_desk().apply(other_plan, bench.ticket)
    bench.like("a", "zoe")
    assert outcomes(bench.apply(plan)) == ["not needed"]


# --------------------------------------------------------------------------------------------------------- bad luck


@pytest.mark.parametrize("luck", ["reply lost", "request lost"])
def test_no_answer_is_resolved_and_never_doubled(guard: str, luck: Luck) -> None:
    bench = Bench(*drifted("a", 41, 37), guard=guard)
    bench.writer.luck = [luck]
    report = bench.apply()
    # Without a marker another program's repair would look the same.
    is_ours = MARKER in guard or luck == "request lost"
    assert outcomes(report) == ["repaired" if is_ours else "settled"]
    assert bench.tally("a") == 37
    assert len(bench.writer.sent) == (1 if luck == "reply lost" else 2)
    assert bench.journal.told()[1] == ("outcome", "unknown")
    assert ("outcome", "applied" if is_ours else "settled") in bench.journal.told()


def test_a_request_that_arrives_after_it_was_given_up_is_not_doubled(guard: str) -> None:
    bench = Bench(*drifted("a", 41, 37), guard=guard)
    bench.writer.luck = ["arrives late"]

    def arrive() -> None:
        if len(bench.writer.sent) == 2:
            bench.writer.arrive(bench.writer.late.pop())

    bench.writer.before = arrive
    assert outcomes(bench.apply()) == ["repaired" if MARKER in guard else "settled"]
    assert bench.tally("a") == 37


@pytest.mark.parametrize("step", [1, -1])
def test_a_like_that_looks_like_the_repair_is_not_taken_for_it(step: int) -> None:
    """Without a marker: the request is lost, and a writer moves tally and version as the repair would have."""
    bench = Bench(*drifted("a", 5 - step, 5))
    bench.writer.luck = ["request lost"]
    bench.writer.before = lambda: bench.like("a", "zoe") if step == 1 else bench.unlike("a", "u000")
    (result,) = bench.apply().results
    assert result.outcome == "unknown"  # the drift is as it was: it may also have been brought back since
    assert {outcome for kind, outcome in bench.journal.told() if kind == "outcome"} == {"unknown"}


@pytest.mark.parametrize("fault", [Busy("held"), Throttled("over capacity")], ids=["conflict", "throttled"])
def test_a_refusal_for_now_is_tried_again_with_pauses(fault: DynodeskError) -> None:
    bench = Bench(*drifted("a", 41, 37))
    bench.writer.luck = [fault, fault, fault]
    (result,) = bench.apply().results
    assert (result.outcome, result.tries) == ("repaired", 4)
    tries = [entry.payload["try"] for entry in bench.journal.entries if entry.kind == "intent"]
    assert tries == [1, 2, 3, 4]


def test_a_refusal_that_stays_is_a_lost_race() -> None:
    bench = Bench(*drifted("a", 41, 37))
    bench.writer.luck = [Busy("held")] * 64
    report = bench.apply()
    assert outcomes(report) == ["lost race"]
    assert report.results[0].tries == len(bench.writer.sent) == 8
    assert report.stopped is None
    assert bench.tally("a") == 41


# -------------------------------------------------------------------------------------------------------- surprises


def many(count: int) -> Bench:
    return Bench(*(item for n in range(count) for item in drifted(f"p{n:02}", n + 1, 0)))


def test_what_the_service_does_not_allow_is_tried_once() -> None:
    bench = many(10)
    bench.writer.luck = [NotAllowed("no UpdateItem")]
    report = bench.apply()
    assert outcomes(report) == ["refused"] + ["not tried"] * 9
    assert len(bench.writer.sent) == 1
    assert report.stopped == "POST#p00 / META: refused"


def test_a_repair_that_does_not_verify_ends_the_run() -> None:
    bench = many(10)

    def spoil() -> None:
        if bench.writer.sent[-1].key["PK"] == String("POST#p05"):
            bench.change("p05", likeTally=Number("99"), rev=Number("50"))

    bench.writer.after = spoil
    report = bench.apply()
    assert outcomes(report) == ["repaired"] * 5 + ["not verified"] + ["not tried"] * 4
    assert report.results[5].reason == "counted again: exact, drift +99"
    assert report.found_drift
    assert report.stopped == "POST#p05 / META: not verified"


def test_a_writer_with_values_of_its_own_is_told() -> None:
    """It read the tally before the repair, and writes what it makes of it after the repair was verified."""
    bench = many(3)
    bench.clock.at(70, lambda: bench.change("p00", likeTally=Number("2"), rev=Number("9")))
    plan = bench.plan()
    assert bench.clock.now() < 70
    report = bench.apply(plan)
    assert outcomes(report)[0] == "not held"
    assert report.found_drift
    assert report.stopped == "POST#p00 / META: not held"


def test_cancelling_leaves_nothing_open() -> None:
    bench = many(10)
    bench.writer.after = lambda: bench.ticket.cancel() if len(bench.writer.sent) == 3 else None
    report = bench.apply()
    assert report.stopped == "cancelled"
    assert outcomes(report)[0] == "repaired"
    assert outcomes(report).count("unverified") == 2
    assert outcomes(report).count("not tried") == 7
    assert [told for told in bench.journal.told() if told[0] != "repair check"] == [
        ("intent", None),
        ("outcome", "applied"),
    ] * 3


def test_a_network_that_is_gone_ends_the_run() -> None:
    bench = many(10)
    plan = bench.plan()

    def gone(_plan: object) -> None:
        raise CannotConnect("gone")

    bench.writer.after = lambda: setattr(bench.reader, "before_page", gone)
    report = bench.apply(plan)
    assert outcomes(report) == ["unverified"] + ["not tried"] * 9
    assert report.results[0].reason == "counted again: gone"
    assert not report.found_drift  # nobody has seen any
    assert report.stopped == "POST#p00 / META: unverified"


@pytest.mark.parametrize(
    ("call", "expected", "sent"),
    [(1, None, 0), (2, "refused", 0), (3, "unknown", 1), (4, "unverified", 1)],
    ids=["the run", "the intent", "the outcome", "the check"],
)
def test_nothing_is_sent_that_the_journal_does_not_hold(call: int, expected: str | None, sent: int) -> None:
    bench = Bench(*drifted("a", 41, 37), *drifted("b", 50, 37))
    plan = bench.plan()
    bench.journal.fails_at = {call: DynodeskError("disk full")}
    if expected is None:
        with pytest.raises(DynodeskError):
            bench.apply(plan)
    else:
        assert outcomes(bench.apply(plan)) == [expected, "not tried"]
    assert len(bench.writer.sent) == sent


def test_a_second_look_is_cheap_and_the_waits_are_few() -> None:
    bench = Bench(*drifted("a", 41, 37))
    plan = bench.plan()
    bench.reader.asked.clear()
    bench.clock.slept.clear()
    bench.apply(plan)
    assert len(bench.reader.asked) == 3  # before the write, after it, and when everything in flight has ended
    assert sum(bench.clock.slept) == pytest.approx(34)


def test_after_a_long_sleep_everything_is_confirmed_in_full() -> None:
    bench = Bench(*drifted("a", 41, 37))
    plan = bench.plan()
    bench.clock.sleep(8 * 3600, bench.ticket)
    bench.reader.asked.clear()
    assert outcomes(bench.apply(plan)) == ["repaired"]
    assert len(bench.reader.asked) == 4


def test_told_as_it_goes() -> None:
    bench = many(2)
    bench.apply()
    assert [(result.repair.parent_text, result.outcome) for result in bench.told] == [
        ("POST#p00 / META", "unverified"),
        ("POST#p00 / META", "repaired"),
        ("POST#p01 / META", "unverified"),
        ("POST#p01 / META", "repaired"),
    ]
