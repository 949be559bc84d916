"""Every state that a keyring can be in, under every operation: the right answer, in time, and nothing of the keys
told."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import keyring.errors
import pytest

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.profiles import Credentials
from dynodesk.store.secrets import KeyringState, KeyringUnavailable, SecretStore
from tests.store.vault import NAME, SHORT, Vault

KEYS = Credentials("ASIACANARYCANARY0001", "canarySECRETcanary/canary+canary01234567", "CanaryToken/" * 342)
"""With a token of 4 KB."""
LOCKED, FAILS, NOTHING, DONE, KEPT = "KeyringLocked", "KeyringUnavailable", "nothing there", "done", "the keys"


class Raising(Vault):
    """Whatever is asked of it, and whatever it is: an exception with all that it was given in its text."""

    def __init__(self, made: Callable[[str], BaseException]) -> None:
        super().__init__()
        self._made = made

    def get_password(self, service: str, username: str) -> NoReturn:
        raise self._made(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> NoReturn:
        raise self._made(f"{service} {username} {password}")

    def delete_password(self, service: str, username: str) -> NoReturn:
        raise self._made(f"{service} {username}")


class Hanging(Vault):
    """Waits for a dialog that nobody answers."""

    over = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.over.wait(60)
        return None


class Null(Vault):
    """Says that all is well, and keeps nothing."""

    def set_password(self, service: str, username: str, password: str) -> None:
        pass


class Other(Vault):
    """Keeps something else than it was given."""

    def set_password(self, service: str, username: str, password: str) -> None:
        super().set_password(service, username, password[::-1])


class NoText(Vault):
    """Gives back what is no text."""

    def get_password(self, service: str, username: str) -> Any:
        return {"service": service}


class Forgetful(Vault):
    """Loses its bus after a few steps."""

    def _step(self, act: Callable[[], None]) -> None:
        if self.steps > 20:
            raise RuntimeError("the connection to the bus is closed")
        super()._step(act)


class WritesOnly(Vault):
    """Somebody has denied the reading in its dialog, as macOS asks for each item and program."""

    def get_password(self, service: str, username: str) -> str | None:
        if self.entries:
            raise keyring.errors.KeyringLocked("Can't get password from keychain: denied")
        return super().get_password(service, username)


STATES: dict[str, tuple[Callable[[], Vault], dict[str, str]]] = {
    "in order, with the limit of Windows": (Vault, {"load": NOTHING, "save": DONE, "save and load": KEPT}),
    "locked": (lambda: Raising(keyring.errors.KeyringLocked), dict.fromkeys(("load", "save", "save and load"), LOCKED)),
    "its dialog was dismissed": (
        lambda: Raising(type("PromptDismissedException", (Exception,), {})),
        dict.fromkeys(("load", "save", "save and load"), LOCKED),
    ),
    "macOS, denied": (WritesOnly, {"load": NOTHING, "save": LOCKED, "save and load": LOCKED}),
    "macOS, failing": (
        lambda: Raising(keyring.errors.PasswordSetError),
        dict.fromkeys(("load", "save", "save and load"), FAILS),
    ),
    "KWallet, not opened": (
        lambda: Raising(keyring.errors.KeyringLocked),
        dict.fromkeys(("load", "save", "save and load"), LOCKED),
    ),
    "KWallet, gone": (
        lambda: Raising(keyring.errors.InitError),
        dict.fromkeys(("load", "save", "save and load"), FAILS),
    ),
    "D-Bus dies in the middle": (Forgetful, {"load": NOTHING, "save": FAILS, "save and load": FAILS}),
    "hanging": (Hanging, dict.fromkeys(("load", "save", "save and load"), FAILS)),
    "null": (Null, {"load": NOTHING, "save": FAILS, "save and load": FAILS}),
    "keeps something else": (Other, {"load": NOTHING, "save": FAILS, "save and load": FAILS}),
    "gives no text": (NoText, {"load": FAILS, "save": FAILS, "save and load": FAILS}),
    "ends the program": (lambda: Raising(SystemExit), dict.fromkeys(("load", "save", "save and load"), FAILS)),
    "runs out of stack": (lambda: Raising(RecursionError), dict.fromkeys(("load", "save", "save and load"), FAILS)),
}


def saved(store: SecretStore) -> str:
    store.save(NAME, KEYS)
    return DONE


def deleted(store: SecretStore) -> str:
    store.delete(NAME)
    return DONE


def found_by(store: SecretStore) -> str:
    found = store.load(NAME)
    return NOTHING if found is None else KEPT if found == KEYS else repr(found)


OPERATIONS: dict[str, Callable[[SecretStore], str]] = {
    "load": found_by,
    "save": saved,
    "save and load": lambda store: saved(store) and found_by(store),
}


@pytest.fixture(autouse=True)
def answered_in_the_end() -> Iterator[None]:
    Hanging.over.clear()
    yield
    Hanging.over.set()
    for thread in [thread for thread in threading.enumerate() if thread.name == "keyring"]:
        thread.join()


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("state", STATES)
def test_a_state_under_an_operation(state: str, operation: str) -> None:
    made, expected = STATES[state]
    store = SecretStore(made(), "Test Vault", timeout=0.2 if state == "hanging" else 30)
    assert outcome(lambda: OPERATIONS[operation](store)) == expected[operation]


@pytest.mark.parametrize("state", STATES)
def test_a_state_under_a_deletion(state: str) -> None:
    """Nothing is there: fine, unless the keyring cannot even say so."""
    made, expected = STATES[state]
    store = SecretStore(made(), "Test Vault", timeout=0.2 if state == "hanging" else 30)
    wanted = DONE if expected["load"] == NOTHING else expected["load"]
    if state == "D-Bus dies in the middle":
        wanted = FAILS
    assert outcome(lambda: deleted(store)) == wanted


@pytest.mark.parametrize("state", STATES)
def test_the_state_of_it_is_told_without_asking_anybody(state: str) -> None:
    vault = STATES[state][0]()
    store = SecretStore(vault, "Test Vault", is_locked=lambda: state == "locked")
    assert store.state() == KeyringState("locked" if state == "locked" else "available", "Test Vault")
    assert vault.steps == 0


@pytest.mark.parametrize("state", [state for state in STATES if state != "hanging"])
def test_what_was_kept_before_is_kept_or_the_new_is(state: str) -> None:
    """Old keys in the keyring, then it gets into the state, then it is in order again."""
    before = Vault()
    SecretStore(before, "Test Vault").save(NAME, SHORT)
    broken = STATES[state][0]()
    broken.entries = dict(before.entries)
    result = outcome(lambda: saved(SecretStore(broken, "Test Vault")))
    before.entries = broken.entries
    assert SecretStore(before, "Test Vault").load(NAME) == (KEYS if result == DONE else SHORT)


def outcome(call: Callable[[], str]) -> str:
    try:
        return call()
    except DynodeskError as error:
        told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
        for text in (told, str(error), error.message, error.hint, error.details):
            assert "canary" not in text.casefold()
        return type(error).__name__


def test_a_state_of_ours_is_an_error_of_ours() -> None:
    with pytest.raises(KeyringUnavailable) as caught:
        SecretStore(Null(), "Test Vault").save(NAME, KEYS)
    assert caught.value.written == "nothing"
