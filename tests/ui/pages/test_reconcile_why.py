"""What is said of a verdict follows from what was seen, and claims nothing beyond it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from dynodesk.domain.findings import MEANINGS, VERDICTS, Evidence, Finding, Look
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import Number, String
from dynodesk.ui.pages.reconcile_why import TITLES, clock_time, why
from tests.helpers.social import follows, likes, post, social, user
from tests.reconcile.test_run import Bench

START, END = "03:04:05.000", "03:04:37.000"
PARENT = {"PK": String("POST#p"), "SK": String("META")}


@pytest.fixture
def bench() -> Bench:
    return Bench(
        social(
            post("p", Number("-9")), *likes("p", 5), *likes("orphan", 3),
            post("text", String("12")), post("none", None),
            user("u", 1), *follows("u", 3),
        )
    )  # fmt: skip


def said_of(bench: Bench, parent: str) -> tuple[str, ...]:
    finding = next(finding for finding in bench.run().findings if finding.parent_text == f"{parent} / META")
    reasons = why(finding, bench.rule(finding.rule))
    assert reasons.title == TITLES[finding.verdict]
    assert reasons.sentences[0] == MEANINGS[finding.verdict]
    return reasons.sentences[1:]


def test_exact_names_what_stood_still_and_when(bench: Bench) -> None:
    assert said_of(bench, "POST#p") == (
        f"Both passes saw the same 5 children, and neither likeTally nor rev moved between {START} and {END} UTC.",
        "The wait of 30 s outlasts whatever a transactional writer had begun before the first read.",
        "The stored number is below zero, which no count can be.",
        "Every read it rests on was strongly consistent, of the base table Social.",
    )


def test_short_waits_are_owned_up_to(bench: Bench) -> None:
    bench.rules = tuple(replace(rule, settle=1, wait=2) for rule in bench.rules)
    assert (
        "This rule waits 1 s + 2 s; to outlast what a transactional writer has under way takes 2 s + 30 s. "
        "So it holds if nobody writes, or no write takes longer."
    ) in said_of(bench, "POST#p")


def test_probable_says_what_would_not_have_been_seen(bench: Bench) -> None:
    same, unseen, proof, *_ = said_of(bench, "USER#u")
    assert same.startswith("All three passes saw the same 3 children, and the parent item was the same in every one")
    assert unseen == "A value that moved away and back between two reads would not have been seen."
    assert "named in the rule as version" in proof


def test_orphans_and_the_incomparable_say_what_was_there(bench: Bench) -> None:
    orphans = said_of(bench, "POST#orphan")
    assert orphans[0].startswith("Both passes saw the same 3 children, and the parent did not exist in any of ")
    assert said_of(bench, "POST#text")[:2] == (
        "likeTally is a String, the rule needs a Number.",
        "A pass counted 0 children.",
    )
    assert 'With missing = "zero" in the rule, a missing tally is compared as 0.' in said_of(bench, "POST#none")


def finding_of(**changes: object) -> Finding:
    plain = Finding("post likes", "busy", PARENT, stored=None, real=None, drift=None)
    return replace(plain, **changes)  # type: ignore[arg-type]  # the fields are those of Finding


@pytest.fixture
def rule(bench: Bench) -> TallyRule:
    return bench.rule("post likes")


def test_a_bound_is_a_range_without_zero_and_no_size(rule: TallyRule) -> None:
    finding = finding_of(
        verdict="bounded", stored=Number("50"), real=32, low=Decimal(12), high=Decimal(24),
        reason="written 6 times during the pass", evidence=Evidence(1, consistent=True, version=True, tries=8),
    )  # fmt: skip
    read, *others = why(finding, rule).sentences[1:4]
    assert read.startswith("likeTally was 50 and the pass counted 32 children; the parent was written 6 times during")
    assert read.endswith("each write can have changed one child behind the pass.")
    assert others == [
        "So the drift is at least +12 and at most +24, and not 0.",
        "None of 8 tries found the parent at rest.",
    ]


def test_a_busy_parent_is_told_what_would_help(rule: TallyRule) -> None:
    finding = finding_of(reason="changed or held by a writer in each of 8 tries")
    with_version = why(finding, rule).sentences
    assert with_version[1:] == ("changed or held by a writer in each of 8 tries.", "Run again at a quieter time.")
    assert any("With a version attribute" in said for said in why(finding, replace(rule, version=None)).sentences)


def test_a_suspect_is_not_accused(rule: TallyRule) -> None:
    finding = finding_of(
        verdict="suspect", stored=Number("41"), real=37, drift=Decimal(4), reason="not confirmed: cancelled"
    )
    assert why(finding, rule).sentences[1:] == (
        "The sweep, an eventually consistent Scan, saw 41 stored and 37 children.",
        "A write under way at that moment looks just the same.",
        "It was not confirmed: cancelled.",
    )


def test_times_are_those_of_the_try_that_counted(rule: TallyRule) -> None:
    def look(second: int, what: str) -> Look:
        return Look(f"2026-01-02T03:04:{second:02}.000Z", what, "")

    fence, first, second = "Parent, transactional", "Pass 1, strong, 1 page", "Pass 2, strong, 2 pages"
    looks = (
        look(1, fence), look(2, first), look(3, fence),
        look(10, fence), look(11, "Waited 2 s"), look(13, first), look(14, fence), look(15, second), look(16, fence),
    )  # fmt: skip
    evidence = Evidence(2, consistent=True, version=True, tries=2, looks=looks)
    finding = finding_of(verdict="exact", stored=Number("1"), real=0, drift=Decimal(1), evidence=evidence)
    said = why(finding, rule).sentences
    assert "moved between 03:04:10.000 and 03:04:16.000 UTC" in said[1]
    assert said[2] == "An earlier try was disturbed by a writer and not used."


def test_an_attribute_may_be_named_like_a_placeholder(rule: TallyRule) -> None:
    odd = replace(rule, version="{0}")
    finding = finding_of(verdict="exact", stored=Number("1"), real=0, evidence=Evidence(2, version=True, tries=1))
    assert why(finding, odd).sentences[1] == "Both passes saw the same 0 children, and neither likeTally nor {0} moved."


def test_every_verdict_has_a_title() -> None:
    assert tuple(TITLES) == VERDICTS


def test_a_time_of_day_is_read_off_the_time() -> None:
    assert clock_time("2026-01-02T03:04:05.678Z") == "03:04:05.678"
