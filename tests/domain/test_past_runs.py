"""What the course of earlier runs says: a drift that only ever grows is one that is still being made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from dynodesk.domain.findings import VERDICTS, Finding, Report, RuleResult
from dynodesk.domain.past_runs import Course, PastRun, Where, account_of, past_runs
from dynodesk.domain.values import Number, String

PLACE = Where("5e1f", "Social", "https://dynamodb.eu-west-1.amazonaws.com", "eu-west-1", "111122223333")


def run(started: str, drift: str, *, complete: bool = True, scope: str = "whole table") -> PastRun:
    verdicts = {**dict.fromkeys(VERDICTS, 0), "ok": 99, "exact": 1}
    stopped = None if complete else "cancelled"
    return PastRun(PLACE, "likes", "7f3a", started, scope, complete, stopped, 100, verdicts, Decimal(drift))


def course(*drifts: str) -> Course:
    return Course.of([run(f"2026-05-{day:02}T10:00:00Z", drift) for day, drift in enumerate(drifts, 3)])


def report(*findings: Finding) -> Report:
    counts = {verdict: sum(finding.verdict == verdict for finding in findings) for verdict in VERDICTS}
    rule = RuleResult("likes", "Social", "", 100, {**counts, "ok": 100 - len(findings)}, findings)
    return Report(
        *("7f3a", "2026-05-03T10:00:00Z", "2026-05-03T10:01:00Z", "arn:aws:iam::111122223333:user/a"),
        *(PLACE.endpoint, PLACE.region, "social.toml", "whole table"),
        complete=True,
        stopped=None,
        read_units=Decimal(1),
        pages=1,
        notes=(),
        rules=(rule,),
    )


def finding(verdict: str, drift: str | None, low: str | None = None, high: str | None = None) -> Finding:
    sizes = [None if size is None else Decimal(size) for size in (drift, low, high)]
    return Finding("likes", verdict, {"PK": String("P")}, Number("1"), 1, *sizes)  # type: ignore[arg-type]  # a literal


def test_a_floor_at_zero_lets_drift_grow_and_the_history_says_so() -> None:
    stored_and_real = ((3745, 809), (6681, 809), (7415, 809))
    found = course(*(str(stored - real) for stored, real in stored_and_real))
    assert found.words == "2,936 on 3 May, 5,872 on 4 May, 6,606 on 5 May: growing"
    assert found.cause.startswith(f"The drift grows from run to run ({found.words}): a writer still makes it.")
    assert "floor at zero" in found.cause


@pytest.mark.parametrize(
    ("drifts", "word"),
    [
        ((), ""),
        (("5",), ""),
        (("1", "2"), ""),
        (("1", "2", "3"), "growing"),
        (("9", "0", "1", "2"), "growing"),
        (("3", "2", "1"), "shrinking"),
        (("3", "3", "3"), "steady"),
        (("1", "2", "2"), "changing"),
        (("1", "3", "2"), "changing"),
        (("1", "2", "3", "0"), "changing"),
    ],
)
def test_the_word_for_the_latest_runs(drifts: Sequence[str], word: str) -> None:
    assert course(*drifts).word == word
    assert bool(course(*drifts).cause) is (word == "growing")


def test_only_whole_tables_that_were_looked_at_to_the_end_count() -> None:
    everyone = "whole table, every parent confirmed"
    whole = [run("2026-05-03T10:00:00Z", "1"), run("2026-05-05T10:00:00Z", "3", scope=everyone)]
    part = run("2026-05-04T10:00:00Z", "9", complete=False)
    chosen = run("2026-05-04T11:00:00Z", "9", scope="2 chosen parents")
    assert Course.of([whole[1], part, chosen, whole[0]]).runs == tuple(whole)
    assert [one.why_not for one in (whole[0], part, chosen)] == ["", "partial: cancelled", "2 chosen parents"]


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (("2025-12-31T10:00:00Z", "2026-01-02T10:00:00Z"), "0.5 on 31 December 2025, 0.5 on 2 January 2026"),
        (("2026-05-03T10:00:00Z", "2026-05-03T22:05:00Z"), "0.5 on 3 May 10:00, 0.5 on 3 May 22:05"),
        (("2026-05-03T23:30:00-02:00",), "0.5 on 4 May"),
    ],
)
def test_days_are_told_apart(times: Sequence[str], words: str) -> None:
    assert Course.of([run(time, "0.5") for time in times]).words == words


def test_the_latest_runs_are_named() -> None:
    assert course(*map(str, range(1, 9))).words.startswith("4 on 6 May, 5 on 7 May")


def test_sizes_are_added_whatever_their_sign() -> None:
    findings = (
        finding("exact", "4"),
        finding("probable", "-0.5"),
        finding("bounded", None, "-12", "-6"),
        finding("suspect", "1000"),
        finding("orphans", None),
        finding("busy", None),
    )
    (kept,) = past_runs(report(*findings), {"likes": "5e1f"})
    assert (kept.drift, kept.off, kept.parents, kept.where) == (Decimal("10.5"), 4, 100, PLACE)


def test_no_digit_is_lost_in_adding() -> None:
    (kept,) = past_runs(report(finding("exact", "9" * 38), finding("exact", "-0.01")), {"likes": "5e1f"})
    assert kept.drift == Decimal("9" * 38 + ".01")
    assert kept.drift_text.endswith("999,999.01")


@pytest.mark.parametrize(
    ("identity", "account"),
    [
        ("arn:aws:sts::111122223333:assumed-role/support/eve", "111122223333"),
        ("account not known: asking for it was refused", ""),
        ("", ""),
        ("arn:aws", ""),
    ],
)
def test_the_account_is_that_of_the_identity(identity: str, account: str) -> None:
    assert account_of(identity) == account


def test_another_place_is_another_history() -> None:
    here, there = report(), replace(report(), endpoint="http://127.0.0.1:8000")
    (first,), (second,) = (past_runs(one, {"likes": "5e1f"}) for one in (here, there))
    assert first.where != second.where
