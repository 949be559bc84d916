"""Random items, loaded and read back: `python -m tests.workbench.roundtrip --items 1000000`.

Every item must come back as it was sent, and every column of its set must say what the items say: numbers with exactly
their value, all else with exactly their text or bytes.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

from dynodesk.domain.bulk import RawPage
from dynodesk.domain.capacity import Meter
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ReadPlan
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.workbench import sets
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.columns import ITEM
from dynodesk.workbench.results import number_text, run
from dynodesk.workbench.sets import LoadedSet, SetColumn
from tests.workbench.pages import MemoryPages, Tagged, load_items
from tests.workbench.random_items import RandomItems

TABLE = TableInfo("Things", KeySchema((KeyAttribute("pk", "S"), KeyAttribute("sk", "N"))))
MADE = 20_000
"""Mixtures that the command's items are made of."""
SEGMENTS = 4
PAGE_ITEMS = 1_000
COMPARED_AT_ONCE = 25_000
MOST_SHOWN = 10

_EXACT = Context(prec=100)


class RandomPages(MemoryPages):
    """Pages made as they are asked for. A segment has one stretch of the items' numbers; each third page is ASCII."""

    def __init__(self, made: RandomItems, count: int) -> None:
        super().__init__([], Meter())
        self._made, self._count = made, count

    def raw_pages(
        self, plan: ReadPlan, ticket: Ticket, *, start: str | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[RawPage]:
        at = self._count * segment // segments if start is None else int(start)
        end = self._count * (segment + 1) // segments
        while True:
            ticket.checkpoint()
            items = [self._made.item(i) for i in range(at, min(at + PAGE_ITEMS, end))]
            as_ascii = at // PAGE_ITEMS % 3 == 0
            at += len(items)
            texts = [json.dumps(item, ensure_ascii=as_ascii).encode() for item in items]
            cursor = str(at) if at < end else None
            yield RawPage.of(
                texts, scanned=len(items), cursor=cursor, units=Decimal("0.5"), received="2026-01-01T00:00:00Z"
            )
            if cursor is None:
                return


def load_random(bench: Bench, made: RandomItems, count: int) -> LoadedSet:
    return load_items(bench, (), info=TABLE, segments=SEGMENTS, reader=RandomPages(made, count))


def differences(bench: Bench, loaded: LoadedSet, item: Callable[[int], Tagged], count: int) -> list[str]:
    """What came back other than it went in; at most ten."""
    with bench.cursor(Ticket()) as cursor:
        columns = sets.columns_of(cursor, loaded)
    found: list[str] = []
    attributes = {column.attribute for column in columns}
    spots: dict[str, list[tuple[int, SetColumn]]] = {}
    for at, column in enumerate(columns):
        spots.setdefault(column.attribute, []).append((at, column))
    names = ", ".join(sets.quoted(column.name) for column in columns)
    for start in range(0, count + 1, COMPARED_AT_ONCE):
        # The keys begin with the items' numbers, in as many digits.
        end = f"AND pk < '{start + COMPARED_AT_ONCE:09}'" if start + COMPARED_AT_ONCE <= count else ""
        sql = f"SELECT {names} FROM {sets.quoted(loaded.name)} WHERE pk >= '{start:09}' {end} ORDER BY pk"
        (outcome,) = run(bench, sql, Ticket())
        with outcome.result as result:
            expected = min(COMPARED_AT_ONCE, count - start)
            if len(result) != expected:
                found.append(f"from item {start} on {len(result)} items came back of {expected}")
            for i, row in enumerate(result.rows(0, expected), start=start):
                sent = item(i)
                found += [f"{name!r} has no column" for name in sent.keys() - attributes]
                found += _differing(sent, row, columns, spots)
                if len(found) >= MOST_SHOWN:
                    return found[:MOST_SHOWN]
    return found


def _differing(
    sent: Tagged,
    row: Sequence[str | None],
    columns: Sequence[SetColumn],
    spots: dict[str, list[tuple[int, SetColumn]]],
) -> Iterator[str]:
    expected: list[str | None] = [None] * len(columns)
    for name, tagged in sent.items():
        for at, column in spots.get(name, ()):
            expected[at] = _cell(tagged, column)
    for at, _ in spots[""]:
        expected[at] = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
    if tuple(expected) == row:
        return
    for column, text, came in zip(columns, expected, row, strict=True):
        if text != came and not (_is_json(column, sent) and _same_json(text, came)):
            yield f"{sent['pk']['S'][:9]}, {column.name!r}: {str(text)[:1000]!r} came back as {str(came)[:1000]!r}"


def _cell(tagged: dict[str, Any], column: SetColumn) -> str | None:
    """What the column must say of the attribute's value."""
    ((tag, content),) = tagged.items()
    if column.note.startswith("type in DynamoDB"):
        return tag
    if tag == "NULL" or (column.note.startswith("the values that are N") and tag != "N"):
        return None
    if column.type.startswith("DECIMAL"):
        scale = int(column.type.rpartition(",")[2].rstrip(")"))
        value = Decimal(content).quantize(Decimal(1).scaleb(-scale), context=_EXACT)
        return format(value or abs(value), "f")  # no zero has a sign
    if column.type == "DOUBLE":
        return _approximately(content)
    if column.type == "BLOB":
        return _bytes(content).hex()
    if tag == "BOOL":
        return "true" if content else "false"
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _approximately(number: str) -> str | None:
    """The engine reads `1_000` as Python does, and no digits but ASCII's."""
    try:
        return number_text(float(number)) if number.isascii() else None
    except ValueError:
        return None


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _is_json(column: SetColumn, sent: Tagged) -> bool:
    return column.name == ITEM or not isinstance(next(iter(sent[column.attribute].values())), str)


def _same_json(text: str | None, came: str | None) -> bool:
    """Escaped otherwise, at most."""
    return text is not None and came is not None and json.loads(text) == json.loads(came)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    count = parser.parse_args().items
    made = RandomItems(MADE)
    with tempfile.TemporaryDirectory() as folder, Bench.open(Path(folder) / "a.duckdb") as bench:
        began = time.monotonic()
        loaded = load_random(bench, made, count)
        loaded_at = time.monotonic()
        wrong = differences(bench, loaded, made.item, count)
        compared_at = time.monotonic()
    for line in wrong:
        sys.stdout.write(line + "\n")
    sys.stdout.write(
        f"{loaded.provenance.items} items, no two alike: loaded in {loaded_at - began:.0f} s, compared in "
        f"{compared_at - loaded_at:.0f} s, {len(wrong) or 'no'} differences\n"
    )
    return 1 if wrong or loaded.provenance.items != count else 0


if __name__ == "__main__":
    sys.exit(main())
