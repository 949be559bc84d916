"""Whose account a connection works in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dynodesk.aws.faults import translated
from dynodesk.aws.in_time import OutOfTimeError, in_time
from dynodesk.domain.errors import CannotConnect, CredentialsRefused, DynodeskError, ServiceFailed
from dynodesk.domain.progress import Ticket

if TYPE_CHECKING:
    from botocore.credentials import ReadOnlyCredentials

    from dynodesk.aws.clients import Clients

SECONDS = 10


@dataclass(frozen=True, slots=True)
class Identity:
    account: str
    """Twelve digits."""
    arn: str
    """Of the user or the role's session."""

    @property
    def principal(self) -> str:
        """Who that is, the same in every session of a role."""
        kind, _, rest = self.arn.partition(":assumed-role/")
        return f"{kind}:assumed-role/{rest.split('/')[0]}" if rest else self.arn


def identity_of(clients: Clients, ticket: Ticket) -> Identity | None:
    """Who the credentials are, asked of AWS. None for an endpoint of its own: nothing is sent, the account is unknown.

    From then on the connection takes no credentials of anybody else. Raises `CannotConnect`, `NotAllowed`,
    `ServiceFailed`.
    """
    if not clients.is_aws:
        return None
    identity = _asked(clients, None, ticket)

    def check(keys: ReadOnlyCredentials, ticket: Ticket) -> None:
        now = _asked(clients, keys, ticket)
        if now.principal != identity.principal:
            raise CredentialsRefused(
                f"The new credentials are those of {now.arn}. This connection was opened as {identity.arn}, "
                "and nothing is sent as anybody else.",
                hint="Sign in as before, or open another connection.",
            )

    clients.sign_in.check_with(check)
    return identity


def _asked(clients: Clients, keys: ReadOnlyCredentials | None, ticket: Ticket) -> Identity:
    def ask() -> Identity:
        sts: Any = clients.sign_in_service(keys)
        try:
            answer = sts.get_caller_identity()
        finally:
            sts.close()
        account, arn = answer.get("Account"), answer.get("Arn")
        if not isinstance(account, str) or not isinstance(arn, str):
            raise ServiceFailed("AWS did not say whose credentials these are.")
        return Identity(account, arn)

    try:
        return in_time(ask, SECONDS, ticket)
    except OutOfTimeError:
        raise CannotConnect(f"AWS did not say whose credentials these are within {SECONDS} seconds.") from None
    except DynodeskError:
        raise
    except Exception as error:
        raise translated(error, table="the account", operation="sts:GetCallerIdentity") from error
