"""The keyring: which one is used, what is said of it, and that nothing of the keys is shown."""

from __future__ import annotations

import importlib
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from dynodesk.domain.errors import DynodeskError
from dynodesk.store import secrets
from dynodesk.store.secrets import (
    KeyringLocked,
    KeyringState,
    KeyringUnavailable,
    SecretDamaged,
    SecretStore,
    SecretTooLong,
    SessionSecrets,
    open_secrets,
)
from tests.store.vault import NAME, NEW, OLD, SHORT, Vault, VaultError, store_in


@pytest.fixture
def vault() -> Vault:
    return Vault()


# Locked, failing, silent


@pytest.mark.parametrize("name", ["KeyringLocked", "LockedException", "PromptDismissedException"])
def test_locked_is_never_taken_for_no_keys(vault: Vault, name: str) -> None:
    locked: type[Exception] = type(name, (Exception,), {})
    vault.fail = lambda step: locked("Failed to unlock the collection!")
    calls: list[Callable[[SecretStore], object]] = [
        lambda store: store.load(NAME),
        lambda store: store.save(NAME, SHORT),
        lambda store: store.delete(NAME),
    ]
    for call in calls:
        with pytest.raises(KeyringLocked, match="locked") as caught:
            call(store_in(vault))
        assert caught.value.written == "nothing"
        assert "Unlock" in caught.value.hint


@pytest.mark.parametrize(
    "fault",
    [VaultError(1783, "CredWrite", "bad data"), OSError("bus gone"), RuntimeError(), TypeError("x"), KeyError(1)],
)
def test_whatever_a_keyring_raises_is_told_plainly(vault: Vault, fault: Exception) -> None:
    vault.fail = lambda step: fault
    with pytest.raises(KeyringUnavailable, match="Test Vault failed") as caught:
        store_in(vault).load(NAME)
    assert type(fault).__name__ in caught.value.details


def test_nothing_of_the_keys_is_in_an_error(vault: Vault) -> None:
    class Chatty(Vault):
        def set_password(self, service: str, username: str, password: str) -> None:
            raise VaultError(f"cannot store {password} for {username}")

    with pytest.raises(KeyringUnavailable) as caught:
        store_in(Chatty()).save(NAME, OLD)
    report = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
    error = caught.value
    seen = [report, repr(error), str(error.args), error.message, error.hint, error.details]
    for text in seen:
        for key in (OLD.access_key_id, OLD.secret_access_key, OLD.session_token[:16]):
            assert key not in text
    assert "VaultError" in error.details
    assert error.__context__ is None
    assert error.__cause__ is None


class Silent(Vault):
    """A keyring that waits for its dialog to be answered, from the first read on or from the first write."""

    def __init__(self) -> None:
        super().__init__()
        self.waits_when_reading = True
        self.answer = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        if self.waits_when_reading:
            self.answer.wait(30)
        return super().get_password(service, username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.answer.wait(30)
        super().set_password(service, username, password)


@pytest.fixture
def silent() -> Iterator[Silent]:
    vault = Silent()
    yield vault
    vault.answer.set()


def worker() -> threading.Thread | None:
    return next((thread for thread in threading.enumerate() if thread.name == "keyring"), None)


def test_waiting_for_an_answer_ends(silent: Silent) -> None:
    store = SecretStore(silent, "Test Vault", timeout=0.05)
    with pytest.raises(KeyringUnavailable, match="did not answer") as caught:
        store.save(NAME, SHORT)
    assert caught.value.written == "nothing"
    with pytest.raises(KeyringUnavailable, match="earlier request"):
        store.load(NAME)
    silent.answer.set()
    thread = worker()
    if thread:
        thread.join()
    assert silent.entries == {}, "a save that nobody waits for any more went on"
    assert store.load(NAME) is None


def test_an_answer_that_never_came_leaves_the_outcome_open(silent: Silent) -> None:
    silent.waits_when_reading = False
    with pytest.raises(KeyringUnavailable, match="did not answer") as caught:
        SecretStore(silent, "Test Vault", timeout=0.5).save(NAME, SHORT)
    assert caught.value.written == "unknown"


# What is said about it


@pytest.mark.parametrize(("locked", "line"), [(False, "unlocked"), (True, "locked")])
def test_the_line_for_the_welcome_page(vault: Vault, locked: bool, line: str) -> None:
    store = SecretStore(vault, "Secret Service", is_locked=lambda: locked)
    assert store.describe() == f"Keyring found: Secret Service, {line}."
    assert store.state() == KeyringState("locked" if locked else "available", "Secret Service")
    assert vault.steps == 0


def test_a_keyring_that_cannot_even_be_looked_at(vault: Vault) -> None:
    def broken() -> bool:
        raise OSError("bus gone")

    store = SecretStore(vault, "Secret Service", is_locked=broken)
    assert store.state() == KeyringState("absent", "Secret Service", "Secret Service failed.")
    assert store.describe() == "Keyring found, but not usable: Secret Service failed."


def test_without_a_keyring_keys_last_for_the_session() -> None:
    session = SessionSecrets("no bus")
    assert session.describe() == "No keyring: keys are kept for this session only."
    assert session.state() == KeyringState("absent", "", "no bus")
    assert session.load(NAME) is None
    session.save(NAME, OLD)
    assert session.load(NAME) == OLD
    assert OLD.secret_access_key not in repr(vars(session))
    session.delete(NAME)
    session.delete(NAME)
    assert session.load(NAME) is None


# Which keyring


def test_the_keyring_library_is_not_loaded_before_it_is_needed() -> None:
    probe = (
        "import sys; from dynodesk.store import profiles, secrets, settings; "
        "secrets.SessionSecrets().describe(); print('keyring' in sys.modules, 'secretstorage' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", probe], text=True).split() == ["False", "False"]


@pytest.mark.parametrize("platform", ["win32", "darwin", "linux"])
def test_every_allowed_keyring_is_one_of_the_library(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    allowed = secrets._allowed()
    monkeypatch.undo()
    names = {f"{each.module}.{each.cls}" for each in allowed}
    assert (
        names
        == {
            "win32": {"keyring.backends.Windows.WinVaultKeyring"},
            "darwin": {"keyring.backends.macOS.Keyring"},
            "linux": {
                "keyring.backends.SecretService.Keyring",
                "keyring.backends.kwallet.DBusKeyring",
                "keyring.backends.kwallet.DBusKeyringKWallet4",
            },
        }[platform]
    )
    for each in allowed:
        assert isinstance(getattr(importlib.import_module(each.module), each.cls), type)


HOSTILE = """
import sys
if sys.argv[1] == "library":
    import keyring
    print(type(keyring.get_keyring()).__module__)
else:
    from dynodesk.store.secrets import open_secrets
    found = open_secrets()
    print(type(found).__name__, found.describe(), found.state().reason, sep="|")
    print("evil" in sys.modules, any("hostile" in folder for folder in sys.path))
    print("keyring.backends.null" in sys.modules)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the machine's own keyring would be opened")
class TestHostileChoice:
    """The library's own choice would follow these; ours does not."""

    @pytest.fixture
    def run(self, tmp_path: Path) -> Callable[[str, dict[str, str]], str]:
        hostile = tmp_path / "hostile"
        hostile.mkdir()
        (hostile / "evil.py").write_text(
            "from pathlib import Path\n"
            "import keyring.backends.null\n"
            f"Path({str(tmp_path / 'loaded')!r}).touch()\n"
            "class Keyring(keyring.backends.null.Keyring): priority = 99\n"
        )
        config = tmp_path / "config" / "python_keyring"
        config.mkdir(parents=True)
        (config / "keyringrc.cfg").write_text(f"[backend]\ndefault-keyring=evil.Keyring\nkeyring-path={hostile}\n")

        def run(who: str, variables: dict[str, str]) -> str:
            (tmp_path / "loaded").unlink(missing_ok=True)
            environment = {"PATH": "", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)} | variables
            command = [sys.executable, "-c", HOSTILE, who]
            return subprocess.check_output(command, text=True, env=environment, cwd=Path(__file__).parents[2])

        return run

    def test_a_configuration_file(self, run: Callable[[str, dict[str, str]], str], tmp_path: Path) -> None:
        variables = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
        assert run("library", variables) == "evil\n"
        assert (tmp_path / "loaded").exists()
        assert run("ours", variables).splitlines()[1:] == ["False False", "False"]
        assert not (tmp_path / "loaded").exists()

    @pytest.mark.parametrize("backend", ["evil.Keyring", "keyring.backends.null.Keyring"])
    def test_an_environment_variable(
        self, run: Callable[[str, dict[str, str]], str], tmp_path: Path, backend: str
    ) -> None:
        hostile = {"PYTHONPATH": str(tmp_path / "hostile")} if backend.startswith("evil") else {}
        variables = {"PYTHON_KEYRING_BACKEND": backend} | hostile
        assert run("library", variables) == backend.removesuffix(".Keyring") + "\n"
        told, evil, null = run("ours", variables).splitlines()
        assert (evil.split()[0], null) == ("False", "False")
        assert told.startswith("SessionSecrets|No keyring: keys are kept for this session only.|Secret Service: ")
        assert not (tmp_path / "loaded").exists()

    @pytest.mark.parametrize("address", ["", "unix:path=/nowhere", "nonsense", "tcp:host=127.0.0.1,port=1"])
    def test_no_session_bus(self, run: Callable[[str, dict[str, str]], str], address: str) -> None:
        told = run("ours", {"DBUS_SESSION_BUS_ADDRESS": address}).splitlines()[0]
        assert told.startswith("SessionSecrets|No keyring: keys are kept for this session only.|Secret Service: ")


class FakeWindows:
    """Credential Manager as the keyring library sees it: generic credentials by target, 2,560 bytes each."""

    __name__ = "win32cred"
    CRED_TYPE_GENERIC = 1
    CRED_PERSIST_LOCAL_MACHINE = 2
    CRED_PERSIST_ENTERPRISE = 3

    class error(Exception):  # noqa: N801 -- named as the original
        def __init__(self, winerror: int, funcname: str, strerror: str) -> None:
            super().__init__(winerror, funcname, strerror)
            self.winerror, self.funcname, self.strerror = winerror, funcname, strerror

    def __init__(self) -> None:
        self.credentials: dict[str, dict[str, object]] = {}

    def CredRead(self, Type: int, TargetName: str) -> dict[str, object]:  # noqa: N802, N803 -- as the original
        if TargetName not in self.credentials:
            raise self.error(1168, "CredRead", "Element not found.")
        return self.credentials[TargetName]

    def CredWrite(self, credential: dict[str, object], flags: int) -> None:  # noqa: N802 -- as the original
        blob = str(credential["CredentialBlob"]).encode("utf-16-le")
        if len(blob) > 2560:
            raise self.error(1783, "CredWrite", "The stub received bad data.")
        self.credentials[str(credential["TargetName"])] = credential | {"CredentialBlob": blob}

    def CredDelete(self, Type: int, TargetName: str) -> None:  # noqa: N802, N803 -- as the original
        if self.credentials.pop(TargetName, None) is None:
            raise self.error(1168, "CredDelete", "Element not found.")


def test_the_windows_keyring_through_the_real_library(monkeypatch: pytest.MonkeyPatch) -> None:
    windows = FakeWindows()
    pywin32 = ModuleType("win32ctypes.pywin32")
    pywin32.__dict__.update(win32cred=windows, pywintypes=windows)
    monkeypatch.setitem(sys.modules, "win32ctypes", ModuleType("win32ctypes"))
    monkeypatch.setitem(sys.modules, "win32ctypes.pywin32", pywin32)
    monkeypatch.delitem(sys.modules, "keyring.backends.Windows", raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("KEYRING_PROPERTY_PERSIST", "enterprise")
    store = open_secrets()
    monkeypatch.setattr(sys, "platform", "linux")
    assert isinstance(store, SecretStore), store.state()
    assert store.describe() == "Keyring found: Windows Credential Manager, unlocked."
    store.save(NAME, OLD)
    store.save("profile-2", NEW)
    assert store.load(NAME) == OLD
    assert store.load("profile-2") == NEW
    assert {credential["Persist"] for credential in windows.credentials.values()} == {2}
    store.save(NAME, NEW)
    assert store.load(NAME) == NEW
    store.delete(NAME)
    store.delete("profile-2")
    assert windows.credentials == {}


def test_our_errors_are_of_one_family() -> None:
    for error in (KeyringLocked, KeyringUnavailable, SecretDamaged, SecretTooLong):
        assert issubclass(error, DynodeskError)
        assert error.code != DynodeskError.code
