"""Writers that keep tallies in step leave the truth as it is, whatever a reader sees meanwhile; bugs change it."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from dynodesk.domain.tallies import Writers as Writing
from dynodesk.domain.values import Item
from tests.reconcile.model.world import Truth
from tests.simulator.line import LOSSES
from tests.simulator.tables import Address, Table
from tests.simulator.timeline import Steps
from tests.simulator.worlds import World, bare_post, bare_world
from tests.simulator.writers import Post, Writers

Operation = Callable[[Writers, Post], Steps]


class Seen:
    """What a reader could make of tally and children at each instant at which one of them changed."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self.drifts: set[int] = set()

    def decided(self, table: Table, address: Address, old: Item | None, new: Item | None) -> None:
        pass

    def shown(self, table: Table, address: Address, old: Item | None, new: Item | None, *, was_decided: bool) -> None:
        self.drifts.add((self._post.standing.tally or 0) - self._post.standing.children)


def written(operation: Operation, kind: Writing, times: int, losses: float = 0.0) -> tuple[World, Post, Seen]:
    """A post with a drift of 2 after so many operations side by side, all that they began has come to its end."""
    made = bare_world(random.Random(7), kind, wait=60.0)
    made.writers.duplicates = made.writers.poison = 0.0
    made.writers.line.losses, made.writers.line.tries = losses, 20
    post = bare_post(made, "abcdef", "ab", 2)
    seen = Seen(post)
    made.table.watchers.append(seen)
    for i in range(times):
        # Two calls that meet those of another client go wrong by themselves.
        made.timeline.start(operation(made.writers, post), i * (60.0 if kind == "two-step" else 0.5))
    made.timeline.advance(60.0 * times + 1000.0)
    return made, post, seen


IN_STEP: dict[str, tuple[Operation, Writing]] = {
    "transaction": (Writers.transaction, "transaction"),
    "child first": (Writers.child_first, "two-step"),
    "tally first": (Writers.tally_first, "two-step"),
    "stream": (Writers.child_alone, "async"),
}


@pytest.mark.parametrize("name", IN_STEP)
def test_the_truth_stands_still_while_readers_see_it_move(name: str) -> None:
    operation, kind = IN_STEP[name]
    _, post, seen = written(operation, kind, 40)
    assert post.standing.truths == [Truth("drift", 2)]
    assert len(seen.drifts) > 1
    assert post.standing.owed_tally == post.standing.owed_children == 0


def test_what_a_dead_client_owed_is_drift() -> None:
    _, post, _ = written(lambda writers, post: writers.child_first(post, "later"), "two-step", 1)
    before, after = post.standing.truths
    assert (before.amount, abs(after.amount - 2)) == (2, 1)
    assert post.standing.times[1] > 0.05


def test_a_child_alone_is_drift_at_once() -> None:
    _, post, seen = written(Writers.child_alone, "transaction", 1)
    before, after = post.standing.truths
    assert (before.amount, abs(after.amount - 2)) == (2, 1)
    assert seen.drifts == {after.amount}


def test_overwriting_what_others_wrote_is_drift() -> None:
    _, post, _ = written(Writers.read_modify_write, "transaction", 40)
    assert len(post.standing.truths) > 1


def test_a_parent_comes_and_goes() -> None:
    _, post, _ = written(Writers.delete_or_create_parent, "transaction", 2)
    assert post.standing.truths == [Truth("drift", 2), Truth("orphans", 2), Truth("drift", -2)]


def test_records_handled_twice_are_drift() -> None:
    made = bare_world(random.Random(3), "async", wait=60.0)
    made.writers.duplicates, made.writers.poison = 1.0, 0.0
    post = bare_post(made, "a", "", 0)
    made.timeline.start(made.writers.child_alone(post))
    made.timeline.advance(1000.0)
    assert post.standing.truths == [Truth("drift", 0), Truth("drift", 1)]


@pytest.mark.parametrize("loss", LOSSES)
def test_lost_replies_break_two_calls_and_no_transaction(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.simulator.line.LOSSES", (loss,))
    _, safe, _ = written(Writers.transaction, "transaction", 60, losses=0.3)
    assert safe.standing.truths == [Truth("drift", 2)]
    _, unsafe, _ = written(Writers.child_first, "two-step", 60, losses=0.3)
    was_lost_before_it_arrived = loss in {"request lost", "refused by a failing service"}
    assert (unsafe.standing.truths == [Truth("drift", 2)]) == was_lost_before_it_arrived
