"""How much is read: no more than was asked for, to the end where that was asked for, and said as what it is."""

from __future__ import annotations

from typing import Any

import pytest

from dynodesk.domain.expressions import parse_where
from dynodesk.domain.reads import QueryPlan, ScanPlan
from dynodesk.domain.values import String
from tests.aws.tables import make_table
from tests.cases.conftest import OpenDesk, Place
from tests.cases.live_desk import LiveDesk
from tests.helpers.command import dynodesk

COUNT = 260


@pytest.fixture
def filled(open_desk: OpenDesk, place: Place) -> LiveDesk:
    client: Any = place[2]
    table = make_table(client, index={"g": "S", "h": "N"})
    items = [
        {"PK": {"S": "p"}, "SK": {"S": f"i{n:03}"}, "n": {"N": str(n)}, "g": {"S": "same"}, "h": {"N": "0"}}
        for n in range(COUNT)
    ]
    for start in range(0, COUNT, 25):
        puts = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        client.batch_write_item(RequestItems={table: puts})
    return open_desk(table)


@pytest.mark.parametrize("operation", ["Scan", "Query"])
def test_a_cap_is_the_limit_of_the_request(filled: LiveDesk, operation: str) -> None:
    """One request with that limit, not pages until the cap is passed; what follows goes on where it ended."""
    form, page, table = filled.page.form, filled.page, filled.info.name
    form.set_plan(ScanPlan(table) if operation == "Scan" else QueryPlan(table, {"PK": String("p")}))
    form.options.items.setCurrentText("100")
    assert len(filled.run()) == 100
    (sent,) = filled.sent(operation)
    assert sent["Limit"] == 100
    assert "ExclusiveStartKey" not in sent
    assert "more in the" in page.result
    for loaded, limit in ((200, 100), (COUNT, 100)):
        page.load_more()
        filled.settle()
        assert len(filled.items) == loaded
        assert filled.sent(operation)[-1]["Limit"] == limit
    assert page.result.endswith(f"end of {'table' if operation == 'Scan' else 'collection'}")
    assert sorted(str(item["SK"]) for item in filled.items) == [str(String(f"i{n:03}")) for n in range(COUNT)]


def test_a_cap_counts_what_is_read_before_the_filter(filled: LiveDesk) -> None:
    form = filled.page.form
    form.options.items.setCurrentText("100")
    form.filter.set_condition(parse_where("n >= 150"))
    form.partition[0].setText("p")
    assert filled.run() == []
    assert sum(body["Limit"] for body in filled.sent("Query")) == 100
    assert filled.page.left.message.startswith("0 items so far")
    filled.page.load_more()
    filled.settle()
    assert len(filled.items) == 50
    form.options.items.setCurrentText("all")
    assert len(filled.run()) == COUNT - 150


def test_equal_keys_of_an_index_end_no_page_early(filled: LiveDesk) -> None:
    """Each page goes on behind the very item that the one before it ended with."""
    form = filled.page.form
    form.set_plan(QueryPlan(filled.info.name, {"g": String("same")}, index="GSI1"))
    form.options.items.setCurrentText("all")
    form.options.page.setCurrentText("25")
    assert len({str(item["SK"]) for item in filled.run()}) == COUNT
    starts = [body["ExclusiveStartKey"] for body in filled.sent("Query") if "ExclusiveStartKey" in body]
    assert len({str(start["SK"]) for start in starts}) == len(starts) >= COUNT // 25
    assert all(set(start) == {"PK", "SK", "g", "h"} for start in starts)


def test_the_command_line_asks_for_no_more_than_its_limit(filled: LiveDesk) -> None:
    finished = dynodesk("scan", filled.info.name, "--limit", 10, "--endpoint-url", filled.proxy.url)
    assert len(finished.stdout.splitlines()) == 10, finished.stderr
    assert [body["Limit"] for body in filled.sent("Scan")] == [10]
    assert "there is more" in finished.stderr
