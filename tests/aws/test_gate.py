"""What a connection lets out: every operation there is, called with the least that makes it valid, counted where it
would arrive."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from botocore import xform_name
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from botocore.validate import validate_parameters

from dynodesk.aws.clients import READ_OPERATIONS, STREAM_OPERATIONS, WRITE_OPERATIONS, Clients, open_clients
from dynodesk.aws.faults import Fault
from dynodesk.domain.errors import InvalidRequest, ReadOnly
from tests.aws.tables import profile
from tests.faults.proxy import Answer, FaultProxy

OF_STATEMENTS: dict[str, Callable[[list[dict[str, str]]], dict[str, Any]]] = {
    "ExecuteStatement": lambda statements: statements[0],
    "BatchExecuteStatement": lambda statements: {"Statements": statements},
    "ExecuteTransaction": lambda statements: {"TransactStatements": statements},
}
STATEMENTS = {
    "SELECT": 'SELECT * FROM "T" WHERE "PK" = \'a\'',
    "INSERT": "INSERT INTO \"T\" VALUE {'PK': 'a'}",
    "UPDATE": 'UPDATE "T" SET "n" = 1 WHERE "PK" = \'a\'',
    "DELETE": 'DELETE FROM "T" WHERE "PK" = \'a\'',
    "EXISTS": 'EXISTS(SELECT * FROM "T" WHERE "PK" = \'a\' AND "n" = 1)',
}


@pytest.fixture
def writing(proxy: FaultProxy) -> Iterator[Clients]:
    opened = open_clients(profile(proxy.url, read_only=False))
    yield opened
    opened.close()


@pytest.fixture
def counted(proxy: FaultProxy) -> FaultProxy:
    """Counts, and passes nothing on: whatever gets out, no table is there to lose."""
    for operation in ("ListTables", *READ_OPERATIONS, *WRITE_OPERATIONS, *OF_STATEMENTS, *STREAM_OPERATIONS):
        proxy.always(operation, Answer(400, b'{"__type": "ValidationException", "message": "counted"}'))
    return proxy


def least(shape: Any, above: tuple[str, ...] = ()) -> Any:
    """The least that is valid for a shape of the service's own model."""
    match shape.type_name:
        case "structure":
            if shape.name in above:
                return {}
            members = shape.required_members
            if shape.metadata.get("union"):  # AttributeValue
                members = [next(iter(shape.members))]
            return {name: least(shape.members[name], (*above, shape.name)) for name in members}
        case "list":
            return [least(shape.member, above) for _ in range(max(1, shape.metadata.get("min", 0)))]
        case "map":
            return {least(shape.key, above): least(shape.value, above)}
        case "string":
            return shape.enum[0] if shape.enum else "x" * max(3, shape.metadata.get("min", 0))
        case "blob":
            return b"x"
        case "boolean":
            return False
        case "timestamp":
            return 0
        case _:
            return max(1, shape.metadata.get("min", 0))


def parameters_of(client: BaseClient) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every operation, with parameters."""
    for operation in client.meta.service_model.operation_names:
        shape = client.meta.service_model.operation_model(operation).input_shape
        parameters = {} if shape is None else least(shape)
        if shape is not None:
            validate_parameters(parameters, shape)  # raises for what is no valid call
        yield operation, parameters


def let_out(client: BaseClient, proxy: FaultProxy) -> set[str]:
    """The operations that arrive when each one is called. Those of statements are looked at by their verbs."""
    arrived: set[str] = set()
    for operation, parameters in parameters_of(client):
        if operation in OF_STATEMENTS:
            continue
        before = proxy.counts.total()
        called(client, operation, parameters)
        if proxy.counts.total() > before:
            arrived.add(operation)
    return arrived


def called(client: BaseClient, operation: str, parameters: dict[str, Any]) -> None:
    with contextlib.suppress(ReadOnly, ClientError, Fault):
        getattr(client, xform_name(operation))(**parameters)


def statements_let_out(client: BaseClient, proxy: FaultProxy) -> set[tuple[str, str]]:
    """(operation, verb) of what arrives: of single statements, and of those that travel with a SELECT."""
    arrived = set()
    for operation, arranged in OF_STATEMENTS.items():
        for verb, text in STATEMENTS.items():
            companies = [[{"Statement": text}]]
            if operation != "ExecuteStatement":
                companies += [[{"Statement": STATEMENTS["SELECT"]}, {"Statement": text}]]
            for statements in companies:
                before = proxy.counts.total()
                called(client, operation, arranged(statements))
                if proxy.counts.total() > before:
                    arrived.add((operation, verb))
    return arrived


SELECTS = {("ExecuteStatement", "SELECT"), ("ExecuteTransaction", "SELECT")}


def test_of_all_operations_a_read_only_connection_lets_out_exactly_the_reads(
    clients: Clients, counted: FaultProxy
) -> None:
    assert len(clients.reads.meta.service_model.operation_names) >= 57
    for client in (clients.reads, clients.writes):
        assert let_out(client, counted) == READ_OPERATIONS
        assert statements_let_out(client, counted) == SELECTS
    assert set(counted.counts) == READ_OPERATIONS | {"ExecuteStatement", "ExecuteTransaction"}


def test_one_that_writes_lets_out_writes_and_its_reader_none(writing: Clients, counted: FaultProxy) -> None:
    assert let_out(writing.reads, counted) == READ_OPERATIONS
    assert statements_let_out(writing.reads, counted) == SELECTS
    assert let_out(writing.writes, counted) == READ_OPERATIONS | WRITE_OPERATIONS
    assert statements_let_out(writing.writes, counted) == {
        (operation, verb) for operation in ("ExecuteStatement", "ExecuteTransaction") for verb in STATEMENTS
    }


def test_one_that_is_set_to_write_lets_writes_out_only_while_that_is_allowed(counted: FaultProxy) -> None:
    opened = open_clients(replace(profile(counted.url, read_only=False), stage="production"))
    for act, expected in (
        (opened.access.touch, READ_OPERATIONS),
        (opened.access.allow, READ_OPERATIONS | WRITE_OPERATIONS),
        (opened.access.withdraw, READ_OPERATIONS),
    ):
        act()
        assert let_out(opened.writes, counted) == expected
    opened.close()


def test_the_streams_are_read_and_no_more(clients: Clients, counted: FaultProxy) -> None:
    streams = clients.stream_service()
    assert let_out(streams, counted) == STREAM_OPERATIONS
    streams.close()


ELSEWHERE = "arn:aws:dynamodb:eu-west-1:444455556666:table/T"
OF_ELSEWHERE = STATEMENTS["SELECT"].replace('"T"', f'"{ELSEWHERE}"')
KEY = {"PK": {"S": "a"}}


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        ("GetItem", {"TableName": ELSEWHERE, "Key": KEY}),
        ("DescribeTable", {"TableName": ELSEWHERE}),
        ("DeleteTable", {"TableName": ELSEWHERE}),
        ("BatchGetItem", {"RequestItems": {"T": {"Keys": [KEY]}, ELSEWHERE: {"Keys": [KEY]}}}),
        ("BatchWriteItem", {"RequestItems": {ELSEWHERE: [{"PutRequest": {"Item": KEY}}]}}),
        ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": ELSEWHERE, "Item": KEY}}]}),
        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": ELSEWHERE, "Key": KEY}}]}),
        ("ExecuteStatement", {"Statement": OF_ELSEWHERE}),
        ("ExecuteTransaction", {"TransactStatements": [{"Statement": OF_ELSEWHERE}]}),
    ],
)
def test_no_request_names_a_table_by_its_arn(
    writing: Clients, counted: FaultProxy, operation: str, parameters: dict[str, Any]
) -> None:
    """A reply has the plain name, by which the next request would reach another table."""
    with pytest.raises(InvalidRequest, match="by their names alone"):
        getattr(writing.writes, xform_name(operation))(**parameters)
    assert counted.counts.total() == 0


def test_no_way_around_the_gate(clients: Clients, proxy: FaultProxy) -> None:
    client: Any = clients.writes
    with pytest.raises(ReadOnly):
        client._make_api_call("DeleteTable", {"TableName": "T"})
    with pytest.raises(ReadOnly):
        client.generate_presigned_url("delete_table", {"TableName": "T"})
    with pytest.raises(ReadOnly):  # what has come past the first gate by some other way
        client.meta.events.emit("before-send.dynamodb.PutItem", request=None)
    assert proxy.counts.total() == 0
