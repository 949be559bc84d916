"""Credentials from the one source that a profile names, fetched so that nothing of them shows in an error.

Fetching itself never asks anybody, and has its time. Where it cannot go on without a person it stops, the person is
asked for as long as that takes, and it begins anew with the answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from botocore.credentials import (
    AssumeRoleProvider,
    CanonicalNameCredentialSourcer,
    ContainerProvider,
    CredentialProvider,
    CredentialResolver,
    EnvProvider,
    ProcessProvider,
    ProfileProviderBuilder,
    ReadOnlyCredentials,
    RefreshableCredentials,
)
from botocore.exceptions import BotoCoreError, ClientError, SSOError, TokenRetrievalError
from botocore.session import Session

from dynodesk.aws.device_login import TokenCache, log_in
from dynodesk.aws.faults import translated
from dynodesk.aws.in_time import OutOfTimeError, in_time
from dynodesk.aws.processes import NotAllowedYet, runner
from dynodesk.aws.profile_chain import ProfileChain, SsoSource, chain_of
from dynodesk.domain.clock import Clock
from dynodesk.domain.errors import CredentialsRefused, DynodeskError
from dynodesk.domain.profiles import Credentials, Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.redaction import redaction
from dynodesk.domain.sign_in import MAX_WRONG_CODES, KeysQuestion, MfaQuestion, ProcessQuestion, SignInAsker

SECONDS = 60
"""For all that is fetched without asking anybody: a credential process, single sign-on, one role after the other."""

# They log what trips over the print of a credential process or over a renewal, and quote it.
for _module in ("botocore.credentials", "botocore.tokens"):
    logging.getLogger(_module).setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class Fetched:
    keys: ReadOnlyCredentials
    ends_within: Callable[[int], bool]
    """Whether they expire within so many seconds; never, as far as it is known, for those that do not say."""
    keep: Callable[[], object] | None = None
    """To be called once they are used."""


class _CodeNeeded(Exception):
    def __init__(self, device: str) -> None:
        super().__init__(device)
        self.device = device


@dataclass(frozen=True, slots=True)
class Source:
    """Where the credentials of one connection come from, looked at anew each time: files may have changed."""

    profile: Profile
    typed: Credentials | None
    new_session: Callable[[], Session]
    """One that uses no credentials by itself."""
    new_client: Callable[..., Any]
    """Of a session, by the name of a service and a Region."""
    cache: dict[str, Any]
    keep_typed: Callable[[Credentials], object] | None
    clock: Clock

    def fetch(self, asker: SignInAsker, ticket: Ticket, expired: ReadOnlyCredentials | None) -> Fetched:
        """`expired`: what the service does not take any more, whatever is known of its time.

        Raises `CredentialsRefused`, `CannotConnect` and the like, and `Cancelled`.
        """
        match self.profile.credentials:
            case "dummy":
                if expired is not None:
                    message = "The credentials have expired, says the endpoint; made-up ones cannot be renewed."
                    raise CredentialsRefused(message, hint="Use the keys that belong to this endpoint.")
                return _lasting("dummy", "dummy")
            case "keys":
                return self._typed(asker, ticket, expired)
            case "environment":
                nothing = "There are no credentials in the environment."
                hint = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or choose an AWS profile."
                found = _in_time(_of_environment, self.profile, ticket)
            case "profile":
                nothing = f"The AWS profile {self.profile.aws_profile!r} has no credentials."
                hint = "Add keys, a role, single sign-on or a credential process to it."
                found = self._of_profile(asker, ticket, expired)
        if found is None:
            raise CredentialsRefused(nothing, hint=hint)
        if expired is not None and found.keys == expired:
            raise CredentialsRefused(
                "The credentials cannot be renewed: where they come from there are no others than before.",
                hint="Renew them there, then sign in again.",
            )
        return found

    def _typed(self, asker: SignInAsker, ticket: Ticket, expired: ReadOnlyCredentials | None) -> Fetched:
        typed = self.typed
        if typed is None:
            raise CredentialsRefused("The keys of this connection are not at hand.", hint="Enter them again.")
        if expired is not None:
            typed = asker.new_keys(KeysQuestion(self.profile.name, for_aws=self.profile.kind == "aws"), ticket)
        fetched = _lasting(typed.access_key_id, typed.secret_access_key, typed.session_token or None)
        if expired is None or self.keep_typed is None:
            return fetched
        return replace(fetched, keep=partial(self.keep_typed, typed))

    def _of_profile(self, asker: SignInAsker, ticket: Ticket, expired: ReadOnlyCredentials | None) -> Fetched | None:
        for role, known in list(self.cache.items()):
            if expired is not None and known["Credentials"]["AccessKeyId"] == expired.access_key:
                self.cache.pop(role, None)
        name, session = self.profile.aws_profile, self.new_session()
        try:
            chain = chain_of(session.full_config, name)
        except BotoCoreError as error:
            raise translated(error) from error
        fetching = _OfProfile(self.profile, session, partial(self.new_client, session), chain, self.cache, ticket)
        asking = _Asking(fetching, asker, self.clock)
        while True:
            try:
                return _in_time(fetching.fetch, self.profile, ticket)
            except (NotAllowedYet, _CodeNeeded, ClientError, BotoCoreError) as stop:
                asking.go_on_after(stop)


def _lasting(access_key: str, secret_key: str, token: str | None = None) -> Fetched:
    _check_parts(access_key, secret_key, token)
    return Fetched(ReadOnlyCredentials(access_key, secret_key, token), lambda _seconds: False)


def _in_time(fetch: Callable[[], Fetched | None], profile: Profile, ticket: Ticket) -> Fetched | None:
    try:
        return in_time(fetch, SECONDS, ticket)
    except OutOfTimeError:
        message = f"The credentials of {profile.aws_profile or 'the environment'} did not arrive in {SECONDS} s."
        raise CredentialsRefused(message, hint="Check the network, then sign in again.") from None


def _of_environment() -> Fetched | None:
    try:
        return _frozen(CredentialResolver([EnvProvider(), ContainerProvider()]))
    except (BotoCoreError, ClientError) as error:
        raise translated(error) from error


def _frozen(resolver: CredentialResolver) -> Fetched | None:
    """The credentials as they are now; None where there are none.

    Raises `CredentialsRefused`, what asks for a person, and errors of botocore. What a credential process prints goes
    through botocore unlooked at, and whatever trips over it comes out: errors of JSON, of dates, of text that is none.
    They may quote a secret, so that only their kind is told.
    """
    try:
        found = resolver.load_credentials()
        keys = None if found is None else found.get_frozen_credentials()
    except (BotoCoreError, ClientError, CredentialsRefused, NotAllowedYet, _CodeNeeded):
        raise
    except OSError as problem:
        raise CredentialsRefused(
            f"The credentials could not be fetched: {problem.filename or 'a program'}: {problem.strerror or problem}.",
            hint="Check the credential process and the files that the AWS profile names.",
            details=type(problem).__name__,
        ) from None
    except Exception as problem:  # noqa: BLE001  (see above: nothing of ours runs here)
        message = "The credentials cannot be read: what gives them does not give them in the form of AWS."
        hint = "`aws sts get-caller-identity` with the same settings shows why."
        raise CredentialsRefused(message, hint=hint, details=type(problem).__name__) from None
    if found is None or keys is None:
        return None
    _check_parts(*keys)
    if isinstance(found, RefreshableCredentials):
        return Fetched(keys, lambda seconds: bool(found.refresh_needed(seconds)))
    return Fetched(keys, lambda _seconds: False)


def _check_parts(*parts: object) -> None:
    """Raises where the parts cannot be sent in a header: the error about that would quote them. The first is the id."""
    for part in parts:
        if part is None:
            continue
        if not isinstance(part, str) or not part.isascii() or not part.isprintable() or " " in part:
            message = "The credentials are not ones of AWS: they hold characters that no key has."
            raise CredentialsRefused(message, hint="Copy them anew, each by itself.")
    redaction.remember(*(part for part in parts[1:] if isinstance(part, str)))


# ---------------------------------------------------------------------------------------------------- an AWS profile


class _OfProfile:
    """All that a named AWS profile can get its credentials from, and nothing else: neither the environment nor the
    metadata of a machine. `codes` by device and `allowed` programs are what a person has answered so far."""

    def __init__(
        self,
        profile: Profile,
        session: Session,
        new_client: Callable[..., Any],
        chain: ProfileChain,
        cache: dict[str, Any],
        ticket: Ticket,
    ) -> None:
        self.codes: dict[str, str] = {}
        self.allowed: set[str] = set()
        self.tokens = TokenCache()
        self.profile, self.session, self.chain, self.ticket = profile, session, chain, ticket
        self.new_client, self._cache = new_client, cache

    def fetch(self) -> Fetched | None:
        """Raises as `_frozen`."""
        session, name = self.session, self.profile.aws_profile
        region = session.get_config_variable("region") or self.profile.region or None

        builder = _Providers(session, self._cache, region, self.tokens, self.allowed, self.ticket)
        roles = AssumeRoleProvider(
            load_config=lambda: session.full_config,
            client_creator=partial(self.new_client, region_name=region),
            cache=self._cache,
            profile_name=name,
            prompter=self._code,
            credential_sourcer=CanonicalNameCredentialSourcer([]),
            profile_provider_builder=builder,
        )
        return _frozen(CredentialResolver([roles, *builder.providers(name, disable_env_vars=True)]))

    def _code(self, prompt: str) -> str:
        device = max((each for each in self.chain.devices if each in prompt), key=len)
        if device not in self.codes:
            raise _CodeNeeded(device)
        return self.codes.pop(device)  # good for one request


class _Asking:
    """Asks for what fetching has stopped at."""

    def __init__(self, fetching: _OfProfile, asker: SignInAsker, clock: Clock) -> None:
        self._fetching, self._asker, self._clock = fetching, asker, clock
        self._wrong_codes = 0
        self._has_logged_in = False

    def go_on_after(self, stop: Exception) -> None:
        """Returns when there is an answer to begin anew with. Raises where none can help."""
        match stop:
            case NotAllowedYet():
                self._program(stop.question)
            case _CodeNeeded():
                self._code(stop.device)
            case ClientError() if _is_wrong_code(stop):
                self._wrong_codes += 1
                if self._wrong_codes == MAX_WRONG_CODES:
                    message = f"The MFA code was not accepted {MAX_WRONG_CODES} times, so no more are tried."
                    hint = "Check the clock of the device and which device it is, then sign in again."
                    raise CredentialsRefused(message, hint=hint)
            case ClientError():
                raise _refused(stop) from stop
            case SSOError() | TokenRetrievalError() if self._fetching.chain.sso and not self._has_logged_in:
                self._log_in(self._fetching.chain.sso)
            case _:
                raise translated(stop) from stop

    def _program(self, question: ProcessQuestion) -> None:
        if not self._asker.may_run(question, self._fetching.ticket):
            raise CredentialsRefused(
                f"The program {question.argv[0]} was not allowed to run, so there are no credentials.",
                hint="Allow it, or choose another AWS profile.",
            )
        self._fetching.allowed.add(question.digest)

    def _code(self, device: str) -> None:
        named_by, role = self._fetching.chain.devices[device]
        typed = self._asker.mfa_code(MfaQuestion(named_by, device, role, self._wrong_codes), self._fetching.ticket)
        self._fetching.codes[device] = "".join(typed.split())

    def _log_in(self, source: SsoSource) -> None:
        name = self._fetching.profile.aws_profile
        refusal = self._asker.no_login(name, source.command)
        if refusal is not None:
            raise refusal
        fetching = self._fetching
        log_in(source, name, fetching.new_client, fetching.tokens, self._asker, self._clock, fetching.ticket)
        self._has_logged_in = True


class _Providers(ProfileProviderBuilder):
    """Those of a profile without a role, with our way to run a program."""

    def __init__(
        self,
        session: Session,
        cache: dict[str, Any],
        region: str | None,
        tokens: Any,
        allowed: set[str],
        ticket: Ticket,
    ) -> None:
        super().__init__(session, cache=cache, region_name=region, sso_token_cache=tokens)
        self._full_config = lambda: session.full_config
        self._allowed, self._ticket = allowed, ticket

    def providers(self, profile_name: str, disable_env_vars: bool = False) -> list[CredentialProvider]:
        program = ProcessProvider(profile_name, self._full_config, runner(profile_name, self._allowed, self._ticket))
        made = super().providers(profile_name, disable_env_vars)
        return [program if isinstance(each, ProcessProvider) else each for each in made]


def _is_wrong_code(error: ClientError) -> bool:
    about = error.response.get("Error", {})
    code, said = about.get("Code"), about.get("Message", "")
    # One code of error for everything that is denied: the rest of it is only in its words.
    is_denied = code == "AccessDenied" and "MultiFactorAuthentication failed" in said
    return is_denied or (code == "ValidationError" and "tokenCode" in said)


def _refused(error: ClientError) -> DynodeskError:
    """What AWS STS or the single sign-on does not give."""
    about = error.response.get("Error", {})
    code, said, operation = about.get("Code", ""), about.get("Message", ""), error.operation_name
    action = f"{'sso' if operation == 'GetRoleCredentials' else 'sts'}:{operation}"
    details = f"{action}: {code}: {said}"
    if code == "AccessDenied":
        who, _, role = said.partition(" on resource: ")
        who = who.removeprefix("User: ").partition(" is not authorized")[0]
        message = f"{who or 'This login'} may not do {action} on {role.split()[0] if role else 'the role'}."
        hint = f"Ask for the permission {action} on the role, and for the role to trust this login."
        return CredentialsRefused(message, hint=hint, details=details)
    if code == "ForbiddenException":
        message = "The single sign-on worked, and gives no access to the account and role of the AWS profile."
        hint = "Check sso_account_id and sso_role_name, or ask for access."
        return CredentialsRefused(message, hint=hint, details=details)
    if "session limit for roles assumed by role chaining" in said:
        message = "A role that is assumed with the credentials of another role lasts one hour at most."
        hint = "Set duration_seconds to 3600 or less in the AWS configuration file."
        return CredentialsRefused(message, hint=hint, details=details)
    return translated(error, table="the role", operation=operation)
