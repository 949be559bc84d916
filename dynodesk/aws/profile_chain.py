"""How an AWS profile comes by its credentials: link after link, all looked at before anything is asked of anybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dynodesk.domain.errors import CredentialsRefused

CHAINED_SECONDS = 3600
"""A role that is assumed with the credentials of another role lasts this long at most (IAM User Guide, "Role
chaining")."""

_CORRECT = "Correct it in the AWS configuration files."
_STATIC_KEYS = ("aws_access_key_id", "aws_secret_access_key")
_SSO_OF_PROFILE = ("sso_account_id", "sso_role_name")


@dataclass(frozen=True, slots=True)
class SsoSource:
    """Where a single sign-on is done. `session` is the name of the sso-session block; "" for the older form."""

    profile: str
    session: str
    start_url: str
    region: str
    scopes: tuple[str, ...]

    @property
    def command(self) -> str:
        """What does the same on a command line."""
        return (
            f"aws sso login --sso-session {self.session}" if self.session else f"aws sso login --profile {self.profile}"
        )


@dataclass(frozen=True, slots=True)
class ProfileChain:
    """`profiles` from the one that was picked to the one that has credentials of its own."""

    profiles: tuple[str, ...]
    devices: Mapping[str, tuple[str, str]]
    """MFA device to the profile that names it and the role that it is for."""
    sso: SsoSource | None


def chain_of(config: Mapping[str, Any], name: str) -> ProfileChain:
    """`config` is botocore's `full_config`. Raises `CredentialsRefused` for what cannot work, or must not."""
    profiles: Mapping[str, Mapping[str, str]] = config.get("profiles", {})
    if name not in profiles:
        raise CredentialsRefused(
            f"There is no AWS profile {name!r} in the AWS configuration files.",
            hint="`aws configure list-profiles` shows the ones there are.",
        )
    walked: list[str] = []
    devices: dict[str, tuple[str, str]] = {}
    at = name
    while True:
        walked.append(at)
        profile = profiles[at]
        # Below the first, keys of its own come before a role.
        if not _is_role(profile) or (len(walked) > 1 and _has_keys(profile)):
            break
        if "mfa_serial" in profile:
            devices[profile["mfa_serial"]] = (at, profile["role_arn"])
        source = _source_of(at, profiles)
        _check_seconds(at, profile, profiles[source], is_itself=source == at)
        if source == at:
            break
        if source in walked:
            ring = " → ".join(repr(each) for each in [*walked[walked.index(source) :], source])
            raise CredentialsRefused(f"The source_profile of AWS profiles leads in a circle: {ring}.", hint=_CORRECT)
        at = source
    has_sso = not _has_keys(profile) and any(part in profile for part in (*_SSO_OF_PROFILE, "sso_session"))
    return ProfileChain(tuple(walked), devices, _sso_of(at, profile, config) if has_sso else None)


def _is_role(profile: Mapping[str, str]) -> bool:
    return "role_arn" in profile and "web_identity_token_file" not in profile


def _has_keys(profile: Mapping[str, str]) -> bool:
    return any(key in profile for key in _STATIC_KEYS)


def _source_of(name: str, profiles: Mapping[str, Mapping[str, str]]) -> str:
    profile = profiles[name]
    source = profile.get("source_profile")
    elsewhere = profile.get("credential_source")
    if elsewhere is not None and source is None:
        raise CredentialsRefused(
            f"The AWS profile {name!r} takes its credentials from {elsewhere}: from the environment or from the "
            "machine that this runs on. Those are never used here without being picked.",
            hint="Name a source_profile for the role, or pick Environment as the credentials.",
        )
    if source is None:
        raise CredentialsRefused(
            f"The AWS profile {name!r} has a role and no source_profile: nothing says whose credentials assume it.",
            hint="Add source_profile to it.",
        )
    if elsewhere is not None:
        raise CredentialsRefused(
            f"The AWS profile {name!r} has both source_profile and credential_source.", hint="Leave one of them."
        )
    if source not in profiles:
        raise CredentialsRefused(
            f"The AWS profile {name!r} names {source!r} as its source_profile, and there is no such profile.",
            hint=_CORRECT,
        )
    if source == name and not _has_keys(profile):
        raise CredentialsRefused(
            f"The AWS profile {name!r} names itself as its source_profile and has no keys.", hint=_CORRECT
        )
    return source


def _check_seconds(name: str, profile: Mapping[str, str], source: Mapping[str, str], *, is_itself: bool) -> None:
    said = profile.get("duration_seconds")
    if said is None:
        return
    if not said.strip().isdecimal():
        raise CredentialsRefused(
            f"The duration_seconds of the AWS profile {name!r} is not a whole number.", hint=_CORRECT
        )
    is_chained = not is_itself and not _has_keys(source) and ("role_arn" in source or "sso_role_name" in source)
    if is_chained and int(said) > CHAINED_SECONDS:
        raise CredentialsRefused(
            f"The AWS profile {name!r} asks for {int(said):,} s. A role that is assumed with the credentials of "
            f"another role lasts {CHAINED_SECONDS:,} s at most.",
            hint=f"Set its duration_seconds to {CHAINED_SECONDS} or less, or leave it out.",
        )


def _sso_of(name: str, profile: Mapping[str, str], config: Mapping[str, Any]) -> SsoSource:
    session = profile.get("sso_session", "")
    found: Mapping[str, str] = profile
    if session:
        sessions: Mapping[str, Mapping[str, str]] = config.get("sso_sessions", {})
        if session not in sessions:
            raise CredentialsRefused(
                f"The AWS profile {name!r} names the sso-session {session!r}, and there is no such block.",
                hint=_CORRECT,
            )
        found = {**profile, **sessions[session]}
    missing = [part for part in (*_SSO_OF_PROFILE, "sso_start_url", "sso_region") if not found.get(part)]
    if missing:
        raise CredentialsRefused(
            f"The single sign-on of the AWS profile {name!r} is not complete: {', '.join(missing)} is missing.",
            hint=_CORRECT,
        )
    scopes = found.get("sso_registration_scopes", "sso:account:access") if session else ""
    named = tuple(scope.strip() for scope in scopes.split(",") if scope.strip())
    return SsoSource(name, session, found["sso_start_url"], found["sso_region"], named)
