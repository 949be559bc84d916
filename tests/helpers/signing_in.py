"""A person who is asked for codes, programs and sign-ins, by script; and what a command is allowed in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.profiles import Credentials
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.sign_in import (
    AsksInTurn,
    DeviceLogin,
    KeysQuestion,
    MfaQuestion,
    ProcessQuestion,
    SignInMeans,
)


class Allowed:
    """`AllowedPrograms`."""

    def __init__(self) -> None:
        self.digests: set[str] = set()

    def holds(self, digest: str) -> bool:
        return digest in self.digests

    def add(self, digest: str) -> None:
        self.digests.add(digest)


class Person:
    """A `SignInAsker` that answers at once. `codes` and `keys` are given one after the other; None: gives up."""

    def __init__(
        self,
        *codes: str | None,
        runs: bool = True,
        keys: tuple[Credentials | None, ...] = (),
        while_shown: Callable[[Ticket], object] | None = None,
    ) -> None:
        self.codes, self.keys, self.runs = list(codes), list(keys), runs
        self.asked: list[MfaQuestion | ProcessQuestion | DeviceLogin | KeysQuestion] = []
        self.let_answer = threading.Event()
        """Cleared, it takes the person until it is set to answer."""
        self.let_answer.set()
        self._while_shown = while_shown
        self._answering = threading.Lock()

    def mfa_code(self, question: MfaQuestion, ticket: Ticket) -> str:
        with self._asked_for(question, ticket):
            return _given(self.codes.pop(0))

    def may_run(self, question: ProcessQuestion, ticket: Ticket) -> bool:
        with self._asked_for(question, ticket):
            return self.runs

    def no_login(self, profile: str, command: str) -> CredentialsRefused | None:
        return None

    @contextmanager
    def show_login(self, login: DeviceLogin, ticket: Ticket) -> Iterator[None]:
        with self._asked_for(login, ticket):
            if self._while_shown is not None:
                self._while_shown(ticket)
            yield

    def new_keys(self, question: KeysQuestion, ticket: Ticket) -> Credentials:
        with self._asked_for(question, ticket):
            given = self.keys.pop(0)
            if given is None:
                raise Cancelled
            return given

    @contextmanager
    def _asked_for(
        self, question: MfaQuestion | ProcessQuestion | DeviceLogin | KeysQuestion, ticket: Ticket
    ) -> Iterator[None]:
        assert self._answering.acquire(blocking=False), "two questions at a time"
        try:
            self.asked.append(question)
            while not self.let_answer.wait(0.02):
                ticket.checkpoint()
            yield
        finally:
            self._answering.release()


def _given(code: str | None) -> str:
    if code is None:
        raise Cancelled
    return code


def means(person: Person, services: Mapping[str, str] | None = None, allowed: Allowed | None = None) -> SignInMeans:
    return SignInMeans(AsksInTurn(person, allowed or Allowed()), services=services or {})
