"""Where a command works: the options that every command with a connection shares."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import click

from dynodesk.cli.asking import terminal_asker
from dynodesk.cli.diagnostics import say
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.profiles import CredentialSource, Profile, check_endpoint, new_profile_id
from dynodesk.domain.progress import Ticket
from dynodesk.wiring import Connections, Workspace


@dataclass(frozen=True, slots=True)
class Place:
    """The connection as given on the command line."""

    connection: str | None
    aws_profile: str | None
    environment: bool
    endpoint_url: str | None
    region: str | None

    @property
    def is_given(self) -> bool:
        return bool(self.connection or self.aws_profile or self.environment or self.endpoint_url)

    @contextlib.contextmanager
    def opened(self, ticket: Ticket, *, to_write: bool = False) -> Iterator[Workspace]:
        """Raises `InvalidRequest` where the options do not say where to connect, or say two places.

        With `to_write` a connection made of options may write; a saved one may what it was saved with.
        """
        workspace = self._open(ticket, to_write=to_write)
        if to_write and workspace.access.is_for_asking:
            workspace.access.allow()  # whoever asks for a write names the table with --yes
        try:
            if workspace.unused_endpoint is not None:
                say(f"{workspace.unused_endpoint.words} To work there, give --endpoint-url.")
            yield workspace
        finally:
            workspace.close()

    def _open(self, ticket: Ticket, *, to_write: bool) -> Workspace:
        connections = Connections()
        connections.ask_with(terminal_asker())
        if self.connection:
            if self.aws_profile or self.environment or self.endpoint_url or self.region:
                raise InvalidRequest(
                    "--connection names a saved connection, which has its own endpoint, Region and credentials",
                    hint="Give --connection alone.",
                )
            named = connections.named(self.connection)
            if connections.notice:
                say(connections.notice)
            return connections.open(named, ticket)
        if not self.is_given:
            raise InvalidRequest(
                "nothing says where to connect",
                hint="Give --connection NAME, --profile NAME, --env, or --endpoint-url URL.",
            )
        return connections.open_unsaved(self._profile(to_write=to_write), ticket)

    def _profile(self, *, to_write: bool) -> Profile:
        if self.aws_profile and self.environment:
            raise InvalidRequest("--profile and --env are two sources of credentials", hint="Give one of them.")
        source: CredentialSource = "environment" if self.environment else "profile" if self.aws_profile else "dummy"
        if source == "dummy" and self.endpoint_url and not check_endpoint(self.endpoint_url).is_loopback:
            raise InvalidRequest(
                f"{self.endpoint_url} is not on this computer and needs credentials",
                hint="Give --profile, --env or --connection; made-up ones are for endpoints on this computer.",
            )
        return Profile(
            id=new_profile_id(),
            name="command line",
            kind="endpoint" if self.endpoint_url else "aws",
            credentials=source,
            aws_profile=self.aws_profile or "",
            region=self.region or "",
            endpoint_url=self.endpoint_url or "",
            read_only=not to_write,
        )


def connection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options and hands them to the command as one `place`."""

    @click.option("--connection", metavar="NAME", help="A connection saved in the window.")
    @click.option("--profile", "aws_profile", metavar="NAME", help="A profile of the AWS config files.")
    @click.option("--env", "environment", is_flag=True, help="Credentials from the AWS_… environment variables.")
    @click.option("--endpoint-url", metavar="URL", help="An endpoint; on this computer it needs no credentials.")
    @click.option("--region", metavar="REGION", help="The AWS Region.")
    @functools.wraps(command)
    def with_place(
        *arguments: Any,
        connection: str | None,
        aws_profile: str | None,
        environment: bool,
        endpoint_url: str | None,
        region: str | None,
        **others: Any,
    ) -> Any:
        given = {"connection": connection, "profile": aws_profile, "endpoint-url": endpoint_url, "region": region}
        for option, value in given.items():
            if value is not None and not value.strip():  # as of a variable that is not set: it would lead elsewhere
                raise click.UsageError(f"--{option} is empty: give a value, or leave it out.")
        place = Place(connection, aws_profile, environment, endpoint_url, region)
        return command(*arguments, place=place, **others)

    return with_place
