"""The report as a workbook: a summary, one row a finding, and the guards. No cell is a formula or a link.

A sheet's numbers have 15 digits. What fits is a number, with as many places shown as it has; anything longer, and
anything that a number would not give back as it is stored (`1.50`, `1E+1`), is a text with its exact digits.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from dynodesk.domain.findings import VERDICTS, Finding, Report, RuleResult
from dynodesk.domain.item_json import item_to_dynamodb, readable
from dynodesk.domain.values import Number, String, Value, plain_digits, type_tag
from dynodesk.reports import wording
from dynodesk.reports.characters import json_text, visible, visible_lines

SHEET_ROWS = 1_048_576
CELL_CHARACTERS = 32_767
SHEET_DIGITS = 15
_LARGEST_POWER = 300

Cell = str | int | Decimal | None
"""A text, a number, or nothing."""

_WIDTHS = {"Rule": 24, "Table": 18, "Parent": 32, "Parent key": 32, "Reason": 36, "Likely causes": 60, "Evidence": 36}


def write(report: Report) -> Iterator[bytes]:
    file = io.BytesIO()
    book = xlsxwriter.Workbook(
        file,
        {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        },
    )
    book.set_properties({"title": visible(wording.headline(report)), "created": datetime.fromisoformat(report.started)})
    pen = _Pen(book)
    _summary(pen, report)
    _findings(pen, report)
    _guards(pen, report)
    book.close()
    yield file.getvalue()


class _Pen:
    """Writes rows of cells, each by its own kind."""

    def __init__(self, book: xlsxwriter.Workbook) -> None:
        self._book = book
        self.head = book.add_format({"bold": True, "bottom": 1})
        self.strong = book.add_format({"bold": True})
        self.code = book.add_format({"font_name": "Consolas", "text_wrap": True, "valign": "top"})
        self._places: dict[int, Format] = {}

    def sheet(self, name: str) -> Worksheet:
        sheet = self._book.add_worksheet(name)
        # Digits that a number would round stand as text on purpose.
        sheet.ignore_errors({"number_stored_as_text": "A1:XFD1048576"})
        return sheet

    def row(self, sheet: Worksheet, at: int, cells: Sequence[Cell], form: Format | None = None) -> None:
        for column, cell in enumerate(cells):
            if isinstance(cell, str):
                sheet.write_string(at, column, cut(cell), form)
            elif cell is not None:
                number = Decimal(cell)
                text = plain_digits(number)
                if fits(text):
                    sheet.write_number(at, column, float(number), self._with_places(len(text.partition(".")[2])))
                else:
                    sheet.write_string(at, column, text, form)

    def _with_places(self, places: int) -> Format:
        if places not in self._places:
            self._places[places] = self._book.add_format({"num_format": "0" + "." * bool(places) + "0" * places})
        return self._places[places]


def fits(text: str) -> bool:
    """Whether a sheet's number shows exactly these digits again."""
    number = Decimal(text)
    if text != plain_digits(number) or text == "-0" or abs(number.adjusted()) > _LARGEST_POWER:
        return False
    return len(text.lstrip("-").replace(".", "").strip("0")) <= SHEET_DIGITS


def cut(text: str) -> str:
    """The text, or as much of it as a cell holds, with a word on what is missing. Sheets count in UTF-16."""
    units = text.encode("utf-16-le")
    if len(units) // 2 <= CELL_CHARACTERS:
        return text
    said = "… (cut: a report in CSV or JSON has all of it)"
    return units[: 2 * (CELL_CHARACTERS - len(said))].decode("utf-16-le", errors="ignore") + said


def _cell(value: Value) -> Cell:
    match value:
        case Number(text=text) if value.is_valid and fits(text):
            return Decimal(text)
        case String(text):
            return visible(text)
        case _:
            return visible(readable(value))


# -------------------------------------------------------------------------------------------------------------- sheets


def _summary(pen: _Pen, report: Report) -> None:
    sheet = pen.sheet("Summary")
    sheet.set_column(0, 0, 32)
    sheet.set_column(1, 1, 24)
    rows: list[tuple[Sequence[Cell], Format | None]] = [([wording.headline(report)], pen.strong)]
    rows += [([visible(gap)], pen.strong) for gap in wording.gaps(report)]
    causes = list(_causes(report))
    if causes:
        rows += [([], None), (["Likely causes in", "Findings", "Cause"], pen.head), *((row, None) for row in causes)]
    rows += [([], None), (["Rule", "Table", "Parents", *VERDICTS], pen.head)]
    for rule in report.rules:
        counts = [rule.verdicts.get(verdict, 0) for verdict in VERDICTS]
        rows.append(([visible(rule.name), visible(rule.table), rule.parents, *counts], None))
    rows += [([], None), (["How it was read", ""], pen.head)]
    rows += [([label, visible(text)], None) for label, text in wording.facts(report) if text]
    rows += [([f"Rule {visible(rule.name)}", visible(rule.text)], None) for rule in report.rules if rule.text]
    rows += [(["Note", visible(note)], None) for note in report.notes]
    rows += [(["Meaning", wording.DEFINITION], None)]
    listed = SHEET_ROWS - 1
    rows += [
        ([wording.shortened(rule, shown)], pen.strong)
        for rule, shown in _shares(report, listed)
        if shown < len(rule.findings)
    ]
    for at, (cells, form) in enumerate(rows):
        pen.row(sheet, at, cells, form)


def _causes(report: Report) -> Iterator[Sequence[Cell]]:
    for rule in report.rules:
        for cause in rule.causes:
            yield [visible(rule.name), None, visible(cause)]
        for cause, count in wording.causes(rule):
            yield [visible(rule.name), count, visible(cause)]


def _shares(report: Report, rows: int) -> Iterator[tuple[RuleResult, int]]:
    """Each rule, and how many of its findings `rows` rows leave room for."""
    for rule in report.rules:
        shown = min(rows, len(rule.findings))
        rows -= shown
        yield rule, shown


def _findings(pen: _Pen, report: Report) -> None:
    sheet = pen.sheet("Findings")
    names = list(dict.fromkeys(name for finding in report.findings for name in finding.parent))
    columns = ["Rule", "Table", "Verdict", "Parent", *(f"Key {visible(name)}" for name in names)]
    columns += ["Stored", "Stored type", "Real", "Drift", "Low", "High", "Negative"]
    columns += ["Reason", "Likely causes", "Evidence", "Read at", "Parent key"]
    pen.row(sheet, 0, columns, pen.head)
    for at, column in enumerate(columns):
        sheet.set_column(at, at, _WIDTHS.get(column, 14))
    sheet.freeze_panes(1, 0)
    at = 0
    for rule, shown in _shares(report, SHEET_ROWS - 1):
        for finding in rule.findings[:shown]:
            at += 1
            pen.row(sheet, at, [visible(rule.name), visible(rule.table), *_of_finding(finding, names)])
    sheet.autofilter(0, 0, at, len(columns) - 1)


def _of_finding(finding: Finding, names: Sequence[str]) -> Iterator[Cell]:
    yield finding.verdict
    yield visible(finding.parent_text)
    for name in names:
        value = finding.parent.get(name)
        yield None if value is None else _cell(value)
    yield None if finding.stored is None else _cell(finding.stored)
    yield None if finding.stored is None else type_tag(finding.stored)
    yield None if finding.real is None else Decimal(finding.real)
    yield finding.drift
    yield finding.low
    yield finding.high
    yield "yes" if finding.negative else "no"
    yield visible(finding.reason)
    yield visible("; ".join(finding.causes))
    yield finding.evidence.summary
    yield visible(finding.evidence.looks[-1].at) if finding.evidence.looks else None
    yield json_text(item_to_dynamodb(finding.parent))


def _guards(pen: _Pen, report: Report) -> None:
    sheet = pen.sheet("Guards")
    pen.row(sheet, 0, ["Rule", "Language", "Write", "Code"], pen.head)
    for column, width in enumerate((24, 18, 34, 110)):
        sheet.set_column(column, column, width)
    at = 0
    for rule in report.rules:
        for language, guards in wording.guards(rule):
            for guard in guards:
                at += 1
                pen.row(sheet, at, [visible(rule.name), language, visible(guard.title)])
                sheet.write_string(at, 3, cut(visible_lines(guard.code)), pen.code)
