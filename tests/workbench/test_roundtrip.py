"""Items of every type and oddity come back as they were."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dynodesk.sandbox.samples_types import readings, type_zoo
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.sets import LoadedSet
from tests.workbench.pages import Tagged, columns, load_items, rows
from tests.workbench.random_items import RandomItems
from tests.workbench.roundtrip import differences, load_random

ITEMS = 1_000
FEW = 50


@pytest.fixture(scope="module")
def made() -> RandomItems:
    return RandomItems(400)


@pytest.fixture(scope="module")
def loaded_bench(made: RandomItems) -> Iterator[tuple[Bench, LoadedSet]]:
    with Bench.open() as bench:
        yield bench, load_random(bench, made, FEW)


def test_random_items_come_back_as_they_were(made: RandomItems) -> None:
    with Bench.open() as bench:
        loaded = load_random(bench, made, ITEMS)
        assert differences(bench, loaded, made.item, ITEMS) == []
        assert loaded.provenance.items == ITEMS


def test_no_two_of_them_are_alike(made: RandomItems) -> None:
    values = [{name: value for name, value in made.item(i).items() if name != "pk"} for i in range(ITEMS)]
    assert len({repr(one) for one in values}) == ITEMS
    assert all(made.item(i) == {**values[i], "pk": made.item(i)["pk"]} for i in range(0, ITEMS, 100))


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ({"title": {"S": "another"}}, "'title'"),
        ({"long": {"N": "12345678901234567890123456789012345677"}}, "'long'"),
        ({"map": {"M": {"a": {"L": [{"N": "1"}]}}}}, "'map'"),
        ({"blob": {"B": "AAE="}}, "'blob'"),
        ({"never there": {"BOOL": True}}, "'never there' has no column"),
    ],
)
def test_a_difference_would_be_seen(
    made: RandomItems, loaded_bench: tuple[Bench, LoadedSet], change: Tagged, seen: str
) -> None:
    def item(i: int) -> Tagged:
        return {**made.item(i), **change} if i == 33 else made.item(i)

    found = differences(*loaded_bench, item, FEW)
    assert any(seen in line for line in found)
    assert any("'item'" in line for line in found)


def test_an_item_too_many_would_be_seen(made: RandomItems, loaded_bench: tuple[Bench, LoadedSet]) -> None:
    assert differences(*loaded_bench, made.item, FEW - 1) == ["from item 0 on 50 items came back of 49"]


def test_the_sample_of_all_types_comes_back_as_it_was() -> None:
    items = [{**item, "pk": {"S": f"{i:09}"}} for i, item in enumerate(type_zoo().items)]
    with Bench.open() as bench:
        loaded = load_items(bench, items)
        assert differences(bench, loaded, items.__getitem__, len(items)) == []
        attributes = {name for item in items for name in item}
        assert {column.attribute for column in columns(bench, loaded).values()} - {""} == attributes


def test_numbers_at_both_ends_of_the_range() -> None:
    items = [{**item, "pk": {"S": f"{i:09}"}} for i, item in enumerate(readings().items)]
    with Bench.open() as bench:
        loaded = load_items(bench, items)
        assert differences(bench, loaded, items.__getitem__, len(items)) == []
        assert rows(bench, 'SELECT "at" FROM Things ORDER BY pk') == [(item["at"]["N"],) for item in items]
