"""Nothing false is said and nothing wrong is written in random worlds, in which it would be easy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from dynodesk.domain.tallies import TallyRule
from tests.faults.confirm import confirm_in, confirm_in_worlds
from tests.faults.figures import Figures
from tests.simulator.worlds import world


def test_nothing_false_is_said_where_others_are_wrong() -> None:
    figures = confirm_in_worlds("suite", 200)
    assert figures.false == []
    assert figures.verdicts["exact"] > 20
    assert figures.verdicts["probable"] > 10
    assert figures.verdicts["bounded"] > 0
    for protocol in figures.naive.values():
        assert protocol["false"] > 0


def test_every_repair_takes_away_what_was_off_and_is_told_as_what_it_was() -> None:
    figures = confirm_in_worlds("suite", 0, repairs=40)
    assert figures.false == []
    # Without a marker only a count tells, and a drift that comes back meanwhile tells the wrong thing.
    assert all(", not marked, " in line for line in figures.misreported)
    assert figures.repairs["right repair"] >= 40
    assert figures.repairs["told repaired"] > 10
    assert figures.repairs["right undo"] > 0
    assert figures.repairs["killed"] > 0


def test_a_seed_is_a_schedule() -> None:
    first, second = (confirm_in_worlds("again", 20, repairs=3).as_json() for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("name", "weaker"),
    [
        ("no wait", lambda rule: replace(rule, wait=0.0)),
        ("no wait, no settling", lambda rule: replace(rule, wait=0.0, settle=0.0)),
    ],
)
def test_the_worlds_see_through_a_weaker_protocol(name: str, weaker: Callable[[TallyRule], TallyRule]) -> None:
    figures = Figures()
    while not figures.false and figures.worlds < 40:
        made = world(f"weaker:{figures.worlds}")
        made.rule = weaker(made.rule)
        confirm_in(made, figures)
        figures.worlds += 1
    assert figures.judgements["false"] > 0
