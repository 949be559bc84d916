from __future__ import annotations

import pytest

from dynodesk.aws.calls import BRIEF, LONG, NO_CONTACT, Patience
from dynodesk.aws.faults import Retry


def test_waits_double_up_to_the_longest() -> None:
    patience = Patience(tries=9, seconds=60, first_wait=0.1, longest_wait=1)
    assert [patience.wait(failures, 1) for failures in range(1, 7)] == [0.1, 0.2, 0.4, 0.8, 1, 1]
    assert patience.wait(10_000, 1) == 1


def test_waits_are_spread_over_their_upper_half() -> None:
    patience = Patience(tries=9, seconds=60, first_wait=0.4, longest_wait=1)
    assert patience.wait(1, 0) == pytest.approx(0.2)
    assert patience.wait(1, 0.5) == pytest.approx(0.3)


def test_every_fault_that_can_pass_is_tried_again() -> None:
    for each in (BRIEF, LONG):
        for retry in Retry:
            patience = each.of(retry)
            assert (patience is None) == (retry in {Retry.NEVER, Retry.EXPIRED})  # signing in is no waiting
            assert patience is None or patience.tries > 1


def test_a_wrong_address_is_said_soon() -> None:
    assert sum(NO_CONTACT.wait(failures, 1) for failures in range(1, NO_CONTACT.tries)) < 1
