"""Asks in dialogs of the window what signing in takes, for whatever thread needs it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import Shiboken

from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.profiles import Credentials
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.sign_in import LOOK_EVERY, DeviceLogin, KeysQuestion, MfaQuestion, ProcessQuestion
from dynodesk.ui.dialogs.sign_in import CodeDialog, KeysDialog, LoginDialog, ProgramDialog, SignInDialog


class _Request:
    """One question on its way to the window and back. `answer` is settled on the window's thread, once."""

    def __init__(self, make: Callable[[QWidget], SignInDialog]) -> None:
        self.make = make
        self.answer: Future[Any] = Future()
        self.dialog: SignInDialog | None = None
        self.is_withdrawn = threading.Event()

    def settle(self, given: object) -> None:
        if not self.answer.done():
            self.answer.set_result(given)

    def give_up(self) -> None:
        if not self.answer.done():
            self.answer.set_exception(Cancelled())


class SignInDesk(QObject):
    """A `SignInAsker`. Made on the window's thread; asked on any other."""

    _asked = Signal(object)
    _withdrawn = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__()
        self._window = window
        self._is_closed = threading.Event()
        self._shown: list[_Request] = []
        window.installEventFilter(self)
        self._asked.connect(self._show, Qt.ConnectionType.QueuedConnection)
        self._withdrawn.connect(self._close, Qt.ConnectionType.QueuedConnection)

    def mfa_code(self, question: MfaQuestion, ticket: Ticket) -> str:
        code: str = self._answer(partial(CodeDialog, question), ticket)
        return code

    def may_run(self, question: ProcessQuestion, ticket: Ticket) -> bool:
        may: bool = self._answer(partial(ProgramDialog, question), ticket)
        return may

    def no_login(self, _profile: str, _command: str) -> CredentialsRefused | None:
        return None

    @contextmanager
    def show_login(self, login: DeviceLogin, ticket: Ticket) -> Iterator[None]:
        request = _Request(partial(LoginDialog, login))
        request.answer.add_done_callback(lambda _given_up: ticket.cancel())
        self._asked.emit(request)
        try:
            yield
        finally:
            self._withdraw(request)

    def new_keys(self, question: KeysQuestion, ticket: Ticket) -> Credentials:
        keys: Credentials = self._answer(partial(KeysDialog, question), ticket)
        return keys

    # -- on the thread that asks

    def _answer(self, make: Callable[[QWidget], SignInDialog], ticket: Ticket) -> Any:
        request = _Request(make)
        self._asked.emit(request)
        try:
            while True:
                ticket.checkpoint()
                if self._is_closed.is_set():  # the window waits for this thread and answers nothing any more
                    raise Cancelled
                try:
                    return request.answer.result(timeout=LOOK_EVERY)
                except TimeoutError:
                    continue
        finally:
            self._withdraw(request)

    def _withdraw(self, request: _Request) -> None:
        request.is_withdrawn.set()
        if not self._is_closed.is_set():
            self._withdrawn.emit(request)

    # -- on the window's thread

    @Slot(object)
    def _show(self, request: _Request) -> None:
        if request.is_withdrawn.is_set() or self._is_closed.is_set():
            return
        over = QApplication.activeModalWidget() or self._window
        request.dialog = dialog = request.make(over)
        self._shown.append(request)
        dialog.answered.connect(request.settle)
        dialog.rejected.connect(request.give_up)
        dialog.destroyed.connect(request.give_up)  # with the dialog that it stood over
        dialog.open()

    @Slot(object)
    def _close(self, request: _Request) -> None:
        dialog, request.dialog = request.dialog, None
        if request in self._shown:
            self._shown.remove(request)
        if dialog is not None and Shiboken.isValid(dialog):
            dialog.rejected.disconnect(request.give_up)
            dialog.reject()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.Close:
            self._is_closed.set()
            for request in tuple(self._shown):
                if request.dialog is not None and Shiboken.isValid(request.dialog):
                    request.dialog.reject()
        return super().eventFilter(watched, event)
