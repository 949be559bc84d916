"""Partition keys as a person lists them."""

from __future__ import annotations

import pytest

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.reads import chosen_partitions
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.values import Number, String

ONE = KeySchema((KeyAttribute("PK", "S"),))
TWO = KeySchema((KeyAttribute("a", "S"), KeyAttribute("n", "N")))


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
