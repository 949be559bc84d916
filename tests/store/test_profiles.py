"""Saved connections: what is stored comes back, what is wrong is left out, and no key gets in."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from dynodesk.domain.profiles import Profile, ProfileError, check_profile, new_profile_id, secret_name
from dynodesk.store.paths import FileNotWritten
from dynodesk.store.profiles import ProfileStore

SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


def with_keys(name: str) -> Profile:
    profile_id = new_profile_id()
    return Profile(
        profile_id,
        name,
        "aws",
        "keys",
        secret=secret_name(profile_id),
        region="eu-west-1",
        stage="dev",
        read_only=False,
    )


def local(name: str) -> Profile:
    return Profile(
        new_profile_id(),
        name,
        "endpoint",
        "dummy",
        region="us-east-1",
        endpoint_url="http://127.0.0.1:8000",
        stage="dev",
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "connections.json"


def test_without_a_file_there_are_none(path: Path) -> None:
    store = ProfileStore(path)
    assert store.load() == ()
    assert store.notice == ""


def test_what_is_added_is_loaded_in_order(path: Path) -> None:
    profiles = [with_keys("shop – prod"), local("local"), Profile(new_profile_id(), "환경", "aws", "environment")]
    for profile in profiles:
        assert ProfileStore(path).add(profile) == profile
    store = ProfileStore(path)
    assert store.load() == tuple(profiles)
    assert store.notice == ""


def test_texts_are_stored_tidied(path: Path) -> None:
    stored = ProfileStore(path).add(replace(local(" local "), endpoint_url="http://LOCALHOST:8000/"))
    assert (stored.name, stored.endpoint_url) == ("local", "http://localhost:8000")
    assert ProfileStore(path).load() == (stored,)


def test_saving_replaces_the_one_with_its_id(path: Path) -> None:
    store = ProfileStore(path)
    first, second = store.add(local("first")), store.add(local("second"))
    renamed = store.save(replace(first, name="renamed"))
    third = store.save(local("third"))
    assert store.load() == (renamed, second, third)


def test_removing_forgets_it(path: Path) -> None:
    store = ProfileStore(path)
    first, second = store.add(local("first")), store.add(local("second"))
    store.remove(first.id)
    store.remove(first.id)
    assert store.load() == (second,)
    assert store.add(replace(first, id=new_profile_id())).name == "first"


def test_ids_and_names_are_taken_once(path: Path) -> None:
    store = ProfileStore(path)
    first = store.add(local("first"))
    with pytest.raises(ProfileError, match="already"):
        store.add(replace(first, name="other"))
    with pytest.raises(ProfileError, match="already"):
        store.add(local("FIRST"))
    with pytest.raises(ProfileError, match="already"):
        store.save(local(" first"))
    assert store.load() == (first,)


def test_what_cannot_connect_is_not_stored(path: Path) -> None:
    with pytest.raises(ProfileError, match="this machine only"):
        ProfileStore(path).add(replace(local("x"), endpoint_url="http://dynamodb.example.org"))
    assert not path.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "shop AKIAIOSFODNN7EXAMPLE"),
        ("name", SECRET),
        ("aws_profile", "ASIAIOSFODNN7EXAMPLE"),
        ("aws_profile", f"x={SECRET}"),
        ("aws_profile", "FwoGZXIvYXdzEBYaD2c9" * 20),
    ],
)
def test_a_key_in_the_wrong_field_is_not_stored(path: Path, field: str, value: str) -> None:
    profile = Profile(new_profile_id(), "shop", "aws", "profile", aws_profile="shop", stage="dev")
    object.__setattr__(profile, field, value)
    with pytest.raises(ProfileError, match="looks like a key") as caught:
        ProfileStore(path).add(profile)
    assert value not in str(caught.value) + caught.value.hint
    assert not path.exists()


def test_only_the_fields_of_a_profile_are_in_the_file(path: Path) -> None:
    profile = ProfileStore(path).add(with_keys("shop"))
    assert json.loads(path.read_bytes()) == {"version": 1, "profiles": {profile.id: asdict(profile)}}


def test_an_entry_that_is_wrong_is_left_out_and_left_alone(path: Path) -> None:
    good = ProfileStore(path).add(local("good"))
    stored = json.loads(path.read_bytes())
    base = asdict(local("wrong"))
    wrong: dict[str, object] = {
        "00000001": 5,
        "00000002": base,  # under another id
        "00000003": base | {"id": "00000003", "read_only": "no"},
        "00000004": base | {"id": "00000004", "endpoint_url": "http://collector.example"},
        "00000005": base | {"id": "00000005", "endpoint_url": "http://169.254.169.254"},
        "00000006": base | {"id": "00000006", "kind": "azure"},
        "00000007": base | {"id": "00000007", "name": "GOOD"},
        "00000008": {"id": "00000008", "name": "half"},
        "00000009": base | {"id": "00000009", "name": 9},
    }
    stored["profiles"] |= wrong
    path.write_text(json.dumps(stored))
    store = ProfileStore(path)
    assert store.load() == (good,)
    assert store.notice.startswith("Left out: ")
    assert store.notice.count(";") == len(wrong) - 1
    added = store.add(local("another"))
    assert store.load() == (good, added)
    kept = json.loads(path.read_bytes())["profiles"]
    assert {name: kept[name] for name in wrong} == wrong


def test_an_entry_without_the_newer_fields_is_read_carefully(path: Path) -> None:
    entry = {"id": "0000000a", "name": "old", "kind": "aws", "credentials": "environment"}
    path.parent.mkdir()
    path.write_text(json.dumps({"version": 1, "profiles": {"0000000a": entry}}))
    (profile,) = ProfileStore(path).load()
    assert profile.read_only
    assert profile.stage == "production"


def test_a_newer_version_is_read_and_never_written(path: Path) -> None:
    profile = ProfileStore(path).add(local("local"))
    newer = json.dumps({"version": 2, "profiles": {profile.id: asdict(profile) | {"colour": "red"}}}).encode()
    path.write_bytes(newer)
    store = ProfileStore(path)
    assert store.load() == (profile,)
    assert "newer version" in store.notice
    for change in (lambda: store.add(local("x")), lambda: store.remove(profile.id)):
        with pytest.raises(FileNotWritten, match="newer version"):
            change()
    assert path.read_bytes() == newer


def test_no_content_of_the_file_stops_the_start(tmp_path: Path) -> None:
    """Whatever is in the file: what comes out of it is a connection that may be used, and nothing is thrown away."""
    chance = random.Random(4)
    profiles = (with_keys("one"), local("two"), with_keys("three"))
    first = tmp_path / "first" / "connections.json"
    for profile in profiles:
        ProfileStore(first).add(profile)
    good = first.read_bytes()
    mutants = [good[:end] for end in range(0, len(good), 17)]
    mutants += [good[:start] + bytes(len(good) - start) for start in range(0, len(good), 17)]
    for _ in range(200):
        spoilt = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            spoilt[chance.randrange(len(spoilt))] = chance.choice(b'"{}[]:,0aZ \x00\xff')
        mutants.append(bytes(spoilt))
    mutants += [b'{"version": 1, "profiles": ' + wrong + b"}" for wrong in (b"[]", b"5", b"null", b'"x"', b'{"a": []}')]
    for number, mutant in enumerate(mutants):
        path = tmp_path / str(number) / "connections.json"
        path.parent.mkdir()
        path.write_bytes(mutant)
        path.with_name("connections.json.bak").write_bytes(good)
        store = ProfileStore(path)
        for profile in store.load():
            assert check_profile(profile) == profile
        kept = [copy.read_bytes() for copy in path.parent.glob("*.damaged-*")]
        assert kept in ([], [mutant])
        if kept:
            assert store.load() == profiles
        else:
            assert path.read_bytes() == mutant
            assert store.load() == profiles or store.notice or mutant.count(b'"id"') == 3
    assert len(mutants) > 300


ADDING = """
import sys
from pathlib import Path
from dynodesk.domain.profiles import Profile, new_profile_id
from dynodesk.store.profiles import ProfileStore
for number in range(20):
    ProfileStore(Path(sys.argv[1])).add(Profile(new_profile_id(), f"{sys.argv[2]} {number}", "aws", "environment"))
"""


def test_two_programs_that_add_at_once_lose_nothing(path: Path) -> None:
    programs = [subprocess.Popen([sys.executable, "-c", ADDING, str(path), name]) for name in ("left", "right")]
    assert [program.wait() for program in programs] == [0, 0]
    names = sorted(profile.name for profile in ProfileStore(path).load())
    assert names == sorted(f"{side} {number}" for side in ("left", "right") for number in range(20))
