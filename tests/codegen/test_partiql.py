"""A statement where one does the same as the request, and a reason where none does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from botocore import xform_name

from dynodesk.codegen import NoCode
from dynodesk.codegen.partiql import as_partiql
from dynodesk.codegen.shapes import binary_as_bytes
from tests.aws.tables import make_table, plain_client, unique

KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
ITEM = {"TableName": "T", "Item": KEY}
NAMED: Mapping[str, Any] = {"TableName": "T", "Key": KEY}
ONE = {"ExpressionAttributeValues": {":v": {"N": "1"}}}
WHERE = """WHERE "pk" = 'a' AND "sk" = 1"""
MANY = '"n" >= 1 AND "s" IS NOT MISSING AND ("a" = 1 OR NOT ("b" < 1)) RETURNING MODIFIED NEW *'
WHERE_THERE = f'{WHERE} AND "pk" IS NOT MISSING'


def guarded(update: str, **more: Any) -> dict[str, Any]:
    return {**NAMED, "UpdateExpression": update, "ConditionExpression": "attribute_exists(pk)", **more}


@pytest.mark.parametrize(
    ("operation", "parameters", "statement"),
    [
        (
            "PutItem",
            {
                "TableName": 'a"b',
                "Item": {**KEY, "it's": {"L": [{"BOOL": True}, {"NULL": True}, {"M": {"x'": {"NS": ["1", "2.5"]}}}]}},
                "ConditionExpression": "attribute_not_exists(pk) AND attribute_not_exists(sk)",
                "ReturnValues": "ALL_OLD",
                "ReturnConsumedCapacity": "TOTAL",
            },
            """INSERT INTO "a""b" VALUE {'pk': 'a', 'sk': 1, 'it''s': [TRUE, NULL, {'x''': <<1, 2.5>>}]}""",
        ),
        (
            "UpdateItem",
            guarded("SET a.b[2] = list_append(a.b, :v), c = c - :v REMOVE d, e", **ONE),
            'UPDATE "T" SET "a"."b"[2] = list_append("a"."b", 1) SET "c" = "c" - 1 REMOVE "d" REMOVE "e" '
            + WHERE_THERE,
        ),
        (
            "UpdateItem",
            {
                **NAMED,
                "UpdateExpression": "ADD n :v DELETE s :s",
                "ConditionExpression": "n >= :v AND attribute_exists(s) AND (a = :v OR NOT b < :v)",
                "ExpressionAttributeValues": {":v": {"N": "1"}, ":s": {"SS": ["x"]}},
                "ReturnValues": "UPDATED_NEW",
            },
            f"""UPDATE "T" SET "n" = "n" + 1 SET "s" = set_delete("s", <<'x'>>) {WHERE} AND {MANY}""",
        ),
        ("DeleteItem", {**NAMED, "ReturnValues": "ALL_OLD"}, f'DELETE FROM "T" {WHERE} RETURNING ALL OLD *'),
        (
            "DeleteItem",
            {**NAMED, "ConditionExpression": "n = :v OR begins_with(m.k, n)", **ONE},
            f'DELETE FROM "T" {WHERE} AND ("n" = 1 OR begins_with("m"."k", "n"))',
        ),
        ("GetItem", {**NAMED, "ConsistentRead": False}, f'SELECT * FROM "T" {WHERE}'),
        (
            "GetItem",
            {**NAMED, "ProjectionExpression": "#n, b", "ExpressionAttributeNames": {"#n": "a.b"}},
            f'SELECT "a.b", "b" FROM "T" {WHERE}',
        ),
        ("Scan", {"TableName": "T"}, 'SELECT * FROM "T"'),
        (
            "Query",
            {
                "TableName": "T",
                "IndexName": "I",
                "KeyConditionExpression": "pk = :v AND sk >= :v",
                "FilterExpression": "a = :v OR size(b) IN (:v)",
                "ScanIndexForward": False,
                **ONE,
            },
            'SELECT * FROM "T"."I" WHERE "pk" = 1 AND "sk" >= 1 AND ("a" = 1 OR size("b") IN [1]) ORDER BY "sk" DESC',
        ),
        ("ExecuteStatement", {"Statement": "SELECT 1", "ReturnConsumedCapacity": "TOTAL"}, "SELECT 1"),
    ],
)
def test_statement(operation: str, parameters: Mapping[str, Any], statement: str) -> None:
    assert as_partiql(operation, parameters) == statement


@pytest.mark.parametrize(
    ("operation", "parameters", "request_"),
    [
        (
            "GetItem",
            {"TableName": "T", "Key": {"pk": {"B": "AA=="}}, "ConsistentRead": True},
            {"Statement": 'SELECT * FROM "T" WHERE "pk" = ?', "Parameters": [{"B": "AA=="}], "ConsistentRead": True},
        ),
        ("Scan", {"TableName": "T", "Limit": 5}, {"Statement": 'SELECT * FROM "T"', "Limit": 5}),
        (
            "UpdateItem",
            guarded("SET a = :s", ExpressionAttributeValues={":s": {"S": "\x00"}}),
            {"Statement": f'UPDATE "T" SET "a" = ? {WHERE} AND "pk" IS NOT MISSING', "Parameters": [{"S": "\x00"}]},
        ),
        (
            "BatchWriteItem",
            {"RequestItems": {"T": [{"DeleteRequest": {"Key": KEY}}]}},
            {"Statements": [{"Statement": f'DELETE FROM "T" {WHERE}'}]},
        ),
        (
            "TransactGetItems",
            {"TransactItems": [{"Get": NAMED}]},
            {"TransactStatements": [{"Statement": f'SELECT * FROM "T" {WHERE}'}]},
        ),
    ],
)
def test_what_stands_beside_a_statement(
    operation: str, parameters: Mapping[str, Any], request_: Mapping[str, Any]
) -> None:
    assert json.loads(as_partiql(operation, parameters)) == request_


@pytest.mark.parametrize(
    ("operation", "parameters", "reason"),
    [
        ("PutItem", ITEM, "a put replaces it"),
        ("PutItem", {**ITEM, "ConditionExpression": "attribute_not_exists(a)"}, "one condition only"),
        ("PutItem", {**ITEM, "ConditionExpression": "attribute_exists(pk)"}, "one condition only"),
        ("UpdateItem", {**NAMED, "UpdateExpression": "SET a = :v", **ONE}, "this creates one"),
        (
            "UpdateItem",
            {**NAMED, "UpdateExpression": "SET a = :v", "ConditionExpression": "a <> :v", **ONE},
            "this creates one",
        ),
        ("UpdateItem", guarded("SET a = if_not_exists(a, :v) + :v", **ONE), "no if_not_exists"),
        ("UpdateItem", guarded("ADD a :v", **ONE), "this may be none"),
        (
            "UpdateItem",
            guarded("ADD a :v", ExpressionAttributeValues={":v": {"BS": ["AA=="]}}),
            "sets of strings or numbers",
        ),
        ("UpdateItem", {**NAMED, "ConditionExpression": "attribute_exists(pk)"}, "has to change something"),
        ("GetItem", {**NAMED, "ProjectionExpression": "a.b"}, "another name and place"),
        ("Scan", {"TableName": "T", "Segment": 0, "TotalSegments": 2}, "no Segment"),
        ("Scan", {"TableName": "T", "Select": "COUNT"}, "COUNT"),
        (
            "Query",
            {"TableName": "T", "KeyConditionExpression": "pk = :v", "ScanIndexForward": False, **ONE},
            "name of the sort key",
        ),
        ("Scan", {"TableName": "T\u202e"}, "cannot show the name"),
        ("BatchWriteItem", {"RequestItems": {"T": [{"PutRequest": {"Item": KEY}}]}}, "replaces an item"),
        ("BatchGetItem", {"RequestItems": {"T": {"Keys": [KEY] * 26}}}, "26 statements"),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Delete": {**NAMED, "ConditionExpression": "attribute_exists(pk)"}}]},
            "cancels the transaction",
        ),
        (
            "TransactWriteItems",
            {"TransactItems": [{"ConditionCheck": {**NAMED, "ConditionExpression": "attribute_not_exists(pk)"}}]},
            "for one that does not",
        ),
        ("DeleteTable", {"TableName": "T"}, "no statement for DeleteTable"),
    ],
)
def test_reason(operation: str, parameters: Mapping[str, Any], reason: str) -> None:
    with pytest.raises(NoCode, match=reason):
        as_partiql(operation, parameters)


def test_statements_do_what_the_requests_do(ministack: str) -> None:
    """As far as the emulator knows PartiQL: it takes no OR beside the key."""
    client: Any = plain_client(ministack)
    start = [
        {**KEY, "n": {"N": "5"}, "s": {"SS": ["x", "it's"]}, "l": {"L": [{"S": "1"}]}, "m": {"M": {"k": {"N": "1"}}}}
    ]
    ours, theirs = (make_table(client, start, name=unique("partiql"), keys={"pk": "S", "sk": "N"}) for _ in range(2))
    new = {"pk": {"S": "b'\\"}, "sk": {"N": "-1.5"}}
    requests: list[tuple[str, dict[str, Any]]] = [
        (
            "PutItem",
            {
                "Item": {**new, "b": {"B": "AAH/"}, "z": {"S": "\x00"}},
                "ConditionExpression": "attribute_not_exists(pk)",
            },
        ),
        ("UpdateItem", guarded("SET n = n + :v, m.k = :v REMOVE l[0]", **ONE)),
        ("UpdateItem", guarded("SET m.x = :m", ExpressionAttributeValues={":m": {"M": {"y": {"L": []}}}})),
        (
            "UpdateItem",
            {
                "Key": KEY,
                "UpdateExpression": "ADD n :v DELETE s :s",
                "ConditionExpression": "n BETWEEN :v AND :six AND contains(s, :it) AND attribute_exists(s)",
                "ExpressionAttributeValues": {
                    ":v": {"N": "1"},
                    ":six": {"N": "6"},
                    ":s": {"SS": ["x"]},
                    ":it": {"S": "it's"},
                },
            },
        ),
        (
            "DeleteItem",
            {
                "Key": new,
                "ConditionExpression": "begins_with(z, :z)",
                "ExpressionAttributeValues": {":z": {"S": "\x00"}},
            },
        ),
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": {"Item": {**new, "q": {"NULL": True}}, "ConditionExpression": "attribute_not_exists(sk)"}},
                    {"Update": guarded("SET n = n - :v", **ONE)},
                ]
            },
        ),
    ]
    for operation, parameters in requests:
        getattr(client, xform_name(operation))(**binary_as_bytes(operation, of_table(parameters, ours)))
        written = as_partiql(operation, of_table(parameters, theirs))
        if written.startswith("{"):
            sent = json.loads(written)
            execute = "ExecuteTransaction" if "TransactStatements" in sent else "ExecuteStatement"
            getattr(client, xform_name(execute))(**binary_as_bytes(execute, sent))
        else:
            client.execute_statement(Statement=written)
        assert items(client, theirs) == items(client, ours), written
    assert len(items(client, ours)) == 2


def of_table(parameters: Mapping[str, Any], table: str) -> dict[str, Any]:
    if "TransactItems" not in parameters:
        return {**parameters, "TableName": table}
    actions = [
        {kind: {**action, "TableName": table} for kind, action in each.items()} for each in parameters["TransactItems"]
    ]
    return {"TransactItems": actions}


def items(client: Any, table: str) -> list[Any]:
    found = client.scan(TableName=table, ConsistentRead=True)["Items"]
    for item in found:
        item["s"] = {"SS": sorted(item["s"]["SS"])} if "s" in item else None
    return sorted(found, key=lambda item: item["pk"]["S"])
