"""SQL as it is typed: what has a colour, which statement the cursor is in, what a fault's line is."""

from __future__ import annotations

import pytest

from dynodesk.ui.pages.sql_text import at_its_line, bare_or_quoted, below, line_in, open_after, pieces, statement_at


def test_every_piece_has_its_kind() -> None:
    text = "SELECT count(*), 'it''s', \"a\"\"b\", 1.5e3 -- end; of\n/* ; */ FROM x;"
    assert [(piece.kind, text[piece.start : piece.end]) for piece in pieces(text)] == [
        ("keyword", "SELECT"),
        ("call", "count"),
        ("string", "'it''s'"),
        ("name", '"a""b"'),
        ("number", "1.5e3"),
        ("comment", "-- end; of"),
        ("comment", "/* ; */"),
        ("keyword", "FROM"),
        ("word", "x"),
        ("end", ";"),
    ]


@pytest.mark.parametrize(
    ("text", "opener"),
    [
        ("SELECT 1", ""),
        ("SELECT 'a", "'"),
        ("SELECT 'a''", "'"),
        ("SELECT 'a'''", ""),
        ('SELECT "a', '"'),
        ("/* a", "/*"),
        ("/* a */", ""),
        ("/*/", "/*"),
        ("-- it's", ""),
        ("SELECT $$ ' ", "$$"),
        ("", ""),
    ],
)
def test_a_line_may_end_within_something(text: str, opener: str) -> None:
    assert open_after(text) == opener


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (0, "SELECT 1;"),
        (9, "SELECT 1;"),
        (11, "SELECT ';' -- ;\n  , 2;"),
        (20, "SELECT ';' -- ;\n  , 2;"),
        (34, "SELECT 3"),
        (41, "SELECT 3"),
    ],
)
def test_the_statement_at_the_cursor(place: int, expected: str) -> None:
    found = statement_at("SELECT 1;\n\nSELECT ';' -- ;\n  , 2;\n\nSELECT 3", place)
    assert found is not None
    assert found.text == expected


def test_behind_a_semicolon_the_statement_before_is_meant() -> None:
    text = "SELECT 1;  SELECT 2;\n"
    assert [found.text for at in (9, 10, len(text)) if (found := statement_at(text, at))] == [
        "SELECT 1;",
        "SELECT 1;",
        "SELECT 2;",
    ]


@pytest.mark.parametrize("text", ["", "  \n", "-- nothing", ";;", "/* ; */ ;"])
def test_there_may_be_no_statement(text: str) -> None:
    assert statement_at(text, 0) is None


@pytest.mark.parametrize(
    "text", ["", "\n", "SELECT 1", "SELECT 1;", "SELECT 1 -- ;", "SELECT 1; -- one", "-- none", "SELECT ';'"]
)
def test_another_statement_can_follow_whatever_there_is(text: str) -> None:
    whole = f"{text}{below(text)}SELECT 2"
    found = statement_at(whole, len(whole))
    assert found is not None
    assert found.text.removeprefix(text if text.startswith("--") else "").strip().endswith("SELECT 2")
    assert "SELECT 1" not in found.text
    assert "';'" not in found.text


def test_lines_stay_those_of_the_whole_text() -> None:
    text = "SELECT 1;\n\nSELECT 2"
    found = statement_at(text, len(text))
    assert found is not None
    assert at_its_line(text, found) == "\n\nSELECT 2"


def test_a_fault_names_its_line() -> None:
    assert line_in("line 12: syntax error") == 12
    assert line_in("statement 2, line 3: syntax error") == 3
    assert line_in("there is no line 3: here") is None


def test_names_are_quoted_where_they_must_be() -> None:
    names = ["Social", "order", "my table", 'a"b', "1st", ""]
    assert [bare_or_quoted(name) for name in names] == [
        "Social",
        '"order"',
        '"my table"',
        '"a""b"',
        '"1st"',
        '""',
    ]
