"""What is right is let pass, a short run; the long one is `python -m tests.domain.expressions.acceptance`."""

from __future__ import annotations

import pytest

from tests.domain.expressions.acceptance import run
from tests.helpers import ministack


@pytest.mark.server
def test_no_error_in_what_an_emulator_takes() -> None:
    tally = run("short", 150, {"ministack": ministack.running})
    assert tally.errors == []
    assert min(tally.operations.values()) > 30
    # A few it refuses wrongly: types in the item that make begins_with false, and sizes of values.
    assert len(tally.undecided) < 10
