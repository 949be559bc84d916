"""The report for spreadsheets: one row a finding, every field quoted, no cell a formula.

Spreadsheets run a cell that starts with one of `= + - @`, quoted or not. Texts that start so get an apostrophe in
front; numbers stay as they are, -2 included. The file starts with a byte order mark: without it Excel takes UTF-8 for
the system's own code page. The column `parent key` is exact where `parent` is for reading.
"""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from dynodesk.domain.findings import Finding, Report, RuleResult
from dynodesk.domain.item_json import item_to_dynamodb, readable
from dynodesk.domain.values import Number, plain_digits, type_tag
from dynodesk.reports.characters import json_text, visible

COLUMNS = (
    "rule",
    "table",
    "verdict",
    "parent",
    "parent key",
    "stored",
    "stored type",
    "real",
    "drift",
    "low",
    "high",
    "negative",
    "reason",
    "likely causes",
    "evidence",
    "read at",
    "run",
    "run complete",
)


class _Row:
    """What `csv.writer` writes to: it returns each row as text."""

    def write(self, row: str) -> str:
        return row


def write(report: Report) -> Iterator[str]:
    """Header row and one row a finding, in the order of `COLUMNS`; the header row alone where nothing was found."""
    rows = csv.writer(_Row(), quoting=csv.QUOTE_ALL)
    yield "\ufeff"
    yield rows.writerow(COLUMNS)
    for rule in report.rules:
        for finding in rule.findings:
            yield rows.writerow(list(_cells(report, rule, finding)))


def neutral(text: str) -> str:
    """A text cell that no spreadsheet takes for a formula, on one line."""
    start = next((char for char in text if char.isprintable() and not char.isspace()), "")
    is_formula = text[:1] in {"\t", "\r", "\n"} or unicodedata.normalize("NFKC", start)[:1] in {"=", "+", "-", "@"}
    return ("'" if is_formula else "") + visible(text)


def _cells(report: Report, rule: RuleResult, finding: Finding) -> Iterator[str]:
    stored = finding.stored
    yield neutral(rule.name)
    yield neutral(rule.table)
    yield finding.verdict
    yield neutral(finding.parent_text)
    yield json_text(item_to_dynamodb(finding.parent))
    if stored is None:
        yield ""
        yield ""
    else:
        yield stored.text if isinstance(stored, Number) and stored.is_valid else neutral(readable(stored))
        yield type_tag(stored)
    yield finding.real_text
    yield _digits(finding.drift)
    yield _digits(finding.low)
    yield _digits(finding.high)
    yield _yes(finding.negative)
    yield neutral(finding.reason)
    yield neutral("; ".join(finding.causes))
    yield finding.evidence.summary
    yield neutral(finding.evidence.looks[-1].at) if finding.evidence.looks else ""
    yield neutral(report.run_id)
    yield _yes(report.complete)


def _digits(number: Decimal | None) -> str:
    return "" if number is None else plain_digits(number)


def _yes(truth: bool) -> str:
    return "yes" if truth else "no"
