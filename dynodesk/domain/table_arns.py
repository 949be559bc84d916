"""Tables named by their ARNs: the name where it is a table of the connection's own place, and a refusal elsewhere.

DynamoDB takes an ARN in place of a table's name, also one of another account. What it answers then has the plain name,
by which the next request would reach the table of that name in the connection's own account: of these two nobody could
tell which one was read, or written. So requests name tables by their names alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.past_runs import account_of
from dynodesk.domain.ports import TableCatalog
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import TableInfo

_ARN = re.compile(
    r"arn:[^:]+:dynamodb:([^:]+):([^:]+):table/([^:/]+)(?:/(index|stream|backup|export|import)/.+)?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class TableArn:
    region: str
    account: str
    table: str

    @property
    def place(self) -> str:
        return f"account {self.account}, {self.region}"


def is_arn(text: str) -> bool:
    """No table's name has a colon."""
    return text.strip().casefold().startswith("arn:")


def read_table_arn(text: str) -> TableArn:
    """Raises `InvalidRequest` where it is the ARN of something else."""
    found = _ARN.fullmatch(text.strip())
    if found is None:
        raise InvalidRequest(f"{text.strip()} is not the ARN of a table", hint="Give the table's name.")
    region, account, table, part = found.groups()
    if part:
        raise InvalidRequest(
            f"{text.strip()} is the ARN of something that belongs to {table}: its {part}",
            hint=f"Give the table's name, {table}.",
        )
    return TableArn(region, account, table)


class Connection(Protocol):
    """An open one, as far as it says where it leads."""

    @property
    def catalog(self) -> TableCatalog: ...
    @property
    def region(self) -> str: ...
    @property
    def identity(self) -> str:
        """The empty text where the account is not known."""


def described(connection: Connection, table: str, ticket: Ticket) -> TableInfo:
    """The table of a name, or of an ARN that leads to where the connection does; its `name` is what requests take.

    Where the account is not known, the service's own word on the table's ARN decides. Raises `InvalidRequest` for ARNs
    of other places, and what the catalog does.
    """
    if not table.strip():
        raise InvalidRequest("the table's name is empty", hint="Give the name of a table.")
    if not is_arn(table):
        return connection.catalog.describe(table, ticket)
    arn = read_table_arn(table)
    account, region = account_of(connection.identity), connection.region
    if account and (arn.account, arn.region) != (account, region):
        raise _elsewhere(arn, f"account {account}, {region}")
    info = connection.catalog.describe(arn.table, ticket)
    # An emulator may tell no ARN: it has no accounts either.
    if info.arn and info.arn != table.strip():
        there = read_table_arn(info.arn)
        raise _elsewhere(arn, there.place)
    return info


def named(connection: Connection, table: str, ticket: Ticket) -> str:
    """The name alone, as `described` has it: what is a name already is not asked for."""
    if table.strip() and not is_arn(table):
        return table
    return described(connection, table, ticket).name


def _elsewhere(arn: TableArn, here: str) -> InvalidRequest:
    return InvalidRequest(
        f"the ARN leads to {arn.table} in {arn.place}; this connection works in {here}",
        hint=f"Use a connection that signs in to {arn.place}. The name alone would be that of a table here.",
    )


def refuse_arn(table: str) -> None:
    """For what is about to be sent. Raises `InvalidRequest`."""
    if is_arn(table):
        name = read_table_arn(table).table
        raise InvalidRequest(
            "a request names its tables by their names alone, each in the account and Region of the connection; "
            f"nothing was sent to {table.strip()}",
            hint=f"Write {name} if it is a table of this connection.",
        )
