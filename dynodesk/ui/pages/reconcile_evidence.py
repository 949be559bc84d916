"""One finding in full: the sum, every read that was made for it, its likely cause, and the missing guard."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from PySide6.QtCore import Slot
from PySide6.QtGui import QFont, QGuiApplication, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSplitter, QTextEdit, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.findings import LANGUAGES, Finding, Look, signed
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.guards import guards
from dynodesk.ui.pages.reconcile_parts import Span, Spans
from dynodesk.ui.pages.reconcile_rows import DRIFT_INKS, Column, RowsModel
from dynodesk.ui.pages.reconcile_why import Why, clock_time, why
from dynodesk.ui.theme import Cell, Row, Text, face, metrics, px, ui_font
from dynodesk.ui.widgets.code import CodeView
from dynodesk.ui.widgets.controls import button, combo
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import Area, area, column, row

LOOK_COLUMNS = (Column("When (UTC)", 104), Column("What was read", 156), Column("Result", 120))


class EvidencePane(Area):
    """Shows one finding at a time. `tools` are the buttons at the right of its head."""

    def __init__(self, *tools: QWidget) -> None:
        super().__init__("base")
        m = metrics()
        self._sum = Spans()
        head = area(row(self._sum, *tools, gap=1.5, margins=(3, 0, 2, 0)), "window", "tb", m.control + 2 * m.unit + 2)
        self._looks = RowsModel(LOOK_COLUMNS, self)
        self.grid = Grid()
        self.grid.setModel(self._looks)
        dress_grid(self.grid, "Evidence")
        self.grid.horizontalHeader().setStretchLastSection(True)
        time = face(mono=True).measure.horizontalAdvance("00:00:00.000") + 5 * m.unit
        for at, of in enumerate(LOOK_COLUMNS):
            self.grid.setColumnWidth(at, px(of.width) if at else max(px(of.width), time))
        self._evidence_note = Text("", "muted")
        self._why_title = Text("", weight="semibold")
        self._why_note = Text("", "muted")
        self.why = QTextEdit()
        self.why.setReadOnly(True)
        self.why.setAcceptRichText(False)
        self.why.setFrameShape(QFrame.Shape.NoFrame)
        self.why.setFont(ui_font())
        self.why.setTabChangesFocus(True)
        self.why.setAccessibleName("Why")
        self.why.document().setDocumentMargin(3 * m.unit)
        self.guard = GuardPane()
        panes = QSplitter()
        panes.setChildrenCollapsible(False)
        panes.addWidget(_titled(self.grid, Text("Evidence", weight="semibold"), self._evidence_note))
        panes.addWidget(_titled(self.why, self._why_title, self._why_note))
        panes.addWidget(self.guard)
        panes.setSizes([px(400), px(300), px(420)])
        for at, share in enumerate((4, 3, 4)):
            panes.setStretchFactor(at, share)
        layout = column(head, panes, gap=0)
        layout.setStretch(1, 1)
        self.setLayout(layout)

    @property
    def text(self) -> str:
        """The sum in words."""
        return self._sum.text

    def show_finding(self, finding: Finding, rule: TallyRule) -> None:
        self._sum.set_spans(tuple(_sum(finding)))
        looks = finding.evidence.looks
        self._looks.set_rows([_look_row(look) for look in looks])
        self._evidence_note.setText(_extent(looks))
        reasons = why(finding, rule)
        self._why_title.setText("Likely cause" if finding.causes else reasons.title)
        self._why_note.setText("fix this first" if finding.causes else "")
        self.why.setAccessibleName(reasons.title)
        self._write(finding.causes, reasons)
        self.guard.show_rule(rule if finding.causes else None)

    def _write(self, causes: tuple[str, ...], reasons: Why) -> None:
        """The likely causes first, then, under a heading of its own, why the verdict can be trusted."""
        self.why.clear()
        cursor = QTextCursor(self.why.document())
        paragraph = QTextBlockFormat()
        paragraph.setBottomMargin(1.5 * metrics().unit)
        plain, heading = QTextCharFormat(), QTextCharFormat()
        heading.setFontWeight(QFont.Weight.DemiBold)
        lines = [(sentence, plain) for sentence in causes]
        lines += [(reasons.title, heading)] if causes else []
        lines += [(sentence, plain) for sentence in reasons.sentences]
        for at, (sentence, look) in enumerate(lines):
            if at:
                cursor.insertBlock()
            cursor.setBlockFormat(paragraph)
            cursor.insertText(visible(sentence), look)  # plain text, whatever a name holds
        self.why.moveCursor(QTextCursor.MoveOperation.Start)


class GuardPane(Area):
    """The writes that keep a rule's tally right, as code in a language that is chosen; hidden where there are none."""

    def __init__(self) -> None:
        super().__init__("base")
        self._rule: TallyRule | None = None
        self._languages = tuple(LANGUAGES)
        self.language = combo("Language of the guard")
        for language in self._languages:
            self.language.addItem(LANGUAGES[language])
        self.copy_button = button("Copy guard", "copy", tone="quiet")
        self.code = CodeView("The missing guard")
        self.code.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.code.document().setDocumentMargin(2 * metrics().unit)
        title = Text("The missing guard", weight="semibold")
        head = row(title, self.language, None, self.copy_button, gap=1.5, margins=(3, 0, 1.5, 0))
        layout = column(area(head, "window", "b", metrics().control + metrics().unit), self.code, gap=0)
        layout.setStretch(1, 1)
        self.setLayout(layout)
        self.setMinimumWidth(px(200))
        self.language.currentIndexChanged.connect(self._show_code)
        self.copy_button.clicked.connect(self._copy)

    def show_rule(self, rule: TallyRule | None) -> None:
        if rule is not self._rule:
            self._rule = rule
            self._show_code()

    @Slot()
    def _show_code(self) -> None:
        language = self._languages[self.language.currentIndex()]
        found = () if self._rule is None else guards(self._rule, language)
        sign = {"python": "#", "javascript": "//"}.get(language, "")
        parts = [f"{sign} {guard.title}\n{guard.code}" if sign else guard.code for guard in found]
        self.code.setPlainText("\n\n".join(parts))
        self.setHidden(not found)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.code.toPlainText())


def _titled(content: QWidget, *title: QWidget) -> Area:
    head = area(row(*title, None, gap=1.5, margins=(3, 0, 1.5, 0)), "window", "b", metrics().bar + 2)
    layout = column(head, content, gap=0)
    layout.setStretch(1, 1)
    made = area(layout, "base")
    made.setMinimumWidth(px(180))
    return made


def _sum(finding: Finding) -> Iterator[Span]:
    """`POST#a91f ◆ exact  stored 41 − real 37 = drift +4`, or as much of it as there is."""
    yield Span(visible(finding.parent_text), mono=True, weight="semibold")
    yield Span(finding.verdict, badge=True)
    stored, real = visible(finding.stored_text), finding.real_text
    if finding.stored is not None:
        yield Span("stored", "muted")
        yield Span(stored, mono=True, weight="semibold")
    if finding.real is not None:
        if finding.stored is not None:
            yield Span("−" if finding.drift_text else "·", "muted")
        yield Span("real" if finding.stored is not None else "children", "muted")
        yield Span(real, mono=True, weight="semibold")
    if finding.drift_text:
        ink = DRIFT_INKS.get(finding.verdict, "text")
        yield Span("=", "muted")
        if finding.low is not None and finding.high is not None:
            yield Span("drift between", "muted")
            yield Span(signed(finding.low), ink, mono=True, weight="semibold")
            yield Span("and", "muted")
            yield Span(signed(finding.high), ink, mono=True, weight="semibold")
        else:
            yield Span("drift", "muted")
            yield Span(finding.drift_text, ink, mono=True, weight="semibold")
    elif finding.reason:
        yield Span(visible(finding.reason), "text2")


def _look_row(look: Look) -> Row:
    return Row(
        (
            Cell(clock_time(look.at), "S"),
            Cell(visible(look.what), "text"),
            Cell(visible(look.result), "text", ink="text2"),
        )
    )


def _extent(looks: tuple[Look, ...]) -> str:
    if not looks:
        return "no read of its own"
    seconds = (datetime.fromisoformat(looks[-1].at) - datetime.fromisoformat(looks[0].at)).total_seconds()
    return f"{len(looks)} steps · {seconds:.1f} s"
