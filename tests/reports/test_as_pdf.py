from __future__ import annotations

import io
from dataclasses import replace
from decimal import Decimal

import pytest
from pypdf import PdfReader

from dynodesk.domain.findings import Finding
from dynodesk.domain.values import Number, String
from dynodesk.reports import as_pdf
from dynodesk.reports.writers import render
from tests.reports.awkward import GROWING, awkward_report, confirmed, post, rule_result
from tests.reports.payloads import PAYLOADS
from tests.reports.test_writers import hostile
from tests.reports.unpacked import pdf_pages, unspaced


@pytest.fixture(scope="module")
def pages() -> list[str]:
    return pdf_pages(render(awkward_report(), "pdf"))


def test_every_page_has_the_run_above_and_its_number_below(pages: list[str]) -> None:
    assert len(pages) == 3
    for number, page in enumerate(pages, 1):
        assert page.startswith("dynodesk reconcile report · run 20260102T030405Z-7f3a · 2026-01-02T03:04:05Z")
        assert page.endswith(f"Page {number}")
    assert "End of the report: 3 pages." in pages[-1]


def test_the_causes_come_first_and_the_guards_are_there(pages: list[str]) -> None:
    text = unspaced("".join(pages))
    cause, table, read = (text.index(unspaced(part)) for part in (GROWING, "VerdictParent", "How it was read"))
    assert cause < table < read
    assert 'client.delete_item(Key="=1+1")' in pages[-1]
    assert '    "TransactItems": [{"Put": "LIKE#<user>"}]' in pages[-1]


def test_the_head_of_a_table_is_on_every_page_of_it() -> None:
    findings = [Finding("likes", "exact", post(str(n)), Number(str(n)), 0, Decimal(n)) for n in range(1, 60)]
    report = replace(awkward_report(), rules=(rule_result("likes", "Social", "", 0, *findings),))
    with_rows = [page for page in pdf_pages(render(report, "pdf")) if "POST#" in page]
    assert len(with_rows) > 1
    assert ["Verdict" in page for page in with_rows] == [True] * len(with_rows)


def test_nothing_is_lost_for_want_of_a_glyph(pages: list[str]) -> None:
    first = unspaced(pages[0])
    assert "POST#⟨U+65E5⟩⟨U+672C⟩⟨U+8A9E⟩é❤/META" in first
    assert "POST#nul⟨U+0000⟩tab⟨U+0009⟩new⟨U+000D⟩⟨U+000A⟩line⟨U+001B⟩[31m⟨U+009B⟩/META" in first


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("naïve Ωμέγα Привет żółć ✓", "naïve Ωμέγα Привет żółć ✓"),
        ("🦄", "⟨U+1F984⟩"),
        ("שלום", "⟨U+05E9⟩⟨U+05DC⟩⟨U+05D5⟩⟨U+05DD⟩"),
        ("{nb}", "{nb}"),
    ],
)
def test_a_text_is_drawn_or_spelled(text: str, shown: str) -> None:
    rule = rule_result(text, "Social", "", 1)
    (page,) = pdf_pages(render(replace(awkward_report(), rules=(rule,)), "pdf"))
    assert f"{shown} in Social" in page


def test_a_cell_too_long_for_a_page_is_cut_and_says_so() -> None:
    finding = Finding("likes", "incomparable", post("a" * 2048), String("W" * 400_000), 0, None, evidence=confirmed())
    report = replace(awkward_report(), rules=(rule_result("likes", "Social", "", 0, finding),))
    text = unspaced("".join(pdf_pages(render(report, "pdf"))))
    assert "(cut:400,006characters)" in text
    assert "(cut:2,060characters)" in text


def test_a_very_long_list_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(as_pdf, "LISTED", 2)
    findings = [Finding("likes", "exact", post(str(n)), Number(str(n)), 0, Decimal(n)) for n in range(1, 4)]
    report = replace(awkward_report(), rules=(rule_result("likes", "Social", "", 0, *findings),))
    (page,) = pdf_pages(render(report, "pdf"))
    assert ("POST#3" in page, "POST#1" in page) == (True, False)
    assert "Only the 2 largest of 3 findings are listed here; a report in CSV or JSON lists all." in page


def test_no_text_becomes_an_action() -> None:
    report = replace(hostile(" ".join(PAYLOADS)), started="2026-01-02T03:04:05Z")
    reader = PdfReader(io.BytesIO(render(report, "pdf")))
    root = reader.root_object
    assert set(root) <= {"/Type", "/Pages", "/PageLayout", "/OpenAction"}
    assert "/S" not in str(root.get("/OpenAction"))  # which page is shown first, nothing else
    assert not any("/Annots" in page for page in reader.pages)
    assert reader.get_fields() is None
