"""What has to be asked on the terminal: only where there is one to read the question and to type the answer."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from dynodesk.cli.diagnostics import say
from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.profiles import Credentials
from dynodesk.domain.progress import Ticket
from dynodesk.domain.sign_in import (
    LOOK_EVERY,
    DeviceLogin,
    KeysQuestion,
    MfaQuestion,
    NobodyToAsk,
    ProcessQuestion,
    SignInAsker,
)


def has_terminal() -> bool:
    """Whether somebody can read a question and type the answer."""
    streams = (sys.stdin, sys.stderr)  # None where whoever started the program has closed them
    return all(stream is not None and stream.isatty() for stream in streams)


def terminal_asker() -> SignInAsker:
    if has_terminal():
        return _Terminal()
    return NobodyToAsk("there is no terminal to ask on")


class _Terminal:
    """Asks on stderr, so that stdout holds what the command was run for."""

    def mfa_code(self, question: MfaQuestion, ticket: Ticket) -> str:
        if question.wrong:
            say("That code was not accepted. A new one comes within 30 s.")
        say(f"The AWS profile {question.profile} asks for a code of {question.device}, for {question.role}.")
        return typed("MFA code (not shown): ", ticket, shown=False)

    def may_run(self, question: ProcessQuestion, ticket: Ticket) -> bool:
        say(f"The AWS profile {question.profile} gets its credentials from a program, run exactly so:")
        say(f"  {' '.join(question.shown)}")
        return typed("Run it, now and from now on? [y/N] ", ticket).strip().lower() in {"y", "yes"}

    def no_login(self, _profile: str, _command: str) -> CredentialsRefused | None:
        return None

    @contextlib.contextmanager
    def show_login(self, login: DeviceLogin, _ticket: Ticket) -> Iterator[None]:
        say(f"Sign in to {login.start_url} for the AWS profile {login.profile}: open")
        say(f"  {login.url_with_code}")
        say(f"and check that it shows the code {login.code}. Ctrl-C gives up.")
        yield

    def new_keys(self, question: KeysQuestion, _ticket: Ticket) -> Credentials:
        message = f"The keys of {question.connection} have expired."
        raise CredentialsRefused(message, hint="Enter new ones in the window: Change the connection.")


if sys.platform == "win32":
    import getpass

    def typed(prompt: str, ticket: Ticket, *, shown: bool = True) -> str:
        """A line from the terminal, with its end. Raises `Cancelled`."""
        ticket.checkpoint()
        if not shown:
            return getpass.getpass(prompt)
        sys.stderr.write(prompt)
        sys.stderr.flush()
        return sys.stdin.readline()

else:
    import os
    import select
    import termios

    def typed(prompt: str, ticket: Ticket, *, shown: bool = True) -> str:
        """A line from the terminal, with its end. Raises `Cancelled`; the terminal is then as it was."""
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        silent = termios.tcgetattr(terminal)
        if not shown:
            silent[3] &= ~termios.ECHO
        try:
            termios.tcsetattr(terminal, termios.TCSAFLUSH, silent)  # before the prompt: whoever sees it may type
            sys.stderr.write(prompt)
            sys.stderr.flush()
            while not select.select([terminal], [], [], LOOK_EVERY)[0]:
                ticket.checkpoint()
            line = os.read(terminal, 1000)  # a terminal hands on whole lines
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)
            if not shown:
                sys.stderr.write("\n")
        return line.decode(errors="replace")
