"""Likely causes: each pattern of a drift gets the sentence about its bug, and no other."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from dynodesk.domain.findings import Finding, Verdict
from dynodesk.domain.values import Number, String
from dynodesk.reconcile.causes import causes_of
from tests.reconcile.test_rule_kinds import MEMBERS, World, bound

(RULE,) = bound(MEMBERS)
WITHOUT_TTL = replace(RULE, children=replace(RULE.children, ttl=None))


def finding(stored: int, real: int, verdict: Verdict = "exact") -> Finding:
    drift = Decimal(stored - real)
    return Finding("seats", verdict, {"id": String("a")}, Number(str(stored)), real, drift)


@pytest.mark.parametrize(
    ("stored", "real", "begins"),
    [
        (-2, 0, "A tally below zero"),
        (-1, 5, "A tally below zero"),
        (8, 4, "Twice the real number"),
        (2, 1, "Too high"),
        (9, 4, "Too high"),
        (4, 9, "Too low"),
    ],
)
def test_sign_and_size(stored: int, real: int, begins: str) -> None:
    (cause,) = causes_of(finding(stored, real), WITHOUT_TTL, {})
    assert cause.startswith(begins)


def test_children_that_expire() -> None:
    first, second = causes_of(finding(9, 4), RULE, {})
    assert first.startswith("Children expire by Time to Live (until)")
    assert second.startswith("Too high")
    assert [cause[:7] for cause in causes_of(finding(4, 9), RULE, {})] == ["Too low"]


def test_several_children_for_the_same_one() -> None:
    first, _ = causes_of(finding(3, 5), WITHOUT_TTL, {"user": 3, "at": 5})
    assert first.startswith("The tally is the number of different {user}")


@pytest.mark.parametrize(
    ("stored", "reason", "begins"),
    [
        (None, "likes is missing", "The parent is put as a whole"),
        (String("4"), "", "A writer sends memberCount as text"),
    ],
)
def test_no_number(stored: String | None, reason: str, begins: str) -> None:
    found = Finding("seats", "incomparable", {"id": String("a")}, stored, 4, None, reason=reason)
    assert [cause[: len(begins)] for cause in causes_of(found, RULE, {})] == [begins]


def test_verdicts_that_say_nothing_is_off_have_no_cause() -> None:
    for verdict in ("busy", "suspect", "gone"):
        assert causes_of(finding(3, 5, verdict), RULE, {}) == ()
    assert "without its children" in causes_of(finding(0, 5, "orphans"), RULE, {})[0]


def test_a_run_names_causes_and_guards() -> None:
    twice = MEMBERS.replace('member = "{m}"', 'member = "{at}#{m}"')
    world = World(
        twice,
        Workspaces=[{"id": "a", "memberCount": 2, "rev": 1}],
        Members=[{"workspace": "a", "member": name} for name in ("1#x", "2#x", "3#y")],
    )
    (rule,) = world.run().rules
    assert rule.findings[0].causes[0].startswith("The tally is the number of different {m}")
    assert {guard.language for guard in rule.guards} == {"python", "javascript", "json"}
    world.put("Workspaces", {"id": "a", "memberCount": 3, "rev": 2})
    assert world.run().rules[0].guards == ()
