"""The history of runs: what is added stays, what is damaged is kept aside, and what it says goes into the report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from dynodesk.domain.findings import VERDICTS, Finding, Report, RuleResult
from dynodesk.domain.values import Number, String
from dynodesk.store.paths import FileNotWritten
from dynodesk.store.run_history import RunHistory

HASHES = {"likes": "5e1f", "seats": "0a0b"}


def report(day: int, drift: int, *, complete: bool = True, run_id: str = "") -> Report:
    finding = Finding("likes", "exact", {"PK": String("P")}, Number("7"), 1, Decimal(drift))
    verdicts = dict.fromkeys(VERDICTS, 0)
    rules = (
        RuleResult("likes", "Social", "", 9, {**verdicts, "exact": 1, "ok": 8}, (finding,), causes=("Said before.",)),
        RuleResult("seats", "Rooms", "", 3, {**verdicts, "ok": 3}, ()),
    )
    return Report(
        *(run_id or f"run-{day}", f"2026-05-{day:02}T10:00:00Z", f"2026-05-{day:02}T10:01:00Z", ""),
        *("http://127.0.0.1:8000", "eu-west-1", "social.toml", "whole table"),
        complete=complete,
        stopped=None if complete else "cancelled",
        read_units=Decimal(1),
        pages=1,
        notes=("Said before.",),
        rules=rules,
    )


@pytest.fixture
def history(tmp_path: Path) -> Iterator[RunHistory]:
    kept = RunHistory(tmp_path / "history")
    yield kept
    assert {path.name for path in (tmp_path / "history").glob("*.part")} == set()


def test_without_a_file_it_is_empty_and_touches_nothing(tmp_path: Path) -> None:
    assert RunHistory(tmp_path / "history").of(HASHES.values()) == []
    assert list(tmp_path.iterdir()) == []


def test_what_is_added_is_read_by_rule_in_order(history: RunHistory) -> None:
    second, first = history.add(report(4, 8), HASHES), history.add(report(3, 5), HASHES)
    assert history.of(["5e1f"]) == [first[0], second[0]]
    assert history.of(["0a0b"]) == [first[1], second[1]]
    assert history.of(["unknown"]) == []
    assert len(history.path.read_bytes().splitlines()) == 4


def test_no_key_of_the_table_is_kept(history: RunHistory) -> None:
    history.add(report(3, 5), HASHES)
    likes, _ = map(json.loads, history.path.read_bytes().splitlines())
    assert "PK" not in history.path.read_text()
    assert (likes["version"], likes["drift"], likes["verdicts"]["exact"], likes["where"]["table"]) == (
        1,
        "5",
        1,
        "Social",
    )


def test_drift_that_grows_is_a_cause_in_the_report(history: RunHistory) -> None:
    reports = [history.remember(report(day, drift), HASHES) for day, drift in ((3, 2936), (4, 5872), (5, 6606))]
    assert [one.rules[0].causes for one in reports[:2]] == [("Said before.",)] * 2
    before, grows = reports[2].rules[0].causes
    assert before == "Said before."
    assert "(2,936 on 3 May, 5,872 on 4 May, 6,606 on 5 May: growing)" in grows
    assert reports[2].rules[1].causes == ()
    assert reports[2].notes == ("Said before.",)


def test_a_run_that_does_not_count_says_nothing_of_growth(history: RunHistory) -> None:
    for day, drift in ((3, 1), (4, 2), (5, 3)):
        history.add(report(day, drift), HASHES)
    assert history.remember(report(6, 9, complete=False), HASHES).rules[0].causes == ("Said before.",)


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b"",
        b"{}",
        b"[]",
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"version":1}',
        b'{"version":"1"}',
        b'{"version":1,"where":[]}',
    ],
    ids=ascii,
)
def test_a_damaged_line_is_kept_aside_and_said(history: RunHistory, line: bytes) -> None:
    (first, _), (second, _) = history.add(report(3, 5), HASHES), history.add(report(4, 8), HASHES)
    lines = history.path.read_bytes().splitlines()
    history.path.write_bytes(b"\n".join([*lines[:2], line, *lines[2:]]) + b"\n")
    assert history.of(["5e1f"]) == [first, second]
    assert history.notice == (
        "The history of runs had 1 line that cannot be read, now kept as history.jsonl.damaged-1."
    )
    assert history.path.with_name("history.jsonl.damaged-1").read_bytes() == line + b"\n"
    assert history.path.read_bytes().splitlines() == lines
    assert history.of(["5e1f"]) == [first, second]
    assert history.notice == ""


@pytest.mark.parametrize("field", ["started", "drift", "parents", "verdicts", "where"])
@pytest.mark.parametrize("value", [None, "x", 1, [], {}, "NaN", float("inf"), "0001-01-01T00:00:00+23:00"], ids=str)
def test_a_field_of_another_kind_is_damage(history: RunHistory, field: str, value: object) -> None:
    history.add(report(3, 5), HASHES)
    good = json.loads(history.path.read_bytes().splitlines()[0])
    if field == "parents" and value == 1:
        return  # that is one
    history.path.write_bytes(json.dumps({**good, field: value}).encode() + b"\n")
    assert history.of(["5e1f"]) == []
    assert "1 line" in history.notice


def test_a_line_cut_short_does_not_spoil_the_next(history: RunHistory) -> None:
    (first, _) = history.add(report(3, 5), HASHES)
    whole = history.path.read_bytes()
    history.path.write_bytes(whole + whole[:40])
    given = history.remember(report(4, 8), HASHES)
    assert [run.run_id for run in history.of(["5e1f"])] == [first.run_id, "run-4"]
    assert given.notes[-1] == "The history of runs had 1 line that cannot be read, now kept as history.jsonl.damaged-1."
    assert history.path.with_name("history.jsonl.damaged-1").read_bytes() == whole[:40] + b"\n"


def test_lines_of_a_later_version_are_left_alone(history: RunHistory) -> None:
    history.add(report(3, 5), HASHES)
    later = b'{"version":2,"runs":"of another shape"}\n'
    history.path.write_bytes(later + history.path.read_bytes())
    assert len(history.of(["5e1f"])) == 1
    history.add(report(4, 5), HASHES)
    assert history.path.read_bytes().startswith(later)
    assert history.notice == ""


def test_a_history_that_cannot_be_kept_costs_nothing_but_a_note(tmp_path: Path) -> None:
    (tmp_path / "history").write_text("a file where the folder should be")
    given = report(3, 5)
    kept = RunHistory(tmp_path / "history").remember(given, HASHES)
    assert kept.notes[-1].startswith("This run is not in the history: ")
    assert replace(kept, notes=given.notes) == given
    with pytest.raises(FileNotWritten):
        RunHistory(tmp_path / "history").add(given, HASHES)


def test_several_programs_may_add_at_once(history: RunHistory) -> None:
    def add(day: int) -> None:
        for number in range(5):
            RunHistory(history.path.parent).add(report(day, 1, run_id=f"{day}-{number}"), HASHES)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, (3, 4, 5, 6)))
    assert len({run.run_id for run in history.of(["5e1f"])}) == 20
