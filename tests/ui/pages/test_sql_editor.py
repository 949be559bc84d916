"""The editor of the SQL page: colours of the scheme, names to choose, a statement put below what there is."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListView
from pytestqt.qtbot import QtBot

from dynodesk.ui import theme
from dynodesk.ui.pages.sql_editor import SqlEditor


@pytest.fixture
def editor(qtbot: QtBot) -> SqlEditor:
    made = SqlEditor()
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.show()
    qtbot.waitExposed(made)
    made.setFocus()
    return made


def inks(editor: SqlEditor, line: int) -> list[tuple[str, str]]:
    """The text of each coloured stretch of a line, and its colour."""
    block = editor.document().findBlockByNumber(line)
    return [
        (block.text()[part.start : part.start + part.length], part.format.foreground().color().name().upper())
        for part in block.layout().formats()
    ]


def test_words_have_the_inks_of_the_scheme_in_force(editor: SqlEditor, qapp: QApplication, qtbot: QtBot) -> None:
    editor.setPlainText("SELECT 'a\nb;' , count(*) -- x")
    light = theme.LIGHT
    assert inks(editor, 0) == [("SELECT", light.ink_violet), ("'a", light.ink_green)]
    assert inks(editor, 1) == [("b;'", light.ink_green), ("count", light.ink_blue), ("-- x", light.muted)]
    qapp.setPalette(theme.palette_of(theme.DARK))
    qtbot.waitUntil(lambda: inks(editor, 0)[0] == ("SELECT", theme.DARK.ink_violet))


def test_a_name_is_completed_from_what_is_loaded(editor: SqlEditor) -> None:
    editor.set_names(["Social", '"likeTally (number)"', "likedAt"])
    QTest.keyClicks(editor, "select lik")
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, QListView)
    model = popup.model()
    assert [model.index(at, 0).data() for at in range(model.rowCount())] == ["LIKE", "likedAt"]
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert editor.toPlainText() == "select likedAt"
    QTest.keyClicks(editor, " soc")
    popup = QApplication.activePopupWidget()
    assert popup is not None
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert editor.toPlainText().endswith(" Social")


def test_escape_closes_the_names_and_changes_nothing(editor: SqlEditor) -> None:
    QTest.keyClicks(editor, "sel")
    popup = QApplication.activePopupWidget()
    assert popup is not None
    QTest.keyClick(popup, Qt.Key.Key_Escape)
    assert QApplication.activePopupWidget() is None
    assert editor.toPlainText() == "sel"


def test_a_statement_goes_below_and_one_undo_takes_it_away(editor: SqlEditor) -> None:
    editor.setPlainText("SELECT 1;")
    editor.add_statement("SELECT 2,\n  3;")
    assert editor.toPlainText() == "SELECT 1;\n\nSELECT 2,\n  3;"
    assert editor.chosen is not None
    assert editor.chosen.text == "SELECT 2,\n  3;"
    editor.undo()
    assert editor.toPlainText() == "SELECT 1;"


def test_the_line_of_a_fault_is_marked_until_the_text_changes(editor: SqlEditor) -> None:
    editor.setPlainText("SELECT 1;\nSELECT x;")
    editor.mark_fault(2)
    ground = theme.LIGHT.color("danger_soft")
    assert [m.cursor.blockNumber() for m in editor.extraSelections() if m.format.background().color() == ground] == [1]
    editor.mark_fault(99)
    editor.insertPlainText(" ")
    assert [m for m in editor.extraSelections() if m.format.background().color() == ground] == []
