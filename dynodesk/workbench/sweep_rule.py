"""One tally rule on the tables that it is about, loaded: asks the engine, and decides what the engine leaves open."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.children import SHARD
from dynodesk.domain.errors import DamagedReply, InvalidValue
from dynodesk.domain.item_json import from_dynamodb, item_from_dynamodb
from dynodesk.domain.measures import Amount, Total
from dynodesk.domain.patterns import Captures, KeyPattern
from dynodesk.domain.progress import Ticket
from dynodesk.domain.sweeping import SweptParent, SweptRule
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.tallies import Tally, TallyRule
from dynodesk.domain.values import EXACT, Item, Map, Number, plain_digits
from dynodesk.workbench import sweep_sql as sql
from dynodesk.workbench.sets import LoadedSet
from dynodesk.workbench.sweep_conditions import counts

AT_ONCE = 10_000
"""Rows that come out of the engine together."""


@dataclass(frozen=True, slots=True)
class _Side:
    """The items on one side of a rule: a query for `r`, `item` and the captures, and each capture's column."""

    query: str
    columns: Mapping[str, str]


class RuleSweep:
    """One rule on the tables that it is about."""

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        rule: TallyRule,
        tables: Mapping[str, LoadedSet],
        now: float,
        ticket: Ticket,
    ) -> None:
        self._cursor, self._rule, self._tables, self._now, self._ticket = cursor, rule, tables, now, ticket
        self._names = tuple(sorted(rule.joined))
        children = rule.children
        self._children = self._side(
            children.pattern, children.key_schema, children.table, children.shards, children.needed
        )
        measure = sql.Measuring(rule.measure, misspelled=False)
        if measure.number is not None:
            misspelled = self._take_spellings(f"SELECT {measure.number} AS n FROM ({self._children.query})")
            measure = sql.Measuring(rule.measure, misspelled=misspelled)
        self._measure = measure

    # -- both sides

    def _side(
        self,
        pattern: KeyPattern,
        schema: KeySchema,
        table: str,
        shards: Sequence[str],
        needed: Sequence[KeyAttribute] = (),
    ) -> _Side:
        texts = sql.KeyTexts(self._tables[table], pattern, schema, needed)
        misspelled = texts.numbers is not None and self._take_spellings(texts.numbers)
        query, columns = sql.matching(texts, pattern, misspelled=misspelled)
        if shards:
            query = f"SELECT * FROM ({query}) WHERE {sql.within(columns[SHARD], shards)}"
        return _Side(query, columns)

    def _take_spellings(self, numbers: str) -> bool:
        """Whether any of the numbers is in other than its canonical spelling; if so it is in the table of them."""
        self._cursor.execute(f"SELECT DISTINCT n FROM ({numbers}) WHERE NOT {sql.is_plain('n')}")
        found = [Number(text) for batch in self._batches() for (text,) in batch]
        if not found:
            return False
        self._cursor.execute(
            f"CREATE TEMP TABLE IF NOT EXISTS {sql.SPELLINGS} "
            "(text VARCHAR PRIMARY KEY, canonical VARCHAR, is_valid BOOLEAN)"
        )
        columns = {
            "text": [number.text for number in found],
            "canonical": [number.canonical for number in found],
            "is_valid": [number.is_valid for number in found],
        }
        with _registered(self._cursor, "spelled", pa.table(columns)):
            self._cursor.execute(f"INSERT OR IGNORE INTO {sql.SPELLINGS} SELECT * FROM spelled")
        return True

    def _batches(self) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of the query that was just asked."""
        while batch := self._cursor.fetchmany(AT_ONCE):
            self._ticket.checkpoint()
            yield batch

    # -- children

    def _counted(self, source: str) -> str:
        """The rows that count, of those that are children by their keys."""
        children = self._rule.children
        if children.where is None and children.expires is None:
            return source
        looks = sql.Looks()
        decided = counts(children, self._now, looks)
        source = looks.beneath(source) if decided else source
        self._cursor.execute(f"SELECT r, item FROM ({source}) WHERE {f'({decided}) IS NULL' if decided else 'true'}")
        counting = array("q")
        for batch in self._batches():
            for row, item in batch:
                if children.counts(_parsed(item), self._now):
                    counting.append(row)
        with _registered(self._cursor, "found", pa.table({"r": pa.array(counting, pa.int64())})):
            self._cursor.execute("CREATE TEMP TABLE counting AS SELECT r FROM found")
        listed = "r IN (SELECT r FROM counting)"
        return f"SELECT * FROM ({source}) WHERE {f'coalesce({decided}, {listed})' if decided else listed}"

    def _measured(self, rows: str, groups: Sequence[str], also: Sequence[str] = ()) -> str:
        aggregates = ", ".join([*groups, "count(*) AS n", *self._measure.aggregates, *also])
        return f"SELECT {aggregates} FROM ({rows}) GROUP BY {', '.join(groups)}"

    def _totals(self, rows: str, groups: Sequence[str], those: str) -> dict[tuple[object, ...], Total]:
        """Measured item by item: the groups `those` of which the engine is not certain."""
        totals: dict[tuple[object, ...], Total] = {}
        self._cursor.execute(
            f"SELECT {', '.join(groups)}, v FROM ({rows}) SEMI JOIN ({those}) USING ({', '.join(groups)})"
        )
        for batch in self._batches():
            for *group, value in batch:
                total = totals.setdefault(tuple(group), Total(self._rule.measure))
                total.take(self._child_with(value), {})
        return totals

    def _child_with(self, value: str | None) -> Item:
        path = self._rule.measure.of
        return {} if path is None or not value else _item_with(path, value)

    def _amount(self, amount: int | Decimal, odd: str | None, total: Total | None) -> tuple[Amount, str]:
        """The amount, and why it is none if so."""
        if total is not None:
            return total.amount, total.problem
        problem = ""
        if odd is not None:
            total = Total(self._rule.measure)
            total.take(self._child_with(odd), {})
            problem = total.problem
        if self._rule.measure.kind in {"sum", "size"}:
            return Decimal(plain_digits(Decimal(amount))), problem
        return int(amount), problem

    # -- the whole rule

    def swept(self, *, everyone: bool) -> SweptRule:
        rule = self._rule
        groups = [f"g{i}" for i in range(len(self._names))] or ["g0"]
        rows = self._child_rows(self._counted(self._children.query), groups)
        parents = self._parents(self._side(rule.parent, rule.schema, rule.table, rule.shards), groups)
        same = " AND ".join(f"p.{group} = c.{group}" for group in groups)
        self._cursor.execute(
            f"CREATE TEMP TABLE swept AS SELECT {', '.join(f'coalesce(p.{g}, c.{g}) AS {g}' for g in groups)}, "
            "coalesce(p.is_there, false) AS is_there, p.tallies, p.number, coalesce(c.n, 0) AS n, "
            "coalesce(c.amount, 0) AS amount, coalesce(c.is_open, false) AS is_open, c.odd "
            f"FROM ({parents}) AS p FULL JOIN ({self._measured(rows, groups)}) AS c ON {same}"
        )
        self._cursor.execute("SELECT count(*), bool_or(is_there), bool_or(n > 0), bool_or(is_open) FROM swept")
        ((count, has_parents, has_children, is_open),) = self._cursor.fetchall()
        totals = self._totals(rows, groups, "SELECT * FROM swept WHERE is_open") if is_open else {}
        off = tuple(self._off(groups, totals, everyone=everyone))
        unlike = [] if has_parents else [rule.parent]
        if not has_children and rule.children.pattern != rule.parent and not self._has_rows(self._children.query):
            unlike.append(rule.children.pattern)
        return SweptRule(rule, count, off, tuple(unlike))

    def _has_rows(self, query: str) -> bool:
        return self._cursor.execute(f"SELECT 1 FROM ({query}) LIMIT 1").fetchone() is not None

    def _child_rows(self, counted: str, groups: Sequence[str]) -> str:
        columns = [*self._named(self._children, groups), *self._measure.columns(self._children.columns)]
        return f"SELECT {', '.join(columns)} FROM ({counted})"

    def _named(self, side: _Side, groups: Sequence[str]) -> list[str]:
        """What joins parent and children, as the columns `groups`."""
        if not self._names:
            return [f"0 AS {groups[0]}"]
        return [f"{side.columns[name]} AS {group}" for name, group in zip(self._names, groups, strict=True)]

    def _parents(self, side: _Side, groups: Sequence[str]) -> str:
        rule = self._rule
        columns = [*self._named(side, groups), f"{sql.value_at(sql.path_pointer(rule.attribute))} AS v", "r"]
        number = sql.short_number("v")
        if rule.missing == "zero":
            number = f"CASE WHEN v IS NULL THEN 0 ELSE {number} END"
        each = f"SELECT *, {number} AS number FROM (SELECT {', '.join(columns)} FROM ({side.query}))"
        if not rule.is_sharded:
            return f"SELECT {', '.join(groups)}, true AS is_there, v AS tallies, number FROM ({each})"
        return (
            f"SELECT {', '.join(groups)}, true AS is_there, list(v ORDER BY r) AS tallies, "
            f"CASE WHEN count(number) = count(*) THEN CAST(sum(number) AS {sql.EXACTLY}) END AS number "
            f"FROM ({each}) GROUP BY {', '.join(groups)}"
        )

    def _off(
        self, groups: Sequence[str], totals: Mapping[tuple[object, ...], Total], *, everyone: bool
    ) -> Iterator[SweptParent]:
        right = (
            f"is_there AND NOT is_open AND odd IS NULL AND number IS NOT NULL "
            f"AND abs(number - CAST(amount AS {sql.EXACTLY})) <= {sql.tolerated(self._rule.tolerance)}"
        )
        self._cursor.execute(
            f"SELECT {', '.join(groups)}, is_there, tallies, amount, odd FROM swept "
            f"{'' if everyone else f'WHERE NOT ({right})'} ORDER BY {', '.join(groups)}"
        )
        for batch in self._batches():
            for *group, is_there, tallies, amount_found, odd in batch:
                amount, problem = self._amount(amount_found, odd, totals.get(tuple(group)))
                tally = self._tally(tallies) if is_there else None
                if everyone or problem or self._differs(tally, amount):
                    captures = dict(zip(self._names, group, strict=False))
                    yield SweptParent(captures, tally, amount, problem)

    def _tally(self, tallies: list[str | None] | str | None) -> Tally:
        rule = self._rule
        stored = tallies if isinstance(tallies, list) else [tallies]
        items = [{} if value is None else _item_with(rule.attribute, value) for value in stored]
        return rule.tally_of_shards(items) if rule.is_sharded else rule.tally(items[0])

    def _differs(self, tally: Tally | None, amount: Amount) -> bool:
        if tally is None or tally.number is None:
            return True
        return EXACT.subtract(tally.number, Decimal(amount)).copy_abs() > self._rule.tolerance  # abs() rounds

    # -- chosen parents

    def passed_over(self, wanted: Mapping[int, Captures], *, contents: bool) -> dict[int, SweptParent]:
        columns = {f"k{i}": [captures[name] for captures in wanted.values()] for i, name in enumerate(self._names)}
        with _registered(self._cursor, "chosen", pa.table({"g0": list(wanted), **columns})):
            self._cursor.execute("CREATE TEMP TABLE wanted AS SELECT * FROM chosen")
        same = [f"c.{self._children.columns[name]} = w.k{i}" for i, name in enumerate(self._names)] or ["true"]
        source = f"SELECT c.*, w.g0 FROM ({self._children.query}) AS c JOIN wanted AS w ON {' AND '.join(same)}"
        whole = sql.whole_item() if contents else sql.part_of_item(sorted(self._rule.child_attributes))
        columns_of_child = ["g0", f"{whole} AS whole", *self._measure.columns(self._children.columns)]
        rows = f"SELECT {', '.join(columns_of_child)} FROM ({self._counted(source)})"
        self._cursor.execute(
            f"CREATE TEMP TABLE seen AS {self._measured(rows, ['g0'], ['bit_xor(md5_number(whole)) AS digest'])}"
        )
        totals = {}
        if self._has_rows("SELECT 1 FROM seen WHERE is_open"):
            totals = self._totals(rows, ["g0"], "SELECT * FROM seen WHERE is_open")
        found = {
            i: SweptParent(captures, None, Total(self._rule.measure).amount, digest="0")
            for i, captures in wanted.items()
        }
        self._cursor.execute("SELECT g0, n, amount, odd, digest FROM seen")
        for batch in self._batches():
            for place, count, amount_found, odd, digest in batch:
                amount, problem = self._amount(amount_found, odd, totals.get((place,)))
                found[place] = SweptParent(wanted[place], None, amount, problem, f"{count}:{digest:x}")
        return found


@contextmanager
def _registered(cursor: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> Iterator[None]:
    """Rows of ours as a table for one statement."""
    cursor.register(name, rows)
    try:
        yield
    finally:
        cursor.unregister(name)


def _item_with(path: AttributePath, value: str) -> Item:
    """An item that has this value there, and nothing else."""
    try:
        found = from_dynamodb(json.loads(value), str(path))
    except InvalidValue as problem:
        raise _damaged(problem) from problem
    for name in reversed(path.names[1:]):
        found = Map({name: found})
    return {path.names[0]: found}


def _parsed(item: str) -> Item:
    try:
        return item_from_dynamodb(json.loads(item))
    except InvalidValue as problem:
        raise _damaged(problem) from problem


def _damaged(problem: InvalidValue) -> DamagedReply:
    return DamagedReply(
        f"a Scan returned what is no item: {problem.message}", hint="The endpoint or a proxy before it is at fault."
    )
