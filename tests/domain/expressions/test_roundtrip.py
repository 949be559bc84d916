"""Trees written and read again, a short run; the long one is `python -m tests.domain.expressions.roundtrip`."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynodesk.domain.expressions import Placeholders
from dynodesk.domain.expressions.conditions import Comparison
from dynodesk.domain.expressions.nodes import DocumentPath, Literal
from dynodesk.domain.values import Null, String, Value
from tests.domain.expressions.roundtrip import check_round_trip, random_tree
from tests.domain.strategies import names, values


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.large_base_example])
@given(st.randoms(use_true_random=False))
def test_a_tree_survives_being_written(random: Random) -> None:
    check_round_trip(random_tree(random))


@settings(deadline=None, max_examples=50)
@given(names, st.lists(st.one_of(names, st.integers(0, 999_999_999)), max_size=3), values)
def test_any_name_and_value_survives(name: str, steps: list[str | int], value: Value) -> None:
    check_round_trip(Comparison(DocumentPath((name, *steps)), "<>", Literal(value)))


def test_one_request_has_one_table_of_placeholders() -> None:
    placeholders = Placeholders()
    path, other = DocumentPath.of("a.b", "count", 0), DocumentPath.of("count")
    assert Comparison(path, "=", Literal(String("x"))).text(placeholders) == "#n0.#n1[0] = :v0"
    assert Comparison(path, "=", Literal(Null())).text(placeholders) == "#n0.#n1[0] = :v1"
    assert other.text(placeholders) == "#n1"
    assert placeholders.names == {"#n0": "a.b", "#n1": "count"}
    assert placeholders.values == {":v0": String("x"), ":v1": Null()}


def test_a_path_starts_with_a_name() -> None:
    for steps in ((), (0,)):
        with pytest.raises(ValueError, match="starts with the name"):
            DocumentPath(steps)
