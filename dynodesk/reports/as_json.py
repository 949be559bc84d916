"""The report for programs: one JSON object, numbers as text, keys as DynamoDB JSON, one finding a line."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from dynodesk.domain.findings import VERDICTS, Finding, Report, RuleResult
from dynodesk.domain.item_json import item_to_dynamodb, readable
from dynodesk.domain.values import plain_digits
from dynodesk.reports.characters import json_text

VERSION = 1
"""Of the shape: fields may be added to it, none renamed or removed."""


def write(report: Report) -> Iterator[str]:
    yield f'{{"version": {VERSION},\n "run": {json_text(_run(report))},\n "rules": ['
    for number, rule in enumerate(report.rules):
        yield ",\n  " if number else "\n  "
        # Opened by hand so that each finding is a line of its own: `grep` and `diff` work on it.
        yield json_text(_rule(rule))[:-1] + ', "findings": ['
        for position, finding in enumerate(rule.findings):
            yield ",\n   " if position else "\n   "
            yield json_text(_finding(finding))
        yield "\n  ]}" if rule.findings else "]}"
    yield "]}\n"


def _run(report: Report) -> dict[str, object]:
    return {
        "id": report.run_id,
        "started": report.started,
        "ended": report.ended,
        "identity": report.identity,
        "endpoint": report.endpoint,
        "region": report.region,
        "complete": report.complete,
        "stopped": report.stopped,
        "read_units": plain_digits(report.read_units),
        "pages": report.pages,
        "rules_file": report.rules_file,
        "scope": report.scope,
        "notes": list(report.notes),
    }


def _rule(rule: RuleResult) -> dict[str, object]:
    return {
        "name": rule.name,
        "table": rule.table,
        "text": rule.text,
        "parents": rule.parents,
        "verdicts": {verdict: rule.verdicts.get(verdict, 0) for verdict in VERDICTS},
        "causes": list(rule.causes),
        "guards": [{"language": one.language, "title": one.title, "code": one.code} for one in rule.guards],
    }


def _finding(finding: Finding) -> dict[str, object]:
    evidence = finding.evidence
    return {
        "verdict": finding.verdict,
        "parent": item_to_dynamodb(finding.parent),
        "stored": None if finding.stored is None else readable(finding.stored),
        "real": None if finding.real is None else str(finding.real),
        "drift": _digits(finding.drift),
        "low": _digits(finding.low),
        "high": _digits(finding.high),
        "negative": finding.negative,
        "reason": finding.reason or None,
        "causes": list(finding.causes),
        "evidence": {
            "passes": evidence.passes,
            "consistent": evidence.consistent,
            "version": evidence.version,
            "at": [look.at for look in evidence.looks],
            "looks": [{"at": look.at, "what": look.what, "result": look.result} for look in evidence.looks],
        },
    }


def _digits(number: Decimal | None) -> str | None:
    return None if number is None else plain_digits(number)
