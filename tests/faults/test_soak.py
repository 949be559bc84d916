"""A short while of random faults and random clicks; `python -m tests.faults.soak` is the long one."""

from __future__ import annotations

import pytest

from tests.faults.soak import soak


@pytest.mark.server
@pytest.mark.slow
def test_nothing_breaks_whatever_is_done_to_it() -> None:
    figures = soak(20, seed=11)
    assert figures.wrong == []
    assert figures.runs >= 1
    assert sum(figures.seen.actions.values()) > 20
    assert figures.requests > 0
