"""The questions of signing in, answered by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAccessible, QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from dynodesk.domain.profiles import Credentials
from dynodesk.domain.sign_in import DeviceLogin, KeysQuestion, MfaQuestion, ProcessQuestion
from dynodesk.ui.dialogs.sign_in import CodeDialog, KeysDialog, LoginDialog, ProgramDialog, SignInDialog

DEVICE = "arn:aws:iam::123456789012:mfa/alice"
LOGIN = DeviceLogin(
    "shop",
    "https://example.awsapps.com/start",
    "https://device.sso.eu-west-1.amazonaws.com/",
    "https://device.sso.eu-west-1.amazonaws.com/?user_code=ABCD-EFGH",
    "ABCD-EFGH",
    65,
)
SECRET = "canarySECRETcanary/canary+canary01234567"

Open = Callable[[SignInDialog], list[object]]


@pytest.fixture
def shown(dressed_application: QApplication, qtbot: QtBot) -> Iterator[Open]:
    """Opens a dialog; what it answers, with None where the person gives up."""
    opened: list[SignInDialog] = []

    def show(dialog: SignInDialog) -> list[object]:
        answers: list[object] = []
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        dialog.answered.connect(answers.append)
        dialog.rejected.connect(lambda: answers.append(None))
        dialog.open()
        dialog.activateWindow()
        opened.append(dialog)
        return answers

    yield show
    for dialog in opened:
        dialog.close()
        dialog.deleteLater()


def code_dialog(wrong: int = 0) -> CodeDialog:
    return CodeDialog(MfaQuestion("shop", DEVICE, "arn:aws:iam::123456789012:role/Reader", wrong), None)


def test_a_code_by_keyboard_alone(shown: Open) -> None:
    dialog = code_dialog()
    answers = shown(dialog)
    assert dialog.focusWidget() is dialog.code
    assert not dialog.go_button.isEnabled()
    QTest.keyClicks(dialog.code, "424242")
    QTest.keyClick(dialog.code, Qt.Key.Key_Return)
    assert answers == ["424242"]
    assert not dialog.isVisible()


def test_a_wrong_code_says_so_until_the_next_is_typed(shown: Open) -> None:
    dialog = code_dialog(wrong=2)
    shown(dialog)
    remark = dialog.code.accessibleDescription()
    assert "not accepted" in remark
    assert "One more try" in remark
    QTest.keyClicks(dialog.code, "1")
    assert "not accepted" not in dialog.code.accessibleDescription()


def test_escape_gives_up(shown: Open) -> None:
    dialog = code_dialog()
    answers = shown(dialog)
    QTest.keyClick(dialog.code, Qt.Key.Key_Escape)
    assert answers == [None]


def test_a_program_does_not_run_by_a_hasty_return(shown: Open) -> None:
    dialog = ProgramDialog(ProcessQuestion("vault", ("/bin/give", "a b", "$(x)\u202e")), None)
    answers = shown(dialog)
    assert dialog.command.toPlainText().splitlines() == ["/bin/give", "'a b'", r"'$(x)\u202e'"]
    focused = dialog.focusWidget()
    assert focused is dialog.cancel_button
    QTest.keyClick(focused, Qt.Key.Key_Return)
    assert answers == [False]


def test_a_program_runs_when_that_is_chosen(shown: Open) -> None:
    dialog = ProgramDialog(ProcessQuestion("vault", ("/bin/give",)), None)
    answers = shown(dialog)
    dialog.go_button.click()
    assert answers == [True]


def test_a_sign_in_is_copied_and_opened(shown: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses: list[str] = []

    def visit(address: QUrl) -> bool:
        addresses.append(address.toString())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", visit)
    dialog = LoginDialog(LOGIN, None)
    answers = shown(dialog)
    assert dialog.code.text() == "ABCD-EFGH"
    QTest.keyClick(dialog.open_button, Qt.Key.Key_Return)
    dialog.copy_code.click()
    copied = [QGuiApplication.clipboard().text()]
    dialog.copy_address.click()
    copied.append(QGuiApplication.clipboard().text())
    assert copied == ["ABCD-EFGH", LOGIN.url_with_code]
    assert addresses == [LOGIN.url_with_code]
    assert (answers, dialog.isVisible()) == ([], True)
    assert dialog.left.text() == "The code is good for 1:05 more."
    for _ in range(70):
        dialog._tick()
    assert dialog.left.text() == "The code is good for 0:00 more."


def keys_dialog() -> KeysDialog:
    return KeysDialog(KeysQuestion("shop", for_aws=True), None)


def test_new_keys(shown: Open) -> None:
    dialog = keys_dialog()
    answers = shown(dialog)
    QTest.keyClicks(dialog.key_id, " ASIAIOSFODNN7EXAMPLE")
    QTest.keyClicks(dialog.secret.edit, SECRET)
    QTest.keyClick(dialog.secret.edit, Qt.Key.Key_Return)
    assert answers == []
    assert dialog.rows["session_token"].is_invalid
    QTest.keyClicks(dialog.token, "token")
    QTest.keyClick(dialog.token, Qt.Key.Key_Return)
    assert answers == [Credentials("ASIAIOSFODNN7EXAMPLE", SECRET, "token")]


def test_secrets_are_read_by_nothing_on_the_screen(shown: Open) -> None:
    dialog = keys_dialog()
    shown(dialog)
    QTest.keyClicks(dialog.secret.edit, SECRET)
    QTest.keyClicks(dialog.token, SECRET)
    for field in dialog.findChildren(QLineEdit):
        read = QAccessible.queryAccessibleInterface(field).text(QAccessible.Text.Value)
        assert "canary" not in read


@pytest.mark.parametrize(
    "make",
    [
        code_dialog,
        lambda: code_dialog(2),
        lambda: ProgramDialog(ProcessQuestion("p", ("/bin/give", "x" * 500)), None),
        lambda: LoginDialog(LOGIN, None),
        keys_dialog,
    ],
)
def test_everything_fits_and_has_a_name(shown: Open, make: Callable[[], SignInDialog]) -> None:
    dialog = make()
    shown(dialog)
    layout = dialog.layout()
    assert layout is not None
    assert dialog.height() >= layout.totalMinimumHeightForWidth(dialog.width())
    for control in (*dialog.findChildren(QPushButton), *dialog.findChildren(QLineEdit)):
        assert control.accessibleName()
        if isinstance(control, QPushButton):
            assert control.width() >= control.sizeHint().width()
