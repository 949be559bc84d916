"""The emulator decides as we do, a short run; the long one is `python -m tests.domain.expressions.agreement`."""

from __future__ import annotations

from contextlib import closing
from random import Random

import pytest

from tests.domain.expressions.agreement import Emulator, compare_conditions, compare_updates
from tests.helpers import ministack


@pytest.mark.server
def test_no_disagreement_without_a_ruling() -> None:
    with ministack.running() as url, closing(Emulator(url)) as emulator:
        conditions = compare_conditions(emulator, Random("conditions"), 200)
        updates = compare_updates(emulator, Random("updates"), 100)
    assert conditions.unexplained == updates.unexplained == []
    assert conditions.agreed > 100
    assert updates.agreed > 50
