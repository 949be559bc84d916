"""The repair dialog: what it shows, what it asks for before it writes, and what it says of each repair."""

from __future__ import annotations

import gc
import json
import weakref
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QWidget

from dynodesk.domain.errors import NotAllowed
from dynodesk.domain.values import Number
from dynodesk.reconcile.plan_files import read_plan
from dynodesk.ui.jobs import Job
from tests.reconcile.repair_bench import VERSION, drifted
from tests.ui.dialogs.conftest import NewShop
from tests.ui.dialogs.repair_shop import Shop, texts_of


def test_each_request_is_shown_exactly_as_it_is_sent(shop: Shop) -> None:
    dialog = shop.open_repair()
    assert dialog.windowTitle() == "Repair 2 tallies in Social"
    assert texts_of(dialog, 1) == ["POST#a / META", "POST#b / META"]
    assert [texts_of(dialog, column) for column in (3, 4, 5)] == [["5", "1"], ["-2", "+3"], ["3", "4"]]
    assert texts_of(dialog, 7)[0] == "likeTally = 5, rev = 7, no _repaired"
    request = json.loads(dialog.request.toPlainText())
    assert request["Key"] == {"PK": {"S": "POST#a"}, "SK": {"S": "META"}}
    assert request["ConditionExpression"].startswith("attribute_exists(")
    QTest.keyClick(dialog.grid, Qt.Key.Key_Down)
    assert dialog.request_title.text() == "Request 2 of 2, exactly as sent"
    assert json.loads(dialog.request.toPlainText())["Key"]["PK"] == {"S": "POST#b"}


def test_nothing_is_written_before_the_name_is_typed_and_the_requests_are_read(shop: Shop) -> None:
    dialog = shop.open_repair()
    assert (
        dialog.approval.was_read.text() == "I have read the requests: post likes was never applied before as it is now"
    )
    for typed, is_read, ready in (("Socia", True, False), ("social", True, False), ("Social", False, False)):
        dialog.approval.field.setText(typed)
        dialog.approval.was_read.setChecked(is_read)
        assert dialog.go_button.isEnabled() is ready
        QTest.keyClick(dialog.approval.field, Qt.Key.Key_Return)
        assert dialog.state == "asking"
    assert shop.bench.writer.sent == []
    dialog.approval.was_read.setChecked(True)
    assert dialog.go_button.isEnabled()


def test_enter_applies_and_every_outcome_is_told(shop: Shop) -> None:
    dialog = shop.open_repair()
    dialog.approval.was_read.setChecked(True)
    QTest.keyClicks(dialog.approval.field, "Social")
    QTest.keyClick(dialog.approval.field, Qt.Key.Key_Return)
    shop.wait_for(lambda: dialog.state == "over")
    assert texts_of(dialog, 6) == ["repaired", "repaired"]
    assert dialog.became.text().startswith("Repaired. Written once, and right when it was counted again.")
    assert dialog.outcome.said == "2 planned: 2 repaired"
    assert [shop.bench.tally(name) for name in "ab"] == [3, 4]
    assert not dialog.approval.isVisibleTo(dialog)
    assert dialog.again_button.isVisibleTo(dialog)


def test_rules_that_were_applied_before_need_not_be_read_again(shop: Shop) -> None:
    shop.apply_all()
    shop.bench.change("a", likeTally=Number("9"))
    dialog = shop.open_repair()
    assert dialog.approval.was_read.isHidden()
    dialog.approval.field.setText("Social")
    assert dialog.go_button.isEnabled()


def test_a_surprise_ends_the_run_and_is_said(shop: Shop) -> None:
    shop.bench.writer.luck = [NotAllowed("These credentials may not update Social.")]
    dialog = shop.apply_all()
    assert texts_of(dialog, 6) == ["refused", "not tried"]
    assert dialog.outcome.said.startswith("2 planned: 1 not tried, 1 refused. Stopped: POST#a / META: refused.")
    assert not dialog.undo_button.isVisibleTo(dialog)


def test_what_moved_meanwhile_is_left_as_it_is(shop: Shop) -> None:
    planned = shop.planned()
    shop.bench.unlike("a", "u000")
    shop.bench.change("a", likeTally=Number("2"))
    dialog = shop.open_repair(planned)
    dialog.approval.was_read.setChecked(True)
    dialog.approval.field.setText("Social")
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    assert texts_of(dialog, 6) == ["not needed", "repaired"]


def test_large_changes_are_allowed_on_purpose_only(new_shop: NewShop) -> None:
    shop = new_shop(*drifted("big", 900, 3))
    dialog = shop.open_repair()
    dialog.approval.was_read.setChecked(True)
    dialog.approval.field.setText("Social")
    assert dialog.outcome.said.startswith("Nothing can be applied. Raise the limits on purpose")
    assert not dialog.go_button.isEnabled()
    assert dialog.max_delta.isVisibleTo(dialog)
    dialog.max_delta.setText("896")
    assert not dialog.go_button.isEnabled()
    dialog.max_delta.setText("897")
    assert dialog.go_button.isEnabled()
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    assert shop.bench.tally("big") == 3


def test_a_connection_that_only_reads_plans_and_says_why_it_does_not_apply(new_shop: NewShop, tmp_path: Path) -> None:
    shop = new_shop(read_only=True)
    dialog = shop.open_repair()
    assert "The connection shop is read-only" in dialog.outcome.said
    assert not dialog.approval.isVisibleTo(dialog)
    assert not dialog.go_button.isEnabled()
    shop.asker.path = tmp_path / "plan.json"
    dialog.save_button.click()
    shop.wait_for(shop.asker.path.exists)
    assert len(read_plan(shop.asker.path.read_text(encoding="utf-8"), "plan.json").repairs) == 2


def test_a_plan_that_is_too_old_is_not_applied(shop: Shop) -> None:
    planned = shop.planned()
    old = replace(planned, plan=replace(planned.plan, created="2020-01-01T00:00:00.000Z"))
    dialog = shop.open_repair(old)
    assert "The plan is too old" in dialog.outcome.said
    assert not dialog.go_button.isEnabled()


def test_what_is_left_out_is_listed_with_its_reason(new_shop: NewShop) -> None:
    shop = new_shop(*drifted("a", 5, 3), *drifted("b", 2, 3, rev=Number("1e400")), guard=VERSION)
    shop.bench.change("b", rev=Number("7"))
    shop.bench.reader.put("Social", {key: value for key, value in shop.bench.parent("b").items() if key != "rev"})
    dialog = shop.open_repair()
    assert dialog.tabs.isVisibleTo(dialog)
    dialog.tabs.setCurrentIndex(1)
    model = dialog.left_out.model()
    assert [model.index(0, column).data() for column in range(2)] == ["post likes", "POST#b / META"]
    assert "the drift is probable only" in str(model.index(0, 2).data())


def test_production_is_told_by_word_and_ground(new_shop: NewShop) -> None:
    dialog = new_shop(stage="production").open_repair()
    chips = [widget.accessibleName() for widget in dialog.findChildren(QWidget)]
    assert "PRODUCTION" in chips


def test_everything_is_reached_by_tab_and_has_a_name(shop: Shop) -> None:
    dialog = shop.open_repair()
    controls = [
        widget
        for widget in dialog.findChildren(QWidget)
        if widget.isVisibleTo(dialog)
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.objectName().startswith("qt_")
    ]
    nameless = [
        type(widget).__name__
        for widget in controls
        if not (widget.accessibleName() or QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name))
    ]
    assert len(controls) > 6
    assert nameless == []
    assert dialog.focusWidget() is dialog.approval.field


def test_esc_stops_what_runs_and_then_closes(shop: Shop) -> None:
    dialog = shop.open_repair()
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)

    def stop() -> None:
        if dialog.job is not None:
            dialog.job.cancel()

    shop.bench.writer.before = stop
    dialog.approval.was_read.setChecked(True)
    dialog.approval.field.setText("Social")
    dialog.go_button.click()
    shop.wait_for(lambda: dialog.state == "over")
    assert "Stopped: cancelled" in dialog.outcome.said
    assert texts_of(dialog, 6)[1] == "not tried"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_the_request_is_copied(shop: Shop) -> None:
    dialog = shop.open_repair()
    copy = next(widget for widget in dialog.findChildren(QWidget) if widget.accessibleName() == "Copy the request")
    QTest.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert json.loads(QGuiApplication.clipboard().text())["TableName"] == "Social"


@pytest.mark.parametrize("name", ["again", "undo"])
def test_what_comes_next_is_asked_for_when_the_dialog_is_closed(shop: Shop, name: str) -> None:
    dialog = shop.apply_all()
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    asked: list[object] = []
    dialog.run_asked.connect(lambda: asked.append("again"))
    dialog.undo_asked.connect(asked.append)
    {"again": dialog.again_button, "undo": dialog.undo_button}[name].click()
    assert asked == (["again"] if name == "again" else [tuple(dialog.results)])
    assert not dialog.isVisible()


@pytest.mark.parametrize("kind", ["repair", "undo", "journal"])
def test_a_closed_dialog_is_gone_at_once(shop: Shop, kind: str) -> None:
    """Left to the garbage collector it could be taken apart on a thread that works for another window."""
    gc.disable()
    try:
        dialog: QDialog = shop.apply_all()
        if kind == "journal":
            dialog = shop.open_journal()
        elif kind == "undo":
            dialog = shop.open_undo()
        shop.wait_for(lambda: not shop.runner.findChildren(Job))
        opened = weakref.ref(dialog)
        dialog.reject()
        del dialog
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert opened() is None
    finally:
        gc.enable()
