"""Random items, loaded and read back: `python -m tests.workbench.roundtrip --items 1000000`.

Every item must come back JSON-equal, and every number that has a column of its own with the value that it has.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings

from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Item
from dynodesk.workbench import sets
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.sets import LoadedSet
from tests.domain import strategies
from tests.workbench.pages import Tagged, load_items

MADE = 2_000
"""Items that Hypothesis makes for the command; more are these again under other keys, and mixed."""


def random_pool(made: int = MADE) -> list[Tagged]:
    """Items without a key."""
    pool: list[Tagged] = []

    @settings(
        max_examples=made,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategies.items)
    def make(item: Item) -> None:
        pool.append(item_to_dynamodb(item))

    make()
    return pool


def random_items(count: int, pool: list[Tagged]) -> Iterator[Tagged]:
    """`count` items, each with a key of its own: those of the pool as they are, then mixed with one another."""
    for i in range(count):
        first, second = pool[i % len(pool)], pool[(i * 7 + i // len(pool)) % len(pool)]
        attributes = first if i < len(pool) else {**second, **first}
        yield {**attributes, "pk": {"S": f"item {i}"}}


def differences(bench: Bench, loaded: LoadedSet, items: Iterator[Tagged]) -> list[str]:
    """What came back other than it went in; at most ten."""
    found = []
    with bench.cursor(Ticket()) as cursor:
        columns = [c for c in sets.columns_of(cursor, loaded) if c.type.startswith("DECIMAL")]
        selected = "".join(f", {sets.quoted(column.name)}" for column in columns)
        # Items are inserted in the order in which they are read, by one segment.
        reading = cursor.execute(f"SELECT item{selected} FROM {sets.quoted(loaded.name)}")
        for item in items:
            row = reading.fetchone()
            if row is None or json.loads(row[0]) != item:
                found.append(f"{item} came back as {row and row[0]}")
            else:
                for column, value in zip(columns, row[1:], strict=True):
                    number = item.get(column.attribute, {}).get("N")
                    if value != (None if number is None else Decimal(number)):
                        found.append(f"{column.attribute!r}: {number} came back as {value}")
            if len(found) >= 10:
                return found
        if reading.fetchone() is not None:
            found.append("more items came back than went in")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    count = parser.parse_args().items
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Bench.open(Path(folder) / "a.duckdb") as bench:
        pool = random_pool()
        loaded = load_items(bench, list(random_items(count, pool)), page_items=4_000)
        loaded_at = time.monotonic()
        wrong = differences(bench, loaded, random_items(count, pool))
    for line in wrong:
        sys.stdout.write(line[:2_000] + "\n")
    sys.stdout.write(
        f"{loaded.provenance.items} items loaded in {loaded_at - started:.0f} s, {len(wrong) or 'no'} differences\n"
    )
    return 1 if wrong or loaded.provenance.items != count else 0


if __name__ == "__main__":
    sys.exit(main())
