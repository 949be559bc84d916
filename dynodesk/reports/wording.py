"""The sentences and figures that every form of a report shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from dynodesk.domain.findings import (
    DRIFT,
    LANGUAGES,
    UNDECIDED,
    VERDICTS,
    Finding,
    Guard,
    Report,
    RuleResult,
    Verdict,
)
from dynodesk.domain.values import plain_digits

GUARDS = "The writes that keep this tally right"
DEFINITION = "Drift = stored − real: the number in the parent minus the number of children."


def headline(report: Report) -> str:
    """The answer in one sentence. It never says that all is well of parents that nobody looked at."""
    parents = sum(rule.parents for rule in report.rules)
    off = sum(report.verdicts[verdict] for verdict in DRIFT)
    if off:
        return f"{off:,} of {counted(parents, 'parent')} {'is' if off == 1 else 'are'} off"
    open_questions = sum(report.verdicts[verdict] for verdict in UNDECIDED)
    if open_questions:
        are = "is" if open_questions == 1 else "are"
        return f"{open_questions:,} of {counted(parents, 'parent')} {are} not decided"
    if report.undecided:
        return f"Nothing is off as far as was looked at: {counted(parents, 'parent')}"
    if report.compared_nothing:
        return f"Nothing was compared: {counted(parents, 'parent')} {'does' if parents == 1 else 'do'} not exist"
    if not parents:
        return "No parent was found: nothing was compared"
    return f"Nothing is off: {counted(parents, 'parent')} looked at"


def gaps(report: Report) -> Iterator[str]:
    """What was not looked at, or not decided. Nothing for a report that is the whole answer."""
    if not report.complete:
        why = f" ({report.stopped.rstrip('.')})" if report.stopped else ""
        yield f"Partial: not everything was looked at{why}. Parents that are not listed may be wrong too."
    elif report.stopped:
        yield f"Ended early: {report.stopped.rstrip('.')}."
    left = {verdict: count for verdict, count in report.verdicts.items() if verdict in UNDECIDED and count}
    if left:
        parts = ", ".join(f"{count:,} {verdict}" for verdict, count in left.items())
        yield f"Left open: {parts}. Nothing can be said of {'this parent' if sum(left.values()) == 1 else 'these'} yet."


def facts(report: Report) -> Iterator[tuple[str, str]]:
    """Who read what, where, when, how, and what it cost: label and text."""
    findings = report.findings
    confirmed = sum(1 for finding in findings if finding.evidence.passes and finding.evidence.consistent)
    place = f"{report.endpoint} · {report.region}" if report.region else report.endpoint
    yield "Started", report.started
    yield "Ended", report.ended
    yield "Read by", report.identity
    yield "Read from", place
    yield "Rules", report.rules_file
    yield "Scope", report.scope
    yield "Cost", f"{plain_digits(report.read_units)} read units, {counted(report.pages, 'page')}"
    yield "Confirmed", f"{confirmed:,} of {counted(len(findings), 'finding')} by strongly consistent reads"
    yield "Run", report.run_id


def counts(verdicts: Mapping[Verdict, int]) -> list[tuple[Verdict, int]]:
    """Verdicts that occur and how often, `ok` last."""
    found = [(verdict, verdicts.get(verdict, 0)) for verdict in (*VERDICTS[1:], VERDICTS[0])]
    return [(verdict, count) for verdict, count in found if count]


def causes(rule: RuleResult) -> list[tuple[str, int]]:
    """Likely causes of a rule's findings and for how many each is named, most frequent first."""
    return Counter(cause for finding in rule.findings for cause in finding.causes).most_common()


def guards(rule: RuleResult) -> list[tuple[str, list[Guard]]]:
    """The writes that keep a rule's tally right, by the name of their language."""
    by_language = ((name, [one for one in rule.guards if one.language == code]) for code, name in LANGUAGES.items())
    return [(name, found) for name, found in by_language if found]


def remarks(finding: Finding) -> list[str]:
    """What there is to say of a finding besides its numbers: why, what else is wrong, how it was established."""
    found = [finding.reason] if finding.reason else []
    if finding.negative:
        found.append("the stored number is negative")
    if not finding.reason.startswith(finding.evidence.summary):  # "not confirmed: the run was stopped" says it already
        found.append(finding.evidence.summary)
    return found


def clock(at: str, report: Report) -> str:
    """The time of day of a look where its date is the one the report already gives, else all of it."""
    return at.removeprefix(report.started[: len("2026-01-02T")])


def shortened(rule: RuleResult, listed: int) -> str:
    """What to say where only the first `listed` findings of a rule are shown."""
    found = counted(len(rule.findings), "finding")
    return f"Only the {listed:,} largest of {found} are listed here; a report in CSV or JSON lists all."


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
