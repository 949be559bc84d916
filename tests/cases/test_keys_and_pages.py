"""Keys and their order, pages and limits, from the form of the Browse page to its rows, against two emulators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from dynodesk.aws.catalog import DynamoCatalog
from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.reader import DynamoReader
from dynodesk.domain.capacity import Meter
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ScanPlan
from dynodesk.domain.values import Number, String
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse import BrowsePage
from tests.aws.tables import make_table, plain_client, profile

pytestmark = [pytest.mark.server, pytest.mark.gui]
Open = Callable[[str], BrowsePage]
Tagged = dict[str, dict[str, Any]]


@pytest.fixture(scope="module", params=["moto", "ministack"])
def endpoint(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(request.param)
    return url


@pytest.fixture(scope="module")
def client(endpoint: str) -> Any:
    return plain_client(endpoint)


@pytest.fixture(scope="module")
def clients(endpoint: str) -> Iterator[Clients]:
    opened = open_clients(profile(endpoint))
    yield opened
    opened.close()


@pytest.fixture
def open_page(clients: Clients, qtbot: QtBot) -> Iterator[Open]:
    runner, meter = JobRunner(threads=2), Meter()
    errors: list[BaseException] = []
    runner.error_raised.connect(errors.append)
    pages: list[BrowsePage] = []  # they refer to themselves: nobody may collect one while it paints

    def open_page(table: str) -> BrowsePage:
        info = DynamoCatalog(clients).describe(table, Ticket())
        page = BrowsePage(info, DynamoReader(clients, meter), runner)
        qtbot.addWidget(page)
        pages.append(page)
        page.show()
        settle(qtbot, page)
        return page

    yield open_page
    pages.clear()
    assert runner.shutdown()
    runner.deleteLater()
    assert errors == []


def settle(qtbot: QtBot, page: BrowsePage) -> None:
    qtbot.waitUntil(lambda: not page.left.feed.running and not page.links.busy)


def ask(qtbot: QtBot, page: BrowsePage, operator: str, low: str = "", high: str = "") -> list[str]:
    """What stands in the rows of one collection, for a condition on the sort key typed into the form."""
    page.form.partition[0].setText("p")
    fields = page.form.sorts[0]
    fields.operator.setCurrentText(operator)
    for field, typed in ((fields.low, low), (fields.high, high)):
        field.setText(typed)
    page.run()
    settle(qtbot, page)
    return sort_keys(page)


def sort_keys(page: BrowsePage) -> list[str]:
    found = []
    for entry in page.left.model.rows.entries:
        value = entry.item["SK"]
        assert isinstance(value, String | Number)
        found.append(value.text)
    return found


def under_p(kind: str, *sorts: str) -> list[Tagged]:
    return [{"PK": {"S": "p"}, "SK": {kind: sort}} for sort in sorts]


def test_texts_are_in_the_order_of_their_bytes(open_page: Open, client: Any, qtbot: QtBot) -> None:
    order = ["A", "b", "ö", "ｱ", "🌊"]  # of UTF-16, the last two would be the other way round
    page = open_page(make_table(client, under_p("S", *reversed(order))))
    assert ask(qtbot, page, "any") == order
    assert ask(qtbot, page, "between", "ｱ", "🌊") == ["ｱ", "🌊"]
    assert ask(qtbot, page, ">", "ö") == ["ｱ", "🌊"]


def test_numbers_are_in_the_order_of_their_values_and_zero_is_one(open_page: Open, client: Any, qtbot: QtBot) -> None:
    order = ["-20", "0", "0.25", "7", "8", "30", "200"]
    table = make_table(client, under_p("N", *reversed(order)), keys={"PK": "S", "SK": "N"})
    page = open_page(table)
    assert ask(qtbot, page, "any") == order
    assert ask(qtbot, page, "between", "8", "30") == ["8", "30"]
    assert ask(qtbot, page, "=", "0") == ["0"]
    assert ask(qtbot, page, "<", "0") == ["-20"]


def test_a_range_of_days_ends_before_what_goes_on_after_its_end(open_page: Open, client: Any, qtbot: QtBot) -> None:
    days = ["2025-06-02T22:00:00Z", "2025-06-03", "2025-06-03T08:00:00.000Z", "2025-06-03T08:00:00Z", "2025-06-04"]
    page = open_page(make_table(client, under_p("S", *days)))
    assert ask(qtbot, page, "between", "2025-06-02", "2025-06-03") == days[:2]
    assert ask(qtbot, page, "between", "2025-06-02", "2025-06-03\U0010ffff") == days[:4]


def test_a_range_that_is_open_at_one_side_holds_other_kinds(open_page: Open, client: Any, qtbot: QtBot) -> None:
    page = open_page(make_table(client, under_p("S", "BOOK#1", "CHAPTER#1", "CHAPTER#2", "SHELF#1")))
    assert ask(qtbot, page, "<", "SHELF#1") == ["BOOK#1", "CHAPTER#1", "CHAPTER#2"]
    assert ask(qtbot, page, "begins_with", "CHAPTER#") == ["CHAPTER#1", "CHAPTER#2"]


def test_an_empty_page_is_not_the_end(open_page: Open, client: Any, qtbot: QtBot) -> None:
    items = under_p("S", *(f"i{n:02}" for n in range(60)))
    items[-1]["found"] = {"BOOL": True}
    page = open_page(make_table(client, items))
    page.form.options.page.setCurrentText("25")
    page.form.filter.set_condition(parse_where("found = TRUE"))
    assert ask(qtbot, page, "any") == ["i59"]
    assert page.result.startswith("1 item 3 pages · 60 read")
    page.form.filter.set_condition(parse_where("found = FALSE"))
    assert ask(qtbot, page, "any") == []
    assert page.left.message == "0 items, 3 pages, 60 read. None of them meets the filter."


def test_no_more_is_read_than_was_chosen(open_page: Open, client: Any, qtbot: QtBot) -> None:
    page = open_page(make_table(client, under_p("S", *(f"i{n:03}" for n in range(130)))))
    page.form.options.items.setCurrentText("100")
    assert len(ask(qtbot, page, "any")) == 100
    assert page.result.endswith("more in the collection")
    page.load_more()
    settle(qtbot, page)
    assert sort_keys(page) == [f"i{n:03}" for n in range(130)]
    assert page.result.endswith("end of collection")


def test_all_pages_are_counted(open_page: Open, client: Any, qtbot: QtBot) -> None:
    """Each page holds 1 MB at most: three of these items."""
    items = [item | {"b": {"S": "x" * 300_000}} for item in under_p("S", *(f"i{n}" for n in range(8)))]
    page = open_page(make_table(client, items))
    page.form.options.items.setCurrentText("all")
    assert len(ask(qtbot, page, "any")) == 8
    assert page.left.reading is not None
    assert page.left.reading.pages > 1
    assert page.result.endswith("end of collection")


def test_pages_of_an_index_whose_keys_are_all_equal(open_page: Open, client: Any, qtbot: QtBot) -> None:
    items = [item | {"g": {"S": "same"}, "h": {"N": "1"}} for item in under_p("S", *(f"i{n:02}" for n in range(40)))]
    page = open_page(make_table(client, items, index={"g": "S", "h": "N"}))
    page.form.set_plan(ScanPlan(page.windowTitle().partition(":")[0], index="GSI1"))
    page.form.partition[0].setText("same")
    page.form.options.page.setCurrentText("25")
    page.form.options.items.setCurrentText("all")
    page.run()
    settle(qtbot, page)
    assert sorted(sort_keys(page)) == [f"i{n:02}" for n in range(40)]
    assert page.result.endswith("end of collection")


def test_a_whole_table_in_segments(open_page: Open, client: Any, qtbot: QtBot) -> None:
    items = [{"PK": {"S": f"p{n % 17}"}, "SK": {"S": f"i{n:03}"}} for n in range(120)]
    page = open_page(make_table(client, items))
    page.form.options.segments.setCurrentText("8")
    page.form.options.page.setCurrentText("25")
    orders = []
    for _ in range(2):
        page.run()
        settle(qtbot, page)
        assert sorted(sort_keys(page)) == [f"i{n:03}" for n in range(120)]
        assert page.result.endswith("end of table")
        orders.append(sort_keys(page))
    assert orders[0] == orders[1]
