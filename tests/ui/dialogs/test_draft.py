"""What is wrong with a connection as it is filled in, field by field, and what follows from the rest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dynodesk.domain.profiles import Profile, Stage, check_profile, new_profile_id, secret_name
from dynodesk.store.secrets import KeyringState
from dynodesk.ui.dialogs.draft import Draft, Field
from dynodesk.ui.dialogs.words import kept_words

ID = "0123456789abcdef"
KEY_ID = "AKIAIOSFODNN7EXAMPLE"
TEMPORARY_KEY_ID = "ASIAIOSFODNN7EXAMPLE"
SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
TOKEN = "FwoGZXIvYXdzEXAMPLE=="
TAKEN = Profile(new_profile_id(), "Shop", "endpoint", "dummy", endpoint_url="http://127.0.0.1:8000")

LOCAL = Draft(ID, "endpoint", address="http://127.0.0.1:8000")
REMOTE = Draft(ID, "endpoint", address="https://db.example", access_key_id="a", secret_access_key="b")
AWS = Draft(ID, "aws", aws_profile="prod", aws_region="eu-west-1")
WITH_KEYS = Draft(ID, "aws", picked_source="keys", access_key_id=KEY_ID, secret_access_key=SECRET, region="eu-west-1")


@pytest.mark.parametrize("draft", [LOCAL, REMOTE, AWS, WITH_KEYS, replace(AWS, aws_region="", region="eu-west-1")])
def test_a_complete_draft_has_no_problem_and_becomes_a_profile(draft: Draft) -> None:
    checked = draft.checked((TAKEN,))
    assert checked.problems == {}
    profile = check_profile(draft.profile((TAKEN,)), (TAKEN,))
    assert (profile.id, profile.read_only) == (ID, True)
    assert profile.secret == (secret_name(ID) if draft.source == "keys" else "")
    assert (checked.credentials is not None) == (draft.source == "keys")


BAD: list[tuple[Draft, Field, str, str]] = [
    (replace(LOCAL, address=""), "address", "The endpoint is missing.", "http://127.0.0.1:8000"),
    (replace(LOCAL, address="127.0.0.1:8000"), "address", "must begin with https://", ""),
    (replace(LOCAL, address="ftp://127.0.0.1"), "address", "must begin with https://", ""),
    (replace(LOCAL, address="http://db.example"), "address", "Plain http is for this machine only", "Use https."),
    (replace(LOCAL, address="https://user:pw@db.example"), "address", "user name or password", "given separately"),
    (replace(LOCAL, address="http://169.254.169.254"), "address", "link-local", ""),
    (replace(LOCAL, address="http://127.0.0.1:0"), "address", "port", ""),
    (replace(LOCAL, address="http://127.0.0.1:8000/shell"), "address", "path or query", "host and port only"),
    (replace(LOCAL, region="over there"), "region", "letters, digits and hyphens", ""),
    (replace(WITH_KEYS, region=""), "region", "The Region is missing.", "eu-west-1"),
    (replace(WITH_KEYS, region="eu-west-1a"), "region", "availability zone", "The Region is eu-west-1."),
    (replace(WITH_KEYS, region="aws-cn"), "region", "partition", ""),
    (replace(WITH_KEYS, region="us-gov"), "region", "partition", ""),
    (
        replace(WITH_KEYS, kind="endpoint", address="https://dynamodb.us-east-2.amazonaws.com"),
        "region",
        "The endpoint is in us-east-2, not in eu-west-1",
        "Give us-east-2",
    ),
    (replace(WITH_KEYS, region="fips-us-east-1"), "region", "FIPS", "endpoint"),
    (replace(AWS, aws_region=""), "region", "The Region is missing.", ""),
    (replace(AWS, region="nowhere"), "region", "does not look like one", ""),
    (replace(AWS, aws_profile=""), "aws_profile", "No AWS profile is chosen.", "type keys"),
    (replace(LOCAL, typed_name=" "), "name", "needs a name", ""),
    (replace(LOCAL, typed_name=" sHOP "), "name", "already", "Choose another name."),
    (replace(LOCAL, typed_name="a\u202eb"), "name", "invisible", ""),
    (replace(LOCAL, typed_name="x" * 101), "name", "longer than 100", ""),
    (replace(LOCAL, typed_name=f"prod {KEY_ID}"), "name", "looks like a key", "saved readable"),
    (replace(LOCAL, typed_name=SECRET), "name", "looks like a key", ""),
    (replace(WITH_KEYS, access_key_id=""), "access_key_id", "missing", ""),
    (replace(WITH_KEYS, access_key_id="short"), "access_key_id", "does not look like one", "16 or more"),
    (replace(WITH_KEYS, access_key_id="short", secret_access_key=""), "access_key_id", "does not look like one", ""),
    (replace(WITH_KEYS, access_key_id=f"{KEY_ID[:9]} {KEY_ID[9:]}"), "access_key_id", "position 10", "Copy it again."),
    (replace(WITH_KEYS, secret_access_key=""), "secret_access_key", "missing", ""),
    (replace(WITH_KEYS, secret_access_key="  "), "secret_access_key", "missing", ""),
    (replace(WITH_KEYS, secret_access_key=f"{SECRET}\n{SECRET}"), "secret_access_key", "position 41", ""),
    (replace(WITH_KEYS, secret_access_key="ключ"), "secret_access_key", "no key has", ""),
    (
        replace(WITH_KEYS, access_key_id=SECRET, secret_access_key=KEY_ID),
        "secret_access_key",
        "The access key id and the secret access key are swapped.",
        "",
    ),
    (replace(WITH_KEYS, access_key_id=TEMPORARY_KEY_ID), "session_token", "missing", "ASIA"),
    (replace(WITH_KEYS, session_token=TOKEN), "session_token", "does not belong", "AKIA"),
    (replace(WITH_KEYS, session_token="a b"), "session_token", "position 2", ""),
    (replace(REMOTE, access_key_id=""), "access_key_id", "missing", ""),
]


@pytest.mark.parametrize(("draft", "field", "message", "hint"), BAD)
def test_each_mistake_is_shown_at_its_field(draft: Draft, field: Field, message: str, hint: str) -> None:
    problems = draft.checked((TAKEN,)).problems
    assert message in problems[field].message
    assert hint in problems[field].hint
    shown = " ".join(f"{problem.message} {problem.hint}" for problem in problems.values())
    for secret in (SECRET, TOKEN, KEY_ID):
        assert secret not in shown
    others = set(problems) - {field}
    assert others <= {"secret_access_key"}, "a mistake spoils other fields too"


def test_what_was_tidied_in_pasted_keys_is_said_without_showing_them() -> None:
    draft = replace(WITH_KEYS, access_key_id=f" {KEY_ID}\n", secret_access_key=f'"{SECRET}"')
    checked = draft.checked(())
    assert checked.problems == {}
    assert checked.credentials is not None
    assert (checked.credentials.access_key_id, checked.credentials.secret_access_key) == (KEY_ID, SECRET)
    assert checked.notices == (
        "Space around the access key id was removed.",
        "Quotes around the secret access key were removed.",
    )


def test_a_draft_shows_no_key_when_it_is_printed() -> None:
    for key in (KEY_ID, SECRET, TOKEN):
        assert key not in repr(replace(WITH_KEYS, session_token=TOKEN))


@pytest.mark.parametrize(
    ("address", "sources", "stage"),
    [
        ("", ("dummy", "keys", "profile", "environment"), "production"),
        ("http://localhost:8000", ("dummy", "keys", "profile", "environment"), "dev"),
        ("https://[::1]:8000", ("dummy", "keys", "profile", "environment"), "dev"),
        ("https://dynamodb.eu-west-1.amazonaws.com", ("keys", "profile", "environment"), "production"),
        ("https://db.example", ("keys",), "production"),
    ],
)
def test_the_address_decides_which_credentials_may_go_there(
    address: str, sources: tuple[str, ...], stage: Stage
) -> None:
    draft = Draft(ID, "endpoint", address=address)
    assert draft.sources == sources
    assert draft.source == sources[0]
    assert draft.stage == stage
    for picked in ("dummy", "profile", "environment"):
        chosen = replace(draft, picked_source=picked).source
        assert chosen == (picked if picked in sources else "keys")
    assert replace(draft, picked_stage="staging").stage == "staging"


@pytest.mark.parametrize(
    ("draft", "name"),
    [
        (LOCAL, "127.0.0.1:8000"),
        (replace(LOCAL, address="https://db.example/"), "db.example"),
        (replace(LOCAL, address="nonsense"), ""),
        (AWS, "prod"),
        (replace(AWS, aws_profile="shop"), "shop 2"),
        (WITH_KEYS, "AWS eu-west-1"),
        (replace(WITH_KEYS, region=""), "AWS"),
        (replace(WITH_KEYS, typed_name=""), ""),
    ],
)
def test_a_name_is_proposed_until_one_is_typed(draft: Draft, name: str) -> None:
    assert draft.name((TAKEN,)) == name


def test_keys_from_before_may_stay_for_the_same_address_only() -> None:
    before = Draft(ID, "endpoint", address="https://db.example", keys_for="https://db.example")
    checked = before.checked(())
    assert (checked.problems, checked.credentials) == ({}, None)
    assert set(replace(before, address="https://evil.example").checked(()).problems) == {
        "access_key_id",
        "secret_access_key",
    }
    assert set(replace(before, access_key_id="new").checked(()).problems) == {"secret_access_key"}
    assert replace(WITH_KEYS, access_key_id="", secret_access_key="", keys_for="").checked(()).problems == {}


AVAILABLE = KeyringState("available", "Secret Service")
ABSENT = KeyringState("absent", "", "no D-Bus")


def test_where_keys_are_kept_is_told() -> None:
    assert kept_words("keys", True, None) == "Looking for a keyring…"
    assert kept_words("keys", True, AVAILABLE) == "The keys go to the keyring (Secret Service), never into a file."
    assert "will ask for its password" in kept_words("keys", True, KeyringState("locked", "Secret Service"))
    assert kept_words("keys", True, ABSENT).startswith("No keyring: the keys are used until dynodesk ends")
    broken = KeyringState("absent", "Secret Service", "Secret Service does not answer.")
    assert "cannot be used: Secret Service does not answer." in kept_words("keys", True, broken)
    for keyring in (None, AVAILABLE, ABSENT):
        assert "written nowhere" in kept_words("keys", False, keyring)
        assert "nothing to keep" in kept_words("dummy", True, keyring)
