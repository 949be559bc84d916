"""Loaded rows in the order of the table, by values of any type and in any number."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.domain.cells import sort_key
from dynodesk.domain.collections import Entry, View, prepare
from dynodesk.domain.row_choice import read_filter
from dynodesk.domain.row_order import SORTED_AT_ONCE, ordered_by
from dynodesk.domain.values import Binary, Boolean, List, Map, Null, Number, String, StringSet, Value, type_tag
from tests.domain.test_cells import VALUES
from tests.helpers.small_tables import NAMES

VIEW = View(NAMES)


def entries_of(*values: Value | None) -> list[Entry]:
    items = [
        {"id": String(str(number)), **({} if value is None else {"v": value})} for number, value in enumerate(values)
    ]
    return list(prepare(items, VIEW).entries)


def values_of(entries: list[Entry]) -> list[Value | None]:
    return [entry.item.get("v") for entry in entries]


def number_of(entry: Entry) -> int:
    assert isinstance(entry.item["id"], String)
    return int(entry.item["id"].text)


def test_each_type_stands_by_itself_and_in_its_own_order() -> None:
    wanted: list[Value | None] = [
        Number("-5"), Number("0.5"), Number("9"), Number("10"), Number("9007199254740992"), Number("9007199254740993"),
        String("Z"), String("a"), String("z"), String("é"), String("｡"), String("𐀂"),
        Binary(b""), Binary(b"\x01"), Binary(b"\x7f\xff"), Binary(b"\x80"), Binary(b"\xff"),
        Boolean(value=False), Boolean(value=True), Null(),
        List((Number("1"),)), Map({}), StringSet(("a",)), None,
    ]  # fmt: skip
    shuffled = list(wanted)
    random.Random(3).shuffle(shuffled)
    found = values_of(ordered_by(entries_of(*shuffled), "v"))
    assert found[:20] == wanted[:20]
    assert {type_tag(value) for value in found[20:23] if value is not None} == {"L", "M", "SS"}
    assert found[-1] is None
    turned = values_of(ordered_by(entries_of(*shuffled), "v", descending=True))
    assert turned[-1] is None, "those without it are last in either direction"
    assert turned[3:-1] == wanted[19::-1]


@given(st.lists(st.one_of(st.none(), VALUES), max_size=8), st.booleans())
def test_the_order_is_total_and_stable(values: list[Value | None], descending: bool) -> None:
    entries = entries_of(*values)
    having = [entry for entry in entries if "v" in entry.item]
    plain = sorted(having, key=lambda entry: sort_key(entry.item["v"]), reverse=descending)
    lacking = [entry for entry in entries if "v" not in entry.item]
    assert ordered_by(entries, "v", descending=descending) == plain + lacking


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("different", [7, 100_000])
def test_many_rows_come_out_as_one_sort_would_put_them(different: int, descending: bool) -> None:
    chance = random.Random(different)
    count = 2 * SORTED_AT_ONCE
    numbers: list[Value | None] = [Number(str(chance.randrange(different))) for _ in range(count)]
    entries = entries_of(*numbers, *(String(str(chance.randrange(different))) for _ in range(count)))
    found = ordered_by(entries, "v", descending=descending)
    assert found == sorted(entries, key=lambda entry: sort_key(entry.item["v"]), reverse=descending)


def test_rows_that_a_sample_says_nothing_about_are_sorted_all_the_same() -> None:
    """Every row that the sample looks at holds the same value."""
    count = 4 * SORTED_AT_ONCE
    step = count // (count // 1024 * 8)
    values: list[Value | None] = [Number("0" if at % step == 0 else str(count - at)) for at in range(count)]
    found = values_of(ordered_by(entries_of(*values), "v"))
    assert found == sorted(values, key=lambda value: sort_key(value or Null()))


@pytest.mark.parametrize(
    ("text", "kind", "passing"),
    [
        ("", "", [0, 1, 2, 3, 4, 5]),
        ("  ", "", [0, 1, 2, 3, 4, 5]),
        ("VE", "text", [3, 5]),
        ("9007199254740993", "text", [1]),
        ("v = 9007199254740993", "condition", [1]),
        ("v <> 'five'", "condition", [0, 1, 2, 4, 5]),
        ("attribute_not_exists(v)", "condition", [4]),
        ("attribute_type(v, 'NULL')", "condition", [2]),
        ("NULL", "text", [2, 5]),
        ("v > ", "text", []),
    ],
)
def test_a_filter_is_a_condition_where_it_reads_as_one_and_a_text_otherwise(
    text: str, kind: str, passing: list[int]
) -> None:
    entries = entries_of(
        Number("9007199254740992"), Number("9007199254740993"), Null(), String("five"), None, Map({"Velo": Null()})
    )
    found = read_filter(text)
    assert ("" if found is None else found.kind) == kind
    passes = (lambda _: True) if found is None else found.passes
    assert [number_of(entry) for entry in entries if passes(entry)] == passing
