from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from dynodesk.domain.findings import Finding
from dynodesk.domain.values import Number, String
from dynodesk.reports import as_xlsx
from dynodesk.reports.as_xlsx import CELL_CHARACTERS, cut, fits
from dynodesk.reports.writers import render
from tests.reports.awkward import GROWING, GUARDS, LONGEST, awkward_report, post, rule_result
from tests.reports.payloads import PAYLOADS
from tests.reports.test_writers import hostile
from tests.reports.unpacked import xlsx_parts, xlsx_sheet, xlsx_table


def test_there_is_one_row_a_finding_with_its_key_attributes() -> None:
    report = awkward_report()
    rows = xlsx_table(render(report, "xlsx"), "Findings")
    assert [row["Verdict"] for row in rows] == [finding.verdict for finding in report.findings]
    liked = next(row for row in rows if row["Parent"] == "POST#a91f / META")
    assert (liked["Key PK"], liked["Key SK"], liked["Stored"], liked["Real"], liked["Drift"]) == (
        "POST#a91f",
        "META",
        41,
        37,
        4,
    )
    assert liked["Likely causes"] == 'Retries without a guard; A <b>writer</b> that "adds" `1` | twice'
    assert liked["Evidence"] == "2 strong passes, version unchanged"
    bounded = next(row for row in rows if row["Parent"] == "POST#negative / META")
    assert (bounded["Low"], bounded["High"], bounded.get("Drift")) == (-12, -6, None)


def test_digits_that_a_number_would_change_are_text() -> None:
    rows = {row["Parent"]: row for row in xlsx_table(render(awkward_report(), "xlsx"), "Findings")}
    assert rows["-0.50"]["Key id"] == "-0.50"
    assert (rows["-0.50"]["Stored"], rows["-0.50"]["Real"]) == (LONGEST, 1)
    assert rows["-0.50"]["Drift"] == LONGEST[:37] + "8" + "9" * 88
    assert rows["9" * 38]["Real"] == "9007199254740993"
    assert rows["POST#1.50 / META"]["Stored"] == "1.50"
    assert rows["POST#1.50 / META"]["Drift"] == 0.5
    assert rows["POST#no number / META"]["Stored"] == "=1+1"


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("0", True),
        ("-2", True),
        ("0.1", True),
        ("999999999999999", True),
        ("9999999999999999", False),
        ("1" + "0" * 125, True),
        ("0." + "0" * 120 + "1", True),
        ("0.1234567890123456", False),
        ("1.50", False),
        ("1E+1", False),
        ("-0", False),
        ("+5", False),
        ("007", False),
    ],
)
def test_a_number_of_a_sheet_gives_its_digits_back(text: str, does: bool) -> None:
    assert fits(text) is does
    if does:
        assert Decimal(repr(float(text))) == Decimal(text)


def test_the_summary_leads_with_the_causes() -> None:
    rows = xlsx_sheet(render(awkward_report(), "xlsx"), "Summary")
    first = [row.get("A") for row in rows]
    assert first[0] == "19 of 283 parents are off"
    at = first.index("Likely causes in")
    assert rows[at + 1] == {"A": "post likes", "C": GROWING}
    assert rows[at + 2] == {"A": "post likes", "B": 2, "C": "Retries without a guard"}
    assert at < first.index("Rule") < first.index("How it was read") < first.index("Note")
    counts = rows[first.index("Rule") + 1]
    assert list(counts.values()) == ["post likes", "Social", 265, 246, 4, 1, 2, 1, 1, 8, 1, 1]


def test_the_guards_keep_their_lines() -> None:
    rows = xlsx_table(render(awkward_report(), "xlsx"), "Guards")
    assert [row["Language"] for row in rows] == ["Python, boto3"] * 2 + ["JavaScript, SDK v3", "JSON request"]
    assert rows[0]["Code"] == GUARDS[0].code.replace("\u202e", "⟨U+202E⟩")


@pytest.mark.parametrize("payload", ["_x0041_", *PAYLOADS], ids=ascii)
def test_a_text_is_never_anything_else(payload: str) -> None:
    report = replace(hostile(payload), started="2026-01-02T03:04:05Z")
    written = render(report, "xlsx")
    parts = xlsx_parts(written)
    for name, text in parts.items():
        if name.startswith("xl/worksheets"):
            assert "<f>" not in text
            assert "hyperlink" not in text
    assert not [name for name in parts if "externalLink" in name or "drawing" in name]
    (row,) = xlsx_table(written, "Findings")
    assert (row["Real"], row["Drift"]) == (3, -2)
    if payload == "_x0041_":
        assert row["Rule"] == "_x005F_x0041_"  # what sheets read as the text itself


def test_a_text_longer_than_a_cell_is_cut_and_says_so() -> None:
    assert cut("a" * CELL_CHARACTERS) == "a" * CELL_CHARACTERS
    for text in ("a" * (CELL_CHARACTERS + 1), "😀" * CELL_CHARACTERS):
        shown = cut(text)
        assert len(shown.encode("utf-16-le")) // 2 <= CELL_CHARACTERS
        assert shown.endswith("… (cut: a report in CSV or JSON has all of it)")


def test_findings_beyond_the_last_row_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(as_xlsx, "SHEET_ROWS", 3)
    findings = [Finding("likes", "exact", post(str(n)), Number(str(n)), 0, Decimal(n)) for n in range(1, 5)]
    report = replace(awkward_report(), rules=(rule_result("likes", "Social", "", 0, *findings),))
    written = render(report, "xlsx")
    assert [row["Stored"] for row in xlsx_table(written, "Findings")] == [4, 3]
    said = "Only the 2 largest of 4 findings are listed here; a report in CSV or JSON lists all."
    assert {"A": said} in xlsx_sheet(written, "Summary")


def test_a_key_of_another_type_stays_of_its_type() -> None:
    finding = Finding("likes", "exact", {"id": Number("12"), "name": String("12")}, Number("2"), 1, Decimal(1))
    report = replace(awkward_report(), rules=(rule_result("likes", "Social", "", 0, finding),))
    (row,) = xlsx_table(render(report, "xlsx"), "Findings")
    assert (row["Key id"], row["Key name"]) == (12, "12")
