"""What is done with findings: opened, sorted, copied, written as a report."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from dynodesk.domain.findings import Report
from dynodesk.domain.values import String
from dynodesk.reports.writers import FORMATS, render
from dynodesk.ui.pages.reconcile_places import Place
from tests.ui.pages.reconcile_desk import Desk

# -- what is done with a finding


def test_enter_opens_the_parents_collection(desk: Desk) -> None:
    desk.run()
    desk.choose("POST#c7a2 / META")
    desk.key(desk.page.results.grid, Qt.Key.Key_Return)
    parent = {"PK": String("POST#c7a2"), "SK": String("META")}
    assert desk.opened == [Place("Social", {"PK": String("POST#c7a2")}, parent)]


def test_children_elsewhere_and_orphans_are_opened_where_they_are(desk: Desk) -> None:
    desk.run()
    desk.choose("POST#a91f / META")
    assert not desk.page.results.children_action.isEnabled()
    desk.choose("USER#b14a / META")
    desk.page.results.children_action.trigger()
    desk.choose("POST#9e21 / META")  # whose parent does not exist
    desk.page.results.open_action.trigger()
    assert desk.opened == [
        Place("Social", {"PK": String("ACTOR#b14a")}),
        Place("Social", {"PK": String("POST#9e21")}),
    ]


def test_a_header_sorts_by_value_and_the_third_click_gives_the_reports_order_back(desk: Desk) -> None:
    desk.run()
    in_order = desk.findings
    head = desk.page.results.grid.horizontalHeader()

    def click(column: int) -> None:
        at = head.viewport().rect().center()
        at.setX(head.sectionViewportPosition(column) + 10)
        QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)

    click(5)
    drifts = [finding.drift for finding in desk.findings if finding.drift is not None]
    assert drifts == sorted(drifts)
    click(5)
    assert desk.findings[0].drift_text == "+4"
    click(5)
    assert desk.findings == in_order


def test_rows_and_keys_are_copied_exactly(desk: Desk) -> None:
    desk.run()
    grid = desk.page.results.grid
    desk.choose("POST#a91f / META")
    desk.key(grid, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text().split("\t")
    assert copied[:6] == ["exact", "POST#a91f / META", "post likes", "41", "37", "+4"]
    desk.page.results.copy_key()
    assert QGuiApplication.clipboard().text() == '{"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}}'


# -- the report


@pytest.mark.parametrize("form", FORMATS)
def test_the_whole_report_is_written_in_each_form(desk: Desk, tmp_path: Path, form: str) -> None:
    desk.run()
    desk.asker.path = tmp_path / f"likes.{form}"
    export = next(action for action in desk.page.exports.actions() if action.objectName() == f"export-{form}")
    export.trigger()
    desk.wait_for(lambda: desk.messages.current is not None)
    assert desk.messages.current is not None
    assert (desk.messages.current.kind, desk.messages.current.line) == ("notice", str(desk.asker.path))
    report = desk.page.report
    assert isinstance(report, Report)
    assert desk.asker.path.read_bytes() == render(report, form)
    assert desk.asker.suggested[0].startswith("quick-20")
    assert desk.asker.suggested[0].endswith(f".{form}")
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".toml"] == [f"likes.{form}"]


def test_a_filter_does_not_shorten_the_report(desk: Desk, tmp_path: Path) -> None:
    desk.run()
    desk.chips["probable 2"].click()
    desk.asker.path = tmp_path / "likes.md"
    desk.page.exports.actions()[0].trigger()  # as HTML, but the name says Markdown
    desk.wait_for(desk.asker.path.exists)
    assert desk.page.report is not None
    assert desk.asker.path.read_bytes() == render(desk.page.report, "md")


def test_a_report_that_cannot_be_written_leaves_the_old_one(desk: Desk, tmp_path: Path) -> None:
    desk.run()
    old = tmp_path / "old.html"
    old.write_text("the old one", encoding="utf-8")
    desk.asker.path = tmp_path / "link.html"
    desk.asker.path.symlink_to(old)
    desk.page.exports.actions()[0].trigger()
    desk.wait_for(lambda: desk.messages.current is not None)
    assert desk.messages.current is not None
    assert desk.messages.current.kind == "error"
    assert old.read_text(encoding="utf-8") == "the old one"


def test_nothing_can_be_exported_before_a_run(desk: Desk) -> None:
    assert not any(action.isEnabled() for action in desk.page.exports.actions())
