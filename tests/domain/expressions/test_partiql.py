"""Statements of PartiQL: their verb whatever stands before it, their table, and whether they read everything."""

from __future__ import annotations

import pytest

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions import as_sent, check_statement, read_statement
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo

TABLE = TableInfo(
    "my-orders",
    KeySchema((KeyAttribute("pk", "S"),), (KeyAttribute("sk", "S"),)),
    (IndexInfo("by-city", "GSI", KeySchema((KeyAttribute("city", "S"),)), Projection("ALL")),),
)


@pytest.mark.parametrize(
    ("text", "verb", "table", "index"),
    [
        ("SELECT * FROM t", "SELECT", "t", None),
        ("SELECT * FROM t.GSI1 WHERE pk = .5", "SELECT", "t", "GSI1"),
        ('select a.b, c[0] from "my-orders"', "SELECT", "my-orders", None),
        ('SELECT * FROM "my-orders"."by-city" WHERE city = \'x\';', "SELECT", "my-orders", "by-city"),
        ('SELECT * FROM "say ""t"""', "SELECT", 'say "t"', None),
        ("INSERT INTO t VALUE {'pk': 'FROM other'}", "INSERT", "t", None),
        ("UPDATE t SET a = 1 WHERE pk = 'x'", "UPDATE", "t", None),
        ("DELETE FROM t WHERE pk = 'x'", "DELETE", "t", None),
        ("EXISTS(SELECT * FROM t WHERE pk = 'x')", "EXISTS", "t", None),
        ("-- SELECT * FROM a\nDELETE FROM t WHERE pk = 'x'", "DELETE", "t", None),
        ("/* SELECT */ UPDATE /* x */ t SET a = 'SELECT' WHERE pk = 'x'", "UPDATE", "t", None),
        ("/* a -- b */ DELETE FROM t", "DELETE", "t", None),
        ("-- /*\nDELETE FROM t -- */ SELECT", "DELETE", "t", None),
    ],
)
def test_the_verb_and_the_table(text: str, verb: str, table: str, index: str | None) -> None:
    statement = read_statement(text)
    assert (statement.verb, statement.table, statement.index) == (verb, table, index)
    assert statement.is_read == (verb in {"SELECT", "EXISTS"})
    writes = [remark.message for remark in check_statement(text, read_only=True) if remark.severity == "error"]
    assert writes == ([] if statement.is_read else [f"{verb} writes, and this connection is read-only"])


@pytest.mark.parametrize(
    ("where", "equal", "listed"),
    [
        ("pk = 'a'", {"pk"}, set()),
        ("'a' = pk AND sk > 'b'", {"pk"}, set()),
        ("pk = ? AND sk = -5", {"pk", "sk"}, set()),
        ("pk IN ['a', 'b'] AND \"c-d\" = TRUE", {"c-d"}, {"pk"}),
        ("(pk = 'a') AND ((sk = 'b'))", {"pk", "sk"}, set()),
        ("(pk = 'a' AND sk = 'b') AND n BETWEEN 1 AND 2", {"pk", "sk"}, set()),
        ("n BETWEEN 1 AND 2 AND pk = 'a'", {"pk"}, set()),
        ("pk = 'a' ORDER BY sk DESC", {"pk"}, set()),
        ("pk = 'a AND sk = b'", {"pk"}, set()),
        ("pk = sk", set(), set()),
        ("pk <> 'a'", set(), set()),
        ("a.pk = 'a'", set(), set()),
        ("begins_with(pk, 'a')", set(), set()),
        ("contains(x, 'pk = 1') AND pk = 'a'", {"pk"}, set()),
        ("pk = 'a' OR city = 'x'", set(), set()),
        ("(pk = 'a' OR pk = 'b') AND sk = 'c'", {"sk"}, set()),
        ("NOT pk = 'a'", set(), set()),
    ],
)
def test_what_is_held_to_a_value(where: str, equal: set[str], listed: set[str]) -> None:
    for around in ("SELECT * FROM t WHERE …", "EXISTS(SELECT * FROM t WHERE …)"):
        statement = read_statement(around.replace("…", where))
        assert set(statement.equal) == equal
        assert set(statement.listed) == listed


@pytest.mark.parametrize(
    ("text", "message", "place", "hint"),
    [
        ("", "empty", "", ""),
        ("-- nothing", "empty", "", ""),
        ("DROP TABLE t", "DROP begins no statement", "DROP", "SELECT, INSERT"),
        ("SELECT * FROM t; DELETE FROM t", "one statement at a time", "DELETE", "semicolon"),
        ("SELECT * FROM t WHERE a = 'x", "the quote ' is not closed", "'", "twice"),
        ("UPDATE my-orders SET a = ? WHERE pk = ?", "my-orders needs quotes", "my-orders", 'Write "my-orders"'),
        ("SELECT * FROM my-orders", "my-orders needs quotes", "my-orders", ""),
        ("SELECT *", "the table is missing", "*", "double quotes"),
        ("SELECT * FROM 't'", "the table is missing", "'t'", "double quotes"),
    ],
)
def test_what_is_no_statement(text: str, message: str, place: str, hint: str) -> None:
    with pytest.raises(InvalidExpression) as refused:
        read_statement(text)
    problem = refused.value
    assert message in problem.message
    assert hint in problem.hint
    assert text[problem.offset : problem.offset + problem.length] == place
    (remark,) = check_statement(text)
    assert (remark.severity, remark.part, remark.message) == ("error", "Statement", problem.message)


@pytest.mark.parametrize(
    ("text", "severity", "message", "place"),
    [
        ('SELECT * FROM "my-orders"', "warning", "reads all of my-orders: WHERE does not hold pk", '"my-orders"'),
        ("SELECT * FROM \"my-orders\" WHERE city = 'X'", "warning", "reads all of my-orders", '"my-orders"'),
        ("SELECT * FROM \"my-orders\" WHERE pk = 'a' OR city = 'X'", "warning", "reads all", '"my-orders"'),
        ('SELECT * FROM "my-orders"."by-city" WHERE pk = \'a\'', "warning", "reads all of by-city", '"my-orders"'),
        ('SELECT * FROM "my-orders"."nowhere" WHERE pk = \'a\'', "error", "has no index nowhere", '"my-orders"'),
        ("DELETE FROM \"my-orders\" WHERE pk = 'a'", "error", "WHERE needs sk = …", '"my-orders"'),
        ('UPDATE "my-orders" SET a = 1', "error", "WHERE needs pk = … and sk = …", '"my-orders"'),
        ('SELECT * FROM "my-orders" WHERE pk = "a"', "warning", "is the name of an attribute", '"a"'),
        ("INSERT INTO \"my-orders\" VALUES {'pk': 'a', 'sk': 'b'}", "error", "one item, behind VALUE", "VALUES"),
        ("select * from \"my-orders\" where pk = 'a' limit 5", "error", "has no LIMIT", "limit 5"),
        ("UPDATE \"my-orders\" WHERE pk = 'a' AND sk = 'b'", "error", "needs a SET or a REMOVE", '"my-orders"'),
        ("UPDATE \"my-orders\" SET sk = 'c' WHERE pk = 'a' AND sk = 'b'", "error", "sk is part of the key", "sk"),
        ('UPDATE "my-orders" SET a = 1 REMOVE "pk" WHERE sk = \'b\'', "error", "pk is part of the key", '"pk"'),
    ],
)
def test_what_it_would_cost_or_break(text: str, severity: str, message: str, place: str) -> None:
    remark = next(remark for remark in check_statement(text, TABLE) if message in remark.message)
    assert remark.severity == severity
    assert text[remark.span.offset : remark.span.end] == place


def test_names_and_texts_that_look_like_clauses_are_none() -> None:
    for text in (
        "INSERT INTO \"my-orders\" VALUE {'pk': 'a', 'sk': 'b', 'values': 'VALUES', 'limit': 5}",
        'SELECT "LIMIT" FROM "my-orders" WHERE pk = \'LIMIT 5\'',
        "UPDATE \"my-orders\" SET a.pk = 'SET' REMOVE b WHERE pk = 'a' AND sk = 'b'",
    ):
        assert check_statement(text, TABLE) == ()


def test_a_string_gets_its_quotes() -> None:
    text = 'SELECT * FROM t WHERE pk = "it\'s"'
    (remark,) = (remark for remark in check_statement(text) if remark.replacement is not None)
    assert remark.applied_to(text) == "SELECT * FROM t WHERE pk = 'it''s'"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM \"my-orders\" WHERE pk = 'a'",
        "SELECT * FROM \"my-orders\" WHERE pk IN ['a', 'b'] AND total > 5",
        'SELECT * FROM "my-orders"."by-city" WHERE city = \'X\'',
        "UPDATE \"my-orders\" SET a = 1 WHERE pk = 'a' AND sk = 'b'",
        'DELETE FROM "my-orders" WHERE sk = ? AND pk = ? RETURNING ALL OLD *',
        "INSERT INTO \"my-orders\" VALUE {'pk': 'a', 'sk': 'b'}",
    ],
)
def test_nothing_is_said_of_what_goes_by_its_key(text: str) -> None:
    assert check_statement(text, TABLE) == ()


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("SELECT * FROM t", "SELECT * FROM t"),
        ("  SELECT *\n FROM t ;  ", "SELECT *\n FROM t"),
        ("-- first\nSELECT a.b[0] /* c */ FROM t; -- last", "SELECT a.b[0]   FROM t"),
        ("SELECT * FROM t WHERE pk='a--b'AND n>=-5", "SELECT * FROM t WHERE pk = 'a--b'AND n >= -5"),
        ('SELECT "a=b" FROM "c<d"."e>f" WHERE x<>\'/*\'', 'SELECT "a=b" FROM "c<d"."e>f" WHERE x <> \'/*\''),
        ("SELECT * FROM t WHERE s = <<1, 2>>", "SELECT * FROM t WHERE s = <<1, 2>>"),
        ("--\rDELETE FROM t /*\nSELECT * FROM t */", "SELECT * FROM t */"),
    ],
)
def test_what_is_sent_can_be_read_in_one_way_only(text: str, sent: str) -> None:
    assert as_sent(text) == sent
    assert as_sent(sent) == sent


@pytest.mark.parametrize(
    ("text", "values"),
    [("SELECT * FROM t", 0), ("SELECT * FROM t WHERE a = ? AND b IN [?, '?'] AND \"?\" = 1 -- ?", 2)],
)
def test_question_marks_are_counted_where_they_stand_for_values(text: str, values: int) -> None:
    assert read_statement(text).parameters == values
