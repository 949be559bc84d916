from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from botocore.configloader import load_config

from dynodesk.aws.profile_chain import SsoSource, chain_of
from dynodesk.domain.errors import CredentialsRefused

ROLE = "role_arn = arn:aws:iam::123456789012:role/R\n"
KEYS = "aws_access_key_id = AKIAX\naws_secret_access_key = s\n"
SSO = "sso_account_id = 123456789012\nsso_role_name = Reader\n"
B_TO_C = f"[profile b]\n{ROLE}source_profile = c\n"
LONG = "duration_seconds = 7200\n"
CORP = "[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp.awsapps.com/start\n"


def parsed(folder: Path, text: str) -> dict[str, Any]:
    (folder / "config").write_text(text)
    found: dict[str, Any] = load_config(str(folder / "config"))
    return found


def test_a_chain_to_keys(tmp_path: Path) -> None:
    config = parsed(
        tmp_path,
        f"[profile a]\n{ROLE}source_profile = b\n[profile b]\n{ROLE}source_profile = c\nmfa_serial = M1\n"
        f"[profile c]\n{KEYS}",
    )
    chain = chain_of(config, "a")
    assert chain.profiles == ("a", "b", "c")
    assert chain.devices == {"M1": ("b", "arn:aws:iam::123456789012:role/R")}
    assert chain.sso is None


def test_keys_below_the_first_come_before_a_role(tmp_path: Path) -> None:
    text = f"[profile a]\n{ROLE}source_profile = b\n[profile b]\n{ROLE}{KEYS}source_profile = nowhere\n"
    assert chain_of(parsed(tmp_path, text), "a").profiles == ("a", "b")


def test_a_role_with_keys_of_its_own(tmp_path: Path) -> None:
    chain = chain_of(parsed(tmp_path, f"[profile a]\n{ROLE}{KEYS}source_profile = a\nduration_seconds = 7200\n"), "a")
    assert chain.profiles == ("a",)


def test_a_web_identity_is_no_chain(tmp_path: Path) -> None:
    text = f"[profile a]\n{ROLE}web_identity_token_file = /t\n"
    assert chain_of(parsed(tmp_path, text), "a").profiles == ("a",)


def test_a_chain_to_a_single_sign_on(tmp_path: Path) -> None:
    text = f"[profile a]\n{ROLE}source_profile = b\n[profile b]\nsso_session = corp\n{SSO}{CORP}"
    source = chain_of(parsed(tmp_path, text), "a").sso
    assert source == SsoSource("b", "corp", "https://corp.awsapps.com/start", "eu-west-1", ("sso:account:access",))
    assert source.command == "aws sso login --sso-session corp"


def test_the_older_form_of_single_sign_on_and_scopes(tmp_path: Path) -> None:
    older = f"[profile a]\nsso_start_url = https://x/start\nsso_region = eu-west-1\n{SSO}"
    source = chain_of(parsed(tmp_path, older), "a").sso
    assert source == SsoSource("a", "", "https://x/start", "eu-west-1", ())
    assert source.command == "aws sso login --profile a"
    scoped = f"[profile a]\nsso_session = corp\n{SSO}{CORP}sso_registration_scopes = one, two\n"
    found = chain_of(parsed(tmp_path, scoped), "a").sso
    assert found is not None
    assert found.scopes == ("one", "two")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"[profile x]\n{KEYS}", "no AWS profile 'a'"),
        (f"[profile a]\n{ROLE}source_profile = b\n", "names 'b' as its source_profile, and there is no such"),
        (f"[profile a]\n{ROLE}", "a role and no source_profile"),
        (f"[profile a]\n{ROLE}source_profile = a\n", "names itself"),
        (
            f"[profile a]\n{ROLE}source_profile = b\n{B_TO_C}[profile c]\n{ROLE}source_profile = b\n",
            "in a circle: 'b' → 'c' → 'b'",
        ),
        (f"[profile a]\n{ROLE}credential_source = Ec2InstanceMetadata\n", "Ec2InstanceMetadata: from the environment"),
        (f"[profile a]\n{ROLE}credential_source = Environment\nsource_profile = b\n[profile b]\n{KEYS}", "has both"),
        (
            f"[profile a]\n{ROLE}{LONG}source_profile = b\n{B_TO_C}[profile c]\n{KEYS}",
            "'a' asks for 7,200 s. .* lasts 3,600 s at most",
        ),
        (
            f"[profile a]\n{ROLE}{LONG}source_profile = b\n[profile b]\nsso_session = corp\n{SSO}{CORP}",
            "lasts 3,600 s at most",
        ),
        (f"[profile a]\n{ROLE}source_profile = b\nduration_seconds = x\n[profile b]\n{KEYS}", "not a whole number"),
        (f"[profile a]\nsso_session = gone\n{SSO}", "names the sso-session 'gone'"),
        (f"[profile a]\nsso_session = corp\nsso_role_name = R\n{CORP}", "sso_account_id is missing"),
        (f"[profile a]\n{SSO}", "sso_start_url, sso_region is missing"),
    ],
)
def test_what_cannot_work_is_said_before_anything_is_asked(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(CredentialsRefused, match=says) as raised:
        chain_of(parsed(tmp_path, text), "a")
    assert raised.value.hint


@pytest.mark.parametrize("name", ["with space", "semi;colon", "$(touch x)", "naïve", "n" * 256])
def test_names_are_names_whatever_they_hold(tmp_path: Path, name: str) -> None:
    assert chain_of(parsed(tmp_path, f'[profile "{name}"]\n{KEYS}'), name).profiles == (name,)
