"""Watch and witness on the simulator: what they say of any mix of writers is held against what was really so."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from dataclasses import replace
from functools import partial

import pytest

from dynodesk.domain.capacity import Meter
from dynodesk.domain.pacing import Limits, Pace
from dynodesk.domain.progress import Ticket
from dynodesk.domain.streams import StreamRecord
from dynodesk.domain.tables import TableStream
from dynodesk.domain.tallies import Writers as Writing
from dynodesk.domain.values import String
from dynodesk.reconcile.confirm import Conclusion
from dynodesk.reconcile.notices import Notice
from dynodesk.reconcile.schedule import Schedule
from dynodesk.reconcile.watch import Watch
from dynodesk.reconcile.witness import Witness
from tests.helpers.memory_streams import MemoryStreams
from tests.helpers.plain_sweep import PlainSweeper
from tests.reconcile.model.world import Truth
from tests.reconcile.streamed import parts
from tests.simulator.judge import judged, last_try
from tests.simulator.streaming import Recorder
from tests.simulator.timeline import Steps
from tests.simulator.worlds import NOW, World, bare_post, bare_world, world
from tests.simulator.writers import DEATHS, Post

RIGHT: dict[str, Writing] = {"transaction": "transaction", "child_first": "two-step", "tally_first": "two-step"}
WRONG: dict[str, Writing] = {
    "child_alone": "transaction",
    "read_modify_write": "transaction",
    "tally_first": "two-step",
    "dying child_first": "two-step",
    "dying tally_first": "two-step",
}


def operation(made: World, post: Post, writer: str) -> Steps:
    death = made.chance.choice(DEATHS) if writer.startswith("dying ") else None
    match writer.removeprefix("dying "):
        case "child_first":
            return made.writers.child_first(post, death)
        case "tally_first":
            return made.writers.tally_first(post, death)
        case "child_alone":
            return made.writers.child_alone(post)
        case "read_modify_write":
            return made.writers.read_modify_write(post)
        case _:
            return made.writers.transaction(post)


def written(seed: str, writers: list[str], kind: Writing) -> tuple[World, list[StreamRecord]]:
    """Ten minutes of three posts, each with one operation in ten seconds, and then silence until all of it is over."""
    made = bare_world(random.Random(seed), kind, wait=30.0)
    for likes in ("abcdefgh", "ijklmnop", "qrstuvwx"):
        bare_post(made, likes, likes[:4], 0)
    records: list[StreamRecord] = []
    made.table.watchers.append(Recorder(made.timeline, records.append))
    for _ in range(180):
        post, writer = made.chance.choice(made.posts), made.chance.choice(writers)
        made.timeline.start(operation(made, post, writer), made.chance.uniform(0, 600))
    made.timeline.advance(1000)
    return made, records


def seen(made: World, records: list[StreamRecord]) -> list[Notice]:
    watch = Watch([made.rule])
    shards = parts(records, shards=4, chance=random.Random(made.chance.random()), known_from=-math.inf)
    return [notice for part in shards for notice in watch.take(part)]


@pytest.mark.parametrize("writer", RIGHT)
def test_nothing_is_said_of_a_parent_that_was_always_right(writer: str) -> None:
    """Who counts first may find the child written by somebody else meanwhile: then the tally is not right."""
    always_right = 0
    for number in range(6):
        made, records = written(f"right {writer} {number}", [writer], RIGHT[writer])
        assert len(records) > 180
        named = {notice.parent_text for notice in seen(made, records)}
        for i, post in enumerate(made.posts):
            if set(post.standing.truths) == {Truth("drift", 0)}:
                always_right += 1
                assert f"POST#p{i} / META" not in named
    assert always_right > 2


@pytest.mark.parametrize("bug", WRONG)
def test_what_is_named_adds_up_to_the_drift_that_there_is(bug: str) -> None:
    right = {"transaction": "transaction", "two-step": "child_first"}[WRONG[bug]]
    named = 0
    for number in range(6):
        made, records = written(f"wrong {bug} {number}", [right] * 9 + [bug], WRONG[bug])
        drifts: dict[str, int] = defaultdict(int)
        for notice in seen(made, records):
            if notice.drift is not None and notice.parent is not None:
                place = notice.parent["PK"]
                assert isinstance(place, String)
                drifts[place.text] += int(notice.drift)
                named += 1
        for i, post in enumerate(made.posts):
            assert drifts[f"POST#p{i}"] == post.standing.truth.amount
    assert named > 0


def test_what_a_witness_calls_exact_was_so() -> None:
    witnessed = withdrawn = 0
    for number in range(20):
        made = world(f"witness {number}")
        streams = MemoryStreams(made.timeline, lag=made.chance.uniform(0.1, 3))
        made.table.watchers.append(Recorder(made.timeline, partial(streams.write, "Social")))
        rule = replace(made.rule, version=None)
        table = replace(made.table.info, stream=TableStream("arn", "NEW_AND_OLD_IMAGES"))
        reader = made.reader()
        schedule = Schedule(
            reader, PlainSweeper(reader), Pace(Meter(), Limits(), made.timeline), made.timeline, made.chance, Ticket(),
            now=NOW, witness=Witness([rule], {"Social": table}, streams, made.timeline),
        )  # fmt: skip
        suspects = [replace(made.suspect(i), rule=rule) for i in range(len(made.posts))]
        for confirmed in schedule.confirmed(suspects):
            withdrawn += any("withdrawn" in look.result for look in confirmed.looks)
            if not isinstance(confirmed.outcome, Conclusion) or not confirmed.outcome.witnessed:
                continue
            witnessed += 1
            standing = made.posts[suspects.index(confirmed.suspect)].standing
            began = last_try(confirmed.looks, rule.settle)
            assert judged(confirmed.outcome, standing.between(began, made.timeline.now())) == "true", made.seed
    assert witnessed > 10
    assert withdrawn > 0
