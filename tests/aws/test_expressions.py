from __future__ import annotations

import pytest

from dynodesk.aws.expressions import Placeholders, key_condition, projection, request_of
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.reads import QueryPlan, SortCondition
from dynodesk.domain.values import Number, String

AWKWARD = ("count", "a.b", "a[0]", ":v0", "#n0", "with space", 'quote"', "9digit", "hy-phen", "é")


def test_every_name_has_an_alias_of_its_own() -> None:
    placeholders = Placeholders()
    aliases = [placeholders.name(name) for name in AWKWARD]
    assert aliases == [f"#n{n}" for n in range(len(AWKWARD))]
    assert placeholders.name("count") == "#n0"
    assert placeholders.parameters() == {"ExpressionAttributeNames": dict(zip(aliases, AWKWARD, strict=True))}


def test_nothing_used_nothing_sent() -> None:
    """Unused placeholders are an error of the service, empty maps too."""
    assert Placeholders().parameters() == {}
    assert projection((), Placeholders()) == {}


@pytest.mark.parametrize(
    ("condition", "expression"),
    [
        (None, "#n0 = :v0"),
        (SortCondition("=", String("a")), "#n0 = :v0 AND #n1 = :v1"),
        (SortCondition("<=", Number("5")), "#n0 = :v0 AND #n1 <= :v1"),
        (SortCondition("begins_with", String("LIKE#")), "#n0 = :v0 AND begins_with(#n1, :v1)"),
        (SortCondition("between", Number("1"), Number("5")), "#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2"),
    ],
)
def test_key_conditions(condition: SortCondition | None, expression: str) -> None:
    plan = QueryPlan("T", {"PK": String("p")}, sort=condition, sort_name="SK" if condition else "")
    placeholders = Placeholders()
    assert key_condition(plan, placeholders) == expression
    values = placeholders.parameters()["ExpressionAttributeValues"]
    assert sorted(values) == sorted(set(expression.replace(")", "").split()) & set(values))


def test_a_key_of_several_attributes() -> None:
    plan = QueryPlan("T", {"tenant": String("t"), "day": Number("7")})
    assert key_condition(plan, Placeholders()) == "#n0 = :v0 AND #n1 = :v1"


def test_a_projection_names_each_attribute_once_and_shares_aliases() -> None:
    placeholders = Placeholders()
    placeholders.name("PK")
    assert projection(("PK", "a.b", "PK"), placeholders) == {"ProjectionExpression": "#n0, #n1"}


def test_a_filter_shares_the_placeholders() -> None:
    plan = QueryPlan("T", {"PK": String("a")}, attributes=("PK", "x"), filter=parse_where("x <> 'b' AND size(y) > 3"))
    operation, parameters = request_of(plan)
    assert (operation, parameters["FilterExpression"]) == ("Query", "#n1 <> :v1 AND size(#n2) > :v2")
    assert parameters["ExpressionAttributeNames"] == {"#n0": "PK", "#n1": "x", "#n2": "y"}
    assert parameters["ExpressionAttributeValues"] == {":v0": {"S": "a"}, ":v1": {"S": "b"}, ":v2": {"N": "3"}}
