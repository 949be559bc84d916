"""Scenes and protocols, and in which scenes which protocol fails."""

from __future__ import annotations

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.children import Children
from dynodesk.domain.patterns import KeyPattern, Pattern
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.tallies import TallyRule, Writers
from dynodesk.reconcile.confirm import Protocol
from tests.reconcile.model.naive import Naive
from tests.reconcile.model.ours import Ours
from tests.reconcile.model.tools import Repair
from tests.reconcile.model.world import (
    AtOnce,
    ChildFirst,
    Crashed,
    ReadModifyWrite,
    Scene,
    TallyFirst,
    Transaction,
)

SCENES = (
    Scene("quiet, drift +2", "ab", "b", 3),
    Scene("like and unlike, at once", "ab", "b", 1, (AtOnce("a"), AtOnce("b", -1))),
    Scene(
        "six toggles, at once",
        "abc",
        "b",
        1,
        (AtOnce("a"), AtOnce("a", -1), AtOnce("b", -1), AtOnce("b"), AtOnce("c"), AtOnce("c", -1)),
    ),
    Scene("one like, half visible", "ab", "b", 1, (Transaction("a"),)),
    Scene("like and unlike, half visible, drift +2", "ab", "b", 3, (Transaction("a"), Transaction("b", -1))),
    Scene("three writes, half visible", "abc", "b", 1, (Transaction("a"), Transaction("b", -1), Transaction("c"))),
    Scene("like, child first", "ab", "b", 1, (ChildFirst("a"),)),
    Scene("like tally first, unlike child first", "ab", "b", 1, (TallyFirst("a"), ChildFirst("b", -1))),
    Scene(
        "four toggles, child first",
        "abc",
        "b",
        1,
        (ChildFirst("a"), ChildFirst("a", -1), ChildFirst("b", -1), ChildFirst("c")),
    ),
    Scene("a crash between two transactions", "abc", "b", 1, (Crashed("a"), Transaction("b", -1), Transaction("c"))),
    Scene("two crashes", "ab", "b", 1, (Crashed("a"), Crashed("b", -1))),
    Scene("four crashes", "ab", "b", 1, (Crashed("a"), Crashed("b", -1), Crashed("b"), Crashed("a", -1))),
    Scene("read-modify-write, drift +1", "ab", "b", 2, (ReadModifyWrite("a"),)),
    Scene("two tools, drift +1", "ab", "b", 2, tools=2),
    Scene("two tools and a like, drift +1", "ab", "b", 2, (Transaction("a"),), tools=2),
)
"""What naive protocols are measured in. Two are told apart by whether they fail in each, in this order."""

SUBTRACT_IF_TALLY = Repair(("tally",))
SUBTRACT_IF_VERSION = Repair(("tally", "version"))
SUBTRACT_IF_MARKER = Repair(("tally", "marker"))
SET_IF_TALLY = Repair(("tally",), sets_count=True)
SET_IF_VERSION = Repair(("tally", "version"), sets_count=True)

NAIVE = {
    tool.name: tool
    for tool in (
        Naive("count, set", Repair((), sets_count=True)),
        Naive("count, set if tally", SET_IF_TALLY),
        Naive("tally read twice, set if tally", SET_IF_TALLY, ("tally",)),
        Naive("tally read twice, two equal passes, set if tally", SET_IF_TALLY, ("tally",), passes=2),
        Naive("version read twice, set if version", SET_IF_VERSION, ("tally", "version")),
        Naive("the same in transactional reads", SET_IF_VERSION, ("tally", "version"), is_transactional=True),
        Naive("the same, settled", SET_IF_VERSION, ("tally", "version"), is_transactional=True, settles=True),
        Naive("settled, subtract", Repair(()), ("tally", "version"), is_transactional=True, settles=True),
        Naive(
            "settled, subtract if version",
            SUBTRACT_IF_VERSION,
            ("tally", "version"),
            is_transactional=True,
            settles=True,
        ),
        Naive("two passes and a wait, subtract if tally", SUBTRACT_IF_TALLY, ("tally",), passes=2, outlasts=True),
        Naive("three passes and waits, subtract if tally", SUBTRACT_IF_TALLY, ("tally",), passes=3, outlasts=True),
        Naive(
            "three passes and waits, subtract if marker",
            SUBTRACT_IF_MARKER,
            ("tally", "marker"),
            passes=3,
            outlasts=True,
        ),
    )
}

NAIVE_FAILS: dict[str, str] = {
    "count, set": ".xxxxxxxxxxxx.x",
    "count, set if tally": ".xxxxxxxxxxxx.x",
    "tally read twice, set if tally": ".xxxxxxxxxxxx.x",
    "tally read twice, two equal passes, set if tally": "..xxxxxxxx..x.x",
    "version read twice, set if version": "...xxxxxxxxxx.x",
    "the same in transactional reads": "...xxxxxxxxxx.x",
    "the same, settled": "......xxx.xxx..",
    "settled, subtract": "......xxx.xxxxx",
    "settled, subtract if version": "......xxx.xxx..",
    "two passes and a wait, subtract if tally": "..x.xx.xxx..x.x",
    "three passes and waits, subtract if tally": "..x.........x.x",
    "three passes and waits, subtract if marker": "..x.........x..",
}
"""For each scene in order, `x` where the protocol says or writes something wrong."""


# -------------------------------------------------------------------------------------------------------------- ours


def ours(scene: Scene, *, tries: int = 1) -> Ours:
    """Our protocol as a rule about the scene's writers would have it, with the repair that a version allows."""
    return Ours("ours", protocol_for(scene), SUBTRACT_IF_VERSION, tries=tries)


def ours_without_version(scene: Scene) -> Ours:
    return Ours("ours, no version, subtract if tally", protocol_for(scene), SUBTRACT_IF_TALLY, version="none")


def ours_with_marker(scene: Scene) -> Ours:
    protocol = protocol_for(scene)
    return Ours("ours, no version, subtract if marker", protocol, SUBTRACT_IF_MARKER, version="none", shows_marker=True)


def protocol_for(scene: Scene) -> Protocol:
    takes_two_steps = any(isinstance(writer, ChildFirst | TallyFirst) for writer in scene.writers)
    return Protocol.of(rule("two-step" if takes_two_steps else "transaction"))


def rule(writers: Writers, *, wait: float = 30, settle: float = 2) -> TallyRule:
    """A rule about likes of posts. Only what it says of writers and waits matters here."""
    schema = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
    parent = KeyPattern({"PK": Pattern.parse("POST#{post}"), "SK": Pattern.parse("META")})
    children = KeyPattern({"PK": Pattern.parse("POST#{post}"), "SK": Pattern.parse("LIKE#{user}")})
    path = AttributePath.parse("likes")
    where = Children("Social", schema, children)
    return TallyRule("likes", "Social", schema, parent, path, where, writers=writers, wait=wait, settle=settle)


OURS_WITHOUT_VERSION_FAILS = "..x.........x.x"
OURS_WITH_MARKER_FAILS = "..x.........x.."
OURS_FAILS = "............x.."
"""Only where a writer overwrites the right repair with what it had computed before."""

OURS_CLAIMS = (
    "exact",
    "busy ok",
    "busy ok",
    "busy ok",
    "bounded busy exact",
    "busy ok",
    "busy ok",
    "busy ok",
    "busy ok",
    "bounded busy exact ok",
    "busy exact ok",
    "busy exact ok",
    "busy exact",
    "busy exact ok",
    "busy exact ok",
)
"""For each scene in order, every verdict that is given on some path."""
