"""Typed keys: kept in the keyring of the operating system, or for this session where there is none.

The one home of the keyring library, which is slow to import and is not touched before a secret is asked for.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.profiles import Credentials
from dynodesk.store.entries import (
    Backend,
    Caught,
    Entries,
    KeyringLocked,
    KeyringUnavailable,
    SecretDamaged,
    SecretTooLong,
    in_time,
    translated,
)

__all__ = [
    "KeyringLocked",
    "KeyringState",
    "KeyringUnavailable",
    "SecretDamaged",
    "SecretStore",
    "SecretTooLong",
    "SessionSecrets",
    "open_secrets",
]

ANSWER_TIME = 60.0  # seconds; the keyring may be asking the user for its password
PROBE_TIME = 5.0  # seconds; a look that asks nobody

_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class KeyringState:
    """Whether secrets can be kept. `reason` says why not, for `absent`."""

    kind: Literal["available", "locked", "absent"]
    keyring: str
    reason: str = ""


class SecretStore:
    """Credentials by name in the keyring of the operating system.

    Calls block, for as long as the keyring asks the user for its password: they are made on a worker thread, one
    at a time. Each gives up waiting after `timeout` seconds. A secret is stored in parts under a manifest that is
    switched last: whatever is cut off in between leaves the former secret readable.
    """

    def __init__(
        self,
        backend: Backend,
        keyring: str,
        *,
        is_locked: Callable[[], bool] = lambda: False,
        timeout: float = ANSWER_TIME,
    ) -> None:
        self._backend = backend
        self._keyring = keyring
        self._is_locked = is_locked
        self._timeout = timeout
        self._turn = threading.Lock()

    def state(self) -> KeyringState:
        """The keyring's state, found without asking the user anything."""
        try:
            locked = in_time(lambda: translated(self._is_locked, self._keyring), PROBE_TIME)
        except DynodeskError as fault:
            return KeyringState("absent", self._keyring, fault.message)
        except TimeoutError:
            return KeyringState("absent", self._keyring, f"{self._keyring} does not answer.")
        return KeyringState("locked" if locked else "available", self._keyring)

    def describe(self) -> str:
        state = self.state()
        if state.kind == "absent":
            return f"Keyring found, but not usable: {state.reason}"
        return f"Keyring found: {self._keyring}, {'locked' if state.kind == 'locked' else 'unlocked'}."

    def load(self, name: str) -> Credentials | None:
        """The credentials; None only if there are none under this name.

        Raises KeyringLocked, KeyringUnavailable, SecretDamaged.
        """
        return self._call(name, lambda entries: entries.load())

    def save(self, name: str, credentials: Credentials) -> None:
        """Stores the credentials in place of those under this name, and reads them back.

        Raises SecretTooLong, KeyringLocked, KeyringUnavailable; unless their `written` says otherwise the former
        credentials are as they were.
        """
        self._call(name, lambda entries: entries.save(credentials))

    def delete(self, name: str) -> None:
        """Removes the credentials and every part left by a save that was cut off; fine if there are none.

        Raises KeyringLocked, KeyringUnavailable.
        """
        self._call(name, lambda entries: entries.delete())

    def _call(self, name: str, steps: Callable[[Entries], T]) -> T:
        if not _NAME.fullmatch(name):
            raise ValueError(f"not a secret's name: {name!r}")
        if not self._turn.acquire(timeout=self._timeout):
            raise KeyringUnavailable(
                f"{self._keyring} has not answered an earlier request yet.",
                hint="Look for its dialog, perhaps behind other windows.",
            )
        entries = Entries(self._backend, self._keyring, name)

        def take_turn() -> T:
            try:
                return steps(entries)
            finally:
                self._turn.release()

        try:
            return in_time(take_turn, self._timeout)
        except TimeoutError:
            entries.abandon()
        raise KeyringUnavailable(
            f"{self._keyring} did not answer within {self._timeout:g} seconds.",
            hint="Look for its dialog, perhaps behind other windows, and try again.",
            written="unknown" if entries.is_touched else "nothing",
        )


class SessionSecrets:
    """Credentials by name, in memory: gone when the program ends. Takes the place of a `SecretStore`."""

    def __init__(self, reason: str = "") -> None:
        """`reason` says why there is no keyring."""
        self._reason = reason
        self._credentials: dict[str, Credentials] = {}

    def state(self) -> KeyringState:
        return KeyringState("absent", "", self._reason)

    def describe(self) -> str:
        return "No keyring: keys are kept for this session only."

    def load(self, name: str) -> Credentials | None:
        return self._credentials.get(name)

    def save(self, name: str, credentials: Credentials) -> None:
        self._credentials[name] = credentials

    def delete(self, name: str) -> None:
        self._credentials.pop(name, None)


@dataclass(frozen=True, slots=True)
class _Allowed:
    """A keyring that may be used: its class, and attributes of it that are not left to the environment."""

    module: str
    cls: str
    title: str
    fixed: tuple[tuple[str, object], ...] = ()


_SECRET_SERVICE = _Allowed("keyring.backends.SecretService", "Keyring", "Secret Service")
_LOCAL_MACHINE = 2  # CRED_PERSIST_LOCAL_MACHINE: the library's default roams to other machines


def _allowed() -> tuple[_Allowed, ...]:
    if sys.platform == "win32":
        fixed = (("_persist", _LOCAL_MACHINE),)
        return (_Allowed("keyring.backends.Windows", "WinVaultKeyring", "Windows Credential Manager", fixed),)
    if sys.platform == "darwin":
        return (_Allowed("keyring.backends.macOS", "Keyring", "macOS Keychain", (("keychain", None),)),)
    return (
        _SECRET_SERVICE,
        _Allowed("keyring.backends.kwallet", "DBusKeyring", "KWallet"),
        _Allowed("keyring.backends.kwallet", "DBusKeyringKWallet4", "KWallet 4"),
    )


def open_secrets() -> SecretStore | SessionSecrets:
    """The keyring of this machine, or memory where none can be used. Blocks for up to five seconds; asks nobody.

    Only the keyrings named here are used, made directly: the library's own choice follows an environment variable
    and a configuration file that can name any class and any folder to load it from.
    """
    reasons: list[str] = []
    found: list[tuple[float, _Allowed, Backend]] = []

    def look() -> None:
        for allowed in _allowed():
            with Caught() as caught:
                priority, backend = _made(allowed)
                found.append((priority, allowed, backend))
            if caught.error is not None:
                reasons.append(f"{allowed.title}: {caught.error}")

    try:
        in_time(look, PROBE_TIME)
    except TimeoutError:
        return SessionSecrets("The keyring does not answer.")
    if not found:
        return SessionSecrets("; ".join(reasons))
    _, allowed, backend = max(found, key=lambda each: each[0])
    if allowed is _SECRET_SERVICE:
        return SecretStore(backend, allowed.title, is_locked=_secret_service_is_locked)
    return SecretStore(backend, allowed.title)


def _made(allowed: _Allowed) -> tuple[float, Backend]:
    """The backend and its priority. Raises whatever says that it cannot be used here."""
    cls = getattr(importlib.import_module(allowed.module), allowed.cls)
    # variables named KEYRING_PROPERTY_… would set any attribute of the backend, such as where it stores
    own = type(allowed.cls, (cls,), {"set_properties_from_env": _nothing, **dict(allowed.fixed)})
    priority = float(cls.priority)
    if priority < 1:
        raise RuntimeError("not recommended by the keyring library")
    backend: Backend = own()
    return priority, backend


def _nothing(_backend: object) -> None:
    pass


def _secret_service_is_locked() -> bool:
    service = importlib.import_module("secretstorage")
    with contextlib.closing(service.dbus_init()) as connection:
        try:
            collection = service.Collection(connection)
        except service.ItemNotFoundException:
            return False  # no keyring yet: one is made at the first save
        return bool(collection.is_locked())
