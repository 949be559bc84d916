"""Exceptions nobody caught: logged, and told to the window once for each place they come from."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal

log = logging.getLogger(__name__)


class UncaughtErrors(QObject):
    """Owns the interpreter's hooks until `restore`. The same fault again is logged but not told again."""

    raised = Signal(object)
    """The exception, on the GUI thread."""
    _caught = Signal(object)  # a hook runs on whatever thread failed: it only emits

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._told: set[tuple[object, ...]] = set()
        self._previous = sys.excepthook, threading.excepthook
        self._caught.connect(self.raised, Qt.ConnectionType.QueuedConnection)
        sys.excepthook = self._hook
        threading.excepthook = self._thread_hook

    def restore(self) -> None:
        sys.excepthook, threading.excepthook = self._previous

    def _hook(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._previous[0](kind, error, trace)
            return
        log.error("Not caught", exc_info=(kind, error, trace))
        place = (kind, *((frame.filename, frame.lineno) for frame in traceback.extract_tb(trace)))
        if place not in self._told:
            self._told.add(place)
            self._caught.emit(error)

    def _thread_hook(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:  # None while the interpreter ends
            self._hook(caught.exc_type, caught.exc_value, caught.exc_traceback)
