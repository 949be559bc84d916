"""Errors that nobody caught are told once each, on the GUI thread."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QThread, Slot
from pytestqt.qtbot import QtBot

from dynodesk.ui.uncaught import UncaughtErrors


class Listener(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []
        self.threads: list[QThread] = []

    @Slot(object)
    def hear(self, error: BaseException) -> None:
        self.heard.append(str(error))
        self.threads.append(QThread.currentThread())


@pytest.fixture
def listener(qapp: QObject) -> Listener:
    return Listener()


@pytest.fixture
def uncaught(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> Iterator[UncaughtErrors]:
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)  # pytest-qt has put its own there
    before = sys.excepthook, threading.excepthook
    uncaught = UncaughtErrors()
    uncaught.raised.connect(listener.hear)
    yield uncaught
    uncaught.restore()
    assert (sys.excepthook, threading.excepthook) == before


def throw(text: str) -> None:
    """As the interpreter does with an error that reaches the top."""

    def fail() -> None:
        raise LookupError(text)

    with pytest.raises(LookupError) as raised:
        fail()
    sys.excepthook(LookupError, raised.value, raised.value.__traceback__)


def test_the_same_fault_is_told_once_and_logged_each_time(
    uncaught: UncaughtErrors, listener: Listener, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        for _ in range(7):
            throw("cell 3")
    qtbot.waitUntil(lambda: listener.heard == ["cell 3"])
    assert len(caplog.records) == 7


def test_a_fault_of_a_thread_arrives_on_the_gui_thread(
    uncaught: UncaughtErrors, listener: Listener, qtbot: QtBot
) -> None:
    def work() -> None:
        raise LookupError("worker")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: listener.heard == ["worker"])
    assert listener.threads == [listener.thread()]


def test_ctrl_c_is_no_fault(uncaught: UncaughtErrors, listener: Listener, capsys: pytest.CaptureFixture[str]) -> None:
    error = KeyboardInterrupt()
    sys.excepthook(KeyboardInterrupt, error, None)
    assert "KeyboardInterrupt" in capsys.readouterr().err
    assert listener.heard == []
