"""Connections and keys through a real Secret Service: they outlive the program and are in no file that can be read."""

from __future__ import annotations

import base64
import json
import os
import secrets
import shutil
import string
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from dynodesk.sandbox.process import Sandbox

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "correct horse"
ENTRIES = 5
"""Of the keys used here: four parts and the manifest."""

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(sys.platform != "linux", reason="the Secret Service is Linux's"),
]


class Machine:
    """A home of its own for a user with a keyring, in which sessions can be had one after another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "home"),
            "DYNODESK_HOME": str(folder / "dynodesk"),
            "XDG_RUNTIME_DIR": str(folder / "runtime"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        for name in ("home", "runtime"):
            (folder / name).mkdir(mode=0o700)

    def session(self, *steps: tuple[str, object], password: str = PASSWORD, **variables: str) -> list[Any]:
        """The answers of the steps, each taken by a program of its own."""
        ended = subprocess.run(
            ["dbus-run-session", "--", sys.executable, "-m", "tests.store.keyring_session", "session"],
            input=json.dumps({"password": password, "steps": steps}),
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=self.environment | variables,
            timeout=120,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        answers: list[Any] = json.loads(ended.stdout)
        return answers

    def files_with(self, canary: str) -> list[Path]:
        """The files in which a text is written, plainly or in a way that anyone can undo."""
        plain = canary.encode()
        forms = {plain, plain.hex().encode(), canary.encode("utf-16-le"), quote(canary, safe="").encode()}
        # the digits of base64 depend on how many bytes come before: the ends are shared with them
        forms |= {base64.b64encode(bytes(shift) + plain)[4 if shift else 0 : -4] for shift in range(3)}
        paths = [path for path in self.folder.rglob("*") if path.is_file()]
        return [path for path in paths if any(form in path.read_bytes() for form in forms)]


@pytest.fixture
def machine() -> Iterator[Machine]:
    missing = [name for name in ("dbus-run-session", "gnome-keyring-daemon") if shutil.which(name) is None]
    if missing:
        pytest.fail(
            f"{' and '.join(missing)} not found: sudo apt-get install -y --no-install-recommends "
            "dbus-daemon gnome-keyring",
            pytrace=False,
        )
    # the address of a socket may have 107 bytes, and pytest's own folders are deep
    with tempfile.TemporaryDirectory(prefix="dynodesk-") as folder:
        yield Machine(Path(folder))


@pytest.fixture
def keys() -> dict[str, str]:
    """Keys never seen before, with a token of 4 KB: it takes several parts."""
    letters = string.ascii_letters + string.digits

    def text(length: int, among: str) -> str:
        return "".join(secrets.choice(among) for _ in range(length))

    return {
        "access_key_id": "ASIA" + text(16, string.ascii_uppercase + string.digits),
        "secret_access_key": text(38, letters + "/+") + "/+",
        "session_token": text(4_094, letters + "/+") + "==",
    }


def test_a_connection_and_its_keys_outlive_the_program(machine: Machine, keys: dict[str, str]) -> None:
    described, saved, loaded, labels = machine.session(
        ("describe", None), ("save", keys), ("load", None), ("labels", "aliases/default")
    )
    assert described == "Keyring found: Secret Service, unlocked."
    assert saved["name"] == "shop"
    assert loaded == [saved, keys]
    assert len(labels) == ENTRIES
    assert all(saved["secret"] in label for label in labels)

    # the machine was started again
    assert machine.session(("load", None)) == [[saved, keys]]

    written = [path for path in machine.folder.rglob("*") if path.is_file()]
    assert any(path.suffix == ".keyring" for path in written)
    assert machine.folder / "dynodesk" / "config" / "connections.json" in written
    for name, canary in keys.items():
        assert machine.files_with(canary) == [], name
        assert machine.files_with(canary[:20]) == [], name
    assert machine.files_with(saved["secret"]), "the name of the secret is in no file: the search finds nothing at all"


def test_a_kept_connection_opens_in_another_program(machine: Machine, keys: dict[str, str]) -> None:
    with Sandbox.start(scale=0.1) as sandbox:
        kept, tables = machine.session(("keep", {"endpoint": sandbox.endpoint, "keys": keys}), ("tables", "shop"))
        assert kept["endpoint_url"] == sandbox.endpoint
        assert "Social" in tables
        # the machine was started again
        labels, tables = machine.session(("labels", "aliases/default"), ("tables", "shop"))
        assert any(kept["secret"] in label for label in labels)
        assert "Social" in tables
    for name, canary in keys.items():
        assert machine.files_with(canary) == [], name
    assert machine.folder / "dynodesk" / "config" / "connections.json" in machine.files_with(kept["secret"])


def test_the_search_finds_what_it_looks_for(machine: Machine, keys: dict[str, str]) -> None:
    canary = keys["secret_access_key"]
    encoded = {
        "plain": f'{{"key": "{canary}"}}'.encode(),
        "base64": base64.b64encode(canary.encode()),
        "base64 inside": base64.b64encode(f"user:{canary};".encode()),
        "url": f"?key={quote(canary, safe='')}".encode(),
        "hex": canary.encode().hex().encode(),
        "utf-16": canary.encode("utf-16"),
    }
    for name, data in encoded.items():
        (machine.folder / "home" / name).write_bytes(b"\x00 " + data + b"\n")
    assert sorted(path.name for path in machine.files_with(canary)) == sorted(encoded)


def test_deleting_leaves_nothing(machine: Machine, keys: dict[str, str]) -> None:
    *_, labels = machine.session(("save", keys), ("delete", None), ("labels", "aliases/default"))
    assert labels == []


def test_a_locked_keyring_is_not_an_empty_one(machine: Machine, keys: dict[str, str]) -> None:
    saved, _, described, refused = machine.session(("save", keys), ("lock", None), ("describe", None), ("load", None))
    assert described == "Keyring found: Secret Service, locked."
    assert refused == {"error": "KeyringLocked", "message": "Secret Service is locked."}

    described, refused = machine.session(("describe", None), ("load", None), password="battery staple")
    assert described == "Keyring found: Secret Service, locked."
    assert refused == {"error": "KeyringLocked", "message": "Secret Service is locked."}

    assert machine.session(("load", None)) == [[saved, keys]]


def test_the_environment_does_not_choose_where_keys_go(machine: Machine, keys: dict[str, str]) -> None:
    """The library would put them into the collection that is forgotten with the session, or nowhere."""
    saved, passing, lasting = machine.session(
        ("save", keys),
        ("labels", "collection/session"),
        ("labels", "aliases/default"),
        KEYRING_PROPERTY_PREFERRED_COLLECTION="/org/freedesktop/secrets/collection/session",
        PYTHON_KEYRING_BACKEND="keyring.backends.null.Keyring",
    )
    assert passing == []
    assert len(lasting) == ENTRIES
    assert machine.session(("load", None)) == [[saved, keys]]
