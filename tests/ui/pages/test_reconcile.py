"""The Reconcile page from the question to the findings: plan, run, stop, chosen parents, filters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.findings import Finding
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.values import Number, String
from dynodesk.sandbox.answers import answers
from dynodesk.ui.widgets.layouts import column
from dynodesk.wiring import Workspace
from tests.ui.pages.reconcile_desk import (
    RUN_MILLISECONDS,
    SOCIAL_TOML,
    Desk,
    OpenDesk,
)


@pytest.fixture(scope="module")
def known() -> dict[str, list[dict[str, Any]]]:
    return answers()


def as_answers(findings: list[Finding]) -> list[dict[str, Any]]:
    def number(finding: Finding) -> str | None:
        stored = finding.stored
        return stored.text if isinstance(stored, Number | String) else None

    return [
        {
            "rule": finding.rule,
            "verdict": finding.verdict,
            "parent": item_to_dynamodb(finding.parent),
            "stored": number(finding),
            "real": finding.real_text,
            "drift": None if finding.drift is None else str(finding.drift),
        }
        for finding in findings
    ]


def test_opening_reads_no_item_and_says_what_a_run_will_do(desk: Desk, workspace: Workspace) -> None:
    assert desk.note == "Nothing has been read yet"
    assert desk.page.windowTitle() == "Reconcile: quick.toml"
    assert desk.page.form.plan.text.startswith("1 Scan of Social · ")
    assert "then about 8 to 11 RCU a suspect · " in desk.page.form.plan.text
    assert " · waits for nothing" in desk.page.form.plan.text
    assert not desk.page.counts.isVisibleTo(desk.page)
    assert desk.page.form.run.text() == "Run"


def test_the_plan_follows_what_is_asked_for(desk: Desk) -> None:
    form = desk.page.form
    for box in form.rule_boxes[1:]:
        box.click()
    assert "then about 8 RCU a suspect" in form.plan.text
    form.everyone.click()
    assert "then about 5 RCU a parent, 8 where it is off" in form.plan.text
    form.chosen.click()
    assert form.plan.text == "Write at least one parent."
    form.parents.edit.setPlainText("post=a91f")
    desk.wait_for(lambda: form.plan.text.startswith("Query per parent, 1 parent"))


def test_the_key_on_the_button_works_wherever_the_focus_is(
    open_desk: OpenDesk, workspace: Workspace, quick: Path, qtbot: QtBot
) -> None:
    hidden, seen = open_desk(workspace, quick), open_desk(workspace, quick)
    window, beside, tabs = QWidget(), QLineEdit(), QStackedWidget()
    window.setLayout(column(beside, tabs))
    for desk in (hidden, seen):
        tabs.addWidget(desk.page)
    tabs.setCurrentWidget(seen.page)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    beside.setFocus()
    QTest.keySequence(beside, QKeySequence("F5"))
    seen.wait_for(lambda: seen.page.report is not None)
    assert hidden.page.report is None
    assert hidden.page.job is None


def test_a_run_needs_a_rule(desk: Desk) -> None:
    for box in desk.page.form.rule_boxes:
        box.click()
    assert desk.page.form.plan.text == "Choose at least one rule."
    assert not desk.page.run_action.isEnabled()
    assert not desk.page.form.run.isEnabled()


@pytest.mark.slow
def test_the_sample_finds_exactly_the_answers(open_desk: OpenDesk, workspace: Workspace, known: dict[str, Any]) -> None:
    desk = open_desk(workspace, SOCIAL_TOML)
    desk.run()
    assert as_answers(desk.findings) == known["social.toml"]
    assert desk.page.line.text.startswith("Complete whole table · ")
    assert desk.page.form.run.text() == "Run again"
    desk.page.form.files.setCurrentIndex(desk.page.form.files.findText("courses.toml"))
    desk.page.form.files.activated.emit(desk.page.form.files.currentIndex())
    desk.wait_until_idle()
    assert desk.note == "Nothing has been read yet"  # those findings were another file's
    desk.run()
    assert desk.findings == []
    assert desk.note == "12 parents, all ok"


def test_findings_are_counted_filtered_and_never_lost(live_desk: Desk, known: dict[str, Any]) -> None:
    desk = live_desk
    desk.run()
    assert as_answers(desk.findings) == known["social.toml"]
    assert list(desk.chips) == ["Findings 12", "exact 7", "probable 2", "incomparable 2", "orphans 1", "ok 109"]
    desk.chips["probable 2"].click()
    assert [finding.verdict for finding in desk.findings] == ["probable", "probable"]
    assert desk.page.results.current is desk.findings[0]
    desk.chips["ok 109"].click()
    assert desk.note == "109 parents are ok"
    desk.chips["Findings 12"].click()
    assert len(desk.findings) == 12
    assert desk.note == ""


def test_chips_are_reached_and_moved_through_by_keys(desk: Desk) -> None:
    desk.run()
    desk.chips["Findings 12"].setFocus()
    desk.key(desk.chips["Findings 12"], Qt.Key.Key_Right)
    assert desk.chips["exact 7"].isChecked()
    assert {finding.verdict for finding in desk.findings} == {"exact"}


def test_the_largest_drift_is_shown_in_full_at_once(desk: Desk) -> None:
    desk.run()
    evidence = desk.page.results.evidence
    assert evidence.text == "POST#a91f / META exact stored 41 − real 37 = drift +4"
    looks = evidence.grid.model()
    assert [looks.index(row, 1).data() for row in range(looks.rowCount())] == [
        "Parent, transactional",
        "Pass 1, strong, 1 page",
        "Parent, transactional",
        "Pass 2, strong, 1 page",
        "Parent, transactional",
    ]
    assert evidence.why.accessibleName() == "Why this is certain"
    assert "Both passes saw the same 37 children" in evidence.why.toPlainText()


def test_another_run_starts_from_nothing(desk: Desk) -> None:
    desk.run()
    desk.chips["orphans 1"].click()
    desk.key(desk.page, Qt.Key.Key_F5)
    assert not desk.page.run_action.isEnabled()
    desk.wait_until_idle()
    assert len(desk.findings) == 12
    assert desk.chips["Findings 12"].isChecked()


def test_a_stopped_run_keeps_what_it_has_and_says_what_is_open(live_desk: Desk, quick: Path) -> None:
    desk = live_desk
    text = quick.read_text(encoding="utf-8")
    quick.write_text(text.replace('wait = "0s"', 'wait = "1h"'), encoding="utf-8")  # read again by Run
    desk.start()
    desk.wait_for(lambda: len(desk.findings) == 2)  # what cannot be compared needs no wait
    assert desk.page.form.stop.isVisibleTo(desk.page)
    assert not desk.page.form.run.isVisibleTo(desk.page)
    desk.page.form.stop.click()
    desk.wait_until_idle()
    assert desk.page.line.text.startswith("Partial: cancelled 10 parents were not confirmed.")
    assert list(desk.chips) == ["Findings 12", "suspect 10", "incomparable 2", "ok 109"]
    assert {finding.verdict for finding in desk.findings} == {"suspect", "incomparable"}
    assert "Seen off by one cheap look" in desk.page.results.evidence.why.toPlainText()


def test_a_page_that_is_closed_stops_its_run(
    open_desk: OpenDesk, workspace: Workspace, quick: Path, qtbot: QtBot
) -> None:
    quick.write_text(quick.read_text(encoding="utf-8").replace('wait = "0s"', 'wait = "1h"'), encoding="utf-8")
    desk = open_desk(workspace, quick)
    desk.start()
    desk.wait_for(lambda: len(desk.findings) == 2)
    job = desk.page.job
    assert job is not None
    with qtbot.waitSignal(job.ended, timeout=RUN_MILLISECONDS):
        desk.page.hide()
        desk.page.deleteLater()
    assert desk.messages.current is None


def test_a_mistyped_parent_costs_no_findings(desk: Desk) -> None:
    desk.run()
    found = desk.findings
    desk.page.form.chosen.click()
    desk.page.form.parents.edit.setPlainText("POST#a91f")
    desk.run()
    assert "names no parent" in desk.page.form.parents.edit.accessibleDescription()
    assert desk.findings == found
    assert desk.note == ""
    assert desk.page.report is not None
    desk.page.form.parents.edit.setPlainText("post=a91f")
    desk.run()
    assert [finding.parent_text for finding in desk.findings] == ["POST#a91f / META"]


def test_chosen_parents_are_the_only_ones_looked_at(live_desk: Desk) -> None:
    desk = live_desk
    form = desk.page.form
    form.chosen.click()
    assert not form.everyone.isEnabled()
    key = '{"PK": {"S": "POST#0c4e"}, "SK": {"S": "META"}}'
    form.parents.edit.setPlainText(f"post=a91f\n\n  {key}\npost=e001\n")
    desk.run()
    assert [finding.parent_text for finding in desk.findings] == ["POST#a91f / META", "POST#0c4e / META"]
    assert desk.page.line.text.startswith("Complete 3 chosen parents")
    assert list(desk.chips) == ["Findings 2", "exact 2", "ok 1"]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("post=a91f\nlikes", "'likes' names no parent."),
        ('{"PK": {"S": "NOBODY#1"}, "SK": {"S": "META"}}', "is not the key of a parent of any rule."),
        ("", "No parent is named."),
        ("@/nowhere/parents", "/nowhere/parents cannot be read"),
    ],
)
def test_wrong_parents_are_said_at_their_field_and_nothing_is_read(
    live_desk: Desk, workspace: Workspace, typed: str, message: str
) -> None:
    desk = live_desk
    form = desk.page.form
    form.chosen.click()
    form.parents.edit.setPlainText(typed)
    before = workspace.meter.calls
    desk.run()
    assert message in form.parents.edit.accessibleDescription()
    assert workspace.meter.calls == before
    assert desk.findings == []
    assert desk.note == "Nothing has been read yet"
