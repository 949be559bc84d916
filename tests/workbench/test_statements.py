"""Statements are told apart by the engine's own parser, and only what works on loaded rows passes."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from dynodesk.domain.errors import InvalidStatement
from dynodesk.workbench.statements import Statement, split


@pytest.fixture
def cursor() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def test_each_has_its_number_line_and_text(cursor: duckdb.DuckDBPyConnection) -> None:
    text = "SELECT 1;\n\n-- two; still a comment\nSELECT\n ';' /* ; */;;  SELECT 'é💙\n';"
    assert split(cursor, text) == [
        Statement(1, 1, "SELECT 1;", alone=False),
        Statement(2, 4, "SELECT\n ';' /* ; */;;", alone=False),
        Statement(3, 5, "SELECT 'é💙\n';", alone=False),
    ]
    assert split(cursor, "\n SELECT 1") == [Statement(1, 2, "SELECT 1", alone=True)]


def test_equal_statements_keep_their_own_lines(cursor: duckdb.DuckDBPyConnection) -> None:
    assert [statement.line for statement in split(cursor, "SELECT 1;\nSELECT 1;\nSELECT 1")] == [1, 2, 3]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "FROM range(3)",
        "VALUES (1)",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "CREATE TABLE t(a INTEGER)",
        "CREATE TEMP TABLE secrets(secret VARCHAR)",
        "CREATE VIEW secret AS SELECT 1",
        "INSERT INTO t VALUES (1)",
        "UPDATE t SET a = 1",
        "DELETE FROM t",
        "MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE",
        "ALTER TABLE t ADD COLUMN b INTEGER",
        "DROP TABLE t",
        "BEGIN",
        "ROLLBACK",
        "DESCRIBE t",
        "SHOW TABLES",
        "SUMMARIZE t",
        "EXPLAIN SELECT 1",
        "EXPLAIN ANALYZE SELECT 1",
        "explain -- comment\n analyze /* another */ select 1",
        "PIVOT t ON a",
        "VACUUM",
    ],
)
def test_these_pass(cursor: duckdb.DuckDBPyConnection, text: str) -> None:
    assert len(split(cursor, text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "SET threads = 1",
        "PRAGMA version",
        "CALL pragma_version()",
        "ATTACH ':memory:' AS a",
        "EXPLAIN ANALYZE INSERT INTO t VALUES (1)",
        "EXPLAIN (FORMAT json) SELECT 1",
        "CREATE SECRET a (TYPE http)",
        "CREATE OR REPLACE TEMPORARY SECRET a (TYPE http)",
        "UPDATE EXTENSIONS",
    ],
)
def test_these_do_not(cursor: duckdb.DuckDBPyConnection, text: str) -> None:
    with pytest.raises(InvalidStatement, match=r"not allowed here|syntax error"):
        split(cursor, text)
