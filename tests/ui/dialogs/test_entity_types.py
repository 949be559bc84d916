"""The dialog that names types of items, by keys and clicks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.entities import EntityRule, EntityTypes
from dynodesk.domain.values import Item, String
from dynodesk.ui.dialogs.entity_types import EntityTypesDialog
from dynodesk.ui.theme import ROW
from tests.helpers.small_tables import SOCIAL, social_items

Open = Callable[..., EntityTypesDialog]


@pytest.fixture
def kept() -> list[EntityTypes]:
    return []


@pytest.fixture
def open_dialog(qtbot: QtBot, kept: list[EntityTypes]) -> Open:
    def opened(*rules: EntityRule, items: list[Item] | None = None) -> EntityTypesDialog:
        dialog = EntityTypesDialog(SOCIAL, EntityTypes(rules), social_items() if items is None else items, kept.append)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        qtbot.addWidget(dialog)
        dialog.open()
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)
        return dialog

    return opened


def shown(dialog: EntityTypesDialog) -> list[tuple[str, ...]]:
    """Word, pattern of SK, pattern of PK, items, how it came."""
    rows = [dialog.model.index(at, 0).data(ROW) for at in range(dialog.model.rowCount())]
    return [(row.cells[0].entity, *(cell.text for cell in row.cells[1:])) for row in rows]


def type_over(field: QWidget, text: str) -> None:
    field.setFocus()
    QTest.keySequence(field, QKeySequence.StandardKey.SelectAll)
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, text)


def choose(combo: QComboBox, text: str) -> None:
    combo.setFocus()
    for _ in range(combo.findText(text) - combo.currentIndex()):
        QTest.keyClick(combo, Qt.Key.Key_Down)
    assert combo.currentText() == text


def test_what_is_usual_is_listed_with_how_many_items_are_so(open_dialog: Open) -> None:
    assert shown(open_dialog()) == [
        ("LIKE", "LIKE#{like}", "", "5", "as is usual"),
        ("POST", "", "POST#{post}", "3", "as is usual"),
    ]


def test_a_type_is_renamed_and_kept(open_dialog: Open, kept: list[EntityTypes]) -> None:
    dialog = open_dialog()
    type_over(dialog.word, "Kind reaction")
    assert dialog.word.text() == "Kind reaction"
    assert shown(dialog)[0] == ("Kind reaction", "LIKE#{like}", "", "5", "named")
    choose(dialog.tint, "teal")
    QTest.keySequence(dialog, QKeySequence("Ctrl+Return"))
    assert kept == [EntityTypes((EntityRule.of("Kind reaction", {"SK": "LIKE#{like}"}, "teal"),))]
    assert not dialog.isVisible()


def test_the_count_follows_the_pattern_as_it_is_typed(open_dialog: Open) -> None:
    dialog = open_dialog()
    pattern = dialog.patterns["SK"]
    type_over(pattern, "LIKE#USER#7c20")
    assert pattern.hasFocus()
    assert shown(dialog) == [
        ("LIKE", "LIKE#USER#7c20", "", "3", "named"),
        ("POST", "", "POST#{post}", "3", "as is usual"),
        ("LIKE", "LIKE#{like}", "", "2", "as is usual"),
    ]
    assert pattern.text() == "LIKE#USER#7c20"


def test_a_pattern_that_cannot_be_is_said_and_not_kept(open_dialog: Open, kept: list[EntityTypes]) -> None:
    dialog = open_dialog()
    type_over(dialog.patterns["SK"], "LIKE#{a}{b}")
    assert "nothing stands between {a} and {b}" in dialog.remark.text
    QTest.keySequence(dialog, QKeySequence("Ctrl+Return"))
    assert kept == []
    assert dialog.isVisible()
    type_over(dialog.patterns["SK"], "LIKE#{a}")
    assert dialog.remark.text == ""
    assert dialog.keep_button.isEnabled()


def test_two_types_become_one(open_dialog: Open) -> None:
    dialog = open_dialog(EntityRule.of("Edge", {"SK": "TARGET#{target}"}, "violet"))
    dialog.grid.setFocus()
    QTest.keyClick(dialog.grid, Qt.Key.Key_Down)
    assert dialog.word.text() == "LIKE"
    menu = dialog.merge_menu()
    next(action for action in menu.actions() if action.text() == "Edge").trigger()
    menu.close()
    assert shown(dialog)[:2] == [
        ("Edge", "TARGET#{target}", "", "0", "named"),
        ("Edge", "LIKE#{like}", "", "5", "named"),
    ]
    assert dialog.types.tint_of("Edge") == "violet"
    assert dialog.word.text() == "Edge"


def test_the_first_pattern_counts_and_can_be_moved(open_dialog: Open) -> None:
    wide, narrow = EntityRule.of("Like", {"SK": "LIKE#{a}"}), EntityRule.of("Mine", {"SK": "LIKE#USER#7c20"})
    dialog = open_dialog(wide, narrow)
    assert [row[3] for row in shown(dialog)[:2]] == ["5", "0"]
    dialog.grid.setFocus()
    QTest.keyClick(dialog.grid, Qt.Key.Key_Down)
    QTest.keySequence(dialog.grid, QKeySequence("Alt+Up"))
    assert [(row[0], row[3]) for row in shown(dialog)[:2]] == [("Mine", "3"), ("Like", "2")]
    assert dialog.word.text() == "Mine"


def test_a_name_is_forgotten(open_dialog: Open) -> None:
    dialog = open_dialog(EntityRule.of("Reaction", {"SK": "LIKE#{a}"}))
    QTest.mouseClick(dialog.remove_button, Qt.MouseButton.LeftButton)
    assert shown(dialog)[0] == ("LIKE", "LIKE#{like}", "", "5", "as is usual")
    assert not dialog.remove_button.isEnabled()
    assert dialog.types == EntityTypes()


def test_a_type_is_added_by_hand(open_dialog: Open, kept: list[EntityTypes]) -> None:
    dialog = open_dialog(items=[{"PK": String("plain"), "SK": String("2025-06-23")}])
    assert shown(dialog) == []
    QTest.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    assert dialog.word.hasFocus()
    QTest.keyClicks(dialog.word, "Day")
    type_over(dialog.patterns["SK"], "2025-{day}")
    assert shown(dialog) == [("Day", "2025-{day}", "", "1", "named")]
    QTest.keySequence(dialog, QKeySequence("Esc"))
    assert kept == []


def test_every_control_has_a_name(open_dialog: Open) -> None:
    dialog = open_dialog()
    nameless = []
    for widget in dialog.findChildren(QWidget):
        takes_focus = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible()
        if takes_focus and not widget.objectName().startswith("qt_"):
            name = QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)
            nameless += [] if name else [type(widget).__name__]
    assert nameless == []
