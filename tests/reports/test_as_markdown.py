from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dynodesk.domain.findings import Guard
from dynodesk.reports.as_markdown import code, prose
from dynodesk.reports.writers import render
from tests.reports.awkward import awkward_report, rule_result


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("", ""),
        ("POST#1 / META", "`POST#1 / META`"),
        ("a`b", "``a`b``"),
        ("`", "`` ` ``"),
        ("``", "``` `` ```"),
        (" a ", "`  a  `"),
        ("a|b", "`a|b`"),
        ("a\nb", "`a␊b`"),
        ("trailing\\", "`trailing\\`"),
    ],
)
def test_a_code_span_holds_any_text(text: str, span: str) -> None:
    assert code(text) == span


@pytest.mark.parametrize(
    ("text", "span"),
    [("a|b", r"`a\|b`"), ("a\\|b", "`a\\⟨U+007C⟩b`"), ("a\\||b", "`a\\⟨U+007C⟩\\|b`"), ("\\", "`\\`")],
)
def test_a_bar_in_a_table_does_not_end_the_cell(text: str, span: str) -> None:
    assert code(text, in_table=True) == span


@pytest.mark.parametrize("text", ["the run was stopped", "like_count is a String", "37 children, 2 passes (strong)."])
def test_a_plain_sentence_stays_a_sentence(text: str) -> None:
    assert prose(text) == text


@pytest.mark.parametrize(
    "text", ["_it_", "a*b*", "a <b>", "@all", "see http://x", "www.x.com", "#12", "a\tb", "[x](y)"]
)
def test_a_sentence_with_markup_becomes_code(text: str) -> None:
    assert prose(text) == code(text)
    assert prose(text).startswith("`")


@pytest.mark.parametrize("text", ["a = 1", "```\n# not a heading\n```", "`" * 9, "a\n`````\nb\n", ""])
def test_code_cannot_end_its_block(text: str) -> None:
    rule = replace(rule_result("likes", "Social", "", 1), guards=(Guard("python", "Add", text),))
    written = render(replace(awkward_report(), rules=(rule,)), "md").decode()
    (block,) = re.finditer(r"^(`{3,})python\n(.*?)\n\1$", written, re.DOTALL | re.MULTILINE)
    assert block[2] == text
    assert block[1] not in text


def test_the_causes_come_before_everything_that_was_read() -> None:
    written = render(awkward_report(), "md").decode()
    assert written.index("Likely cause: ") < written.index("| Verdict |") < written.index("## How it was read")
