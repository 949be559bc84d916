"""Everything that the network, the signer and the service can answer with, as our errors.

What cannot be told apart by type is told apart by text only where there is nothing else; the original error stays
attached as the cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from http.client import BadStatusLine
from typing import Any

from botocore import exceptions as boto
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError
from urllib3.exceptions import IncompleteRead, NameResolutionError, SSLError

from dynodesk.domain.errors import (
    Busy,
    CannotConnect,
    CredentialsRefused,
    DamagedReply,
    DynodeskError,
    InvalidRequest,
    IteratorExpired,
    NotAllowed,
    NotDynamoDB,
    RecordsTrimmed,
    ServiceFailed,
    TableMissing,
    Throttled,
)
from dynodesk.domain.policies import missing_statement, table_arn

WRONG_CLOCK = timedelta(minutes=5)
"""Requests signed further from the service's time than this are refused (AWS General Reference, "Signing")."""


class Retry(Enum):
    """Whether sending the same read again can help, and how patiently."""

    NEVER = auto()
    DAMAGED = auto()
    FAILED = auto()
    UNREACHABLE = auto()
    THROTTLED = auto()
    EXPIRED = auto()
    """With newer credentials."""


class Fault(Exception):
    """An error of ours on its way out of the network code, with what is known about the request that met it."""

    def __init__(self, error: DynodeskError, retry: Retry = Retry.NEVER, *, not_written: bool = False) -> None:
        super().__init__(error.message)
        self.error = error
        self.retry = retry
        self.not_written = not_written
        """Certain that the service did not act on the request."""


def translated(error: Exception, *, table: str = "", operation: str = "") -> DynodeskError:
    """The error as ours. Raises it unchanged where it is none of the network's: that one is a fault of our own."""
    return fault_of(error, table=table, operation=operation).error


def fault_of(error: Exception, *, table: str = "", operation: str = "") -> Fault:
    """As `translated`, with how to go on from it."""
    match error:
        case Fault():
            return error
        case DynodeskError():
            return Fault(error, not_written=not isinstance(error, DamagedReply))
        case ClientError():
            return _from_reply(error, table or "the table", operation)
        case boto.HTTPClientError() | boto.ConnectionError():
            return _from_network(error)
        case ResponseParserError():  # of a sign-in service: replies of DynamoDB are looked at before botocore does
            hint = "A captive portal or a company's proxy may have answered in its place."
            return Fault(ServiceFailed("The reply of AWS makes no sense.", hint=hint, details=type(error).__name__))
        case BotoCoreError():
            return Fault(_from_signer(error), not_written=True)
        case _:
            raise error


# ------------------------------------------------------------------------------------------------------ the network


def _from_network(error: BotoCoreError) -> Fault:
    said: Mapping[str, Any] = error.kwargs
    where, reason = str(said.get("endpoint_url", "the endpoint")).rstrip("/"), said.get("error")
    details = f"{type(error).__name__}: {reason or error}"
    match error:
        case boto.SSLError():
            if _is_certificate(reason):
                hint = "Check the address and this computer's clock; behind a company's proxy, name its CA bundle."
                return Fault(
                    CannotConnect(f"The certificate of {where} is not trusted.", hint=hint, details=details),
                    not_written=True,
                )
            return Fault(
                CannotConnect(
                    f"The encrypted connection to {where} failed.", hint="Is it https at all?", details=details
                ),
                Retry.UNREACHABLE,
            )
        case boto.ProxyConnectionError():
            message = "The proxy refused the connection or asks for a password."
            hint = "The proxy comes from the environment (HTTPS_PROXY, NO_PROXY)."
            return Fault(CannotConnect(message, hint=hint, details="ProxyConnectionError"), not_written=True)
        case boto.EndpointConnectionError():
            error_of_ours = _unreached(where, reason, details)
            return Fault(error_of_ours, Retry.UNREACHABLE, not_written=True)
        case boto.ConnectTimeoutError():
            message = f"{where} did not answer the attempt to connect."
            hint = "Check the network, the address and the port; a firewall may drop the connection."
            return Fault(CannotConnect(message, hint=hint, details=details), Retry.UNREACHABLE, not_written=True)
        case boto.ReadTimeoutError():
            message = f"{where} took the request and then went silent."
            return Fault(CannotConnect(message, hint="Try again.", details=details), Retry.UNREACHABLE)
        case boto.ConnectionClosedError() | boto.ResponseStreamingError() if _broke_in_the_body(reason):
            return Fault(cut_short(details), Retry.DAMAGED)
        case _ if any(type(cause) is BadStatusLine for cause in _causes(reason)):
            return not_dynamodb(f"What answers at {where} does not speak HTTP.", type(error).__name__)
        case _ if type(error) is boto.HTTPClientError:
            message = f"The exchange with {where} failed."
            return Fault(CannotConnect(message, hint="The details say why.", details=details), Retry.FAILED)
        case _:
            message = f"{where} closed the connection without an answer."
            hint = "Try again; if it stays, a company's proxy or a firewall may not let this address through."
            return Fault(CannotConnect(message, hint=hint, details=details), Retry.UNREACHABLE)


def cut_short(details: str) -> DamagedReply:
    return DamagedReply(
        "The reply was cut short: nothing in it was used.",
        hint="Try again; if it stays, look for a proxy or an unstable network in between.",
        details=details,
    )


def _unreached(where: str, reason: object, details: str) -> CannotConnect:
    if isinstance(reason, NameResolutionError):
        message, hint = f"The name in {where} is not known.", "Check the address, the Region and the network."
    elif any(isinstance(cause, ConnectionRefusedError) for cause in _causes(reason)):
        message, hint = f"Nothing listens at {where}: the connection was refused.", "Is it running? Check the port."
    else:
        message, hint = f"{where} cannot be reached.", "Check the network, the address and the port."
    return CannotConnect(message, hint=hint, details=details)


def _causes(error: object) -> Iterator[BaseException]:
    while isinstance(error, BaseException):
        yield error
        error = error.__cause__ or error.__context__


def _is_certificate(reason: object) -> bool:
    return isinstance(reason, SSLError) and ("CERTIFICATE" in str(reason).upper() or "hostname" in str(reason))


def _broke_in_the_body(reason: object) -> bool:
    return isinstance(reason, IncompleteRead) or "Connection broken" in str(reason)


# ------------------------------------------------------------------------------------------- credentials and set-up


def _from_signer(error: BotoCoreError) -> DynodeskError:
    details = type(error).__name__
    match error:
        case boto.ProfileNotFound():
            return CredentialsRefused(
                f"There is no AWS profile {error.kwargs.get('profile', '')!r} in the AWS configuration files.",
                hint="`aws configure list-profiles` shows the ones there are.",
                details=details,
            )
        case boto.NoCredentialsError():
            return CredentialsRefused(
                "There are no credentials.", hint="Choose an AWS profile or enter keys.", details=details
            )
        case boto.PartialCredentialsError():
            return CredentialsRefused(
                f"The credentials are incomplete: {error.kwargs.get('cred_var', 'a part')} is missing.",
                hint="Complete them.",
                details=details,
            )
        case boto.LoginError() | boto.SSOError() | boto.TokenRetrievalError():
            return CredentialsRefused(
                "The sign-in of this AWS profile has ended or was never started.",
                hint="Run `aws sso login` (or `aws login`) for it, then connect again.",
                details=details,
            )
        case boto.CredentialRetrievalError() | boto.RefreshWithMFAUnsupportedError():
            provider = error.kwargs.get("provider", "the AWS profile")
            # What a credential process wrote may hold a secret: only its kind is kept.
            return CredentialsRefused(
                f"The credentials could not be fetched ({provider}).",
                hint="`aws sts get-caller-identity` with the same AWS profile shows why.",
                details=details,
            )
        case boto.InfiniteLoopConfigError() | boto.InvalidConfigError() | boto.ConfigParseError():
            return CredentialsRefused(
                f"The AWS configuration cannot be used: {error}",
                hint="Correct the AWS configuration files.",
                details=details,
            )
        case boto.InvalidRegionError() | boto.NoRegionError():
            return InvalidRequest("The Region is not one.", hint="Give its code, such as eu-west-1.")
        case _:
            return ServiceFailed(
                f"The request could not be made: {error}", hint="Check the connection.", details=details
            )


# -------------------------------------------------------------------------------------------------- replies of error

_THROTTLES = {
    "ProvisionedThroughputExceededException",
    "ProvisionedThroughputExceeded",
    "ThrottlingException",
    "ThrottledException",
    "ThrottlingError",
    "RequestLimitExceeded",
    "RequestThrottledException",
    "TooManyRequestsException",
    "LimitExceededException",
    "SlowDown",
    "429",
}
_CLOCK = {"InvalidSignatureException", "SignatureDoesNotMatch", "RequestExpired", "RequestTimeTooSkewed"}
_UNKNOWN_KEYS = {
    "UnrecognizedClientException",
    "InvalidClientTokenId",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
    "IncompleteSignature",
    "IncompleteSignatureException",
    "InvalidSignatureException",
    "SignatureDoesNotMatch",
    "NotAuthorized",
    "OptInRequired",
}
_EXPIRED = {"ExpiredToken", "ExpiredTokenException", "RequestExpired"}
EXPIRED = "The credentials have expired."
_DENIED = {"AccessDeniedException", "AccessDenied", "UnauthorizedOperation"}
_PERMISSIONS = {"TransactGetItems": "GetItem"}
"""Operations whose permission has another name (Developer Guide, "DynamoDB API permissions")."""
_MISSING = {"ResourceNotFoundException", "TableNotFoundException", "IndexNotFoundException"}
_LOOK_UP = "The details name the error: look it up in the API reference."
_CONFLICTS = {"TransactionConflictException", "TransactionInProgressException", "ReplicatedWriteConflictException"}


def _from_reply(error: ClientError, table: str, operation: str) -> Fault:
    reply: Mapping[str, Any] = error.response
    about = reply.get("Error", {})
    code, said = str(about.get("Code", "")), str(about.get("Message", ""))
    metadata = reply.get("ResponseMetadata", {})
    status = int(metadata.get("HTTPStatusCode", 0))
    request = metadata.get("RequestId", "")
    details = f"{operation or error.operation_name}: {code} (HTTP {status})" + (
        f", request {request}" if request else ""
    )
    if code in _THROTTLES:
        return Fault(throttled(table, details + _throttling_reasons(reply)), Retry.THROTTLED, not_written=True)
    if code == "TransactionCanceledException":
        return _from_cancelled(reply, table, operation, details)
    if code in _CONFLICTS:
        return Fault(
            Busy(f"A write to {table} is in progress.", hint="Try again.", details=details),
            not_written=code != "TransactionInProgressException",
        )
    if status >= 500:
        message = f"The service failed: {said or code}"
        hint = "Try again; if it stays, ask AWS support with the request id."
        return Fault(ServiceFailed(message, hint=hint, details=details), Retry.FAILED)
    refused = _refused(code, said, table, operation, details, metadata)
    retry = Retry.EXPIRED if code in _EXPIRED and refused.message == EXPIRED else Retry.NEVER
    return Fault(refused, retry, not_written=400 <= status < 500)


def throttled(table: str, details: str = "") -> Throttled:
    return Throttled(
        f"{table} was throttled: it is over its capacity, or one partition of it is.",
        hint="Wait, lower the rate, or raise the table's capacity.",
        details=details,
    )


def _throttling_reasons(reply: Mapping[str, Any]) -> str:
    reasons = reply.get("ThrottlingReasons", reply.get("throttlingReasons"))
    if not isinstance(reasons, list):
        return ""
    shown = [
        f"{reason.get('reason', '')} {reason.get('resource', '')}".strip()
        for reason in reasons
        if isinstance(reason, dict)
    ]
    return "; " + "; ".join(shown) if shown else ""


def _refused(
    code: str, said: str, table: str, operation: str, details: str, metadata: Mapping[str, Any]
) -> DynodeskError:
    if code in _CLOCK and (clocks := _clocks(metadata)):
        return CredentialsRefused(
            f"This computer's clock is wrong: {clocks}.", hint="Set the clock, then try again.", details=details
        )
    if code in _EXPIRED:
        return CredentialsRefused(EXPIRED, hint="Sign in again.", details=details)
    if code in _UNKNOWN_KEYS:
        return CredentialsRefused(
            "The service does not accept these keys.",
            hint="Check that they are complete, active, and meant for this Region and endpoint.",
            details=details,
        )
    if code in _DENIED:
        found = re.search(r"perform: ([A-Za-z0-9]+:[A-Za-z0-9]+)", said)
        action = found[1] if found else f"dynamodb:{_PERMISSIONS.get(operation, operation)}"
        on = re.search(r"on resource: (arn:[^\s\"']+)", said)
        resource = on[1] if on else table_arn(table) if re.fullmatch(r"[A-Za-z0-9_.-]{3,}", table) else "*"
        return NotAllowed(
            f"These credentials may not do {action} on {table}.",
            hint=f"Ask for the permission {action}. The details have the statement that allows it.",
            details=f"{details}: {said}\nStatement to add to a policy: {missing_statement(action, resource)}",
        )
    if code in _MISSING or (code == "ValidationException" and "does not have the specified index" in said):
        return TableMissing(
            f"{table} or its index does not exist.",
            hint="Check the name, the Region and the account.",
            details=f"{details}: {said}",
        )
    if code == "ExpiredIteratorException":
        return IteratorExpired(f"The place in the stream of {table} has expired.", hint="Read on.", details=details)
    if code == "TrimmedDataAccessException":
        message = f"The stream of {table} no longer has the records that were asked for."
        return RecordsTrimmed(message, hint="It keeps them for 24 hours.", details=details)
    if code == "ValidationException":
        return InvalidRequest(f"The service does not accept the request: {said}", hint="Change what is asked for.")
    if code == "IdempotentParameterMismatchException":
        message = "The token of this request was used within the last ten minutes, for another request than this one."
        hint = "Nothing of this one was done. Look at what the other one did; then compose it anew, with a new token."
        return InvalidRequest(message, hint=hint, details=details)
    if code in {"UnknownOperationException", "UnknownOperation", "InvalidAction"}:
        lacks = "transactional reads" if operation == "TransactGetItems" else operation
        return ServiceFailed(f"This endpoint has no {lacks}.", hint="Use another endpoint.", details=details)
    return ServiceFailed(f"The service refused the request: {said or code}", hint=_LOOK_UP, details=details)


def _clocks(metadata: Mapping[str, Any]) -> str:
    """Both clocks in words where they are too far apart to sign a request; "" where they are not, or are not known."""
    try:
        theirs = parsedate_to_datetime(metadata.get("HTTPHeaders", {})["date"])
    except (KeyError, ValueError):
        return ""
    ours = datetime.now(UTC)
    if theirs.tzinfo is None or abs(ours - theirs) < WRONG_CLOCK:
        return ""
    return f"it says {ours:%Y-%m-%d %H:%M} UTC, the service {theirs.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _from_cancelled(reply: Mapping[str, Any], table: str, operation: str, details: str) -> Fault:
    reasons = reply.get("CancellationReasons")
    codes = [str(reason.get("Code", "")) for reason in reasons or () if isinstance(reason, dict)]
    shown = ", ".join(codes) or "no reasons given"
    details = f"{details}: {shown}"
    # What will not pass comes first: no patience with the rest would help.
    if "AccessDenied" in codes:
        message = f"These credentials may not do {operation} on one of the items."
        return Fault(NotAllowed(message, hint="Ask for the permission.", details=details), not_written=True)
    if {*codes} <= {"None", "TransactionConflict", *_THROTTLES}:
        if "TransactionConflict" in codes:
            message = "A write transaction holds one of the items."
            return Fault(Busy(message, hint="Try again.", details=details), not_written=True)
        if any(code in _THROTTLES for code in codes):
            return Fault(throttled(table, details), Retry.THROTTLED, not_written=True)
    if operation == "TransactWriteItems" and "ValidationError" in codes:
        said = [str(reason.get("Message", "")) for reason in reasons or () if isinstance(reason, dict)]
        why = said[codes.index("ValidationError")]
        message = f"The service does not accept the request: {why or shown}"
        return Fault(InvalidRequest(message, hint="Change what is asked for.", details=details), not_written=True)
    message = f"The transaction was cancelled: {shown}."
    return Fault(ServiceFailed(message, hint=_LOOK_UP, details=details), not_written=True)


# ------------------------------------------------------------------------------------------------- no DynamoDB at all


def not_dynamodb(message: str, details: str) -> Fault:
    hint = "Check the endpoint; a captive portal or a company's proxy may answer in its place."
    return Fault(NotDynamoDB(message, hint=hint, details=details))
