"""Sweeps in SQL say what the plain way says, whatever is in the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.capacity import Meter
from dynodesk.domain.children import Children
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.measures import COUNT, Measure
from dynodesk.domain.pacing import Limits, Pace
from dynodesk.domain.patterns import KeyPattern, Pattern
from dynodesk.domain.progress import Ticket
from dynodesk.domain.sweeping import SweptParent, SweptRule, TableSweeper
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import (
    Binary,
    Boolean,
    Item,
    KeyValue,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
)
from dynodesk.workbench import loading
from dynodesk.workbench.sweeping import DuckSweeper
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.plain_sweep import PlainSweeper
from tests.workbench.sweeps import MemoryRawPages

NOW = 1_800_000_000.5
EXAMPLES = 20


@pytest.fixture(autouse=True, scope="module")
def _prompt_loads() -> Iterator[None]:
    """Loads end at once, not at the next look whether they have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "_WAIT", 0.002)
        yield


PK, SK = KeyAttribute("PK", "S"), KeyAttribute("SK", "S")
TEXTS = TableInfo("Texts", KeySchema((PK,), (SK,)))
NUMBERS = TableInfo("Numbers", KeySchema((PK,), (KeyAttribute("SK", "N"),)))
BLOBS = TableInfo("Blobs", KeySchema((PK,), (KeyAttribute("SK", "B"),)))
PARENTS = TableInfo("Parents", KeySchema((KeyAttribute("PK", "N"),)))
TABLES = (TEXTS, NUMBERS, BLOBS, PARENTS)
INDEX = IndexInfo(
    "GSI1", "GSI", KeySchema((KeyAttribute("x'", "S"),), (KeyAttribute("y/~", "N"),)), Projection("KEYS_ONLY")
)


def pattern(**attributes: str) -> KeyPattern:
    return KeyPattern({name: Pattern.parse(text) for name, text in attributes.items()})


def rule(
    table: TableInfo,
    parent: Mapping[str, str],
    children: Mapping[str, str],
    *,
    children_table: TableInfo | None = None,
    index: IndexInfo | None = None,
    child_shards: tuple[str, ...] = (),
    is_sharded: bool = False,
    shards: tuple[str, ...] = (),
) -> TallyRule:
    other = children_table or table
    counted = Children(other.name, other.key_schema, pattern(**children), index, shards=child_shards)
    return TallyRule(
        *("a rule", table.name, table.key_schema, pattern(**parent), AttributePath(("n",)), counted),
        is_sharded=is_sharded,
        shards=shards,
    )


RULES = (
    rule(TEXTS, {"PK": "P#{p}", "SK": "M"}, {"PK": "P#{p}", "SK": "L#{u}"}),
    rule(TEXTS, {"PK": "{p}", "SK": "M"}, {"PK": "{p}", "SK": "{p}#c{u}"}),
    rule(TEXTS, {"PK": "u#{p}#c{q}", "SK": "M"}, {"PK": "X", "SK": "{q}##{p}"}),
    rule(TEXTS, {"PK": "P#{p}#", "SK": "{q}"}, {"PK": "{q}#{u}#{q}", "SK": "L#{p}"}),
    rule(TEXTS, {"PK": "P'\0", "SK": "M"}, {"PK": "P#{p}", "SK": "L#{u}"}),
    rule(TEXTS, {"PK": "P#{p}", "SK": "M"}, {"x'": "{p}", "y/~": "{u}"}, index=INDEX),
    rule(TEXTS, {"PK": "P#{p}", "SK": "M"}, {"x'": "{p}#{q}"}, index=INDEX),
    rule(TEXTS, {"PK": "P#{p}", "SK": "L#{shard}"}, {"PK": "{p}", "SK": "M"}, is_sharded=True),
    rule(
        *(TEXTS, {"PK": "P#{p}#{shard}", "SK": "M"}, {"PK": "P#{p}#{shard}", "SK": "L#{u}"}),
        is_sharded=True,
        shards=("1", "a"),
        child_shards=("a", "é"),
    ),
    rule(NUMBERS, {"PK": "P#{p}", "SK": "0"}, {"PK": "P#{p}", "SK": "{u}"}),
    rule(NUMBERS, {"PK": "M", "SK": "{p}"}, {"PK": "L#{p}", "SK": "{u}"}),
    rule(NUMBERS, {"PK": "M", "SK": "{p}.{q}"}, {"PK": "L#{q}", "SK": "{p}"}),
    rule(PARENTS, {"PK": "{p}"}, {"PK": "P#{p}", "SK": "L#{u}"}, children_table=TEXTS),
    rule(PARENTS, {"PK": "{p}"}, {"PK": "P#{u}", "SK": "{p}"}, children_table=NUMBERS),
    rule(TEXTS, {"PK": "P#{p}", "SK": "M"}, {"PK": "P#{p}", "SK": "{u}"}, children_table=BLOBS),
)
SIZE = rule(TEXTS, {"PK": "P#{p}", "SK": "M"}, {"PK": "P#{p}", "SK": "M"})

CONDITIONS = (
    "attribute_not_exists(gone)",
    "attribute_exists(gone) AND gone <> 'x'",
    "NOT (gone = 'x' OR attribute_not_exists(nested.inner))",
    "amount > 1",
    "NOT amount <= 1.5 OR gone = NULL",
    "amount BETWEEN 0 AND 1 OR amount IN (3, 'x', true)",
    "attribute_type(gone, 'S') AND gone >= '1' AND NOT begins_with(gone, 'é')",
    "amount <> 1 AND NOT (nested.inner = 2 OR amount = false)",
    "attribute_exists(amount) AND size(gone) = 1",
    "contains(nested[0], 'x') OR amount < 99999999999999999999",
)

pieces = st.sampled_from(
    ["", "1", "2", "a", "#", "##", "#c", "P#", "L#", "M", "é", "💙", "\0", "'", "1.0", "12", "\\", '"']
)
spelled = st.sampled_from(
    ["0", "-0", "1", "1.0", "1E0", "+1", "12", "1.2", "2", "-2", "1E125", "NaN", "1_0", "１", "0.10", "9" * 38, "1e-3"]
)
captured = st.lists(pieces, min_size=1, max_size=2).map("".join)
numbers = spelled | st.integers(-3, 5).map(str) | st.decimals(-9, 9, places=2).map(str)
tallies = st.integers(0, 3).map(str).map(Number)
values: st.SearchStrategy[Value] = st.one_of(
    numbers.map(Number),
    st.sampled_from(
        [
            *(Null(), Boolean(value=True), String("1"), String(""), String("é\0"), Binary(b"1"), Binary(b"")),
            *(StringSet(("a", "b")), NumberSet((Number("1"),)), List(()), List((Null(), Null())), Map({})),
            *(Map({"inner": Number("3")}), Map({"a": Null(), "inner": Number("1.50")})),
        ]
    ),
)
ATTRIBUTES = ("n", "amount", "nested", "gone", "ttl", "x'", "y/~", "a~/b")


def patterns_of(rules: Sequence[TallyRule], attribute: str) -> list[Pattern]:
    sides = [side for one in rules for side in (one.parent.attributes, one.children.pattern.attributes)]
    return [side[attribute] for side in sides if attribute in side]


@st.composite
def key_texts(draw: st.DrawFn, patterns: Sequence[Pattern]) -> str:
    """Mostly what some pattern is for."""
    chosen = draw(st.sampled_from([*patterns, Pattern.parse("{any}")]))
    return chosen.fill({name: draw(captured) for name in chosen.captures}) or "x"


@st.composite
def items_of(draw: st.DrawFn, table: TableInfo, rules: Sequence[TallyRule]) -> Item:
    key: dict[str, KeyValue] = {}
    for attribute in table.key_schema.attributes:
        texts = key_texts(patterns_of(rules, attribute.name))
        match attribute.type:
            case "S":
                key[attribute.name] = String(draw(texts))
            case "N":
                key[attribute.name] = Number(draw(numbers))
            case "B":
                key[attribute.name] = Binary(draw(texts).encode())
    others: dict[str, Value] = {}
    for name in draw(st.lists(st.sampled_from(ATTRIBUTES), max_size=6, unique=True)):
        match name:
            case "ttl":
                others[name] = draw(st.sampled_from(TIMES))
            case "gone":
                others[name] = draw(st.just(String("x")) | values)
            case "x'":
                others[name] = draw(key_texts(patterns_of(rules, name)).map(String) | values)
            case "nested":
                others[name] = draw(st.builds(lambda inner: Map({"inner": inner}), tallies) | values)
            case _:
                others[name] = draw(tallies | values)
    return {**key, **others}


TIMES: tuple[Value, ...] = (
    *(Number(text) for text in ("1800000000", "1800000001", "1800000000.4", "1799999999", "1642000000", "1E3", "NaN")),
    *(String("1800000000"), Number("1642217000"), Number("1642216000.7"), Number("-5")),
)


@st.composite
def chosen_rules(draw: st.DrawFn) -> TallyRule:
    chosen = draw(st.sampled_from(RULES))
    measures = [Measure.parse(text) for text in ("sum(amount)", "distinct(amount)", "sum(nested.inner)")]
    if "u" in chosen.children.pattern.captures:
        measures.append(Measure("distinct", capture="u"))
    measure = draw(st.sampled_from([COUNT, COUNT, *measures]))
    if draw(st.integers(0, 9)) == 0:
        chosen = SIZE
        measure = Measure.parse(draw(st.sampled_from(["size(amount)", "size(nested.inner)"])))
    where = draw(st.none() | st.sampled_from(CONDITIONS))
    return replace(
        chosen,
        attribute=draw(st.sampled_from([("n",), ("n",), ("nested", "inner"), ("a~/b",)]).map(AttributePath)),
        measure=measure,
        tolerance=draw(st.sampled_from([Decimal(0), Decimal(0), Decimal(1), Decimal("0.5")])),
        missing=draw(st.sampled_from(["report", "zero"])),
        children=replace(
            chosen.children,
            where=None if where is None else parse_where(where),
            ttl="ttl",
            ignores_expired=draw(st.sampled_from([False, False, True])),
        ),
    )


@st.composite
def tables(draw: st.DrawFn, rules: Sequence[TallyRule]) -> MemoryReader:
    reader = MemoryReader(*TABLES)
    for table in TABLES:
        if any(table.name in one.tables for one in rules):
            reader.put(table.name, *draw(st.lists(items_of(table, rules), max_size=15)))
    return reader


def a_pace() -> Pace:
    return Pace(Meter(), Limits(), SystemClock())


def swept(sweeper: TableSweeper, rules: Sequence[TallyRule], *, everyone: bool) -> list[SweptRule]:
    return list(sweeper.sweep(rules, a_pace(), Ticket(), everyone=everyone, now=NOW))


def without_words(parent: SweptParent) -> SweptParent:
    """Of several shards or children that cannot be read, either way may name another."""
    tally = parent.tally
    if tally is not None and tally.number is None:
        tally = replace(tally, stored=None, reason="some")
    return replace(parent, problem="some" if parent.problem else "", tally=tally)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.data(), st.lists(chosen_rules(), min_size=1, max_size=4), st.booleans())
def test_sweeps_find_what_the_plain_way_finds(data: st.DataObject, rules: list[TallyRule], everyone: bool) -> None:
    reader = data.draw(tables(rules))
    expected = swept(PlainSweeper(reader), rules, everyone=everyone)
    found = swept(DuckSweeper(MemoryRawPages(reader), "here"), rules, everyone=everyone)
    assert {id(one.rule) for one in found} == {id(one.rule) for one in expected}
    for one in found:
        other = next(other for other in expected if other.rule is one.rule)
        assert (one.parents, one.unlike) == (other.parents, other.unlike)
        assert [without_words(parent) for parent in one.off] == [without_words(parent) for parent in other.off]


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.data(), chosen_rules(), st.booleans())
def test_passes_count_what_the_plain_way_counts(data: st.DataObject, chosen: TallyRule, contents: bool) -> None:
    reader = data.draw(tables([chosen]))
    (everyone,) = swept(PlainSweeper(reader), [chosen], everyone=True)
    asked = [(chosen, dict.fromkeys(chosen.joined, "nobody"))]
    asked += [(chosen, dict(parent.captures)) for parent in everyone.off if is_key(chosen, parent)]
    expected = passed(PlainSweeper(reader), asked, contents=contents)
    found = passed(DuckSweeper(MemoryRawPages(reader), "here"), asked, contents=contents)
    assert [replace(without_words(one), digest="") for one in found] == [
        replace(without_words(one), digest="") for one in expected
    ]


def is_key(chosen: TallyRule, parent: SweptParent) -> bool:
    try:
        chosen.parent_key(parent.captures)
    except InvalidValue:
        return False
    return True


def passed(
    sweeper: TableSweeper, asked: Sequence[tuple[TallyRule, Mapping[str, str]]], *, contents: bool
) -> tuple[SweptParent, ...]:
    return sweeper.pass_over(asked, a_pace(), Ticket(), contents=contents, now=NOW)
