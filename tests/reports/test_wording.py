from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from dynodesk.domain.findings import Finding, Report, Verdict
from dynodesk.domain.values import Number
from dynodesk.reports import wording
from tests.reports.awkward import awkward_report, post, rule_result


def report(*verdicts: Verdict, complete: bool = True, stopped: str | None = None) -> Report:
    findings = [
        Finding("likes", verdict, post(str(position)), Number("2"), 1, Decimal(1))
        for position, verdict in enumerate(verdicts)
    ]
    rules = (rule_result("likes", "Social", "", 1000, *findings),)
    return replace(awkward_report(), complete=complete, stopped=stopped, rules=rules)


NOT_ONE = rule_result("likes", "Social", "", 0)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (report(), "Nothing is off: 1,000 parents looked at"),
        (report("gone"), "Nothing is off: 1,001 parents looked at"),
        (report("exact"), "1 of 1,001 parents is off"),
        (report("exact", "orphans", "busy"), "2 of 1,003 parents are off"),
        (report("busy"), "1 of 1,001 parents is not decided"),
        (replace(report(), rules=(NOT_ONE,)), "No parent was found: nothing was compared"),
        (report(complete=False), "Nothing is off as far as was looked at: 1,000 parents"),
    ],
)
def test_the_headline_claims_no_more_than_was_seen(given: Report, sentence: str) -> None:
    assert wording.headline(given) == sentence


@pytest.mark.parametrize(
    ("given", "sentences"),
    [
        (report("exact"), []),
        (
            report(complete=False, stopped="cancelled."),
            ["Partial: not everything was looked at (cancelled). Parents that are not listed may be wrong too."],
        ),
        (
            report(complete=False),
            ["Partial: not everything was looked at. Parents that are not listed may be wrong too."],
        ),
        (report(stopped="out of budget"), ["Ended early: out of budget."]),
        (report("busy"), ["Left open: 1 busy. Nothing can be said of this parent yet."]),
        (report("busy", "suspect", "busy"), ["Left open: 2 busy, 1 suspect. Nothing can be said of these yet."]),
    ],
)
def test_what_was_not_looked_at_is_said(given: Report, sentences: list[str]) -> None:
    assert list(wording.gaps(given)) == sentences


@pytest.mark.parametrize(
    ("at", "shown"),
    [("2026-01-02T03:04:33.214Z", "03:04:33.214Z"), ("2026-01-03T00:00:01Z", "2026-01-03T00:00:01Z"), ("", "")],
)
def test_the_date_of_a_look_is_left_out_where_it_is_that_of_the_run(at: str, shown: str) -> None:
    assert wording.clock(at, awkward_report()) == shown


def test_a_remark_says_nothing_twice() -> None:
    (stopped,) = report("suspect").findings
    assert wording.remarks(stopped) == ["not confirmed"]
    assert wording.remarks(replace(stopped, reason="not confirmed: cancelled")) == ["not confirmed: cancelled"]
    assert wording.remarks(replace(stopped, reason="busy")) == ["busy", "not confirmed"]


def test_causes_are_counted_most_frequent_first() -> None:
    assert wording.causes(awkward_report().rules[0])[0] == ("Retries without a guard", 2)


def test_verdicts_that_occur_are_counted_with_ok_last() -> None:
    assert wording.counts(report("busy", "exact").verdicts) == [("exact", 1), ("busy", 1), ("ok", 1000)]
