"""Which attributes the items of a set have, of which types, and how long their numbers are: every item decides.

To look into every item once more takes as long as to load them. So the first items say what to foresee: each value is
then looked for while the items arrive, in the pass that takes out their keys anyway. Of an item whose length is that of
the foreseen values it has, nothing is left that was not foreseen; its marks say which they are. Every other item, one
with another attribute or in another spelling, is looked into afterwards.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import duckdb

from dynodesk.workbench.sets import Foreseen, KeyColumn, LoadedSet, literal, quoted

MOST_COLUMNS = 1_000
"""Attributes that get a column: those that most items have. Every other is in `item`."""
MOST_FORESEEN = 96
"""Kinds of values that are looked for in every item. More would take longer than to look once more."""
_AT_ONCE = 100
"""Attributes that one pass over the items looks at."""

_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?"
_PLAIN = r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?"
"""A number without an exponent, and without zeros that say nothing."""
_SIMPLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_RARE = 10
"""A number that no more than one of so many items has gets a column of its own: who asks for it reads no other item."""
_LONGEST_PLAIN = 100
_ODD = -1
"""For the digits of a number that is not plain, or too long."""
_DIGITS = 128
"""More than a plain number has. Digits are told as so many times those before the point, and those after it."""

_LENGTH_BITS = 24
"""Of a sum over an item's values, the bits of their lengths; each bit above is for one that the item has."""
_BITS = 32
"""Kinds of values for each column of marks."""


@dataclass(slots=True)
class Attribute:
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


# ----------------------------------------------------------------------------------------------------------- arrival


def foresee(cursor: duckdb.DuckDBPyConnection, first: str) -> tuple[Foreseen, ...]:
    """What the items of the relation `first` have most; nothing where that does not say most of them all."""
    counts = Counter({(a.name, kind): n for a in _looked_for(cursor, first, []) for kind, n in a.types.items()})
    ((items,),) = cursor.execute(f"SELECT count(*) FROM {first}").fetchall()
    foreseen = tuple(
        Foreseen(
            name,
            kind,
            digits=f"d{place}" if kind == "N" else None,
            column=f"n{place}" if kind == "N" and count * _RARE <= items else None,
        )
        for place, ((name, kind), count) in enumerate(counts.most_common(MOST_FORESEEN))
    )
    marks = _marks(foreseen)
    if not marks:
        return ()
    looked_into = _looked_into((), foreseen, first)
    says_most = cursor.execute(
        f"SELECT count(mark_0) * 2 > count(*) FROM (SELECT {', '.join(marks)} FROM ({looked_into}))"
    ).fetchall()
    return foreseen if says_most == [(True,)] else ()


def columns_of(foreseen: Sequence[Foreseen]) -> list[str]:
    """The columns that the set's table has for what is foreseen, with their types."""
    digits = [f"{quoted(one.digits)} INTEGER" for one in foreseen if one.digits is not None]
    numbers = [f"{quoted(one.column)} VARCHAR" for one in foreseen if one.column is not None]
    return [*digits, *numbers, *(f"{name} VARCHAR" for name in _mark_names(foreseen))]


def arriving_sql(keys: Sequence[KeyColumn], foreseen: Sequence[Foreseen], items: str) -> str:
    """The rows of a set's table for the column `item` of the relation `items`."""
    places = {pair: place for place, pair in enumerate(_pairs(keys, foreseen), start=1)}
    values = []
    for key in keys:
        text = f"k[{places[key.attribute, key.type]}]"
        values.append(f"from_base64({text})" if key.type == "B" else text)
    texts = [(one, f"k[{places[one.attribute, one.type]}]") for one in foreseen]
    digits = [_digits(text) for one, text in texts if one.digits is not None]
    numbers = [text for one, text in texts if one.column is not None]
    columns = ", ".join([*values, "item", *digits, *numbers, *_marks(foreseen)])
    return f"SELECT {columns} FROM ({_looked_into(keys, foreseen, items)})"


def _pairs(keys: Iterable[KeyColumn], foreseen: Iterable[Foreseen]) -> list[tuple[str, str]]:
    return list(dict.fromkeys([*((k.attribute, k.type) for k in keys), *((f.attribute, f.type) for f in foreseen)]))


def _looked_into(keys: Sequence[KeyColumn], foreseen: Sequence[Foreseen], items: str) -> str:
    """Rows of the item, its values as the list `k`, and the sums over those that are foreseen."""
    pairs = _pairs(keys, foreseen)
    places = {pair: place for place, pair in enumerate(pairs, start=1)}
    paths = ", ".join(literal(_path(name, kind)) for name, kind in pairs)
    sums = []
    for start in range(0, len(foreseen), _BITS):
        terms = []
        for bit, one in enumerate(foreseen[start : start + _BITS]):
            more = _least_more(one) + (1 << _LENGTH_BITS + bit)
            terms.append(f"coalesce(strlen(k[{places[one.attribute, one.type]}]) + {more}, 0)")
        sums.append(f", {' + '.join(terms)} AS sum_{start // _BITS}")
    looked = f"SELECT item, json_extract_string(item, [{paths}]) AS k FROM {items}"
    return f"SELECT *{''.join(sums)} FROM ({looked})" if sums else looked


def _marks(foreseen: Sequence[Foreseen]) -> list[str]:
    """Of an item that has nothing but foreseen values, which; else NULL. A text, for which a file has dictionaries."""
    names = _mark_names(foreseen)
    most = 1 << _LENGTH_BITS
    length = " + ".join(f"(sum_{i} & {most - 1})" for i in range(len(names)))
    known = f"strlen(item) < {most} AND 1 + {length} = strlen(item)"
    return [
        f"CASE WHEN {known} THEN CAST(sum_{i} >> {_LENGTH_BITS} AS VARCHAR) END AS {name}"
        for i, name in enumerate(names)
    ]


def _mark_names(foreseen: Sequence[Foreseen]) -> list[str]:
    return [f"mark_{i}" for i in range(-(-len(foreseen) // _BITS))]


def _least_more(one: Foreseen) -> int:
    """Bytes of an item that a value takes besides its own text, at the least."""
    name = json.dumps(one.attribute, ensure_ascii=False).encode("utf-8", "surrogatepass")
    quotes = 2 if one.type in {"S", "N", "B"} else 0
    return len(name) + len(':{"":},') + len(one.type) + quotes


def _path(name: str, kind: str) -> str:
    """As `pointer`, and where it can be so, in the language that the engine finds its way faster by."""
    return f"$.{name}.{kind}" if _SIMPLE_NAME.fullmatch(name) else pointer(name, kind)


# ------------------------------------------------------------------------------------------------------------ census


def census(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet, foreseen: Sequence[Foreseen]) -> list[Attribute]:
    """The attributes that get columns: keys, then by how many items have them."""
    keys = [key.attribute for key in loaded.keys]
    known = _marked(cursor, loaded.table, foreseen) if foreseen else {}
    attributes = {name: Attribute(name) for name in keys}
    rest = f"(SELECT item FROM {loaded.table} WHERE mark_0 IS NULL)" if foreseen else loaded.table
    for one in _looked_for(cursor, rest, [*keys, *known]):
        attributes[one.name] = one
    for name, types in known.items():
        found = attributes[name].types
        attributes[name].types = {kind: found.get(kind, 0) + types.get(kind, 0) for kind in sorted({*found, *types})}
    digits = {one.attribute: quoted(one.digits) for one in foreseen if one.digits is not None}
    numbers = [one for one in attributes.values() if "N" in one.types]
    told = [one for one in numbers if one.name in digits]
    _measure(cursor, loaded.table, [(one, _text(one), digits[one.name]) for one in told])
    inside = [one for one in numbers if one.name not in digits]
    for start in range(0, len(inside), _AT_ONCE):
        group = inside[start : start + _AT_ONCE]
        looked = f"(SELECT json_extract_string(item, [{', '.join(_place(one) for one in group)}]) AS k FROM {rest})"
        texts = [(one, f"k[{place}]") for place, one in enumerate(group, start=1)]
        _measure(cursor, looked, [(one, text, _digits(text)) for one, text in texts])
    ranked = sorted(attributes.values(), key=lambda one: (-sum(one.types.values()), one.name))
    names = [*keys, *[one.name for one in ranked if one.types][:MOST_COLUMNS]]
    return [attributes[name] for name in dict.fromkeys(names)]


def _marked(cursor: duckdb.DuckDBPyConnection, table: str, foreseen: Sequence[Foreseen]) -> dict[str, dict[str, int]]:
    """Items by type for each attribute, of those that have marks."""
    marks = ", ".join(_mark_names(foreseen))
    counts = ", ".join(
        f"coalesce(sum(n * ((CAST(mark_{place // _BITS} AS BIGINT) >> {place % _BITS}) & 1)), 0)"
        for place in range(len(foreseen))
    )
    (found,) = cursor.execute(
        f"SELECT {counts} FROM (SELECT {marks}, count(*) AS n FROM {table} WHERE mark_0 IS NOT NULL GROUP BY {marks})"
    ).fetchall()
    known: dict[str, dict[str, int]] = {}
    for one, count in zip(foreseen, found, strict=True):
        if count:
            known.setdefault(one.attribute, {})[one.type] = int(count)
    return known


def _looked_for(cursor: duckdb.DuckDBPyConnection, items: str, names: Sequence[str]) -> list[Attribute]:
    """The attributes with these names, and those that most items of the relation have, with their types."""
    rows = cursor.execute(
        f"SELECT name, count(*) AS n FROM (SELECT unnest(json_keys(item)) AS name FROM {items}) GROUP BY name "
        f"ORDER BY n DESC, name LIMIT {MOST_COLUMNS}"
    ).fetchall()
    if not rows:
        return [Attribute(name) for name in dict.fromkeys(names)]
    attributes = [Attribute(name) for name in dict.fromkeys([*names, *(str(name) for name, _ in rows)])]
    for start in range(0, len(attributes), _AT_ONCE):
        _count_types(cursor, items, attributes[start : start + _AT_ONCE])
    return attributes


def _count_types(cursor: duckdb.DuckDBPyConnection, items: str, attributes: Sequence[Attribute]) -> None:
    paths = ", ".join(literal(pointer(attribute.name)) for attribute in attributes)
    rows = cursor.execute(
        f"WITH shapes AS (SELECT json_keys(item, [{paths}]) AS kinds, count(*) AS n FROM {items} GROUP BY kinds) "
        f"SELECT spot, kind, sum(n) FROM (SELECT unnest(range({len(attributes)})) AS spot, unnest(kinds)[1] AS kind, n "
        "FROM shapes) WHERE kind IS NOT NULL GROUP BY spot, kind ORDER BY spot, kind"
    ).fetchall()
    for at, kind, count in rows:
        attributes[at].types[kind] = int(count)


# ----------------------------------------------------------------------------------------------------------- numbers


def _place(attribute: Attribute) -> str:
    return literal(pointer(attribute.name, "N"))


def _text(attribute: Attribute) -> str:
    return f"json_extract_string(item, {_place(attribute)})"


def _digits(text: str) -> str:
    """How many digits a number has before the point and after it; NULL where there is none."""
    point = f"instr({text}, '.')"
    whole = f"CASE {point} WHEN 0 THEN strlen({text}) ELSE {point} - 1 END - CAST(starts_with({text}, '-') AS BIGINT)"
    fraction = f"CASE {point} WHEN 0 THEN 0 ELSE strlen({text}) - {point} END"
    # A plain number that starts with a zero has no other digit before the point.
    before = f"CASE WHEN starts_with(ltrim({text}, '-'), '0') THEN 0 ELSE {whole} END"
    is_plain = f"strlen({text}) <= {_LONGEST_PLAIN} AND regexp_full_match({text}, '{_PLAIN}')"
    return f"CASE WHEN {is_plain} THEN {_DIGITS} * ({before}) + {fraction} WHEN {text} IS NOT NULL THEN {_ODD} END"


def _measure(cursor: duckdb.DuckDBPyConnection, rows: str, numbers: Sequence[tuple[Attribute, str, str]]) -> None:
    """How many digits the numbers have at most; each attribute with expressions for its text and its digits."""
    if not numbers:
        return
    measured = [
        f"coalesce(max(d{i} // {_DIGITS}), 0), coalesce(max(d{i} % {_DIGITS}), 0), count(*) FILTER (d{i} = {_ODD})"
        for i in range(len(numbers))
    ]
    digits = ", ".join(f"{expression} AS d{i}" for i, (_, _, expression) in enumerate(numbers))
    (found,) = cursor.execute(f"SELECT {', '.join(measured)} FROM (SELECT {digits} FROM {rows})").fetchall()
    odd = []
    for i, (attribute, text, expression) in enumerate(numbers):
        whole, fraction, are_odd = found[3 * i : 3 * i + 3]
        attribute.whole_digits, attribute.fraction_digits = max(0, whole), max(0, fraction)
        if are_odd:
            odd.append((attribute, f"CASE WHEN {expression} = {_ODD} THEN {text} END"))
    if odd:
        _measure_odd(cursor, rows, odd)


def _measure_odd(cursor: duckdb.DuckDBPyConnection, rows: str, numbers: Sequence[tuple[Attribute, str]]) -> None:
    """Those in any other spelling: written out, without the zeros that say nothing. Each attribute with their text."""
    found = cursor.execute(
        f"""
        WITH texts AS (
            SELECT unnest(range({len(numbers)})) AS spot, unnest([{", ".join(text for _, text in numbers)}]) AS t
            FROM {rows}),
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
    for at, good, powered, whole, fraction in found:
        attribute = numbers[at][0]
        attribute.all_numbers, attribute.has_powers = good, powered
        attribute.whole_digits = max(attribute.whole_digits, whole)
        attribute.fraction_digits = max(attribute.fraction_digits, fraction)
