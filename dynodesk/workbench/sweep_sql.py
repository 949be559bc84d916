"""Tally rules as SQL over a loaded set: patterns, conditions and measures.

Whatever a rule or an item says is a literal or a value here, never SQL. What the engine cannot decide exactly as
`domain` would is left open, and taken up item by item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import floor
from typing import cast

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.measures import Measure
from dynodesk.domain.patterns import KeyPattern, Pattern
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.workbench.census import pointer
from dynodesk.workbench.sets import KeyColumn, LoadedSet, literal, quoted

EXACTLY = "DECIMAL(38,10)"
"""What the engine sums and compares in: a number that does not fit is not cast, but left to Python."""
SHORT = r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,10})?"
_PLAIN = r"0|-?[1-9][0-9]*(\.[0-9]*[1-9])?|-?0\.[0-9]*[1-9]"
_LONGEST_PLAIN = 100
"""Characters. A number of this form and no longer is in its canonical spelling, and one that can be computed with."""

SPELLINGS = "spellings"
"""The table of numbers in other spellings: text, canonical, and whether it can be computed with."""


def path_pointer(path: AttributePath) -> str:
    return pointer(path.names[0], *(step for name in path.names[1:] for step in ("M", name)))


def value_at(place: str) -> str:
    """The value there as DynamoDB JSON in one spelling; NULL where there is none."""
    return f"CAST(json_extract(item, {literal(place)}) AS VARCHAR)"


def is_plain(number: str) -> str:
    return f"(regexp_full_match({number}, {literal(_PLAIN)}) AND length({number}) <= {_LONGEST_PLAIN})"


def short_number(value: str) -> str:
    """The number that a value in DynamoDB JSON is; NULL where it is none, or none that is certain to fit."""
    form = literal(r'\{"N":"' + f"({SHORT})" + r'"\}')
    return f"CASE WHEN regexp_full_match({value}, {form}) THEN TRY_CAST({value}[7:-3] AS {EXACTLY}) END"


class Looks:
    """Places in the item that are looked at: all of them in one parsing of it, by a query beneath."""

    def __init__(self) -> None:
        self._places: list[str] = []

    def at(self, place: str) -> str:
        """The text of a String or Number with its tag, or DynamoDB JSON in one spelling; NULL where there is none."""
        if place not in self._places:
            self._places.append(place)
        return f"looked[{self._places.index(place) + 1}]"

    def beneath(self, query: str) -> str:
        if not self._places:
            return query
        places = ", ".join(map(literal, self._places))
        return f"SELECT *, json_extract_string(item, [{places}]) AS looked FROM ({query})"


class KeyTexts:
    """What a pattern sees of the key attributes that it is about, the table's own or an index's."""

    def __init__(
        self, loaded: LoadedSet, pattern: KeyPattern, schema: KeySchema, needed: Sequence[KeyAttribute] = ()
    ) -> None:
        """`needed`: attributes without which an item is on no side, whatever the pattern says."""
        stored: Mapping[str, KeyColumn] = {key.attribute: key for key in loaded.keys}
        looks = Looks()
        self.names = [name for name in schema.names if name in pattern.attributes]
        self._texts: list[tuple[str | None, str | None]] = []
        """Of each attribute where it is a String, and where it is a Number; None where it is none for certain."""
        for name in self.names:
            if name in stored:
                column = quoted(stored[name].column)
                kind = stored[name].type
                self._texts.append((column if kind == "S" else None, column if kind == "N" else None))
            else:
                self._texts.append((looks.at(pointer(name, "S")), looks.at(pointer(name, "N"))))
        self._needed = [looks.at(pointer(one.name, one.type)) for one in needed if one.name not in stored]
        self._items = looks.beneath(f"SELECT rowid AS r, * FROM {loaded.table}")
        numbers_alone = Looks()
        numbers = [
            number if name in stored else numbers_alone.at(pointer(name, "N"))
            for name, (_, number) in zip(self.names, self._texts, strict=True)
            if number is not None
        ]
        items = numbers_alone.beneath(f"SELECT * FROM {loaded.table}")
        self.numbers = f"SELECT unnest([{', '.join(numbers)}]) AS n FROM ({items})" if numbers else None
        """A query for all texts of Numbers, as `n`; None where no attribute is one."""

    def query(self, *, misspelled: bool) -> str:
        """Rows of `r`, `item` and the texts `t0`, `t1`, … of the attributes in order."""
        columns = ["r", "item"]
        joins: list[str] = []
        for i, (string, number) in enumerate(self._texts):
            texts = [string, number]
            if number is not None and misspelled:
                joins.append(f"LEFT JOIN {SPELLINGS} AS s{i} ON s{i}.text = {number}")
                texts[1] = f"CASE WHEN s{i}.text IS NULL THEN {number} WHEN s{i}.is_valid THEN s{i}.canonical END"
            columns.append(f"coalesce({', '.join(text or 'CAST(NULL AS VARCHAR)' for text in texts)}) AS t{i}")
        needed = " AND ".join(f"{place} IS NOT NULL" for place in self._needed)
        where = f"WHERE {needed}" if needed else ""
        return f"SELECT {', '.join(columns)} FROM ({self._items}) {' '.join(joins)} {where}"


def matching(texts: KeyTexts, pattern: KeyPattern, *, misspelled: bool) -> tuple[str, Mapping[str, str]]:
    """The items on one side of a rule: rows of `r`, `item` and the captures; and each capture's column."""
    query = texts.query(misspelled=misspelled)
    columns: dict[str, str] = {}
    for i, name in enumerate(texts.names):
        query = _matched(query, f"t{i}", pattern.attributes[name], columns)
    return query, columns


def _matched(query: str, text: str, pattern: Pattern, columns: dict[str, str]) -> str:
    """The rows whose `text` matches, with a column for each capture that is new. Takes the text apart from the left."""
    rest = text
    parts = list(pattern.parts)
    while parts:
        part = parts.pop(0)
        if isinstance(part, str) or part.name in columns:
            expected = literal(part) if isinstance(part, str) else columns[part.name]
            if not parts:
                return f"SELECT * EXCLUDE ({text}) FROM ({query}) WHERE {rest} = {expected}"
            length = len(part) if isinstance(part, str) else f"length({expected})"
            query = (
                f"SELECT * REPLACE (substring({rest}, {length} + 1) AS {text}) FROM ({query}) "
                f"WHERE starts_with({rest}, {expected})"
            )
            continue
        column = f"c{len(columns)}"
        columns[part.name] = column
        if not parts:
            return f"SELECT * EXCLUDE ({text}), {rest} AS {column} FROM ({query}) WHERE {rest} <> ''"
        following = cast("str", parts.pop(0))  # a pattern has text between two captures
        query = f"SELECT *, strpos(substring({rest}, 2), {literal(following)}) AS found FROM ({query})"
        query = (
            f"SELECT * EXCLUDE (found) REPLACE (substring({rest}, found + {1 + len(following)}) AS {text}), "
            f"substring({rest}, 1, found) AS {column} FROM ({query}) WHERE found > 0"
        )
    return f"SELECT * EXCLUDE ({text}) FROM ({query}) WHERE {rest} = ''"


def within(column: str, choices: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(map(literal, choices))})"


# ---------------------------------------------------------------------------------------------------------- measures


class Measuring:
    """A measure as aggregates over rows of `v`, the measured value in DynamoDB JSON, and `d`, what is told apart."""

    def __init__(self, measure: Measure, *, misspelled: bool) -> None:
        self.measure = measure
        self._misspelled = misspelled

    def columns(self, captures: Mapping[str, str]) -> list[str]:
        """What the aggregates need of a child."""
        if self.measure.capture:
            return [f"{captures[self.measure.capture]} AS d"]
        if self.measure.of is None:
            return []
        value = f"{value_at(path_pointer(self.measure.of))} AS v"
        if self.measure.kind != "distinct":
            return [value]
        if not self._misspelled:
            return [value, "v AS d"]
        spelled = f"(SELECT canonical FROM {SPELLINGS} WHERE text = {self.number})"
        return [value, f"coalesce({spelled}, {self.number}, v) AS d"]

    @property
    def aggregates(self) -> list[str]:
        """The amount; whether it has to be measured item by item; a value that cannot be measured, '' for a missing."""
        match self.measure.kind:
            case "count":
                return ["count(*) AS amount", "false AS is_open", "CAST(NULL AS VARCHAR) AS odd"]
            case "distinct" if self.measure.capture:
                return ["count(DISTINCT d) AS amount", "false AS is_open", "CAST(NULL AS VARCHAR) AS odd"]
            case "distinct":
                good = _has_tag("S", "N", "B")
                return [f"count(DISTINCT d) FILTER ({good}) AS amount", "false AS is_open", _odd(good)]
            case "sum":
                good = _has_tag("N")
                number = short_number("v")
                return [
                    f"CAST(coalesce(sum({number}), 0) AS {EXACTLY}) AS amount",
                    f"coalesce(bool_or({good} AND {number} IS NULL), false) AS is_open",
                    _odd(good),
                ]
            case "size":
                good = f"(v IS NULL OR {_has_tag('SS', 'NS', 'BS', 'L', 'M')})"
                lists = ", ".join(f"json_array_length(v, '/{tag}')" for tag in ("SS", "NS", "BS", "L"))
                length = f"coalesce(CASE WHEN {good} THEN coalesce({lists}, len(json_keys(v, '/M'))) END, 0)"
                return [f"CAST(sum({length}) AS BIGINT) AS amount", "false AS is_open", _odd(good)]

    @property
    def number(self) -> str | None:
        """The text of a Number that is told apart by its value."""
        if self.measure.kind != "distinct" or self.measure.of is None:
            return None
        return f"json_extract_string(item, {literal(path_pointer(self.measure.of) + '/N')})"


def _has_tag(*tags: str) -> str:
    forms = (literal('{"' + tag + '":') for tag in tags)
    return f"coalesce({' OR '.join(f'starts_with(v, {form})' for form in forms)}, false)"


def _odd(good: str) -> str:
    return f"any_value(coalesce(v, '')) FILTER (NOT {good}) AS odd"


def tolerated(tolerance: Decimal) -> str:
    """Of two numbers that fit, whether they differ by so much is certain where it says so."""
    whole = min(floor(tolerance), 10**17)
    return f"CAST({whole} AS {EXACTLY})"


# ----------------------------------------------------------------------------------------------------- what is digested


def part_of_item(attributes: Sequence[str]) -> str:
    """These attributes of an item as one text: the same whatever their order in the reply, and that of their sets."""
    places = ", ".join(literal(pointer(name)) for name in attributes)
    return _text_of(f"list_transform(json_extract(item, [{places}]), lambda v: {_in_one_order('v')})")


def whole_item() -> str:
    """All of an item as one text in the same sense."""
    entries = "map_entries(from_json(item, '\"MAP(VARCHAR, JSON)\"'))"
    return _text_of(f"list_sort(list_transform({entries}, lambda e: [e.key, {_in_one_order('e.value')}]))")


def _in_one_order(value: str) -> str:
    tags = ", ".join(literal('{"' + tag + '":') for tag in ("SS", "NS", "BS"))
    members = _text_of(f"list_sort(json_extract({value}, '$.*[*]'))")
    return f"CASE WHEN {value}[:6] IN ({tags}) THEN {value}[:6] || {members} ELSE CAST({value} AS VARCHAR) END"


def _text_of(values: str) -> str:
    return f"CAST(to_json({values}) AS VARCHAR)"
