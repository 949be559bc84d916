"""Programs that AWS profiles name for credentials, run as they are written: allowed first, without a shell, in time."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.sign_in import ProcessQuestion

SECONDS = 30
"""For a program to print its credentials."""
LARGEST = 100_000
"""Bytes that it may print."""
LOOK_EVERY = 0.05
"""Seconds between looks at the ticket."""


class NotAllowedYet(Exception):
    """The program has to be asked for first."""

    def __init__(self, question: ProcessQuestion) -> None:
        super().__init__(question.argv[0])
        self.question = question


def runner(profile: str, allowed: Collection[str], ticket: Ticket, seconds: float = SECONDS) -> Callable[..., _Run]:
    """What botocore's `ProcessProvider` takes in place of `Popen`.

    Raises `NotAllowedYet` for a command whose digest is not among `allowed`, and `CredentialsRefused`.
    """

    def start(command: Sequence[str], **_pipes: object) -> _Run:
        question = ProcessQuestion(profile, (_program(profile, command), *command[1:]))
        if question.digest not in allowed:
            raise NotAllowedYet(question)
        return _Run(question, ticket, seconds)

    return start


def _program(profile: str, command: Sequence[str]) -> str:
    """The whole path of the program. Raises `CredentialsRefused` where it has none."""
    named = command[0] if command else ""
    if not named:
        message = f"The credential_process of the AWS profile {profile!r} is empty."
        raise CredentialsRefused(message, hint="Write the program with its whole path, or remove the line.")
    path = Path(named)
    if path.is_absolute():
        if not path.exists():
            raise _cannot_run(profile, f"{path}: No such file or directory")
        return named
    if path.name != named:
        raise CredentialsRefused(
            f"The credential_process of the AWS profile {profile!r} is the relative path {named}: what that is would "
            "depend on the folder in which dynodesk was started.",
            hint="Write its whole path in the AWS configuration file.",
        )
    found = shutil.which(named)
    if found is None:
        raise _cannot_run(profile, f"{named} is not in the PATH")
    return str(Path(found).absolute())


def _cannot_run(profile: str, why: str) -> CredentialsRefused:
    return CredentialsRefused(
        f"The credential_process of the AWS profile {profile!r} cannot be run: {why}.",
        hint="Correct it in the AWS configuration file.",
    )


class _Run:
    """One run: what botocore uses of a `Popen`. What goes to stderr may hold a secret and is dropped unread."""

    def __init__(self, question: ProcessQuestion, ticket: Ticket, seconds: float) -> None:
        self._question, self._ticket, self._seconds = question, ticket, seconds
        self.returncode: int | None = None

    def communicate(self) -> tuple[bytes, bytes]:
        """What it printed. Raises `CredentialsRefused`, `Cancelled`; then nothing of it runs any more."""
        try:
            process = subprocess.Popen(  # noqa: S603  (the person has seen and allowed exactly this command)
                self._question.argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=sys.platform != "win32",  # no terminal to ask on, and all its children end with it
            )
        except OSError as problem:
            raise _cannot_run(self._question.profile, f"{self._question.argv[0]}: {problem.strerror}") from None
        with process:
            printed = self._printed(process)
        self.returncode = process.returncode
        if process.returncode != 0:
            raise self._refusal(
                f"ended with {process.returncode}", "Run it in a terminal to see what it says; that is not shown here."
            )
        return printed, b""

    def _printed(self, process: subprocess.Popen[bytes]) -> bytes:
        printed: list[bytes] = []
        pipe = process.stdout
        assert pipe is not None  # noqa: S101  (asked for above)
        reading = threading.Thread(target=lambda: printed.append(pipe.read(LARGEST + 1)), daemon=True)
        reading.start()
        end = time.monotonic() + self._seconds
        try:
            while reading.is_alive() or process.poll() is None:
                self._ticket.checkpoint()
                if time.monotonic() > end:
                    why = f"printed no credentials within {self._seconds:g} s and was stopped"
                    raise self._refusal(why, "Does it wait for something?")
                if printed and len(printed[0]) > LARGEST:
                    raise self._refusal(
                        f"printed more than {LARGEST:,} bytes and was stopped", "That is no credential."
                    )
                reading.join(LOOK_EVERY)
                if not reading.is_alive():
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(LOOK_EVERY)
        except (CredentialsRefused, Cancelled):
            _end(process)
            reading.join()
            raise
        return printed[0] if printed else b""

    def _refusal(self, what: str, hint: str) -> CredentialsRefused:
        return CredentialsRefused(
            f"The program {self._question.argv[0]}, which gives the credentials of the AWS profile "
            f"{self._question.profile!r}, {what}.",
            hint=hint,
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
        os.killpg(process.pid, signal.SIGKILL)
