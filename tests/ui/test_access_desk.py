"""Writing is allowed, ended, and ends by itself, as seen in the frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from dynodesk.domain import access
from dynodesk.domain.profiles import Stage
from dynodesk.ui import actions as act
from dynodesk.ui.dialogs.allow_writes import AllowWritesDialog, allow_buttons
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.models.table_tree import Place
from dynodesk.ui.widgets.connection_bar import ConnectionBar
from tests.ui.test_main_window import PRODUCTION, Built, current_title


@pytest.fixture
def built(dressed_application: QApplication, qtbot: QtBot) -> Iterator[Built]:
    built = Built(dressed_application)
    built.window.show()
    built.window.start()
    qtbot.waitUntil(lambda: not built.window.status.jobs)
    yield built
    built.window.close()
    built.window.deleteLater()
    built.scheme.deleteLater()
    built.runner.deleteLater()


def connect(built: Built, qtbot: QtBot, stage: Stage = "production", *, read_only: bool = False) -> MainWindow:
    window = built.window
    built.profile_made = replace(PRODUCTION, stage=stage, read_only=read_only)
    window.desk.ask_aws()
    qtbot.waitUntil(lambda: window.sessions.workspace(PRODUCTION.id) is not None and not window.status.jobs)
    window.navigator.place_opened.emit(Place("table", PRODUCTION.id, "Stats"))
    qtbot.waitUntil(lambda: current_title(window) == "Stats")
    return window


def bar_words(window: MainWindow) -> str:
    (bar,) = [bar for bar in window.findChildren(ConnectionBar) if bar.isVisible()]
    return bar.accessibleName()


def asked(window: MainWindow) -> AllowWritesDialog:
    (dialog,) = [dialog for dialog in window.findChildren(AllowWritesDialog) if dialog.isVisible()]
    return dialog


def test_production_is_written_to_once_its_name_was_typed(built: Built, qtbot: QtBot) -> None:
    window = connect(built, qtbot)
    assert bar_words(window) == "Connection shop-prod, PRODUCTION, Read-only"
    assert window.windowTitle() == "shop-prod, production - dynodesk"
    window.action(act.ALLOW_WRITES).trigger()
    dialog = asked(window)
    for typed, is_enough in (("", False), ("shop-dev", False), ("shop-prod", True)):
        dialog.approval.field.setText(typed)
        assert dialog.allow_button.isEnabled() is is_enough
        assert dialog.allow_button.isDefault() is is_enough
    dialog.allow_button.click()
    assert "Writes allowed, until " in bar_words(window)
    assert not window.action(act.ALLOW_WRITES).isEnabled()
    window.action(act.END_WRITES).trigger()
    assert bar_words(window).endswith("Read-only")
    assert window.action(act.ALLOW_WRITES).isEnabled()
    assert not window.messages.isVisible()


def test_staging_asks_for_no_name(built: Built, qtbot: QtBot) -> None:
    window = connect(built, qtbot, "staging")
    window.action(act.ALLOW_WRITES).trigger()
    assert not asked(window).approval.isVisible()
    QTest.keyClick(asked(window), Qt.Key.Key_Return)
    assert bar_words(window).endswith("Read-only")  # it was opened by a key: another one by accident allows nothing
    window.action(act.ALLOW_WRITES).trigger()
    asked(window).allow_button.click()
    assert "Writes allowed" in bar_words(window)


def test_what_is_allowed_in_another_dialog_is_seen_at_once(built: Built, qtbot: QtBot) -> None:
    window = connect(built, qtbot, "staging")
    workspace = window.sessions.workspace(PRODUCTION.id)
    assert workspace is not None
    over = QDialog(window)
    (button,) = allow_buttons(workspace.access, over, over.accept)
    assert isinstance(button, QPushButton)
    button.click()
    asked(window).allow_button.click()
    assert "Writes allowed" in bar_words(window)  # no event was handled since: not by the next look of the clock
    assert window.action(act.END_WRITES).isEnabled()


def test_dev_may_write_as_it_is_set(built: Built, qtbot: QtBot) -> None:
    window = connect(built, qtbot, "dev")
    assert bar_words(window).endswith("May write")
    assert not window.action(act.ALLOW_WRITES).isEnabled()
    assert not window.action(act.END_WRITES).isEnabled()


def test_it_ends_by_itself_and_that_is_said(built: Built, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = connect(built, qtbot)
    window.action(act.ALLOW_WRITES).trigger()
    asked(window).approval.field.setText("shop-prod")
    asked(window).allow_button.click()
    monkeypatch.setattr(access, "IDLE_SECONDS", 0)
    qtbot.waitUntil(lambda: bar_words(window).endswith("Read-only"))
    told = " ".join(label.text() for label in window.messages.findChildren(QLabel))
    assert "shop-prod is read-only again" in told
    assert window.action(act.ALLOW_WRITES).isEnabled()


def test_nothing_is_said_of_a_connection_that_is_gone(built: Built, qtbot: QtBot) -> None:
    window = connect(built, qtbot, "staging")
    window.action(act.ALLOW_WRITES).trigger()
    asked(window).allow_button.click()
    window.sessions.close_all()  # as the program ends: nobody is told of each
    with qtbot.waitSignal(window.access.changed):
        pass
    assert not window.messages.isVisible()


def test_one_that_is_set_to_read_only_is_let_write_in_its_settings(built: Built, qtbot: QtBot) -> None:
    window = connect(built, qtbot, read_only=True)
    assert bar_words(window).endswith("Read-only")
    window.action(act.ALLOW_WRITES).trigger()
    assert built.change_asked is not None
    assert built.change_asked.name == "shop-prod"
