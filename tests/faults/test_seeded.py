"""Drift that was put there is found, all of it, and nothing else."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from dynodesk.reconcile.confirm import Conclusion, Confirmation, Reply
from tests.faults.seeded import KINDS, seeded


def test_a_thousand_drifts_of_every_kind_are_found_to_the_last_digit() -> None:
    figures = seeded(1000, 1)
    assert (figures.missed, figures.wrong, figures.false) == ([], [], [])
    assert (figures.seeded, figures.found, figures.right) == (1000, 1000, 250)
    assert len(figures.by_kind) == len(KINDS) - 1  # one of them comes twice


def blind(after: Callable[[Confirmation, Reply], Confirmation | Conclusion]) -> Callable[[Confirmation, Reply], object]:
    """A protocol that loses drifts of one, and the last digit of others."""

    def changed(state: Confirmation, reply: Reply) -> Confirmation | Conclusion:
        found = after(state, reply)
        if not isinstance(found, Conclusion) or found.drift is None:
            return found
        return replace(found, verdict="ok") if abs(found.drift) <= 1 else replace(found, drift=found.drift + 1)

    return changed


def test_what_is_lost_or_of_another_size_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Confirmation, "after", blind(Confirmation.after))
    figures = seeded(100, 1)
    assert figures.missed
    assert figures.wrong
    assert figures.found < 100
