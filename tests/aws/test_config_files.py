"""Profiles are found as the AWS library finds them; what it passes over in silence is told."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from botocore.exceptions import ConfigParseError
from botocore.session import Session

from dynodesk.aws.config_files import AwsProfile, profile_names

CANARY = "canaryCANARYcanary+CANARY/canaryCANARY01"
SHOP = """\
[default]
region = eu-central-1
[profile a]
sso_session = corp
sso_account_id = 111122223333
sso_role_name = ReadOnly
region = us-west-2
[sso-session corp]
sso_region = us-east-1
sso_start_url = https://example.awsapps.com/start
[profile b]
role_arn = arn:aws:iam::444455556666:role/Reader
source_profile = a
[profile "with space"]
credential_process = "/opt/my tools/keys" --password hidden
s3 =
    max_concurrent_requests = 5
[profile with space]
region = eu-west-1
[profile 'half]
region = eu-west-1
[services local]
dynamodb =
    endpoint_url = http://127.0.0.1:8000
[plugins]
cli_legacy_plugin_path = /nowhere
[staging]
region = eu-west-1
"""
KEYS = f"""\
[default]
aws_access_key_id = AKIAAAAAAAAAAAAAAAAA
aws_secret_access_key = {CANARY}
[old keys]
aws_access_key_id = AKIABBBBBBBBBBBBBBBB
aws_secret_access_key = {CANARY}
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The paths of the configuration and the credentials file, neither of which is there."""
    config, credentials = tmp_path / "config", tmp_path / "credentials"
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(credentials))
    return config, credentials


def test_no_files_are_no_profiles_and_no_problem(files: tuple[Path, Path]) -> None:
    found = profile_names()
    assert (found.profiles, found.problems) == ((), ())


def test_profiles_of_both_files_with_what_they_say(files: tuple[Path, Path]) -> None:
    config, credentials = files
    config.write_text(SHOP)
    credentials.write_text(KEYS)
    assert profile_names().profiles == (
        AwsProfile("default", "eu-central-1", "keys in the file"),
        AwsProfile("a", "us-west-2", "single sign-on"),
        AwsProfile("b", "", "a role"),
        AwsProfile("with space", "", "the program /opt/my tools/keys"),
        AwsProfile("old keys", "", "keys in the file"),
    )


def test_sections_that_are_passed_over_are_told(files: tuple[Path, Path]) -> None:
    config, _ = files
    config.write_text(SHOP)
    assert profile_names().problems == (
        f'[profile with space] in {config} is not readable: write [profile "the name"], in quotes.',
        f'[profile \'half] in {config} is not readable: write [profile "the name"], in quotes.',
        f"[staging] in {config} is not a profile: write [profile staging].",
    )


@pytest.mark.parametrize(
    ("config", "credentials"),
    [
        (SHOP, KEYS),
        (SHOP, ""),
        ("", KEYS),
        ("[profile a]\nregion = x\n[profile 'a']\nsso_session = y\n", "[a]\nregion = z\n"),
        ("[profiles]\n[profile]\n[profile  spaced]\n[profile default]\n[default]\n", "[profile x]\n"),
        ('[profile ünï]\n[profile ;rm$(x)]\n# comment\n[profile "q\'q"]\n', "[DEFAULT]\nregion = r\n[k]\n"),
    ],
)
def test_the_names_are_those_that_the_aws_library_finds(
    files: tuple[Path, Path], config: str, credentials: str
) -> None:
    for path, text in zip(files, (config, credentials), strict=True):
        path.write_text(text, encoding="utf-8")
    assert {profile.name for profile in profile_names().profiles} == set(Session().available_profiles)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"aws_secret_access_key = {CANARY}\n", "line 1"),
        (f"[profile a]\nregion = x\n{CANARY}\n", "line 3"),
        (f"[profile a]\n[profile a]\nkey = {CANARY}\n", "line 2"),
        (f"[profile a]\nkey = 1\nkey = {CANARY}\n", "line 3"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_line_but_not_quoted(
    files: tuple[Path, Path], text: str, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    config, credentials = files
    config.write_text(text)
    credentials.write_text(KEYS)
    with pytest.raises(ConfigParseError):
        _ = Session().full_config
    with caplog.at_level(logging.DEBUG):
        found = profile_names()
    assert found.problems == (f"{config} cannot be read: {says} is not as it must be.",)
    assert [profile.name for profile in found.profiles] == ["default", "old keys"]
    assert CANARY not in f"{found}{caplog.text}"


def test_bytes_that_are_no_text_and_folders_are_no_crash(files: tuple[Path, Path]) -> None:
    config, credentials = files
    config.write_bytes(b"[profile \xff\xfe]\n")
    credentials.mkdir()
    assert profile_names().problems == (f"{config} cannot be read: it is not UTF-8 text.",)


def test_the_usual_places_are_below_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "config").write_text("[profile usual]\n")
    assert [profile.name for profile in profile_names().profiles] == ["usual"]


def test_a_home_of_nobody_is_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", "~nobody-of-that-name/config")
    assert profile_names().problems == ()
