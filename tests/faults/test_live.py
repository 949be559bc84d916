"""Correct writers are never accused, however much they write."""

import pytest

from tests.faults.live import live


@pytest.mark.slow
def test_transactional_writers_are_never_accused_and_a_quiet_drift_is_found(ministack: str) -> None:
    figures = live(ministack, 5, transactions=250)
    assert figures.false_findings == 0
    assert set(figures.quiet_post) == {"exact"}
    assert set(figures.quiet_drifts) == {"+3"}
    assert figures.busy_posts.total() > 0
