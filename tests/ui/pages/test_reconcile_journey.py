"""From a table with drift to its repair and back, by clicks: suggest, edit, run, plan, apply, run, undo, run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog

from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.sandbox.answers import answers
from dynodesk.sandbox.process import Sandbox
from dynodesk.ui.dialogs.journal import JournalDialog
from dynodesk.ui.dialogs.repair import RepairDialog
from dynodesk.ui.dialogs.suggest import SuggestDialog
from dynodesk.ui.dialogs.undo import UndoDialog
from dynodesk.wiring import SANDBOX_PROFILE, Workspace, open_workspace
from tests.ui.pages.reconcile_desk import SOCIAL_TOML, Desk, OpenDesk

pytestmark = [pytest.mark.server, pytest.mark.slow]

SCALE = 0.5
RULE = "likeTally of LIKE"
AnyDialog = TypeVar("AnyDialog", bound=QDialog)
Drift = tuple[object, str | None, str, str]


@pytest.fixture
def own_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A sandbox that is written to, and a journal of this test alone."""
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path / "home"))
    with Sandbox.start(scale=SCALE) as sandbox:
        opened = open_workspace(SANDBOX_PROFILE, Ticket(), sandbox_url=sandbox.endpoint)
        yield opened
        opened.close()


def shown(desk: Desk, kind: type[AnyDialog]) -> AnyDialog:
    """The one dialog of its kind that is open, once it is."""
    found: list[AnyDialog] = []

    def is_open() -> bool:
        found[:] = [dialog for dialog in desk.page.findChildren(kind) if dialog.isVisible()]
        return len(found) == 1

    desk.wait_for(is_open)
    return found[0]


def drifts(desk: Desk) -> list[Drift]:
    return [
        (item_to_dynamodb(finding.parent), finding.stored_text, finding.real_text, finding.drift_text)
        for finding in desk.findings
        if finding.verdict == "exact"
    ]


def planted() -> list[Drift]:
    found = [answer for answer in answers(SCALE)["social.toml"] if answer["verdict"] == "exact"]
    return [(answer["parent"], answer["stored"], answer["real"], f"{int(answer['drift']):+}") for answer in found]


def test_from_nothing_to_a_repair_and_back(own_sandbox: Workspace, open_desk: OpenDesk, tmp_path: Path) -> None:
    desk = open_desk(own_sandbox, SOCIAL_TOML)
    page = desk.page
    desk.asker.path = tmp_path / "likes.toml"

    page.rules.suggest_action.trigger()
    suggesting = shown(desk, SuggestDialog)
    desk.wait_for(suggesting.look_button.isEnabled)
    assert suggesting.chosen_tables == ("Social",)  # those of the rules that are open
    suggesting.look_button.click()
    desk.wait_for(lambda: suggesting.proposals.count() > 0)
    for at, proposal in enumerate(suggesting.chosen):
        if proposal.suggestion.name != RULE:
            suggesting.proposals.item(at).setCheckState(Qt.CheckState.Unchecked)
    assert [proposal.suggestion.name for proposal in suggesting.chosen] == [RULE]
    assert 'attribute = "likeTally"' in suggesting.preview.toPlainText()
    suggesting.new_button.click()
    desk.wait_for(lambda: [box.text() for box in page.form.rule_boxes] == [RULE])

    page.rules.edit_action.trigger()
    desk.wait_for(lambda: page.editor.path == desk.asker.path and page.editor.checked is not None)
    typed = 'version = "rev"\nmarker = "_reconciled"\nwait = "0s"\nsettle = "0s"'
    page.editor.text.moveCursor(page.editor.text.textCursor().MoveOperation.End)
    page.editor.text.insertPlainText(typed)
    desk.wait_for(lambda: page.editor.checked is not None and not page.editor.checked.problems)
    page.editor.save_button.click()
    desk.wait_for(lambda: not page.editor.is_dirty)
    desk.wait_until_idle()

    desk.run()
    before = drifts(desk)
    assert before == planted()

    page.results.grid.selectAll()
    assert page.repairs.plan_action.text() == f"Plan {len(before)} repairs…"
    page.repairs.plan_action.trigger()
    repairing = shown(desk, RepairDialog)
    assert repairing.rows.rowCount() == len(before)
    assert '"ConditionExpression"' in repairing.request.toPlainText()
    QTest.keyClicks(repairing.approval.field, "Social")
    assert not repairing.go_button.isEnabled()  # a rule that was never applied: its requests are read first
    repairing.approval.was_read.click()
    repairing.go_button.click()
    desk.wait_for(lambda: repairing.state == "over")
    assert {result.outcome for result in repairing.results.values()} == {"repaired"}
    assert repairing.outcome.said == f"{len(before)} planned: {len(before)} repaired"

    repairing.again_button.click()
    desk.wait_for(lambda: page.report is None)
    desk.wait_until_idle()
    assert drifts(desk) == []
    assert page.report is not None

    page.repairs.journal_action.trigger()
    journal = shown(desk, JournalDialog)
    desk.wait_for(lambda: journal.model.rowCount() == len(before))
    journal.verify_button.click()
    desk.wait_for(lambda: "whole" in journal.outcome.said)
    journal.grid.selectAll()
    journal.undo_button.click()
    undoing = shown(desk, UndoDialog)
    QTest.keyClicks(undoing.approval.field, "Social")
    undoing.go_button.click()
    desk.wait_for(lambda: undoing.state == "over")
    assert undoing.outcome.said == f"{len(before)} of {len(before)} undone"

    undoing.again_button.click()
    desk.wait_for(lambda: page.report is None)
    desk.wait_until_idle()
    assert drifts(desk) == before
