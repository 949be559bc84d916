"""A Browse page that comes back: it shows what its form asks for, or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.expressions import parse_where
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition
from dynodesk.domain.values import String
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse import BrowsePage
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import SOCIAL, social_items

pytestmark = pytest.mark.gui
Open = Callable[[dict[str, object] | None], BrowsePage]


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    runner = JobRunner(threads=2)
    yield runner
    assert runner.shutdown()
    runner.deleteLater()


@pytest.fixture
def open_page(runner: JobRunner, qtbot: QtBot) -> Open:
    reader = MemoryReader(SOCIAL)
    reader.put("Social", *social_items())

    def opened(state: dict[str, object] | None) -> BrowsePage:
        page = BrowsePage(SOCIAL, reader, runner)
        qtbot.addWidget(page)
        if state is not None:
            page.restore(json.loads(json.dumps(state)))
        page.resize(1224, 810)
        page.show()
        _settle(qtbot, page)
        return page

    return opened


def _settle(qtbot: QtBot, page: BrowsePage) -> None:
    qtbot.waitUntil(lambda: not page.left.feed.running and not page.right.feed.running)


def _keys(page: BrowsePage) -> list[str]:
    return [str(entry.item["SK"]) for entry in page.left.model.rows.entries]


LIKES = parse_where("likedAt > 0")


@pytest.mark.parametrize(
    "plan",
    [
        QueryPlan("Social", {"PK": String("POST#a91f")}),
        QueryPlan("Social", {"PK": String("POST#a91f")}, SortCondition("begins_with", String("LIKE#")), "SK"),
        QueryPlan("Social", {"PK": String("POST#a91f")}, filter=LIKES, descending=True),
        ScanPlan("Social"),
    ],
    ids=["collection", "range", "filtered", "scan"],
)
def test_what_was_read_is_read_again(open_page: Open, qtbot: QtBot, plan: ReadPlan) -> None:
    before = open_page(None)
    before.run_plan(plan)
    _settle(qtbot, before)
    after = open_page(before.state())
    assert after.form.draft() == before.form.draft() == plan
    assert _keys(after) == _keys(before) != []


def test_a_scan_with_a_filter_is_not_run_and_no_other_rows_stand_under_it(open_page: Open, qtbot: QtBot) -> None:
    plan = ScanPlan("Social", filter=LIKES)
    before = open_page(None)
    before.run_plan(plan)
    _settle(qtbot, before)
    after = open_page(before.state())
    assert after.form.draft() == plan
    assert (_keys(after), after.left.reading) == ([], None)
    assert "Press Run" in after.left.grid.message
    after.run()
    _settle(qtbot, after)
    assert _keys(after) == _keys(before) != []
