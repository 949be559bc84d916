"""Items of every type and oddity come back as they were."""

from __future__ import annotations

from dynodesk.sandbox.samples_types import readings, type_zoo
from dynodesk.workbench.bench import Bench
from tests.workbench.pages import columns, load_items, rows
from tests.workbench.roundtrip import differences, random_items, random_pool


def test_random_items_come_back_as_they_were() -> None:
    items = list(random_items(3_000, random_pool(150)))
    with Bench.open() as bench:
        loaded = load_items(bench, items, page_items=500)
        assert differences(bench, loaded, iter(items)) == []
        assert loaded.provenance.items == len(items)


def test_a_difference_would_be_seen() -> None:
    items = list(random_items(50, random_pool(20)))
    with Bench.open() as bench:
        loaded = load_items(bench, items)
        changed = {**items[20], "added": {"S": "x"}}
        assert len(differences(bench, loaded, iter([*items[:20], changed, *items[21:]]))) == 1
        assert len(differences(bench, loaded, iter(items[:-1]))) == 1
        assert len(differences(bench, loaded, iter([*items, changed]))) == 1


def test_the_sample_of_all_types_comes_back_as_it_was() -> None:
    items = [{**item, "pk": {"S": f"{i:04}"}} for i, item in enumerate(type_zoo().items)]
    with Bench.open() as bench:
        loaded = load_items(bench, items)
        assert differences(bench, loaded, iter(items)) == []
        attributes = {name for item in items for name in item}
        assert {column.attribute for column in columns(bench, loaded).values()} - {""} == attributes


def test_numbers_at_both_ends_of_the_range() -> None:
    items = [{**item, "pk": {"S": f"{i:04}"}} for i, item in enumerate(readings().items)]
    with Bench.open() as bench:
        loaded = load_items(bench, items)
        assert differences(bench, loaded, iter(items)) == []
        assert rows(bench, 'SELECT "at" FROM Things ORDER BY pk') == [(item["at"]["N"],) for item in items]
