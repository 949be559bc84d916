"""The report for a terminal: aligned columns, nothing in it that a terminal would obey."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from dynodesk.domain.findings import Finding, Report, RuleResult
from dynodesk.reports import wording
from dynodesk.reports.characters import visible

_HEADER = ("VERDICT", "PARENT", "STORED", "REAL", "DRIFT", "EVIDENCE")
_RIGHT = frozenset({2, 3, 4})
_MISSING = "–"
_WIDEST = 40
"""Columns of a terminal. A longer cell is written whole and moves the rest of its own row only."""


def write(report: Report) -> Iterator[str]:
    yield from (f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    for rule in report.rules:
        yield from _rule(rule)
        yield ""
    yield from (f"{label + ':':<11}{visible(text)}" for label, text in wording.facts(report) if text)
    yield from (f"{'Note:':<11}{visible(note)}" for note in report.notes)
    yield wording.DEFINITION
    yield ""
    yield from map(visible, wording.gaps(report))
    yield f"{wording.headline(report)}."


def _rule(rule: RuleResult) -> Iterator[str]:
    yield f"{visible(rule.name)} in {visible(rule.table)}"
    if rule.text:
        yield f"  {visible(rule.text)}"
    verdicts = " · ".join(f"{verdict} {count:,}" for verdict, count in wording.counts(rule.verdicts))
    yield f"  {wording.counted(rule.parents, 'parent')}{': ' if verdicts else ''}{verdicts}"
    for cause in rule.causes:
        yield f"  Likely cause: {visible(cause)}"
    for cause, count in wording.causes(rule):
        yield f"  Likely cause of {wording.counted(count, 'finding')}: {visible(cause)}"
    if rule.guards:
        yield f"  {wording.GUARDS} are in the report: --report FILE.html or FILE.md, as code for your language."
    if rule.findings:
        yield ""
        yield from _table([_HEADER, *map(_cells, rule.findings)])


def _cells(finding: Finding) -> tuple[str, ...]:
    said = "; ".join(wording.remarks(finding))
    numbers = (finding.stored_text, finding.real_text, finding.drift_text)
    return tuple(visible(text) or _MISSING for text in (finding.verdict, finding.parent_text, *numbers, said))


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [min(_WIDEST, max(map(_width, column))) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            _padded(cell, width, right=position in _RIGHT)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  " + "  ".join(cells).rstrip()


def _padded(cell: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - _width(cell))
    return blanks + cell if right else cell + blanks


def _width(text: str) -> int:
    """Columns of a terminal that the text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1
        for char in text
    )
