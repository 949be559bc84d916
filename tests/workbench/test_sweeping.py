"""Sweeps in SQL say what the plain way says, whatever is in the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.capacity import Meter
from dynodesk.domain.children import TTL_MEMORY, Children
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.measures import Measure
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
EXAMPLES = settings().max_examples // 5


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
LOCAL = IndexInfo("Local", "LSI", KeySchema((PK,), (KeyAttribute("y/~", "N"),)), Projection("KEYS_ONLY"))


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
    rule(TEXTS, {"PK": "P#{p}", "SK": "M"}, {"PK": "P#{p}"}, index=LOCAL),
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

PIECES = ("", "1", "2", "a", "#", "##", "#c", "P#", "L#", "M", "é", "💙", "\0", "'", "1.0", "12", "\\", '"')
SPELLED = (
    "0",
    "-0",
    "1.0",
    "1E0",
    "+1",
    "1.2",
    "-2",
    "1E125",
    "NaN",
    "1_0",
    "１",
    "0.10",
    "9" * 38,
    "1e-3",
    "12.50",
    "1.00000000001",
)
OTHERS: tuple[Value, ...] = (
    *(Null(), Boolean(value=True), Boolean(value=False), String("1"), String(""), String("é\0"), String("x")),
    *(Binary(b"1"), Binary(b""), StringSet(("a", "b")), NumberSet((Number("1"),)), List(()), List((Null(), Null()))),
    *(Map({}), Map({"inner": Number("3")}), Map({"a": Null(), "inner": Number("1.50")})),
)
TIMES: tuple[Value, ...] = (
    *(Number(text) for text in ("1800000000", "1800000001", "1800000000.4", "1799999999", "1642000000", "1E3", "NaN")),
    *(String("1800000000"), Number("1642217000"), Number("1642216000.7"), Number("-5")),
    *(Number(str(int(NOW - TTL_MEMORY) + more)) for more in (0, 1)),
)


class RandomTables:
    """Rules and items that hold on to each other: few captures and few numbers, so that parents have children."""

    def __init__(self, seed: int) -> None:
        self._random = random = Random(seed)
        self._captures = ["".join(random.choices(PIECES, k=random.randint(1, 2))) or "b" for _ in range(4)] + ["1", "a"]
        self._numbers = [*random.choices(SPELLED, k=3), *(str(random.randint(0, 2)) for _ in range(3))]
        # Some tables hold nothing odd: then the engine decides alone.
        self._oddness = random.choice((0, 0.05, 0.3))
        self.rules = [self._rule() for _ in range(8)]
        self.reader = MemoryReader(*TABLES)
        for table in TABLES:
            self.reader.put(table.name, *(self._item(table) for _ in range(random.choice((0, 10, 60, 60)))))

    def _rule(self) -> TallyRule:
        random = self._random
        chosen = random.choice(RULES)
        measures = ["count", "count", "sum(amount)", "distinct(amount)", "sum(nested.inner)"]
        measure = Measure.parse(random.choice(measures))
        if "u" in chosen.children.pattern.captures and random.random() < 0.2:
            measure = Measure("distinct", capture="u")
        if random.random() < 0.1:
            chosen = SIZE
            measure = Measure.parse(random.choice(["size(gone)", "size(gone)", "size(nested.inner)"]))
        where = random.choice(CONDITIONS) if random.random() < 0.5 else None
        return replace(
            chosen,
            attribute=AttributePath(random.choice([("n",), ("n",), ("nested", "inner"), ("a~/b",)])),
            measure=measure,
            tolerance=random.choice([Decimal(0), Decimal(0), Decimal(1), Decimal("0.5")]),
            missing=random.choice(["report", "zero"]),
            children=replace(
                chosen.children,
                where=None if where is None else parse_where(where),
                ttl="ttl",
                ignores_expired=random.random() < 0.3,
            ),
        )

    def _texts(self, table: TableInfo) -> dict[str, str]:
        """Keys by attribute: mostly those of one side of a rule, with the same captures in all of them."""
        random = self._random
        sides = [one.parent.attributes for one in self.rules if one.table == table.name]
        sides += [one.children.pattern.attributes for one in self.rules if one.children.table == table.name]
        texts: dict[str, str] = {}
        for side in (*random.sample(sides, len(sides)), *(one.parent.attributes for one in RULES)):
            captures = {name: random.choice(self._captures) for pattern in side.values() for name in pattern.captures}
            for attribute, pattern in side.items():
                more = random.choice(PIECES) if random.random() < 0.03 else ""
                texts.setdefault(attribute, pattern.fill(captures) + more)
        return texts

    def _value(self) -> Value:
        if self._random.random() < self._oddness:
            return self._random.choice(OTHERS) if self._random.random() < 0.5 else Number(self._random.choice(SPELLED))
        return Number(str(self._random.randint(0, 3)))

    def _item(self, table: TableInfo) -> Item:
        random = self._random
        item: dict[str, Value] = {}
        texts = {"x'": "x", **self._texts(table)}
        for attribute in table.key_schema.attributes:
            match attribute.type:
                case "S":
                    item[attribute.name] = String(texts[attribute.name])
                case "N":
                    item[attribute.name] = Number(random.choice(self._numbers))
                case "B":
                    item[attribute.name] = Binary(texts[attribute.name].encode())
        if random.random() < 0.7:
            item["x'"] = String(texts["x'"]) if random.random() < 0.9 else self._value()
        if random.random() < 0.7:
            item["y/~"] = Number(random.choice(self._numbers)) if random.random() < 0.9 else self._value()
        for name in ("n", "amount", "a~/b"):
            if random.random() > self._oddness:
                item[name] = self._value()
        if random.random() > self._oddness:
            item["nested"] = Map({"inner": self._value()}) if random.random() < 0.9 else self._value()
        if random.random() < 0.5:
            item["gone"] = random.choice((String("x"), String("é"), *OTHERS))
        if random.random() < 0.5:
            item["ttl"] = random.choice(TIMES)
        return item


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
@given(st.integers(0, 2**32), st.booleans())
def test_sweeps_find_what_the_plain_way_finds(seed: int, everyone: bool) -> None:
    made = RandomTables(seed)
    expected = swept(PlainSweeper(made.reader), made.rules, everyone=everyone)
    found = swept(DuckSweeper(MemoryRawPages(made.reader), "here"), made.rules, everyone=everyone)
    assert {id(one.rule) for one in found} == {id(one.rule) for one in expected}
    for one in found:
        other = next(other for other in expected if other.rule is one.rule)
        assert (one.parents, one.unlike) == (other.parents, other.unlike)
        assert [without_words(parent) for parent in one.off] == [without_words(parent) for parent in other.off]


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_passes_count_what_the_plain_way_counts(seed: int, contents: bool) -> None:
    made = RandomTables(seed)
    for table in {one.children.table for one in made.rules}:
        rules = [one for one in made.rules if one.children.table == table]
        asked = [(one, dict.fromkeys(one.joined, "nobody")) for one in rules]
        for everyone in swept(PlainSweeper(made.reader), rules, everyone=True):
            parents = [parent for parent in everyone.off if is_key(everyone.rule, parent)]
            asked += [(everyone.rule, dict(parent.captures)) for parent in parents]
        expected = passed(PlainSweeper(made.reader), asked, contents=contents)
        found = passed(DuckSweeper(MemoryRawPages(made.reader), "here"), asked, contents=contents)
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
