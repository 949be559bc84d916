"""Exceptions nobody caught: logged, and told to the window once for each place they come from."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import traceback
from collections.abc import Iterator
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, qInstallMessageHandler

log = logging.getLogger(__name__)


class UncaughtErrors(QObject):
    """Owns the interpreter's hooks until `restore`. The same fault again is logged but not told again."""

    raised = Signal(object)
    """The exception, on the GUI thread."""
    _caught = Signal(object)  # a hook runs on whatever thread failed: it only emits

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._told: set[tuple[object, ...]] = set()
        self._previous = sys.excepthook, threading.excepthook, sys.unraisablehook
        self._caught.connect(self.raised, Qt.ConnectionType.QueuedConnection)
        sys.excepthook = self._hook
        threading.excepthook = self._thread_hook
        sys.unraisablehook = self._unraisable_hook

    def restore(self) -> None:
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._previous

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

    def _unraisable_hook(self, caught: sys.UnraisableHookArgs) -> None:
        if caught.exc_value is not None:
            self._hook(caught.exc_type, caught.exc_value, caught.exc_traceback)


_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.DEBUG,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


@contextlib.contextmanager
def qt_messages() -> Iterator[None]:
    """What Qt has to say goes to the log instead of stderr, and to whoever listened before."""

    def hear(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        log.log(_LEVELS[kind], "Qt: %s", text)
        if before is not None:
            before(kind, context, text)

    before = qInstallMessageHandler(hear)
    try:
        yield
    finally:
        qInstallMessageHandler(before)
