"""Killed at any moment while it saves: afterwards each file is the old one or the new one.

`python -m tests.faults.test_saving 200` does it so often, over all ways of saving, and prints what was found.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dynodesk.domain.profiles import Profile
from dynodesk.store.paths import write_private
from dynodesk.store.profiles import ProfileStore
from dynodesk.store.settings import Settings

LONG = 200_000
"""Characters that say which of the saves a file is of, all alike."""

SAVES = ("a file that somebody chose", "settings", "connections")


def save_without_end(way: str, path: Path) -> None:
    """In the process that is killed."""
    number = 0
    settings, profiles = Settings(path), ProfileStore(path)
    settings.load()
    made = Profile(
        id="0123456789abcdef", name="0", kind="endpoint", credentials="dummy", endpoint_url="http://127.0.0.1:1",
        region="us-east-1", stage="dev",
    )  # fmt: skip
    while True:
        number += 1
        letter = chr(ord("a") + number % 26)
        match way:
            case "settings":
                settings.save({"which": letter, "text": letter * LONG})
            case "connections":
                profiles.save(replace(made, name=letter * 90))
            case _:
                write_private(path, (letter * LONG).encode())
        if number == 1:
            sys.stdout.write("saved once\n")
            sys.stdout.flush()


def killed_once(way: str, path: Path, after: float) -> str:
    """What is found afterwards: "old", "new", or what is wrong with it."""
    before = path.read_bytes() if path.exists() else None
    command = [sys.executable, "-m", "tests.faults.test_saving", "save", way, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        try:
            program.wait(after)
        except subprocess.TimeoutExpired:
            program.kill()
    if not path.exists():
        return "old" if before is None else "gone"
    after_kill = path.read_bytes()
    if after_kill == before:
        return "old"
    return "new" if is_whole(way, path, after_kill) else f"{len(after_kill)} bytes of nonsense"


def is_whole(way: str, path: Path, data: bytes) -> bool:
    match way:
        case "settings":
            found = Settings(path)
            values = found.load()
            return found.notice == "" and values["text"] == str(values["which"]) * LONG
        case "connections":
            (profile,) = ProfileStore(path).load()
            return json.loads(data)["version"] >= 1 and len(profile.name) == 90 and len(set(profile.name)) == 1
        case _:
            return len(data) == LONG and len(set(data)) == 1


def killed_often(times: int, folder: Path, seed: int) -> Counter[str]:
    chance = random.Random(seed)
    found: Counter[str] = Counter()
    for number in range(times):
        way = SAVES[number % len(SAVES)]
        found[killed_once(way, folder / f"{way}.json", chance.uniform(0, 0.08))] += 1
    return found


@pytest.mark.slow
def test_killed_while_it_saves(tmp_path: Path) -> None:
    found = killed_often(9, tmp_path, seed=3)
    assert set(found) <= {"old", "new"}
    assert found["new"]


if __name__ == "__main__":
    if sys.argv[1] == "save":
        save_without_end(sys.argv[2], Path(sys.argv[3]))
    with tempfile.TemporaryDirectory() as temporary:
        sys.stdout.write(f"{json.dumps(killed_often(int(sys.argv[1]), Path(temporary), seed=1))}\n")
