"""The view of a set: a column for each attribute, its type decided by every item of the set.

| what the items have | columns |
|---|---|
| S | VARCHAR |
| N, every value fits one DECIMAL | DECIMAL |
| N, else | the exact text, and `… (number)`: DOUBLE, approximate |
| B | BLOB |
| BOOL | BOOLEAN |
| sets, L, M | DynamoDB JSON text of their content |
| several types | text, `… (type)`, and `… (number)` for those that are N |
| NULL among them | `… (type)` as well, which tells NULL from missing |

Names that differ by case alone, or that no identifier can be, get names of their own; `SetColumn.attribute` has the
attribute's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import duckdb

from dynodesk.domain.cells import visible
from dynodesk.workbench import sets
from dynodesk.workbench.sets import LoadedSet, SetColumn, literal, quoted

MOST_COLUMNS = 1_000
"""Attributes that get a column: those that most items have. Every other is in `item`."""
LONGEST_NAME = 200
"""Characters of an attribute's name that its column's name has at most."""
ITEM = "item"
_AT_ONCE = 100
"""Attributes that one pass over the items looks at."""

_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?"


@dataclass(slots=True)
class _Attribute:
    name: str
    types: dict[str, int] = field(default_factory=dict)
    """Items by the attribute's type."""
    whole_digits: int = 0
    """Most digits that a number has before the point, and after it."""
    fraction_digits: int = 0
    all_numbers: bool = True
    """False: an N is not of the form of a number, as emulators store."""
    has_powers: bool = False

    @property
    def decimal(self) -> str | None:
        """The one type that holds every N of this attribute exactly."""
        digits = self.whole_digits + self.fraction_digits
        if not self.all_numbers or digits > 38:
            return None
        return f"DECIMAL({max(digits, 1)},{self.fraction_digits})"


def pointer(name: str, *inner: str) -> str:
    """The JSON pointer of an attribute in an item, or of what is in it."""
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in (name, *inner))


def build_view(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet) -> tuple[SetColumn, ...]:
    """Make the view of a set anew from all its items, within the caller's transaction."""
    keys = {key.attribute: key for key in loaded.keys}
    attributes = _census(cursor, loaded.table, list(keys))
    columns: list[SetColumn] = []
    selected: list[str] = []
    looks = _Looks()
    names = _Names([ITEM])
    plain = {attribute.name: names.take(attribute.name) for attribute in attributes}
    for attribute in attributes:
        key = keys.get(attribute.name)
        stored = None if key is None or set(attribute.types) - {key.type} else quoted(key.column)
        if key is not None and not attribute.types:
            attribute.types[key.type] = 0
        for suffix, kind, note, expression in _expressions(attribute, stored, looks):
            name = plain[attribute.name] if not suffix else names.take(f"{plain[attribute.name]} ({suffix})")
            columns.append(SetColumn(name, attribute.name, kind, note, attribute.types))
            selected.append(f"{expression} AS {quoted(name)}")
    columns.append(SetColumn(ITEM, "", "VARCHAR", "the whole item as DynamoDB JSON", {}))
    selected.append(quoted(ITEM))
    cursor.execute(
        f"CREATE OR REPLACE VIEW {quoted(loaded.name)} AS SELECT {', '.join(selected)} "
        f"FROM (SELECT {', '.join(['*', *looks.selected()])} FROM {loaded.table})"
    )
    sets.save_columns(cursor, loaded, columns)
    return tuple(columns)


class _Looks:
    """Expressions that look into the item. Those for several attributes share one parsing of it.

    The engine keeps for each call that parses, on each thread, as much memory as the largest item once took, some
    megabytes: with a call for each attribute a wide set of large items would not fit. One call for all of them would
    have to find every attribute for who asks for one.
    """

    TOGETHER = 16

    def __init__(self) -> None:
        self._paths: dict[str, list[str]] = {"json_extract_string": [], "json_keys": []}

    def text(self, name: str, kind: str) -> str:
        """The attribute's content where it is of this type: text, or DynamoDB JSON."""
        return self._at("json_extract_string", pointer(name, kind))

    def type(self, name: str) -> str:
        return self._at("json_keys", pointer(name)) + "[1]"

    def selected(self) -> list[str]:
        """What the query beneath the view has to select."""
        return [
            f"{function}(item, [{', '.join(map(literal, paths[start : start + self.TOGETHER]))}]) "
            f"AS {function}_{start // self.TOGETHER}"
            for function, paths in self._paths.items()
            for start in range(0, len(paths), self.TOGETHER)
        ]

    def _at(self, function: str, path: str) -> str:
        group, place = divmod(len(self._paths[function]), self.TOGETHER)
        self._paths[function].append(path)
        return f"{function}_{group}[{place + 1}]"


def _expressions(attribute: _Attribute, stored: str | None, looks: _Looks) -> Iterable[tuple[str, str, str, str]]:
    """Columns of an attribute: suffix of the name, type, note, and the expression. `stored` has the value of a key."""
    kinds = [kind for kind in attribute.types if kind != "NULL"]
    if stored is not None and kinds != ["B"]:
        text = dict.fromkeys(kinds, stored)
    else:
        text = {kind: looks.text(attribute.name, kind) for kind in kinds}
    decimal = attribute.decimal if "N" in kinds else None
    number = f"dynodesk.written_out({text['N']})" if "N" in kinds and attribute.has_powers else text.get("N", "")
    match kinds:
        case []:
            yield "", "VARCHAR", "no item has a value", "CAST(NULL AS VARCHAR)"
        case ["N"] if decimal is not None:
            yield "", decimal, "", f"CAST({number} AS {decimal})"
        case ["N"]:
            yield "", "VARCHAR", "exact text: no DECIMAL holds every value", text["N"]
            yield "number", "DOUBLE", "approximate", f"TRY_CAST({text['N']} AS DOUBLE)"
        case ["B"]:
            yield "", "BLOB", "", stored or f"from_base64({text['B']})"
        case ["BOOL"]:
            yield "", "BOOLEAN", "", f"CAST({text['BOOL']} AS BOOLEAN)"
        case ["S"]:
            yield "", "VARCHAR", "", text["S"]
        case [kind]:
            yield "", "VARCHAR", f"content of the {kind}, DynamoDB JSON", text[kind]
        case _:
            yield "", "VARCHAR", "text of values of several types", f"coalesce({', '.join(text.values())})"
            if decimal is not None:
                yield "number", decimal, "the values that are N", f"CAST({number} AS {decimal})"
            elif "N" in kinds:
                yield "number", "DOUBLE", "the values that are N, approximate", f"TRY_CAST({text['N']} AS DOUBLE)"
    if len(attribute.types) > 1 or "NULL" in attribute.types:
        yield (
            *("type", "VARCHAR", "type in DynamoDB; NULL here: the item has no such attribute"),
            looks.type(attribute.name),
        )


# ------------------------------------------------------------------------------------------------------------ census


def _census(cursor: duckdb.DuckDBPyConnection, table: str, keys: list[str]) -> list[_Attribute]:
    """The attributes that get columns: keys, then by how many items have them."""
    rows = cursor.execute(
        f"SELECT name, count(*) AS n FROM (SELECT unnest(json_keys(item)) AS name FROM {table}) GROUP BY name "
        f"ORDER BY n DESC, name LIMIT {MOST_COLUMNS}"
    ).fetchall()
    names = list(dict.fromkeys([*keys, *(str(name) for name, _ in rows)]))
    attributes = [_Attribute(name) for name in names]
    for start in range(0, len(attributes), _AT_ONCE):
        _count_types(cursor, table, attributes[start : start + _AT_ONCE])
    numbers = [attribute for attribute in attributes if "N" in attribute.types]
    for start in range(0, len(numbers), _AT_ONCE):
        _measure_numbers(cursor, table, numbers[start : start + _AT_ONCE])
    return attributes


def _count_types(cursor: duckdb.DuckDBPyConnection, table: str, attributes: Sequence[_Attribute]) -> None:
    paths = ", ".join(literal(pointer(attribute.name)) for attribute in attributes)
    rows = cursor.execute(
        f"WITH shapes AS (SELECT json_keys(item, [{paths}]) AS kinds, count(*) AS n FROM {table} GROUP BY kinds) "
        f"SELECT spot, kind, sum(n) FROM (SELECT unnest(range({len(attributes)})) AS spot, unnest(kinds)[1] AS kind, n "
        "FROM shapes) WHERE kind IS NOT NULL GROUP BY spot, kind ORDER BY spot, kind"
    ).fetchall()
    for at, kind, count in rows:
        attributes[at].types[kind] = int(count)


def _measure_numbers(cursor: duckdb.DuckDBPyConnection, table: str, attributes: Sequence[_Attribute]) -> None:
    """How many digits the numbers have before and after the point, written out: without the zeros that say nothing."""
    paths = ", ".join(literal(pointer(attribute.name, "N")) for attribute in attributes)
    rows = cursor.execute(
        f"""
        WITH texts AS (
            SELECT unnest(range({len(attributes)})) AS spot, unnest(json_extract_string(item, [{paths}])) AS t
            FROM {table}),
        parts AS (
            SELECT spot, regexp_full_match(t, '{_NUMBER}') AS good, contains(lower(t), 'e') AS powered,
                split_part(lower(ltrim(t, '+-')), 'e', 1) AS base,
                CASE WHEN powered THEN TRY_CAST(split_part(lower(t), 'e', 2) AS INTEGER) ELSE 0 END AS power
            FROM texts WHERE t IS NOT NULL),
        digits AS (
            SELECT spot, good, powered, power, length(split_part(base, '.', 2)) AS after,
                replace(base, '.', '') AS written,
                length(written) - length(rtrim(written, '0')) AS zeros, length(ltrim(written, '0')) AS led
            FROM parts)
        SELECT spot, bool_and(good), bool_or(powered),
            max(CASE WHEN led = 0 OR NOT good THEN 0 ELSE greatest(0, led - after + power) END),
            max(CASE WHEN led = 0 OR NOT good THEN 0 ELSE greatest(0, after - power - zeros) END)
        FROM digits GROUP BY spot
        """
    ).fetchall()
    for at, good, powered, whole, fraction in rows:
        found = attributes[at]
        found.all_numbers, found.has_powers, found.whole_digits, found.fraction_digits = good, powered, whole, fraction


# ------------------------------------------------------------------------------------------------------------- names


class _Names:
    """Hands out names of columns that identifiers of SQL, which know no case, can tell apart."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {name.casefold() for name in taken}

    def take(self, wanted: str) -> str:
        shown = visible(wanted[:LONGEST_NAME]) + ("…" if len(wanted) > LONGEST_NAME else "") or "(empty name)"
        name, count = shown, 1
        while name.casefold() in self._taken:
            count += 1
            name = f"{shown} {count}"
        self._taken.add(name.casefold())
        return name
