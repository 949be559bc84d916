"""`Stats`: play counts split into shards, in both layouts that are met in the field.

    VID#9f3a     STATS#TOTAL#0    shards under one partition key, plays beside them as PLAY#
    VID#5c08#0   STATS            shards in partitions of their own, each with its plays as VIEW#

The first spreads no load: all its shards are in one partition. Both have one video whose sum is off.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from dynodesk.sandbox.sample_table import (
    DAY,
    MIDSUMMER,
    SampleTable,
    TaggedItem,
    chance,
    create_request,
    number,
    scaled,
    short_ids,
    text,
)

SHARDS = 4
_TOGETHER = {"9f3a": +2, "e77d": 0}
_APART = {"5c08": -1, "b3f1": 0}


def stats(scale: float) -> SampleTable:
    """The table at `scale`: 1 gives six videos in each layout."""
    rng = chance("Stats")
    others = short_ids(rng, 2 * scaled(4, scale), taken=(*_TOGETHER, *_APART))
    half = len(others) // 2
    items: list[TaggedItem] = []
    for video in [*_TOGETHER, *others[:half]]:
        items += _together(rng, video, _TOGETHER.get(video, 0))
    for video in [*_APART, *others[half:]]:
        items += _apart(rng, video, _APART.get(video, 0))
    return SampleTable("Stats", create_request("Stats", [("PK", "S"), ("SK", "S")]), tuple(items))


def _together(rng: random.Random, video: str, off_by: int) -> Iterator[TaggedItem]:
    plays = short_ids(rng, rng.randrange(8, 25))
    counts = [len(plays[shard::SHARDS]) for shard in range(SHARDS)]
    counts[1] += off_by
    for shard, count in enumerate(counts):
        yield _counted(f"VID#{video}", f"STATS#TOTAL#{shard}", count)
    for play in plays:
        yield _played(rng, f"VID#{video}", f"PLAY#{play}")


def _apart(rng: random.Random, video: str, off_by: int) -> Iterator[TaggedItem]:
    for shard in range(SHARDS):
        views = short_ids(rng, rng.randrange(2, 7))
        yield _counted(f"VID#{video}#{shard}", "STATS", len(views) + (off_by if shard == 2 else 0))
        for view in views:
            yield _played(rng, f"VID#{video}#{shard}", f"VIEW#{view}")


def _counted(pk: str, sk: str, count: int) -> TaggedItem:
    return {"PK": text(pk), "SK": text(sk), "play_count": number(count)}


def _played(rng: random.Random, pk: str, sk: str) -> TaggedItem:
    return {
        "PK": text(pk),
        "SK": text(sk),
        "at": number(MIDSUMMER + rng.randrange(60 * DAY)),
        "seconds": number(rng.randrange(3, 900)),
    }
