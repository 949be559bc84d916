"""What signing in may have to ask a person, and who asks it.

Whoever needs credentials works in a thread of its own and knows neither windows nor terminals. Every question takes a
ticket: it is withdrawn when that is cancelled. A person who gives up is a `Cancelled` too.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.profiles import Credentials
from dynodesk.domain.progress import Ticket

MAX_WRONG_CODES = 3
"""After so many the sign-in ends: a device that is asked too often may be locked."""

LOOK_EVERY = 0.1
"""Seconds between looks at the ticket."""


@dataclass(frozen=True, slots=True)
class MfaQuestion:
    profile: str
    """The AWS profile that names the device."""
    device: str
    """Its ARN or serial number."""
    role: str
    """The ARN of the role that the code is for."""
    wrong: int = 0
    """How many codes were not accepted so far."""


@dataclass(frozen=True, slots=True)
class ProcessQuestion:
    """Whether a program may be run for its credentials."""

    profile: str
    argv: tuple[str, ...]
    """Exactly what is run; the first is the program's whole path."""

    @property
    def shown(self) -> tuple[str, ...]:
        """Each argument as a shell would take it, and no character of it unseen."""
        return tuple(
            "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in shlex.quote(each))
            for each in self.argv
        )

    @property
    def digest(self) -> str:
        """The same for the same command, whichever profile names it."""
        return hashlib.sha256(json.dumps(self.argv).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class DeviceLogin:
    """A sign-in that goes on in a browser."""

    profile: str
    start_url: str
    """The address of the organisation's portal."""
    url: str
    """Where the code is typed; https."""
    url_with_code: str
    """The same with the code filled in."""
    code: str
    seconds: float
    """For how long the code is good."""


@dataclass(frozen=True, slots=True)
class KeysQuestion:
    """Typed keys that have expired."""

    connection: str
    for_aws: bool


class SignInAsker(Protocol):
    """Asks a person, from any thread. Raises `Cancelled` where the person gives up or the ticket is cancelled.

    Raises `CredentialsRefused` where nobody can be asked.
    """

    def mfa_code(self, question: MfaQuestion, ticket: Ticket) -> str:
        """What was typed, as it was typed."""

    def may_run(self, question: ProcessQuestion, ticket: Ticket) -> bool: ...

    def no_login(self, profile: str, command: str) -> CredentialsRefused | None:
        """Why nobody can be shown a sign-in; None where somebody can. `command` does it elsewhere."""

    def show_login(self, login: DeviceLogin, ticket: Ticket) -> AbstractContextManager[None]:
        """Shown until the block ends. A person who gives up cancels the ticket. Not where `no_login` says why not."""

    def new_keys(self, question: KeysQuestion, ticket: Ticket) -> Credentials: ...


@dataclass(frozen=True, slots=True)
class NobodyToAsk:
    """Fails at once, in place of waiting for nobody. `why` completes a sentence: "there is no terminal to ask on"."""

    why: str

    def mfa_code(self, question: MfaQuestion, _ticket: Ticket) -> str:
        raise self._refusal(f"The AWS profile {question.profile!r} asks for an MFA code")

    def may_run(self, question: ProcessQuestion, _ticket: Ticket) -> bool:
        raise self._refusal(
            f"The AWS profile {question.profile!r} gets its credentials from the program {question.argv[0]}, "
            "which was not allowed yet",
            hint="Use the profile once in the window or on a terminal, where the program can be allowed.",
        )

    def no_login(self, profile: str, command: str) -> CredentialsRefused:
        message = f"The sign-in of the AWS profile {profile!r} has ended or was never started, and {self.why}."
        return CredentialsRefused(message, hint=f"Sign in again, or run `{command}`.")

    def show_login(self, login: DeviceLogin, _ticket: Ticket) -> AbstractContextManager[None]:
        raise self.no_login(login.profile, "aws sso login")

    def new_keys(self, question: KeysQuestion, _ticket: Ticket) -> Credentials:
        raise self._refusal(f"The keys of {question.connection} have expired")

    def _refusal(self, what: str, hint: str = "Sign in again.") -> CredentialsRefused:
        return CredentialsRefused(f"{what}, and {self.why}.", hint=hint)


class AllowedPrograms(Protocol):
    """The commands that a person has allowed to be run for credentials, by `ProcessQuestion.digest`."""

    def holds(self, digest: str) -> bool: ...

    def add(self, digest: str) -> None: ...


class AsksInTurn:
    """One question at a time, whatever connections they come from, and each program once.

    `asker` may be put in place later, before anybody signs in.
    """

    def __init__(self, asker: SignInAsker, allowed: AllowedPrograms) -> None:
        self.asker = asker
        self._allowed = allowed
        self._one = threading.Lock()

    def mfa_code(self, question: MfaQuestion, ticket: Ticket) -> str:
        with self._turn(ticket):
            return self.asker.mfa_code(question, ticket)

    def may_run(self, question: ProcessQuestion, ticket: Ticket) -> bool:
        with self._turn(ticket):
            if self._allowed.holds(question.digest):
                return True
            may = self.asker.may_run(question, ticket)
            if may:
                self._allowed.add(question.digest)
            return may

    def no_login(self, profile: str, command: str) -> CredentialsRefused | None:
        return self.asker.no_login(profile, command)

    @contextmanager
    def show_login(self, login: DeviceLogin, ticket: Ticket) -> Iterator[None]:
        with self._turn(ticket), self.asker.show_login(login, ticket):
            yield

    def new_keys(self, question: KeysQuestion, ticket: Ticket) -> Credentials:
        with self._turn(ticket):
            return self.asker.new_keys(question, ticket)

    @contextmanager
    def _turn(self, ticket: Ticket) -> Iterator[None]:
        while not self._one.acquire(timeout=LOOK_EVERY):
            ticket.checkpoint()
        try:
            ticket.checkpoint()
            yield
        finally:
            self._one.release()


@dataclass(frozen=True, slots=True)
class SignInMeans:
    """What all connections of a program share for signing in."""

    asker: SignInAsker = NobodyToAsk("nobody can be asked here")
    cache: dict[str, Any] = field(default_factory=dict)
    """Credentials of roles until they expire, in memory only: a code is asked for once, whoever needs the role."""
    services: Mapping[str, str] = field(default_factory=dict)
    """Addresses that stand in for services of AWS, by name such as "sts". Empty: AWS itself."""
