"""Texts and bytes in the inspector: whatever is stored comes out of every editor as it went in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.spelled_text import spelled
from dynodesk.domain.values import MAX_ITEM_BYTES, Binary, Map, String
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.item_editor import DYNAMODB_JSON, JSON, TREE
from dynodesk.ui.pages.item_editor_texts import ExactText, JsonText
from dynodesk.ui.pages.item_editor_value import BASE64, HEX
from tests.helpers.small_tables import post
from tests.ui.pages.inspecting import Desk, press

ODD = "a\r\nb\rc\u00a0d\u2028e\u2029f\x00\x07\x7f\t\\n\ufeff\u200b\u202eg\ufffch\x1b💙é e\u0301 "
"""No-break space, lone carriage return, line and paragraph separators, control characters, blanks at the end."""
LONG = ODD * 8


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication) -> Iterator[Desk]:
    runner = JobRunner(threads=2)
    yield Desk(runner, qtbot)
    assert runner.shutdown()
    runner.deleteLater()


@pytest.mark.parametrize("text", [ODD, LONG, "line\n" * 30, "x" * 9_000], ids=["short", "long", "lines", "unbroken"])
@pytest.mark.parametrize("form", [TREE, JSON, DYNAMODB_JSON])
def test_an_odd_text_is_looked_at_in_every_form_and_stays(desk: Desk, text: str, form: int) -> None:
    desk.edit({**post("t", 1), "s": String(text), "m": Map({"s": String(text)})})
    desk.go_to("s")
    press(desk.inspector.tree, Qt.Key.Key_F2)
    desk.inspector.show_as(form)
    desk.settle()
    assert not desk.inspector.is_changed
    desk.inspector.show_as(TREE)
    desk.type_over("2", "likeTally")
    edit = desk.stage()
    assert edit.after is not None
    assert edit.after["s"] == String(text)
    assert [change.path.names for change in edit.changes] == [("likeTally",)]


def test_a_letter_typed_into_an_odd_text_changes_only_that(desk: Desk) -> None:
    short = "a\u00a0b\r\x00\t\\"
    desk.edit({**post("t", 1), "short": String(short), "long": String(LONG)})
    desk.go_to("short")
    press(desk.inspector.tree, Qt.Key.Key_F2)
    press(desk.field, Qt.Key.Key_End)
    QTest.keyClicks(desk.field, "x")
    desk.enter()
    desk.go_to("long")
    press(desk.inspector.tree, Qt.Key.Key_F2)
    panel = desk.inspector.editor.panel
    assert desk.inspector.window().focusWidget() is panel.edit
    press(panel.edit, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(panel.edit, "y")
    edit = desk.stage()
    assert edit.after is not None
    assert edit.after["short"] == String(short + "x")
    assert edit.after["long"] == String(LONG + "y")


@pytest.mark.parametrize("form", [JSON, DYNAMODB_JSON])
def test_a_letter_typed_into_the_json_of_an_odd_text_changes_only_that(desk: Desk, form: int) -> None:
    desk.edit({**post("t", 1), "s": String(ODD)})
    desk.inspector.show_as(form)
    text = desk.inspector.text
    text.setPlainText(text.typed.replace("Harbour", "Harbours"))
    edit = desk.stage()
    assert edit.after is not None
    assert edit.after["s"] == String(ODD)
    assert edit.after["title"] == String("Harbours walk")


def test_a_backslash_that_begins_nothing_is_said(desk: Desk) -> None:
    desk.edit(post("t", 1))
    desk.type_over(r"C:\dir", "title")
    desk.settle()
    assert desk.said.startswith(r"title: character 3: a backslash alone is no escape")
    desk.type_over(r"C:\\dir", "title")
    edit = desk.stage()
    assert edit.after is not None
    assert edit.after["title"] == String("C:\\dir")


# ------------------------------------------------------------------------------------------------ the clipboard


def paste(editor: ExactText, text: str) -> None:
    source = QMimeData()
    source.setText(text)
    editor.insertFromMimeData(source)


def test_what_is_pasted_into_a_text_comes_whole(desk: Desk) -> None:
    desk.edit({**post("t", 1), "s": String("line\n" * 3)})
    desk.go_to("s")
    editor = desk.inspector.editor.panel.edit
    editor.selectAll()
    paste(editor, ODD)
    edit = desk.stage()
    assert edit.after is not None
    assert edit.after["s"] == String(ODD)


def test_what_is_copied_from_a_text_is_the_text(desk: Desk) -> None:
    desk.edit({**post("t", 1), "s": String(LONG)})
    desk.go_to("s")
    editor = desk.inspector.editor.panel.edit
    editor.setFocus()
    editor.selectAll()
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Copy))
    assert QGuiApplication.clipboard().text() == LONG


def test_json_is_pasted_with_any_line_ends(qtbot: QtBot) -> None:
    editor = JsonText("JSON")
    qtbot.addWidget(editor)
    paste(editor, '\ufeff{\r\n\t"a": "x\u00a0y\u2029z"\r}')
    assert editor.typed == '{\n\t"a": "x\\u00a0y\\u2029z"\n}'


def test_shift_enter_makes_a_line_that_is_one(qtbot: QtBot) -> None:
    editor = ExactText("Text")
    qtbot.addWidget(editor)
    for held in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
        QTest.keyClicks(editor, "a")
        QTest.keyClick(editor, Qt.Key.Key_Return, held)
    assert editor.typed == "a\na\n"


def test_every_character_of_the_basic_plane_stays(qtbot: QtBot) -> None:
    editor = ExactText("Text")
    qtbot.addWidget(editor)
    text = "".join(chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000)
    shown = spelled(text, lines=True)
    editor.setPlainText(shown)
    assert editor.typed == shown


# ------------------------------------------------------------------------------------------------------- bytes


def test_bytes_are_edited_as_hexadecimal_and_as_base64(desk: Desk) -> None:
    desk.edit({**post("t", 1), "b": Binary(b"\x9f\x3c\x51")})
    desk.go_to("b")
    panel = desk.inspector.editor.panel
    assert panel.edit.typed == "9f3c 51"
    panel.form.setCurrentIndex(BASE64)
    assert panel.edit.typed == "nzxR"
    panel.edit.setPlainText("nzxR=")
    desk.settle()
    assert "not base64" in desk.said
    panel.edit.setPlainText("AAH/")
    panel.form.setCurrentIndex(HEX)
    assert panel.edit.typed == "0001 ff"
    panel.edit.setPlainText("0001 f")
    desk.settle()
    assert "digit is missing" in desk.said
    panel.edit.setPlainText("0001 fe")
    edit = desk.stage()
    assert edit.after is not None
    assert edit.after["b"] == Binary(b"\0\1\xfe")


@pytest.mark.parametrize("typed", ["AB==", "A", "AA=", "AAH_", "é"])
def test_base64_is_strict(desk: Desk, typed: str) -> None:
    desk.edit({**post("t", 1), "b": Binary(b"\0")})
    desk.go_to("b")
    panel = desk.inspector.editor.panel
    panel.form.setCurrentIndex(BASE64)
    panel.edit.setPlainText(typed)
    desk.settle()
    assert "not base64" in desk.said
    assert not desk.inspector.stage_action.isEnabled()


def test_bytes_come_from_a_file_and_go_to_one(desk: Desk, tmp_path: Path) -> None:
    source, target = tmp_path / "in.bin", tmp_path / "out.bin"
    source.write_bytes(bytes(range(256)))
    desk.edit({**post("t", 1), "b": Binary(b"")})
    desk.go_to("b")
    panel = desk.inspector.editor.panel
    desk.asker.path = source
    desk.qtbot.waitUntil(lambda: panel.open_button.height() > 0)
    QTest.mouseClick(panel.open_button, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(lambda: desk.rows["b"][1].startswith("256 B"))
    desk.asker.path = target
    QTest.mouseClick(panel.save_button, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(lambda: target.exists() and target.stat().st_size == 256)
    assert target.read_bytes() == bytes(range(256))
    edit = desk.stage()
    assert edit.after is not None
    assert edit.after["b"] == Binary(bytes(range(256)))


def test_a_file_that_no_item_could_hold_is_not_read(desk: Desk, tmp_path: Path) -> None:
    source = tmp_path / "large.bin"
    source.write_bytes(bytes(MAX_ITEM_BYTES + 1))
    failures: list[DynodeskError] = []
    desk.inspector.editor.failed.connect(failures.append)
    desk.edit({**post("t", 1), "b": Binary(b"\1")})
    desk.go_to("b")
    desk.asker.path = source
    button = desk.inspector.editor.panel.open_button
    desk.qtbot.waitUntil(lambda: button.height() > 0)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(lambda: bool(failures))
    assert "more bytes than an item can hold" in desk.said
    assert desk.rows["b"][1] == "1 B 01"
