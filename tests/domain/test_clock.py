"""Lengths of time in words."""

from __future__ import annotations

import pytest

from dynodesk.domain.clock import duration


@pytest.mark.parametrize(
    ("seconds", "words"), [(2, "2 s"), (0.5, "0.5 s"), (90, "90 s"), (300, "5 min"), (90_000, "25 h"), (3660, "61 min")]
)
def test_durations_read_well(seconds: float, words: str) -> None:
    assert duration(seconds) == words
