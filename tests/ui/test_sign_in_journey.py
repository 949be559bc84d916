"""A login that ends in the middle of the day: one question, and every tab as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from dynodesk import gui
from dynodesk.domain.collections import Entry
from dynodesk.domain.profiles import Profile
from dynodesk.ui import actions as act
from dynodesk.ui import theme
from dynodesk.ui.dialogs.sign_in import CodeDialog, SignInDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.models.table_tree import Place
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.sign_in_desk import SignInDesk
from dynodesk.wiring import Connections
from tests.aws.tables import PROFILE_ID, likes, make_table, plain_client
from tests.faults.proxy import FaultProxy
from tests.faults.test_expiry import CONFIG, Expiring
from tests.helpers.sign_in_server import CODE, SignInServer
from tests.ui.pages.browse_desk import rows, settle

LIKES = 7


class Desk:
    """The whole window, at a connection whose credentials are given for a code."""

    def __init__(self, qtbot: QtBot, application: QApplication, proxy: FaultProxy, server: SignInServer) -> None:
        self.qtbot, self.server, self.expiring = qtbot, server, Expiring()
        proxy.always("Query", self.expiring)
        proxy.always("Scan", self.expiring)
        self.connections = Connections()
        self.connections.sign_in = replace(self.connections.sign_in, services=server.services)
        self.connections.save(
            Profile(PROFILE_ID, "shop", "endpoint", "profile", "mfa", endpoint_url=proxy.url, stage="dev")
        )
        self.runner = JobRunner(4)
        self.scheme = theme.SchemeFollower(application)
        self.window = MainWindow(gui._shell(self.connections, self.runner), self.runner, self.scheme)
        self.connections.ask_with(SignInDesk(self.window))
        self.window.show()
        with qtbot.waitSignal(self.window.desk.loaded):
            self.window.start()

    @property
    def page(self) -> BrowsePage:
        page = self.window.tabs.current
        assert isinstance(page, BrowsePage)
        return page

    @property
    def dialogs(self) -> list[SignInDialog]:
        return [dialog for dialog in self.window.findChildren(SignInDialog) if dialog.isVisible()]

    def dialog(self) -> CodeDialog:
        self.qtbot.waitUntil(lambda: len(self.dialogs) == 1)
        dialog = self.dialogs[0]
        assert isinstance(dialog, CodeDialog)
        return dialog

    def enter_code(self) -> None:
        dialog = self.dialog()
        QTest.keyClicks(dialog.code, CODE)
        QTest.keyClick(dialog.code, Qt.Key.Key_Return)

    def idle(self) -> None:
        self.qtbot.waitUntil(lambda: not self.window.status.jobs)

    def expire(self) -> None:
        self.expiring.expired |= set(self.server.who)

    def ask(self, key: str) -> None:
        field = self.page.form.partition[0]
        field.selectAll()
        QTest.keyClicks(field, key)
        QTest.keyClick(field, Qt.Key.Key_Return)


@pytest.fixture
def desk(
    dressed_application: QApplication,
    qtbot: QtBot,
    ministack: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Desk]:
    (tmp_path / "config").write_text(CONFIG)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path / "home"))
    with FaultProxy(ministack) as proxy, SignInServer() as server:
        made = Desk(qtbot, dressed_application, proxy, server)
        yield made
        made.window.close()
        made.window.deleteLater()
        made.scheme.deleteLater()
        made.runner.deleteLater()


def test_a_login_that_ends_loses_nothing(desk: Desk, ministack: str, qtbot: QtBot) -> None:
    table = make_table(plain_client(ministack), likes(LIKES))
    desk.window.desk.open(PROFILE_ID)
    desk.enter_code()
    desk.idle()
    desk.window.opener.open_place(Place("table", PROFILE_ID, table))
    qtbot.waitUntil(lambda: isinstance(desk.window.tabs.current, BrowsePage))
    settle(qtbot, desk.page)
    desk.ask("POST#a91f")
    settle(qtbot, desk.page)
    shown = rows(desk.page.left)
    assert len(shown) > LIKES

    desk.expire()
    desk.ask("POST#a91f")
    desk.enter_code()
    settle(qtbot, desk.page)
    assert rows(desk.page.left) == shown
    assert len(desk.server.codes_seen) == 2

    desk.expire()
    desk.ask("POST#a91f")
    desk.dialog().reject()
    settle(qtbot, desk.page)
    desk.idle()
    assert desk.dialogs == []
    assert desk.page.form.partition[0].text() == "POST#a91f"
    assert desk.window.action(act.SIGN_IN_AGAIN).isEnabled()
    failed = desk.window.messages.current
    assert failed is not None
    assert "sign-in was cancelled" in failed.line
    (offer,) = [each for each in desk.window.messages.findChildren(QPushButton) if each.text() == "Sign in again"]
    assert offer.isVisible()
    offer.click()
    desk.enter_code()
    desk.idle()
    message = desk.window.messages.current
    assert message is not None
    assert message.title == "Signed in"
    desk.ask("POST#a91f")
    settle(qtbot, desk.page)
    assert rows(desk.page.left) == shown
    assert len(desk.server.codes_seen) == 3


def test_a_scan_whose_login_ends_goes_on_at_its_page(desk: Desk, ministack: str, qtbot: QtBot) -> None:
    table = make_table(plain_client(ministack), likes(350, "POST#scan"))
    desk.window.desk.open(PROFILE_ID)
    desk.enter_code()
    desk.idle()
    desk.window.opener.open_place(Place("table", PROFILE_ID, table))
    qtbot.waitUntil(lambda: isinstance(desk.window.tabs.current, BrowsePage))
    settle(qtbot, desk.page)

    def items() -> list[str]:
        return [entry.identity[1] for line in desk.page.left.model.rows.lines if isinstance(entry := line, Entry)]

    portions = desk.page.form.options.items
    portions.setCurrentIndex(portions.findData(100))
    assert desk.page.form.options.portion_items == 100
    QTest.mouseClick(desk.page.run_button, Qt.MouseButton.LeftButton)
    settle(qtbot, desk.page)
    desk.page.load_more()
    settle(qtbot, desk.page)
    before = items()
    assert len(before) == 200

    desk.expire()
    desk.page.load_more()
    desk.dialog()
    assert items() == before
    desk.enter_code()
    settle(qtbot, desk.page)
    after = items()
    assert len(after) == len(set(after)) > len(before)

    desk.expire()
    desk.page.load_more()
    desk.dialog().reject()
    settle(qtbot, desk.page)
    assert (items(), desk.dialogs) == (after, [])
    message = desk.window.messages.current
    assert message is not None
    assert "sign-in was cancelled" in message.line
    assert message.offer is not None
    message.offer.run()
    desk.enter_code()
    desk.idle()
    desk.page.load_more()
    settle(qtbot, desk.page)
    assert len(items()) == len(set(items())) == 350
