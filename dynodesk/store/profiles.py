"""The saved connections. The file names secrets and holds none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path

from dynodesk.domain.profiles import Profile, ProfileError, check_profile, looks_like_key
from dynodesk.store.documents import Document

VERSION = 1

_TYPES = {field.name: bool if field.name == "read_only" else str for field in fields(Profile)}


class ProfileStore:
    """Saved connections in one JSON file, by id. Several running programs may share it."""

    def __init__(self, path: Path) -> None:
        self._document = Document(path, title="Connections", version=VERSION, shape={"profiles": dict})
        self._unread = ""

    @property
    def notice(self) -> str:
        """What the user should know about the file; "" when all is well."""
        return " ".join(text for text in (self._document.notice, self._unread) if text)

    @property
    def is_writable(self) -> bool:
        return self._document.is_writable

    def load(self) -> tuple[Profile, ...]:
        """The connections that can be used, in the order they were added.

        Never raises for what is on the disk. An entry that is not right is left out and left in the file.
        """
        profiles, problems = _profiles(self._document.read())
        self._unread = "Left out: " + "; ".join(problems) + "." if problems else ""
        return profiles

    def add(self, profile: Profile) -> Profile:
        """Stores a new connection; returns it as stored. Raises ProfileError, FileNotWritten."""

        def check_new(entries: dict[str, object]) -> None:
            if profile.id in entries:
                raise ProfileError("There is a connection with this id already.")

        return self._put(profile, check_new)

    def save(self, profile: Profile) -> Profile:
        """Stores a connection, in place of the one with its id if there is one; returns it as stored.

        Raises ProfileError, FileNotWritten.
        """
        return self._put(profile)

    def remove(self, profile_id: str) -> None:
        """Forgets a connection. Its secret, if it has one, is deleted by the caller, before. Raises FileNotWritten."""

        def drop(stored: dict[str, object]) -> dict[str, object]:
            entries = _entries(stored)
            entries.pop(profile_id, None)
            return stored | {"profiles": entries}

        self._document.update(drop)

    def _put(self, profile: Profile, check: Callable[[dict[str, object]], None] | None = None) -> Profile:
        placed = profile

        def put(stored: dict[str, object]) -> dict[str, object]:
            nonlocal placed
            entries = _entries(stored)
            if check:
                check(entries)
            placed = check_profile(profile, _profiles(stored)[0])
            entry: dict[str, object] = asdict(placed)
            for name, value in entry.items():
                if isinstance(value, str) and looks_like_key(value):
                    raise ProfileError(
                        f"The connection's {name.replace('_', ' ')} looks like a key and is not saved.",
                        hint="Keys belong in their own fields, from where they go to the keyring.",
                    )
            return stored | {"profiles": entries | {placed.id: entry}}

        self._document.update(put)
        return placed


def _entries(stored: dict[str, object]) -> dict[str, object]:
    found = stored.get("profiles")
    return dict(found) if isinstance(found, dict) else {}


def _profiles(stored: dict[str, object]) -> tuple[tuple[Profile, ...], list[str]]:
    """The profiles that are right, and what is wrong with the others."""
    profiles: list[Profile] = []
    problems: list[str] = []
    for profile_id, entry in _entries(stored).items():
        try:
            profiles.append(check_profile(_profile(profile_id, entry), profiles))
        except ProfileError as problem:
            name = entry.get("name") if isinstance(entry, dict) else None
            problems.append(f'"{name if isinstance(name, str) else profile_id}": {problem.message.rstrip(".")}')
    return tuple(profiles), problems


def _profile(profile_id: str, entry: object) -> Profile:
    if not isinstance(entry, dict):
        raise ProfileError("It is not an object.")
    known = {name: entry[name] for name in _TYPES if name in entry}
    for name, value in known.items():
        if type(value) is not _TYPES[name]:
            raise ProfileError(f"Its {name} has the wrong type.")
    if known.get("id") != profile_id or not {"name", "kind", "credentials"} <= known.keys():
        raise ProfileError("It is not complete.")
    return Profile(**known)
