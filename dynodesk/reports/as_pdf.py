"""The report for printing and keeping: A4 pages with their fonts in the file, nothing to fetch, nothing to click.

The fonts have Latin, Greek, Cyrillic and many signs. Whatever they lack, and scripts that run from right to left, which
would stand here in the wrong order, are shown by their codes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from importlib import resources

from fpdf import FPDF, FontFace
from fpdf.enums import WrapMode

from dynodesk.domain.findings import MEANINGS, Finding, Report, RuleResult
from dynodesk.reports import wording
from dynodesk.reports.characters import visible_in

LISTED = 1_000
"""Findings of one rule that are listed, largest drift first: some forty pages."""
CELL_CHARACTERS = 400
"""Of one cell: a row must fit on a page."""

_FONTS = {"": "DejaVuSans", "B": "DejaVuSans-Bold"}
_MONO = "DejaVuSansMono"
_MARGIN = 14.0  # millimetres, as all lengths here
_LINE = 1.35  # of the size of the letters
_POINT = 25.4 / 72
_TEXT, _MUTED, _HAIRLINE, _HEAD = (26, 30, 37), (91, 99, 112), (203, 208, 217), (244, 245, 247)
_COLUMNS = (("Verdict", 9), ("Parent", 27), ("Stored", 13), ("Real", 12), ("Drift", 13), ("Evidence", 26))


def write(report: Report) -> Iterator[bytes]:
    with ExitStack() as stack:
        pages = _Pages(report, stack)
        _body(pages, report)
        yield bytes(pages.output())


class _Pages(FPDF):
    """Pages with the run's name above and their number below."""

    def __init__(self, report: Report, stack: ExitStack) -> None:
        super().__init__(orientation="landscape", format="A4")
        for style, name in _FONTS.items():
            self.add_font("sans", style, _font_file(name, stack))
        self.add_font("mono", "", _font_file(_MONO, stack))
        self.alias_nb_pages("")  # otherwise it is replaced wherever it stands in a text
        self.set_margins(_MARGIN, _MARGIN)
        self.set_auto_page_break(True, _MARGIN)
        self.set_creation_date(datetime.fromisoformat(report.started))
        self.set_title(self.drawn(wording.headline(report)))
        self.set_producer("dynodesk")
        self.set_draw_color(*_HAIRLINE)
        self.set_line_width(0.1)
        self._running_head = self.short(f"dynodesk reconcile report · run {report.run_id} · {report.started}", 150)
        self.add_page()

    def header(self) -> None:
        self.set_y(_MARGIN / 2)
        self.line_of(self._running_head, 7, color=_MUTED)
        self.set_y(_MARGIN)

    def footer(self) -> None:
        self.set_y(-_MARGIN * 0.75)
        self.line_of(f"Page {self.page_no()}", 7, color=_MUTED)

    def drawn(self, text: str, family: str = "sans") -> str:
        """The text in characters that the font can draw."""
        glyphs = self.fonts[family].cmap  # type: ignore[union-attr]  # only the fonts of PDF itself have none
        return visible_in(text, lambda char: ord(char) in glyphs and unicodedata.bidirectional(char) not in _RIGHT)

    def short(self, text: str, most: int = CELL_CHARACTERS) -> str:
        """The same, of bounded length; what is missing is said."""
        shown = self.drawn(text)
        return shown if len(shown) <= most else f"{shown[:most]}… (cut: {len(text):,} characters)"

    def line_of(
        self,
        text: str,
        points: float,
        *,
        family: str = "sans",
        bold: bool = False,
        color: tuple[int, int, int] = _TEXT,
        by_character: bool = False,
    ) -> None:
        """A paragraph over the whole width, below what is there; `text` is already `drawn`."""
        self.set_font(family, "B" if bold else "", points)
        self.set_text_color(*color)
        height = points * _POINT * _LINE
        wrap = WrapMode.CHAR if by_character else WrapMode.WORD
        self.multi_cell(0, height, text, align="L", wrapmode=wrap, new_x="LMARGIN", new_y="NEXT")

    def heading(self, text: str) -> None:
        self.ln(4)
        if self.will_page_break(24):  # a heading stays with what it is above
            self.add_page()
        self.line_of(text, 12, bold=True)
        self.ln(1)


_RIGHT = frozenset({"R", "AL", "AN"})


def _font_file(name: str, stack: ExitStack) -> str:
    file = resources.files("dynodesk_resources") / "fonts" / f"{name}.ttf"
    return str(stack.enter_context(resources.as_file(file)))


def _body(pages: _Pages, report: Report) -> None:
    pages.line_of(wording.headline(report), 17, bold=True)
    pages.ln(1)
    for gap in wording.gaps(report):
        pages.line_of(pages.drawn(gap), 9, bold=True)
    for note in report.notes:
        pages.line_of(pages.drawn(f"Note: {note}"), 9)
    for rule in report.rules:
        _rule(pages, rule)
    pages.heading("How it was read")
    for label, text in wording.facts(report):
        if text:
            pages.line_of(pages.drawn(f"{label}: {text}"), 9)
    pages.line_of(wording.DEFINITION, 9)
    for verdict, _ in wording.counts(report.verdicts):
        pages.line_of(f"{verdict}: {MEANINGS[verdict]}", 9)
    for rule in report.rules:
        _guards(pages, rule)
    pages.ln(4)
    pages.line_of(f"End of the report: {wording.counted(pages.page_no(), 'page')}.", 9, color=_MUTED)


def _rule(pages: _Pages, rule: RuleResult) -> None:
    pages.heading(pages.drawn(f"{rule.name} in {rule.table}"))
    for cause in rule.causes:
        pages.line_of(pages.drawn(f"Likely cause: {cause}"), 9)
    for cause, count in wording.causes(rule):
        pages.line_of(pages.drawn(f"Likely cause of {wording.counted(count, 'finding')}: {cause}"), 9)
    if rule.text:
        pages.line_of(pages.drawn(f"Rule: {rule.text}"), 9)
    verdicts = " · ".join(f"{verdict} {count:,}" for verdict, count in wording.counts(rule.verdicts))
    pages.line_of(f"{wording.counted(rule.parents, 'parent')}{': ' if verdicts else ''}{verdicts}", 9)
    if not rule.findings:
        return
    pages.ln(2)
    _table(pages, [[pages.short(text) for text in _cells(finding)] for finding in rule.findings[:LISTED]])
    if len(rule.findings) > LISTED:
        pages.ln(2)
        pages.line_of(wording.shortened(rule, LISTED), 9, bold=True)


def _cells(finding: Finding) -> Sequence[str]:
    said = "; ".join(wording.remarks(finding))
    numbers = (finding.stored_text, finding.real_text, finding.drift_text)
    return (finding.verdict, finding.parent_text, *numbers, said)


def _table(pages: _Pages, rows: Sequence[Sequence[str]]) -> None:
    pages.set_font("sans", "", 7.5)
    pages.set_text_color(*_TEXT)
    with pages.table(
        [[name for name, _ in _COLUMNS], *rows],
        borders_layout="HORIZONTAL_LINES",
        col_widths=[width for _, width in _COLUMNS],
        headings_style=FontFace(emphasis="BOLD", fill_color=_HEAD),
        line_height=7.5 * _POINT * _LINE,
        padding=(0.7, 1.2),
        text_align=("LEFT", "LEFT", "RIGHT", "RIGHT", "RIGHT", "LEFT"),
        v_align="TOP",
    ):
        pass  # the rows are given


def _guards(pages: _Pages, rule: RuleResult) -> None:
    if rule.guards:
        pages.heading(pages.drawn(f"{wording.GUARDS}: {rule.name}"))
    for language, guards in wording.guards(rule):
        for guard in guards:
            pages.ln(2)
            pages.line_of(pages.drawn(f"{guard.title} ({language})"), 9, bold=True)
            for line in guard.code.split("\n"):
                pages.line_of(pages.drawn(line, "mono") or " ", 7.5, family="mono", by_character=True)
