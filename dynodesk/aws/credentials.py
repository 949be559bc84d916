"""Credentials from the one source that a profile names, fetched so that nothing of them shows in an error."""

from __future__ import annotations

import logging

from botocore.client import BaseClient
from botocore.credentials import ContainerProvider, CredentialResolver, EnvProvider, ReadOnlyCredentials
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session

from dynodesk.aws.wire import service_of
from dynodesk.domain.errors import CredentialsRefused
from dynodesk.domain.profiles import Credentials, Profile

_PROFILE_PROVIDERS = {
    "assume-role",
    "assume-role-with-web-identity",
    "sso",
    "shared-credentials-file",
    "login",
    "custom-process",
    "config-file",
}
"""botocore's names of what a named AWS profile can get its credentials from; the rest is left out, the instance
metadata service first of all."""

# It logs what trips over the print of a credential process, and quotes it.
logging.getLogger("botocore.credentials").setLevel(logging.CRITICAL)


def take_credentials(session: Session, profile: Profile, credentials: Credentials | None) -> None:
    """Put the picked credentials into the session and fetch them once, so that what is wrong shows here.

    `credentials` are the typed keys. Raises `CredentialsRefused` and errors of botocore.
    """
    match profile.credentials:
        case "dummy":
            session.set_credentials("dummy", "dummy")
            return
        case "keys":
            if credentials is None:
                raise CredentialsRefused("The keys of this connection are not at hand.", hint="Enter them again.")
            _check_parts(credentials.access_key_id, credentials.secret_access_key, credentials.session_token)
            token = credentials.session_token or None
            session.set_credentials(credentials.access_key_id, credentials.secret_access_key, token)
            return
        case "environment":
            session.register_component("credential_provider", CredentialResolver([EnvProvider(), ContainerProvider()]))
            nothing = "There are no credentials in the environment."
            hint = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or choose an AWS profile."
        case "profile":
            _refuse_prompts(session, profile.aws_profile)
            resolver = session.get_component("credential_provider")
            resolver.providers = [each for each in resolver.providers if each.METHOD in _PROFILE_PROVIDERS]
            nothing = f"The AWS profile {profile.aws_profile!r} has no credentials."
            hint = "Add keys, a role, single sign-on or a credential process to it."
    if frozen_credentials(session) is None:
        raise CredentialsRefused(nothing, hint=hint)


def frozen_credentials(session: Session) -> ReadOnlyCredentials | None:
    """The credentials as they are now, renewed where they have expired; None where there are none.

    Raises `CredentialsRefused` and errors of botocore. What a credential process prints goes through botocore unlooked
    at, and whatever trips over it comes out: errors of JSON, of dates, of text that is none. They may quote a secret,
    so that only their kind is told.
    """
    hint = "`aws sts get-caller-identity` with the same settings shows why."
    try:
        found = session.get_credentials()
        frozen = None if found is None else found.get_frozen_credentials()
    except (BotoCoreError, ClientError):
        raise
    except OSError as problem:
        raise CredentialsRefused(
            f"The credentials could not be fetched: {problem.filename or 'a program'}: {problem.strerror or problem}.",
            hint="Check the credential process and the files that the AWS profile names.",
            details=type(problem).__name__,
        ) from None
    except Exception as problem:  # noqa: BLE001  (see above: nothing of ours runs here)
        message = "The credentials cannot be read: what gives them does not give them in the form of AWS."
        raise CredentialsRefused(message, hint=hint, details=type(problem).__name__) from None
    _check_parts(*frozen or ())
    return frozen


def renew_first(client: BaseClient, session: Session) -> None:
    """Fetch credentials that have expired before botocore does, which lets out whatever comes of it."""

    def fetch(**_: object) -> None:
        frozen_credentials(session)

    client.meta.events.register(f"provide-client-params.{service_of(client)}", fetch)


def _check_parts(*parts: object) -> None:
    """Raises where the parts cannot be sent in a header: the error about that would quote them."""
    for part in parts:
        if part is None:
            continue
        if not isinstance(part, str) or not part.isascii() or not part.isprintable() or " " in part:
            message = "The credentials are not ones of AWS: they hold characters that no key has."
            raise CredentialsRefused(message, hint="Copy them anew, each by itself.")


def _refuse_prompts(session: Session, name: str) -> None:
    """Raises where getting the credentials would take an MFA code: botocore would ask for it on the terminal."""
    profiles = session.full_config.get("profiles", {})
    seen: set[str] = set()
    while name in profiles and name not in seen:
        seen.add(name)
        if "role_arn" in profiles[name] and "mfa_serial" in profiles[name]:
            raise CredentialsRefused(
                f"The AWS profile {name!r} asks for an MFA code, which cannot be entered here.",
                hint="Use single sign-on, or enter the keys of a session that was started with the code.",
            )
        name = profiles[name].get("source_profile", "")
