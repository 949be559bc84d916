from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dynodesk.aws.catalog import DynamoCatalog
from dynodesk.domain.errors import DamagedReply, DynodeskError, NotAllowed, NotDynamoDB, TableMissing
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.tables import KeyAttribute, KeySchema, Projection
from tests.aws.tables import likes, make_table, plain_client, unique
from tests.faults.proxy import Answer, Cut, FaultProxy, Rewrite, error


@pytest.fixture(scope="module")
def table(ministack: str) -> str:
    return make_table(plain_client(ministack), likes(2), index={"GSI1PK": "N", "GSI1SK": "B"})


def test_all_of_more_tables_than_fit_one_page(catalog: DynamoCatalog, proxy: FaultProxy, ministack: str) -> None:
    client = plain_client(ministack)
    stem = unique("many")
    made = [make_table(client, keys={"PK": "S"}, name=f"{stem}-{n:03}") for n in range(105)]
    names = catalog.table_names(Ticket())
    assert [name for name in names if name.startswith(stem)] == made
    assert len(names) == len(set(names))
    assert proxy.counts["ListTables"] >= 2


def test_listing_can_be_cancelled_between_pages(catalog: DynamoCatalog, proxy: FaultProxy) -> None:
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        catalog.table_names(ticket)
    assert proxy.counts["ListTables"] == 0


def test_a_list_that_would_never_end(catalog: DynamoCatalog, proxy: FaultProxy) -> None:
    proxy.always("ListTables", Answer(200, b'{"TableNames": ["a"], "LastEvaluatedTableName": "a"}'))
    with pytest.raises(DamagedReply):
        catalog.table_names(Ticket())
    assert proxy.counts["ListTables"] == 2


def test_a_list_whose_cursor_goes_round(catalog: DynamoCatalog, proxy: FaultProxy) -> None:
    for nth, last in enumerate(("a", "b", "a"), start=1):
        page = f'{{"TableNames": ["{last}"], "LastEvaluatedTableName": "{last}"}}'
        proxy.on("ListTables", Answer(200, page.encode()), nth=nth)
    with pytest.raises(DamagedReply):
        catalog.table_names(Ticket())
    assert proxy.counts["ListTables"] == 3


def test_a_list_that_changes_while_it_is_read_names_each_table_once(catalog: DynamoCatalog, proxy: FaultProxy) -> None:
    proxy.on("ListTables", Answer(200, b'{"TableNames": ["a", "b"], "LastEvaluatedTableName": "b"}'), nth=1)
    proxy.on("ListTables", Answer(200, b'{"TableNames": ["a", "b"], "LastEvaluatedTableName": "c"}'), nth=2)
    proxy.on("ListTables", Answer(200, b'{"TableNames": []}'), nth=3)
    assert catalog.table_names(Ticket()) == ("a", "b")


@pytest.mark.parametrize("reply", [b"{}", b'{"ok": true}', b'{"TableNames": null}'])
def test_another_service_that_speaks_json(catalog: DynamoCatalog, proxy: FaultProxy, reply: bytes) -> None:
    proxy.always("ListTables", Answer(200, reply))
    with pytest.raises(NotDynamoDB):
        catalog.table_names(Ticket())


@pytest.mark.parametrize("reply", [b'{"TableNames": [7]}', b'{"TableNames": [], "LastEvaluatedTableName": 7}'])
def test_names_that_are_none(catalog: DynamoCatalog, proxy: FaultProxy, reply: bytes) -> None:
    proxy.always("ListTables", Answer(200, reply))
    with pytest.raises(DamagedReply):
        catalog.table_names(Ticket())


def test_keys_and_indexes(catalog: DynamoCatalog, table: str) -> None:
    info = catalog.describe(table, Ticket())
    assert info.name == table
    assert info.key_schema == KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
    (index,) = info.indexes
    assert (index.name, index.kind, index.projection) == ("GSI1", "GSI", Projection("ALL"))
    assert index.key_schema == KeySchema((KeyAttribute("GSI1PK", "N"),), (KeyAttribute("GSI1SK", "B"),))
    assert info.billing == "PAY_PER_REQUEST"
    assert info.status == "ACTIVE"
    assert info.arn.endswith(table)
    assert info.created.endswith("+00:00")


def test_an_index_keyed_by_several_attributes(catalog: DynamoCatalog, proxy: FaultProxy, table: str) -> None:
    def widen(body: dict[str, Any]) -> None:
        described = body["Table"]
        described["AttributeDefinitions"] += [{"AttributeName": name, "AttributeType": "S"} for name in ("p2", "s2")]
        schema = described["GlobalSecondaryIndexes"][0]["KeySchema"]
        schema.append({"AttributeName": "p2", "KeyType": "HASH"})
        schema.append({"AttributeName": "s2", "KeyType": "RANGE"})

    proxy.on("DescribeTable", Rewrite(widen))
    schema = catalog.describe(table, Ticket()).indexes[0].key_schema
    assert [attribute.name for attribute in schema.partition] == ["GSI1PK", "p2"]
    assert [attribute.name for attribute in schema.sort] == ["GSI1SK", "s2"]


def test_local_indexes_and_what_they_include(catalog: DynamoCatalog, proxy: FaultProxy, table: str) -> None:
    def add(body: dict[str, Any]) -> None:
        body["Table"]["LocalSecondaryIndexes"] = [
            {
                "IndexName": "L",
                "KeySchema": [
                    {"AttributeName": "PK", "KeyType": "HASH"},
                    {"AttributeName": "GSI1PK", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]},
            }
        ]
        del body["Table"]["BillingModeSummary"]
        body["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] = "CREATING"

    proxy.on("DescribeTable", Rewrite(add))
    info = catalog.describe(table, Ticket())
    local = info.index("L")
    assert local is not None
    assert (local.kind, local.projection, local.status) == ("LSI", Projection("INCLUDE", ("x", "y")), "ACTIVE")
    assert info.indexes[0].status == "CREATING"
    assert info.billing == "PROVISIONED"


def remove(*path: str | int) -> Callable[[dict[str, Any]], None]:
    def change(body: Any) -> None:
        for step in path[:-1]:
            body = body[step]
        del body[path[-1]]

    return change


def replace(value: object, *path: str | int) -> Callable[[dict[str, Any]], None]:
    def change(body: Any) -> None:
        for step in path[:-1]:
            body = body[step]
        body[path[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        remove("Table"),
        remove("Table", "KeySchema"),
        remove("Table", "KeySchema", 0),
        remove("Table", "AttributeDefinitions"),
        remove("Table", "AttributeDefinitions", 0),
        remove("Table", "TableName"),
        remove("Table", "TableStatus"),
        remove("Table", "GlobalSecondaryIndexes", 0, "IndexName"),
        remove("Table", "GlobalSecondaryIndexes", 0, "KeySchema"),
        remove("Table", "GlobalSecondaryIndexes", 0, "Projection"),
        replace("BOOL", "Table", "AttributeDefinitions", 0, "AttributeType"),
        replace("SIDE", "Table", "KeySchema", 0, "KeyType"),
        replace(7, "Table", "KeySchema", 0),
        replace([7], "Table", "GlobalSecondaryIndexes"),
        replace([7], "Table", "AttributeDefinitions"),
        replace("x", "Table", "BillingModeSummary"),
        replace(10**30, "Table", "CreationDateTime"),
        replace({}, "Table"),
    ],
)
def test_a_description_that_makes_no_sense(
    catalog: DynamoCatalog, proxy: FaultProxy, table: str, change: Callable[[dict[str, Any]], None]
) -> None:
    proxy.always("DescribeTable", Rewrite(change))
    with pytest.raises(DamagedReply):
        catalog.describe(table, Ticket())


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (error("AccessDeniedException"), NotAllowed),
        (error("ResourceNotFoundException"), TableMissing),
        (Cut(), DamagedReply),
    ],
)
def test_a_description_that_fails(
    catalog: DynamoCatalog, proxy: FaultProxy, table: str, fault: Any, expected: type[DynodeskError]
) -> None:
    proxy.always("DescribeTable", fault)
    with pytest.raises(expected):
        catalog.describe(table, Ticket())


def test_a_refused_description_names_its_permission(catalog: DynamoCatalog, proxy: FaultProxy, table: str) -> None:
    proxy.always("DescribeTable", error("AccessDeniedException"))
    with pytest.raises(NotAllowed, match="dynamodb:DescribeTable"):
        catalog.describe(table, Ticket())


def test_no_such_table(catalog: DynamoCatalog) -> None:
    with pytest.raises(TableMissing, match="no-such-table"):
        catalog.describe("no-such-table", Ticket())
