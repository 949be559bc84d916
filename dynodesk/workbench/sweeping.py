"""Sweeps in SQL: the items of a table go from the reply into the engine, and only parents that look off come out."""

from __future__ import annotations

import contextlib
import json
import shutil
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb

from dynodesk.domain.bulk import RawPage, RawPageReader
from dynodesk.domain.errors import DamagedReply, InvalidValue
from dynodesk.domain.item_json import item_from_dynamodb
from dynodesk.domain.pacing import Pace
from dynodesk.domain.patterns import Captures
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ReadPlan, ScanPlan
from dynodesk.domain.sweeping import SweptParent, SweptRule
from dynodesk.domain.tables import KeySchema, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.workbench import sets
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.loading import load_whole
from dynodesk.workbench.sets import LoadedSet, quoted
from dynodesk.workbench.sources import TableSource
from dynodesk.workbench.sweep_rule import RuleSweep

_KEPT = "sweep.duckdb"
SEGMENTS = 4
MEMORY_LIMIT = "400MB"
"""A million items of a usual table fit; what does not lies on the disk."""


class DuckSweeper:
    """A `TableSweeper`. Each call has an engine of its own, in memory and on the disk, gone with its end.

    With a folder, what a sweep reads is kept there: one that was ended early is taken up by the next with the same
    rules, which reads at most one page of each segment again. `forget` empties the folder.
    """

    def __init__(self, reader: RawPageReader, place: str, folder: Path | None = None) -> None:
        """`place` tells apart tables of one name: nothing that was kept from another place is taken up."""
        self._reader = _Counting(reader)
        self._place = place
        self._folder = folder

    @property
    def pages(self) -> int:
        return self._reader.pages

    def sweep(
        self, rules: Sequence[TallyRule], pace: Pace, ticket: Ticket, *, everyone: bool, now: float
    ) -> Generator[SweptRule, None, None]:
        schemas = {name: schema for rule in rules for name, schema in _tables(rule).items()}
        waiting = list(rules)
        tables: dict[str, LoadedSet] = {}
        with closing(_new_bench(self._folder)) as bench:
            for table, schema in schemas.items():
                plan = ScanPlan(table, attributes=_looked_at(table, schema, rules))
                tables[table] = self._load(plan, schema, bench, pace, ticket)
                for rule in [rule for rule in waiting if rule.tables <= tables.keys()]:
                    waiting.remove(rule)
                    with bench.cursor(ticket) as cursor:
                        swept = RuleSweep(cursor, rule, tables, now, ticket).swept(everyone=everyone)
                    yield replace(swept, since=min(tables[name].provenance.first_page for name in rule.tables))
                done_with = tables.keys() - {name for rule in waiting for name in rule.tables}
                for name in () if self._folder else done_with:
                    with bench.cursor(ticket) as cursor:
                        sets.remove(cursor, tables.pop(name))

    def pass_over(
        self, asked: Sequence[tuple[TallyRule, Captures]], pace: Pace, ticket: Ticket, *, contents: bool, now: float
    ) -> tuple[SweptParent, ...]:
        if not asked:
            return ()
        rules = [rule for rule, _ in asked]
        ((table, schema),) = {rule.children.table: rule.children.schema for rule in rules}.items()
        attributes = () if contents else _looked_at(table, schema, rules, parents=False)
        seen: dict[int, SweptParent] = {}
        with closing(_new_bench(None)) as bench:
            loaded = self._load(ScanPlan(table, consistent=True, attributes=attributes), schema, bench, pace, ticket)
            for rule in _once(rules):
                wanted = {i: captures for i, (other, captures) in enumerate(asked) if other is rule}
                with bench.cursor(ticket) as cursor:
                    sweep = RuleSweep(cursor, rule, {table: loaded}, now, ticket)
                    seen |= sweep.passed_over(wanted, contents=contents)
        return tuple(seen[i] for i in range(len(asked)))

    def _load(self, plan: ScanPlan, schema: KeySchema, bench: Bench, pace: Pace, ticket: Ticket) -> LoadedSet:
        source = TableSource([plan], TableInfo(plan.table, schema), self._place, self._reader, SEGMENTS)
        loaded = load_whole(source, bench, plan.table, pace, ticket, resume=bench.path is not None)
        with bench.cursor(ticket) as cursor:
            _check_keys(cursor, loaded, schema)
        return loaded


class _Counting:
    """The reader, and how many pages it has given."""

    def __init__(self, reader: RawPageReader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self.pages = 0

    def raw_pages(
        self, plan: ReadPlan, ticket: Ticket, *, start: str | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[RawPage]:
        for page in self._reader.raw_pages(plan, ticket, start=start, segment=segment, segments=segments):
            with self._lock:
                self.pages += 1
            yield page


def _new_bench(folder: Path | None) -> Bench:
    # A second thread of the engine takes more CPU, and what waits for pages is no sooner done.
    return Bench.open(None if folder is None else folder / _KEPT, memory_limit=MEMORY_LIMIT, threads=1)


def forget(folder: Path) -> None:
    """Remove what sweeps have kept there, and the folder if nothing else is in it."""
    for path in folder.glob(f"{_KEPT}*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()


def _once(rules: Sequence[TallyRule]) -> list[TallyRule]:
    return list({id(rule): rule for rule in rules}.values())


def _tables(rule: TallyRule) -> dict[str, KeySchema]:
    return {rule.table: rule.schema, rule.children.table: rule.children.schema}


def _looked_at(table: str, schema: KeySchema, rules: Sequence[TallyRule], *, parents: bool = True) -> tuple[str, ...]:
    """The attributes of a table that the rules look at, its key first."""
    names = {
        name
        for rule in rules
        for name in (
            *(rule.parent_attributes if parents and rule.table == table else ()),
            *(rule.child_attributes if rule.children.table == table else ()),
        )
    }
    return tuple(dict.fromkeys((*schema.names, *sorted(names))))


def _check_keys(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet, schema: KeySchema) -> None:
    missing = " OR ".join(f"{quoted(key.column)} IS NULL" for key in loaded.keys)
    row = cursor.execute(f"SELECT item FROM {loaded.table} WHERE {missing} LIMIT 1").fetchone()
    if row is None:
        return
    try:
        schema.key_of(item_from_dynamodb(json.loads(row[0])))
        problem = "its key cannot be read"
    except InvalidValue as found:
        problem = found.message
    raise DamagedReply(
        f"a Scan of {loaded.provenance.table} returned an item that is none of the table: {problem}",
        hint="The endpoint or a proxy before it is at fault.",
    )
