"""What other tools do, on the same worlds. They show that the worlds are hard: each must be wrong somewhere."""

from __future__ import annotations

from collections.abc import Callable

from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, SortCondition
from dynodesk.domain.values import Number, String
from tests.simulator.reading import SimulatedReader
from tests.simulator.writers import TALLY, Post


def read_and_count(reader: SimulatedReader, post: Post) -> int | None:
    """The drift that it reports; None: none."""
    tally = _tally(reader, post)
    return _reported(tally, len(_children(reader, post)))


def tally_stable(reader: SimulatedReader, post: Post) -> int | None:
    """Reads the tally again after the count, and is silent if it moved."""
    tally = _tally(reader, post)
    children = _children(reader, post)
    return _reported(tally, len(children)) if _tally(reader, post) == tally else None


def two_equal_counts(reader: SimulatedReader, post: Post) -> int | None:
    """Counts twice as well, with the tally read before, between and after."""
    tally = _tally(reader, post)
    first = _children(reader, post)
    between = _tally(reader, post)
    second = _children(reader, post)
    is_stable = tally == between == _tally(reader, post) and len(first) == len(second)
    return _reported(tally, len(first)) if is_stable else None


NAIVE: dict[str, Callable[[SimulatedReader, Post], int | None]] = {
    "read_and_count": read_and_count,
    "tally_stable": tally_stable,
    "two_equal_counts": two_equal_counts,
}


def _tally(reader: SimulatedReader, post: Post) -> int | None:
    item = reader.get(post.table.info.name, post.key, consistent=True)
    value = item.get(TALLY) if item else None
    return int(value.value) if isinstance(value, Number) else None


def _children(reader: SimulatedReader, post: Post) -> list[object]:
    likes = SortCondition("begins_with", String("LIKE#"))
    plan = QueryPlan(
        post.table.info.name, {"PK": post.key["PK"]}, sort=likes, sort_name="SK", consistent=True, attributes=("SK",)
    )
    return [item["SK"] for page in reader.query(plan, Ticket()) for item in page.items]


def _reported(tally: int | None, count: int) -> int | None:
    return None if tally is None or tally == count else tally - count
