"""Connections as they are handed from one person to another: everything but what is secret or somebody's own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dynodesk.domain.cells import visible
from dynodesk.domain.errors import InvalidFile
from dynodesk.domain.profiles import (
    LONGEST_NAME,
    Profile,
    ProfileError,
    check_name,
    check_profile,
    looks_like_key,
    new_profile_id,
    secret_name,
)

VERSION = 1
LARGEST = 1_000_000
"""Characters of a file of connections."""
FIELDS = ("name", "kind", "credentials", "aws_profile", "region", "endpoint_url", "stage")
"""What is written of each. Not among them: ids and names of secrets, which are this computer's, and whether it may
write, which is for each person to decide."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What a file holds, ready to be saved here."""

    profiles: tuple[Profile, ...]
    """With ids of their own. They only read."""
    renamed: tuple[tuple[str, str], ...]
    """(name in the file, name here) of those whose name is taken here, or was given twice in the file."""
    notices: tuple[str, ...]
    """What was left out, and what is still to be done, in sentences."""
    left_out: int = 0
    """Connections that cannot be used."""


def shared_text(profiles: Iterable[Profile]) -> str:
    """JSON. Raises `ProfileError` for a connection of which a text looks like a key."""
    entries = []
    for profile in profiles:
        entry = {name: getattr(profile, name) for name in FIELDS if getattr(profile, name)}
        for name, value in entry.items():
            if looks_like_key(value):
                raise ProfileError(f"The {name.replace('_', ' ')} of {visible(profile.name)} looks like a key.")
        entries.append(entry)
    return json.dumps({"version": VERSION, "connections": entries}, indent=2, ensure_ascii=False) + "\n"


def read_shared(text: str, taken: Sequence[Profile]) -> Shared:
    """The connections in a file that `shared_text` made, or somebody else. `taken` are those that there are here.

    Raises `InvalidFile` where it is no such file: then nothing of it is used.
    """
    if len(text) > LARGEST:
        raise InvalidFile("The file is larger than one of connections can be.")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidFile("The file is not JSON, as connections are exported.") from None
    entries = found.get("connections") if isinstance(found, dict) else None
    if not isinstance(entries, list) or not isinstance(found, dict):
        raise InvalidFile('The file has no list of "connections".')
    if found.get("version") != VERSION:
        raise InvalidFile("The file was written by another version of the program.")
    profiles: list[Profile] = []
    renamed: list[tuple[str, str]] = []
    notices: list[str] = []
    for number, entry in enumerate(entries, start=1):
        try:
            given, profile = _profile(entry, [*taken, *profiles], notices)
        except ProfileError as problem:
            notices.append(f"Connection {number} was left out: {problem.message}")
            continue
        profiles.append(profile)
        if given != profile.name:
            renamed.append((given, profile.name))
        if profile.secret:
            notices.append(f"{visible(profile.name)} needs its keys typed: change the connection to enter them.")
    return Shared(tuple(profiles), tuple(renamed), tuple(notices), len(entries) - len(profiles))


def _profile(entry: Any, others: Sequence[Profile], notices: list[str]) -> tuple[str, Profile]:
    """The name in the file and the profile. Raises `ProfileError`."""
    if not isinstance(entry, dict):
        raise ProfileError("It is not an object.")
    known = {name: entry[name] for name in FIELDS if name in entry}
    if not all(isinstance(value, str) for value in known.values()):
        raise ProfileError("A value in it is not a text.")
    if not {"name", "kind", "credentials"} <= known.keys():
        raise ProfileError("It says no name, kind or credentials.")
    if any(looks_like_key(value) for value in known.values()):
        raise ProfileError("A text in it looks like a key.")
    given = check_name(known["name"])
    foreign = sorted(set(entry) - set(FIELDS))
    if foreign:
        # their names alone: what stands in them may be a secret that somebody has put there
        notices.append(f"Of {visible(given)} these were not used: {', '.join(visible(str(name)) for name in foreign)}.")
    new_id = new_profile_id()
    made = Profile(id=new_id, read_only=True, **known)
    if made.kind == "sandbox":
        raise ProfileError("It is a sandbox, which every computer has.")
    if made.credentials == "keys":
        made = replace(made, secret=secret_name(new_id))
    return given, check_profile(replace(made, name=_free_name(given, others)), others)


def _free_name(name: str, others: Sequence[Profile]) -> str:
    names = [other.name for other in others]
    for number in range(1, len(names) + 2):
        ending = "" if number == 1 else f" ({number})"
        candidate = name[: LONGEST_NAME - len(ending)] + ending
        try:
            return check_name(candidate, names)
        except ProfileError:
            continue
    raise ProfileError("There is no free name for it.")
