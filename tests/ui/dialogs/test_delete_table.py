"""Deleting tables and indexes: the name typed first, the exact request, what cannot be told from an estimate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from dynodesk.domain.errors import OutcomeUnknown
from dynodesk.domain.table_changes import DeleteIndex, DeleteTable
from dynodesk.domain.table_work import LOOKS
from dynodesk.ui.dialogs.delete_table import DeleteIndexDialog, DeleteTableDialog
from dynodesk.ui.dialogs.table_change import TableChangeDialog
from tests.ui.dialogs.table_shop import PROFILE, SOCIAL, TableShop
from tests.ui.dialogs.test_create_table import opened, shown_request


@pytest.fixture
def shop(dressed_application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[TableShop]:
    made = TableShop(tmp_path / "journal", qtbot, SOCIAL)
    yield made
    made.close()


def words(dialog: TableChangeDialog) -> str:
    return "\n".join(label.text() for label in dialog.findChildren(QLabel))


def test_the_name_is_typed_before_a_table_is_deleted(shop: TableShop) -> None:
    dialog = DeleteTableDialog(SOCIAL, shop.tools, shop.runner)
    told = opened(dialog, shop.qtbot)
    assert dialog.approval is not None
    assert dialog.focusWidget() is dialog.approval.field
    assert shown_request(dialog) == {"TableName": "Social"}
    for typed in ("", "Socia", "social"):
        dialog.approval.field.setText(typed)
        assert not dialog.go_button.isEnabled()
        QTest.keyClick(dialog.approval.field, Qt.Key.Key_Return)
    assert shop.tables.sent == []
    dialog.approval.field.setText("Social")
    QTest.keyClick(dialog.approval.field, Qt.Key.Key_Return)
    shop.qtbot.waitUntil(lambda: dialog.state == "over")
    assert shop.tables.sent == [DeleteTable(SOCIAL)]
    assert [kind for kind, _ in told] == ["taken", "settled"]
    assert "The table Social is deleted" in dialog.outcome.said
    dialog.reject()


def test_a_count_of_zero_is_not_told_as_an_empty_table(shop: TableShop) -> None:
    dialog = DeleteTableDialog(SOCIAL, shop.tools, shop.runner)
    opened(dialog, shop.qtbot)
    said = words(dialog)
    assert "About 0 items" in said
    assert "up to six hours ago" in said
    assert "may hold more now" in said
    assert "GSI1, by-time" in said
    dialog.reject()


@pytest.mark.parametrize(
    ("info", "profile", "says"),
    [
        (replace(SOCIAL, is_protected=True), PROFILE, "deletion protection is on"),
        (SOCIAL, replace(PROFILE, read_only=True), "is read-only"),
    ],
)
def test_what_cannot_be_deleted_says_why(
    dressed_application: QApplication, qtbot: QtBot, tmp_path: Path, info: object, profile: object, says: str
) -> None:
    shop = TableShop(tmp_path / "journal", qtbot, info, profile=profile)  # type: ignore[arg-type]  # as parametrized
    dialog = DeleteTableDialog(info, shop.tools, shop.runner)  # type: ignore[arg-type]  # as parametrized
    opened(dialog, qtbot)
    assert says in dialog.outcome.said
    assert dialog.approval is not None
    dialog.approval.field.setText("Social")
    assert not dialog.go_button.isEnabled()
    dialog.go()
    assert shop.tables.sent == []
    dialog.reject()
    shop.close()


def test_a_table_made_anew_meanwhile_is_not_deleted(shop: TableShop) -> None:
    dialog = DeleteTableDialog(SOCIAL, shop.tools, shop.runner)
    opened(dialog, shop.qtbot)
    shop.tables.infos["Social"] = replace(SOCIAL, id="id-9")
    assert dialog.approval is not None
    dialog.approval.field.setText("Social")
    dialog.go_button.click()
    shop.qtbot.waitUntil(lambda: dialog.outcome.message is not None)
    assert "made anew" in dialog.outcome.said
    assert (dialog.state, shop.tables.sent) == ("asking", [])
    dialog.reject()


def test_an_index_is_deleted_by_its_own_name(shop: TableShop) -> None:
    dialog = DeleteIndexDialog(SOCIAL, "GSI1", shop.tools, shop.runner)
    opened(dialog, shop.qtbot)
    assert dialog.approval is not None
    dialog.approval.field.setText("Social")
    assert not dialog.go_button.isEnabled()
    dialog.approval.field.setText("GSI1")
    dialog.go_button.click()
    shop.qtbot.waitUntil(lambda: dialog.state == "over")
    assert shop.tables.sent == [DeleteIndex(SOCIAL, "GSI1")]
    assert "The index GSI1 of Social is deleted" in dialog.outcome.said
    dialog.reject()


def test_what_stays_unknown_cannot_be_sent_again_from_here(shop: TableShop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynodesk.domain.table_work.LOOKS", tuple(0.01 for _ in LOOKS))
    shop.tables.answer = OutcomeUnknown("no answer")
    dialog = DeleteTableDialog(SOCIAL, shop.tools, shop.runner)
    told = opened(dialog, shop.qtbot)
    assert dialog.approval is not None
    dialog.approval.field.setText("Social")
    dialog.go_button.click()
    shop.qtbot.waitUntil(lambda: dialog.state == "over")
    assert len(shop.tables.sent) == 1
    assert "not sent again" in dialog.outcome.said
    assert not dialog.go_button.isVisible()
    assert [kind for kind, _ in told] == ["taken"]  # what is listed may have changed
    dialog.reject()
