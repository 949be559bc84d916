"""One secret as entries of a keyring: in parts, under a manifest, so that a cut leaves it whole."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Protocol, Self, TypeVar

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.profiles import Credentials

LONGEST_SECRET = 16_384  # characters
PART_LENGTH = 1_200  # characters; the Windows vault ends at 1,280

_MOST_PARTS = -(-LONGEST_SECRET // PART_LENGTH)
_MANIFEST = "manifest"
_GENERATIONS = ("a", "b")
_SERVICE = "dynodesk"
_SHUT = {"KeyringLocked", "LockedException", "PromptDismissedException"}

T = TypeVar("T")


class KeyringUnavailable(DynodeskError):
    """No keyring, or one that failed or did not answer. Says nothing about which secrets exist."""

    code = "keyring-unavailable"
    next_step = "Try again, or keep the keys for this session only."


class KeyringLocked(DynodeskError):
    """The keyring is there and stays shut: its password was not given. Its secrets are untouched."""

    code = "keyring-locked"
    next_step = "Unlock it and try again: the keys in it are untouched."


class SecretDamaged(DynodeskError):
    """Parts of a secret are missing or do not belong together."""

    code = "secret-damaged"
    next_step = "Type the keys of this connection again."


class SecretTooLong(DynodeskError):
    """More than a keyring is asked to hold."""

    code = "secret-too-long"
    next_step = "Check that nothing else was pasted with them."


class Backend(Protocol):
    """A keyring of the keyring library. May raise anything, and give back what is neither text nor None."""

    def get_password(self, service: str, username: str) -> object: ...

    def set_password(self, service: str, username: str, password: str) -> None: ...

    def delete_password(self, service: str, username: str) -> None: ...


class Entries:
    """The entries of one secret in the keyring: a manifest, and parts a0, a1, … or b0, b1, …

    Two generations take turns, so that what a cut leaves behind has names we know: a keyring cannot be listed.
    """

    def __init__(self, backend: Backend, keyring: str, name: str) -> None:
        self._backend = backend
        self._keyring = keyring
        self._name = name
        self._abandoned = threading.Event()
        self.is_touched = False
        """Whether anything was written or removed, or tried to be."""

    def abandon(self) -> None:
        """Nobody waits any more: the next step is not taken."""
        self._abandoned.set()

    def load(self) -> Credentials | None:
        for _ in range(2):  # twice: another program may have switched the manifest between our reads
            stored = self._get(_MANIFEST)
            if stored is None:
                return None
            text = self._text_of(_Manifest.parse(stored))
            credentials = None if text is None else _credentials(text)
            if credentials is not None:
                return credentials
        raise SecretDamaged(
            "The keys in the keyring are damaged and cannot be used.", hint="Type the keys of this connection again."
        )

    def save(self, credentials: Credentials) -> None:
        text = json.dumps(asdict(credentials))
        if len(text) > LONGEST_SECRET:
            raise SecretTooLong(
                f"The keys take {len(text):,} characters, more than the {LONGEST_SECRET:,} that are kept.",
                hint="Check that nothing else was pasted with them.",
            )
        before = self._get(_MANIFEST)
        current = _Manifest.parse(before)
        new, old = reversed(_GENERATIONS) if current and current.generation == "a" else _GENERATIONS
        manifest = _Manifest.of(text, new)
        try:
            self._clear(new)
            for number in range(manifest.parts):
                self._put(f"{new}{number}", text[number * PART_LENGTH : (number + 1) * PART_LENGTH])
            self._put(_MANIFEST, json.dumps(asdict(manifest)))
        except DynodeskError as fault:
            fault.written = "unknown"
            # if going back fails too, the first failure is the one to tell; the next save or delete tidies up
            with contextlib.suppress(DynodeskError):
                self._go_back(before, new)
                fault.written = "nothing"
            raise
        try:
            self._clear(old)
        except DynodeskError as fault:
            fault.written = "applied"
            raise

    def delete(self) -> None:
        self._remove(_MANIFEST)
        for generation in _GENERATIONS:
            self._clear(generation)

    def _go_back(self, manifest: str | None, new: str) -> None:
        if self._get(_MANIFEST) != manifest:
            if manifest is None:
                self._remove(_MANIFEST)
            else:
                self._put(_MANIFEST, manifest)
        self._clear(new)

    def _text_of(self, manifest: _Manifest | None) -> str | None:
        if manifest is None:
            return None
        parts = [self._get(f"{manifest.generation}{number}") for number in range(manifest.parts)]
        text = "".join(part for part in parts if part is not None)
        return text if _Manifest.of(text, manifest.generation) == manifest else None

    def _clear(self, generation: str) -> None:
        for number in range(_MOST_PARTS):
            self._remove(f"{generation}{number}")

    def _get(self, entry: str) -> str | None:
        found = self._ask(lambda: self._backend.get_password(self._service(entry), _SERVICE))
        if found is None or isinstance(found, str):
            return found
        # taken for damage, it would be written over by the next save
        raise KeyringUnavailable(f"{self._keyring} gave back something that is no text.")

    def _put(self, entry: str, text: str) -> None:
        self.is_touched = True
        self._ask(lambda: self._backend.set_password(self._service(entry), _SERVICE, text), text)
        if self._get(entry) != text:
            raise KeyringUnavailable(f"{self._keyring} did not keep what was stored in it.")

    def _remove(self, entry: str) -> None:
        # a Secret Service removes one match at a time
        for _ in range(8):
            if self._get(entry) is None:
                return
            self.is_touched = True
            self._ask(lambda: self._backend.delete_password(self._service(entry), _SERVICE))
        raise KeyringUnavailable(f"{self._keyring} did not remove a secret.")

    def _service(self, entry: str) -> str:
        # each entry under a service of its own: on Windows a second user of one service displaces the first
        return f"{_SERVICE}/{self._name}/{entry}"

    def _ask(self, call: Callable[[], T], secret: str = "") -> T:
        if self._abandoned.is_set():
            raise KeyringUnavailable(f"{self._keyring} answered too late.")
        return translated(call, self._keyring, secret)


@dataclass(frozen=True, slots=True)
class _Manifest:
    generation: str
    parts: int
    length: int
    sha256: str

    @classmethod
    def of(cls, text: str, generation: str) -> _Manifest:
        return cls(generation, -(-len(text) // PART_LENGTH), len(text), hashlib.sha256(text.encode()).hexdigest())

    @classmethod
    def parse(cls, stored: str | None) -> _Manifest | None:
        """None for anything that is not the text of a manifest."""
        try:
            manifest = cls(**json.loads(stored or ""))
        except (ValueError, TypeError):
            return None
        is_sound = manifest.generation in _GENERATIONS and manifest.parts in range(1, _MOST_PARTS + 1)
        return manifest if is_sound else None


def _credentials(text: str) -> Credentials | None:
    try:
        credentials = Credentials(**json.loads(text))
    except (ValueError, TypeError):
        return None
    return credentials if all(isinstance(value, str) for value in asdict(credentials).values()) else None


class Caught:
    """A block whose exception is looked at after it.

    An error raised inside `except` would carry the backend's, and with it frames and arguments that hold keys.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error
        return True


def translated(call: Callable[[], T], keyring: str, secret: str = "") -> T:
    """What `call` returns; whatever a backend raises becomes an error of ours, which holds nothing of `secret`."""
    with Caught() as caught:
        return call()
    fault = caught.error
    told = str(fault)
    pieces = {secret[start : start + 8] for start in range(max(len(secret) - 7, min(len(secret), 1)))}
    details = type(fault).__name__ + ("" if any(piece in told for piece in pieces) else f": {told[:200]}")
    if _SHUT & {kind.__name__ for kind in type(fault).__mro__}:
        raise KeyringLocked(
            f"{keyring} is locked.", hint="Unlock it and try again: the keys in it are untouched.", details=details
        )
    raise KeyringUnavailable(
        f"{keyring} failed.", hint="Try again, or keep the keys for this session only.", details=details
    )


def in_time(call: Callable[[], T], seconds: float) -> T:
    """What `call` returns or raises, on a thread that does not keep the program from ending. Raises TimeoutError."""
    results: list[T] = []
    caught = Caught()

    def run() -> None:
        with caught:
            results.append(call())

    thread = threading.Thread(target=run, name="keyring", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError
    if caught.error is not None:
        if isinstance(caught.error, DynodeskError):
            caught.error.__traceback__ = None  # its frames hold what was to be stored
        raise caught.error
    return results[0]
