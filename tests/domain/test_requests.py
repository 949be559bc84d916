"""What is sent for a plan: every name and value behind a placeholder, and none that is not used."""

from __future__ import annotations

from typing import Any

import pytest

from dynodesk.domain.expressions import parse_where
from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition
from dynodesk.domain.requests import key_condition, operation_of, read_request
from dynodesk.domain.values import Number, String

AWKWARD = ("count", "a.b", "a[0]", ":v0", "#n0", "with space", 'quote"', "9digit", "hy-phen", "é")
HERE = {"PK": String("p")}


def sent(plan: ReadPlan) -> dict[str, Any]:
    return read_request(plan).parameters(to_dynamodb)


def test_every_name_has_an_alias_of_its_own() -> None:
    parameters = sent(ScanPlan("T", attributes=(*AWKWARD, "count")))
    aliases = [f"#n{n}" for n in range(len(AWKWARD))]
    assert parameters["ProjectionExpression"] == ", ".join(aliases)
    assert parameters["ExpressionAttributeNames"] == dict(zip(aliases, AWKWARD, strict=True))


def test_nothing_used_nothing_sent() -> None:
    """Unused placeholders are an error of the service, empty maps too."""
    assert sent(ScanPlan("T")) == {"TableName": "T", "ConsistentRead": False, "ReturnConsumedCapacity": "INDEXES"}


@pytest.mark.parametrize(
    ("condition", "expression", "words"),
    [
        (None, "#n0 = :v0", "PK = 'p'"),
        (SortCondition("=", String("a")), "#n0 = :v0 AND #n1 = :v1", "PK = 'p' AND SK = 'a'"),
        (SortCondition("<=", Number("5")), "#n0 = :v0 AND #n1 <= :v1", "PK = 'p' AND SK <= 5"),
        (
            SortCondition("begins_with", String("LIKE#")),
            "#n0 = :v0 AND begins_with(#n1, :v1)",
            "PK = 'p' AND begins_with(SK, 'LIKE#')",
        ),
        (
            SortCondition("between", Number("1"), Number("5")),
            "#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2",
            "PK = 'p' AND SK BETWEEN 1 AND 5",
        ),
    ],
)
def test_key_conditions(condition: SortCondition | None, expression: str, words: str) -> None:
    plan = QueryPlan("T", HERE, sort=condition, sort_name="SK" if condition else "")
    parameters = sent(plan)
    assert parameters["KeyConditionExpression"] == expression
    used = set(expression.replace(")", "").split())
    assert set(parameters["ExpressionAttributeValues"]) == {word for word in used if word.startswith(":")}
    assert str(key_condition(plan)) == words


def test_a_key_of_several_attributes() -> None:
    plan = QueryPlan(
        "T",
        {"tenant": String("t"), "day": Number("7")},
        SortCondition("<", Number("3")),
        "at",
        "I",
        sort_equals={"city": String("x")},
    )
    assert str(key_condition(plan)) == "tenant = 't' AND day = 7 AND city = 'x' AND at < 3"
    assert sent(plan)["IndexName"] == "I"


def test_a_filter_shares_the_placeholders() -> None:
    plan = QueryPlan("T", {"PK": String("a")}, attributes=("PK", "x"), filter=parse_where("x <> 'b' AND size(y) > 3"))
    parameters = sent(plan)
    assert (operation_of(plan), parameters["FilterExpression"]) == ("Query", "#n1 <> :v1 AND size(#n2) > :v2")
    assert parameters["ExpressionAttributeNames"] == {"#n0": "PK", "#n1": "x", "#n2": "y"}
    assert parameters["ExpressionAttributeValues"] == {":v0": {"S": "a"}, ":v1": {"S": "b"}, ":v2": {"N": "3"}}


def test_a_dot_is_a_part_of_a_name_or_a_way_inside() -> None:
    for where, expression, names in (
        ("\"a.b\" = 'x'", "#n0 = :v0", {"#n0": "a.b"}),
        ("a.b = 'x'", "#n0.#n1 = :v0", {"#n0": "a", "#n1": "b"}),
    ):
        parameters = sent(ScanPlan("T", filter=parse_where(where)))
        assert (parameters["FilterExpression"], parameters["ExpressionAttributeNames"]) == (expression, names)


def test_one_item_by_its_key() -> None:
    plan = QueryPlan("T", HERE, SortCondition("=", String("s")), "SK", page_limit=9, attributes=("x",), by_key=True)
    assert operation_of(plan) == "GetItem"
    assert sent(plan) == {
        "TableName": "T",
        "ConsistentRead": False,
        "ReturnConsumedCapacity": "INDEXES",
        "ProjectionExpression": "#n0",
        "Key": {"PK": {"S": "p"}, "SK": {"S": "s"}},
        "ExpressionAttributeNames": {"#n0": "x"},
    }


def test_one_segment_of_several() -> None:
    assert sent(ScanPlan("T", segments=4, segment=0))["Segment"] == 0
    assert sent(ScanPlan("T", segments=4, segment=0))["TotalSegments"] == 4
    assert "Segment" not in sent(ScanPlan("T", segment=0))
