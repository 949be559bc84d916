"""Questions from any thread, answered in dialogs of the window, one way or the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.sign_in import AsksInTurn, DeviceLogin, KeysQuestion, MfaQuestion, ProcessQuestion
from dynodesk.ui.dialogs.sign_in import CodeDialog, KeysDialog, LoginDialog, ProgramDialog, SignInDialog
from dynodesk.ui.sign_in_desk import SignInDesk
from tests.helpers.signing_in import Allowed

CODE = MfaQuestion("shop", "device", "role")
LOGIN = DeviceLogin("shop", "https://x/start", "https://y/", "https://y/?c", "AB-CD", 600)


class Desk:
    def __init__(self, qtbot: QtBot) -> None:
        self.window = QWidget()
        self.window.show()
        self.desk = SignInDesk(self.window)
        self.asks = AsksInTurn(self.desk, Allowed())
        self._qtbot = qtbot
        self.pool = ThreadPoolExecutor(4)

    @property
    def dialogs(self) -> list[SignInDialog]:
        return [dialog for dialog in self.window.findChildren(SignInDialog) if dialog.isVisible()]

    def dialog(self) -> SignInDialog:
        self._qtbot.waitUntil(lambda: len(self.dialogs) == 1)
        return self.dialogs[0]

    def until(self, true: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(true)


@pytest.fixture
def desk(dressed_application: QApplication, qtbot: QtBot) -> Iterator[Desk]:
    made = Desk(qtbot)
    yield made
    made.window.close()
    made.pool.shutdown()
    made.window.deleteLater()


def test_a_code(desk: Desk) -> None:
    asking = desk.pool.submit(desk.asks.mfa_code, CODE, Ticket())
    dialog = desk.dialog()
    assert isinstance(dialog, CodeDialog)
    assert dialog.isModal()
    dialog.code.setText("424242")
    dialog.go_button.click()
    desk.until(asking.done)
    assert asking.result() == "424242"
    assert desk.dialogs == []


def test_a_person_who_gives_up(desk: Desk) -> None:
    asking = desk.pool.submit(desk.asks.mfa_code, CODE, Ticket())
    desk.dialog().reject()
    desk.until(asking.done)
    assert isinstance(asking.exception(), Cancelled)


def are_done(asking: list[Future[str]], count: int) -> bool:
    return sum(each.done() for each in asking) == count


def test_one_window_at_a_time(desk: Desk) -> None:
    asking: list[Future[str]] = [desk.pool.submit(desk.asks.mfa_code, CODE, Ticket()) for _ in range(3)]
    for number in range(3):
        dialog = desk.dialog()
        assert isinstance(dialog, CodeDialog)
        QTest.qWait(50)  # the others would show theirs by now
        assert len(desk.dialogs) == 1
        dialog.code.setText(str(number))
        dialog.go_button.click()
        desk.until(partial(are_done, asking, number + 1))
    assert sorted(each.result() for each in asking) == ["0", "1", "2"]


def test_a_question_is_withdrawn_when_nobody_waits(desk: Desk) -> None:
    ticket = Ticket()
    asking = desk.pool.submit(desk.asks.mfa_code, CODE, ticket)
    desk.dialog()
    ticket.cancel()
    desk.until(lambda: asking.done() and not desk.dialogs)
    assert isinstance(asking.exception(), Cancelled)


def test_a_program_and_keys(desk: Desk) -> None:
    asking = desk.pool.submit(desk.asks.may_run, ProcessQuestion("p", ("/bin/give",)), Ticket())
    dialog = desk.dialog()
    assert isinstance(dialog, ProgramDialog)
    dialog.go_button.click()
    desk.until(asking.done)
    assert asking.result() is True
    assert desk.pool.submit(desk.asks.may_run, ProcessQuestion("q", ("/bin/give",)), Ticket()).result() is True
    typing = desk.pool.submit(desk.asks.new_keys, KeysQuestion("shop", for_aws=False), Ticket())
    keys = desk.dialog()
    assert isinstance(keys, KeysDialog)
    keys.key_id.setText("id")
    keys.secret.edit.setText("secret")
    keys.go_button.click()
    desk.until(typing.done)
    assert typing.result().access_key_id == "id"


def shown_until(desk: Desk, ticket: Ticket, ends: Ticket) -> None:
    with desk.asks.show_login(LOGIN, ticket):
        while not ends.cancelled:
            ticket.sleep(0.01)


def test_a_sign_in_closes_by_itself(desk: Desk) -> None:
    ticket, ends = Ticket(), Ticket()
    showing = desk.pool.submit(shown_until, desk, ticket, ends)
    assert isinstance(desk.dialog(), LoginDialog)
    ends.cancel()
    desk.until(lambda: showing.done() and not desk.dialogs)
    assert showing.exception() is None
    assert not ticket.cancelled


def test_a_sign_in_that_is_closed_is_given_up(desk: Desk) -> None:
    ticket = Ticket()
    showing = desk.pool.submit(shown_until, desk, ticket, Ticket())
    desk.dialog().reject()
    desk.until(showing.done)
    assert isinstance(showing.exception(), Cancelled)
    assert ticket.cancelled


def test_it_stands_over_the_dialog_that_is_open(desk: Desk) -> None:
    other = QDialog(desk.window)
    other.open()
    asking = desk.pool.submit(desk.asks.mfa_code, CODE, Ticket())
    assert desk.dialog().parent() is other
    other.deleteLater()  # and goes with it
    desk.until(asking.done)
    assert isinstance(asking.exception(), Cancelled)


def test_a_window_that_closes_keeps_nobody_waiting(desk: Desk) -> None:
    asking = desk.pool.submit(desk.asks.mfa_code, CODE, Ticket())
    desk.dialog()
    desk.window.close()
    # without the event loop: who closes the window waits for the threads of its jobs
    assert isinstance(asking.exception(timeout=5), Cancelled)
