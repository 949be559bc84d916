"""The credentials of one connection: fetched, held, and renewed once for all who wait for them.

Requests are signed with what is held at that moment and never wait in the signer: a person who is asked for a code
takes longer than a request has. So whoever sends calls `ready` before, and `renew` where the service says that the
credentials have expired.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

from botocore.credentials import Credentials as SignerCredentials
from botocore.credentials import ReadOnlyCredentials

from dynodesk.aws.credentials import Fetched
from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.domain.redaction import redaction
from dynodesk.domain.sign_in import LOOK_EVERY, NobodyToAsk, SignInAsker

SPARE_SECONDS = 60
"""As long as a request may take: what expires sooner is renewed before."""

Fetch = Callable[[SignInAsker, Ticket, ReadOnlyCredentials | None], Fetched]
"""What `Source.fetch` does."""

SIGN_IN_AGAIN = "Sign in again; what is open stays as it is."


class _Flight:
    """One fetch under way, in a thread of its own, for as long as somebody waits for it."""

    def __init__(self, *, asks: bool) -> None:
        self.asks = asks
        self.ended: Future[None] = Future()
        self.ticket = Ticket()
        self.waiting = 0
        self.is_left = False
        """Nobody waits any more, so it comes to nothing."""
        self.thread: threading.Thread | None = None


class SignIn:
    """Safe to use from any thread."""

    def __init__(self, fetch: Fetch, asker: SignInAsker, ticket: Ticket) -> None:
        """Signs in. Raises `CredentialsRefused`, `CannotConnect` and the like, and `Cancelled`."""
        self._fetch, self._asker = fetch, asker
        self._check: Callable[[ReadOnlyCredentials, Ticket], object] = _anybody
        self._lock = threading.Lock()
        self._flight: _Flight | None = None
        self._held: Fetched | None = None
        self._given_up = False
        """The person was asked and it came to nothing: nobody is asked again until the person wants to."""
        self.generation = 0
        """How often credentials came: what a request was signed with is told by it."""
        self.again(ticket)

    @property
    def keys(self) -> ReadOnlyCredentials:
        held = self._held
        assert held is not None  # noqa: S101  (set before there is an object)
        return held.keys

    def check_with(self, check: Callable[[ReadOnlyCredentials, Ticket], object]) -> None:
        """From now on new credentials pass `check` before anything is signed with them: it raises where they must not
        be used."""
        self._check = check

    def ready(self, ticket: Ticket, *, done: int = 0) -> None:
        """To be called before a read is sent. Renews what is about to expire; `done` is reported meanwhile.

        Raises as `again`.
        """
        if self._is_ending():
            self._wait(ticket, self._is_ending, done=done)

    def ready_to_write(self, ticket: Ticket) -> None:
        """The same before a write, which never waits for a person: what it was meant for may change meanwhile."""
        if not self._is_ending():
            return
        flight = self._flight
        if flight is not None and flight.asks:
            message = "The credentials have expired and are just being renewed: nothing was written."
            raise CredentialsRefused(message, hint="Try again once you are signed in.")
        self._wait(ticket, self._is_ending, asks=False)

    def renew(self, generation: int, ticket: Ticket, *, done: int = 0) -> None:
        """The service says that what was held as `generation` has expired. Raises as `again`."""
        self._wait(ticket, lambda: generation == self.generation, expired=self.keys, done=done)

    def again(self, ticket: Ticket) -> None:
        """Because the person wants to: with other credentials than those that are held, expired or not.

        Raises `CredentialsRefused`, `CannotConnect` and the like, and `Cancelled`.
        """
        self._given_up = False
        self._wait(ticket, lambda: True, expired=None if self._held is None else self._held.keys)

    # -- one for all

    def _is_ending(self) -> bool:
        held = self._held
        return held is not None and held.ends_within(SPARE_SECONDS)

    def _wait(
        self,
        ticket: Ticket,
        is_needed: Callable[[], bool],
        *,
        expired: ReadOnlyCredentials | None = None,
        asks: bool = True,
        done: int = 0,
    ) -> None:
        """Until the fetch under way ends; begins one where none is and it `is_needed` still."""
        # The first time is a part of opening the connection; only later does it hold up what goes on already.
        ticket.checkpoint(Progress(done, note="Signing in", is_waiting=self._held is not None))
        while True:
            flight = self._joined(is_needed, expired, asks=asks)
            if flight is None:
                return
            try:
                while True:
                    ticket.checkpoint()
                    try:
                        flight.ended.result(timeout=LOOK_EVERY)
                    except TimeoutError:
                        continue
                    return
            except CredentialsRefused:
                if flight.asks or not asks or self._given_up:  # else it was one that could not ask
                    raise
            finally:
                self._leave(flight)

    def _joined(
        self, is_needed: Callable[[], bool], expired: ReadOnlyCredentials | None, *, asks: bool
    ) -> _Flight | None:
        with self._lock:
            flight = self._flight
            if flight is None or flight.is_left:
                if not is_needed():
                    return None
                flight = self._flight = _Flight(asks=asks and not self._given_up)
                flight.thread = threading.Thread(
                    target=self._fly, args=(flight, expired), name="dynodesk sign-in", daemon=True
                )
                flight.thread.start()
            flight.waiting += 1
            return flight

    def _leave(self, flight: _Flight) -> None:
        with self._lock:
            flight.waiting -= 1
            is_last = flight.waiting == 0 and not flight.ended.done()
            if is_last:
                flight.is_left = True
                flight.ticket.cancel()
        if is_last and flight.thread is not None:
            flight.thread.join(1)  # so that it gives back the terminal that it asks on

    def _fly(self, flight: _Flight, expired: ReadOnlyCredentials | None) -> None:
        asker: SignInAsker = self._asker
        if not flight.asks:
            given_up, writes = "that came to nothing when you were asked last", "a write does not wait for that"
            asker = NobodyToAsk(given_up if self._given_up else f"{writes}: nothing was written")
        try:
            fetched = self._fetch(asker, flight.ticket, expired)
            if self._held is not None and fetched.keys != self._held.keys:
                self._check(fetched.keys, flight.ticket)
            if fetched.keep is not None:
                fetched.keep()
        except BaseException as error:  # noqa: BLE001  (raised again where the result is awaited)
            self._land(flight, None, error)
        else:
            self._land(flight, fetched, None)

    def _land(self, flight: _Flight, fetched: Fetched | None, error: BaseException | None) -> None:
        with self._lock:
            if self._flight is flight:
                self._flight = None
            if fetched is not None:
                redaction.remember(fetched.keys.secret_key, fetched.keys.token)
                self._held = fetched
                self.generation += 1
                self._given_up = False
            elif isinstance(error, CredentialsRefused | Cancelled) and flight.asks and not flight.is_left:
                self._given_up = True
        if isinstance(error, Cancelled):
            error = CredentialsRefused("The sign-in was cancelled.", hint=SIGN_IN_AGAIN)
        if error is None:
            flight.ended.set_result(None)
        else:
            flight.ended.set_exception(error)


class HeldCredentials(SignerCredentials):
    """What clients sign with: whatever the sign-in holds when they do."""

    def __init__(self, sign_in: SignIn) -> None:
        super().__init__("held", "elsewhere")
        self._sign_in = sign_in

    def get_frozen_credentials(self) -> ReadOnlyCredentials:
        return self._sign_in.keys


class HeldProvider:
    """A session's `credential_provider`."""

    def __init__(self, sign_in: SignIn) -> None:
        self._credentials = HeldCredentials(sign_in)

    def load_credentials(self) -> HeldCredentials:
        return self._credentials


def _anybody(_keys: ReadOnlyCredentials, _ticket: Ticket) -> None:
    """Before anything is known of whose the first credentials are, there is nothing to compare with."""
