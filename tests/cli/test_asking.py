"""What signing in asks on a terminal: a real one where there is one, and nothing at all where there is none."""

from __future__ import annotations

import os
import pty
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynodesk.cli.asking import terminal_asker
from dynodesk.cli.diagnostics import exit_code_from
from dynodesk.cli.main import cli
from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.sign_in import DeviceLogin, KeysQuestion, MfaQuestion, NobodyToAsk, ProcessQuestion, SignInAsker

CODE = MfaQuestion("mfa", "arn:aws:iam::1:mfa/me", "arn:aws:iam::1:role/R", wrong=1)


class Terminal:
    """A person at the other end of stdin and stderr."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._person, program = pty.openpty()
        self._program = os.fdopen(program, "r")
        self._shown = os.fdopen(os.dup(program), "w", buffering=1)
        self._monkeypatch = monkeypatch
        self.before = termios.tcgetattr(self._program.fileno())

    @property
    def asker(self) -> SignInAsker:
        """To be called in the test itself: before it, what is shown is captured."""
        self._monkeypatch.setattr(sys, "stdin", self._program)
        self._monkeypatch.setattr(sys, "stderr", self._shown)
        return terminal_asker()

    @property
    def is_as_before(self) -> bool:
        return termios.tcgetattr(self._program.fileno()) == self.before

    def read_until(self, words: str) -> str:
        seen = b""
        while words.encode() not in seen:
            seen += os.read(self._person, 4096)
        return seen.decode()

    def type_after(self, words: str, answer: str) -> threading.Thread:
        """Once it reads the words; the words that it read are in `seen` then."""

        def work() -> None:
            self.seen = self.read_until(words)
            os.write(self._person, answer.encode())

        typing = threading.Thread(target=work)
        typing.start()
        return typing

    def rest(self) -> str:
        os.write(self._shown.fileno(), b"END")
        return self.read_until("END")

    def close(self) -> None:
        self._shown.close()
        self._program.close()
        os.close(self._person)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    pytest.importorskip("termios")
    made = Terminal(monkeypatch)
    yield made
    monkeypatch.undo()
    made.close()


def test_a_code_is_asked_for_and_not_shown(terminal: Terminal) -> None:
    typing = terminal.type_after("MFA code (not shown): ", "424242\n")
    assert terminal.asker.mfa_code(CODE, Ticket()).strip() == "424242"
    typing.join()
    assert "not accepted" in terminal.seen
    assert "arn:aws:iam::1:mfa/me" in terminal.seen
    assert "424242" not in terminal.seen + terminal.rest()
    assert terminal.is_as_before


def test_a_question_can_be_cancelled_and_gives_the_terminal_back(terminal: Terminal) -> None:
    ticket = Ticket()

    def cancel() -> None:
        terminal.read_until("MFA code (not shown): ")
        ticket.cancel()

    cancelling = threading.Thread(target=cancel)
    cancelling.start()
    with pytest.raises(Cancelled):
        terminal.asker.mfa_code(CODE, ticket)
    cancelling.join()
    assert terminal.is_as_before


@pytest.mark.parametrize(("typed", "may"), [("y\n", True), ("YES\n", True), ("\n", False), ("no\n", False)])
def test_a_program_is_shown_as_it_is_run(terminal: Terminal, typed: str, may: bool) -> None:
    typing = terminal.type_after("[y/N] ", typed)
    assert terminal.asker.may_run(ProcessQuestion("p", ("/bin/give", "a b\x1b[1m", "$(x)")), Ticket()) is may
    typing.join()
    assert r"/bin/give 'a b\x1b[1m' '$(x)'" in terminal.seen


def test_a_sign_in_is_shown_whole(terminal: Terminal) -> None:
    login = DeviceLogin("a", "https://x/start", "https://y/", "https://y/?user_code=AB-CD", "AB-CD", 600)
    assert terminal.asker.no_login("a", "aws sso login") is None
    with terminal.asker.show_login(login, Ticket()):
        shown = terminal.rest()
    assert "https://y/?user_code=AB-CD" in shown
    assert "code AB-CD" in shown


def test_keys_are_not_typed_on_a_terminal(terminal: Terminal) -> None:
    with pytest.raises(CredentialsRefused, match="keys of shop have expired"):
        terminal.asker.new_keys(KeysQuestion("shop", for_aws=True), Ticket())


def test_without_a_terminal_nothing_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config").write_text(
        "[profile mfa]\nregion = eu-west-1\nrole_arn = arn:aws:iam::123456789012:role/R\nsource_profile = keys\n"
        "mfa_serial = arn:aws:iam::123456789012:mfa/me\n"
        "[profile keys]\naws_access_key_id = AKIAX\naws_secret_access_key = s\n"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path / "home"))
    assert isinstance(terminal_asker(), NobodyToAsk)
    assert exit_code_from(cli, ["tables", "--profile", "mfa"]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert "'mfa' asks for an MFA code, and there is no terminal to ask on." in said.err
