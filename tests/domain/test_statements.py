"""What a SELECT would come to, before it is sent; and what it has read, page after page."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dynodesk.domain.errors import InvalidExpression, InvalidRequest, InvalidValue
from dynodesk.domain.expressions import read_statement
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.reading import Portion
from dynodesk.domain.statements import (
    MAX_STATEMENT_BYTES,
    ParameterType,
    Select,
    StatementReading,
    as_name,
    as_select,
    outlook,
    parameter,
    reading_of,
)
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Binary, Boolean, Item, Null, Number, String, Value
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.statements import PagedStatements

TABLE = TableInfo(
    "my-table",
    KeySchema((KeyAttribute("pk", "S"),), (KeyAttribute("sk", "S"),)),
    (
        IndexInfo("by-city", "GSI", KeySchema((KeyAttribute("city", "S"),)), Projection("ALL")),
        IndexInfo("by-two", "GSI", KeySchema((KeyAttribute("a", "S"), KeyAttribute("b", "S"))), Projection("ALL")),
    ),
    item_count_estimate=10_000,
    size_bytes_estimate=8_192_000,
)


# -- before it is run


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("UPDATE my-table SET active=? WHERE subscriptionId=?", "needs quotes"),
        ("DELETE FROM \"my-table\" WHERE pk='a'", "WHERE needs sk = …"),
        ("DELETE FROM \"my-table\" WHERE pk='a' AND sk='b'", "only SELECT is run here"),
        ("INSERT INTO \"my-table\" VALUE {'pk': 'a'}", "only SELECT is run here"),
        ("/* SELECT */ UPDATE \"my-table\" SET n = 1 WHERE pk = 'a' AND sk = 'b'", "only SELECT is run here"),
        ("EXISTS(SELECT * FROM \"my-table\" WHERE pk='a')", "condition of a transaction"),
        ('SELECT * FROM "my-table"."by-town" WHERE city = \'x\'', "has no index by-town"),
        ('SELECT * FROM "my-table" WHERE pk = \'a', "not closed"),
        ('SELECT * FROM "my-table"; SELECT * FROM "my-table"', "one statement at a time"),
        ("SELEC * FROM t", "begins no statement"),
        (f"SELECT * FROM t WHERE a IN [{'1,' * 400_000}1]", "at most 8,192 bytes"),
    ],
)
def test_what_is_not_run_says_why(text: str, word: str) -> None:
    found = outlook(text, TABLE)
    assert not found.can_run
    assert any(word in remark.message for remark in found.remarks if remark.severity == "error")


@pytest.mark.parametrize(
    ("text", "scans"),
    [
        ('SELECT * FROM "my-table"', True),
        ("SELECT * FROM \"my-table\" WHERE city='Y'", True),
        ("SELECT * FROM \"my-table\" WHERE pk='a' OR city='Y'", True),
        ("SELECT * FROM \"my-table\" WHERE begins_with(pk, 'a')", True),
        ("SELECT * FROM \"my-table\" WHERE pk > 'a' AND sk = 'b'", True),
        ("SELECT * FROM \"my-table\" WHERE sk = 'b'", True),
        ("SELECT * FROM \"my-table\" WHERE NOT pk = 'a'", True),
        ("SELECT * FROM \"my-table\" WHERE pk = 'a'", False),
        ("SELECT * FROM \"my-table\" WHERE (pk = 'a') AND city = 'Y'", False),
        ("SELECT * FROM \"my-table\" WHERE pk IN ['a', 'b']", False),
        ("SELECT * FROM \"my-table\" WHERE pk = 'a' AND (sk = 'b' OR sk = 'c')", False),
        ('SELECT * FROM "my-table"."by-city" WHERE pk = \'a\'', True),
        ('SELECT * FROM "my-table"."by-city" WHERE city = \'a\'', False),
        ('SELECT * FROM "my-table"."by-two" WHERE a = \'1\'', True),
        ("SELECT * FROM \"my-table\".\"by-two\" WHERE a = '1' AND b = '2'", False),
        ('SELECT * FROM "my-table" WHERE pk = ?', False),
        ('SELECT * FROM "my-table" WHERE "pk" = \'a\'', False),
        ("SELECT * FROM \"my-table\" WHERE 'pk' = 'a'", True),
    ],
)
def test_a_statement_that_reads_everything_is_known_by_its_keys(text: str, scans: bool) -> None:
    found = outlook(text, TABLE)
    assert found.can_run
    assert found.scans is scans
    assert bool(found.cost_words) is scans
    assert any("this reads all of" in remark.message for remark in found.remarks) is scans


def test_the_cost_of_a_scan_is_that_of_its_table() -> None:
    found = outlook('SELECT * FROM "my-table"', TABLE)
    assert found.cost_words == (
        "About 100 RCU for the next 1,000 items, 1,000 RCU for all, by a table size that may be 6 hours old."
    )
    assert outlook('SELECT * FROM "my-table"', TABLE, consistent=True).cost_words.startswith("About 200 RCU")
    by_key = outlook("SELECT * FROM \"my-table\" WHERE pk = 'a'", TABLE).cost
    assert by_key is not None
    assert by_key.units == Decimal("0.5")


def test_of_an_unknown_table_the_worst_is_taken() -> None:
    found = outlook("SELECT * FROM other WHERE pk = 'a'", None)
    assert found.can_run
    assert found.scans
    assert found.cost_words == "What it costs is not known."


def test_a_value_in_double_quotes_is_noticed() -> None:
    (remark,) = outlook('SELECT * FROM "my-table" WHERE pk = "a"', TABLE).remarks[:1]
    assert remark.severity == "warning"
    assert remark.message == '"a" is the name of an attribute'


# -- what is sent


def test_a_select_is_sent_without_its_comments() -> None:
    made = as_select('-- all\nSELECT * FROM "my-table"."by-city" WHERE city=?;', [String("x")], consistent=True)
    assert made == Select(
        'SELECT * FROM "my-table"."by-city" WHERE city = ?', "my-table", "by-city", (String("x"),), True
    )


@pytest.mark.parametrize(
    ("text", "values", "kind"),
    [
        ("DELETE FROM t WHERE pk = 'a'", (), InvalidRequest),
        ("SELECT * FROM t WHERE pk = ?", (), InvalidRequest),
        ("SELECT * FROM t WHERE pk = '?'", (String("a"),), InvalidRequest),
        (f"SELECT * FROM t WHERE pk = '{'x' * MAX_STATEMENT_BYTES}'", (), InvalidRequest),
        (f"SELECT * FROM t WHERE pk = '{'x' * 1_000_000}'", (), InvalidRequest),
        ("SELECT * FROM t WHERE pk = ?", (Number("x"),), InvalidValue),
        ("SELECT * FROM", (), InvalidExpression),
    ],
)
def test_what_cannot_be_sent_is_refused_here(text: str, values: tuple[Value, ...], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        as_select(text, values)


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("S", "", String("")),
        ("S", " 7 ", String(" 7 ")),
        ("N", "1.50", Number("1.50")),
        ("B", "00ff", Binary(b"\x00\xff")),
        ("BOOL", "true", Boolean(value=True)),
        ("BOOL", "false", Boolean(value=False)),
        ("NULL", "", Null()),
    ],
)
def test_a_value_is_of_the_chosen_type(type_: ParameterType, text: str, value: Value) -> None:
    assert parameter(type_, text) == value


@pytest.mark.parametrize(("type_", "text"), [("N", "seven"), ("N", ""), ("N", "1" * 39), ("B", "xyz")])
def test_a_text_that_is_no_value_is_refused(type_: ParameterType, text: str) -> None:
    with pytest.raises(InvalidValue):
        parameter(type_, text)


@pytest.mark.parametrize(
    ("name", "written"),
    [("Social", "Social"), ("my-table", '"my-table"'), ("Name", '"Name"'), ('a"b', '"a""b"'), ("1a", '"1a"')],
)
def test_a_name_is_quoted_where_it_has_to_be(name: str, written: str) -> None:
    assert as_name(name) == written
    assert read_statement(f"SELECT * FROM {written}").table == name


# -- reading


def item(number: int) -> Item:
    return {"pk": String("a"), "sk": String(str(number)), "title": String("t")}


def started(pages: PagedStatements) -> StatementReading:
    return reading_of(as_select('SELECT * FROM "my-table"'), TABLE, pages)


def take(reading: StatementReading, portion: int) -> None:
    for page in reading.portion(MemoryReader(TABLE), reading.cursor, Portion(portion), Ticket()):
        reading.take(page.page)
        for insertion in reading.rows.absorb(page.prepared):
            reading.rows.insert(insertion)
    reading.state = "more" if reading.has_more else "complete"


def test_a_portion_is_a_page_for_each_thousand_items_read() -> None:
    pages = PagedStatements([item(1)], [], [item(2), item(3)], [item(4)])
    reading = started(pages)
    take(reading, 1_000)
    assert reading.count == 1
    assert reading.facts() == "1 page · 0.5 RCU · 1 ms · more in the answer"
    take(reading, 2_000)
    assert reading.count == 3
    take(reading, 1_000)
    assert (reading.count, reading.pages, reading.state) == (4, 4, "complete")
    assert reading.facts() == "4 pages · 2 RCU · 4 ms · end of answer"
    assert [asked.page_limit for asked in pages.asked] == [1_000] * 4
    assert reading.title == "PartiQL over my-table"


def test_nothing_so_far_is_not_nothing() -> None:
    reading = started(PagedStatements([], [], [item(1)]))
    take(reading, 1_000)
    assert reading.count == 0
    assert "so far" in reading.nothing_found()
    assert "read" not in reading.facts()
    take(reading, 1_000)
    take(reading, 1_000)
    assert reading.count == 1
    empty = started(PagedStatements([]))
    take(empty, 1_000)
    assert "so far" not in empty.nothing_found()
    assert empty.nothing_found().endswith("Nothing else is in this answer.")


def test_only_attributes_that_came_are_columns() -> None:
    reading = started(
        PagedStatements([{"title": String("t"), "n": Number("1")}], [{"pk": String("a"), "title": String("u")}])
    )
    assert reading.rows.columns() == []
    take(reading, 1_000)
    assert set(reading.rows.columns()) == {"title", "n"}
    take(reading, 1_000)
    assert reading.rows.columns()[0] == "pk"
    assert "sk" not in reading.rows.columns()


def test_a_cancelled_portion_ends_between_pages() -> None:
    pages = PagedStatements([item(1)], [item(2)], [item(3)])
    ticket = Ticket()
    portion = started(pages).portion(MemoryReader(TABLE), None, Portion(10_000), ticket)
    next(portion)
    ticket.cancel()
    with pytest.raises(Cancelled):
        next(portion)
    assert len(pages.asked) == 1
