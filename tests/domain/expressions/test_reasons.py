"""The terms that decide whether an item meets a condition, with what they found."""

from __future__ import annotations

from random import Random

import pytest

from dynodesk.domain.expressions import parse_where, reasons
from dynodesk.domain.item_json import from_plain
from tests.domain.expressions.generated import Generator

ITEM = from_plain('{"state": "paid", "n": 41, "s": "5", "gone": null, "long": "' + "x" * 100 + '"}')


@pytest.mark.parametrize(
    ("text", "decisive"),
    [
        ("state = 'new' AND n > 5", [("state = 'new'", False, (("state", "String paid"),))]),
        ("state = 'paid' AND n > 5", [
            ("state = 'paid'", True, (("state", "String paid"),)),
            ("n > 5", True, (("n", "Number 41"),)),
        ]),
        ("state = 'new' OR n > 5", [("n > 5", True, (("n", "Number 41"),))]),
        ("state = 'new' OR n > 50", [
            ("state = 'new'", False, (("state", "String paid"),)),
            ("n > 50", False, (("n", "Number 41"),)),
        ]),
        ("NOT (state = 'paid' OR n < 5)", [("state = 'paid'", True, (("state", "String paid"),))]),
        ("s < 9", [("s < 9", False, (("s", "String 5"),))]),
        ("deletedAt = NULL", [("deletedAt = NULL", False, (("deletedAt", "missing"),))]),
        ("attribute_not_exists(gone)", [("attribute_not_exists(gone)", False, (("gone", "Null null"),))]),
        ("size(s) > n", [("size(s) > n", False, (("size(s)", "Number 1"), ("s", "String 5"), ("n", "Number 41")))]),
        ("long = 'x'", [("long = 'x'", False, (("long", "String " + "x" * 59 + "…"),))]),
    ],
)  # fmt: skip
def test_terms_that_decide(text: str, decisive: list[tuple[str, bool, tuple[tuple[str, str], ...]]]) -> None:
    assert [(str(each.term), each.holds, each.found) for each in reasons(parse_where(text), ITEM)] == decisive


def test_there_is_always_a_reason() -> None:
    for seed in range(200):
        generator = Generator(Random(seed), hostile=True)
        item = generator.item()
        generator.about(item)
        assert reasons(generator.condition(), item)
