"""Statements that would run for hours, or fill any disk: each must end soon after it is cancelled."""

from __future__ import annotations

NUMBERS = "range(10_000_000_000) t(i)"

HEEDING = {
    "cross join": "SELECT count(*) FROM range(10_000_000_000) a, range(10_000_000_000) b",
    "rows of a cross join": "SELECT * FROM range(10_000_000) a, range(10_000_000) b",
    "recursion": "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r",
    "recursion that grows": (
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r, range(1000) WHERE i < 10) "
        "SELECT count(*) FROM r"
    ),
    "recursion by key": (
        "WITH RECURSIVE r(i) USING KEY (i) AS (SELECT 1 UNION SELECT i + 1 FROM r) SELECT count(*) FROM r"
    ),
    "regular expression": f"SELECT count(*) FROM {NUMBERS} WHERE regexp_matches(repeat('a', 300) || i, '(a|aa)+b$')",
    "regexp_replace": f"SELECT max(regexp_replace(repeat('ab', 50), '(a)(b)', '\\2\\1', 'g')) FROM {NUMBERS}",
    "LIKE": f"SELECT count(*) FROM {NUMBERS} WHERE repeat('a', 100) || i LIKE '%a%a%a%a%b'",
    "ORDER BY": f"SELECT * FROM {NUMBERS} ORDER BY hash(i)",
    "GROUP BY": f"SELECT count(*) FROM (SELECT i FROM {NUMBERS} GROUP BY i)",
    "DISTINCT": f"SELECT count(DISTINCT md5(i::VARCHAR)) FROM {NUMBERS}",
    "EXCEPT": f"SELECT i FROM {NUMBERS} EXCEPT SELECT i + 1 FROM {NUMBERS}",
    "window": f"SELECT max(x) FROM (SELECT sum(i) OVER (ORDER BY hash(i) ROWS 100 PRECEDING) AS x FROM {NUMBERS})",
    "rank": f"SELECT max(x) FROM (SELECT rank() OVER (PARTITION BY i % 7 ORDER BY i) AS x FROM {NUMBERS})",
    "join by inequality": (
        "SELECT count(*) FROM range(10_000_000) a(i) JOIN range(10_000_000) b(j) ON i < j AND i % 7 < j % 5"
    ),
    "ASOF join": f"SELECT count(*) FROM {NUMBERS} ASOF JOIN range(10_000_000_000) b(j) ON i >= j",
    "subquery for each row": (
        "SELECT sum(i) FROM range(10_000_000) a(i) WHERE i < (SELECT avg(j) FROM range(10_000_000) b(j) WHERE j > i)"
    ),
    "LATERAL": "SELECT count(*) FROM range(10_000_000) a(i), LATERAL (SELECT * FROM range(i)) b",
    "string_agg": f"SELECT length(string_agg(i, ',')) FROM {NUMBERS}",
    "list": f"SELECT len(list(i)) FROM {NUMBERS}",
    "json_group_array": f"SELECT length(json_group_array(i)::VARCHAR) FROM {NUMBERS}",
    "histogram": f"SELECT cardinality(histogram(i)) FROM {NUMBERS}",
    "quantile": f"SELECT quantile_cont(i, 0.5) FROM {NUMBERS}",
    "mode": f"SELECT mode(i) FROM {NUMBERS}",
    "unnest": "SELECT count(*) FROM (SELECT unnest(range(1000)) FROM range(10_000_000_000))",
    "lambda in a lambda": (
        "SELECT sum(list_sum(list_transform(range(30), lambda x: list_sum("
        f"list_transform(range(30), lambda y: x * y + i))))) FROM {NUMBERS}"
    ),
    "list_reduce": f"SELECT sum(list_reduce(range(1, 100), lambda a, b: a + b + i)) FROM {NUMBERS}",
    "list_sort": f"SELECT max(list_sort(list_transform(range(99), lambda x: hash(x + i)))[1]) FROM {NUMBERS}",
    "levenshtein": f"SELECT max(levenshtein(repeat('ab', 50) || i, repeat('ba', 50))) FROM {NUMBERS}",
    "sha256": f"SELECT max(sha256(repeat('x', 1000) || i)) FROM {NUMBERS}",
    "CREATE TABLE": f"CREATE TABLE big AS SELECT md5(i::VARCHAR) AS a FROM {NUMBERS}",
    "INSERT": f"CREATE TABLE one(a BIGINT); INSERT INTO one SELECT i FROM {NUMBERS}",
    "EXPLAIN ANALYZE": f"EXPLAIN ANALYZE SELECT count(*) FROM {NUMBERS} WHERE hash(i) = 0",
    "transaction": f"BEGIN; SELECT sum(hash(i)) FROM {NUMBERS}; COMMIT",
    "macro": f"CREATE TEMP MACRO forever() AS TABLE SELECT sum(hash(i)) FROM {NUMBERS}; FROM forever()",
}
"""By what runs away. The engine looks for an interrupt between any two batches of rows."""

DEAF = "SELECT list_reduce(range(1, {items}), lambda a, b: a + sin(b))"
"""Within one call of a function it looks for none."""
