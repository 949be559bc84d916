from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from dynodesk.aws.consumption import consumed, total
from dynodesk.domain.capacity import Consumed
from dynodesk.domain.errors import DamagedReply


def body(consumption: object) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(json.dumps({"ConsumedCapacity": consumption}), parse_float=Decimal)
    return decoded


def test_the_total_counts_not_the_split_into_reads_and_writes() -> None:
    reply = body({"TableName": "T", "CapacityUnits": 12.5, "ReadCapacityUnits": 0})
    assert consumed("Query", "T", None, reply) == (Consumed("Query", "T", "", Decimal("12.5")),)


def test_a_reply_that_does_not_say() -> None:
    assert consumed("Query", "T", None, {}) == ()
    assert total(()) is None


def test_an_index_and_the_table_behind_it() -> None:
    reply = body(
        {
            "TableName": "T",
            "CapacityUnits": 3.5,
            "Table": {"CapacityUnits": 2.0},
            "GlobalSecondaryIndexes": {"G": {"CapacityUnits": 1.0}},
            "LocalSecondaryIndexes": {"L": {"CapacityUnits": 0.5}},
        }
    )
    parts = consumed("UpdateItem", "T", None, reply)
    assert {part.index: part.units for part in parts} == {"": 2, "G": 1, "L": Decimal("0.5")}
    assert total(parts) == Decimal("3.5")


def test_an_index_alone_costs_the_table_nothing() -> None:
    reply = body(
        {
            "TableName": "T",
            "CapacityUnits": 1,
            "Table": {"CapacityUnits": 0},
            "GlobalSecondaryIndexes": {"G": {"CapacityUnits": 1}},
        }
    )
    assert consumed("Query", "T", "G", reply) == (Consumed("Query", "T", "G", Decimal(1)),)


def test_a_read_of_an_index_without_a_breakdown_is_the_index_s() -> None:
    reply = body({"TableName": "T", "CapacityUnits": 1})
    assert consumed("Query", "T", "G", reply) == (Consumed("Query", "T", "G", Decimal(1)),)


def test_several_tables() -> None:
    reply = body([{"TableName": "A", "CapacityUnits": 2}, {"TableName": "B", "CapacityUnits": 4}])
    assert total(consumed("TransactGetItems", "A, B", None, reply)) == 6


@pytest.mark.parametrize(
    "wrong",
    [
        "many",
        7,
        [7],
        {"CapacityUnits": "1"},
        {"CapacityUnits": True},
        {"CapacityUnits": -1},
        {"CapacityUnits": 1e300},
        {"CapacityUnits": 1, "TableName": 7},
        {"CapacityUnits": 1, "GlobalSecondaryIndexes": ["G"]},
        {"CapacityUnits": 1, "LocalSecondaryIndexes": "L"},
        {},
    ],
)
def test_nonsense_is_damage(wrong: object) -> None:
    with pytest.raises(DamagedReply):
        consumed("Query", "T", None, body(wrong))
