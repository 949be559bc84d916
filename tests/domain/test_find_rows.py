"""Finding a text in lines: where it is, how often, and which match comes next."""

from __future__ import annotations

import pytest

from dynodesk.domain.collections import Line, View, prepare
from dynodesk.domain.find_rows import ROWS_AT_ONCE, Matches, columns_with, find_in
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.text_search import Sought
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    List,
    Map,
    Null,
    Number,
    String,
    StringSet,
    Value,
    numbers,
)
from tests.helpers.small_tables import NAMES, SOCIAL, social_items


def matches(lines: list[Line], sought: Sought, columns: tuple[str, ...]) -> Matches:
    found = Matches()
    for part in find_in(lines, sought, columns, Ticket()):
        found.add(part)
    return found


@pytest.mark.parametrize(
    ("text", "value", "is_in"),
    [
        ("harb", String("Harbour"), True),
        ("STRASSE", String("Straße"), True),
        ("300", Number("13005"), True),
        ("1.0", Number("1"), False),
        ("ff00", Binary(b"\x01\xff\x00"), True),
        ("TRUE", Boolean(value=True), True),
        ("null", Null(), True),
        ("null", String(""), False),
        ("heart", StringSet(("clap", "heart")), True),
        ("2.50", numbers(["1", "2.50"]), True),
        ("01", BinarySet((b"\x01",)), True),
        ("deep", Map({"a": List((Map({"Deeper": Null()}),))}), True),
        (", ", List((Number("1"), Number("2"))), False),
    ],
)
def test_a_text_is_looked_for_in_what_is_stored(text: str, value: Value, is_in: bool) -> None:
    assert Sought(text).is_in(value) == is_in


def test_case_counts_when_it_is_asked_for() -> None:
    assert Sought("Like", match_case=True).is_in(String("Like"))
    assert not Sought("like", match_case=True).is_in(String("Like"))


def test_matches_are_counted_by_cell_and_walked_by_row() -> None:
    rows = LoadedRows(View(SOCIAL))
    for insertion in rows.absorb(prepare(social_items(), rows.view)):
        rows.insert(insertion)
    found = matches(rows.lines, Sought("7c20"), ("SK", "GSI1PK"))
    assert list(found.rows) == [3, 7, 10]
    assert found.count == 6
    assert [found.before(row) for row in (0, 3, 4, 7, 10, 11)] == [0, 0, 2, 2, 4, 6]
    assert [found.after(row) for row in (-1, 3, 10)] == [3, 7, 3]
    assert [found.above(row) for row in (-1, 3, 10)] == [10, 10, 7]
    assert found.has(7)
    assert not found.has(8)
    assert columns_with(rows.lines[3], Sought("7c20"), ("SK", "missing", "GSI1PK")) == [0, 2]
    assert list(matches(rows.lines, Sought("b002"), ("SK",)).rows) == [5], "the header of a collection counts too"


def test_nothing_found_leads_nowhere() -> None:
    assert (Matches().count, Matches().after(3), Matches().above(3)) == (0, None, None)


def test_more_rows_than_one_part_and_a_stop() -> None:
    lines: list[Line] = [*prepare([{"id": String(str(at))} for at in range(2 * ROWS_AT_ONCE + 1)], View(NAMES)).entries]
    parts = list(find_in(lines, Sought("4000"), ("id",), Ticket()))
    assert len(parts) == 3
    assert list(parts[-1].rows) == [4000]
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        next(find_in(lines, Sought("1"), ("id",), ticket))
