"""Writing is allowed by somebody, for a time, and never by what was allowed before."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from dynodesk.domain.access import IDLE_SECONDS, Access
from dynodesk.domain.errors import ReadOnly
from dynodesk.domain.profiles import Profile, Stage

PRODUCTION = Profile("aaaaaaaa", "shop", "aws", "profile", "shop", region="eu-west-1", read_only=False)


class Clocks:
    def __init__(self) -> None:
        self.steady, self.wall = 100.0, 5_000.0

    def access(self, profile: Profile = PRODUCTION) -> Access:
        return Access(profile, (lambda: self.steady, lambda: self.wall))

    def wait(self, seconds: float) -> None:
        self.steady += seconds
        self.wall += seconds


@pytest.mark.parametrize("stage", get_args(Stage))
def test_one_that_is_set_to_read_never_writes(stage: Stage) -> None:
    access = Access(replace(PRODUCTION, stage=stage, read_only=True))
    with pytest.raises(ReadOnly, match="shop is read-only"):
        access.allow()
    assert not access.may_write
    assert "Change the connection" in access.refusal


@pytest.mark.parametrize(("stage", "holds"), [("production", False), ("staging", False), ("dev", True)])
def test_the_setting_holds_where_nothing_is_lost(stage: Stage, holds: bool) -> None:
    access = Access(replace(PRODUCTION, stage=stage))
    assert access.may_write is holds
    assert access.is_for_asking is not holds
    assert (access.refusal == "") is holds
    access.withdraw()
    assert access.may_write is holds


def test_what_is_allowed_ends_after_fifteen_idle_minutes() -> None:
    clocks = Clocks()
    access = clocks.access()
    seen = [("Allow writes" in access.refusal, access.may_write, access.seconds_left)]
    for act, seconds in (
        (access.allow, IDLE_SECONDS - 1),
        (access.touch, IDLE_SECONDS - 1),
        (access.touch, IDLE_SECONDS),
        (access.touch, 0),  # too late: it wakes nothing up
        (access.allow, 0),
    ):
        act()
        clocks.wait(seconds)
        seen.append((access.refusal != "", access.may_write, access.seconds_left))
    assert seen == [
        (True, False, 0),
        (False, True, 1),
        (False, True, 1),
        (True, False, 0),
        (True, False, 0),
        (False, True, IDLE_SECONDS),
    ]


def test_use_allows_nothing() -> None:
    access = Clocks().access()
    access.touch()
    assert not access.may_write


def test_it_can_be_taken_back_at_once() -> None:
    access = Clocks().access()
    access.allow()
    access.withdraw()
    access.touch()
    assert not access.may_write


@pytest.mark.parametrize("which", ["steady", "wall"])
def test_a_clock_that_stands_still_keeps_nothing_open(which: str) -> None:
    """The one stands still while the computer sleeps, the other can be set back."""
    clocks = Clocks()
    access = clocks.access()
    access.allow()
    setattr(clocks, which, getattr(clocks, which) + IDLE_SECONDS)
    assert not access.may_write


def test_each_connection_that_is_opened_begins_anew() -> None:
    Access(PRODUCTION).allow()
    assert not Access(PRODUCTION).may_write
