"""What is wrong with a table to be made, and the request that makes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dynodesk.domain.table_changes import (
    CreateIndex,
    CreateTable,
    DeleteIndex,
    DeleteTable,
    Part,
    name_problem,
    operation,
    problems,
    recreated,
    request,
)
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo, TableStream, Throughput

PK, SK, AT = KeyAttribute("PK", "S"), KeyAttribute("SK", "S"), KeyAttribute("at", "N")
KEYS = KeySchema((PK,), (SK,))
ALL, KEYS_ONLY = Projection("ALL"), Projection("KEYS_ONLY")
LOCAL = IndexInfo("by-time", "LSI", KeySchema((PK,), (AT,)), KEYS_ONLY)
WIDE = IndexInfo(
    "wide",
    "GSI",
    KeySchema((KeyAttribute("tenant", "S"), KeyAttribute("kind", "S")), (AT, SK)),
    Projection("INCLUDE", ("title", "likes")),
)
SOCIAL = CreateTable("Social", KEYS, (WIDE, LOCAL))


def test_the_request_of_a_table_with_indexes() -> None:
    change = replace(SOCIAL, stream_view="NEW_IMAGE", is_protected=True)
    assert problems(change) == ()
    assert operation(change) == "CreateTable"
    assert request(change) == {
        "TableName": "Social",
        "AttributeDefinitions": [
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "SK", "AttributeType": "S"},
            {"AttributeName": "tenant", "AttributeType": "S"},
            {"AttributeName": "kind", "AttributeType": "S"},
            {"AttributeName": "at", "AttributeType": "N"},
        ],
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "wide",
                "KeySchema": [
                    {"AttributeName": "tenant", "KeyType": "HASH"},
                    {"AttributeName": "kind", "KeyType": "HASH"},
                    {"AttributeName": "at", "KeyType": "RANGE"},
                    {"AttributeName": "SK", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["title", "likes"]},
            }
        ],
        "LocalSecondaryIndexes": [
            {
                "IndexName": "by-time",
                "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        "DeletionProtectionEnabled": True,
    }


def test_provisioned_capacity_is_that_of_the_table_and_of_each_global_index() -> None:
    index = replace(WIDE, throughput=Throughput(3, 4))
    made = request(replace(SOCIAL, is_provisioned=True, throughput=Throughput(5, 6), indexes=(index, LOCAL)))
    assert made["BillingMode"] == "PROVISIONED"
    assert made["ProvisionedThroughput"] == {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
    assert made["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] == {
        "ReadCapacityUnits": 3,
        "WriteCapacityUnits": 4,
    }
    assert "ProvisionedThroughput" not in made["LocalSecondaryIndexes"][0]


def test_a_limit_on_demand_is_none_where_none_is_set() -> None:
    made = request(replace(SOCIAL, throughput=Throughput(40, None)))
    assert made["OnDemandThroughput"] == {"MaxReadRequestUnits": 40}


def test_a_table_like_one_that_is_there() -> None:
    info = TableInfo(
        "Social",
        KEYS,
        (WIDE, LOCAL),
        billing="PAY_PER_REQUEST",
        stream=TableStream("arn:stream", "KEYS_ONLY"),
        is_protected=True,
        table_class="STANDARD_INFREQUENT_ACCESS",
    )
    made = request(recreated(info))
    assert made["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert made["StreamSpecification"]["StreamViewType"] == "KEYS_ONLY"
    assert made["DeletionProtectionEnabled"] is True
    assert [index["IndexName"] for index in made["GlobalSecondaryIndexes"]] == ["wide"]


INFO = TableInfo("Social", KEYS, (LOCAL,), billing="PROVISIONED")


def test_the_requests_that_change_a_table() -> None:
    made = request(CreateIndex(INFO, replace(WIDE, throughput=Throughput(1, 2))))
    assert {one["AttributeName"] for one in made["AttributeDefinitions"]} == {"PK", "SK", "at", "tenant", "kind"}
    create = made["GlobalSecondaryIndexUpdates"][0]["Create"]
    assert create["ProvisionedThroughput"] == {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}
    assert request(DeleteIndex(INFO, "wide")) == {
        "TableName": "Social",
        "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "wide"}}],
    }
    assert request(DeleteTable(INFO)) == {"TableName": "Social"}
    assert [operation(change) for change in (DeleteIndex(INFO, "wide"), DeleteTable(INFO))] == [
        "UpdateTable",
        "DeleteTable",
    ]


@pytest.mark.parametrize("name", ["abc", "a.b-c_D9", "x" * 255])
def test_names_that_are_taken(name: str) -> None:
    assert name_problem(name, "table") is None


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "needs a name"),
        ("ab", "3 to 255 characters: this one has 2"),
        ("x" * 256, "has 256"),
        ("my table", "not a space"),
        ("tablé", "not é"),
        ("a\u202eb", r"not U\+202E"),
        ("a/b", "not /"),
    ],
)
def test_names_that_are_refused(name: str, says: str) -> None:
    problem = name_problem(name, "table")
    assert problem is not None
    with pytest.raises(type(problem), match=says):
        raise problem


def local(**more: object) -> IndexInfo:
    return replace(LOCAL, **more)  # type: ignore[arg-type]  # the fields are those of IndexInfo


def wide(**more: object) -> IndexInfo:
    return replace(WIDE, **more)  # type: ignore[arg-type]  # the fields are those of IndexInfo


@pytest.mark.parametrize(
    ("change", "index", "part", "says"),
    [
        (replace(SOCIAL, key_schema=KeySchema(())), None, "partition", "partition key is needed"),
        (replace(SOCIAL, key_schema=KeySchema((KeyAttribute("", "S"),)), indexes=()), None, "partition", "the name of"),
        (replace(SOCIAL, key_schema=KeySchema((PK,), (PK,)), indexes=()), None, "sort", "in this key already"),
        (replace(SOCIAL, key_schema=KeySchema((PK, SK)), indexes=()), None, "partition", "at most 1 attribute"),
        (
            replace(SOCIAL, key_schema=KeySchema((KeyAttribute("é" * 128, "S"),)), indexes=()),
            None,
            "partition",
            "255 bytes: this has 256",
        ),
        (replace(SOCIAL, is_provisioned=True, throughput=None), None, "throughput", "at least 1 unit"),
        (replace(SOCIAL, is_provisioned=True, throughput=Throughput(0, 5)), None, "throughput", "at least 1 unit"),
        (replace(SOCIAL, indexes=(wide(name="i"),)), 0, "name", "3 to 255"),
        (replace(SOCIAL, indexes=(LOCAL, wide(name="by-time"))), 1, "name", "There is an index by-time already"),
        (
            replace(SOCIAL, indexes=(wide(key_schema=KeySchema((KeyAttribute("SK", "N"),))),)),
            0,
            "partition",
            "SK is of type S in another key",
        ),
        (
            replace(SOCIAL, indexes=(wide(key_schema=KeySchema(tuple(KeyAttribute(f"p{n}", "S") for n in range(5)))),)),
            0,
            "partition",
            "at most 4 attributes",
        ),
        (replace(SOCIAL, indexes=(wide(projection=Projection("INCLUDE")),)), 0, "projection", "Name the attributes"),
        (
            replace(SOCIAL, indexes=(wide(projection=Projection("INCLUDE", ("a", "a"))),)),
            0,
            "projection",
            "named twice",
        ),
        (
            replace(SOCIAL, indexes=(wide(projection=Projection("INCLUDE", tuple(f"a{n}" for n in range(21)))),)),
            0,
            "projection",
            "at most 20",
        ),
        (replace(SOCIAL, indexes=(local(key_schema=KEYS),)), 0, "sort", "table's own sort key"),
        (replace(SOCIAL, indexes=(local(key_schema=KeySchema((PK,))),)), 0, "sort", "sort key of its own"),
        (replace(SOCIAL, key_schema=KeySchema((PK,)), indexes=(LOCAL,)), 0, "sort", "needs a table with a sort key"),
        (
            replace(
                SOCIAL,
                indexes=tuple(
                    local(name=f"local-{n}", key_schema=KeySchema((PK,), (KeyAttribute(f"s{n}", "S"),)))
                    for n in range(6)
                ),
            ),
            5,
            "name",
            "at most 5 local",
        ),
        (
            replace(
                SOCIAL,
                indexes=tuple(
                    wide(name=f"wide-{n}", projection=Projection("INCLUDE", tuple(f"a{n}-{m}" for m in range(20))))
                    for n in range(6)
                ),
            ),
            5,
            "projection",
            "at most 100 attributes together",
        ),
    ],
)
def test_what_the_service_would_refuse(change: CreateTable, index: int | None, part: Part, says: str) -> None:
    found = [problem for problem in problems(change) if (problem.index, problem.part) == (index, part)]
    assert [says in problem.error.message for problem in found] == [True], [p.error.message for p in problems(change)]


def test_an_index_is_held_against_those_that_are_there() -> None:
    clash = wide(name="by-time", key_schema=KeySchema((KeyAttribute("at", "S"),)))
    found = problems(CreateIndex(INFO, clash))
    assert [(problem.part, problem.index) for problem in found] == [("name", 0), ("partition", 0)]
    assert problems(CreateIndex(INFO, WIDE)) == ()
