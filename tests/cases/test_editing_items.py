"""Items that are edited while rows move, keys are typed and texts are looked at: nothing else is changed by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.edits import Edit
from dynodesk.domain.values import Item, Number, String, Value
from dynodesk.ui.models.item_cells import VALUE
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.ui.pages.item_editor import DYNAMODB_JSON, JSON, TREE
from tests.aws.tables import make_table
from tests.cases.conftest import OpenDesk, Place
from tests.cases.live_desk import LiveDesk
from tests.editing.edit_bench import post
from tests.ui.pages.changes_desk import ChangesDesk, click_row, texts

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PLACES = ("Africa", "Europe", "Asia", "Oceania")


def place_item(number: int, name: str) -> dict[str, Value]:
    """A row whose name sorts elsewhere than its key."""
    return post(f"ROW#{number}", name=String(name), n=Number(str(10 - number)))


@pytest.fixture
def desk(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[ChangesDesk]:
    desk = ChangesDesk(tmp_path / "journal", qtbot, *(place_item(n, name) for n, name in enumerate(PLACES)))
    yield desk
    assert desk.runner.shutdown()
    desk.runner.deleteLater()


def sort_by(desk: ChangesDesk, pane: CollectionPane, attribute: str) -> None:
    head = pane.grid.horizontalHeader()
    column = list(pane.model.columns).index(attribute)
    at = QPoint(head.sectionViewportPosition(column) + head.sectionSize(column) // 2, head.height() // 2)
    QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)
    desk.settle(desk.page)


def type_name(desk: ChangesDesk, name: str) -> None:
    """In the inspector as it is open, without choosing a row again."""
    inspector = desk.page.inspector
    inspector.begin_edit()
    desk.wait_for(lambda: inspector.is_editing)
    tree = inspector.tree
    tree.close_editor()
    tree.setFocus()
    tree.setCurrentIndex(inspector.editor.model.find("name").siblingAtColumn(VALUE))
    QTest.keyClick(tree, Qt.Key.Key_F2)
    field = desk.page.window().focusWidget()
    assert isinstance(field, QLineEdit)
    field.selectAll()
    QTest.keyClicks(field, name)
    QTest.keyClick(field, Qt.Key.Key_Return, CTRL)
    desk.wait_for(lambda: not inspector.is_editing)


def test_a_row_that_moved_by_its_edit_is_edited_again(desk: ChangesDesk) -> None:
    pane = desk.page.left
    sort_by(desk, pane, "name")
    assert texts(pane, "name") == sorted(PLACES)
    click_row(pane, "ROW#0")
    type_name(desk, "Zealandia")
    desk.close(desk.commit_now())
    desk.settle(desk.page)
    assert desk.bench.item("ROW#0") == place_item(0, "Zealandia")
    sort_by(desk, pane, "n")
    type_name(desk, "Antarctica")  # in the pane that is still open
    (edit,) = desk.staging.edits
    assert edit.key["SK"] == String("ROW#0")
    desk.close(desk.commit_now())
    stored = [desk.bench.item(f"ROW#{number}") for number in range(4)]
    assert stored == [place_item(n, name) for n, name in enumerate(("Antarctica", *PLACES[1:]))]


def test_selected_rows_are_deleted_by_their_keys_in_any_order(desk: ChangesDesk) -> None:
    pane = desk.page.left
    sort_by(desk, pane, "name")
    click_row(pane, "ROW#2")  # Asia
    model = pane.model
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == "ROW#3")
    at = pane.grid.visualRect(model.index(row, 0)).center()
    QTest.mouseClick(pane.grid.viewport(), Qt.MouseButton.LeftButton, CTRL, at)
    sort_by(desk, pane, "n")
    QTest.keyClick(pane.grid, Qt.Key.Key_Delete, SHIFT)
    dialog = desk.bulk_dialog
    dialog.try_button.click()
    desk.wait_for(lambda: dialog.tried is not None)
    dialog.stage_button.click()
    desk.close(dialog)
    assert sorted(str(edit.key["SK"]) for edit in desk.staging.edits) == [str(String(f"ROW#{n}")) for n in (2, 3)]
    assert all([*edit.key] == ["PK", "SK"] for edit in desk.staging.edits)
    desk.close(desk.commit_now())
    assert [desk.bench.item(f"ROW#{n}") is None for n in range(4)] == [False, False, True, True]


# ------------------------------------------------------------------------------------------------- keys are not stolen


def typed_into(widget: QWidget) -> str:
    return widget.text() if isinstance(widget, QLineEdit) else widget.toPlainText()  # type: ignore[attr-defined]


def test_keys_typed_in_any_field_of_the_page_stay_in_it(desk: ChangesDesk) -> None:
    """Space, Del, Backspace, Ctrl+Z and letters: no query, no deletion, nothing staged or reverted."""
    page = desk.page
    edit = Edit("Posts", {"PK": String("POST#a91f"), "SK": String("ROW#1")}, place_item(1, "Europe"), None)
    desk.stage(edit)
    page.form.filter.open_filter()
    page.form.add_filter.click()
    QTest.keyClick(page.left.grid, Qt.Key.Key_F, CTRL)
    page.form.options.show()
    page.form.operator.setCurrentText("between")
    click_row(page.left, "ROW#0")
    page.inspector.begin_edit()
    page.inspector.show_as(JSON)
    page.inspector.show_as(TREE)
    asked = len(desk.bench.reader.asked)
    fields = [
        child
        for child in page.findChildren(QWidget)
        if isinstance(child, QLineEdit | QPlainTextEdit)
        and child.isVisible()
        and child.isEnabled()
        and not child.isReadOnly()
        and not isinstance(child.parent(), QComboBox)
    ]
    names = {field.accessibleName() for field in fields}
    assert len(fields) >= 7, names
    for field in fields:
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, "two words")
        for key in (Qt.Key.Key_Home, Qt.Key.Key_Delete, Qt.Key.Key_End, Qt.Key.Key_Backspace):
            QTest.keyClick(field, key)
        assert typed_into(field) == "wo word", field.accessibleName()
        QTest.keyClick(field, Qt.Key.Key_Z, CTRL)
        assert typed_into(field) != "wo word", field.accessibleName()
        QTest.keyClick(field, Qt.Key.Key_Delete, SHIFT)
        assert page.window().focusWidget() is field
    assert len(desk.bench.reader.asked) == asked
    assert desk.staging.edits == (edit,)


# --------------------------------------------------------------------------------------- texts that editors change

LINES = "a\r\nb\xa0c\u2028d\u2029e\x0bf\x0cg\x00h\ufeffi\tj  k\u200bl\u00adm\x85n\ue000o\ufffcp"
ODD_TEXTS = {
    "short": LINES,
    "mark first": "\ufeff" + LINES,
    "long": LINES * 40,
    "one long line": "x\xa0" * 3_000,
    "line ends": "\r\n\r\n\n\r",
    "blanks": "   ",
    "empty": "",
    "escapes": "\\n \\u00a0 \\\\ \\",
    "decomposed": "cafe\u0301",
    "markup": "<b>x</b> &amp; %1 &File",
}


def leave(desk: LiveDesk, focused: QWidget) -> None:
    """A field in a row is left by Enter; below the tree there is nothing to confirm."""
    if isinstance(focused, QLineEdit):
        QTest.keyClick(focused, Qt.Key.Key_Return)
        desk.wait_for(lambda: not desk.page.inspector.tree.viewport().findChildren(QLineEdit))


def test_texts_that_are_looked_at_are_not_changed(open_desk: OpenDesk, place: Place) -> None:
    """Each is opened in its row or below the tree, and left; then another attribute is written."""
    texts_of = {name: {"S": text} for name, text in ODD_TEXTS.items()}
    item = {"PK": {"S": "p"}, "SK": {"S": "s"}, **texts_of, "n": {"N": "1"}}
    desk = open_desk(make_table(place[2], [item]))
    (read,) = desk.items
    desk.edit(read)
    inspector = desk.page.inspector
    tree, model = inspector.tree, inspector.editor.model
    for name in ODD_TEXTS:
        tree.setFocus()
        tree.setCurrentIndex(model.find(name).siblingAtColumn(VALUE))
        QTest.keyClick(tree, Qt.Key.Key_F2)
        focused = desk.page.window().focusWidget()
        assert isinstance(focused, QLineEdit | QPlainTextEdit), name
        for key in (Qt.Key.Key_End, Qt.Key.Key_Home, Qt.Key.Key_Right):
            QTest.keyClick(focused, key)
        leave(desk, focused)
        assert not inspector.is_changed, name
    for form in (JSON, DYNAMODB_JSON, TREE):
        inspector.show_as(form)
    desk.type_over("n", "2")
    assert [change.path.names for change in desk.stage().changes] == [("n",)]
    assert desk.commit(desk.edits[-1]).outcome == "applied"
    assert desk.stored({"PK": {"S": "p"}, "SK": {"S": "s"}}) == {**item, "n": {"N": "2"}}


def test_a_text_that_is_typed_in_changes_by_what_was_typed(open_desk: OpenDesk, place: Place) -> None:
    """A letter at the end of each: every other character stays, however it is shown."""
    texts_of = {name: {"S": text} for name, text in ODD_TEXTS.items()}
    key = {"PK": {"S": "p"}, "SK": {"S": "s"}}
    desk = open_desk(make_table(place[2], [{**key, **texts_of}]))
    read: Item = desk.items[0]
    desk.edit(read)
    tree, model = desk.page.inspector.tree, desk.page.inspector.editor.model
    for name in ODD_TEXTS:
        tree.setFocus()
        tree.setCurrentIndex(model.find(name).siblingAtColumn(VALUE))
        QTest.keyClick(tree, Qt.Key.Key_F2)
        focused = desk.page.window().focusWidget()
        assert focused is not None
        QTest.keyClick(focused, Qt.Key.Key_End, CTRL)
        if isinstance(focused, QLineEdit):
            focused.deselect()
            focused.end(False)
        QTest.keyClicks(focused, "z")
        leave(desk, focused)
    assert desk.commit(desk.stage()).outcome == "applied"
    assert desk.stored(key) == {**key, **{name: {"S": f"{text}z"} for name, text in ODD_TEXTS.items()}}
