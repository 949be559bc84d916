"""The dialogs of signing in: a code, a program that may run, a sign-in in the browser, new keys for expired ones."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QLayout, QLineEdit, QPushButton, QWidget

from dynodesk.domain.profiles import ProfileError, check_keys
from dynodesk.domain.sign_in import MAX_WRONG_CODES, DeviceLogin, KeysQuestion, MfaQuestion, ProcessQuestion
from dynodesk.ui.dialogs.form import Form, Row, SecretField
from dynodesk.ui.theme import Glyph, Text, metrics, px
from dynodesk.ui.widgets.code import CodeView
from dynodesk.ui.widgets.controls import button, field
from dynodesk.ui.widgets.layouts import FlowLayout, area, column, fit_content, row
from dynodesk.ui.widgets.lines import Line

WIDTH = 620


class SignInDialog(QDialog):
    """Asks one thing. Show it with `open`; `reject` gives up."""

    answered = Signal(object)
    """What the person has answered. The dialog is closed by then."""

    def __init__(self, title: str, says: str, glyph: str, window: QWidget | None) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        heading = row(Glyph(glyph, "accent"), Text(title, size="title", weight="semibold"), None, gap=2)
        self._head = area(
            column(heading, Text(says, "text2", wrap=True), gap=1.5, margins=(5, 4, 5, 3.5)), "window", "b"
        )
        self.cancel_button = button("Cancel", keys="Esc")
        self.cancel_button.clicked.connect(self.reject)

    def arrange(self, content: QLayout, *buttons: QPushButton) -> None:
        """As high as the content is at the width that all of these dialogs have."""
        foot = row(None, self.cancel_button, *buttons, gap=2, margins=(5, 0, 5, 0))
        height = metrics().control + 6 * metrics().unit
        self._content = area(content, "base")
        self.setLayout(column(self._head, self._content, area(foot, "window", "t", height), gap=0))
        self.fit()

    def fit(self) -> None:
        fit_content(self, px(WIDTH))

    def answer(self, given: object) -> None:
        self.accept()
        self.answered.emit(given)


class CodeDialog(SignInDialog):
    """Answers with the code, as it was typed."""

    def __init__(self, question: MfaQuestion, window: QWidget | None) -> None:
        says = "AWS gives this role for a code of your MFA device. It asks again when the credentials expire."
        super().__init__("MFA code", says, "shield", window)
        form = Form()
        for title, text in (("AWS profile", question.profile), ("Role", question.role), ("Device", question.device)):
            form.add(title, _line(text))
        self.code = field("Code", "123456", width=140)
        self.code.setInputMethodHints(Qt.InputMethodHint.ImhDigitsOnly)
        self._row = form.add("Code", self.code, "The six digits that the device shows now.")
        if question.wrong:
            left = MAX_WRONG_CODES - question.wrong
            tries = "one more try" if left == 1 else f"{left} more tries"
            words = f"That code was not accepted. Wait for the next one: a code is good once. {tries.capitalize()}."
            self._row.show_problem(ProfileError(words))
        self.go_button = button("Sign in", "sign-in", primary=True)
        self.arrange(form, self.go_button)
        self.go_button.clicked.connect(self._go)
        self.code.textChanged.connect(self._changed)
        self._changed(announce=False)
        self.code.setFocus()

    @Slot()
    def _changed(self, *_text: str, announce: bool = True) -> None:
        self.go_button.setEnabled(bool(self.code.text().strip()))
        if announce:
            self._row.show_problem(None)

    @Slot()
    def _go(self) -> None:
        self.answer(self.code.text())


class ProgramDialog(SignInDialog):
    """Answers whether the program may run."""

    def __init__(self, question: ProcessQuestion, window: QWidget | None) -> None:
        says = (
            f"The AWS profile {question.profile} gets its credentials from a program on this computer. It runs with "
            "all that you may do. Once allowed, exactly this command is not asked for again."
        )
        super().__init__("Run a program for credentials?", says, "terminal", window)
        self.command = CodeView("The command, one argument a line", margin=5)
        self.command.setPlainText("\n".join(question.shown))
        self.command.setFixedHeight((min(max(len(question.argv), 3), 8) + 3) * metrics().line)
        told = Text("Exactly what is run, without a shell, one argument a line:", "text2")
        self.go_button = button("Run it", "play")
        self.arrange(column(row(told, margins=(5, 3, 5, 0)), self.command, gap=0), self.go_button)
        self.go_button.clicked.connect(self._go)
        self.cancel_button.setText("Do not run")
        self.cancel_button.setAccessibleName("Do not run")
        self.cancel_button.setDefault(True)
        self.cancel_button.clicked.disconnect()
        self.cancel_button.clicked.connect(self._refuse)
        self.cancel_button.setFocus()

    @Slot()
    def _go(self) -> None:
        self.answer(True)

    @Slot()
    def _refuse(self) -> None:
        self.answer(False)


class LoginDialog(SignInDialog):
    """Shown while the person signs in in the browser; whoever shows it closes it."""

    def __init__(self, login: DeviceLogin, window: QWidget | None) -> None:
        says = "Sign in in the browser and allow dynodesk there. This closes by itself as soon as that is done."
        super().__init__("Sign in", says, "globe", window)
        self._login, self._seconds = login, round(login.seconds)
        form = Form()
        form.add("AWS profile", _line(login.profile))
        form.add("Portal", _line(login.start_url))
        form.add("Address", _line(login.url), "Enter the code on this page and on no other.")
        self.code = Text(login.code, size="title", weight="semibold", mono=True)
        self.code.setAccessibleName(f"Code {login.code}")
        form.add("Code", self.code, "The page has to show this same code. If it shows another, close the page.")
        self.copy_code = button("Copy the code", "copy")
        self.copy_address = button("Copy the address", "copy")
        self.open_button = button("Open in browser", "link-external", primary=True)
        self.left = Text("", "muted")
        actions = QWidget()
        actions.setLayout(FlowLayout(self.copy_code, self.copy_address, self.left, gap=2, margins=(5, 0, 5, 4)))
        self.arrange(column(_widget(form), actions, gap=0), self.open_button)
        self.copy_code.clicked.connect(self._copy_code)
        self.copy_address.clicked.connect(self._copy_address)
        self.open_button.clicked.connect(self._open)
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self._tick)
        self._clock.start()
        self._show_left()
        self.open_button.setFocus()

    @Slot()
    def _tick(self) -> None:
        self._seconds = max(0, self._seconds - 1)
        self._show_left()

    def _show_left(self) -> None:
        minutes, seconds = divmod(self._seconds, 60)
        self.left.setText(f"The code is good for {minutes}:{seconds:02} more.")

    @Slot()
    def _copy_code(self) -> None:
        QGuiApplication.clipboard().setText(self._login.code)

    @Slot()
    def _copy_address(self) -> None:
        QGuiApplication.clipboard().setText(self._login.url_with_code)

    @Slot()
    def _open(self) -> None:
        QDesktopServices.openUrl(QUrl(self._login.url_with_code))


class KeysDialog(SignInDialog):
    """Answers with `Credentials`."""

    def __init__(self, question: KeysQuestion, window: QWidget | None) -> None:
        says = (
            f"The keys of {question.connection} have expired. With new ones of the same account and role everything "
            "that is open goes on where it was."
        )
        super().__init__("New keys", says, "key", window)
        self._for_aws = question.for_aws
        form = Form()
        self.key_id = field("Access key id")
        self.secret = SecretField("Secret access key")
        self.token = field("Session token")
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.rows: dict[str, Row] = {
            "access_key_id": form.add("Access key id", self.key_id),
            "secret_access_key": form.add("Secret access key", self.secret),
            "session_token": form.add("Session token", self.token, "Only with an id that begins with ASIA."),
        }
        self.go_button = button("Use these keys", "key", primary=True)
        self.arrange(form, self.go_button)
        self.secret.show_switch.toggled.connect(self.fit)
        self.go_button.clicked.connect(self._go)
        self.key_id.setFocus()

    @Slot()
    def _go(self) -> None:
        for each in self.rows.values():
            each.show_problem(None)
        try:
            typed = check_keys(self.key_id.text(), self.secret.edit.text(), self.token.text(), for_aws=self._for_aws)
        except ProfileError as problem:
            wrong = self.rows[problem.field or "access_key_id"]
            wrong.show_problem(problem)
            wrong.content.setFocus()
            self.fit()
            return
        self.answer(typed.credentials)


def _line(text: str) -> Line:
    line = Line(text, "text", mono=True)
    line.setToolTip(text)
    line.setFixedHeight(metrics().control)
    return line


def _widget(layout: QLayout) -> QWidget:
    made = QWidget()
    made.setLayout(layout)
    return made
