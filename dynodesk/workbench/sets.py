"""Loaded sets: their items, where they come from, how far a load has come. Kept in the schema `dynodesk`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import duckdb

from dynodesk.domain.bulk import Provenance
from dynodesk.domain.tables import KeyType
from dynodesk.domain.values import plain_digits

_SCHEMA = """
CREATE SCHEMA IF NOT EXISTS dynodesk;
CREATE TABLE IF NOT EXISTS dynodesk.sets (
    number INTEGER, name VARCHAR, plan VARCHAR, keys VARCHAR, source VARCHAR, endpoint VARCHAR, "table" VARCHAR,
    "index" VARCHAR, consistent BOOLEAN, segments INTEGER, first_page VARCHAR, last_page VARCHAR, pages BIGINT,
    items BIGINT, units VARCHAR, complete BOOLEAN, why_partial VARCHAR);
CREATE TABLE IF NOT EXISTS dynodesk.parts (
    set_number INTEGER, part INTEGER, cursor VARCHAR, done BOOLEAN, pages BIGINT);
CREATE TABLE IF NOT EXISTS dynodesk.columns (
    set_number INTEGER, position INTEGER, name VARCHAR, attribute VARCHAR, type VARCHAR, note VARCHAR, types VARCHAR);
CREATE TABLE IF NOT EXISTS dynodesk.foreseen (
    set_number INTEGER, position INTEGER, attribute VARCHAR, type VARCHAR, digits VARCHAR, "column" VARCHAR);
CREATE OR REPLACE MACRO dynodesk.with_point(sign, digits, point) AS CASE
    WHEN trim(digits, '0') = '' THEN '0'
    WHEN point <= 0 THEN sign || '0.' || repeat('0', -point) || digits
    WHEN point >= length(digits) THEN sign || digits || repeat('0', point - length(digits))
    ELSE sign || digits[:point] || '.' || digits[point + 1:] END;
CREATE OR REPLACE MACRO dynodesk.written_out(number) AS CASE
    WHEN contains(lower(number), 'e') THEN dynodesk.with_point(
        CASE WHEN starts_with(number, '-') THEN '-' ELSE '' END,
        replace(split_part(ltrim(lower(number), '+-'), 'e', 1), '.', ''),
        length(split_part(split_part(ltrim(lower(number), '+-'), 'e', 1), '.', 1))
            + CAST(split_part(lower(number), 'e', 2) AS INTEGER))
    ELSE number END;
"""
"""`written_out` gives a number without its exponent: the cast to DECIMAL fails for some exponents."""


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A key attribute of the items, kept in a column of its own beside the whole item."""

    attribute: str
    type: KeyType
    column: str
    of_table: bool
    """Of the table's own key; False: of the index that was read only."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A value that each item of a set was asked for as it arrived."""

    attribute: str
    type: str
    """In DynamoDB."""
    digits: str | None
    """The table's column for how long a number is; None: it is none."""
    column: str | None
    """The table's column with the texts of a number that few items have; None: it is none."""


@dataclass(frozen=True, slots=True)
class SetColumn:
    """A column of a set's view."""

    name: str
    attribute: str
    """The attribute's own name; "" for the column of the whole item."""
    type: str
    """The type in SQL."""
    note: str
    """What the column is where it is not simply the attribute's value; "" else."""
    types: dict[str, int]
    """How many items have the attribute, by its type in DynamoDB."""


@dataclass(frozen=True, slots=True)
class Part:
    """How far one segment of a Scan, or one Query, has come."""

    number: int
    cursor: str | None
    done: bool
    pages: int


@dataclass(frozen=True, slots=True)
class LoadedSet:
    """Items of one load. In SQL it is the view `name`; each item is whole in its column `item`, as DynamoDB JSON."""

    number: int
    name: str
    provenance: Provenance
    keys: tuple[KeyColumn, ...]
    plan: str
    """What was read, exactly: a load is taken up again only for the same."""
    changed: bool = False
    """Rows were added or removed by SQL since."""

    @property
    def table(self) -> str:
        """The table under the view: keys, and the items."""
        return f'dynodesk."items_{self.number}"'

    @property
    def caption(self) -> str:
        """One line that goes wherever numbers of the set are shown."""
        origin = self.provenance
        when = f"{origin.first_page} to {origin.last_page}" if origin.first_page else "nothing read"
        if origin.endpoint:
            how = "strongly consistent" if origin.consistent else "eventually consistent"
            words = (
                f"{self.name}: {origin.source} at {origin.endpoint} · {origin.items:,} items in {origin.pages:,} pages"
            )
            words += f" · {when}, {how} · {plain_digits(origin.units)} RCU"
        else:
            words = f"{self.name}: {origin.source} · {origin.items:,} items · {when}"
        if not origin.complete:
            words = f"PARTIAL ({origin.why_partial}) · {words}"
        return f"{words} · changed by SQL since" if self.changed else words


def quoted(name: str) -> str:
    """A name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as a literal of SQL; NUL, which no statement may hold, by its code."""
    return " || chr(0) || ".join("'" + part.replace("'", "''") + "'" for part in text.split("\0"))


def prepare(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make room for sets in a database that has none."""
    cursor.execute(_SCHEMA)


def all_sets(cursor: duckdb.DuckDBPyConnection) -> tuple[LoadedSet, ...]:
    """In the order in which they were first loaded."""
    there = cursor.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'dynodesk' AND table_name = 'sets'"
    ).fetchone()
    if there is None or there[0] == 0:
        return ()
    rows = cursor.execute("SELECT * FROM dynodesk.sets ORDER BY number").fetchall()
    return tuple(_with_count(cursor, _from_row(row)) for row in rows)


def set_named(cursor: duckdb.DuckDBPyConnection, name: str) -> LoadedSet | None:
    """Names differ as identifiers of SQL do: not by case alone."""
    return next((one for one in all_sets(cursor) if one.name.casefold() == name.casefold()), None)


def create(
    cursor: duckdb.DuckDBPyConnection,
    name: str,
    plan: str,
    keys: Sequence[KeyColumn],
    provenance: Provenance,
    parts: int,
    *,
    compressed: bool,
) -> LoadedSet:
    found = cursor.execute("SELECT coalesce(max(number), 0) + 1 FROM dynodesk.sets").fetchone()
    made = LoadedSet(int(found[0]) if found else 1, name, provenance, tuple(keys), plan)
    columns = [f"{quoted(key.column)} {'BLOB' if key.type == 'B' else 'VARCHAR'}" for key in keys]
    columns.append("item VARCHAR" + (" USING COMPRESSION zstd" if compressed else ""))
    cursor.execute(f"CREATE TABLE {made.table} ({', '.join(columns)})")
    cursor.execute("INSERT INTO dynodesk.parts SELECT ?, range, NULL, false, 0 FROM range(?)", [made.number, parts])
    save(cursor, made)
    return made


def save(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet) -> None:
    origin = loaded.provenance
    cursor.execute("DELETE FROM dynodesk.sets WHERE number = ?", [loaded.number])
    keys = json.dumps([[key.attribute, key.type, key.column, key.of_table] for key in loaded.keys])
    cursor.execute(
        f"INSERT INTO dynodesk.sets VALUES ({', '.join('?' * 17)})",
        [
            *(loaded.number, loaded.name, loaded.plan, keys, origin.source, origin.endpoint, origin.table),
            *(origin.index, origin.consistent, origin.segments, origin.first_page, origin.last_page, origin.pages),
            *(origin.items, str(origin.units), origin.complete, origin.why_partial),
        ],
    )


def remove(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet) -> None:
    cursor.execute(f"DROP VIEW IF EXISTS {quoted(loaded.name)}")
    cursor.execute(f"DROP TABLE {loaded.table}")
    cursor.execute("DELETE FROM dynodesk.sets WHERE number = ?", [loaded.number])
    for table in ("parts", "columns", "foreseen"):
        cursor.execute(f"DELETE FROM dynodesk.{table} WHERE set_number = ?", [loaded.number])


def parts_of(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet) -> list[Part]:
    rows = cursor.execute(
        "SELECT part, cursor, done, pages FROM dynodesk.parts WHERE set_number = ? ORDER BY part", [loaded.number]
    ).fetchall()
    return [Part(*row) for row in rows]


def save_part(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet, part: Part) -> None:
    cursor.execute(
        "UPDATE dynodesk.parts SET cursor = ?, done = ?, pages = ? WHERE set_number = ? AND part = ?",
        [part.cursor, part.done, part.pages, loaded.number, part.number],
    )


def foreseen_of(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet) -> tuple[Foreseen, ...]:
    rows = cursor.execute(
        'SELECT attribute, type, digits, "column" FROM dynodesk.foreseen WHERE set_number = ? ORDER BY position',
        [loaded.number],
    ).fetchall()
    return tuple(Foreseen(*row) for row in rows)


def save_foreseen(
    cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet, foreseen: Sequence[Foreseen], columns: Sequence[str]
) -> None:
    """For a set that has no items yet. `columns` are what its table gets for it: names with types."""
    for column in columns:
        cursor.execute(f"ALTER TABLE {loaded.table} ADD COLUMN {column}")
    for position, one in enumerate(foreseen):
        cursor.execute(
            "INSERT INTO dynodesk.foreseen VALUES (?, ?, ?, ?, ?, ?)",
            [loaded.number, position, one.attribute, one.type, one.digits, one.column],
        )


def columns_of(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet) -> tuple[SetColumn, ...]:
    """The columns of the set's view, in its order."""
    rows = cursor.execute(
        "SELECT name, attribute, type, note, types FROM dynodesk.columns WHERE set_number = ? ORDER BY position",
        [loaded.number],
    ).fetchall()
    return tuple(
        SetColumn(name, attribute, kind, note, json.loads(types)) for name, attribute, kind, note, types in rows
    )


def save_columns(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet, columns: Sequence[SetColumn]) -> None:
    cursor.execute("DELETE FROM dynodesk.columns WHERE set_number = ?", [loaded.number])
    rows = [
        [loaded.number, position, c.name, c.attribute, c.type, c.note, json.dumps(c.types)]
        for position, c in enumerate(columns)
    ]
    cursor.executemany("INSERT INTO dynodesk.columns VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def _from_row(row: tuple[object, ...]) -> LoadedSet:
    number, name, plan, keys, source, endpoint, table, index, consistent, segments, *rest = row
    first, last, pages, items, units, complete, why = rest
    return LoadedSet(
        int(str(number)),
        str(name),
        Provenance(
            source=str(source),
            endpoint=str(endpoint),
            table=str(table),
            index=None if index is None else str(index),
            consistent=bool(consistent),
            segments=int(str(segments)),
            first_page=str(first),
            last_page=str(last),
            pages=int(str(pages)),
            items=int(str(items)),
            units=Decimal(str(units)),
            complete=bool(complete),
            why_partial=str(why),
        ),
        tuple(KeyColumn(*key) for key in json.loads(str(keys))),
        str(plan),
    )


def _with_count(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet) -> LoadedSet:
    found = cursor.execute(f"SELECT count(*) FROM {loaded.table}").fetchone()
    return replace(loaded, changed=found is None or found[0] != loaded.provenance.items)
