"""The emulator decides as we do, a short run; the long one is `python -m tests.domain.expressions.agreement`."""

from __future__ import annotations

import pytest

from tests.domain.expressions.agreement import run


@pytest.mark.server
def test_no_disagreement_without_a_ruling() -> None:
    tallies = run("ministack", "short", 150)
    assert [example for tally in tallies.values() for example in tally.unexplained] == []
    assert all(tally.agreed > 100 for tally in tallies.values())
