from __future__ import annotations

import json
import re

import pytest

from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.reports.as_csv import COLUMNS, neutral
from dynodesk.reports.writers import render
from tests.reports import parsed
from tests.reports.awkward import awkward_report


def test_every_field_is_quoted_and_excel_is_told_that_it_is_utf_8() -> None:
    written = render(awkward_report(), "csv")
    assert written.startswith(b'\xef\xbb\xbf"rule","table"')
    field = r'"(?:[^"]|"")*"'
    line = re.compile(rf"{field}(?:,{field}){{{len(COLUMNS) - 1}}}\r\n")
    assert re.fullmatch(rf"(?:{line.pattern})+", written.decode("utf-8-sig"))


def test_the_key_column_is_exact() -> None:
    report = awkward_report()
    rows = parsed.csv_table(render(report, "csv"))
    assert [json.loads(row["parent key"]) for row in rows] == [item_to_dynamodb(f.parent) for f in report.findings]


def test_each_row_says_which_run_it_is_of_and_whether_that_was_complete() -> None:
    rows = parsed.csv_table(render(awkward_report(), "csv"))
    assert {(row["run"], row["run complete"]) for row in rows} == {("20260102T030405Z-7f3a", "no")}


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("likes", "likes"),
        ("12", "12"),
        ("-2", "'-2"),
        ("=1+1", "'=1+1"),
        ("  @x", "'  @x"),
        ("\t=1", "'␉=1"),
        ("\tx", "'␉x"),
        ("＝1", "'＝1"),
        ("a=1", "a=1"),
        ("'=1", "'=1"),
        ("", ""),
    ],
)
def test_a_text_that_could_be_a_formula_gets_an_apostrophe(text: str, cell: str) -> None:
    assert neutral(text) == cell
