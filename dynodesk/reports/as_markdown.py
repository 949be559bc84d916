"""The report for tickets and chats: Markdown whose markup is all our own.

What comes from the table stands in code spans, where nothing is markup, a link or a mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dynodesk.domain.findings import MEANINGS, Finding, Guard, Report, RuleResult
from dynodesk.reports import wording
from dynodesk.reports.characters import visible, visible_lines

_HARMLESS = re.compile(r"(?!.*(?:://|\bwww\.|\b_|_\b))[\w ,.;:()'\"+=%/·…−–?!-]*")


def write(report: Report) -> Iterator[str]:
    yield from (f"{line}\n" for line in _lines(report))


def code(text: str, *, in_table: bool = False) -> str:
    """The text as a code span; nothing for an empty text."""
    if not text:
        return ""
    shown = visible(text)
    if in_table:
        # Here `\|` is a bar, also inside a span, and a bar after a backslash cannot be written at all: its code is.
        shown = re.sub(r"\\\|", r"\\⟨U+007C⟩", shown).replace("|", r"\|")
    longest = max(map(len, re.findall("`+", shown)), default=0)
    # Readers take one blank off both ends: it keeps backticks of the text apart from ours, and its own blanks alive.
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    fence = "`" * (longest + 1)
    return f"{fence}{pad}{shown}{pad}{fence}"


def prose(text: str, *, in_table: bool = False) -> str:
    """A sentence as it is where nothing in it could be markup, else as a code span."""
    return text if _HARMLESS.fullmatch(text) and text.isprintable() else code(text, in_table=in_table)


def _lines(report: Report) -> Iterator[str]:
    yield f"# {wording.headline(report)}"
    yield ""
    for gap in wording.gaps(report):
        yield f"> **{prose(gap)}**"
        yield ""
    for rule in report.rules:
        yield from _rule(rule)
        yield ""
    yield "## How it was read"
    yield ""
    yield from (f"- {label}: {code(text)}" for label, text in wording.facts(report) if text)
    yield f"- {wording.DEFINITION}"
    yield from (f"- Note: {prose(note)}" for note in report.notes)
    yield ""
    yield from (f"- **{verdict}**: {MEANINGS[verdict]}" for verdict, _ in wording.counts(report.verdicts))


def _rule(rule: RuleResult) -> Iterator[str]:
    yield f"## {code(rule.name)} in {code(rule.table)}"
    yield ""
    if rule.text:
        yield f"Rule: {prose(rule.text)}"
        yield ""
    verdicts = " · ".join(f"{verdict} {count:,}" for verdict, count in wording.counts(rule.verdicts))
    yield f"{wording.counted(rule.parents, 'parent')}{': ' if verdicts else ''}{verdicts}"
    for cause in rule.causes:
        yield ""
        yield f"Likely cause: {prose(cause)}"
    for cause, count in wording.causes(rule):
        yield ""
        yield f"Likely cause of {wording.counted(count, 'finding')}: {prose(cause)}"
    if rule.findings:
        yield ""
        yield "| Verdict | Parent | Stored | Real | Drift | Evidence |"
        yield "|---|---|--:|--:|--:|---|"
        yield from map(_row, rule.findings)
    if rule.guards:
        yield ""
        yield f"### {wording.GUARDS}"
    for language, guards in wording.guards(rule):
        for guard in guards:
            yield ""
            yield f"{prose(guard.title)} ({language}):"
            yield ""
            yield from _fenced(guard)


def _fenced(guard: Guard) -> Iterator[str]:
    """The code in a block whose fence is longer than any in it."""
    longest = max(map(len, re.findall("`+", guard.code)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{guard.language}"
    yield visible_lines(guard.code)
    yield fence


def _row(finding: Finding) -> str:
    parent, stored = (code(text, in_table=True) for text in (finding.parent_text, finding.stored_text))
    said = "; ".join(prose(text, in_table=True) for text in wording.remarks(finding))
    return f"| **{finding.verdict}** | {parent} | {stored} | {finding.real_text} | {finding.drift_text} | {said} |"
