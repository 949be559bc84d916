"""Runs steps against a real Secret Service, each in a process of its own, all in one D-Bus session.

Started as `dbus-run-session -- python -m tests.store.keyring_session session` with the keyring's password and the
steps as JSON on stdin; prints what each step answered, as JSON.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import secretstorage

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.profiles import Profile, check_keys, new_profile_id, secret_name
from dynodesk.domain.progress import Ticket
from dynodesk.store.paths import folders
from dynodesk.store.profiles import ProfileStore
from dynodesk.store.secrets import open_secrets
from dynodesk.wiring import Connections


def run_session(work: dict[str, Any]) -> list[object]:
    # it goes on in the background and ends with the bus
    subprocess.run(
        ["gnome-keyring-daemon", "--unlock", "--components=secrets"],
        input=work["password"].encode(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    answers = []
    for name, given in work["steps"]:
        step = [sys.executable, "-W", "error", "-m", "tests.store.keyring_session", name]
        ended = subprocess.run(step, input=json.dumps(given), capture_output=True, text=True, check=False)
        answers.append(json.loads(ended.stdout) if ended.returncode == 0 else ended.stderr)
    return answers


def connections() -> ProfileStore:
    return ProfileStore(folders().config / "connections.json")


def save(keys: dict[str, str]) -> object:
    typed = check_keys(keys["access_key_id"], keys["secret_access_key"], keys["session_token"])
    profile_id = new_profile_id()
    profile = Profile(profile_id, "shop", "aws", "keys", secret=secret_name(profile_id), region="eu-west-1")
    open_secrets().save(profile.secret, typed.credentials)
    return asdict(connections().add(profile))


def load(_given: object) -> object:
    (profile,) = connections().load()
    credentials = open_secrets().load(profile.secret)
    return [asdict(profile), credentials and asdict(credentials)]


def delete(_given: object) -> object:
    (profile,) = connections().load()
    open_secrets().delete(profile.secret)
    connections().remove(profile.id)
    return None


def describe(_given: object) -> object:
    return open_secrets().describe()


def lock(_given: object) -> object:
    with contextlib.closing(secretstorage.dbus_init()) as bus:
        secretstorage.get_default_collection(bus).lock()
    return None


def labels(collection: str) -> object:
    """The labels of what a collection of the keyring holds."""
    with contextlib.closing(secretstorage.dbus_init()) as bus:
        found = secretstorage.Collection(bus, f"/org/freedesktop/secrets/{collection}")
        return [item.get_label() for item in found.get_all_items()]


def keep(given: dict[str, Any]) -> object:
    """Keeps a connection to an endpoint with typed keys, as the window does."""
    keys = given["keys"]
    typed = check_keys(keys["access_key_id"], keys["secret_access_key"], keys["session_token"], for_aws=False)
    profile_id = new_profile_id()
    profile = Profile(
        profile_id, "shop", "endpoint", "keys", secret=secret_name(profile_id), endpoint_url=given["endpoint"]
    )
    return asdict(Connections().save(profile, typed.credentials))


def tables(name: str) -> object:
    """The tables of a connection that was kept."""
    connections = Connections()
    workspace = connections.open(connections.named(name), Ticket())
    try:
        return workspace.catalog.table_names(Ticket())
    finally:
        workspace.close()


STEPS: dict[str, Callable[[Any], object]] = {
    "session": run_session,
    "save": save,
    "load": load,
    "delete": delete,
    "describe": describe,
    "lock": lock,
    "labels": labels,
    "keep": keep,
    "tables": tables,
}

if __name__ == "__main__":
    try:
        answer = STEPS[sys.argv[1]](json.load(sys.stdin))
    except DynodeskError as error:
        answer = {"error": type(error).__name__, "message": error.message}
    json.dump(answer, sys.stdout)
