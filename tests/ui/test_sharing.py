"""Connections go out of one window and into another, as a person does it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.ui import actions as act
from dynodesk.ui.main_window import MainWindow
from tests.ui.test_main_window import PRODUCTION, Built, tree_rows


@pytest.fixture
def built(dressed_application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Built]:
    built = Built(dressed_application)
    built.connections.profiles = (replace(PRODUCTION, read_only=False),)
    built.asker.path = tmp_path / "team.json"
    built.window.show()
    built.window.start()
    qtbot.waitUntil(lambda: not built.window.status.jobs)
    yield built
    built.window.close()
    built.window.deleteLater()
    built.scheme.deleteLater()
    built.runner.deleteLater()


def said(window: MainWindow) -> str:
    message = window.messages.current
    assert message is not None
    return message.title if message.kind in {"notice", "warning"} else f"{message.title} {message.line}"


def test_what_is_exported_comes_back_under_a_free_name(built: Built, qtbot: QtBot) -> None:
    window = built.window
    window.action(act.EXPORT_CONNECTIONS).trigger()
    qtbot.waitUntil(lambda: not window.status.jobs)
    assert said(window) == "1 connection exported"
    window.action(act.IMPORT_CONNECTIONS).trigger()
    qtbot.waitUntil(lambda: not window.status.jobs and len(built.connections.profiles) == 2)
    (question,) = built.asker.questions
    assert question.title == "Import 1 connection"
    assert "shop-prod becomes shop-prod (2)" in question.text
    assert [row.split(" | ")[0] for row in tree_rows(window)][:2] == ["shop-prod", "shop-prod (2)"]
    assert built.connections.profiles[1].read_only


def test_nothing_is_taken_over_unasked(built: Built, qtbot: QtBot) -> None:
    window = built.window
    window.action(act.EXPORT_CONNECTIONS).trigger()
    qtbot.waitUntil(lambda: not window.status.jobs)
    built.asker.answer = False
    window.action(act.IMPORT_CONNECTIONS).trigger()
    qtbot.waitUntil(lambda: bool(built.asker.questions) and not window.status.jobs)
    assert len(built.connections.profiles) == 1


def test_another_file_is_refused(built: Built, qtbot: QtBot) -> None:
    assert built.asker.path is not None
    built.asker.path.write_text("[]")
    built.window.action(act.IMPORT_CONNECTIONS).trigger()
    qtbot.waitUntil(lambda: not built.window.status.jobs and built.window.messages.current is not None)
    assert 'no list of "connections"' in said(built.window)
    assert built.asker.questions == []


def test_keys_that_are_gone_with_the_program_are_spoken_of(built: Built, qtbot: QtBot) -> None:
    window = built.window
    built.profile_made = replace(PRODUCTION, credentials="keys", aws_profile="", secret="profile-aaaaaaaa")
    window.desk.ask_aws()
    qtbot.waitUntil(lambda: window.messages.current is not None)
    assert said(window) == "Keys for this session only"
