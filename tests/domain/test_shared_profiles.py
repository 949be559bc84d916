"""Connections go from one person to another without anything that is secret, and come in without doing harm."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from dynodesk.domain.errors import InvalidFile
from dynodesk.domain.profiles import Profile, ProfileError, secret_name
from dynodesk.domain.shared_profiles import FIELDS, read_shared, shared_text

KEYS = Profile(
    "0123456789abcdef", "shop", "aws", "keys", secret=secret_name("0123456789abcdef"), region="eu-west-1",
    read_only=False,
)  # fmt: skip
NAMED = Profile("1123456789abcdef", "Статистика", "aws", "profile", "prod", stage="staging")
EMULATOR = Profile("2123456789abcdef", "local", "endpoint", "dummy", endpoint_url="http://127.0.0.1:8000", stage="dev")


def file(*connections: Any, version: object = 1) -> str:
    return json.dumps({"version": version, "connections": list(connections)})


def test_what_is_exported_is_imported_with_ids_of_its_own_and_only_reads() -> None:
    text = shared_text([KEYS, NAMED, EMULATOR])
    shared = read_shared(text, ())
    assert [profile.name for profile in shared.profiles] == ["shop", "Статистика", "local"]
    for given, made in zip((KEYS, NAMED, EMULATOR), shared.profiles, strict=True):
        assert made.id != given.id
        assert made.read_only
        assert [getattr(made, name) for name in FIELDS] in (
            [getattr(given, name) for name in FIELDS],
            [getattr(replace(given, region="us-east-1"), name) for name in FIELDS],  # an emulator's is filled in
        )
    assert shared.renamed == ()
    assert shared.notices == ("shop needs its keys typed: change the connection to enter them.",)
    assert shared.profiles[0].secret == secret_name(shared.profiles[0].id)


def test_nothing_of_this_computer_is_in_the_file() -> None:
    text = shared_text([KEYS, NAMED])
    for own in (KEYS.id, KEYS.secret, NAMED.id, "secret", "read_only"):
        assert own not in text
    with pytest.raises(ProfileError, match="looks like a key"):
        shared_text([replace(NAMED, name="AKIAIOSFODNN7EXAMPLE")])


def test_a_name_that_is_taken_gets_a_number() -> None:
    text = shared_text([KEYS, replace(KEYS, name="Shop")])
    shared = read_shared(text, [replace(EMULATOR, name="SHOP"), replace(EMULATOR, id="aaaaaaaa", name="shop (2)")])
    assert shared.renamed == (("shop", "shop (3)"), ("Shop", "Shop (4)"))
    longest = "x" * 100
    again = read_shared(shared_text([replace(NAMED, name=longest)]), [replace(EMULATOR, name=longest)])
    assert again.profiles[0].name == "x" * 96 + " (2)"


def test_what_does_not_belong_there_is_named_and_not_used() -> None:
    good = json.loads(shared_text([NAMED]))["connections"][0]
    foreign = {"secret_access_key": "canary", "id": "1", "read_only": False, "run": "touch x"}
    shared = read_shared(file(good | foreign), ())
    (profile,) = shared.profiles
    assert profile.read_only
    (notice,) = shared.notices
    assert notice == "Of Статистика these were not used: id, read_only, run, secret_access_key."


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": "AKIAIOSFODNN7EXAMPLE"}, "looks like a key"),
        ({"kind": "sandbox", "credentials": "dummy", "aws_profile": ""}, "sandbox"),
        ({"endpoint_url": "http://169.254.169.254", "kind": "endpoint"}, "link-local"),
        ({"stage": "nowhere"}, "stage"),
        ({"region": 7}, "not a text"),
        ({"name": "a\u202eb"}, "invisible"),
        ({"name": " "}, "needs a name"),
    ],
)
def test_one_that_is_not_right_is_left_out_and_the_others_are_not(change: dict[str, object], says: str) -> None:
    good = json.loads(shared_text([NAMED]))["connections"][0]
    shared = read_shared(file(good | change, good, 7), ())
    assert [profile.name for profile in shared.profiles] == ["Статистика"]
    assert says in shared.notices[0]
    assert shared.notices[1] == "Connection 3 was left out: It is not an object."


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "[" * 100_000, '{"connections": 5}', file(version=2), "x" * 1_000_001]
)
def test_another_file_is_refused_whole(text: str) -> None:
    with pytest.raises(InvalidFile):
        read_shared(text, ())
