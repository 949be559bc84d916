"""Reconcile: findings, a plan approved, applied and taken back, the journal of it, and rules."""

from __future__ import annotations

from dynodesk.ui.dialogs.journal import JournalDialog
from dynodesk.ui.dialogs.repair import RepairDialog
from dynodesk.ui.dialogs.suggest import SuggestDialog
from dynodesk.ui.dialogs.undo import UndoDialog
from dynodesk.ui.pages.reconcile import ReconcilePage
from tests.pictures.taking import Camera, Steps


def findings(camera: Camera) -> Steps:
    page = camera.page(ReconcilePage)
    page.run_action.trigger()
    yield lambda: page.run_action.text() == "Run again" and camera.idle()
    yield from camera.still()
    camera.take("reconcile")


def repairs(camera: Camera) -> Steps:
    page = camera.page(ReconcilePage)
    page.results.grid.selectAll()
    page.repairs.plan_action.trigger()
    yield camera.asks
    repairing = camera.dialog(RepairDialog)
    repairing.approval.was_read.click()
    repairing.approval.field.setText("Social")
    yield from camera.still()
    camera.take("repair", repairing)
    repairing.go_button.click()
    yield lambda: repairing.state == "over"
    yield from camera.still()
    camera.take("repaired", repairing)
    repairing.undo_button.click()
    yield camera.asks
    undoing = camera.dialog(UndoDialog)
    undoing.approval.field.setText("Social")
    undoing.go_button.click()
    yield lambda: undoing.state == "over"
    undoing.reject()
    page.repairs.journal_action.trigger()
    yield camera.asks
    journal = camera.dialog(JournalDialog)
    journal.verify_button.click()
    yield camera.idle
    yield from camera.still()
    camera.take("journal", journal)
    journal.reject()


def rules(camera: Camera) -> Steps:
    page = camera.page(ReconcilePage)
    page.rules.suggest_action.trigger()
    yield camera.asks
    suggesting = camera.dialog(SuggestDialog)
    suggesting.look_button.click()
    yield camera.idle
    yield from camera.still()
    camera.take("suggest", suggesting)
    suggesting.reject()
    page.rules.edit_action.trigger()
    yield lambda: page.editor.checked is not None
    page.editor.text.go_to(9)
    yield from camera.still()
    camera.take("rules")
    page.editor.close_button.click()
