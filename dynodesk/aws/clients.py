"""From a connection profile to clients: exactly the credentials that were picked, and no operation but those allowed.

botocore looks in many places for credentials, addresses and settings. Here it looks only where the profile says: no
environment variable changes what was picked. What the environment still decides is the way there: proxies
(HTTPS_PROXY, NO_PROXY), the CA bundle (AWS_CA_BUNDLE), and where the AWS configuration files are (AWS_CONFIG_FILE,
AWS_SHARED_CREDENTIALS_FILE).
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from botocore.client import BaseClient
from botocore.config import Config
from botocore.session import Session

from dynodesk.aws.credentials import renew_first, take_credentials
from dynodesk.aws.faults import translated
from dynodesk.aws.in_time import OutOfTimeError, in_time
from dynodesk.aws.wire import check_replies, service_of
from dynodesk.domain.errors import CredentialsRefused, DynodeskError, InvalidExpression, ReadOnly
from dynodesk.domain.expressions import as_sent, read_statement
from dynodesk.domain.expressions.partiql import Verb
from dynodesk.domain.profiles import Credentials, Profile, check_endpoint, check_profile, check_region
from dynodesk.domain.progress import Ticket

READ_OPERATIONS = frozenset(
    {
        "BatchGetItem",
        "DescribeContinuousBackups",
        "DescribeTable",
        "DescribeTimeToLive",
        "GetItem",
        "ListTables",
        "Query",
        "Scan",
        "TransactGetItems",
    }
)
"""All that a read-only connection lets out. What is not named here is stopped, also operations yet to be invented.

ExecuteStatement and ExecuteTransaction, which read or write as their statements say, are let out with those of
`READ_VERBS`, and none that changes anything.
"""
READ_VERBS: frozenset[Verb] = frozenset({"SELECT"})

STREAM_OPERATIONS = frozenset({"DescribeStream", "GetRecords", "GetShardIterator"})
"""Those of the streams, which is a service of its own and has nothing but reads."""

WRITE_OPERATIONS = frozenset(
    {
        "BatchWriteItem",
        "CreateTable",
        "DeleteItem",
        "DeleteTable",
        "PutItem",
        "TransactWriteItems",
        "UpdateItem",
        "UpdateTable",
    }
)
WRITE_VERBS: frozenset[Verb] = frozenset({"INSERT", "UPDATE", "DELETE", "EXISTS"})
"""Of PartiQL. EXISTS is the condition of a transaction that writes."""

CONNECT_SECONDS, READ_SECONDS = 5, 20
CREDENTIAL_SECONDS = 30
"""Time for an AWS profile's credential process, single sign-on or role to answer."""

_KEPT_VARIABLES = {"ca_bundle", "config_file", "credentials_file"}


@dataclass(frozen=True, slots=True)
class Clients:
    """The two clients of a connection. Neither sends anything again by itself."""

    reads: BaseClient
    """Lets out reads only, whatever the connection allows."""
    writes: BaseClient
    """Lets out writes of items and tables too, unless the connection is read-only."""
    session: Session
    """Holds the credentials."""
    region: str
    endpoint_url: str
    """Where requests go, as shown to people."""
    is_aws: bool
    """The account can be asked for: no endpoint of its own was given."""
    stream_service: Callable[[], BaseClient]
    """A client of DynamoDB Streams, a service with an address of its own at AWS; to be closed by the caller."""
    answered: threading.Event = field(default_factory=threading.Event)
    """Set by the first reply: from then on the endpoint is known to be there."""

    def sign_in_service(self) -> BaseClient:
        """A client of AWS STS with the same credentials, to be closed by the caller."""
        return self.session.create_client("sts", region_name=self.region)

    def close(self) -> None:
        self.reads.close()
        self.writes.close()


def open_clients(
    profile: Profile, credentials: Credentials | None = None, *, sandbox_url: str = "", ticket: Ticket | None = None
) -> Clients:
    """Clients for a profile. `credentials` are the typed keys where the profile names a secret.

    May run a credential process or ask for a role, so it belongs in the background. Raises `ProfileError`,
    `CredentialsRefused`, `CannotConnect`.
    """
    profile = check_profile(profile)
    address = sandbox_url if profile.kind == "sandbox" else profile.endpoint_url
    endpoint = check_endpoint(address) if address else None
    session = _session(profile)
    try:
        in_time(lambda: take_credentials(session, profile, credentials), CREDENTIAL_SECONDS, ticket or Ticket())
        region = profile.region or check_region(_region_elsewhere(session, profile))
        config = Config(proxies={} if endpoint and endpoint.is_loopback else None, max_pool_connections=20)

        def new_client(service: str, operations: frozenset[str], verbs: frozenset[Verb]) -> BaseClient:
            client = session.create_client(
                service, region_name=region, endpoint_url=endpoint.url if endpoint else None, config=config
            )
            _allow(client, operations, verbs)
            check_replies(client)
            renew_first(client, session)
            return client

        reads = new_client("dynamodb", READ_OPERATIONS, READ_VERBS)
        if profile.read_only:
            writes = new_client("dynamodb", READ_OPERATIONS, READ_VERBS)
        else:
            writes = new_client("dynamodb", READ_OPERATIONS | WRITE_OPERATIONS, READ_VERBS | WRITE_VERBS)
    except OutOfTimeError:
        message = (
            f"The credentials of the AWS profile {profile.aws_profile!r} did not arrive in {CREDENTIAL_SECONDS} s."
        )
        raise CredentialsRefused(message, hint="Does its credential process wait for something?") from None
    except DynodeskError:
        raise
    except Exception as error:
        raise translated(error) from error
    return Clients(
        reads,
        writes,
        session,
        region,
        reads.meta.endpoint_url,
        is_aws=profile.kind == "aws",
        stream_service=lambda: new_client("dynamodbstreams", STREAM_OPERATIONS, frozenset()),
    )


def _session(profile: Profile) -> Session:
    """A session that sees no environment variable, and the AWS configuration files only for an AWS profile."""
    variables: dict[str, tuple[object, object, object, object]] = {
        name: (setting, variable if name in _KEPT_VARIABLES else None, default, conversion)
        for name, (setting, variable, default, conversion) in Session.SESSION_VARIABLES.items()
    }
    if profile.credentials != "profile":
        variables |= dict.fromkeys(("config_file", "credentials_file"), (None, None, os.devnull, None))
    session = Session(session_vars=variables, profile=profile.aws_profile or None)
    session.set_default_client_config(
        Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"total_max_attempts": 1, "mode": "standard"},
            # What a table's name may be is for the service to say: emulators are not as strict.
            parameter_validation=False,
        )
    )
    session.set_config_variable("ignore_configured_endpoint_urls", True)
    return session


def _region_elsewhere(session: Session, profile: Profile) -> str:
    if profile.credentials == "environment":
        return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or ""
    return session.get_config_variable("region") or ""


def _allow(client: BaseClient, operations: frozenset[str], verbs: frozenset[Verb]) -> None:
    """Stop everything else, before its parameters are looked at and once more before it is sent."""

    def gate(event_name: str, params: object = None, request: object = None, **_: object) -> None:
        operation = event_name.rpartition(".")[2]
        if operation in operations or (operation in _OF_STATEMENTS and _all_may(operation, params, request, verbs)):
            return
        raise ReadOnly(
            f"{operation} was stopped before it was sent: this connection may not do it.",
            hint="It only reads, unless it is set to write; then it also changes items and tables.",
        )

    for event in ("provide-client-params", "before-send"):
        client.meta.events.register_first(f"{event}.{service_of(client)}", gate)


_OF_STATEMENTS = frozenset({"ExecuteStatement", "ExecuteTransaction"})


def _all_may(operation: str, params: object, request: object, verbs: frozenset[Verb]) -> bool:
    """Whether all statements that are to be sent, as parameters or as the request itself, have one of the verbs."""
    if request is not None:
        body = getattr(request, "body", None)
        params = json.loads(body) if isinstance(body, str | bytes) else None
    if not isinstance(params, dict):
        return False
    entries = [params] if operation == "ExecuteStatement" else params.get("TransactStatements")
    if not isinstance(entries, list | tuple) or not entries:
        return False
    return all(isinstance(entry, dict) and _may(entry.get("Statement"), verbs) for entry in entries)


def _may(text: object, verbs: frozenset[Verb]) -> bool:
    """Only in the form that the statement is read in here: what hides behind a comment is not let out."""
    if not isinstance(text, str):
        return False
    try:
        return read_statement(text).verb in verbs and as_sent(text) == text
    except InvalidExpression:
        return False
