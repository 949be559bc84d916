"""The state machine alone, by scripted replies: what it asks for, in which order, and every verdict."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from decimal import Decimal

import pytest

from dynodesk.domain.tallies import Tally
from dynodesk.domain.tries import MAX_TRIES, Pause, Waited
from dynodesk.domain.values import Number, String, plain_digits
from dynodesk.reconcile.confirm import (
    Conclusion,
    Confirmation,
    CountChildren,
    Counted,
    ParentSeen,
    Protocol,
    ReadParent,
    Refused,
    Reply,
    Request,
    Wait,
)
from tests.reconcile.model.catalogue import rule

PROTOCOL = Protocol(settle=2, wait=30)
GONE = ParentSeen(None)


def parent(tally: int | str, version: int | str | None = 7, fingerprint: str = "p") -> ParentSeen:
    number = Number(str(tally))
    seen = None if version is None else Number(str(version)).value
    return ParentSeen(Tally(number, number.value), seen, fingerprint)


def counted(count: int, digest: str = "") -> Counted:
    return Counted(count, digest or f"digest of {count}")


def run(protocol: Protocol, *replies: Reply) -> tuple[list[Request], Confirmation | Conclusion]:
    """The requests answered by `replies`, and where that leads. Replies to waits and pauses are given by themselves."""
    asked: list[Request] = []
    state: Confirmation | Conclusion = Confirmation(protocol)
    rest = list(replies)
    while isinstance(state, Confirmation):
        request = state.request
        is_wait = isinstance(request, Wait | Pause)
        if not rest and not is_wait:
            break
        asked.append(request)
        state = state.after(Waited() if is_wait else rest.pop(0))
    assert not rest, f"concluded {state} with replies left: {rest}"
    return asked, state


def concluded(*replies: Reply, protocol: Protocol = PROTOCOL) -> Conclusion:
    state = run(protocol, *replies)[1]
    assert isinstance(state, Conclusion), state
    return state


def words(found: Confirmation | Conclusion) -> str:
    """The verdict, the drift or its ends, the passes and the tries: `exact 4, 2 passes, try 1`."""
    assert isinstance(found, Conclusion), found
    ends = [plain_digits(end) for end in (found.drift, found.low, found.high) if end is not None]
    return f"{' '.join([found.verdict, *ends])}, {found.passes} passes, try {found.tries}"


def refusals(number: int) -> list[Reply]:
    return [Refused()] * number


class TestRequests:
    def test_with_a_version_there_are_two_passes_by_keys(self) -> None:
        asked, state = run(PROTOCOL, parent(41), counted(37), parent(41), counted(37), parent(41))
        assert asked == [
            ReadParent(),
            Wait(2, "settle"),
            CountChildren(contents=False),
            ReadParent(),
            Wait(30, "in flight"),
            CountChildren(contents=False),
            ReadParent(),
        ]
        assert isinstance(state, Conclusion)

    def test_without_a_version_there_are_three_passes_by_contents_and_looks_after_the_waits(self) -> None:
        seen = parent(41, None)
        asked, state = run(PROTOCOL, seen, counted(37), seen, seen, counted(37), seen, seen, counted(37), seen)
        assert asked == [
            ReadParent(),
            Wait(2, "settle"),
            CountChildren(contents=True),
            ReadParent(),
            Wait(30, "in flight"),
            ReadParent(),
            CountChildren(contents=True),
            ReadParent(),
            Wait(30, "in flight"),
            ReadParent(),
            CountChildren(contents=True),
            ReadParent(),
        ]
        assert isinstance(state, Conclusion)

    def test_two_step_writers_are_outlasted_after_the_last_pass(self) -> None:
        protocol = replace(PROTOCOL, outlasts_last_pass=True)
        asked, state = run(protocol, parent(41), counted(37), parent(41), counted(37), parent(41), parent(41))
        assert asked[-3:] == [ReadParent(), Wait(30, "in flight"), ReadParent()]
        assert words(state) == "exact 4, 2 passes, try 1"

    def test_equal_numbers_need_one_pass(self) -> None:
        asked, state = run(PROTOCOL, parent(37), counted(37), parent(37))
        assert len(asked) == 4
        assert words(state) == "ok 0, 1 passes, try 1"

    @pytest.mark.parametrize("outlasts", [False, True])
    @pytest.mark.parametrize("version", [7, None])
    def test_no_time_is_waited_where_none_is_given(self, version: int | None, outlasts: bool) -> None:
        protocol = Protocol(settle=0, wait=0, outlasts_last_pass=outlasts)
        passes = 2 if version else 3
        once: list[Reply] = [counted(1), parent(3, version)]
        asked, state = run(protocol, parent(3, version), *once * passes)
        assert not [request for request in asked if isinstance(request, Wait)]
        assert isinstance(state, Conclusion)
        assert state.passes == passes

    def test_settling_and_waiting_are_set_apart(self) -> None:
        replies = (parent(3), counted(1), parent(3), counted(1), parent(3))
        assert Wait(5, "settle") in run(Protocol(settle=5, wait=0), *replies)[0]
        assert [r for r in run(Protocol(settle=0, wait=9), *replies)[0] if isinstance(r, Wait)] == [
            Wait(9, "in flight")
        ]

    def test_pauses_grow_to_a_ceiling_and_tries_end(self) -> None:
        paused = Confirmation(PROTOCOL).after(Refused())
        assert isinstance(paused, Confirmation)
        asked, state = run(PROTOCOL, *refusals(MAX_TRIES))
        pauses = [request.ceiling for request in asked if isinstance(request, Pause)]
        assert pauses == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2]
        assert words(state) == "busy, 0 passes, try 8"
        assert Confirmation(PROTOCOL, tries=40, next=paused.next).request == Pause(20.0)

    def test_the_rule_says_what_its_writers_need(self) -> None:
        assert Protocol.of(rule("transaction")) == Protocol(2, 30, bounds=True, outlasts_last_pass=False)
        assert Protocol.of(rule("two-step", wait=300)) == Protocol(2, 300, bounds=False, outlasts_last_pass=True)
        assert Protocol.of(rule("async", settle=0)) == Protocol(0, 30, bounds=False, outlasts_last_pass=False)


class TestVerdicts:
    def test_exact(self) -> None:
        found = concluded(parent(41), counted(37), parent(41), counted(37), parent(41))
        assert found == Conclusion(
            "exact",
            tally=Tally(Number("41"), Decimal(41)),
            real=37,
            drift=Decimal(4),
            passes=2,
            version=True,
            tries=1,
        )

    def test_probable(self) -> None:
        seen = parent(35, None)
        found = concluded(seen, counted(37), seen, seen, counted(37), seen, seen, counted(37), seen)
        assert words(found) == "probable -2, 3 passes, try 1"
        assert not found.version

    @pytest.mark.parametrize(
        ("stored", "count", "drift"),
        [
            ("10.0", 10, "0"),
            ("1E1", 10, "0"),
            ("10.5", 10, "0.5"),
            ("-3", 2, "-5"),
            ("9007199254740993", 9007199254740992, "1"),
            ("72057594037927937123", 3, "72057594037927937120"),
            ("9.9999999999999999999999999999999999999E125", 1, str((10**38 - 1) * 10**88 - 1)),
            ("1E-130", 1, "-0." + "9" * 130),
        ],
    )
    def test_numbers_are_compared_exactly(self, stored: str, count: int, drift: str) -> None:
        seen = parent(stored)
        found = run(PROTOCOL, seen, counted(count), seen)[1]
        if drift != "0":
            found = concluded(seen, counted(count), seen, counted(count), seen)
        assert isinstance(found, Conclusion)
        assert (found.verdict, found.drift) == ("ok" if drift == "0" else "exact", Decimal(drift))

    def test_a_number_written_another_way_has_not_moved(self) -> None:
        found = concluded(parent("10"), counted(7), parent("10.0"), counted(7), parent("1E1"))
        assert words(found) == "exact 3, 2 passes, try 1"

    def test_incomparable(self) -> None:
        seen = ParentSeen(Tally(String("10"), None, "likes is a String"), Decimal(7))
        found = concluded(seen, counted(10), seen)
        assert (found.verdict, found.reason, found.drift) == ("incomparable", "likes is a String", None)

    def test_a_missing_tally_that_stands_for_zero_is_compared(self) -> None:
        seen = ParentSeen(Tally(None, Decimal(0), "likes is missing"), Decimal(7))
        found = concluded(seen, counted(2), seen, counted(2), seen)
        assert words(found) == "exact -2, 2 passes, try 1"
        assert found.reason == "likes is missing"
        assert concluded(seen, counted(0), seen).verdict == "ok"

    def test_a_missing_tally_is_not_zero_otherwise(self) -> None:
        seen = ParentSeen(Tally(None, None, "likes is missing"), Decimal(7))
        assert concluded(seen, counted(0), seen).verdict == "incomparable"

    def test_orphans(self) -> None:
        found = concluded(GONE, counted(2), GONE, GONE, counted(2), GONE)
        assert (found.verdict, found.real, found.tally, found.drift) == ("orphans", 2, None, None)

    def test_gone(self) -> None:
        found = concluded(GONE, counted(0), GONE)
        assert (found.verdict, found.real) == ("gone", 0)

    def test_children_that_go_from_a_missing_parent_are_looked_at_again(self) -> None:
        found = concluded(GONE, counted(2), GONE, GONE, counted(0), GONE, GONE, counted(0), GONE)
        assert (found.verdict, found.tries) == ("gone", 2)

    def test_busy(self) -> None:
        moved: list[Reply] = []
        for version in range(MAX_TRIES):
            moved += [parent(3, version), counted(3), parent(4, version + 1)]
        found = concluded(*moved)
        assert (found.verdict, found.real, found.tries) == ("busy", None, MAX_TRIES)
        assert str(MAX_TRIES) in found.reason


class TestDisturbances:
    """Whatever moves ends the try, and the next one begins with nothing."""

    CALM = (parent(9, 8), counted(5), parent(9, 8), counted(5), parent(9, 8))

    @pytest.mark.parametrize(
        "replies",
        [
            pytest.param((Refused(),), id="refused at once"),
            pytest.param((parent(9), counted(5), Refused()), id="refused after a pass"),
            pytest.param((parent(9), counted(5), parent(9, 8)), id="the version rose"),
            pytest.param((parent(9), counted(5), parent(8)), id="the tally moved"),
            pytest.param((parent(9), counted(5), parent(9, None)), id="the version is gone"),
            pytest.param((parent(9), counted(5), GONE), id="the parent is gone"),
            pytest.param((GONE, counted(5), parent(9)), id="the parent is there"),
            pytest.param((parent(9), counted(5), parent(9), counted(6), parent(9)), id="a child came"),
            pytest.param((parent(9), counted(5), parent(9), counted(5, "x"), parent(9)), id="another child"),
            pytest.param((parent(9), counted(5), parent(9), counted(5), Refused()), id="refused after two passes"),
            pytest.param((parent(9), counted(5), parent(9), counted(5), parent(8)), id="moved in the second pass"),
            pytest.param((parent(9), counted(5), parent(9), counted(9, "x"), parent(9)), id="equal, but another set"),
        ],
    )
    def test_the_next_try_starts_afresh(self, replies: tuple[Reply, ...]) -> None:
        found = concluded(*replies, *self.CALM, protocol=replace(PROTOCOL, bounds=False))
        assert words(found) == "exact 4, 2 passes, try 2"

    @pytest.mark.parametrize(
        "later",
        [parent(8, None), parent(9, None, "another attribute"), parent(9, 1), GONE, Refused()],
    )
    def test_without_a_version_any_change_of_the_item_counts(self, later: Reply) -> None:
        seen = parent(9, None)
        for replies in ((seen, counted(5), later), (seen, counted(5), seen, later)):
            state = run(PROTOCOL, *replies)[1]
            assert isinstance(state, Confirmation)
            assert (state.tries, state.before, state.counted) == (2, None, ())

    def test_with_a_version_other_attributes_may_change(self) -> None:
        other = parent(9, 7, "another attribute")
        assert concluded(parent(9), counted(5), other, counted(5), parent(9)).verdict == "exact"

    def test_the_parent_is_looked_at_after_the_last_wait(self) -> None:
        protocol = replace(PROTOCOL, bounds=False, outlasts_last_pass=True)
        passes = (parent(9), counted(5), parent(9), counted(5), parent(9))
        for last in (parent(8, 8), Refused(), GONE):
            state = run(protocol, *passes, last)[1]
            assert isinstance(state, Confirmation)
            assert state.tries == 2


class TestBounds:
    def test_what_a_disturbed_pass_proves(self) -> None:
        found = concluded(parent(30), counted(10), parent(31, 10), *refusals(MAX_TRIES - 1))
        assert words(found) == "bounded 17 23, 1 passes, try 8"
        assert (found.real, found.version) == (10, True)
        assert found.reason == "the version rose by 3 during the pass"

    def test_the_tightest_is_kept(self) -> None:
        wide: tuple[Reply, ...] = (parent(30), counted(10), parent(30, 12))
        tight: tuple[Reply, ...] = (parent(30), counted(10), parent(30, 9))
        for replies in ((*wide, *tight), (*tight, *wide)):
            assert words(concluded(*replies, *refusals(MAX_TRIES - 2))) == "bounded 18 22, 1 passes, try 8"

    def test_a_calm_try_says_more(self) -> None:
        found = concluded(parent(30), counted(10), parent(30, 9), *TestDisturbances.CALM)
        assert words(found) == "exact 4, 2 passes, try 2"

    @pytest.mark.parametrize(
        ("before", "count", "after"),
        [
            pytest.param(parent(12), 10, parent(12, 9), id="as many writes as drift"),
            pytest.param(parent(10), 10, parent(11, 8), id="no drift"),
            pytest.param(parent(30, None), 10, parent(31, None), id="no version"),
            pytest.param(parent(30), 10, parent(30, 6), id="a version that fell"),
            pytest.param(parent(30), 10, parent(31), id="a tally without its version"),
            pytest.param(parent(30), 10, parent(33, 8), id="several children in one write"),
            pytest.param(parent(30), 10, GONE, id="a parent that goes"),
            pytest.param(parent(30), 10, ParentSeen(Tally(String("31"), None), Decimal(8)), id="a text now"),
        ],
    )
    def test_nothing_follows_from(self, before: ParentSeen, count: int, after: ParentSeen) -> None:
        found = concluded(before, counted(count), after, *refusals(MAX_TRIES - 1))
        assert (found.verdict, found.low, found.high) == ("busy", None, None)

    def test_nothing_is_bound_where_writers_take_two_steps(self) -> None:
        protocol = replace(PROTOCOL, bounds=False)
        found = concluded(parent(30), counted(10), parent(31, 8), *refusals(MAX_TRIES - 1), protocol=protocol)
        assert found.verdict == "busy"

    def test_only_a_first_pass_bounds(self) -> None:
        replies = (parent(30), counted(10), parent(30), counted(10), parent(31, 8))
        assert concluded(*replies, *refusals(MAX_TRIES - 1)).verdict == "busy"

    def test_nothing_is_rounded(self) -> None:
        found = concluded(parent(10**29 + 1), counted(0), parent(10**29 + 1, 10**29 + 7), *refusals(MAX_TRIES - 1))
        assert words(found) == f"bounded 1 {2 * 10**29 + 1}, 1 passes, try 8"

    def test_the_reason_is_in_plain_digits(self) -> None:
        found = concluded(parent(300, 90), counted(10), parent(300, 100), *refusals(MAX_TRIES - 1))
        assert found.reason == "the version rose by 10 during the pass"


class TestWrongReplies:
    ANSWERS: tuple[Reply, ...] = (parent(1), Refused(), counted(1), Waited())

    @pytest.mark.parametrize(
        ("state", "takes"),
        [
            pytest.param(Confirmation(PROTOCOL), (ParentSeen, Refused), id="first look"),
            pytest.param(run(PROTOCOL, parent(3), counted(1))[1], (ParentSeen, Refused), id="look after a pass"),
            pytest.param(run(PROTOCOL, parent(3))[1], (Counted,), id="pass"),
            pytest.param(Confirmation(PROTOCOL).after(parent(3)), (Waited,), id="settling"),
            pytest.param(Confirmation(PROTOCOL).after(Refused()), (Waited,), id="pause"),
        ],
    )
    def test_a_reply_to_something_else_is_an_error(
        self, state: Confirmation | Conclusion, takes: tuple[type[Reply], ...]
    ) -> None:
        assert isinstance(state, Confirmation)
        for reply in self.ANSWERS:
            if isinstance(reply, takes):
                state.after(reply)
                continue
            with pytest.raises(TypeError, match="does not answer"):
                state.after(reply)

    def test_states_are_values(self) -> None:
        one, other = (Confirmation(PROTOCOL).after(parent(3)) for _ in range(2))
        assert one == other
        assert hash(one) == hash(other)
        with pytest.raises(FrozenInstanceError):
            one.tries = 2  # type: ignore[misc]  # that it cannot be set is what is tested
