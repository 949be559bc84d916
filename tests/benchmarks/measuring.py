"""What a process that reads the replayed table tells of itself. Plain Python: it runs in the peers' environment too."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

SEGMENTS = 4

KEYS_AND_TALLIES = ("PK", "SK", "likeTally")

MISMATCHES = """
WITH children AS (SELECT "PK", count(*) AS counted FROM social WHERE starts_with("SK", 'LIKE#') GROUP BY "PK"),
    parents AS (SELECT "PK", CAST("likeTally" AS BIGINT) AS stored FROM social WHERE "SK" = 'META')
SELECT count(*) FROM children FULL JOIN parents USING ("PK") WHERE coalesce(counted, 0) IS DISTINCT FROM stored
"""
"""Asked of the table or view `social` by everyone. One pass with filters would read the items of all rows of ours."""


@dataclass(frozen=True, slots=True)
class Outcome:
    items: int
    mismatches: int | None
    """None: it does not count."""
    more: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Figures:
    method: str
    items: int
    seconds: float
    cpu_seconds: float
    """Of all threads, user and system, without imports and without making the client."""
    peak_mb: float
    """Of the whole process, imports and all."""
    mismatches: int | None
    more: dict[str, object]


def tell(method: str, work: Callable[[], Outcome]) -> None:
    """Do the work and print its figures as a line of JSON."""
    cpu, began = _cpu_seconds(), time.perf_counter()
    outcome = work()
    seconds, cpu = time.perf_counter() - began, _cpu_seconds() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = Figures(method, outcome.items, seconds, cpu, peak, outcome.mismatches, outcome.more)
    print(json.dumps(asdict(figures)), flush=True)  # noqa: T201  (the driver reads it)


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
