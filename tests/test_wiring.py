"""Connections end to end: opened on a running sandbox, kept, forgotten, and never by what the environment says."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from dynodesk import wiring
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import CannotConnect, CredentialsRefused
from dynodesk.domain.profiles import Credentials, Profile, ProfileError, new_profile_id, secret_name
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.reads import QueryPlan, ScanPlan
from dynodesk.domain.sign_in import SignInMeans
from dynodesk.domain.values import String
from dynodesk.store.entries import KeyringLocked
from dynodesk.store.paths import FileNotWritten
from dynodesk.store.secrets import SessionSecrets
from dynodesk.wiring import Connections, Workspace
from tests.faults.proxy import PASS, Exchange, Fault, FaultProxy, error
from tests.helpers import leftovers
from tests.store.vault import Vault, is_tidy, store_in

KEYS = Credentials("canary-id-0123456789", "canarySECRETcanary/canary+canary01234567", "canaryTOKEN" * 200)
OTHER_KEYS = Credentials("other-id", "other-secret")


class NoteKeys(Fault):
    """Passes requests on, and notes with which access key id and session token they were signed."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def apply(self, exchange: Exchange) -> None:
        headers = exchange._handler.headers
        signer = re.search(r"Credential=([^/]+)/", headers.get("Authorization", ""))
        self.seen.append((signer[1] if signer else "", headers.get("X-Amz-Security-Token", "")))
        PASS.apply(exchange)


@pytest.fixture
def proxy(sandbox: str) -> Iterator[FaultProxy]:
    with FaultProxy(sandbox) as running:
        yield running


@pytest.fixture
def signed(proxy: FaultProxy) -> list[tuple[str, str]]:
    """Of each request for tables: its access key id and session token."""
    noted = NoteKeys()
    proxy.always("ListTables", noted)
    return noted.seen


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of everything that the program writes."""
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def vault(monkeypatch: pytest.MonkeyPatch) -> Vault:
    """What stands in for the keyring of this computer, until the end of the test."""
    vault = Vault()
    monkeypatch.setattr(wiring, "open_secrets", lambda: store_in(vault))
    return vault


def profile(endpoint: str, name: str = "shop") -> Profile:
    return Profile(new_profile_id(), name, "endpoint", "dummy", endpoint_url=endpoint, stage="dev")


def with_keys(endpoint: str, name: str = "shop") -> Profile:
    new = profile(endpoint, name)
    return replace(new, credentials="keys", secret=secret_name(new.id))


def files_with(folder: Path, text: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def tables(workspace: Workspace) -> tuple[str, ...]:
    try:
        return workspace.catalog.table_names(Ticket())
    finally:
        workspace.close()


# Opening


@pytest.mark.server
def test_the_sandbox_is_opened_read_and_ended(home: Path) -> None:
    running = leftovers.processes()
    workspace = Connections().open_sandbox(Ticket())
    try:
        assert "Social" in workspace.catalog.table_names(Ticket())
        assert workspace.profile.stage == "sandbox"
        assert workspace.identity == ""
        pages = list(workspace.reader.query(QueryPlan("Social", {"PK": String("POST#a91f")}), Ticket()))
        assert {"PK": String("POST#a91f"), "SK": String("META")}.items() <= pages[0].items[-1].items()
        assert workspace.meter.total > 0
        before, part = workspace.meter.total, Meter()
        list(workspace.new_reader(part).query(QueryPlan("Social", {"PK": String("POST#a91f")}), Ticket()))
        assert part.total > 0
        assert workspace.meter.total == before
        assert len(leftovers.processes()) == len(running) + 1
    finally:
        workspace.close()
    assert leftovers.beyond(running, leftovers.processes) == {}


def test_a_connection_to_aws_that_fails_names_the_endpoint_that_may_have_been_meant(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:8000")
    profile = Profile(new_profile_id(), "shop", "aws", "keys", secret="profile-x", region="eu-west-1")
    nowhere = SignInMeans(services={"sts": "http://127.0.0.1:9"})
    with pytest.raises(CannotConnect) as refused:
        wiring.open_workspace(profile, Ticket(), KEYS, means=nowhere)
    assert "AWS_ENDPOINT_URL names http://127.0.0.1:8000. This connection is to AWS" in refused.value.hint


@pytest.mark.server
def test_stopping_the_start_of_the_sandbox_leaves_no_process(home: Path) -> None:
    running = leftovers.processes()
    ticket = Ticket()
    threading.Timer(0.3, ticket.cancel).start()
    with pytest.raises(Cancelled):
        Connections().open_sandbox(ticket)
    assert leftovers.beyond(running, leftovers.processes) == {}


@pytest.mark.server
def test_the_environment_changes_neither_where_nor_as_whom(
    home: Path, sandbox: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:9",
        "AWS_PROFILE": "poison",
        "AWS_ACCESS_KEY_ID": "AKIAPOISONPOISONPOIS",
        "AWS_SECRET_ACCESS_KEY": "poison",
        "AWS_SESSION_TOKEN": "poison",
        "AWS_REGION": "mars-north-1",
        "AWS_DEFAULT_REGION": "mars-north-1",
        "AWS_CONFIG_FILE": "/nowhere/config",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    workspace = Connections().open(profile(sandbox), Ticket())
    assert (workspace.endpoint, workspace.region) == (sandbox, "us-east-1")
    assert "Social" in tables(workspace)


@pytest.mark.server
def test_who_may_not_list_tables_is_connected_all_the_same(home: Path, proxy: FaultProxy) -> None:
    proxy.on("ListTables", error("AccessDeniedException"))
    assert Connections().try_out(profile(proxy.url), None, Ticket()).name == "shop"
    proxy.on("ListTables", error("UnrecognizedClientException"))
    with pytest.raises(CredentialsRefused):
        Connections().try_out(profile(proxy.url), None, Ticket())


@pytest.mark.server
def test_trying_out_says_what_is_wrong_and_leaves_nothing(home: Path, sandbox: str) -> None:
    connections = Connections()
    tidied = connections.try_out(replace(profile(sandbox), name="  shop "), None, Ticket())
    assert (tidied.name, tidied.region) == ("shop", "us-east-1")
    with pytest.raises(CannotConnect, match="Nothing listens"):
        connections.try_out(profile("http://127.0.0.1:9"), None, Ticket())
    connections.save(profile(sandbox, "taken"))
    with pytest.raises(ProfileError, match="already"):
        connections.try_out(profile("http://127.0.0.1:9", "Taken"), None, Ticket())
    assert [kept.name for kept in connections.saved()] == ["taken"]


# Keeping


@pytest.mark.server
def test_a_saved_connection_opens_after_a_restart(
    home: Path, proxy: FaultProxy, signed: list[tuple[str, str]], vault: Vault
) -> None:
    saved = Connections().save(with_keys(proxy.url), KEYS)
    again = Connections()
    assert again.saved() == (saved,)
    assert "Social" in tables(again.open(again.named("shop"), Ticket()))
    assert signed == [(KEYS.access_key_id, KEYS.session_token)]
    for canary in (KEYS.access_key_id, KEYS.secret_access_key, KEYS.session_token[:20]):
        assert files_with(home, canary) == []
    assert home / "config" / "connections.json" in files_with(home, saved.secret)


@pytest.mark.server
def test_without_a_keyring_keys_last_as_long_as_the_program(
    home: Path, proxy: FaultProxy, signed: list[tuple[str, str]]
) -> None:
    connections = Connections()
    assert connections.keyring().kind == "absent"
    saved = connections.save(with_keys(proxy.url), KEYS)
    assert "Social" in tables(connections.open(saved, Ticket()))
    assert signed == [(KEYS.access_key_id, KEYS.session_token)]
    assert files_with(home, KEYS.secret_access_key) == []
    with pytest.raises(CredentialsRefused, match="The keys of shop are not in the keyring") as refused:
        Connections().open(saved, Ticket())
    assert "Enter them again" in refused.value.hint


@pytest.mark.server
def test_held_keys_are_in_no_keyring_and_no_file(
    home: Path, proxy: FaultProxy, signed: list[tuple[str, str]], vault: Vault
) -> None:
    connections = Connections()
    unsaved = with_keys(proxy.url)
    connections.hold(unsaved, KEYS)
    assert "Social" in tables(connections.open(unsaved, Ticket()))
    assert signed == [(KEYS.access_key_id, KEYS.session_token)]
    assert vault.entries == {}
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_keys_that_were_held_are_kept_once_the_connection_is(home: Path, vault: Vault) -> None:
    connections = Connections()
    held = with_keys("http://127.0.0.1:8000")
    connections.hold(held, KEYS)
    connections.save(held)
    assert store_in(vault).load(held.secret) == KEYS


@pytest.mark.server
def test_the_keys_typed_last_are_used(
    home: Path, proxy: FaultProxy, signed: list[tuple[str, str]], vault: Vault
) -> None:
    connections = Connections()
    saved = connections.save(with_keys(proxy.url), KEYS)
    connections.try_out(saved, OTHER_KEYS, Ticket())
    tables(connections.open(saved, Ticket()))
    connections.hold(saved, OTHER_KEYS)
    tables(connections.open(saved, Ticket()))
    connections.save(saved, KEYS)
    tables(connections.open(saved, Ticket()))
    assert [key_id for key_id, _ in signed] == [
        OTHER_KEYS.access_key_id,
        KEYS.access_key_id,
        OTHER_KEYS.access_key_id,
        KEYS.access_key_id,
    ]


@pytest.mark.parametrize("name", ["taken", "AKIAIOSFODNN7EXAMPLE", " "])
def test_a_connection_that_is_refused_leaves_no_keys(home: Path, vault: Vault, name: str) -> None:
    connections = Connections()
    connections.save(profile("http://127.0.0.1:8000", "taken"))
    with pytest.raises(ProfileError):
        connections.save(with_keys("http://127.0.0.1:8000", name), KEYS)
    assert vault.entries == {}


def test_a_file_that_cannot_be_written_leaves_no_keys(home: Path, vault: Vault) -> None:
    (home / "config").mkdir()
    (home / "config" / "connections.json").symlink_to(home / "elsewhere")
    with pytest.raises(FileNotWritten):
        Connections().save(with_keys("http://127.0.0.1:8000"), KEYS)
    assert vault.entries == {}


def test_a_connection_that_no_longer_uses_keys_gives_them_up(home: Path, vault: Vault) -> None:
    connections = Connections()
    saved = connections.save(with_keys("http://127.0.0.1:8000"), KEYS)
    connections.save(replace(saved, credentials="dummy", secret=""))
    assert vault.entries == {}


def test_forgetting_removes_connection_and_keys(home: Path, vault: Vault) -> None:
    connections = Connections()
    saved = connections.save(with_keys("http://127.0.0.1:8000"), KEYS)
    other = connections.save(with_keys("http://127.0.0.1:8000", "other"), OTHER_KEYS)
    connections.forget(saved)
    assert connections.saved() == (other,)
    assert store_in(vault).load(other.secret) == OTHER_KEYS
    assert is_tidy(vault, OTHER_KEYS)
    with pytest.raises(CannotConnect, match='no saved connection named "shop"'):
        connections.named("shop")


def test_forgetting_removes_what_was_asked_of_the_connection(home: Path, vault: Vault) -> None:
    connections = Connections()
    saved = connections.save(with_keys("http://127.0.0.1:8000"), KEYS)
    other = connections.save(with_keys("http://127.0.0.1:8000", "other"), OTHER_KEYS)
    for profile in (saved, other):
        connections.queries(profile).change(
            lambda queries: queries.with_run(ScanPlan("Social"), "2026-01-01T12:00:00+00:00")
        )
        connections.staged(profile, "here").save({"a": 1})
    connections.forget(saved)
    assert connections.staged(other, "here").load() == {"a": 1}
    assert connections.queries(saved).load().history == ()
    assert len(connections.queries(other).load().history) == 1
    assert [file for file in home.rglob("*") if file.is_file() and saved.id in file.name] == []


def test_a_locked_keyring_forgets_nothing(home: Path, vault: Vault) -> None:
    connections = Connections()
    saved = connections.save(with_keys("http://127.0.0.1:8000"), KEYS)
    locked: type[Exception] = type("KeyringLocked", (Exception,), {})
    vault.fail = lambda step: locked("Failed to unlock the collection!")
    with pytest.raises(KeyringLocked):
        connections.forget(saved)
    assert connections.saved() == (saved,)


def test_whoever_asks_first_everybody_has_the_same_keyring(home: Path) -> None:
    for _ in range(20):
        connections = Connections()
        with ThreadPoolExecutor(8) as threads:
            opened = list(threads.map(lambda _n, of=connections: of.secrets, range(8)))
        assert len({id(secrets) for secrets in opened}) == 1


@pytest.mark.usefixtures("home")
def test_large_items_that_are_being_changed_come_back() -> None:
    values: dict[str, object] = {"tabs": [{"state": {"drafts": "\x01" * 400_000 * number}} for number in range(5)]}
    Connections().tabs.save(values)
    assert Connections().tabs.load() == values


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("text", ["[{" * 15_000, '"\\[' * 30_000])
def test_brackets_in_what_is_kept_are_no_parts_of_its_file(text: str) -> None:
    """Values hold JSON, and code does."""
    Connections().settings.save({"columns": {"Posts": text}})
    kept = Connections().settings
    assert kept.load() == {"columns": {"Posts": text}}
    assert not kept.notice
    with pytest.raises(FileNotWritten, match="too many parts"):
        kept.save({"panels": [[]] * 30_000})


def test_keys_that_last_no_longer_than_the_program_are_told_of(
    home: Path, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = with_keys("http://127.0.0.1:9")
    connections = Connections()
    assert connections.keys_note(profile("http://127.0.0.1:9", "other")) == ""
    connections.hold(there, KEYS)
    gone = "The keys of shop are in no file, and gone when dynodesk ends:"
    assert connections.keys_note(there) == f"{gone} they were not to be kept."
    connections.save(there)
    assert connections.keys_note(there) == ""
    monkeypatch.setattr(wiring, "open_secrets", lambda: SessionSecrets("no bus"))
    assert Connections().keys_note(there) == f"{gone} no keyring can be used."
