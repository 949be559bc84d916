"""The history and the saved queries: none twice, names of their own, words to find them by."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.domain.errors import DynodeskError, InvalidRequest
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.queries import (
    MOST_HISTORY,
    KeptQuery,
    Queries,
    Query,
    kept_from_json,
    kept_to_json,
    operation_of,
    place_of,
    query_words,
)
from dynodesk.domain.reads import QueryPlan, ScanPlan, SortCondition
from dynodesk.domain.statements import as_select
from dynodesk.domain.values import Binary, Boolean, Null, Number, String
from tests.domain.strategies import texts

NOON, LATER = "2026-01-01T12:00:00+00:00", "2026-01-01T12:00:01+00:00"
POST = QueryPlan("Social", {"PK": String("POST#a91f")}, SortCondition("begins_with", String("LIKE#")), "SK")
ALL = ScanPlan("Social", "GSI1", consistent=False, filter=parse_where("likeTally > 3"))
LIKES = as_select(
    "SELECT *\nFROM Social WHERE PK = ? AND n = ?", (String("POST#a91f"), Number("1.50")), consistent=True
)


def test_what_is_run_again_moves_to_the_top() -> None:
    queries = Queries().with_run(POST, NOON).with_run(ALL, NOON).with_run(LIKES, NOON).with_run(POST, LATER)
    assert [kept.query for kept in queries.history] == [POST, LIKES, ALL]
    assert queries.history[0].time == LATER


def test_the_history_has_an_end() -> None:
    queries = Queries()
    for number in range(MOST_HISTORY + 5):
        queries = queries.with_run(ScanPlan(f"T{number}"), NOON)
    assert len(queries.history) == MOST_HISTORY
    assert queries.history[-1].query == ScanPlan("T5")


def test_nothing_is_added_while_it_is_switched_off() -> None:
    kept = Queries().with_run(POST, NOON)
    off = Queries(kept.saved, kept.history, keeps=False)
    assert off.with_run(ALL, LATER) == off
    assert off.with_saved(ALL, "Everything", LATER).saved[0].query == ALL


def test_saved_queries_are_in_the_order_of_their_names() -> None:
    queries = Queries().with_saved(POST, " likes  of a post ", NOON).with_saved(ALL, "All", NOON)
    assert [kept.name for kept in queries.saved] == ["All", "likes of a post"]
    renamed = queries.with_name(queries.saved[0], "zero")
    assert [kept.name for kept in renamed.saved] == ["likes of a post", "zero"]
    assert renamed.with_name(renamed.saved[1], "Zero").saved[1].name == "Zero"


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "ALL", "all "])
def test_a_name_that_is_none_or_is_taken_is_refused(name: str) -> None:
    queries = Queries().with_saved(ALL, "All", NOON).with_saved(POST, "post", NOON)
    with pytest.raises(InvalidRequest):
        queries.with_saved(POST, name, LATER)
    with pytest.raises(InvalidRequest):
        queries.with_name(queries.saved[1], name)


def test_one_is_taken_out_and_the_others_stay() -> None:
    queries = Queries().with_run(POST, NOON).with_run(ALL, NOON).with_saved(POST, "post", NOON)
    assert queries.without(queries.saved[0]).history == queries.history
    assert [kept.query for kept in queries.without(queries.history[0]).history] == [POST]


@pytest.mark.parametrize(
    ("query", "operation", "place", "words"),
    [
        (POST, "Query", "Social", "PK = POST#a91f · SK begins_with LIKE#"),
        (ALL, "Scan", "Social · GSI1", "where likeTally > 3"),
        (ScanPlan("T"), "Scan", "T", "all items"),
        (
            QueryPlan(
                "T", {"a": Number("1")}, SortCondition("between", Number("2"), Number("3")), "b", descending=True
            ),
            "Query",
            "T",
            "a = 1 · b between 2 and 3 · descending",
        ),
        (QueryPlan("T", {"a": String("x")}, by_key=True, consistent=True), "GetItem", "T", "a = x · consistent"),
        (LIKES, "PartiQL", "Social", "SELECT * FROM Social WHERE PK = ? AND n = ? · POST#a91f, 1.50 · consistent"),
    ],
)
def test_the_words_to_find_it_by(query: Query, operation: str, place: str, words: str) -> None:
    assert (operation_of(query), place_of(query), query_words(query)) == (operation, place, words)


@pytest.mark.parametrize("query", [POST, ALL, LIKES, ScanPlan("T")])
def test_what_is_kept_comes_back(query: Query) -> None:
    kept = KeptQuery(query, NOON, "a name")
    assert kept_from_json(json.loads(json.dumps(kept_to_json(kept)))) == kept


values = st.one_of(
    texts.map(String),
    st.integers().map(lambda n: Number(str(n % 10**38))),
    st.binary(max_size=8).map(Binary),
    st.booleans().map(lambda on: Boolean(value=on)),
    st.just(Null()),
)


@given(st.lists(values, max_size=4), texts)
def test_any_statement_comes_back(parameters: list[String | Number | Binary | Boolean | Null], text: str) -> None:
    quoted = text.replace("'", "''")
    terms = " AND ".join([f"a <> '{quoted}'", *["b = ?"] * len(parameters)])
    kept = KeptQuery(as_select(f'SELECT * FROM "t-1" WHERE {terms}', parameters), NOON)
    assert kept_from_json(json.loads(json.dumps(kept_to_json(kept)))) == kept


@pytest.mark.parametrize(
    "written",
    [
        None,
        [],
        "SELECT * FROM t",
        {},
        {"time": NOON},
        {"time": "noon", "plan": {"table": "T", "index": None, "consistent": False}},
        {"time": "2026-01-01T12:00:00", "plan": {"table": "T", "index": None, "consistent": False}},
        {"time": NOON, "name": 3, "plan": {"table": "T", "index": None, "consistent": False}},
        {"time": NOON, "name": "x" * 101, "plan": {"table": "T", "index": None, "consistent": False}},
        {"time": NOON, "statement": "DELETE FROM t WHERE pk = 'a'", "parameters": []},
        {"time": NOON, "statement": "SELECT * FROM t WHERE a = ?", "parameters": []},
        {"time": NOON, "statement": "SELECT * FROM t WHERE a = ?", "parameters": [{"N": "x"}]},
        {"time": NOON, "statement": 7, "parameters": []},
    ],
)
def test_anything_else_is_refused(written: object) -> None:
    with pytest.raises((DynodeskError, ValueError, TypeError)):
        kept_from_json(written)
