"""What stands where no finding does: what a run will do, that all is well, or why there is nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout

from dynodesk.domain.cells import visible
from dynodesk.domain.errors import DynodeskError, explanation
from dynodesk.domain.findings import MEANINGS, Report
from dynodesk.domain.tallies import TallyRule
from dynodesk.ui.theme import Glyph, Text, metrics, px
from dynodesk.ui.widgets.layouts import Area, area, column, row


@dataclass(frozen=True, slots=True)
class Note:
    """A title, paragraphs, and named values of the rules file, which are shown monospaced."""

    glyph: str
    role: str
    title: str
    lines: tuple[str, ...]
    values: tuple[tuple[str, str], ...] = ()


class NotePane(Area):
    """Shows one note, readable at any width."""

    def __init__(self) -> None:
        super().__init__("base")
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setAccessibleName("Notes")
        self.setLayout(column(self._scroll))
        self._note: Note | None = None

    @property
    def note(self) -> Note | None:
        return self._note

    def show_note(self, note: Note) -> None:
        self._note = note
        u = metrics().unit
        title = Text(note.title, size="title", weight="semibold", wrap=True)
        lines = [Text(visible(line), "text2", wrap=True) for line in note.lines]
        values = [_named(visible(name), visible(value)) for name, value in note.values]
        head = row(Glyph(note.glyph, note.role), title, gap=2)
        head.setStretch(1, 1)
        box = area(column(head, *lines, *([1] if values else []), *values, gap=2), "base")
        box.setMaximumWidth(px(720))
        middle = row(box, None, margins=(6, 6, 6, 6))
        middle.setStretch(0, 100)
        content = area(column(middle, None, gap=0), "base")
        content.setMinimumWidth(40 * u)
        self._scroll.setWidget(content)  # deletes the one before
        self._scroll.setAccessibleName(note.title)
        self._scroll.setAccessibleDescription(" ".join(note.lines))


def _named(name: str, value: str) -> QVBoxLayout:
    return column(Text(name, weight="medium"), Text(value, "text2", mono=True, wrap=True), gap=0.5)


def before_run(rules: Sequence[TallyRule]) -> Note:
    return Note(
        "law",
        "text2",
        "Nothing has been read yet",
        (
            "Run compares each stored number with its children. One cheap look finds suspects and accuses nobody.",
            (
                "Each suspect is then read again, twice or more, strongly, with waits that outlast writes in flight. "
                "What comes out is certain, or says how far it is not."
            ),
            "Nothing is written, neither now nor by a run.",
        ),
        tuple((rule.name, rule.words) for rule in rules),
    )


def looking() -> Note:
    return Note(
        "sync", "accent", "No finding so far", ("Findings appear here as soon as they are confirmed. Esc stops.",)
    )


def all_right(report: Report) -> Note:
    parents = sum(rule.parents for rule in report.rules)
    if not parents:
        tables = ", ".join(sorted({rule.table for rule in report.rules}))
        advice = f"No item of {tables} has a key like those of the rules. The items as they are show what to write."
        return Note("warning", "warn", "No parent was found: nothing was compared", (advice,))
    missed = [note for note in report.notes if note.startswith("Parents that looked right")]
    return Note("pass", "ok", f"{parents:,} parent{'' if parents == 1 else 's'}, all ok", (MEANINGS["ok"], *missed))


def nothing_found(report: Report) -> Note:
    """A partial run without findings: not the same as all right."""
    why = [f"The run ended early: {report.stopped}."]
    if not report.stopped:
        why = [note for note in report.notes if "could not be read" in note][:3]
    return Note(
        "warning",
        "warn",
        "No finding, but not everything was looked at",
        (*why, "Nothing can be said of what was not looked at."),
    )


def only_counted(count: int) -> Note:
    return Note(
        "pass",
        "ok",
        f"{count:,} parent{' is' if count == 1 else 's are'} ok",
        (MEANINGS["ok"], "They are counted, not listed."),
    )


def failed(error: BaseException) -> Note:
    return _trouble("The run failed. There are no findings", error)


def not_loaded(error: BaseException) -> Note:
    return _trouble("The rules could not be checked against their tables", error)


def _trouble(title: str, error: BaseException) -> Note:
    if isinstance(error, DynodeskError):
        return Note("error", "danger", title, tuple(explanation(error)))
    return Note("bug", "plum", title, ("This is a fault of ours. The message below has a report to copy.",))


def stopped() -> Note:
    return Note("law", "text2", "Stopped before anything was read", ("There are no findings. Run starts again.",))
