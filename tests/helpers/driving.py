"""Drives the real program from inside: wait for something to be true, do the next thing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from unittest.mock import patch

from PySide6.QtCore import QObject, QTimer, Slot

from dynodesk import gui
from dynodesk.ui.main_window import MainWindow

Condition = Callable[[], object]
Script = Callable[[MainWindow], Generator[Condition, None, None]]

PATIENCE = 90
"""Seconds for any one condition to become true."""


class _Driver(QObject):
    LOOK_EVERY = 5  # milliseconds

    def __init__(self, window: MainWindow, script: Script) -> None:
        super().__init__(window)
        self._window, self._steps = window, script(window)
        self._condition: Condition = lambda: True
        self._looks = 0
        self._timer = QTimer(self)
        self._timer.setInterval(self.LOOK_EVERY)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    @Slot()
    def _look(self) -> None:
        self._looks += 1
        if not self._condition():
            if self._looks * self.LOOK_EVERY > PATIENCE * 1000:
                self._end()
                sys.stderr.write("the program did not come to the next step\n")
            return
        self._looks = 0
        step = next(self._steps, None)
        if step is None:
            self._end()
        else:
            self._condition = step

    def _end(self) -> None:
        self._timer.stop()
        self._window.close()


def run_program(script: Script, *, open_sandbox: bool) -> int:
    """Run the program until the script ends. Each condition that it yields is waited for before it goes on."""

    class Driven(MainWindow):
        def start(self) -> None:  # called right after the first paint
            super().start()
            _Driver(self, script)

    with patch.object(gui, "MainWindow", Driven):
        return gui.run(open_sandbox=open_sandbox, check=False)
