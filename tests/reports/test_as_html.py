from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from decimal import Decimal

import pytest

from dynodesk.domain.findings import VERDICTS, Finding
from dynodesk.domain.values import Number
from dynodesk.reports.as_html import LISTED, ROLES
from dynodesk.reports.writers import render
from dynodesk.ui.theme.shapes import VERDICTS as SHAPES
from dynodesk.ui.theme.tokens import DARK, LIGHT, Tokens, contrast
from tests.reports import parsed
from tests.reports.awkward import GROWING, GUARDS, awkward_report, post, rule_result


@pytest.fixture(scope="module")
def page() -> parsed.Element:
    return parsed.html_tree(render(awkward_report(), "html"))


def test_the_policy_allows_the_style_sheet_and_nothing_else(page: parsed.Element) -> None:
    (style,) = page.all("style")
    digest = base64.b64encode(hashlib.sha256(style.text.encode()).digest()).decode()
    policies = [
        meta.attributes["content"]
        for meta in page.all("meta")
        if meta.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == [f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"]
    assert not re.search(r"@import|url\(|https?:", style.text)


def test_each_verdict_has_a_shape_beside_its_word(page: parsed.Element) -> None:
    symbols = {symbol.attributes["id"] for symbol in page.all("symbol")}
    assert symbols == {f"shape-{verdict}" for verdict in VERDICTS}
    for cell in page.all("td", "verdict"):
        assert [use.attributes["href"] for use in cell.all("use")] == [f"#shape-{cell.text}"]
        assert ROLES[cell.text] in cell.classes


def test_the_colours_are_those_of_the_window(page: parsed.Element) -> None:
    assert {verdict: role for verdict, (role, _) in SHAPES.items()} == ROLES
    (style,) = page.all("style")
    light, dark = style.text.split("@media screen and (prefers-color-scheme: dark)")
    for part, scheme in ((light, LIGHT), (dark.split("\n* {")[0], DARK)):
        declared = re.findall(r"--(\w+): (#\w{6})", part)
        assert len(declared) == 16
        assert {name: getattr(scheme, name) for name, _ in declared} == dict(declared)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_ink_can_be_read(scheme: Tokens) -> None:
    inks = [*set(ROLES.values()), "text", "text2", "muted"]
    pairs = [(ink, ground) for ink in inks for ground in ("window", "base", "raised", "warn_soft", "slate_soft")]
    assert min(contrast(getattr(scheme, ink), getattr(scheme, ground)) for ink, ground in pairs) >= 4.5


def test_evidence_causes_and_the_exact_key_are_there(page: parsed.Element) -> None:
    rows = [row for row in page.all("tr") if "POST#a91f / META" in row.text and row.all("details")]
    (evidence,) = rows[0].all("details")
    (looks,) = evidence.all("table", "looks")
    look = looks.all("tr")[1]
    assert look.all("td")[0].text == "03:04:33.214Z"
    assert [part.text for part in look.all("p")] == ["Pass 1, strong, 1 page", "37 children · 9f3c…e1"]
    assert "Likely cause: Retries without a guard" in evidence.text
    assert evidence.all("code")[0].text == '{"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}}'


def test_causes_lead_and_guards_follow_by_language(page: parsed.Element) -> None:
    section = next(section for section in page.all("section") if section.all("details", "guards"))
    (causes,) = section.all("dl", "causes")
    assert [part.text for part in causes.all("dt")] == ["Likely causes", "", "", ""]
    assert causes.all("dd")[0].text == GROWING
    blocks = section.all("details", "guards")
    assert [block.all("summary")[0].text for block in blocks] == ["Python, boto3", "JavaScript, SDK v3", "JSON request"]
    assert [[code.text for code in block.all("code")] for block in blocks] == [
        [GUARDS[0].code.replace("\u202e", "⟨U+202E⟩"), GUARDS[1].code],
        [GUARDS[2].code],
        [GUARDS[3].code],
    ]
    order = [element for element in section.walk() if element in (causes, blocks[0], section.all("table")[0])]
    assert order == [causes, blocks[0], section.all("table")[0]]


@pytest.mark.slow
def test_a_very_long_list_is_cut_and_says_so() -> None:
    findings = [
        Finding("many", "exact", post(str(number)), Number(str(number)), 0, Decimal(number))
        for number in range(1, LISTED + 2)
    ]
    report = replace(awkward_report(), rules=(rule_result("many", "Social", "", 0, *findings),))
    written = render(report, "html")
    rows = parsed.html_rows(written)
    assert len(rows) == LISTED
    assert (rows[0].stored, rows[-1].stored) == (str(LISTED + 1), "2")
    assert parsed.html_counts(written) == [{"exact": LISTED + 1}]
    assert "Only the 5,000 largest of 5,001 findings are listed here" in written.decode()
    assert len(parsed.csv_table(render(report, "csv"))) == LISTED + 1
