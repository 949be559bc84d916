"""Single sign-on in a browser: the device authorization of IAM Identity Center, and the tokens shared with the AWS CLI.

A token is kept where the AWS CLI keeps it and as it writes it, so that one login serves both.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from botocore import UNSIGNED
from botocore.config import Config
from botocore.utils import JSONFileCache, SSOTokenLoader

from dynodesk.aws.faults import translated
from dynodesk.aws.in_time import OutOfTimeError, in_time
from dynodesk.aws.profile_chain import SsoSource
from dynodesk.domain.clock import Clock
from dynodesk.domain.errors import CannotConnect, CredentialsRefused, DynodeskError
from dynodesk.domain.progress import Ticket
from dynodesk.domain.redaction import redaction
from dynodesk.domain.sign_in import DeviceLogin, SignInAsker

CLIENT_NAME = "dynodesk"
GRANT = "urn:ietf:params:oauth:grant-type:device_code"
SECONDS = 30
"""For one answer of the service."""
SLOWER = 5.0
"""Seconds that the service wants between two questions more than before, each time it says so (RFC 8628)."""

T = TypeVar("T")


class TokenCache(JSONFileCache):
    """The folder of tokens of the AWS CLI, for this user alone; a token is written whole or not at all."""

    def __init__(self) -> None:
        self._folder = Path("~/.aws/sso/cache").expanduser()
        super().__init__(str(self._folder), dumps_func=_dumped)

    def __getitem__(self, cache_key: str) -> Any:
        token = super().__getitem__(cache_key)
        if isinstance(token, dict):
            parts = (token.get(name) for name in ("accessToken", "refreshToken", "clientSecret"))
            redaction.remember(*(part for part in parts if isinstance(part, str)))
        return token

    def __setitem__(self, cache_key: str, value: Any) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        super().__setitem__(cache_key, value)


def _dumped(token: Any) -> str:
    return json.dumps(token, default=_written)


def _written(moment: object) -> str:
    if not isinstance(moment, datetime):
        raise TypeError(type(moment).__name__)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def has_token(source: SsoSource, tokens: TokenCache) -> bool:
    """Whether there is one that has not expired."""
    try:
        token = SSOTokenLoader(tokens)(source.start_url, source.session or None)
        ends = datetime.fromisoformat(token["expiresAt"].replace("UTC", "Z"))
    except Exception:  # noqa: BLE001  (another program's file: whatever is wrong with it, it holds no token)
        return False
    return ends > datetime.now(UTC)


def log_in(
    source: SsoSource,
    profile: str,
    new_client: Callable[..., Any],
    tokens: TokenCache,
    asker: SignInAsker,
    clock: Clock,
    ticket: Ticket,
) -> None:
    """Have the person sign in, and keep the token; also ends when another program has kept one.

    Raises `CredentialsRefused`, `CannotConnect`, `Cancelled`.
    """
    _check_address(source.start_url, "start address", source.profile)
    config = Config(signature_version=UNSIGNED)
    oidc: Any = new_client("sso-oidc", region_name=source.region, config=config)
    try:
        scopes = {"scopes": list(source.scopes)} if source.scopes else {}
        registered = _asked(lambda: oidc.register_client(clientName=CLIENT_NAME, clientType="public", **scopes), ticket)
        client = {"clientId": registered["clientId"], "clientSecret": registered["clientSecret"]}
        began = _asked(lambda: oidc.start_device_authorization(**client, startUrl=source.start_url), ticket)
        login = DeviceLogin(
            profile,
            source.start_url,
            _check_address(began["verificationUri"], "sign-in address", source.profile),
            _check_address(began["verificationUriComplete"], "sign-in address", source.profile),
            began["userCode"],
            float(began["expiresIn"]),
        )
        given = _awaited(oidc, client, began, login, source, tokens, asker, clock, ticket)
        if given is not None:
            _keep(source, tokens, registered, given)
    except oidc.exceptions.ExpiredTokenException:
        raise _ended("The code was not entered in time.") from None
    except oidc.exceptions.AccessDeniedException:
        raise _ended("The request was refused in the browser.") from None
    except DynodeskError:
        raise
    except OSError as problem:
        message = f"The token of the sign-in could not be kept: {problem.filename}: {problem.strerror}."
        raise CredentialsRefused(message, hint="Make the folder writable.") from None
    except Exception as error:
        raise translated(error, table=source.start_url, operation="sso-oidc") from error
    finally:
        oidc.close()


def _awaited(
    oidc: Any,
    client: dict[str, str],
    began: dict[str, Any],
    login: DeviceLogin,
    source: SsoSource,
    tokens: TokenCache,
    asker: SignInAsker,
    clock: Clock,
    ticket: Ticket,
) -> dict[str, Any] | None:
    """The token, once the person has entered the code; None once another program has kept one."""

    def ask() -> dict[str, Any]:
        given: dict[str, Any] = oidc.create_token(**client, grantType=GRANT, deviceCode=began["deviceCode"])
        return given

    had = has_token(source, tokens)  # one that the service refuses all the same
    end, wait = clock.now() + login.seconds, float(began.get("interval", 5))
    with asker.show_login(login, ticket):
        while True:
            clock.sleep(wait, ticket)
            if not had and has_token(source, tokens):
                return None
            if clock.now() >= end:
                raise _ended("The code was not entered in time.")
            try:
                return _asked(ask, ticket)
            except oidc.exceptions.AuthorizationPendingException:
                continue
            except oidc.exceptions.SlowDownException:
                wait += SLOWER


def _keep(source: SsoSource, tokens: TokenCache, registered: dict[str, Any], given: dict[str, Any]) -> None:
    token: dict[str, Any] = {
        "startUrl": source.start_url,
        "region": source.region,
        "accessToken": given["accessToken"],
        "expiresAt": datetime.now(UTC) + timedelta(seconds=given["expiresIn"]),
        "clientId": registered["clientId"],
        "clientSecret": registered["clientSecret"],
        "registrationExpiresAt": datetime.fromtimestamp(registered["clientSecretExpiresAt"], UTC),
    }
    if "refreshToken" in given:
        token["refreshToken"] = given["refreshToken"]
    redaction.remember(given["accessToken"], given.get("refreshToken"), registered["clientSecret"])
    loader: Any = SSOTokenLoader(tokens)  # its stubs take a token for a text
    loader.save_token(source.start_url, token, source.session or None)


def _asked(ask: Callable[[], T], ticket: Ticket) -> T:
    try:
        return in_time(ask, SECONDS, ticket)
    except OutOfTimeError:
        raise CannotConnect(f"The sign-in service of AWS did not answer within {SECONDS} seconds.") from None


def _check_address(url: str, what: str, profile: str) -> str:
    """Raises `CredentialsRefused` for an address that no browser should be sent to."""
    try:
        parts = urlsplit(url)
        is_safe = parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        is_safe = False
    if not is_safe or not url.isascii() or not url.isprintable() or any(c in url for c in ' "<>\\^`{|}'):
        raise CredentialsRefused(
            f"The {what} of the AWS profile {profile!r} does not begin with https://, so that it is not opened.",
            hint="Check sso_start_url in the AWS configuration file.",
        )
    return url


def _ended(why: str) -> CredentialsRefused:
    return CredentialsRefused(f"The sign-in did not end well. {why}", hint="Sign in again.")
