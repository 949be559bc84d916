"""Readings in portions: never more than asked for, never taken for complete before the cursor says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from dynodesk.domain.collections import View, identity
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.reading import EVERYTHING, Portion, Reading, expected_cost, read_portion, units_text
from dynodesk.domain.reads import Page, QueryPlan, ReadPlan, ScanPlan, SortCondition
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Number, String
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import READINGS, SOCIAL, like, post, reading, social_items

SCAN = ScanPlan("Social")


@pytest.fixture
def reader() -> MemoryReader:
    reader = MemoryReader(SOCIAL, READINGS)
    reader.put("Social", *social_items())
    reader.put("Readings", *(reading("d", str(at)) for at in range(250)))
    return reader


def read(reader: MemoryReader, plan: ReadPlan, portion: Portion, into: Reading | None = None) -> Reading:
    view = View(SOCIAL if plan.table == "Social" else READINGS, plan.index)
    result = into or Reading(plan, view, LoadedRows(view))
    for page in read_portion(reader, plan, view, result.cursor, portion, Ticket()):
        for insertion in result.rows.absorb(page.prepared):
            result.rows.insert(insertion)
        result.take(page.page)
    result.state = "more" if result.cursor else "complete"
    return result


def test_a_portion_is_never_exceeded_and_continues_exactly(reader: MemoryReader) -> None:
    plan = QueryPlan("Readings", {"device": String("d")})
    first = read(reader, plan, Portion(100))
    assert [asked.page_limit for asked, _ in reader.asked] == [100], "one request that says how much"
    assert (first.count, first.has_more, first.extent) == (100, True, "so far")
    read(reader, plan, Portion(100), first)
    whole = read(reader, plan, Portion(100), first)
    assert (whole.count, whole.has_more, whole.extent) == (250, False, "all read")
    assert [entry.item["at"] for entry in whole.rows.entries] == [Number(str(at)) for at in range(250)]


def test_small_pages_add_up_to_the_portion(reader: MemoryReader) -> None:
    result = read(reader, QueryPlan("Readings", {"device": String("d")}), Portion(100, page_items=30))
    assert [asked.page_limit for asked, _ in reader.asked] == [30, 30, 30, 10]
    assert (result.count, result.pages) == (100, 4)


def test_reading_stops_behind_the_page_with_the_item_looked_for(reader: MemoryReader) -> None:
    wanted = identity(reading("d", "45"), READINGS.key_schema.names)
    result = read(reader, QueryPlan("Readings", {"device": String("d")}), Portion(1000, page_items=20, until=wanted))
    assert result.count == 60
    assert result.rows.find(wanted) is not None


def test_a_full_last_page_is_not_taken_for_the_end(reader: MemoryReader) -> None:
    result = read(reader, QueryPlan("Readings", {"device": String("d")}), Portion(250))
    assert (result.count, result.has_more) == (250, True)
    read(reader, result.plan, Portion(100), result)
    assert (result.count, result.pages, result.has_more) == (250, 2, False)
    assert result.facts() == f"2 pages · {units_text(result.units or Decimal(-1))} RCU · 2 ms · end of collection"


def test_units_of_all_pages_are_summed_and_unknown_ones_are_not_guessed(reader: MemoryReader) -> None:
    result = read(reader, SCAN, Portion(100, page_items=2))
    assert result.units == Decimal("0.5") * result.pages
    assert result.pages == 5
    pages = list(read_portion(reader, SCAN, View(SOCIAL), None, Portion(2), Ticket()))
    result.take(replace(pages[0].page, units=None))
    assert "units not reported" in result.facts()


def test_a_range_is_not_called_a_whole_collection(reader: MemoryReader) -> None:
    plan = QueryPlan(
        "Readings", {"device": String("d")}, SortCondition("between", Number("5"), Number("35")), sort_name="at"
    )
    result = read(reader, plan, Portion(1000))
    assert [entry.item["at"] for entry in result.rows.entries] == [Number(str(at)) for at in range(5, 36)]
    assert result.extent == "in this range"
    assert result.ending() == "end of range"


def test_zero_is_a_value(reader: MemoryReader) -> None:
    plan = QueryPlan("Readings", {"device": String("d")}, SortCondition("=", Number("0")), sort_name="at")
    assert read(reader, plan, Portion(1000)).count == 1


def test_index_items_with_equal_keys_are_each_read_once(reader: MemoryReader) -> None:
    reader.put("Social", *(like(f"p{i}", "same", 7) for i in range(50)))
    plan = QueryPlan("Social", {"GSI1PK": String("USER#same")}, index="GSI1")
    result = read(reader, plan, Portion(1000, page_items=10))
    assert result.count == len({entry.identity for entry in result.rows.entries}) == 50


def test_nothing_found_says_what_was_read(reader: MemoryReader) -> None:
    result = read(reader, QueryPlan("Social", {"PK": String("POST#none")}), Portion(1000))
    assert result.facts().startswith("1 page · 0 read · 0.5 RCU")


def test_empty_pages_without_end_end_with_the_portion(reader: MemoryReader) -> None:
    empty = Page((), scanned=0, cursor={"PK": String("x"), "SK": String("y")}, units=None, seconds=0)

    class Endless(MemoryReader):
        def scan(self, plan: ScanPlan, ticket: Ticket, start: Key | None = None) -> Iterator[Page]:
            yield empty

    assert len(list(read_portion(Endless(SOCIAL), SCAN, View(SOCIAL), None, Portion(10), Ticket()))) == 10


def test_a_cancelled_portion_keeps_what_was_delivered(reader: MemoryReader) -> None:
    ticket = Ticket()
    pages = read_portion(reader, SCAN, View(SOCIAL), None, Portion(100, page_items=2), ticket)
    next(pages)
    ticket.cancel()
    with pytest.raises(Cancelled):
        next(pages)


@pytest.mark.parametrize(
    ("plan", "known", "units"),
    [
        (QueryPlan("Social", {"PK": String("a")}), None, "0.5"),
        (QueryPlan("Social", {"PK": String("a")}, consistent=True), None, "1"),
        (QueryPlan("Social", {"PK": String("a")}), 7000, "1"),
        (ScanPlan("Social"), None, "24.5"),
        (ScanPlan("Social", consistent=True), None, "49"),
    ],
)
def test_expected_cost(plan: ReadPlan, known: int | None, units: str) -> None:
    table = replace(SOCIAL, item_count_estimate=10_000, size_bytes_estimate=2_000_000)
    cost = expected_cost(plan, table, 1000, known)
    assert cost is not None
    assert cost.units == Decimal(units)
    assert cost.is_old is isinstance(plan, ScanPlan)


def test_an_index_has_a_count_and_size_of_its_own() -> None:
    index = replace(SOCIAL.indexes[0], item_count_estimate=1_000, size_bytes_estimate=100_000)
    table = replace(SOCIAL, indexes=(index,), item_count_estimate=10_000, size_bytes_estimate=2_000_000)
    cost = expected_cost(ScanPlan("Social", index="GSI1"), table, 1000)
    assert cost is not None
    assert (cost.units, cost.basis) == (Decimal("12.5"), "by an index size that may be 6 hours old")
    view = View(table, "GSI1")
    so_far = Reading(ScanPlan("Social", index="GSI1"), view, LoadedRows(view))
    so_far.take(Page((), scanned=30, cursor={"PK": String("x")}, units=None, seconds=0))
    assert so_far.share_read == "about 3 % read, by an old count"


def test_no_cost_is_made_up_from_an_estimate_of_nothing() -> None:
    assert expected_cost(SCAN, replace(SOCIAL, item_count_estimate=0, size_bytes_estimate=0), 1000) is None
    assert expected_cost(SCAN, SOCIAL, 1000) is None


def test_units_have_separators_and_no_trailing_zeros() -> None:
    assert units_text(Decimal("1204.50")) == "1,204.5"
    assert units_text(Decimal("12207.0")) == "12,207"


def test_the_memory_reader_keeps_order_and_projections(reader: MemoryReader) -> None:
    plan = QueryPlan("Social", {"GSI1PK": String("USER#7c20")}, index="GSI1", descending=True)
    (page,) = reader.query(plan, Ticket())
    assert [item["PK"] for item in page.items] == [String(f"POST#{name}") for name in ("c310", "b002", "a91f")]
    assert all("reactions" not in item for item in page.items)
    assert reader.get("Social", {"PK": String("POST#a91f"), "SK": String("META")}) == post("a91f", 3)


def test_what_is_read_to_the_end_in_one_go_sees_that_cursors_go_round(reader: MemoryReader) -> None:
    """The reader notices a circle, but only where one of its reads sees all of the cursors."""
    read(reader, QueryPlan("Readings", {"device": String("d")}), Portion(EVERYTHING, page_items=20))
    assert [start for _, start in reader.asked].count(None) == 1
    assert {asked.page_limit for asked, _ in reader.asked} == {20}
    reader.asked.clear()
    read(reader, QueryPlan("Readings", {"device": String("d")}), Portion(EVERYTHING))
    assert [asked.page_limit for asked, _ in reader.asked] == [None]


def scan_so_far(reader: MemoryReader, count: int | None, where: str = "kind = 'none'", items: int = 2) -> Reading:
    view = View(replace(SOCIAL, item_count_estimate=count))
    plan = replace(SCAN, filter=parse_where(where))
    result = Reading(plan, view, LoadedRows(view))
    for page in read_portion(reader, plan, view, None, Portion(items), Ticket()):
        result.take(page.page)
    result.state = "more" if result.has_more else "complete"
    return result


def test_no_rows_so_far_is_not_no_rows(reader: MemoryReader) -> None:
    so_far = scan_so_far(reader, 60)
    assert so_far.nothing_found() == (
        "0 items so far, 1 page, 2 read, about 3 % read, by an old count. "
        "There is more to read: nothing is known about the rest."
    )
    assert so_far.facts() == "1 page · 2 read · 0.5 RCU · 1 ms · about 3 % read, by an old count · more in the table"
    whole = scan_so_far(reader, 60, items=100)
    assert whole.nothing_found() == "0 items, 1 page, 8 read. None of them meets the filter."
    assert "%" not in whole.facts()


@pytest.mark.parametrize(
    ("count", "said"), [(None, ""), (0, ""), (1, ""), (300, "less than 1 % read, by an old count")]
)
def test_a_count_that_is_missing_or_wrong_makes_no_share(reader: MemoryReader, count: int | None, said: str) -> None:
    assert scan_so_far(reader, count).share_read == said


def test_a_page_without_items_and_with_a_cursor_is_not_the_end(reader: MemoryReader) -> None:
    """Only the fourth item meets the filter: two pages are empty before it comes."""
    plan = QueryPlan("Readings", {"device": String("d")}, filter=parse_where("size(note) > 0"))
    reader.put("Readings", {**reading("d", "3"), "note": String("here")})
    result = read(reader, plan, Portion(2, page_items=2))
    assert (result.count, result.scanned, result.has_more, result.state) == (0, 2, True, "more")
    assert "so far" in result.nothing_found()
    read(reader, plan, Portion(3, page_items=2), result)
    assert (result.count, result.scanned) == (1, 5)
    assert "5 read" in result.facts()


def test_an_item_that_is_not_there_by_its_key(reader: MemoryReader) -> None:
    plan = QueryPlan(
        "Social", {"PK": String("POST#none")}, SortCondition("=", String("META")), sort_name="SK", by_key=True
    )
    result = read(reader, plan, Portion(1000))
    assert result.nothing_found() == "There is no item with this key."
    assert result.title == "GetItem Social"
    found = read(reader, replace(plan, partition={"PK": String("POST#a91f")}), Portion(1000))
    assert found.facts() == "1 page · 0.5 RCU · 1 ms · by its key"
