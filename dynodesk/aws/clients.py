"""From a connection profile to clients: exactly the credentials that were picked, and no operation but those allowed.

botocore looks in many places for credentials, addresses and settings. Here it looks only where the profile says: no
environment variable changes what was picked. What the environment still decides is the way there: proxies
(HTTPS_PROXY, NO_PROXY), the CA bundle (AWS_CA_BUNDLE), and where the AWS configuration files are (AWS_CONFIG_FILE,
AWS_SHARED_CREDENTIALS_FILE). An endpoint that is set there is left aside, and said to be.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from botocore.client import BaseClient
from botocore.config import Config
from botocore.credentials import CredentialResolver, ReadOnlyCredentials
from botocore.loaders import create_loader
from botocore.session import Session

from dynodesk.aws.credentials import Source
from dynodesk.aws.faults import translated
from dynodesk.aws.named_tables import named_tables
from dynodesk.aws.sign_in import HeldProvider, SignIn
from dynodesk.aws.unused_endpoints import unused_endpoint
from dynodesk.aws.wire import check_replies, service_of
from dynodesk.domain.access import Access
from dynodesk.domain.clock import Clock, SystemClock
from dynodesk.domain.errors import DynodeskError, InvalidExpression, ReadOnly
from dynodesk.domain.expressions import as_sent, read_statement
from dynodesk.domain.expressions.partiql import Verb
from dynodesk.domain.profiles import Credentials, Profile, check_endpoint, check_profile, check_region
from dynodesk.domain.progress import Ticket
from dynodesk.domain.sign_in import SignInMeans
from dynodesk.domain.table_arns import refuse_arn
from dynodesk.domain.unused_endpoints import UnusedEndpoint

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

Limits = tuple[frozenset[str], frozenset[Verb]]
"""Operations, and the verbs of the statements among them."""
READING: Limits = (READ_OPERATIONS, READ_VERBS)
WRITING: Limits = (READ_OPERATIONS | WRITE_OPERATIONS, READ_VERBS | WRITE_VERBS)
STREAMING: Limits = (STREAM_OPERATIONS, frozenset())

CONNECT_SECONDS, READ_SECONDS = 5, 20

_KEPT_VARIABLES = {"ca_bundle", "config_file", "credentials_file"}


@dataclass(frozen=True, slots=True)
class Clients:
    """The two clients of a connection. Neither sends anything again by itself."""

    reads: BaseClient
    """Lets out reads only, whatever the connection allows."""
    writes: BaseClient
    """Lets out writes of items and tables too, for as long as `access` says so."""
    access: Access
    session: Session
    """Signs with what the sign-in holds."""
    sign_in: SignIn
    region: str
    endpoint_url: str
    """Where requests go, as shown to people."""
    is_aws: bool
    """The account can be asked for: no endpoint of its own was given."""
    unused_endpoint: UnusedEndpoint | None
    """What the environment or the AWS profile sets instead."""
    stream_service: Callable[[], BaseClient]
    """A client of DynamoDB Streams, a service with an address of its own at AWS; to be closed by the caller."""
    answered: threading.Event = field(default_factory=threading.Event)
    """Set by the first reply: from then on the endpoint is known to be there."""

    def sign_in_service(self, keys: ReadOnlyCredentials | None = None) -> BaseClient:
        """A client of AWS STS with the same credentials, or with others; to be closed by the caller."""
        if keys is None:
            return self.session.create_client("sts", region_name=self.region)
        return self.session.create_client(
            "sts",
            region_name=self.region,
            aws_access_key_id=keys.access_key,
            aws_secret_access_key=keys.secret_key,
            aws_session_token=keys.token,
        )

    def close(self) -> None:
        self.reads.close()
        self.writes.close()


def open_clients(
    profile: Profile,
    credentials: Credentials | None = None,
    *,
    sandbox_url: str = "",
    ticket: Ticket | None = None,
    means: SignInMeans | None = None,
    keep_typed: Callable[[Credentials], object] | None = None,
    clock: Clock | None = None,
) -> Clients:
    """Clients for a profile. `credentials` are the typed keys where the profile names a secret.

    Signs in: that may run a program, ask for a role and ask a person, so it belongs in the background. `keep_typed` is
    told of keys that a person has typed in place of expired ones. Raises `ProfileError`, `CredentialsRefused`,
    `CannotConnect`, and `Cancelled`.
    """
    profile = check_profile(profile)
    access = Access(profile)
    means = means or SignInMeans()
    address = sandbox_url if profile.kind == "sandbox" else profile.endpoint_url
    endpoint = check_endpoint(address) if address else None
    new_session = partial(_session, profile, means.services)
    try:
        source = Source(
            profile, credentials, new_session, _sign_in_client, means.cache, keep_typed, clock or SystemClock()
        )
        sign_in = SignIn(source.fetch, means.asker, ticket or Ticket())
        session = new_session()
        session.register_component("credential_provider", HeldProvider(sign_in))
        region = profile.region or check_region(_region_elsewhere(session, profile), endpoint)
        config = Config(proxies={} if endpoint and endpoint.is_loopback else None, max_pool_connections=20)

        def new_client(service: str, limits: Callable[[], Limits]) -> BaseClient:
            client = session.create_client(
                service, region_name=region, endpoint_url=endpoint.url if endpoint else None, config=config
            )
            _allow(client, limits, access)
            check_replies(client)
            return client

        reads = new_client("dynamodb", lambda: READING)
        writes = new_client("dynamodb", lambda: WRITING if access.may_write else READING)
    except DynodeskError:
        raise
    except Exception as error:
        raise translated(error) from error
    return Clients(
        reads,
        writes,
        access,
        session,
        sign_in,
        region,
        reads.meta.endpoint_url,
        is_aws=profile.kind == "aws",
        unused_endpoint=unused_endpoint(session, profile, reads.meta.endpoint_url),
        stream_service=lambda: new_client("dynamodbstreams", lambda: STREAMING),
    )


_MODELS = create_loader()
"""Of the services, read once: each fetch of credentials makes sessions of its own."""


class _Session(Session):
    """With addresses that stand in for services of AWS."""

    def __init__(self, services: Mapping[str, str], variables: dict[str, Any], profile: str | None) -> None:
        super().__init__(session_vars=variables, profile=profile)
        self.register_component("data_loader", _MODELS)
        self._services = services

    def create_client(self, service_name: str, *more: Any, **named: Any) -> Any:
        if named.get("endpoint_url") is None and service_name in self._services:
            named["endpoint_url"] = self._services[service_name]
        return super().create_client(service_name, *more, **named)


def _sign_in_client(session: Session, service: str, region_name: str | None, **more: Any) -> Any:
    """A client of what is signed in to, made as botocore's own providers ask for one. Sends nothing twice by itself."""
    return session.create_client(service, region_name=region_name, **more)


def _session(profile: Profile, services: Mapping[str, str]) -> Session:
    """A session that sees no environment variable, and the AWS configuration files only for an AWS profile.

    It has no credentials either.
    """
    variables: dict[str, Any] = {
        name: (setting, variable if name in _KEPT_VARIABLES else None, default, conversion)
        for name, (setting, variable, default, conversion) in Session.SESSION_VARIABLES.items()
    }
    if profile.credentials != "profile":
        variables |= dict.fromkeys(("config_file", "credentials_file"), (None, None, os.devnull, None))
    session = _Session(services, variables, profile.aws_profile or None)
    session.register_component("credential_provider", CredentialResolver([]))
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


def _allow(client: BaseClient, limits: Callable[[], Limits], access: Access) -> None:
    """Stop what is not within the limits of that moment, before its parameters are looked at and before it is sent."""

    def gate(event_name: str, params: object = None, request: object = None, **_: object) -> None:
        operation = event_name.rpartition(".")[2]
        operations, verbs = limits()
        access.touch()
        if operation in operations or (operation in _OF_STATEMENTS and _all_may(operation, params, request, verbs)):
            for table in named_tables(params) if isinstance(params, dict) else ():
                refuse_arn(table)
            return
        raise ReadOnly(
            f"{operation} was stopped before it was sent: this connection may not do it.",
            hint=access.refusal or "It changes items and tables, and nothing else of the account.",
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
