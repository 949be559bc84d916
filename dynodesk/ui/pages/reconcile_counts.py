"""What a run came to: parents and verdicts as chips that filter, then one line on how far it got and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QMenu

from dynodesk.domain.cells import visible
from dynodesk.domain.findings import VERDICTS, Report, Verdict
from dynodesk.domain.values import plain_digits
from dynodesk.ui.actions import button_for
from dynodesk.ui.pages.reconcile_parts import CountChip, Span, Spans
from dynodesk.ui.theme import Glyph, Text, metrics
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import Area, FlowLayout, area, column, row

LAST: tuple[Verdict, ...] = ("ok",)
ORDER: tuple[Verdict | None, ...] = (None, *(verdict for verdict in VERDICTS if verdict not in LAST), *LAST)
"""Chips from left to right; None is the chip of all findings."""


class CountsBar(Area):
    """Chips with counts; the one that is down is what the grid shows."""

    chosen = Signal(object)
    """A verdict, or None for all findings."""

    def __init__(self, export: QMenu, history: QAction) -> None:
        super().__init__("window", "b")
        self._parents = Text("", weight="semibold")
        self._group = QButtonGroup(self)
        self._chips = {verdict: CountChip(verdict) for verdict in ORDER}
        for chip in self._chips.values():
            self._group.addButton(chip)
        self._export = button("Export…", "export")
        self._export.setMenu(export)
        self._parents.setMinimumHeight(metrics().control)
        chips = FlowLayout(self._parents, *self._chips.values(), gap=1.25)
        past = button_for(history, tone="quiet", text="History…")
        past.setAccessibleName(history.text())
        line = row(chips, past, self._export, gap=2, margins=(3, 2, 2, 2))
        line.setStretch(0, 1)
        self.setLayout(line)
        self._group.buttonClicked.connect(self._clicked)
        self.show_counts("", {}, findings=0, is_over=False)

    def show_counts(self, parents: str, counts: Mapping[Verdict, int], *, findings: int, is_over: bool) -> None:
        """`parents` in words. Verdicts that do not occur have no chip, `ok` has one when the run is over."""
        self._parents.setText(parents)
        for verdict, chip in self._chips.items():
            count = findings if verdict is None else counts.get(verdict, 0)
            chip.set_count(count)
            chip.setHidden(not (verdict is None or count or chip.isChecked() or (verdict == "ok" and is_over)))
        self._export.setEnabled(is_over)

    @property
    def current(self) -> Verdict | None:
        """The chip that is down; None: all findings."""
        chip = self._group.checkedButton()
        return chip.verdict if isinstance(chip, CountChip) else None

    def choose(self, verdict: Verdict | None) -> None:
        self._chips[verdict].setChecked(True)

    @Slot(QAbstractButton)
    def _clicked(self, chip: QAbstractButton) -> None:
        if isinstance(chip, CountChip):
            self.chosen.emit(chip.verdict)


class RunLine(Area):
    """One sentence on the run: where it is, what it took, or what it did not look at. The rest unfolds."""

    def __init__(self) -> None:
        super().__init__("window", "b")
        m = metrics()
        self._signs = {
            "sync": Glyph("sync", "accent"),
            "pass": Glyph("pass", "ok"),
            "warning": Glyph("warning", "warn"),
            "law": Glyph("law", "muted"),
        }
        self._words = Spans()
        self._unfold = button("Notes", tone="quiet")
        self._unfold.setCheckable(True)
        self._notes = Text("", "text2", wrap=True)
        below = area(row(self._notes, margins=(3, 0, 3, 2)), "window")
        below.hide()
        head = row(*self._signs.values(), self._words, self._unfold, gap=2, margins=(3, 0, 1, 0))
        self._head = area(head, "window", "", m.control + m.unit)
        self.setLayout(column(self._head, below, gap=0, margins=(0, 0, 0, 0.25)))
        self._unfold.toggled.connect(below.setVisible)
        self.hide()

    @property
    def text(self) -> str:
        return self._words.text

    def show_progress(self, words: str) -> None:
        self._show("sync", "window", [Span(words, "text2")], ())

    def show_report(self, report: Report) -> None:
        took = f"{plain_digits(report.read_units)} RCU in {report.pages:,} page{'' if report.pages == 1 else 's'}"
        causes = [f"{rule.name}: {cause}" for rule in report.rules for cause in rule.causes]
        notes = tuple(map(visible, (*causes, *report.notes)))
        if report.complete:
            words = f"{report.scope} · {took}"
            if report.findings:
                confirmed = sum(1 for finding in report.findings if finding.evidence.passes)
                words += f" · {confirmed:,} of {len(report.findings):,} findings confirmed by strong reads"
            spans = [Span("Complete", weight="medium"), Span(words, "text2")]
            glyph = "law" if report.found_drift or report.undecided else "pass"
            self._show(glyph, "window", spans, notes)
        else:
            spans = [
                Span(f"Partial: {report.stopped or 'not everything was looked at'}", weight="semibold"),
                Span(" ".join(not_looked_at(report)), "text2"),
                Span(took, "muted"),
            ]
            self._show("warning", "warn_soft", spans, notes)

    def _show(self, glyph: str, ground: str, spans: list[Span], notes: tuple[str, ...]) -> None:
        for name, sign in self._signs.items():
            sign.setVisible(name == glyph)
        self.set_ground(ground)
        self._head.set_ground(ground)
        self._words.set_spans(spans)
        self._unfold.setChecked(False)
        self._unfold.setVisible(bool(notes))
        self._unfold.setText(f"{len(notes)} note{'' if len(notes) == 1 else 's'}")
        self._unfold.setAccessibleName("Notes on this run")
        self._notes.setText("\n".join(notes))
        self.show()


def not_looked_at(report: Report) -> Iterator[str]:
    """What a partial run leaves open, in sentences."""
    unread = [rule.name for rule in report.rules if not rule.parents]
    open_parents = sum(
        rule.parents - sum(rule.verdicts.values()) + rule.verdicts.get("suspect", 0) for rule in report.rules
    )
    if unread:
        yield f"Not compared at all: {', '.join(unread)}."
    if open_parents:
        yield f"{open_parents:,} parent{' was' if open_parents == 1 else 's were'} not confirmed."
    yield "Parents that are not listed may be wrong too."
