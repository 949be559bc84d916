"""From findings to what is done about them: causes, guards, plans; and runs that are paused, paced and limited."""

from __future__ import annotations

import threading
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from dynodesk.domain.findings import LANGUAGES
from dynodesk.domain.reads import ReadPlan
from dynodesk.domain.values import Number
from dynodesk.reconcile.guards import guards
from dynodesk.ui.dialogs.history import HistoryDialog
from dynodesk.ui.dialogs.repair import RepairDialog
from dynodesk.wiring import Workspace
from tests.helpers.granted import granted
from tests.helpers.social import RULES, likes, post, social
from tests.ui.pages.reconcile_desk import NOTHING_TO_WAIT_FOR, Desk, OpenDesk, in_memory

# -- causes come before repairs


def test_the_likely_cause_is_said_first_and_then_why_it_is_certain(desk: Desk) -> None:
    desk.run()
    finding = desk.choose("POST#77b0 / META")
    said = desk.page.results.evidence.why.toPlainText().split("\n")
    assert said[0] == finding.causes[0]
    assert said[0].startswith("A tally below zero")
    assert said[1] == "Why this is certain"
    at = desk.findings.index(finding)
    assert desk.page.results.model.index(at, 7).data() == finding.causes[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_missing_guard_is_copied_in_the_language_that_is_chosen(desk: Desk, language: str) -> None:
    desk.run()
    desk.choose("POST#a91f / META")
    pane = desk.page.results.evidence.guard
    pane.language.setCurrentIndex(list(LANGUAGES).index(language))  # type: ignore[arg-type]  # one of its keys
    pane.copy_button.click()
    copied = QGuiApplication.clipboard().text()
    rule = desk.page.repairs.rule("post likes")
    for guard in guards(rule, language):  # type: ignore[arg-type]  # one of its keys
        assert guard.code in copied
    assert "likeTally" in copied


def test_what_has_no_drift_has_no_guard(desk: Desk) -> None:
    desk.run()
    guard = desk.page.results.evidence.guard
    desk.choose("POST#a91f / META")
    assert guard.isVisibleTo(desk.page)


# -- plans


def test_what_can_be_repaired_is_planned_and_what_cannot_says_why(desk: Desk) -> None:
    action = desk.page.repairs.plan_action
    assert not action.isEnabled()
    desk.run()
    desk.choose("POST#a91f / META")
    assert (action.isEnabled(), action.text()) == (True, "Plan repair…")
    desk.choose("POST#9e21 / META")
    assert not action.isEnabled()
    assert action.toolTip() == "It cannot be repaired: there is no parent to write to."
    desk.page.results.grid.selectAll()
    assert (action.isEnabled(), action.text()) == (True, "Plan 7 repairs…")
    desk.start()
    desk.wait_for(lambda: desk.page.report is None)
    assert not action.isEnabled()
    desk.wait_until_idle()


def test_a_connection_that_only_reads_says_what_a_plan_is_good_for(
    open_desk: OpenDesk, workspace: Workspace, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES.replace('version = "rev"', f'version = "rev"\n{NOTHING_TO_WAIT_FOR}'), encoding="utf-8")
    reads = replace(workspace, access=granted(replace(workspace.profile, read_only=True)))
    desk = open_desk(in_memory(reads, social(post("p", Number("9")), *likes("p", 5))), rules)
    desk.run()
    assert "is read-only: the plan can be saved, and not applied" in desk.page.repairs.plan_action.toolTip()
    desk.key(desk.page.results.grid, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    desk.page.repairs.plan_action.trigger()
    desk.wait_for(lambda: bool(desk.page.findChildren(RepairDialog)))
    (dialog,) = desk.page.findChildren(RepairDialog)
    assert "read-only" in dialog.outcome.said
    dialog.reject()


# -- runs that are held back


def test_a_run_is_paused_and_goes_on(open_desk: OpenDesk, workspace: Workspace, tmp_path: Path) -> None:
    reader = social(post("p", Number("9")), *likes("p", 5), post("q", Number("3")))
    reached, go = threading.Event(), threading.Event()

    def hold(_plan: ReadPlan) -> None:
        reached.set()
        assert go.wait(20)

    reader.before_page = hold
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES.replace('version = "rev"', f'version = "rev"\n{NOTHING_TO_WAIT_FOR}'), encoding="utf-8")
    desk = open_desk(in_memory(workspace, reader), rules)
    desk.start()
    desk.wait_for(reached.is_set)
    assert desk.page.form.pause.isVisibleTo(desk.page)
    desk.page.form.pause.click()
    assert desk.page.form.pause.text() == "Go on"
    assert desk.page.line.text == "Paused: nothing more is read until you go on."
    asked = len(reader.asked)
    go.set()
    desk.page.form.pause.click()
    desk.wait_until_idle()
    assert [finding.drift_text for finding in desk.findings] == ["+4", "+3"]
    assert len(reader.asked) > asked
    assert not desk.page.form.pause.isVisibleTo(desk.page)


@pytest.mark.parametrize("typed", ["0", "-1", "many", "nan", "1e99"])
def test_a_rate_that_is_none_is_said_and_nothing_is_run(desk: Desk, typed: str) -> None:
    desk.page.form.rate.setText(typed)
    assert "write a number above 0" in desk.page.form.plan.text
    assert not desk.page.run_action.isEnabled()
    desk.page.form.rate.clear()
    assert desk.page.run_action.isEnabled()


def test_rate_and_budget_are_those_of_the_run(desk: Desk) -> None:
    form = desk.page.form
    form.rate.setText("250")
    form.budget.setText("0.5")
    assert (form.wish.limits.rate, form.wish.limits.max_units) == (Decimal(250), Decimal("0.5"))
    form.rate.clear()
    desk.page.form.chosen.click()
    form.parents.edit.setPlainText("post=a91f\npost=0c4e")
    desk.run()
    assert desk.page.report is not None
    assert desk.page.report.stopped is None or "budget" in desk.page.report.stopped


# -- earlier runs


def test_the_history_of_the_rules_has_the_run_that_just_ended(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path / "home"))
    desk.run()
    desk.choose("USER#b14a / META")
    desk.page.rules.history_action.trigger()
    desk.wait_for(lambda: bool(desk.page.findChildren(HistoryDialog)))
    (dialog,) = desk.page.findChildren(HistoryDialog)
    assert dialog.rules.currentText() == "following"
    assert dialog.model.rowCount() == 1
    assert dialog.model.row_at(0).cells[1].text == "2"
    dialog.reject()
