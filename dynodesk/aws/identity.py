"""Whose account a connection works in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dynodesk.aws.faults import translated
from dynodesk.aws.in_time import OutOfTimeError, in_time
from dynodesk.domain.errors import CannotConnect, DynodeskError, ServiceFailed
from dynodesk.domain.progress import Ticket

if TYPE_CHECKING:
    from dynodesk.aws.clients import Clients

SECONDS = 10


@dataclass(frozen=True, slots=True)
class Identity:
    account: str
    """Twelve digits."""
    arn: str
    """Of the user or the role's session."""


def identity_of(clients: Clients, ticket: Ticket) -> Identity | None:
    """Who the credentials are, asked of AWS. None for an endpoint of its own: nothing is sent, the account is unknown.

    Raises `CannotConnect`, `NotAllowed`, `ServiceFailed`.
    """
    if not clients.is_aws:
        return None

    def ask() -> Identity:
        sts: Any = clients.sign_in_service()
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
