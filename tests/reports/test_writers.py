"""Every form together: golden bytes, the same numbers in each, hostile texts harmless in each."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.findings import Evidence, Finding, Guard, Look, Report
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Number, String, Value
from dynodesk.reports.characters import visible
from dynodesk.reports.writers import FORMATS, form_of, render
from tests.reports import parsed
from tests.reports.awkward import awkward_report, rule_result
from tests.reports.golden import golden
from tests.reports.payloads import PAYLOADS
from tests.reports.unpacked import comparable, pdf_pages, unspaced, xlsx_table


def hostile(text: str, key: Key | None = None, stored: Value | None = None) -> Report:
    """A report in which `text` stands everywhere a text can stand."""
    evidence = Evidence(2, consistent=True, looks=(Look(text, text, text),))
    key = key or {text: String(text), "sort": String(text)}
    finding = Finding(
        text, "incomparable", key, stored or String(text), 3, Decimal(-2), None, None, text, (text,), evidence
    )
    rule = rule_result(text, text, text, 1, finding)
    guards = (Guard("python", text, text.replace("\n", " ")),)
    return Report(
        run_id=text,
        started=text,
        ended=text,
        identity=text,
        endpoint=text,
        region=text,
        rules_file=text,
        scope=text,
        complete=False,
        stopped=text,
        read_units=Decimal("0.5"),
        pages=1,
        notes=(text,),
        rules=(replace(rule, guards=guards, causes=(text,)),),
    )


@pytest.mark.parametrize("form", [*FORMATS, "text"])
def test_a_report_is_the_golden_bytes(form: str) -> None:
    written = comparable(form, render(awkward_report(), form))
    name = {"text": "report.txt", "pdf": "report.pdf.txt", "xlsx": "report.xlsx.xml"}.get(form, f"report.{form}")
    assert written == golden(name, written)


@pytest.mark.parametrize("form", [*FORMATS, "text"])
def test_the_same_report_is_the_same_bytes(form: str) -> None:
    assert render(awkward_report(), form) == render(awkward_report(), form)


def test_every_form_gives_the_same_numbers() -> None:
    report = awkward_report()
    rows = [
        parsed.Row(
            finding.verdict,
            visible(finding.parent_text),
            visible(finding.stored_text),
            finding.real_text,
            finding.drift_text,
        )
        for finding in report.findings
    ]
    assert len(rows) == 22
    assert parsed.html_rows(render(report, "html")) == rows
    assert parsed.csv_rows(render(report, "csv")) == rows
    # Where a bar follows a backslash Markdown has no way to write it, and its code stands for it.
    as_markdown = [
        parsed.Row(r.verdict, r.parent.replace(r"\|", r"\⟨U+007C⟩"), r.stored, r.real, r.drift) for r in rows
    ]
    assert parsed.markdown_rows(render(report, "md")) == as_markdown
    found = [f for rule in parsed.json_object(render(report, "json"))["rules"] for f in rule["findings"]]
    for row, finding, decoded in zip(rows, report.findings, found, strict=True):
        assert (decoded["verdict"], decoded["real"] or "") == (row.verdict, row.real)
        assert parsed.shown_drift(decoded["drift"], decoded["low"], decoded["high"]) == row.drift
        if isinstance(finding.stored, Number):
            assert decoded["stored"] == row.stored
    pages = unspaced("".join(pdf_pages(render(report, "pdf"))))
    for finding in report.findings:
        # The fonts of PDF have no glyphs for some: those are spelled, as its own tests show.
        if finding.parent_text.isascii() and finding.parent_text.isprintable():
            cells = (finding.verdict, finding.parent_text, finding.stored_text, finding.real_text, finding.drift_text)
            assert unspaced("".join(cells)) in pages, cells
    in_sheet = xlsx_table(render(report, "xlsx"), "Findings")
    for row, named in zip(rows, in_sheet, strict=True):
        drift, low, high = (_digits(named.get(name)) for name in ("Drift", "Low", "High"))
        stored = parsed.shown_stored(_digits(named.get("Stored")), str(named.get("Stored type", "")))
        shown = parsed.shown_drift(drift, low, high)
        found_row = parsed.Row(str(named["Verdict"]), str(named["Parent"]), stored, _digits(named.get("Real")), shown)
        assert found_row == row
    text = render(report, "text").decode()
    for row in rows:
        shown_cells = [cell or "–" for cell in (row.verdict, row.parent, row.stored, row.real, row.drift)]
        assert re.search("^  " + r" {2,}".join(map(re.escape, shown_cells)) + "  ", text, re.MULTILINE), row


def _digits(cell: str | float | None) -> str:
    return "" if cell is None else f"{cell:g}" if isinstance(cell, float) else cell


def test_every_form_gives_the_same_counts() -> None:
    report = awkward_report()
    counts = [{verdict: count for verdict, count in rule.verdicts.items() if count} for rule in report.rules]
    assert parsed.html_counts(render(report, "html")) == counts
    assert parsed.text_counts(render(report, "md")) == counts
    assert parsed.text_counts(render(report, "text")) == counts
    decoded = parsed.json_object(render(report, "json"))["rules"]
    assert [{v: n for v, n in rule["verdicts"].items() if n} for rule in decoded] == counts
    in_csv = parsed.csv_table(render(report, "csv"))
    assert len(in_csv) == sum(sum(rule.values()) - rule.get("ok", 0) for rule in counts)


@pytest.mark.parametrize("form", ["html", "md", "text"])
def test_a_partial_report_says_so_and_what_drift_is(form: str) -> None:
    written = render(awkward_report(), form).decode()
    assert "Partial: not everything was looked at (budget of 500 read units used up)." in written
    assert "Drift = stored − real" in written


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
class TestHostileTexts:
    def test_a_web_page_keeps_its_structure(self, payload: str) -> None:
        tree = parsed.html_tree(render(hostile(payload), "html"))
        harmless = parsed.html_tree(render(hostile("harmless"), "html"))
        assert [(e.tag, list(e.attributes)) for e in tree.walk()] == [
            (e.tag, list(e.attributes)) for e in harmless.walk()
        ]
        for element in tree.walk():
            assert element.tag not in {"script", "a", "img", "iframe", "link", "base", "form", "object", "embed"}
            assert not any(name.startswith("on") or name in {"style", "src"} for name in element.attributes)
            assert (element.attributes.get("href") or "#").startswith("#")
        assert visible(payload) in tree.all("h2")[0].text

    def test_no_cell_of_a_spreadsheet_is_a_formula(self, payload: str) -> None:
        (row,) = parsed.csv_table(render(hostile(payload), "csv"))
        for name, cell in row.items():
            if name in {"real", "drift", "low", "high"}:
                continue
            first = unicodedata.normalize("NFKC", cell.lstrip(" "))[:1]
            assert first not in {"=", "+", "-", "@"}, (name, cell)
            assert cell.isprintable(), (name, cell)
        assert (row["real"], row["drift"]) == ("3", "-2")
        assert row["rule"].removeprefix("'") == visible(payload).removeprefix("'")

    def test_json_gives_the_text_back(self, payload: str) -> None:
        written = render(hostile(payload), "json")
        decoded = parsed.json_object(written)
        (rule,) = decoded["rules"]
        (finding,) = rule["findings"]
        assert rule["causes"] == [payload]
        assert rule["guards"] == [{"language": "python", "title": payload, "code": payload.replace("\n", " ")}]
        assert decoded["run"]["identity"] == rule["name"] == finding["stored"] == finding["causes"][0] == payload
        assert finding["parent"][payload] == {"S": payload}
        assert written.decode().replace("\n", "").isprintable()

    def test_markdown_has_no_markup_outside_code(self, payload: str) -> None:
        written = render(hostile(payload), "md").decode()
        harmless = render(hostile("harmless"), "md").decode()
        assert written.replace("\n", "").isprintable()
        assert written.count("\n") == harmless.count("\n")
        outside = parsed.outside_code(written)
        assert not re.search(r"[<\[\]~$&@\\{}`]|://|www\.", outside), outside
        rows = [line for line in written.splitlines() if line.startswith("| **")]
        assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [7]

    def test_a_terminal_is_told_nothing(self, payload: str) -> None:
        written = render(hostile(payload), "text").decode()
        harmless = render(hostile("harmless"), "text").decode()
        assert written.replace("\n", "").isprintable()
        assert written.count("\n") == harmless.count("\n")
        assert visible(payload) in written


@pytest.mark.parametrize("text", ["-2", "+5", "-0.02", "1E+30", "9" * 38])
def test_numbers_in_a_spreadsheet_stay_as_they_are(text: str) -> None:
    (row,) = parsed.csv_table(render(hostile("x", {"id": Number("1")}, Number(text)), "csv"))
    assert (row["stored"], row["stored type"]) == (text, "N")


@pytest.mark.parametrize("text", ["=1+1", "@x", "-1-"])
def test_a_number_that_is_none_is_a_text_in_a_spreadsheet(text: str) -> None:
    (row,) = parsed.csv_table(render(hostile("x", {"id": Number("1")}, Number(text)), "csv"))
    assert row["stored"] == f"'{text}"


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.html", "html"),
        ("b/c.CSV", "csv"),
        ("b.pdf", "pdf"),
        ("c.XLSX", "xlsx"),
        ("r.x.json", "json"),
        ("t.md", "md"),
    ],
)
def test_the_form_follows_the_ending(name: str, form: str) -> None:
    assert form_of(name) == form_of(Path(name)) == form


@pytest.mark.parametrize("name", ["report", "report.docx", "report.text", "html", ".json"])
def test_an_ending_without_a_form_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(InvalidRequest, match=re.escape(name)) as caught:
        form_of(name)
    assert caught.value.hint == "Reports are written as .html, .pdf, .xlsx, .csv, .json, .md."


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="docx"):
        render(awkward_report(), "docx")


def test_a_report_without_findings_is_whole_in_every_form() -> None:
    clean = Report(
        *(
            "r",
            "2026-01-02T03:04:05Z",
            "2026-01-02T03:04:06Z",
            "me",
            "http://127.0.0.1:8000",
            "",
            "a.toml",
            "whole table",
        ),
        complete=True,
        stopped=None,
        read_units=Decimal(0),
        pages=0,
        notes=(),
        rules=(rule_result("seats", "Workspaces", "", 12), rule_result("empty", "Nothing", "", 0)),
    )
    assert len(render(clean, "csv").splitlines()) == 1
    decoded = json.loads(render(clean, "json"))
    assert [rule["findings"] for rule in decoded["rules"]] == [[], []]
    for form in ("html", "md", "text"):
        written = render(clean, form).decode()
        assert "Nothing is off: 12 parents looked at" in written
        assert "Partial" not in written
