"""What signing in leaves behind: new keys where the old ones were, programs that were allowed, and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynodesk import wiring
from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.profiles import Credentials, Profile, new_profile_id, secret_name
from dynodesk.domain.progress import Ticket
from dynodesk.wiring import Connections, Workspace
from tests.faults.proxy import FaultProxy, error
from tests.helpers.signing_in import Person
from tests.store.vault import Vault, store_in

KEYS = Credentials("canary-id-0123456789", "canarySECRETcanary/canary+canary01234567", "canaryTOKEN" * 20)
NEW = Credentials("newer-id-0123456789", "newerSECRETnewer/newer+newer0123456789ab", "newerTOKEN" * 20)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    return tmp_path


@pytest.fixture
def vault(monkeypatch: pytest.MonkeyPatch) -> Vault:
    vault = Vault()
    monkeypatch.setattr(wiring, "open_secrets", lambda: store_in(vault))
    return vault


@pytest.fixture
def proxy(moto: str) -> Iterator[FaultProxy]:
    with FaultProxy(moto) as running:
        yield running


def with_keys(endpoint: str) -> Profile:
    id_ = new_profile_id()
    return Profile(id_, "shop", "endpoint", "keys", secret=secret_name(id_), endpoint_url=endpoint, stage="dev")


def opened(connections: Connections, profile: Profile, person: Person) -> Workspace:
    connections.ask_with(person)
    return connections.open(profile, Ticket())


def test_new_keys_take_the_place_of_expired_ones_in_the_keyring(home: Path, vault: Vault, proxy: FaultProxy) -> None:
    saved = Connections().save(with_keys(proxy.url), KEYS)
    connections, person = Connections(), Person(keys=(NEW,))
    workspace = opened(connections, saved, person)
    proxy.on("ListTables", error("ExpiredTokenException"))
    workspace.catalog.table_names(Ticket())
    workspace.close()
    assert len(person.asked) == 1
    assert Connections().secrets.load(saved.secret) == NEW
    assert not [path for path in home.rglob("*") if path.is_file() and b"SECRET" in path.read_bytes()]


def test_new_keys_for_held_ones_are_held_too(home: Path, vault: Vault, proxy: FaultProxy) -> None:
    connections, profile = Connections(), with_keys(proxy.url)
    connections.hold(profile, KEYS)
    workspace = opened(connections, profile, Person(keys=(NEW,)))
    proxy.on("ListTables", error("ExpiredTokenException"))
    workspace.catalog.table_names(Ticket())
    workspace.close()
    assert connections.secrets.load(profile.secret) is None
    again = Person()
    opened(connections, profile, again).close()
    assert again.asked == []


def test_a_program_that_was_allowed_is_not_asked_for_after_a_restart(home: Path, proxy: FaultProxy) -> None:
    give = home / "give.py"
    give.write_text('print(\'{"Version": 1, "AccessKeyId": "AKIAX", "SecretAccessKey": "s"}\')')
    (home / "config").write_text(f"[profile p]\ncredential_process = {sys.executable} {give} --password hunter2\n")
    profile = Profile(new_profile_id(), "shop", "endpoint", "profile", "p", endpoint_url=proxy.url, stage="dev")
    first, second = Person(), Person()
    opened(Connections(), profile, first).close()
    opened(Connections(), profile, second).close()
    assert (len(first.asked), len(second.asked)) == (1, 0)
    assert not [path for path in (home / "home").rglob("*") if path.is_file() and b"hunter2" in path.read_bytes()]


def test_nobody_is_asked_before_there_is_somebody_to_ask(home: Path, proxy: FaultProxy) -> None:
    (home / "config").write_text(f"[profile p]\ncredential_process = {sys.executable}\n")
    profile = Profile(new_profile_id(), "shop", "endpoint", "profile", "p", endpoint_url=proxy.url, stage="dev")
    with pytest.raises(CredentialsRefused, match="not allowed yet, and nobody can be asked here"):
        Connections().open(profile, Ticket())
