"""The list at the left, by keys: filter, choose, open; what is chosen and unfolded stays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.ui.models.table_tree import Place
from dynodesk.ui.shell import SANDBOX
from dynodesk.ui.widgets.navigator import Navigator

KEYS = KeySchema((KeyAttribute("PK", "S"),))
SOCIAL = TableInfo("social", KEYS, (IndexInfo("GSI1", "GSI", KEYS, Projection("ALL")),))
LONG = "x" * 255
NAMES = ("audit", "orders", "orders-2024", "orders-2025", "social", "stats", LONG)


@pytest.fixture
def navigator(dressed_application: QApplication, qtbot: QtBot) -> Iterator[Navigator]:
    made = Navigator()
    qtbot.addWidget(made)
    made.resize(260, 400)
    made.show()
    made.set_tables(SANDBOX, NAMES)
    made.set_descriptions(SANDBOX, {"social": SOCIAL})
    made.activateWindow()
    made.tree.setFocus()
    yield made
    made.close()


@pytest.fixture
def opened(navigator: Navigator) -> list[Place]:
    places: list[Place] = []
    navigator.place_opened.connect(places.append)
    return places


def table(name: str) -> Place:
    return Place("table", SANDBOX, name)


def test_letters_go_to_the_table_and_enter_opens_it(navigator: Navigator, opened: list[Place]) -> None:
    QTest.keyClicks(navigator.tree, "soc")
    assert navigator.current == table("social")
    QTest.keyClick(navigator.tree, Qt.Key.Key_Return)
    QTest.keyClick(navigator.tree, Qt.Key.Key_Right)
    QTest.keyClick(navigator.tree, Qt.Key.Key_Down)
    QTest.keyClick(navigator.tree, Qt.Key.Key_Enter)
    assert opened == [table("social"), Place("index", SANDBOX, "social", "GSI1")]


def test_enter_on_the_heading_opens_nothing(navigator: Navigator, opened: list[Place]) -> None:
    navigator.select_table(SANDBOX, "audit")
    QTest.keyClick(navigator.tree, Qt.Key.Key_Up)
    assert navigator.current == Place("tables", SANDBOX)
    QTest.keyClick(navigator.tree, Qt.Key.Key_Return)
    assert opened == []


def test_a_name_typed_into_the_filter_opens_its_table(navigator: Navigator, opened: list[Place]) -> None:
    navigator.field.setFocus()
    QTest.keyClicks(navigator.field, "orders")
    QTest.keyClick(navigator.field, Qt.Key.Key_Return)
    assert opened == [table("orders")]  # the one of this very name, though others begin with it


def test_a_part_of_a_name_goes_to_the_first_that_is_kept(navigator: Navigator, opened: list[Place]) -> None:
    navigator.field.setFocus()
    QTest.keyClicks(navigator.field, "2025")
    QTest.keyClick(navigator.field, Qt.Key.Key_Return)
    assert opened == []
    assert navigator.current == table("orders-2025")
    assert navigator.tree.hasFocus()
    QTest.keyClick(navigator.tree, Qt.Key.Key_Return)
    assert opened == [table("orders-2025")]


def test_down_leads_from_the_filter_into_the_list(navigator: Navigator) -> None:
    navigator.field.setFocus()
    QTest.keyClicks(navigator.field, "sta")
    QTest.keyClick(navigator.field, Qt.Key.Key_Down)
    assert navigator.current == table("stats")
    assert navigator.tree.hasFocus()


def test_a_table_that_is_not_listed_opens_by_its_name(navigator: Navigator, opened: list[Place]) -> None:
    navigator.field.setFocus()
    QTest.keyClicks(navigator.field, "Hidden.Table")
    assert not navigator.none_found.isHidden()
    QTest.keyClick(navigator.field, Qt.Key.Key_Return)
    assert opened == [table("Hidden.Table")]
    navigator.field.clear()
    assert navigator.none_found.isHidden()


def test_who_may_not_list_tables_is_told_how_to_open_one(navigator: Navigator, opened: list[Place]) -> None:
    navigator.set_not_listed(SANDBOX, (), "These credentials may not do dynamodb:ListTables.")
    navigator.field.setFocus()
    QTest.keyClicks(navigator.field, "orders")
    QTest.keyClick(navigator.field, Qt.Key.Key_Return)
    assert opened == [table("orders")]


def test_what_is_chosen_and_unfolded_stays_through_filter_and_refresh(navigator: Navigator) -> None:
    navigator.select_table(SANDBOX, "social")
    gsi = Place("index", SANDBOX, "social", "GSI1")
    QTest.keyClick(navigator.tree, Qt.Key.Key_Down)
    assert navigator.current == gsi
    changes: list[Place | None] = []
    navigator.place_changed.connect(changes.append)
    navigator.set_tables(SANDBOX, ("another", *NAMES))
    navigator.set_descriptions(SANDBOX, {"social": SOCIAL})
    assert navigator.current == gsi
    assert changes == []
    navigator.field.setText("stats")
    assert navigator.current != gsi
    navigator.field.clear()
    assert navigator.current == gsi
    navigator.field.setText("soc")
    assert navigator.current == gsi


def test_a_table_that_is_gone_is_no_longer_chosen(navigator: Navigator) -> None:
    navigator.select_table(SANDBOX, "social")
    navigator.set_tables(SANDBOX, ("audit",))
    assert navigator.current != table("social")


def test_a_long_name_is_shown_in_full_in_its_tip(navigator: Navigator) -> None:
    navigator.select_table(SANDBOX, LONG)
    box = navigator.tree.visualRect(navigator.tree.currentIndex())
    assert box.width() <= navigator.tree.viewport().width()
    where = QPoint(20, box.center().y())
    tip = QHelpEvent(QEvent.Type.ToolTip, where, navigator.tree.viewport().mapToGlobal(where))
    assert navigator.tree.viewport().event(tip)
    assert LONG in navigator.tree.currentIndex().data(Qt.ItemDataRole.ToolTipRole)


def test_five_thousand_tables_are_filtered_letter_by_letter(navigator: Navigator) -> None:
    names = tuple(f"table-{n:05}" for n in range(5_000))
    navigator.set_tables(SANDBOX, names)
    navigator.field.setFocus()
    QTest.keyClicks(navigator.field, "table-04321")
    QTest.keyClick(navigator.field, Qt.Key.Key_Down)
    assert navigator.current == table("table-04321")
