"""The details of a table: every part told, a refusal at the part that was refused, an estimate never as the truth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from dynodesk.domain.errors import NotAllowed, ServiceFailed, TableMissing
from dynodesk.domain.progress import Ticket
from dynodesk.domain.table_changes import DeleteIndex, TableChange
from dynodesk.domain.tables import (
    IndexInfo,
    KeyAttribute,
    KeySchema,
    Projection,
    Recovery,
    TableInfo,
    TableStream,
    Throughput,
    TimeToLive,
)
from dynodesk.ui.dialogs.create_table import CreateIndexDialog
from dynodesk.ui.dialogs.delete_table import DeleteIndexDialog, DeleteTableDialog
from dynodesk.ui.pages.table_details import DetailsFrame, TableDetailsPage
from tests.ui.dialogs.table_shop import PROFILE, SOCIAL, TableShop

WIDE = IndexInfo(
    "wide",
    "GSI",
    KeySchema(
        (KeyAttribute("tenant", "S"), KeyAttribute("kind", "S")), (KeyAttribute("at", "N"), KeyAttribute("id", "B"))
    ),
    Projection("INCLUDE", ("title", "likes")),
    status="CREATING",
    is_backfilling=True,
    throughput=Throughput(3, 4),
    item_count_estimate=12,
    size_bytes_estimate=2048,
)


@dataclass
class Seen:
    page: TableDetailsPage
    shop: TableShop
    opened: list[tuple[str, str | None]] = field(default_factory=list)
    changes: list[TableChange] = field(default_factory=list)

    def fact(self, name: str) -> str:
        return self.page.facts.fact(name).text

    def rows(self) -> list[list[str]]:
        model = self.page.indexes.model
        return [[cell.text for cell in model.row_at(n).cells] for n in range(model.rowCount())]

    def dialog(self) -> QDialog | None:
        return next((dialog for dialog in self.page.findChildren(QDialog) if dialog.isVisible()), None)


@pytest.fixture
def shop(dressed_application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[TableShop]:
    made = TableShop(tmp_path / "journal", qtbot, SOCIAL)
    yield made
    made.close()


def seen(shop: TableShop) -> Seen:
    opened: list[tuple[str, str | None]] = []
    changes: list[TableChange] = []
    frame = DetailsFrame(lambda table, index: opened.append((table, index)), changes.append)
    page = TableDetailsPage("Social", shop.tools, shop.runner, frame)
    shop.qtbot.addWidget(page)
    with shop.qtbot.waitSignal(page.loaded):
        page.show()
    return Seen(page, shop, opened, changes)


def test_everything_that_is_told(shop: TableShop) -> None:
    shop.tables.infos["Social"] = replace(
        SOCIAL,
        indexes=(WIDE, *SOCIAL.indexes),
        billing="PROVISIONED",
        throughput=Throughput(5, 6),
        table_class="STANDARD_INFREQUENT_ACCESS",
        stream=TableStream("arn:aws:dynamodb:eu-west-1:1:table/Social/stream/x", "NEW_IMAGE"),
        is_protected=True,
        item_count_estimate=1204,
        size_bytes_estimate=307_200,
    )
    shop.tables.expiry = TimeToLive("expires", "ENABLED")
    shop.tables.recovery = Recovery("ENABLED", "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00")
    details = seen(shop)
    facts = {name: details.fact(name) for name in details.page.facts.NAMES}
    assert facts == {
        "Key": "PK (partition, string), SK (sort, string)",
        "Items and size": "About 1,204 items, 300.0 KB: as last estimated by the service, up to six hours ago",
        "Billing": "Provisioned",
        "Capacity": "5 RCU, 6 WCU",
        "Table class": "Standard, infrequent access",
        "Time to Live": "On: an item expires at the time in expires",
        "Stream": "On: item after the change (NEW_IMAGE)",
        "Stream ARN": "arn:aws:dynamodb:eu-west-1:1:table/Social/stream/x",
        "Point-in-time recovery": "On: any moment from 2026-01-01 00:00:00 UTC to 2026-01-02 00:00:00 UTC",
        "Deletion protection": "On: it has to be switched off before",
        "Created": "2026-01-02 03:04:05 UTC",
        "ARN": SOCIAL.arn,
    }
    assert details.rows() == [
        [
            "wide",
            "GSI",
            "tenant (partition 1, string), kind (partition 2, string), at (sort 1, number), id (sort 2, binary)",
            "keys and title, likes",
            "backfilling",
            "12",
            "2.0 KB",
            "3 RCU, 4 WCU",
        ],
        ["GSI1", "GSI", "GSI1PK (partition, string)", "all attributes", "active", "", "", ""],
        [
            "by-time",
            "LSI",
            "PK (partition, string), at (sort, number)",
            "all attributes",
            "active",
            "",
            "",
            "the table's",
        ],
    ]
    made = json.loads(details.page.request.code.toPlainText())
    assert [index["IndexName"] for index in made["GlobalSecondaryIndexes"]] == ["wide", "GSI1"]
    assert made["ProvisionedThroughput"] == {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
    assert made["DeletionProtectionEnabled"] is True


def test_a_count_that_is_hours_old_is_never_told_as_the_count(shop: TableShop) -> None:
    """DescribeTable may say 0 of a table that holds a thousand items."""
    said = seen(shop).fact("Items and size")
    assert said.startswith("About 0 items")
    assert said.endswith("up to six hours ago")


def test_a_part_that_is_refused_says_so_and_the_rest_is_told(shop: TableShop) -> None:
    shop.tables.expiry = NotAllowed("These credentials may not do dynamodb:DescribeTimeToLive.", hint="Ask for it.")
    details = seen(shop)
    assert details.fact("Time to Live") == "These credentials may not do dynamodb:DescribeTimeToLive. Ask for it."
    assert details.fact("Key").startswith("PK")
    assert details.fact("Point-in-time recovery").startswith("Off")
    shop.tables.expiry = TimeToLive("", "DISABLED")
    with shop.qtbot.waitSignal(details.page.loaded):
        QTest.keyClick(details.page, Qt.Key.Key_F5)
    assert details.fact("Time to Live") == "Off"


def test_a_table_that_may_not_be_described(shop: TableShop) -> None:
    shop.tables.refused = NotAllowed("These credentials may not do dynamodb:DescribeTable.")
    details = seen(shop)
    assert "may not do dynamodb:DescribeTable" in details.fact("Key")
    assert details.page.facts.fact("Billing").isHidden()
    assert details.fact("Point-in-time recovery").startswith("Off")
    assert not details.page.add_action.isEnabled()
    assert details.page.add_action.toolTip() == "The table is not described."
    shop.tables.refused = None
    with shop.qtbot.waitSignal(details.page.loaded):
        details.page.refresh_action.trigger()
    assert details.fact("Billing") == "On-demand"
    assert details.page.add_action.isEnabled()


def test_a_deleted_table_says_so_in_one_sentence(shop: TableShop) -> None:
    details = seen(shop)
    shop.tables.refused = TableMissing("Social or its index does not exist.")
    shop.tables.expiry = shop.tables.recovery = ServiceFailed("The service refused the request: Table not found")
    with shop.qtbot.waitSignal(details.page.loaded):
        details.page.refresh_action.trigger()
    facts = details.page.facts
    assert facts.gone.isVisible()
    assert facts.gone.text() == "The table Social does not exist here: it was deleted, or never made."
    assert [name for name in facts.NAMES if facts.fact(name).isVisible()] == []
    assert not details.page.indexes.isVisible()
    shop.tables.refused, shop.tables.expiry, shop.tables.recovery = (
        None,
        TimeToLive("", "DISABLED"),
        Recovery("DISABLED"),
    )
    with shop.qtbot.waitSignal(details.page.loaded):
        details.page.refresh_action.trigger()
    assert not facts.gone.isVisible()
    assert facts.fact("Key").isVisible()
    assert details.page.indexes.isVisible()


def test_the_arn_is_copied(shop: TableShop) -> None:
    details = seen(shop)
    QTest.mouseClick(details.page.facts.fact("ARN").copy_button, Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == SOCIAL.arn


def test_an_index_is_chosen_browsed_and_deleted(shop: TableShop) -> None:
    details = seen(shop)
    page, grid = details.page, details.page.indexes.grid
    assert page.delete_index_action.toolTip() == "Choose a global index."
    page.browse_action.trigger()
    grid.setCurrentIndex(page.indexes.model.index(1, 0))  # a local one goes with its table only
    assert not page.delete_index_action.isEnabled()
    grid.setCurrentIndex(page.indexes.model.index(0, 0))
    assert page.delete_index_action.isEnabled()
    page.browse_action.trigger()
    assert details.opened == [("Social", None), ("Social", "GSI1")]
    QTest.keyClick(grid, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "GSI1"
    page.delete_index_action.trigger()
    dialog = details.dialog()
    assert isinstance(dialog, DeleteIndexDialog)
    assert dialog.approval is not None
    dialog.approval.field.setText("GSI1")
    dialog.go_button.click()
    shop.qtbot.waitUntil(lambda: [row[0] for row in details.rows()] == ["by-time"])
    shop.qtbot.waitUntil(lambda: len(details.changes) == 2)
    dialog.reject()


def test_an_index_is_added_and_the_page_follows(shop: TableShop) -> None:
    details = seen(shop)
    details.page.add_action.trigger()
    dialog = details.dialog()
    assert isinstance(dialog, CreateIndexDialog)
    dialog.editor.name.setText("by-kind")
    dialog.editor.partition.parts[0].edit.setText("kind")
    dialog.go_button.click()
    shop.qtbot.waitUntil(lambda: "by-kind" in [row[0] for row in details.rows()])
    shop.qtbot.waitUntil(lambda: dialog.state == "over")
    dialog.reject()


def test_what_was_done_from_here_is_told(shop: TableShop) -> None:
    details = seen(shop)
    assert details.page.changes.nothing.text() == "None is in the journal."
    shop.tools.hands().carry_out(DeleteIndex(SOCIAL, "GSI1"), Ticket())
    with shop.qtbot.waitSignal(details.page.loaded):
        details.page.refresh_action.trigger()
    row = details.page.changes.model.row_at(0)
    assert [cell.text for cell in row.cells[1:]] == ["delete index GSI1", "accepted", ""]
    shop.journal.path.write_bytes(b"broken\n")
    with shop.qtbot.waitSignal(details.page.loaded):
        details.page.refresh_action.trigger()
    assert "is not what was written to it" in details.page.changes.nothing.text()
    assert details.fact("Key").startswith("PK")


def test_the_table_is_deleted_from_its_page(shop: TableShop) -> None:
    details = seen(shop)
    QTest.mouseClick(details.page.delete_button, Qt.MouseButton.LeftButton)
    dialog = details.dialog()
    assert isinstance(dialog, DeleteTableDialog)
    dialog.reject()
    assert details.dialog() is None
    assert shop.tables.sent == []


@pytest.mark.parametrize(
    ("info", "read_only", "says"),
    [(SOCIAL, True, "is read-only"), (replace(SOCIAL, is_protected=True), False, "deletion protection is on")],
)
def test_actions_that_cannot_be_done_say_why(
    dressed_application: QApplication, qtbot: QtBot, tmp_path: Path, info: TableInfo, read_only: bool, says: str
) -> None:
    shop = TableShop(tmp_path / "journal", qtbot, info, profile=replace(PROFILE, read_only=read_only))
    page = seen(shop).page
    assert not page.delete_button.isEnabled()
    assert says in page.delete_button.toolTip()
    assert page.add_action.isEnabled() is not read_only
    shop.close()
