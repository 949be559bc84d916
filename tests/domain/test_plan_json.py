"""Plans are kept as JSON and come back as they were."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.expressions.conditions import Condition
from dynodesk.domain.plan_json import plan_from_json, plan_to_json
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition
from dynodesk.domain.values import Binary, Number, String
from tests.domain.expressions.roundtrip import random_tree
from tests.domain.strategies import names, texts


@pytest.mark.parametrize(
    "plan",
    [
        ScanPlan("T"),
        ScanPlan("T", "I", True, 7, ("a", "b"), parse_where("a <> 'é' AND size(\"b c\") > 3"), 16, 0),
        QueryPlan("T", {"n": Number("1.50"), "b": Binary(b"\x00")}, index="I", descending=True),
        QueryPlan("T", {"pk": String("é")}, SortCondition("between", String("a"), String("b")), "sk", consistent=True),
        QueryPlan("T", {"pk": String("é")}, SortCondition("=", Number("3")), "sk", by_key=True, page_limit=1),
        QueryPlan("T", {"pk": String("é")}, SortCondition("<", Number("3")), "b", sort_equals={"a": String("")}),
    ],
)
def test_plans_come_back(plan: ReadPlan) -> None:
    assert plan_from_json(json.loads(json.dumps(plan_to_json(plan)))) == plan


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.large_base_example])
@given(st.randoms(use_true_random=False), names, texts)
def test_any_name_value_and_filter_comes_back(random: Random, name: str, text: str) -> None:
    tree = random_tree(random)
    condition = tree if isinstance(tree, Condition) else None
    plan = QueryPlan("T", {name: String(text)}, attributes=(name,), filter=condition)
    assert plan_from_json(json.loads(json.dumps(plan_to_json(plan)))) == plan


def test_the_spelling_of_a_number_is_kept() -> None:
    plan = plan_from_json(plan_to_json(QueryPlan("T", {"n": Number("1.50")})))
    assert isinstance(plan, QueryPlan)
    assert isinstance(plan.partition["n"], Number)
    assert plan.partition["n"].text == "1.50"


@pytest.mark.parametrize(
    "written",
    [
        None,
        [],
        {},
        {"table": 3, "index": None, "consistent": False},
        {"table": "T", "index": 3, "consistent": False},
        {"table": "T", "index": None, "consistent": "no"},
        {"table": "T", "index": None, "consistent": False, "where": "a ="},
        {"table": "T", "index": None, "consistent": False, "page_limit": "1"},
        {"table": "T", "index": None, "consistent": False, "partition": {"a": {"BOOL": True}}},
        {"table": "T", "index": None, "consistent": False, "partition": {"a": {"S": 1}}},
        {"table": "T", "index": None, "consistent": False, "partition": {"a": {"S": "x"}}, "sort": ["b", "~", {}]},
        {"table": "T", "index": None, "consistent": False, "partition": []},
    ],
)
def test_what_is_no_plan_is_refused(written: Any) -> None:
    with pytest.raises(InvalidRequest):
        plan_from_json(written)
