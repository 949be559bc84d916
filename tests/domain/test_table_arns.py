"""An ARN stands for a table of the connection's own place, and for none of another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.progress import Ticket
from dynodesk.domain.table_arns import TableArn, described, is_arn, named, read_table_arn, refuse_arn
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo

ARN = "arn:aws:dynamodb:eu-west-1:111122223333:table/Social"
SOCIAL = TableInfo("Social", KeySchema((KeyAttribute("PK", "S"),)), arn=ARN)


@dataclass
class Catalog:
    """Of an account that has one table."""

    info: TableInfo = SOCIAL
    asked: list[str] = field(default_factory=list)

    def table_names(self, ticket: Ticket) -> tuple[str, ...]:
        return (self.info.name,)

    def describe(self, table: str, ticket: Ticket) -> TableInfo:
        self.asked.append(table)
        return self.info

    def time_to_live(self, table: str, ticket: Ticket) -> str | None:
        return None


@dataclass
class Connection:
    catalog: Catalog = field(default_factory=Catalog)
    region: str = "eu-west-1"
    identity: str = "arn:aws:sts::111122223333:assumed-role/Support/jane"


@pytest.mark.parametrize("typed", ["Social", ARN, f" {ARN}\n"])
@pytest.mark.parametrize("identity", [Connection.identity, ""])
def test_a_table_of_here_is_asked_for_by_its_name(typed: str, identity: str) -> None:
    connection = Connection(identity=identity)
    assert described(connection, typed, Ticket()) == SOCIAL
    assert connection.catalog.asked == ["Social"]


@pytest.mark.parametrize(
    ("arn", "place"),
    [
        ("arn:aws:dynamodb:eu-west-1:444455556666:table/Social", "account 444455556666, eu-west-1"),
        ("arn:aws:dynamodb:us-east-1:111122223333:table/Social", "account 111122223333, us-east-1"),
    ],
)
def test_a_table_of_elsewhere_is_refused_before_anything_is_asked(arn: str, place: str) -> None:
    connection = Connection()
    with pytest.raises(
        InvalidRequest, match=f"leads to Social in {place}; this connection works in account 111122223333, eu-west-1"
    ):
        described(connection, arn, Ticket())
    assert connection.catalog.asked == []


def test_where_the_account_is_not_known_the_service_says_whose_table_it_is() -> None:
    with pytest.raises(InvalidRequest, match="in account 444455556666"):
        described(Connection(identity=""), ARN.replace("111122223333", "444455556666"), Ticket())
    untold = Connection(Catalog(replace(SOCIAL, arn="")), identity="")
    assert described(untold, ARN, Ticket()).name == "Social"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("arn:aws:iam::111122223333:role/Admin", "not the ARN of a table"),
        ("arn:aws:dynamodb::111122223333:global-table/Social", "not the ARN of a table"),
        ("arn:aws:dynamodb:eu-west-1:111122223333:table/", "not the ARN of a table"),
        ("arn:", "not the ARN of a table"),
        (f"{ARN}/index/GSI1", "belongs to Social: its index"),
        (f"{ARN}/stream/2024-01-01T00:00:00.000", "belongs to Social: its stream"),
    ],
)
def test_the_arn_of_something_else_is_refused(text: str, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        read_table_arn(text)
    with pytest.raises(InvalidRequest, match=says):
        described(Connection(), text, Ticket())


def test_an_empty_name_is_not_sent() -> None:
    connection = Connection()
    with pytest.raises(InvalidRequest, match="name is empty"):
        described(connection, " ", Ticket())
    assert connection.catalog.asked == []


def test_names_are_no_arns() -> None:
    assert named(Connection(), "Stats", Ticket()) == "Stats"
    assert named(Connection(), ARN, Ticket()) == "Social"
    assert read_table_arn(ARN.replace("arn:aws:", "arn:aws-us-gov:")) == TableArn("eu-west-1", "111122223333", "Social")
    assert not is_arn("arn-table")
    refuse_arn("arn-table")
    with pytest.raises(InvalidRequest, match="by their names alone"):
        refuse_arn(ARN)
