"""A live watch names what was written wrong, and nothing else, while others write."""

import pytest

from tests.faults.watching import watched


@pytest.mark.slow
def test_what_is_named_is_what_was_planted(ministack: str) -> None:
    figures = watched(ministack, 6)
    assert figures.planted.total() > 3
    assert figures.notices == figures.planted
    assert figures.transactions > 20
    assert figures.false_posts == 0
