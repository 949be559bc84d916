"""The first page: three doors, each with a key, a name and a way to it by the keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from dynodesk.ui.pages.welcome import Door, WelcomePage
from dynodesk.ui.theme import Text


@pytest.fixture
def page(qtbot: QtBot) -> WelcomePage:
    page = WelcomePage()
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    page.activateWindow()
    page.setFocus()
    return page


def doors(page: WelcomePage) -> list[QAbstractButton]:
    return page.findChildren(Door)


@pytest.mark.parametrize(("at", "signal"), [(0, "sandbox_asked"), (1, "aws_asked"), (2, "endpoint_asked")])
@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_each_door_asks_for_its_own(page: WelcomePage, qtbot: QtBot, at: int, signal: str, key: Qt.Key) -> None:
    heard: list[str] = []
    for name in ("sandbox_asked", "aws_asked", "endpoint_asked"):

        def hear(name: str = name) -> None:
            heard.append(name)

        getattr(page, name).connect(hear)
    QTest.keyClick(doors(page)[at], key)
    assert heard == [signal]


def test_arrows_walk_between_the_doors(page: WelcomePage, qtbot: QtBot) -> None:
    first, second, third = doors(page)
    qtbot.waitUntil(first.hasFocus)
    QTest.keyClick(first, Qt.Key.Key_Down)
    assert second.hasFocus()
    QTest.keyClick(second, Qt.Key.Key_Down)
    assert third.hasFocus()
    QTest.keyClick(third, Qt.Key.Key_Up)
    assert second.hasFocus()


def test_doors_say_what_they_are_and_which_key_opens_them(page: WelcomePage) -> None:
    assert [(door.accessibleName(), door.shortcut().toString()) for door in doors(page)] == [
        ("Try the sandbox", "1"),
        ("Connect to AWS", "2"),
        ("Connect to an endpoint", "3"),
    ]
    assert all(door.accessibleDescription() for door in doors(page))


def test_the_keyring_is_told_in_plain_words(page: WelcomePage) -> None:
    page.show_keyring("Keyring: <b>Secret Service</b>.")
    shown = [label for label in page.findChildren(Text) if label.text() == "Keyring: <b>Secret Service</b>."]
    assert [label.textFormat() for label in shown] == [Qt.TextFormat.PlainText]


def test_a_narrow_page_wraps_instead_of_cutting(page: WelcomePage, qtbot: QtBot) -> None:
    tall = doors(page)[2].height()
    page.resize(380, 700)
    qtbot.waitUntil(lambda: doors(page)[2].width() < 380)
    for door in doors(page):
        for label in door.findChildren(Text):
            assert label.height() >= label.heightForWidth(label.width()), label.text()
    assert doors(page)[2].height() > tall
