"""Findings: the words and the order, and what a report says of itself."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest
from hypothesis import given

from dynodesk.domain.findings import (
    DRIFT,
    MEANINGS,
    UNDECIDED,
    VERDICTS,
    Evidence,
    Finding,
    Report,
    RuleResult,
    Verdict,
    signed,
)
from dynodesk.domain.values import Binary, List, Map, Null, Number, NumberSet, String, Value
from tests.domain.strategies import decimals


def finding(
    key: str = "1",
    drift: str | None = None,
    *,
    verdict: Verdict = "exact",
    stored: Value | None = None,
    low: str | None = None,
    high: str | None = None,
    sort: Number | None = None,
) -> Finding:
    values = [None if text is None else Decimal(text) for text in (drift, low, high)]
    parent = {"PK": String(f"POST#{key}"), "SK": sort or String("META")}
    return Finding("likes", verdict, parent, stored, 3, values[0], low=values[1], high=values[2])


def report(*verdicts: Verdict, complete: bool = True) -> Report:
    halves = [
        RuleResult(
            name, "Social", "", 10, {verdict: verdicts.count(verdict) for verdict in set(verdicts)},
            tuple(finding(verdict=verdict) for verdict in verdicts if verdict != "ok"),
        )
        for name in ("one", "two")
    ]  # fmt: skip
    return Report("", "", "", "", "", "", "", "", complete, None, Decimal(0), 0, (), tuple(halves))


def test_every_verdict_has_a_meaning_and_one_place() -> None:
    assert tuple(MEANINGS) == VERDICTS
    assert not DRIFT & UNDECIDED
    assert set(VERDICTS) - DRIFT - UNDECIDED == {"ok", "gone"}


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        (None, ""),
        (Number("41"), "41"),
        (Number("10.0"), "10.0"),
        (Number("1E1"), "1E1"),
        (Number("NaN"), "NaN"),
        (Number("9" * 38), "9" * 38),
        (String("12"), '"12" (S)'),
        (String(""), '"" (S)'),
        (Null(), "null (NULL)"),
        (NumberSet((Number("1"),)), '{"$numberSet": [1]} (NS)'),
        (List((Number("NaN"),)), '[{"$number": "NaN"}] (L)'),
        (Map({}), "{} (M)"),
        (Binary(b"\0"), '{"$binary": "AA=="} (B)'),
    ],
)
def test_the_tally_as_stored(stored: Value | None, text: str) -> None:
    assert finding(stored=stored).stored_text == text


@pytest.mark.parametrize(
    ("drift", "low", "high", "text"),
    [
        ("4", None, None, "+4"),
        ("-2", None, None, "-2"),
        ("1E+2", None, None, "+100"),
        ("0.50", None, None, "+0.5"),
        (None, "12", "24", "+12…+24"),
        (None, "-12", "-6", "-12…-6"),
        (None, None, None, ""),
    ],
)
def test_drift_with_its_sign(drift: str | None, low: str | None, high: str | None, text: str) -> None:
    assert finding(drift=drift, low=low, high=high).drift_text == text


@given(decimals())
def test_a_signed_number_is_that_number(value: Decimal) -> None:
    text = signed(value)
    assert Decimal(text) == value
    assert text.startswith("+") == (value > 0)
    assert "E" not in text


@pytest.mark.parametrize(
    ("stored", "negative"),
    [
        (Number("-1"), True),
        (Number("-0"), False),
        (Number("0"), False),
        (Number("NaN"), False),
        (String("-1"), False),
        (None, False),
    ],
)
def test_a_count_below_zero_is_wrong_by_itself(stored: Value | None, *, negative: bool) -> None:
    assert finding(stored=stored).negative is negative


def test_texts_for_what_is_not_there() -> None:
    nothing = Finding("likes", "busy", {"PK": String("POST#1"), "SK": Number("7")}, None, None, None)
    assert (nothing.stored_text, nothing.real_text, nothing.drift_text) == ("", "", "")
    assert nothing.parent_text == "POST#1 / 7"
    assert finding().real_text == "3"


def test_the_largest_drift_comes_first_and_keys_in_table_order() -> None:
    ordered = [
        finding("big", "-" + "9" * 38),
        finding("big", "9" * 37 + "8"),
        finding("range", low="-500", high="-400", verdict="bounded"),
        finding("a", "-41"),
        finding("b", "41"),
        finding("c", "4"),
        finding("\uff61", "4"),
        finding("\U00010002", "4"),
        finding("a", sort=Number("9")),
        finding("a", sort=Number("10")),
        finding("b", verdict="orphans"),
    ]
    shuffled = list(ordered)
    for seed in range(20):
        random.Random(seed).shuffle(shuffled)
        assert sorted(shuffled, key=Finding.sort_key) == ordered


@pytest.mark.parametrize(
    ("passes", "version", "summary"),
    [
        (0, False, "not confirmed"),
        (1, True, "1 strong pass"),
        (2, True, "2 strong passes, version unchanged"),
        (3, False, "3 strong passes"),
    ],
)
def test_evidence_in_one_line(passes: int, *, version: bool, summary: str) -> None:
    assert Evidence(passes=passes, version=version).summary == summary


@pytest.mark.parametrize(
    ("verdicts", "complete", "found_drift", "undecided"),
    [
        ((), True, False, False),
        (("ok",), True, False, False),
        (("gone",), True, False, False),
        (("exact",), True, True, False),
        (("probable",), True, True, False),
        (("bounded",), True, True, False),
        (("orphans",), True, True, False),
        (("incomparable",), True, True, False),
        (("busy",), True, False, True),
        (("suspect",), True, False, True),
        (("exact", "busy"), True, True, True),
        ((), False, False, True),
        (("exact",), False, True, True),
    ],
)
def test_what_a_report_says_of_itself(
    verdicts: tuple[Verdict, ...], *, complete: bool, found_drift: bool, undecided: bool
) -> None:
    made = report(*verdicts, complete=complete)
    assert made.found_drift is found_drift
    assert made.undecided is undecided


def test_verdicts_are_summed_over_the_rules() -> None:
    made = report("ok", "exact", "exact", "busy")
    assert list(made.verdicts) == list(VERDICTS)
    assert {verdict: number for verdict, number in made.verdicts.items() if number} == {"ok": 2, "exact": 4, "busy": 2}
    assert len(made.findings) == 6
