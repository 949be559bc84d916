"""A dot in a name and a dot between names look the same: which one the items have is said."""

from __future__ import annotations

import pytest

from dynodesk.domain.expressions import (
    Placeholders,
    RequestExpressions,
    check_changes,
    check_request,
    check_where,
    check_write_condition,
    parse_where,
)
from dynodesk.domain.item_json import from_plain
from tests.helpers.small_tables import SOCIAL

ITEMS = [
    from_plain('{"a.b": 1, "m": {"x": {"y": [1]}}, "c.d": {"e": 2}}'),
    from_plain('{"a.b": 2}'),
    from_plain('{"n": {"p.q": 1}}'),
]


@pytest.mark.parametrize(
    ("where", "said", "corrected"),
    [
        ("a.b = 1", '"a.b" is in 2 of 3', '"a.b" = 1'),
        ('"m.x.y"[0] = 1', "m.x.y[0] is in 1 of 3", "m.x.y[0] = 1"),
        ("size(c.d.e) = 1", '"c.d".e is in 1 of 3', 'size("c.d".e) = 1'),
        ('"m.x" <> 1 AND "a.b" = 1', "m.x is in 1 of 3", 'm.x <> 1 AND "a.b" = 1'),
    ],
)
def test_of_a_condition(where: str, said: str, corrected: str) -> None:
    """In a filter, in a condition of a write, and with placeholders."""
    for remarks in (check_where(where, SOCIAL, items=ITEMS)[1], check_write_condition(where, items=ITEMS)[1]):
        (remark,) = (remark for remark in remarks if "in no item looked at" in remark.message)
        assert remark.severity == "warning"
        assert said in remark.message
        assert remark.applied_to(where) == corrected
    placeholders = Placeholders()
    request = RequestExpressions(
        filter=parse_where(where).text(placeholders), names=placeholders.names, values=placeholders.values
    )
    (remark,) = (remark for remark in check_request(request, items=ITEMS) if "in no item" in remark.message)
    assert said in remark.message
    assert remark.replacement is None


def test_of_an_update_that_would_make_another_attribute() -> None:
    update = 'SET "m.x" = 5'
    _, _, remarks = check_changes(update, "attribute_exists(PK)", SOCIAL, items=ITEMS)
    (remark,) = (remark for remark in remarks if "in no item looked at" in remark.message)
    assert (remark.severity, remark.applied_to(update)) == ("warning", "SET m.x = 5")
    assert "m → x" in remark.fix


@pytest.mark.parametrize(
    "where", ['"a.b" = 1', "m.x.y[0] = 1", "nowhere = 1", "no.where = 1", '"no.where" = 1', "n.q = 1", '".a." = 1']
)
def test_nothing_is_said_where_the_items_have_neither_or_what_is_asked_for(where: str) -> None:
    assert not any("looked at" in remark.message for remark in check_where(where, SOCIAL, items=ITEMS)[1])
    assert not any("looked at" in remark.message for remark in check_where(where, SOCIAL)[1])
