"""The one door to modal dialogs: asked without blocking, answered later, plain text only."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from dynodesk.ui.asking import DialogAsker, Question

FORGET = Question("Forget <b>shop</b>", "Its keys & <i>all</i> go.", "Forget", danger=True)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


def ask(window: QWidget, answers: list[str]) -> QDialog:
    def yes() -> None:
        answers.append("yes")

    DialogAsker(window).confirm(FORGET, yes)
    box = window.findChild(QDialog)
    assert isinstance(box, QDialog)
    return box


def press(box: QDialog, text: str, qtbot: QtBot) -> None:
    buttons = box.findChild(QDialogButtonBox)
    assert isinstance(buttons, QDialogButtonBox)
    chosen = next(b for b in buttons.findChildren(QPushButton) if b.text().replace("&", "") == text)
    chosen.click()
    assert_closed(box, qtbot)


def assert_closed(dialog: QDialog, qtbot: QtBot) -> None:
    """Hidden at once, and gone with the next turn of the event loop."""
    assert not dialog.isVisible()
    qtbot.waitUntil(lambda: not Shiboken.isValid(dialog))


def test_a_question_is_answered_later_and_shows_markup_as_typed(window: QWidget, qtbot: QtBot) -> None:
    answers: list[str] = []
    box = ask(window, answers)
    assert answers == []
    assert (box.property("text"), box.property("textFormat")) == (FORGET.text, Qt.TextFormat.PlainText)
    press(box, "Forget", qtbot)
    assert answers == ["yes"]


def test_cancel_and_escape_call_nothing(window: QWidget, qtbot: QtBot) -> None:
    answers: list[str] = []
    press(ask(window, answers), "Cancel", qtbot)
    box = ask(window, answers)
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert_closed(box, qtbot)
    assert answers == []


def test_enter_never_takes_the_dangerous_way(window: QWidget, qtbot: QtBot) -> None:
    answers: list[str] = []
    box = ask(window, answers)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert_closed(box, qtbot)
    assert answers == []


def test_a_chosen_file_arrives_as_a_path(window: QWidget, qtbot: QtBot, tmp_path: Path) -> None:
    rules = tmp_path / "social.toml"
    rules.write_text("version = 1", encoding="utf-8")
    chosen: list[Path] = []
    DialogAsker(window).open_file("Rules file", ("Rules (*.toml)",), chosen.append)
    dialog = window.findChild(QFileDialog)
    assert isinstance(dialog, QFileDialog)
    dialog.fileSelected.emit(str(rules))
    dialog.close()
    assert_closed(dialog, qtbot)
    assert chosen == [rules]


def test_a_file_to_save_keeps_the_suggested_name_and_suffix(window: QWidget, qtbot: QtBot) -> None:
    chosen: list[Path] = []
    DialogAsker(window).save_file("Export", ("HTML (*.html)",), "social.html", chosen.append)
    dialog = window.findChild(QFileDialog)
    assert isinstance(dialog, QFileDialog)
    assert dialog.acceptMode() == QFileDialog.AcceptMode.AcceptSave
    assert dialog.defaultSuffix() == "html"
    assert [Path(name).name for name in dialog.selectedFiles()] == ["social.html"]
    dialog.reject()
    assert_closed(dialog, qtbot)
    assert chosen == []
