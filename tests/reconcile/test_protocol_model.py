"""Every interleaving of a few writers: what our protocol says is true, and the checker knows what is not."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from dynodesk.reconcile.confirm import Protocol
from tests.reconcile.model.catalogue import (
    NAIVE,
    NAIVE_FAILS,
    OURS_CLAIMS,
    OURS_FAILS,
    OURS_WITH_MARKER_FAILS,
    OURS_WITHOUT_VERSION_FAILS,
    SCENES,
    SUBTRACT_IF_VERSION,
    ours,
    ours_with_marker,
    ours_without_version,
    protocol_for,
)
from tests.reconcile.model.checker import Model, Result, Step
from tests.reconcile.model.naive import Naive
from tests.reconcile.model.ours import Ours
from tests.reconcile.model.tools import End, Looking, Repair, Repairing, Tool
from tests.reconcile.model.world import (
    AtOnce,
    ChildFirst,
    Crashed,
    CreatesParent,
    DeletesParent,
    ReadModifyWrite,
    Scene,
    Stuck,
    TallyFirst,
    Transaction,
    Writer,
)


def shown(result: Result) -> str:
    return "\n\n".join(f"{kind}:\n" + "\n".join(path) for kind, path in result.failures.items())


def name_of(parameter: object) -> str:
    return parameter.name if isinstance(parameter, Scene) else ""


def check_sound(scene: Scene, tool: Ours) -> Result:
    result = Model(scene, tool).explore()
    assert result.is_sound, f"{scene}\n{shown(result)}"
    return result


# ----------------------------------------------------------------------------------------------- the table of protocols


@pytest.mark.parametrize("name", NAIVE)
def test_naive_protocols_fail_where_they_must(name: str) -> None:
    results = [Model(scene, NAIVE[name]).explore(stop_at_failure=True) for scene in SCENES]
    assert "".join(".x"[not result.is_sound] for result in results) == NAIVE_FAILS[name]


@cache
def explored(build: Callable[[Scene], Ours]) -> tuple[Result, ...]:
    return tuple(Model(scene, build(scene)).explore() for scene in SCENES)


@pytest.mark.parametrize(
    ("build", "fails"),
    [
        (ours, OURS_FAILS),
        (ours_without_version, OURS_WITHOUT_VERSION_FAILS),
        (ours_with_marker, OURS_WITH_MARKER_FAILS),
    ],
)
def test_ours_is_sound(build: Callable[[Scene], Ours], fails: str) -> None:
    found = "".join(".x"[not result.is_sound] for result in explored(build))
    assert found == fails, "\n\n".join(map(shown, explored(build)))


def test_ours_only_ever_has_its_repair_overwritten() -> None:
    assert {kind for result in explored(ours) for kind in result.failures} == {"overwritten"}


def test_ours_finds_what_can_be_found() -> None:
    assert [" ".join(sorted(result.claims)) for result in explored(ours)] == list(OURS_CLAIMS)


# ------------------------------------------------------------------------------------------------------- further scenes

TWO_TRIES = (
    Scene("like and unlike, drift -1", "ab", "b", 0, (Transaction("a"), Transaction("b", -1))),
    Scene("three likes, drift +2", "abc", "", 2, (Transaction("a"), AtOnce("b"), AtOnce("c"))),
    Scene("both orders", "ab", "b", 3, (TallyFirst("a"), ChildFirst("a", -1))),
    Scene("the parent is deleted and comes back", "ab", "b", 1, (DeletesParent(), CreatesParent(), Transaction("a"))),
)


@pytest.mark.parametrize("scene", TWO_TRIES, ids=name_of)
def test_ours_is_sound_over_two_tries(scene: Scene) -> None:
    once, twice = (check_sound(scene, ours(scene, tries=tries)) for tries in (1, 2))
    assert once.states < twice.states
    assert once.claims <= twice.claims


OTHER_PARENTS = (
    (Scene("no parent, children", "ab", "ab", None, exists=False), "orphans"),
    (Scene("no parent, no children", "ab", "", None, exists=False), "gone"),
    (Scene("no parent, a child goes", "ab", "ab", None, (Crashed("a", -1),), exists=False), "busy orphans"),
    (Scene("the last child goes", "ab", "a", None, (Crashed("a", -1),), exists=False), "busy gone orphans"),
    (
        Scene("the parent goes", "ab", "b", 1, (DeletesParent(), Transaction("a"))),
        "busy ok orphans",
    ),
    (Scene("the parent comes", "ab", "b", None, (CreatesParent(),), exists=False), "busy exact orphans"),
    (Scene("no tally", "ab", "b", None), "incomparable"),
    (Scene("no tally, then a like", "ab", "b", None, (Transaction("a"),)), "busy exact incomparable"),
    (Scene("no tally stands for 0", "ab", "b", None, missing_is_zero=True), "exact"),
    (Scene("no tally stands for 0, rightly", "ab", "", None, (AtOnce("a"),), missing_is_zero=True), "busy ok"),
    (Scene("the tally is a text", "ab", "b", 1, (Transaction("a"),), is_text=True), "busy incomparable"),
    (Scene("a transaction holds the parent for good", "ab", "b", 3, (Stuck("a"),)), "busy"),
)


@pytest.mark.parametrize(("scene", "claims"), OTHER_PARENTS, ids=name_of)
def test_ours_on_parents_that_have_no_number(scene: Scene, claims: str) -> None:
    assert check_sound(scene, ours(scene)).claims == set(claims.split())


def small_scenes(*kinds: Callable[[str, int], Writer], writers: int, starts: tuple[str, ...]) -> Iterator[Scene]:
    """Every combination of so many writers of these kinds over two children, with drifts of -1 to 1."""
    possible = [kind(key, sign) for kind in kinds for key in "ab" for sign in (1, -1)]
    for chosen in itertools.combinations_with_replacement(possible, writers):
        for children in starts:
            for drift in (-1, 0, 1):
                yield Scene("", "ab", children, len(children) + drift, chosen)


@pytest.mark.parametrize(
    ("kinds", "writers", "starts"),
    [
        pytest.param((Transaction,), 3, ("b",), id="transactions"),
        pytest.param((ChildFirst, TallyFirst), 2, ("", "a", "b", "ab"), id="two steps"),
        pytest.param((TallyFirst, Transaction), 2, ("", "ab"), id="two steps and transactions"),
        pytest.param((Crashed, Transaction), 2, ("", "ab"), id="crashes and transactions"),
    ],
)
def test_ours_is_sound_with_every_few_writers(
    kinds: tuple[type[Writer], ...], writers: int, starts: tuple[str, ...]
) -> None:
    tools: dict[Protocol, Ours] = {}
    for scene in small_scenes(*kinds, writers=writers, starts=starts):
        protocol = protocol_for(scene)
        check_sound(scene, tools.setdefault(protocol, Ours("ours", protocol, SUBTRACT_IF_VERSION)))


SEVERAL_CHILDREN = (
    Scene("two children in one write", "abc", "b", 1, (Transaction("a", more=("c",)),)),
    Scene("two children in one write, each counted", "abc", "b", 2, (Transaction("a", more=("c",), raises=2),)),
    Scene("two children come, two go", "abcd", "cd", 3, (Transaction("a", 1, ("b",)), Transaction("c", -1, ("d",)))),
)


@pytest.mark.parametrize("scene", SEVERAL_CHILDREN, ids=name_of)
def test_ours_is_sound_with_writes_of_several_children(scene: Scene) -> None:
    check_sound(scene, ours(scene))


def test_bounds_rest_on_a_version_that_counts_children() -> None:
    """What is not promised: three writes of two children each, where the version only counts the writes."""
    comes, more, goes = Transaction("c", 1, ("d",)), Transaction("e", 1, ("f",)), Transaction("a", -1, ("b",))
    schedule = ["tool reads the parent", "tool reads a", "tool reads b"]
    for writer in (comes, more, goes):
        shows = (f"{writer} shows in {item}" for item in ("the parent", *writer.keys))
        schedule += [f"{writer} prepares", *shows]
    schedule += [f"tool reads {key}" for key in "cdef"] + ["tool reads the parent"]

    scene = Scene("", "abcdef", "ab", 2, (comes, more, goes))
    assert Model(scene, ours(scene)).play(schedule)[-1].failure == (
        "false verdict",
        "bounded -7…-1, where the truth was drift +0",
    )
    counted = Scene("", "abcdef", "ab", 2, tuple(replace(writer, raises=2) for writer in (comes, more, goes)))
    assert outcome(Model(counted, ours(counted)).play(schedule)[-1]) == "busy"


def test_exact_rests_on_writers_that_raise_the_version() -> None:
    """What is not promised: children that come and go without a word to the parent, in the midst of both passes."""
    crashes = (Crashed("a"), Crashed("b", -1), Crashed("b"), Crashed("a", -1), Crashed("a"), Crashed("b", -1))
    scene = Scene("", "ab", "b", 2, crashes)
    torn = ("tool reads a", "Crashed +a", "Crashed -b", "tool reads b", "tool reads the parent")
    schedule = ("tool reads the parent", *torn, "Crashed +b", "Crashed -a", *torn)
    assert Model(scene, ours(scene)).play(schedule)[-1].failure == (
        "false verdict",
        "exact +2, where the truth was drift +0, drift +1",
    )


# ----------------------------------------------------------------------------------------------------- no part is idle

LIKE_OVER_UNDERCOUNT = Scene("one like, half visible, drift -1", "ab", "b", 0, (Transaction("a"),))
THREE_LIKES = Scene("three likes, half visible", "abc", "", 0, (Transaction("a"), Transaction("b"), Transaction("c")))
CHILD_FIRST_LIKE = Scene("like, child first", "ab", "b", 1, (ChildFirst("a"),))
CHILD_FIRST_OVER_DRIFT = Scene("like, child first, drift +2", "ab", "b", 3, (ChildFirst("a"),))
TWO_CRASHES_OVER_DRIFT = Scene("two crashes, drift +1", "ab", "b", 2, (Crashed("a"), Crashed("b", -1)))
BOTH_ORDERS = Scene("a toggle in both orders, drift +2", "ab", "b", 3, (TallyFirst("a"), ChildFirst("a", -1)))
SIX_TOGGLES, TALLY_FIRST_LIKE = SCENES[2], SCENES[7]


def without(**left_out: Any) -> Callable[[Scene], Ours]:
    def build(scene: Scene) -> Ours:
        return replace(ours(scene), protocol=replace(protocol_for(scene), **left_out))

    return build


def with_frozen_version(scene: Scene) -> Ours:
    return replace(ours(scene), version="frozen")


def blind_to_digests(scene: Scene) -> Ours:
    return replace(ours(scene), compares_digests=False)


@pytest.mark.parametrize(
    ("scene", "weakened", "claim"),
    [
        pytest.param(LIKE_OVER_UNDERCOUNT, without(settle=0), "ok", id="no settling before the first pass"),
        pytest.param(THREE_LIKES, without(settle=0), "bounded +1…+3", id="no settling, bounds"),
        pytest.param(CHILD_FIRST_LIKE, without(wait=0), "exact -1", id="no waiting for what is in flight"),
        pytest.param(CHILD_FIRST_LIKE, without(passes=1, outlasts_last_pass=False), "exact -1", id="one pass"),
        pytest.param(BOTH_ORDERS, without(outlasts_last_pass=False), "exact +3", id="no waiting after the last pass"),
        pytest.param(SIX_TOGGLES, with_frozen_version, "exact", id="a version that writers do not raise"),
        pytest.param(TWO_CRASHES_OVER_DRIFT, blind_to_digests, "exact +2", id="digests ignored"),
        pytest.param(TALLY_FIRST_LIKE, without(bounds=True), "bounded +1…+3", id="bounds for two steps"),
    ],
)
def test_every_part_of_ours_is_needed(scene: Scene, weakened: Callable[[Scene], Ours], claim: str) -> None:
    check_sound(scene, ours(scene))
    path = Model(scene, weakened(scene)).explore().failures["false verdict"]
    assert f"!! false verdict: {claim}" in path[-1], "\n".join(path)


# ------------------------------------------------------------------------------------------------------ counterexamples
# One after the other, the ways in which simpler protocols go wrong, each as one schedule.

ONE_PASS = ("tool reads the parent", "tool reads a", "tool reads b", "tool reads the parent")


def outcome(step: Step, tool: int = 0) -> str:
    """What a tool has said by this step, and what it took from the tally."""
    match step.state.positions[tool]:
        case Looking():
            return "looking"
        case Repairing(claim):
            return str(claim)
        case End(claim, None):
            return str(claim)
        case End(claim, repaired):
            return f"{claim}, took {repaired:+d}"


def play(scene: Scene, tool: Tool, *schedule: str) -> Step:
    return Model(scene, tool).play(schedule)[-1]


def test_a_tally_that_returns_hides_two_writes() -> None:
    scene = Scene("", "ab", "b", 1, (AtOnce("a"), AtOnce("b", -1)))
    schedule = ("tool reads the parent", "tool reads a", "AtOnce +a", "AtOnce -b", "tool reads b")
    naive = NAIVE["tally read twice, set if tally"]
    wrong = play(scene, naive, *schedule, "tool reads the parent", "tool repairs")
    assert wrong.failure == ("wrong repair", "took +1, where the truth was drift +0")
    assert outcome(play(scene, ours(scene), *schedule, "tool reads the parent")) == "busy"


def test_a_transaction_shows_in_the_parent_first() -> None:
    scene = Scene("", "ab", "b", 1, (Transaction("a"),))
    half_visible = ("Transaction +a prepares", "Transaction +a shows in the parent")
    naive = NAIVE["the same in transactional reads"]
    wrong = play(scene, naive, *half_visible, *ONE_PASS, "tool repairs")
    assert wrong.failure == ("wrong repair", "took +1, where the truth was drift +0")

    model = Model(scene, ours(scene))
    settling = model.play((*half_visible, "tool reads the parent"))[-1].state
    assert [str(step) for step in model.steps(settling)] == ["Transaction +a shows in a"]
    settled = (*half_visible, ONE_PASS[0], "Transaction +a shows in a", "tool has waited", *ONE_PASS[1:])
    assert outcome(model.play(settled)[-1]) == "ok"


def test_a_child_comes_before_its_tally() -> None:
    scene = Scene("", "ab", "b", 1, (ChildFirst("a"),))
    half_done = ("ChildFirst +a changes the child", *ONE_PASS)
    wrong = play(scene, NAIVE["settled, subtract if version"], *half_done, "tool repairs")
    assert wrong.failure == ("wrong repair", "took -1, where the truth was drift +0")

    model = Model(scene, ours(scene))
    waiting = model.play(half_done)[-1].state
    assert [str(step) for step in model.steps(waiting)] == ["ChildFirst +a adds to the tally"]
    ended = (*half_done, "ChildFirst +a adds to the tally", "tool has waited", *ONE_PASS[1:])
    assert outcome(model.play(ended)[-1]) == "busy"


def test_two_tools_repair_the_same_drift() -> None:
    scene = Scene("", "ab", "b", 2, (AtOnce("a"),), tools=2)
    both = [f"{tool} {act}" for tool in ("tool 1", "tool 2") for act in ("reads the parent", "reads a", "reads b")]
    naive = NAIVE["count, set if tally"]
    wrong = play(scene, naive, *both, "tool 1 repairs", "AtOnce +a", "tool 2 repairs")
    assert wrong.failure == ("repaired twice", "drift -1 is left")

    acts = ("reads the parent", "reads a", "reads b", "reads the parent", "reads a", "reads b", "reads the parent")
    both = [f"{tool} {act}" for tool in ("tool 1", "tool 2") for act in acts]
    right = play(scene, ours(scene), *both, "tool 1 repairs", "AtOnce +a", "tool 2 is refused the repair")
    assert (outcome(right, 0), outcome(right, 1)) == ("exact +1, took +1", "exact +1")


def test_a_repair_is_sent_again_after_its_reply_was_lost() -> None:
    scene = Scene("", "ab", "b", 2)
    sent_twice = Naive("subtract", Repair((), replies_lost=1))
    wrong = play(scene, sent_twice, *ONE_PASS[:3], "tool repairs, the reply is lost", "tool repairs")
    assert wrong.failure == ("wrong repair", "took +2, where the truth was drift +0, drift +1")

    guarded = replace(ours(scene), repair=Repair(("tally", "version"), replies_lost=1))
    sent = (*ONE_PASS, *ONE_PASS[1:], "tool repairs, the reply is lost", "tool is refused the repair")
    assert outcome(play(scene, guarded, *sent)) == "exact +1, took +1"


def test_children_that_are_checked_do_not_tell_of_others() -> None:
    scene = Scene("", "abcd", "bcd", 3, (AtOnce("a"), AtOnce("d", -1)))
    schedule = (*ONE_PASS[:3], "tool reads c", "AtOnce -d", "AtOnce +a", "tool reads d")
    checks_children = Naive("set if tally and children", Repair(("tally", "children"), sets_count=True))
    wrong = play(scene, checks_children, *schedule, "tool repairs")
    assert wrong.failure == ("wrong repair", "took +1, where the truth was drift +0")
    assert outcome(play(scene, ours(scene), *schedule, "tool reads the parent")) == "busy"


def test_a_writer_overwrites_the_repair_and_the_next_look_shows_it() -> None:
    scene = Scene("", "ab", "b", 2, (ReadModifyWrite("a"),), tools=2)
    model = Model(scene, ours(scene))
    first = [f"tool 1 {act.removeprefix('tool ')}" for act in (*ONE_PASS, *ONE_PASS[1:])]
    second = [f"tool 2 {act.removeprefix('tool ')}" for act in (*ONE_PASS, *ONE_PASS[1:])]
    played = model.play((*first, "ReadModifyWrite +a reads", "tool 1 repairs", "ReadModifyWrite +a writes", *second))
    assert not [step for step in played if step.failure]
    assert (outcome(played[-1], 0), outcome(played[-1], 1)) == ("exact +1, took +1", "exact +1")
