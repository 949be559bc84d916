"""Diagnostics are seen before they can be copied."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.errors import CannotConnect
from dynodesk.store.endings import BadEnding
from dynodesk.ui.dialogs.diagnostics import DiagnosticsDialog
from dynodesk.ui.jobs import JobRunner


class Installation:
    def __init__(self) -> None:
        self.ready = threading.Event()
        self.ready.set()
        self.fails = False

    def collect(self, more: Sequence[str]) -> str:
        self.ready.wait(10)
        if self.fails:
            raise CannotConnect("The disk is gone.", hint="Look for it.")
        return "\n".join(["dynodesk 0", "<b>bold</b>", *more])


@pytest.fixture
def installation() -> Installation:
    return Installation()


@pytest.fixture
def runner(qapp: object) -> Iterator[JobRunner]:
    made = JobRunner(threads=1)
    yield made
    assert made.shutdown()


def shown(qtbot: QtBot, installation: Installation, runner: JobRunner, ending: BadEnding | None) -> DiagnosticsDialog:
    dialog = DiagnosticsDialog(installation.collect, runner, None, ending)
    qtbot.addWidget(dialog)
    dialog.open()
    return dialog


def test_it_is_shown_first_and_copied_as_it_is_shown(
    installation: Installation, runner: JobRunner, qtbot: QtBot
) -> None:
    installation.ready.clear()
    QGuiApplication.clipboard().setText("before")
    dialog = shown(qtbot, installation, runner, None)
    assert not dialog.copy_button.isEnabled()
    installation.ready.set()
    qtbot.waitUntil(dialog.copy_button.isEnabled)
    assert "<b>bold</b>" in dialog.text.toPlainText()
    assert "Qt 6" in dialog.text.toPlainText()
    assert QGuiApplication.clipboard().text() == "before"
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == dialog.text.toPlainText()
    assert dialog.copied.text() == "Copied."
    dialog.close_button.click()


def test_a_bad_ending_is_told_first(installation: Installation, runner: JobRunner, qtbot: QtBot) -> None:
    dialog = shown(qtbot, installation, runner, BadEnding("dynodesk 0, started then", "Segmentation fault"))
    qtbot.waitUntil(dialog.copy_button.isEnabled)
    assert dialog.text.toPlainText().startswith(
        "A run that ended badly: dynodesk 0, started then\n\nSegmentation fault\n\ndynodesk 0"
    )
    dialog.close_button.click()


def test_what_cannot_be_collected_says_why(installation: Installation, runner: JobRunner, qtbot: QtBot) -> None:
    installation.fails = True
    dialog = shown(qtbot, installation, runner, BadEnding("dynodesk 0, started then", ""))
    qtbot.waitUntil(dialog.copy_button.isEnabled)
    assert "Failed: The disk is gone. Look for it." in dialog.text.toPlainText()
    assert "it was ended from outside" in dialog.text.toPlainText()
    dialog.reject()
