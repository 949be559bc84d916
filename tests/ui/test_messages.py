"""What the message bar says of the world's faults, of ours, and of nothing in particular."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.errors import InvalidRules, NotAllowed, OutcomeUnknown, RuleProblem
from dynodesk.ui.messages import LOOKS, Message, MessageBar, message_for
from dynodesk.ui.theme import Text


@pytest.fixture
def bar(qtbot: QtBot) -> MessageBar:
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.resize(900, 40)
    return bar


def button_named(bar: MessageBar, text: str) -> QPushButton:
    return next(b for b in bar.findChildren(QPushButton) if b.text() == text)


def test_a_refusal_says_what_failed_and_what_to_do() -> None:
    message = message_for(
        NotAllowed("These credentials may not read Social.", hint="dynamodb:Query is needed.", details="id 8F2K")
    )
    assert message.kind == "error"
    assert message.line == "These credentials may not read Social. dynamodb:Query is needed."
    assert message.details.splitlines() == [
        "These credentials may not read Social.",
        "dynamodb:Query is needed.",
        "Nothing was written.",
        "Code: not-allowed",
        "id 8F2K",
    ]


def test_an_unknown_outcome_is_not_called_a_failure() -> None:
    message = message_for(OutcomeUnknown("The reply to UpdateItem was cut off.", hint="Read the item."))
    assert (message.kind, message.title) == ("unknown", "Not known")
    assert "Whether the write was applied is not known." in message.line
    assert "Nothing was written." not in message.details


def test_many_problems_stay_on_one_line() -> None:
    problems = tuple(RuleProblem(f"problem {n}", file="social.toml", line=n) for n in (3, 7, 9))
    message = message_for(InvalidRules(problems))
    assert message.line == "social.toml:3: problem 3 And 2 more. Correct the rules file."
    assert "social.toml:9: problem 9" in message.details


def test_a_fault_of_ours_looks_different_and_carries_its_traceback() -> None:
    def divide() -> None:
        raise ZeroDivisionError("tally by\nnothing")

    with pytest.raises(ZeroDivisionError) as raised:
        divide()
    message = message_for(raised.value)
    assert message.kind == "fault"
    assert LOOKS["fault"] != LOOKS["error"]
    assert message.line == "ZeroDivisionError: tally by nothing. A report is ready to copy."
    assert "test_messages.py" in message.details
    assert "dynodesk 0." in message.details


def test_a_message_stays_until_it_is_dismissed(bar: MessageBar, qtbot: QtBot) -> None:
    bar.show_error(NotAllowed("First."))
    bar.show_error(NotAllowed("Second."))
    assert not bar.isHidden()
    assert bar.current == message_for(NotAllowed("Second."))
    close = next(b for b in bar.findChildren(QToolButton) if b.accessibleName() == "Dismiss this message")
    close.click()
    assert bar.current == message_for(NotAllowed("First."))
    with qtbot.waitSignal(bar.emptied):
        close.click()
    assert bar.isHidden()


def test_the_same_message_does_not_pile_up(bar: MessageBar) -> None:
    for text in ("First.", "Second.", "First."):
        bar.show_error(NotAllowed(text))
    bar.dismiss()
    assert bar.current == message_for(NotAllowed("Second."))
    bar.dismiss()
    assert bar.current is None


def test_what_was_done_after_all_is_not_said_to_have_failed(bar: MessageBar) -> None:
    for text in ("First.", "Second.", "Third."):
        bar.show_error(NotAllowed(text))
    bar.take_back(NotAllowed("Second."))
    assert bar.current == message_for(NotAllowed("Third."))
    bar.take_back(NotAllowed("Third."))
    assert bar.current == message_for(NotAllowed("First."))
    bar.take_back(NotAllowed("Never shown."))
    assert bar.current == message_for(NotAllowed("First."))
    bar.take_back(NotAllowed("First."))
    assert bar.isHidden()


def test_escape_in_the_bar_closes_it_and_stops_nothing(qtbot: QtBot) -> None:
    window, stopped = QWidget(), []
    bar = MessageBar(window)
    qtbot.addWidget(window)
    QShortcut(QKeySequence("Esc"), window, lambda: stopped.append(True))
    window.resize(900, 40)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    bar.show_error(NotAllowed("First."))
    for name in ("Details", "Copy"):
        bar.show_error(NotAllowed("Second."))
        inside = button_named(bar, name)
        inside.setFocus()
        QTest.keyClick(inside, Qt.Key.Key_Escape)
        assert bar.current == message_for(NotAllowed("First."))
    assert stopped == []
    bar.dismiss()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert stopped == [True]


def test_details_unfold_as_plain_text_and_can_be_copied(bar: MessageBar) -> None:
    bar.show_error(NotAllowed("<b>Social</b> is closed.", details="request id <i>8F2K</i>"))
    pane = bar.findChild(QPlainTextEdit)
    assert isinstance(pane, QPlainTextEdit)
    assert not pane.isVisibleTo(bar)
    button_named(bar, "Details").click()
    assert pane.isVisibleTo(bar)
    assert "request id <i>8F2K</i>" in pane.toPlainText()
    button_named(bar, "Copy").click()
    assert QGuiApplication.clipboard().text() == pane.toPlainText()


def test_a_notice_has_no_details_to_unfold(bar: MessageBar) -> None:
    bar.notice("Saved", "social.html, 41 findings.")
    assert bar.current == Message("notice", "Saved", "social.html, 41 findings.")
    assert not button_named(bar, "Details").isVisibleTo(bar)
    assert [label.text() for label in bar.findChildren(Text)][:1] == ["Saved"]
