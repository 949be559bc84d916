"""What indexes take of a write."""

from __future__ import annotations

import pytest

from dynodesk.domain.index_writes import index_writes
from dynodesk.domain.values import Item, Number, String, StringSet
from tests.helpers.small_tables import SOCIAL, like, post

LIKE = like("a91f", "7c20", 200, reactions=("clap",))
LARGE = String("x" * 3_000)


@pytest.mark.parametrize(
    ("before", "after", "units"),
    [
        (None, post("a", 1), {}),
        (None, LIKE, {"GSI1": 1, "GSI2": 1}),
        (LIKE, None, {"GSI1": 1, "GSI2": 1}),
        (LIKE, LIKE, {}),
        (LIKE, {**LIKE, "reactions": StringSet(("heart",))}, {"GSI2": 1}),
        (LIKE, {**LIKE, "likedAt": Number("201")}, {"GSI1": 1, "GSI2": 2}),
        (LIKE, {**LIKE, "likedAt": Number("200.0")}, {}),
        (LIKE, {**LIKE, "GSI1PK": String("USER#ff")}, {"GSI1": 2, "GSI2": 1}),
        (LIKE, {name: value for name, value in LIKE.items() if name != "GSI1PK"}, {"GSI1": 1, "GSI2": 1}),
        (LIKE, {**LIKE, "note": LARGE}, {"GSI2": 4}),
        ({**LIKE, "note": LARGE}, LIKE, {"GSI2": 4}),
        ({**LIKE, "note": LARGE}, {**LIKE, "note": LARGE, "likedAt": Number("1")}, {"GSI1": 1, "GSI2": 8}),
    ],
)
def test_each_index_is_written_for_what_it_holds(
    before: Item | None, after: Item | None, units: dict[str, int]
) -> None:
    assert index_writes(before, after, SOCIAL) == units
