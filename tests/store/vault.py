"""A keyring in memory that can be made to fail, and keys to put into it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

from dynodesk.domain.profiles import Credentials
from dynodesk.store.secrets import SecretStore

NAME = "profile-0123456789abcdef"
OLD = Credentials("ASIAOLDOLDOLDOLDOLD1", "oldoldSECRETold/old+old0123456789abcdefg", "OldToken" * 400)
NEW = Credentials("ASIANEWNEWNEWNEWNEW1", "newnewSECRETnew/new+new0123456789abcdefg", "NewToken" * 600)
SHORT = Credentials("AKIASHORTSHORTSHORT1", "shortSECRETshort/short+short0123456789ab")


class VaultError(Exception):
    """Not a class of the keyring library, as on Windows."""


class Killed(BaseException):
    """The program ended here: nothing it would have done afterwards happens."""


class Vault:
    """A keyring in memory with the limit of the Windows one, which can be made to fail at any step."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}
        self.steps = 0
        self.fail: Callable[[int], BaseException | None] = lambda step: None
        self.fail_after = False
        """Whether a failing step has taken effect."""

    def _step(self, act: Callable[[], None]) -> None:
        self.steps += 1
        fault = self.fail(self.steps)
        if fault is None or self.fail_after:
            act()
        if fault is not None:
            raise fault

    def get_password(self, service: str, username: str) -> str | None:
        self._step(lambda: None)
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if len(password.encode("utf-16-le")) > 2560:
            raise VaultError(1783, "CredWrite", "The stub received bad data.")
        self._step(lambda: self.entries.update({(service, username): password}))

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.entries:
            raise VaultError("no such password")
        self._step(lambda: self.entries.__delitem__((service, username)))

    def behave(self) -> None:
        self.steps, self.fail, self.fail_after = 0, lambda step: None, False


def store_in(vault: Vault) -> SecretStore:
    return SecretStore(vault, "Test Vault", timeout=30)


def is_tidy(vault: Vault, credentials: Credentials) -> bool:
    """Whether the keyring holds the parts of these credentials, their manifest and nothing else."""
    parts = -(-len(json.dumps(asdict(credentials))) // 1200)
    return len(vault.entries) == parts + 1


def entry(vault: Vault, end: str) -> tuple[str, str]:
    (found,) = (key for key in vault.entries if key[0].endswith(f"/{end}"))
    return found
