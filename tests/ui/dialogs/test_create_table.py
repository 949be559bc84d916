"""Making tables and indexes by clicks and keys: checked as one types, the exact request seen, the journal first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from dynodesk.domain.errors import InvalidRequest, NotAllowed, OutcomeUnknown
from dynodesk.domain.table_changes import CreateIndex, CreateTable, TableChange
from dynodesk.domain.table_work import INTENT, OUTCOME
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, Throughput
from dynodesk.ui.dialogs.create_table import PROVISIONED, CreateIndexDialog, CreateTableDialog
from dynodesk.ui.dialogs.create_table_index import IndexEditor
from dynodesk.ui.dialogs.table_change import TableChangeDialog
from tests.ui.dialogs.table_shop import PROFILE, SOCIAL, TableShop


@pytest.fixture
def shop(dressed_application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[TableShop]:
    made = TableShop(tmp_path / "journal", qtbot, SOCIAL)
    yield made
    made.close()


def opened(dialog: TableChangeDialog, qtbot: QtBot) -> list[tuple[str, TableChange]]:
    """Shows it; what it tells, in order."""
    told: list[tuple[str, TableChange]] = []
    dialog.taken.connect(lambda change: told.append(("taken", change)))
    dialog.settled.connect(lambda change: told.append(("settled", change)))
    qtbot.addWidget(dialog)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    dialog.show()
    dialog.activateWindow()
    return told


def choose(chosen: QComboBox, data: str) -> None:
    chosen.setCurrentIndex(chosen.findData(data))


def shown_request(dialog: TableChangeDialog) -> object:
    return json.loads(dialog.request.code.toPlainText())


def test_a_table_is_made_by_keys(shop: TableShop) -> None:
    dialog = CreateTableDialog(shop.tools, shop.runner)
    told = opened(dialog, shop.qtbot)
    assert dialog.focusWidget() is dialog.name
    QTest.keyClicks(dialog.name, "Orders")
    QTest.keyClick(dialog.name, Qt.Key.Key_Tab)
    assert dialog.focusWidget() is dialog.partition.parts[0].edit
    QTest.keyClicks(dialog.partition.parts[0].edit, "PK")
    assert shown_request(dialog) == {
        "TableName": "Orders",
        "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    shop.qtbot.waitUntil(lambda: dialog.state == "over")
    change = CreateTable("Orders", KeySchema((KeyAttribute("PK", "S"),)))
    assert shop.tables.sent == [change]
    assert told == [("taken", change), ("settled", change)]
    assert "The table Orders is active" in dialog.outcome.said
    assert [record.kind for record in shop.journal.records()] == [INTENT, OUTCOME]
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_every_choice_is_in_the_request(shop: TableShop) -> None:
    dialog = CreateTableDialog(shop.tools, shop.runner)
    opened(dialog, shop.qtbot)
    dialog.name.setText("Orders")
    dialog.partition.parts[0].edit.setText("PK")
    choose(dialog.partition.parts[0].type, "B")
    dialog.sort.parts[0].edit.setText("SK")
    choose(dialog.sort.parts[0].type, "N")
    dialog.billing.setCurrentText(PROVISIONED)
    dialog.capacity.read.setText("7")
    choose(dialog.stream, "OLD_IMAGE")
    choose(dialog.table_class, "STANDARD_INFREQUENT_ACCESS")
    dialog.protection.setChecked(True)
    QTest.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    (wide,) = dialog.indexes
    QTest.keyClicks(wide.name, "wide")
    QTest.keyClicks(wide.partition.parts[0].edit, "tenant")
    QTest.mouseClick(wide.partition.add_button, Qt.MouseButton.LeftButton)
    QTest.keyClicks(wide.partition.parts[1].edit, "kind")
    choose(wide.projection, "INCLUDE")
    wide.included.edit.setPlainText("title\nlikes\xa0count\n")
    dialog.add_index()
    local = dialog.indexes[1]
    choose(local.kind, "LSI")
    local.name.setText("local")
    local.sort.parts[0].edit.setText("at")
    choose(local.projection, "KEYS_ONLY")
    pk = KeyAttribute("PK", "B")
    assert dialog.change() == CreateTable(
        "Orders",
        KeySchema((pk,), (KeyAttribute("SK", "N"),)),
        (
            IndexInfo(
                "wide",
                "GSI",
                KeySchema((KeyAttribute("tenant", "S"), KeyAttribute("kind", "S"))),
                Projection("INCLUDE", ("title", "likes\xa0count")),
                throughput=Throughput(5, 5),
            ),
            IndexInfo("local", "LSI", KeySchema((pk,), (KeyAttribute("at", "S"),)), Projection("KEYS_ONLY")),
        ),
        is_provisioned=True,
        throughput=Throughput(7, 5),
        stream_view="OLD_IMAGE",
        is_protected=True,
        table_class="STANDARD_INFREQUENT_ACCESS",
    )
    QTest.mouseClick(wide.remove_button, Qt.MouseButton.LeftButton)
    assert [index.name for index in dialog.change().indexes] == ["local"]
    dialog.reject()


def test_what_is_wrong_is_said_while_typing(shop: TableShop) -> None:
    dialog = CreateTableDialog(shop.tools, shop.runner)
    opened(dialog, shop.qtbot)
    name, sort = dialog._rows["name"], dialog._rows["sort"]
    assert name.remark.text == ""  # empty is no mistake yet
    QTest.keyClicks(dialog.name, "my t")
    assert "not a space" in name.remark.text
    dialog.name.setText("mine")
    assert name.remark.text == ""
    dialog.partition.parts[0].edit.setText("PK")
    dialog.sort.parts[0].edit.setText("PK")
    assert "in this key already" in sort.remark.text
    dialog.reject()


def test_nothing_is_sent_that_is_incomplete(shop: TableShop) -> None:
    dialog = CreateTableDialog(shop.tools, shop.runner)
    opened(dialog, shop.qtbot)
    dialog.add_index()
    QTest.mouseClick(dialog.go_button, Qt.MouseButton.LeftButton)
    assert dialog.focusWidget() is dialog.name
    assert dialog._rows["partition"].is_invalid
    assert all(row.is_invalid for row in dialog.indexes[0].rows[:2])
    assert (dialog.state, shop.tables.sent, shop.journal.records()) == ("asking", [], ())
    dialog.reject()


def test_a_table_that_is_there_already(shop: TableShop) -> None:
    dialog = CreateTableDialog(shop.tools, shop.runner)
    told = opened(dialog, shop.qtbot)
    dialog.name.setText("Social")
    dialog.partition.parts[0].edit.setText("PK")
    dialog.go_button.click()
    shop.qtbot.waitUntil(lambda: dialog.outcome.message is not None)
    assert "There is a table Social already" in dialog.outcome.said
    assert (dialog.state, told, shop.tables.sent) == ("asking", [], [])
    dialog.name.setText("Social2")
    assert dialog.outcome.message is None
    dialog.reject()


def test_a_refusal_leaves_the_form_as_it_is(shop: TableShop) -> None:
    shop.tables.answer = NotAllowed("These credentials may not do dynamodb:CreateTable.")
    dialog = CreateTableDialog(shop.tools, shop.runner)
    told = opened(dialog, shop.qtbot)
    dialog.name.setText("Orders")
    dialog.partition.parts[0].edit.setText("PK")
    dialog.go_button.click()
    shop.qtbot.waitUntil(lambda: dialog.outcome.message is not None)
    assert "may not do dynamodb:CreateTable" in dialog.outcome.said
    assert (dialog.state, told) == ("asking", [])
    assert dialog.go_button.isEnabled()
    dialog.reject()


def test_a_lost_answer_is_looked_for_and_never_sent_again(shop: TableShop) -> None:
    shop.tables.answer, shop.tables.loses = OutcomeUnknown("no answer"), False
    dialog = CreateTableDialog(shop.tools, shop.runner)
    told = opened(dialog, shop.qtbot)
    dialog.name.setText("Orders")
    dialog.partition.parts[0].edit.setText("PK")
    dialog.go_button.click()
    shop.qtbot.waitUntil(lambda: dialog.state == "over")
    assert len(shop.tables.sent) == 1
    assert [kind for kind, _ in told] == ["taken", "settled"]
    outcomes = [record.payload["outcome"] for record in shop.journal.records() if record.kind == OUTCOME]
    assert outcomes == ["unknown", "accepted"]
    dialog.reject()


def test_the_waiting_can_be_stopped_and_the_change_goes_on(shop: TableShop) -> None:
    shop.tables.pending.clear()
    dialog = CreateTableDialog(shop.tools, shop.runner)
    told = opened(dialog, shop.qtbot)
    dialog.name.setText("Orders")
    dialog.partition.parts[0].edit.setText("PK")
    dialog.go_button.click()
    shop.qtbot.waitUntil(lambda: "Orders is updating" in dialog.outcome.words)
    assert dialog.state == "waiting"
    assert not dialog.name.isEnabled()
    assert dialog.cancel_button.text() == "Stop waiting"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    shop.qtbot.waitUntil(lambda: dialog.state == "over")
    assert dialog.isVisible()
    assert "goes on" in dialog.outcome.said
    assert [kind for kind, _ in told] == ["taken", "settled"]
    assert "Orders" in shop.tables.infos
    dialog.reject()


def test_a_read_only_connection_says_so_and_sends_nothing(
    dressed_application: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    shop = TableShop(tmp_path / "journal", qtbot, SOCIAL, profile=replace(PROFILE, read_only=True))
    dialog = CreateTableDialog(shop.tools, shop.runner)
    opened(dialog, qtbot)
    dialog.name.setText("Orders")
    dialog.partition.parts[0].edit.setText("PK")
    assert not dialog.go_button.isEnabled()
    assert "read-only" in dialog.outcome.said
    dialog.go()
    assert (dialog.state, shop.tables.sent) == ("asking", [])
    dialog.reject()
    shop.close()


def test_an_index_is_added_to_a_table(shop: TableShop) -> None:
    dialog = CreateIndexDialog(SOCIAL, shop.tools, shop.runner)
    told = opened(dialog, shop.qtbot)
    assert dialog.focusWidget() is dialog.editor.name
    QTest.keyClicks(dialog.editor.name, "GSI1")
    assert "There is an index GSI1 already" in dialog.editor.rows[0].remark.text
    dialog.editor.name.setText("by-kind")
    dialog.editor.partition.parts[0].edit.setText("kind")
    dialog.go_button.click()
    shop.qtbot.waitUntil(lambda: dialog.state == "over")
    (change,) = shop.tables.sent
    assert isinstance(change, CreateIndex)
    assert change.index.key_schema == KeySchema((KeyAttribute("kind", "S"),))
    assert [kind for kind, _ in told] == ["taken", "settled"]
    assert "The index by-kind of Social is active" in dialog.outcome.said
    dialog.reject()


def test_the_request_as_code(shop: TableShop) -> None:
    dialog = CreateIndexDialog(SOCIAL, shop.tools, shop.runner)
    opened(dialog, shop.qtbot)
    dialog.editor.name.setText("by-kind")
    for n, start in ((1, "import boto3"), (2, "aws dynamodb update-table --cli-input-json")):
        dialog.request.forms.setCurrentIndex(n)
        assert dialog.request.code.toPlainText().startswith(start)
        dialog.request.copy_button.click()
        assert QApplication.clipboard().text() == dialog.request.code.toPlainText()
    dialog.reject()


@pytest.mark.gui
def test_a_key_whose_first_attribute_is_taken_away_still_tells_what_is_wrong_with_it(
    dressed_application: QApplication, qtbot: QtBot
) -> None:
    editor = IndexEditor(1)
    qtbot.addWidget(editor)
    editor.sort.set_most(4)
    QTest.mouseClick(editor.sort.add_button, Qt.MouseButton.LeftButton)
    first, second = editor.sort.parts
    QTest.mouseClick(first.remove_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not isValid(first))
    assert editor.sort.parts == [second]
    editor.show_problems({"sort": InvalidRequest("no such type")}, is_due=True)
    assert second.edit.property("invalid") is True
