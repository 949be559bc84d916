"""Keys in a keyring: whole or as they were whatever happens in between, and never shown."""

from __future__ import annotations

import hashlib
import importlib
import json
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import pytest

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.profiles import Credentials
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


@pytest.fixture
def vault() -> Vault:
    return Vault()


def is_tidy(vault: Vault, credentials: Credentials) -> bool:
    """Whether the keyring holds the parts of these credentials, their manifest and nothing else."""
    parts = -(-len(json.dumps(asdict(credentials))) // 1200)
    return len(vault.entries) == parts + 1


@pytest.mark.parametrize("length", [0, 1, 1_000, 1_080, 1_100, 1_600, 2_400, 4_096, 15_000, 16_200])
def test_keys_of_every_length_come_back(vault: Vault, length: int) -> None:
    credentials = Credentials("ASIAIOSFODNN7EXAMPLE", "s" * 40, "t" * length)
    store_in(vault).save(NAME, credentials)
    assert store_in(vault).load(NAME) == credentials
    assert is_tidy(vault, credentials)
    assert max(len(text) for text in vault.entries.values()) <= 1_200


def test_text_outside_ascii_comes_back(vault: Vault) -> None:
    credentials = Credentials('é\u0000"\\', "\U0001f511" * 300, "\ud800")
    store_in(vault).save(NAME, credentials)
    assert store_in(vault).load(NAME) == credentials


def test_more_than_16_kilobytes_are_refused(vault: Vault) -> None:
    store_in(vault).save(NAME, OLD)
    with pytest.raises(SecretTooLong, match="16,384"):
        store_in(vault).save(NAME, Credentials("ASIAIOSFODNN7EXAMPLE", "s" * 40, "t" * 16_400))
    assert store_in(vault).load(NAME) == OLD


def test_none_means_that_there_are_none(vault: Vault) -> None:
    assert store_in(vault).load(NAME) is None


def test_secrets_do_not_mix(vault: Vault) -> None:
    store = store_in(vault)
    store.save("profile-1", OLD)
    store.save("profile-2", NEW)
    store.delete("profile-1")
    assert store.load("profile-1") is None
    assert store.load("profile-2") == NEW


@pytest.mark.parametrize("name", ["", "a/b", "a b", "x" * 101, "é"])
def test_a_name_of_ours_is_needed(vault: Vault, name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        store_in(vault).load(name)


def test_overwriting_and_deleting_leave_nothing(vault: Vault) -> None:
    store = store_in(vault)
    for credentials in (SHORT, NEW, OLD, SHORT, NEW):
        store.save(NAME, credentials)
        assert store.load(NAME) == credentials
        assert is_tidy(vault, credentials)
    store.delete(NAME)
    assert vault.entries == {}
    store.delete(NAME)


# Cuts


def steps_of(act: Callable[[SecretStore], object], before: Credentials | None) -> int:
    vault = Vault()
    if before:
        store_in(vault).save(NAME, before)
    vault.behave()
    act(store_in(vault))
    return vault.steps


def at_step(cut: int) -> Callable[[int], BaseException | None]:
    return lambda step: VaultError("once") if step == cut else None


def from_step(cut: int) -> Callable[[int], BaseException | None]:
    return lambda step: VaultError("gone") if step >= cut else None


def killed_at(cut: int) -> Callable[[int], BaseException | None]:
    return lambda step: Killed() if step >= cut else None


FAULTS = pytest.mark.parametrize("fault", [at_step, from_step, killed_at])
EFFECT = pytest.mark.parametrize("takes_effect", [False, True], ids=["before", "after"])


@FAULTS
@EFFECT
@pytest.mark.parametrize("before", [None, OLD, SHORT], ids=["none", "long", "short"])
def test_a_cut_save_leaves_the_old_keys_or_the_new(
    fault: Callable[[int], Callable[[int], BaseException | None]], takes_effect: bool, before: Credentials | None
) -> None:
    outcomes = set()
    steps = steps_of(lambda store: store.save(NAME, NEW), before)
    for cut in range(1, steps + 1):
        vault = Vault()
        if before:
            store_in(vault).save(NAME, before)
        vault.behave()
        vault.fail, vault.fail_after = fault(cut), takes_effect
        with pytest.raises(KeyringUnavailable) as caught:
            store_in(vault).save(NAME, NEW)
        vault.behave()
        found = store_in(vault).load(NAME)
        match caught.value.written:
            case "nothing":
                assert found == before
            case "applied":
                assert found == NEW
            case "unknown":
                assert found in {before, NEW}
        outcomes.add((caught.value.written, found == NEW))
        # a failure that passed leaves no parts about; whatever is left goes with the next save, and with a delete
        if fault is at_step and caught.value.written == "nothing":
            assert is_tidy(vault, before) if before else vault.entries == {}
        leftovers = dict(vault.entries)
        store_in(vault).save(NAME, SHORT)
        assert store_in(vault).load(NAME) == SHORT
        assert is_tidy(vault, SHORT)
        vault.entries = leftovers
        store_in(vault).delete(NAME)
        assert vault.entries == {}
    assert ("applied", True) in outcomes or before is None
    assert any(written != "applied" and not is_new for written, is_new in outcomes)


@FAULTS
@EFFECT
def test_a_cut_delete_can_be_finished(
    fault: Callable[[int], Callable[[int], BaseException | None]], takes_effect: bool
) -> None:
    for cut in range(1, steps_of(lambda store: store.delete(NAME), NEW) + 1):
        vault = Vault()
        store_in(vault).save(NAME, NEW)
        vault.behave()
        vault.fail, vault.fail_after = fault(cut), takes_effect
        with pytest.raises(KeyringUnavailable):
            store_in(vault).delete(NAME)
        vault.behave()
        assert store_in(vault).load(NAME) in {NEW, None}
        store_in(vault).delete(NAME)
        assert vault.entries == {}


# Keyrings that are not what they say


def test_a_keyring_that_keeps_nothing_is_found_out() -> None:
    class Null(Vault):
        def set_password(self, service: str, username: str, password: str) -> None:
            pass

    with pytest.raises(KeyringUnavailable, match="did not keep") as caught:
        store_in(Null()).save(NAME, SHORT)
    assert caught.value.written == "nothing"


def test_a_keyring_that_shortens_is_found_out(vault: Vault) -> None:
    class Shortening(Vault):
        def set_password(self, service: str, username: str, password: str) -> None:
            super().set_password(service, username, password[:255])

    with pytest.raises(KeyringUnavailable, match="did not keep"):
        store_in(Shortening()).save(NAME, OLD)


def test_a_keyring_that_removes_nothing_is_found_out() -> None:
    class Clinging(Vault):
        def delete_password(self, service: str, username: str) -> None:
            pass

    vault = Clinging()
    store_in(vault).save(NAME, SHORT)
    with pytest.raises(KeyringUnavailable, match="did not remove"):
        store_in(vault).delete(NAME)


def test_several_matches_are_all_removed() -> None:
    class Doubling(Vault):
        """A Secret Service that another program has filled: deleting removes one match of three."""

        copies = 0

        def delete_password(self, service: str, username: str) -> None:
            self.copies += 1
            if self.copies % 3 == 0:
                super().delete_password(service, username)

    vault = Doubling()
    store_in(vault).save(NAME, NEW)
    store_in(vault).delete(NAME)
    assert vault.entries == {}


def entry(vault: Vault, end: str) -> tuple[str, str]:
    (found,) = (key for key in vault.entries if key[0].endswith(f"/{end}"))
    return found


@pytest.mark.parametrize(
    "spoil",
    [
        lambda vault: vault.entries.pop(entry(vault, "a1")),
        lambda vault: vault.entries.update({entry(vault, "a1"): ""}),
        lambda vault: vault.entries.update({entry(vault, "a1"): "x" * 1200}),
        lambda vault: vault.entries.update({entry(vault, "a1"): vault.entries[entry(vault, "a0")]}),
        lambda vault: vault.entries.update({entry(vault, "manifest"): "{}"}),
        lambda vault: vault.entries.update({entry(vault, "manifest"): ""}),
        lambda vault: vault.entries.update({entry(vault, "manifest"): "[1]"}),
        lambda vault: vault.entries.update(
            {entry(vault, "manifest"): '{"generation": "a", "parts": 99999999, "length": 1, "sha256": ""}'}
        ),
        lambda vault: vault.entries.update(
            {entry(vault, "manifest"): '{"generation": [], "parts": "1", "length": 1, "sha256": ""}'}
        ),
    ],
    ids=["part gone", "part empty", "part changed", "part doubled", *(f"manifest {n}" for n in range(5))],
)
def test_damage_is_told_and_typing_the_keys_again_heals_it(vault: Vault, spoil: Callable[[Vault], object]) -> None:
    store_in(vault).save(NAME, OLD)
    spoil(vault)
    with pytest.raises(SecretDamaged, match="damaged") as caught:
        store_in(vault).load(NAME)
    assert "again" in caught.value.hint
    store_in(vault).save(NAME, NEW)
    assert store_in(vault).load(NAME) == NEW
    store_in(vault).delete(NAME)
    assert vault.entries == {}


@pytest.mark.parametrize("text", ["5", "[]", "{}", '{"access_key_id": 1, "secret_access_key": "x"}', '"x"', "{"])
def test_a_whole_secret_that_is_not_keys_is_damage(vault: Vault, text: str) -> None:
    store_in(vault).save(NAME, SHORT)
    vault.entries[entry(vault, "a0")] = text
    manifest = {"generation": "a", "parts": 1, "length": len(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    vault.entries[entry(vault, "manifest")] = json.dumps(manifest)
    with pytest.raises(SecretDamaged):
        store_in(vault).load(NAME)


def test_a_switch_by_another_program_while_reading_is_not_damage(vault: Vault) -> None:
    store_in(vault).save(NAME, OLD)

    def switch(step: int) -> None:
        if step == 2:
            vault.behave()
            store_in(vault).save(NAME, NEW)

    vault.behave()
    vault.fail = switch
    assert store_in(vault).load(NAME) == NEW


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
