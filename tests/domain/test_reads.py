"""Plans that the service would refuse are refused before; partition keys as a person lists them."""

from __future__ import annotations

import pytest

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition, check_plan, chosen_partitions
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import KeyValue, Number, String

ONE = KeySchema((KeyAttribute("PK", "S"),))
TWO = KeySchema((KeyAttribute("a", "S"), KeyAttribute("n", "N")))
PLACES = IndexInfo(
    "Places",
    "GSI",
    KeySchema(
        (KeyAttribute("country", "S"), KeyAttribute("year", "N")),
        (KeyAttribute("city", "S"), KeyAttribute("street", "S"), KeyAttribute("house", "N")),
    ),
    Projection("ALL"),
)
FEW = IndexInfo("Few", "GSI", KeySchema((KeyAttribute("kind", "S"),)), Projection("KEYS_ONLY"))
LOCAL = IndexInfo("Local", "LSI", KeySchema((KeyAttribute("PK", "S"),)), Projection("KEYS_ONLY"))
TABLE = TableInfo("T", KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),)), indexes=(PLACES, FEW, LOCAL))
FRANCE: dict[str, KeyValue] = {"country": String("FR"), "year": Number("2025")}
PARIS: dict[str, KeyValue] = {"city": String("Paris")}
IS_S = SortCondition("=", String("s"))


@pytest.mark.parametrize(
    "plan",
    [
        QueryPlan("T", FRANCE, index="Places"),
        QueryPlan("T", FRANCE, SortCondition("begins_with", String("P")), "city", "Places"),
        QueryPlan("T", FRANCE, SortCondition(">", String("R")), "street", "Places", sort_equals=PARIS),
        QueryPlan("T", {"PK": String("p")}, IS_S, "SK", by_key=True),
        ScanPlan("T", segments=1_000_000, segment=999_999),
        ScanPlan("T", index="Places", attributes=("title",)),
        ScanPlan("T", index="Local", attributes=("title",)),
    ],
)
def test_what_the_service_takes_is_taken(plan: ReadPlan) -> None:
    check_plan(plan, TABLE)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (QueryPlan("T", {"country": String("FR")}, index="Places"), "country, year"),
        (QueryPlan("T", FRANCE, SortCondition(">", String("R")), "street", "Places"), "left to right"),
        (QueryPlan("T", FRANCE, None, "", "Places", sort_equals=PARIS), "left to right"),
        (
            QueryPlan("T", FRANCE, SortCondition("=", Number("1")), "house", "Places", sort_equals=PARIS),
            "city, street, house",
        ),
        (QueryPlan("T", FRANCE, SortCondition("begins_with", Number("1")), "city", "Places"), "begins_with"),
        (QueryPlan("T", {"PK": String("p")}, by_key=True), "whole key"),
        (QueryPlan("T", {"PK": String("p")}, SortCondition("<", String("s")), "SK", by_key=True), "whole key"),
        (QueryPlan("T", {"PK": String("p")}, IS_S, "SK", by_key=True, filter=parse_where("a = 1")), "no filter"),
        (QueryPlan("T", {"PK": String("p")}, filter=parse_where("SK = 's'")), "its key: SK"),
        (ScanPlan("T", index="Other"), "no index Other"),
        (ScanPlan("T", index="Places", consistent=True), "no consistent reads"),
        (ScanPlan("T", page_limit=0), "at least 1"),
        (ScanPlan("T", index="Few", attributes=("PK", "title")), "Few does not project title"),
        (ScanPlan("T", segments=0), "segments"),
        (ScanPlan("T", segments=1_000_001), "segments"),
        (ScanPlan("T", segments=2, segment=2), "segments"),
    ],
)
def test_what_the_service_would_refuse_is_refused_before(plan: ReadPlan, said: str) -> None:
    with pytest.raises(InvalidRequest, match=said):
        check_plan(plan, TABLE)


def test_each_line_is_a_key_once() -> None:
    assert chosen_partitions(ONE, ["b", "", " a ", "b", "  "]) == ({"PK": String("b")}, {"PK": String(" a ")})
    assert chosen_partitions(TWO, ["x\t1", "x\t1.0"]) == ({"a": String("x"), "n": Number("1")},)


@pytest.mark.parametrize(
    ("schema", "lines", "said"),
    [
        (TWO, ["x\t1", "x"], "line 2: the partition key is a, n"),
        (TWO, ["x\tten"], "line 1: 'ten' is not a number"),
        (ONE, ["x" * 2049], "line 1: .*2048"),
    ],
)
def test_a_line_that_is_no_key_is_named(schema: KeySchema, lines: list[str], said: str) -> None:
    with pytest.raises(InvalidRequest, match=said):
        chosen_partitions(schema, lines)
