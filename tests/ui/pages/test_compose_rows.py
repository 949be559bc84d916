"""Rows of actions and clauses of updates: what is typed is in the draft, and what is said of it is at its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.domain.composition import ActionRemark, DraftAction, check_draft
from dynodesk.domain.drafts import Draft
from dynodesk.domain.expressions import Remark, parse_changes
from dynodesk.domain.expressions.nodes import Span
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import Binary, Boolean, Map, Number, String, StringSet
from dynodesk.ui.pages.compose_clauses import clauses_of, join_clauses, tail_of, with_tail
from dynodesk.ui.pages.compose_kinds import Kinds
from dynodesk.ui.pages.compose_rows import changed_kind, new_action, rows_of

SOCIAL = TableInfo("Social", KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),)))
STATS = TableInfo("Stats", KeySchema((KeyAttribute("day", "N"),)))
KEY = (("PK", String("POST#1")), ("SK", String("META")))
UPDATE = DraftAction("Update", "Social", KEY, update="SET rev = rev + 1, a.b[0] = 'x, y' ADD n 1 REMOVE z")
PUT = DraftAction("Put", "Social", (*KEY, ("n", Number("1")), ("tags", StringSet(("a",)))), condition="a = 1")


# -- clauses


def test_an_update_is_taken_apart_at_its_verbs_and_commas() -> None:
    assert clauses_of('set a = if_not_exists(a, 0) + 1, b = {"L": []} ADD n -1, m 2 remove x, y[0]') == (
        "SET a = if_not_exists(a, 0) + 1",
        'SET b = {"L": []}',
        "ADD n -1",
        "ADD m 2",
        "REMOVE x",
        "REMOVE y[0]",
    )
    assert clauses_of("SET a = 'open") == ("SET a = 'open",)
    assert clauses_of("  ") == ()


NAMES = st.sampled_from(["a", "b", "c.d", "e[1]", '"odd name"', '"set"'])
CLAUSES = st.one_of(
    st.builds("SET {} = {}".format, NAMES, st.sampled_from(["1", "'x, ADD y 1'", "if_not_exists(q, 0) + 2", "q - 1"])),
    st.builds("ADD {} {}".format, NAMES, st.sampled_from(["1", "-2", '{"NS": ["1", "2"]}'])),
    st.builds("REMOVE {}".format, NAMES),
)


@given(st.lists(CLAUSES, min_size=1, max_size=8))
def test_clauses_put_together_say_the_same_and_are_found_again(clauses: list[str]) -> None:
    joined = join_clauses(clauses)
    parse_changes(joined.text)
    assert sorted(clauses_of(joined.text)) == sorted(clauses)
    for piece in joined.pieces:
        row, span = joined.locate(Span(piece.at, piece.length))
        assert row == piece.row
        assert clauses[row][span.offset : span.end] == joined.text[piece.at : piece.at + piece.length]


@pytest.mark.parametrize(
    ("clause", "lead", "value"),
    [
        ("SET rev = rev + 1", "SET rev = rev + ", Number("1")),
        ("SET rev = rev - 1", "SET rev = rev - ", Number("1")),
        ("SET n = -1", "SET n = ", Number("-1")),
        ("ADD n -12.50", "ADD n ", Number("-12.50")),
        ("SET s = 'it''s'", "SET s = ", String("it's")),
        ('ADD tags {"SS": ["a"]}', "ADD tags ", StringSet(("a",))),
    ],
)
def test_the_value_at_the_end_of_a_clause_has_a_cell(clause: str, lead: str, value: object) -> None:
    tail = tail_of(clause)
    assert tail is not None
    assert (clause[: tail.start], tail.value) == (lead, value)
    assert with_tail(clause, "7") == f"{lead}7"


@pytest.mark.parametrize("clause", ["REMOVE a", "SET a = b", "SET a = size(b)", "", "SET a = 'open", "SET a = TRUE"])
def test_a_clause_that_ends_otherwise_has_none(clause: str) -> None:
    assert tail_of(clause) is None


# -- rows


@pytest.mark.parametrize("action", [UPDATE, PUT, DraftAction("Get", "Social", KEY, projection="a, b")])
def test_rows_give_back_the_draft_they_were_made_of(action: DraftAction) -> None:
    assert rows_of(action, None).draft() == action
    assert rows_of(action, SOCIAL).draft() == action


def test_key_rows_come_from_the_schema_and_keep_what_was_typed() -> None:
    rows = rows_of(DraftAction("Put", "Stats", (("n", Number("1")), ("day", String("7")))), STATS)
    assert [(part.kind, part.text, part.value) for part in rows.attributes] == [
        ("key", "day", Number("7")),
        ("attribute", "n", Number("1")),
    ]
    rows.take_schema(SOCIAL)
    assert [part.text for part in rows.attributes] == ["PK", "SK", "n"]
    assert rows.attributes[0].value == String("7")


def test_a_new_update_is_guarded_and_a_new_put_is_not() -> None:
    assert new_action("Update", "Social", SOCIAL).condition == "attribute_exists(PK)"
    assert new_action("ConditionCheck", "Social", SOCIAL).condition == "attribute_exists(PK)"
    assert new_action("Put", "Social", SOCIAL).condition == ""
    assert rows_of(new_action("Update", "Stats", STATS), STATS).draft().attributes == (("day", Number("")),)


def test_values_are_taken_as_they_are_typed() -> None:
    rows = rows_of(PUT, SOCIAL)
    number = rows.attributes[2]
    number.type_value("00.10e2")
    assert number.value is not None
    assert str(number.value) == "00.10e2"
    number.type_value("12x")
    assert rows.draft().attributes[2] == ("n", Number("12x"))  # the checks say what is wrong with it
    number.choose_type("B")
    number.type_value("0fz")
    assert "hexadecimal" in number.problem
    assert number.typed_value == "0fz"
    number.type_value("0f")
    assert (number.value, number.problem) == (Binary(b"\x0f"), "")
    number.choose_type("BOOL")
    number.type_value("true")
    assert number.value == Boolean(value=True)
    assert rows.attributes[3].has_own_editor
    rows.attributes[3].choose_type("M")
    assert rows.attributes[3].value == Map({})


def test_the_value_of_a_clause_is_typed_and_changes_its_type_in_the_text() -> None:
    clause = rows_of(UPDATE, SOCIAL).clauses[0]
    clause.type_value("2.50")
    assert clause.text == "SET rev = rev + 2.50"
    clause.choose_type("S")
    assert clause.text == "SET rev = rev + '2.50'"
    clause.type_value("it's")
    assert clause.text == "SET rev = rev + 'it''s'"


def test_remarks_go_to_the_rows_that_they_are_about() -> None:
    wrong = DraftAction("Update", "Social", (("PK", String("")), KEY[1]), update="ADD n 1 SET a = 1, PK = 'x'")
    checked = check_draft(Draft("UpdateItem", (wrong,)), {"Social": SOCIAL})
    rows = rows_of(wrong, SOCIAL)
    rows.take_remarks(checked.remarks)
    said = {part.text: part for part in rows.parts}
    (of_clause,) = [one for one in said["SET PK = 'x'"].remarks if one.severity == "error"]
    assert "SET PK = 'x'"[of_clause.span.offset : of_clause.span.end] == "PK"
    assert said["PK"].is_wrong
    assert not said["ADD n 1"].is_wrong
    assert rows.is_wrong


def test_a_remark_on_an_update_without_clauses_is_at_its_empty_row() -> None:
    rows = rows_of(DraftAction("Update", "Social", KEY), SOCIAL)
    rows.take_remarks([ActionRemark(0, Remark("error", "UpdateExpression", Span(3, 1), "it is empty"))])
    assert [part.kind for part in rows.parts if part.is_wrong] == ["clause"]


# -- kinds


def test_a_transaction_comes_back_after_one_of_its_actions_was_a_request_of_its_own() -> None:
    kinds, tables = Kinds(), {"Social": SOCIAL}
    whole = Draft("TransactWriteItems", (PUT, UPDATE), token="t")
    one = kinds.change(whole, "UpdateItem", 1, tables, "Social")
    assert (one.operation, one.actions, one.token) == ("UpdateItem", (UPDATE,), "")
    deleted = kinds.change(one, "DeleteItem", 0, tables, "Social")
    assert deleted.actions == (DraftAction("Delete", "Social", KEY),)
    back = kinds.change(one, "TransactWriteItems", 0, tables, "Social")
    assert back.actions == (PUT, UPDATE)
    assert back.token


def test_another_kind_of_action_keeps_the_key_and_the_condition() -> None:
    turned = changed_kind(PUT, "Delete", ("PK", "SK"))
    assert turned == DraftAction("Delete", "Social", KEY, condition="a = 1")
    assert changed_kind(PUT, "Get", ("PK", "SK")).condition == ""


def test_actions_are_kept_while_statements_are_looked_at() -> None:
    kinds, tables = Kinds(), {"Social": SOCIAL}
    statements = kinds.change(Draft("TransactWriteItems", (PUT,), token="t"), "ExecuteStatement", 0, tables, "Social")
    assert (statements.actions, statements.token) == ((), "")
    assert kinds.change(statements, "TransactWriteItems", 0, tables, "Social").actions == (PUT,)
