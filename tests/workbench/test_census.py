"""What the census says of a set, beside a plain count over its items in Python."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Context, Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynodesk.domain.capacity import Meter
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.workbench import sets
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.sets import LoadedSet
from tests.domain import strategies
from tests.workbench.pages import MemoryPages, Tagged, columns, load_items, rows

COMPACT, SPACED = (",", ":"), (", ", ": ")

_EXACT = Context(prec=400)
_NAMES = st.sampled_from(("v", "V", "w", "a.b", "a/b~c", "é", 'q"', "back\\", "\n", "", "0", "$", "x" * 300))
_NUMBERS = st.one_of(
    st.sampled_from(
        ("0", "-0", "007", "1.50", "1E5", "1e-5", ".5", "5.", "NaN", "1_0", "9" * 38, "0." + "0" * 37 + "1")
    ),
    st.integers(-(10**38) + 1, 10**38 - 1).map(str),
    st.decimals(-1000, 1000, places=3).map(str),
)
_TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8), st.sampled_from(('","a":{"S":"', "\0"))
)
_VALUES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda text: {"S": text}, _TEXTS),
    st.builds(lambda number: {"N": number}, _NUMBERS),
    st.builds(lambda flag: {"BOOL": flag}, st.booleans()),
    st.just({"NULL": True}),
    st.just({"B": "AAE="}),
    st.builds(lambda texts: {"SS": texts}, st.lists(_TEXTS, min_size=1, max_size=3, unique=True)),
    st.builds(lambda item: {"M": item_to_dynamodb(item)}, strategies.items),
    st.builds(lambda text: {"L": [{"S": text}, {"N": "1.0"}]}, _TEXTS),
)
_ITEMS = st.lists(st.dictionaries(_NAMES, _VALUES, max_size=5), min_size=1, max_size=12)


def keyed(items: list[Tagged]) -> list[Tagged]:
    return [{"pk": {"S": f"{i:03}"}, **item} for i, item in enumerate(items)]


def load(bench: Bench, items: list[Tagged], separators: tuple[str, str] = COMPACT, page_items: int = 100) -> LoadedSet:
    reader = MemoryPages(items, meter := Meter(), page_items)
    reader.separators = separators
    return load_items(bench, items, reader=reader, meter=meter)


def types_found(bench: Bench, loaded: LoadedSet) -> dict[str, dict[str, int]]:
    return {column.attribute: column.types for column in columns(bench, loaded).values() if column.types}


def foreseen(bench: Bench, loaded: LoadedSet) -> int:
    """Items that had nothing but what was foreseen."""
    with bench.cursor(Ticket()) as cursor:
        if not sets.foreseen_of(cursor, loaded):
            return 0
        ((count,),) = cursor.execute(f"SELECT count(mark_0) FROM {loaded.table}").fetchall()
        return int(count)


def plain_types(items: list[Tagged]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for item in items:
        for name, value in item.items():
            found.setdefault(name, Counter()).update(list(value))
    return {name: dict(kinds) for name, kinds in found.items()}


def plain_decimal(numbers: list[str]) -> str | None:
    """The narrowest DECIMAL that holds all; None: there is none."""
    whole = fraction = 0
    for number in numbers:
        if not number.isascii() or "_" in number:
            return None
        value = Decimal(number)
        if not value.is_finite():
            return None
        value = value.normalize(_EXACT)
        _, digits, exponent = value.as_tuple()
        assert isinstance(exponent, int)
        if value:
            whole = max(whole, len(digits) + exponent)
            fraction = max(fraction, -exponent)
    return f"DECIMAL({max(whole + fraction, 1)},{fraction})" if whole + fraction <= 38 else None


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(_ITEMS, st.sampled_from((COMPACT, SPACED)), st.integers(1, 12))
def test_every_item_is_counted(items: list[Tagged], separators: tuple[str, str], page_items: int) -> None:
    items = keyed(items)
    with Bench.open() as bench:
        loaded = load(bench, items, separators, page_items)
        assert types_found(bench, loaded) == plain_types(items)
        found = columns(bench, loaded)
        texts: dict[str, list[str]] = {}
        for item in items:
            for name, value in item.items():
                texts.setdefault(name, []).extend(value.get("N", "") for _ in range("N" in value))
        for name, numbers in texts.items():
            decimals = {c.type for c in found.values() if c.attribute == name and c.type.startswith("DECIMAL")}
            expected = plain_decimal(numbers) if numbers else None
            assert decimals == ({expected} if expected else set()), (name, numbers)


def test_items_like_the_first_are_not_looked_into_again() -> None:
    items = keyed([{"n": {"N": str(i)}, "a.b": {"S": "é"}, "l": {"L": [{"BOOL": True}]}} for i in range(300)])
    with Bench.open() as bench:
        loaded = load(bench, items)
        assert foreseen(bench, loaded) == 300
        assert types_found(bench, loaded)["n"] == {"N": 300}


@pytest.mark.parametrize(
    "odd",
    [
        {"other": {"S": ""}},
        {"n": {"S": "1"}},
        {"n": {"N": "1"}, "": {"NULL": True}},
        {"n": {"N": "1"}, "s": {"S": "a\nb"}},
        {"s": {"S": '","n":{"N":"2"},"t":{"S":"'}},
        {"S": {"S": "1"}, "N": {"N": "1"}},
    ],
)
def test_what_only_a_late_item_has_is_counted(odd: Tagged) -> None:
    items = keyed([*[{"n": {"N": "1"}, "s": {"S": "text"}} for _ in range(150)], odd])
    with Bench.open() as bench:
        loaded = load(bench, items)
        assert 150 <= foreseen(bench, loaded) <= 151
        expected = plain_types(items)
        found = types_found(bench, loaded)
        assert {name: found[name] for name in expected} == expected


def test_items_with_spaces_are_looked_into_afterwards() -> None:
    items = keyed([{"n": {"N": str(i)}} for i in range(50)])
    with Bench.open() as bench:
        loaded = load(bench, items, SPACED)
        assert foreseen(bench, loaded) == 0
        assert types_found(bench, loaded) == {"pk": {"S": 50}, "n": {"N": 50}}


def test_more_kinds_of_values_than_one_column_of_marks_has() -> None:
    item: Tagged = {f"a{i}": {"N": str(i)} for i in range(80)}
    items = keyed([item] * 20)
    with Bench.open() as bench:
        loaded = load(bench, items)
        assert foreseen(bench, loaded) == 20
        assert types_found(bench, loaded) == plain_types(items)
        assert rows(bench, "SELECT sum(a79), any_value(a40), count(*) FROM Things") == [("1580", "40", "20")]


def test_a_load_taken_up_again_goes_on_counting() -> None:
    items = keyed([{"n": {"N": str(i)}} for i in range(30)])
    items[25]["n"] = {"S": json.dumps("late")}
    reader = MemoryPages(items, meter := Meter(), 10)
    with Bench.open() as bench:
        ticket = Ticket()
        reader.before_page = lambda _segment, page: ticket.cancel() if page == 1 else None
        partial = load_items(bench, items, reader=reader, meter=meter, ticket=ticket)
        assert not partial.provenance.complete
        reader.before_page = lambda _segment, _page: None
        loaded = load_items(bench, items, reader=reader, meter=meter, resume=True)
        assert types_found(bench, loaded) == plain_types(items)
