"""Results: exact cells, any size, errors with their place, an end whenever it is asked for."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from dynodesk.domain.errors import InvalidStatement, WorkbenchFailed
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.results import BATCH_ROWS, run
from tests.workbench.pages import load_items, rows, things


@pytest.mark.parametrize(
    ("expression", "cell", "kind"),
    [
        ("1203456789012345679::DECIMAL(38,0)", "1203456789012345679", "number"),
        ("0::DECIMAL(38,10)", "0.0000000000", "number"),
        ("-0.00000000000000000000000000000000000001::DECIMAL(38,38)", "-0." + "0" * 37 + "1", "number"),
        ("170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727", "number"),
        ("340282366920938463463374607431768211455::UHUGEINT", "340282366920938463463374607431768211455", "number"),
        ("18446744073709551615::UBIGINT", "18446744073709551615", "number"),
        ("(-9223372036854775808)::BIGINT", "-9223372036854775808", "number"),
        ("123456789012345678901234567890123456789012345::BIGNUM", "1234567890" * 4 + "12345", "number"),
        ("0.1::FLOAT", "0.1", "number"),
        ("0.1::DOUBLE", "0.1", "number"),
        ("'NaN'::DOUBLE", "NaN", "number"),
        ("'-inf'::DOUBLE", "-Infinity", "number"),
        ("5e-324::DOUBLE", "5e-324", "number"),
        ("true", "true", "boolean"),
        ("NULL", None, "text"),
        ("''", "", "text"),
        ("'a' || chr(0) || 'é💙'", "a\0é💙", "text"),
        ("from_base64('AAH/')", "0001ff", "binary"),
        ("''::BLOB", "", "binary"),
        ("[1, NULL, 2]", "[1,null,2]", "json"),
        ("[12345678901234567890123456789012345678::DECIMAL(38,0)]", "[12345678901234567890123456789012345678]", "json"),
        ("{'a': 1.10::DECIMAL(3,2), 'b': {'c': ['x']}}", '{"a":1.1,"b":{"c":["x"]}}', "json"),
        ("MAP {'k': 170141183460469231731687303715884105727}", '{"k":170141183460469231731687303715884105727}', "json"),
        ("DATE '2026-01-02'", "2026-01-02", "text"),
        ("'infinity'::TIMESTAMP", "infinity", "text"),
        ("TIMESTAMP_NS '2026-01-02 03:04:05.123456789'", "2026-01-02 03:04:05.123456789", "text"),
        ("INTERVAL '1 month 2 days'", "1 month 2 days", "text"),
        ("'101'::BIT", "101", "text"),
        ("'b'::ENUM('a', 'b')", "b", "text"),
    ],
)
def test_a_cell_says_its_value_exactly(expression: str, cell: str | None, kind: str) -> None:
    with Bench.open() as bench:
        (outcome,) = run(bench, f"SELECT {expression} AS v FROM range(2)", Ticket())
        assert outcome.result.rows(0, 5) == [(cell,), (cell,)]
        assert outcome.result.columns[0].kind == kind


def test_windows_of_a_large_result() -> None:
    count = 3 * BATCH_ROWS + 7
    with Bench.open() as bench:
        (outcome,) = run(bench, f"SELECT i, i % 7 AS i FROM range({count}) t(i) ORDER BY t.i DESC", Ticket())
        with outcome.result as result:
            assert len(result) == count
            assert [column.name for column in result.columns] == ["i", "i"]
            assert result.rows(0, 1) == [(str(count - 1), str((count - 1) % 7))]
            window = result.rows(BATCH_ROWS - 3, BATCH_ROWS + 6)
            assert [int(row[0] or "") for row in window] == [
                count - 1 - i for i in range(BATCH_ROWS - 3, 2 * BATCH_ROWS + 3)
            ]
            assert len(result.rows(count - 2, 100)) == 2
            assert result.rows(count, 1) == []
        assert list(bench.results.iterdir()) == []


def test_a_limit_cuts_and_says_so() -> None:
    with Bench.open() as bench:
        (cut,) = run(bench, "FROM range(100_000_000_000)", Ticket(), limit=BATCH_ROWS + 1)
        assert (len(cut.result), cut.result.is_cut) == (BATCH_ROWS + 1, True)
        (whole,) = run(bench, "FROM range(10)", Ticket(), limit=10)
        assert (len(whole.result), whole.result.is_cut) == (10, False)


def test_statements_run_in_order_each_with_its_result() -> None:
    text = """
        CREATE TABLE t(a INTEGER); -- a comment; with a semicolon
        INSERT INTO t VALUES (1), (2) RETURNING a;
        SELECT ';--' AS s;
        BEGIN; DELETE FROM t; ROLLBACK;
        PIVOT t ON a USING count(*);
        EXPLAIN SELECT 1;
        SELECT count(*) FROM t
    """
    with Bench.open() as bench:
        found = list(run(bench, text, Ticket()))
        assert [outcome.result.rows(0, 9) for outcome in (found[1], found[2], found[-1])] == [
            [("1",), ("2",)],
            [(";--",)],
            [("2",)],
        ]
        assert [outcome.statement.line for outcome in found] == [2, 3, 4, 5, 5, 5, 6, 7, 8]


def test_what_is_not_committed_is_undone() -> None:
    with Bench.open() as bench:
        list(run(bench, "CREATE TABLE t(a INTEGER)", Ticket()))
        list(run(bench, "BEGIN; INSERT INTO t VALUES (1)", Ticket()))
        assert rows(bench, "SELECT count(*) FROM t") == [("0",)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELEC 1", 'line 1: syntax error at or near "SELEC"'),
        ("SELECT 1;\n\nSELEC 2", 'line 3: syntax error at or near "SELEC"'),
        ("SELECT 1;\nSELECT nope\nFROM range(2)", 'statement 2, line 2: Referenced column "nope" not found'),
        ("SELECT 1;\nSELECT 1,\n 'x'::INT FROM range(2)", "statement 2, line 3: Could not convert string 'x'"),
        ("SELECT 1;\nSELECT [1], 'x'::INT FROM range(2)", "statement 2, line 2: Could not convert string 'x'"),
        ("SELECT * FROM nope", "line 1: nope is not loaded"),
        ("SELECT 'open", "unterminated string literal"),
        ('SELECT "open', "unterminated quoted identifier"),
        ("", "no statement"),
        (";--", "no statement"),
        ("-- only a comment", "no statement"),
        ("SELECT $1", "parameters without values"),
        ("SELECT '\0'", "NUL"),
        ("SELECT '\ud800'", "half a surrogate"),
        ("SELECT '" + "x" * 10_000_000 + "'", "1,000,000 that are read"),
        ("COPY (SELECT 1) TO 'x'", "line 1: COPY is not allowed here"),
        ("SELECT sum(i) FROM range(3) t(i) WHERE error('told') IS NULL", "told"),
    ],
)
def test_errors_name_their_place(text: str, words: str) -> None:
    with Bench.open() as bench, pytest.raises(InvalidStatement) as caught:
        list(run(bench, text, Ticket()))
    assert words in str(caught.value)


def test_nothing_runs_when_a_later_statement_is_refused() -> None:
    with Bench.open() as bench:
        with pytest.raises(InvalidStatement):
            list(run(bench, "CREATE TABLE t(a INTEGER); COPY t TO 'x'", Ticket()))
        assert rows(bench, "SHOW TABLES") == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(*) FROM range(100_000_000) a, range(100_000) b",
        "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT i FROM r",
        "SELECT sum(hash(i)) FROM range(1_000_000_000_000) t(i)",
        "SELECT * FROM range(1_000_000_000_000)",
        "SELECT list(i) FROM range(1_000_000_000_000) t(i)",
        "CREATE TABLE big AS SELECT hash(i) FROM range(1_000_000_000_000) t(i)",
        "SELECT repeat('x', 300_000_000), i FROM range(1_000) t(i)",
    ],
)
def test_a_runaway_ends_when_told(text: str) -> None:
    ticket = Ticket()
    with Bench.open(memory_limit="500MB", spill_limit="1GB") as bench:
        told: list[float] = []

        def tell() -> None:
            told.append(time.monotonic())
            ticket.cancel()

        threading.Timer(0.3, tell).start()
        with pytest.raises((Cancelled, WorkbenchFailed)):
            list(run(bench, text, ticket))
        assert rows(bench, "SELECT 1") == [("1",)]
    assert told or "list(i)" in text  # which may run out of memory first


def test_one_cancelled_run_does_not_touch_another() -> None:
    with Bench.open() as bench:
        found: list[object] = []
        other = threading.Thread(
            target=lambda: found.extend(rows(bench, "SELECT count(*) FROM range(30_000) a, range(30_000) b"))
        )
        other.start()
        ticket = Ticket()
        threading.Timer(0.2, ticket.cancel).start()
        with pytest.raises(Cancelled):
            list(run(bench, "SELECT count(*) FROM range(100_000_000) a, range(100_000) b", ticket))
        other.join()
        assert found == [("900000000",)]


def test_a_cancelled_ticket_runs_nothing() -> None:
    ticket = Ticket()
    ticket.cancel()
    with Bench.open() as bench:
        with pytest.raises(Cancelled):
            list(run(bench, "CREATE TABLE t(a INTEGER)", ticket))
        assert rows(bench, "SHOW TABLES") == []


def test_too_much_memory_is_said_so_and_the_bench_lives() -> None:
    with Bench.open(memory_limit="100MB", spill_limit="1MB") as bench:
        with pytest.raises(WorkbenchFailed, match="more memory or disk than it may take"):
            list(run(bench, "CREATE TABLE t AS SELECT hash(i), md5(i::VARCHAR) FROM range(10_000_000) t(i)", Ticket()))
        assert rows(bench, "SELECT 1") == [("1",)]


def test_the_sets_behind_a_result_are_named() -> None:
    with Bench.open() as bench:
        first = load_items(bench, things(2))
        second = load_items(bench, things(3), name='odd "name"')

        def behind(text: str) -> list[str]:
            return [one.name for one in list(run(bench, text, Ticket()))[-1].sets]

        assert behind("SELECT count(*) FROM things") == [first.name]
        assert behind('SELECT count(*) FROM "ODD ""name""" JOIN Things USING (pk)') == [first.name, second.name]
        assert behind("SELECT 1") == []
        assert behind(f"SELECT count(*) FROM {second.table}") == [first.name, second.name]
        assert behind("CREATE VIEW mine AS FROM Things; SELECT count(*) FROM mine") == [first.name, second.name]


def test_results_lie_where_the_engine_does_not_reach(tmp_path: Path) -> None:
    with Bench.open(tmp_path / "a.duckdb") as bench:
        (outcome,) = run(bench, "SELECT 'kept'", Ticket())
        (file,) = bench.results.iterdir()
        with pytest.raises(InvalidStatement, match="file system operations are disabled"):
            list(run(bench, f"FROM read_blob('{file.as_posix()}')", Ticket()))
        outcome.result.close()
    assert not file.parent.exists()
