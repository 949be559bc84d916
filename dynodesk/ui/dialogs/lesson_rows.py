"""The table of the lesson: for each way of counting a bar that grows, its figures, and what it is good for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from dynodesk.composing.lesson import METHODS, ONE_LOST_IN, Method, Score
from dynodesk.ui.theme import Text, metrics, px, rounded, tokens
from dynodesk.ui.widgets.layouts import Area, row
from dynodesk.ui.widgets.marks import Shape

TITLES: dict[Method, str] = {
    "read-modify-write": "Read, then write",
    "add": "ADD",
    "condition": "Write under a condition",
    "transaction": "Transaction with a token",
}
SAYS: dict[Method, str] = {
    "read-modify-write": (
        "Clients that read the same number write the same next one, and all but one of their counts are lost: never "
        "count like this, although it takes just 1 write unit and a read each time."
    ),
    "add": (
        "The table itself adds, so that nothing is lost, but a write sent again after a lost reply counts again: for "
        "counts that need not be exact, at 1 write unit. SET n = n + :one counts alike and is what AWS advises in "
        "general, only that ADD begins at 0 where n is missing and SET is refused."
    ),
    "condition": (
        "SET n = :next only if n is still what was read: nothing is lost, but each time that somebody else was first "
        "costs another read and write, and after a lost reply the client takes its own write for somebody else's, "
        "begins anew and counts twice. Good where few write at once."
    ),
    "transaction": (
        "A child is put if it is new, and the counter goes up with it, or neither happens: nothing is lost, and sent "
        "again with its token it is not done again. For counts that have to be right, at 4 write units each: 2 items "
        "of up to 1 KB, and twice the price."
    ),
}
HEADS = ("asked", "stored", "lost", "counted twice")
GOOD, LOST, TWICE = ("ok", "tick"), ("danger", "diamond"), ("warn", "triangle-open")
"""Ink and shape of what a bar and a figure show."""


def words_of(score: Score, increments: int) -> str:
    """All that a bar shows, in words."""
    figures = (
        f"{score.told:,} of {increments:,} asked, {score.stored:,} stored, "
        f"{score.lost:,} lost, {score.doubled:,} counted twice"
    )
    return f"{TITLES[score.method]}: {figures}"


def state_of(score: Score) -> str:
    """How it went on, beside what was counted."""
    if not (score.begun or score.has_ended):
        return "waits"
    retries = f" · {score.retries:,} refused and begun anew" if score.retries else ""
    return f"{score.seconds:.1f} s · {score.unheard:,} {'reply' if score.unheard == 1 else 'replies'} lost{retries}"


class CountBar(QWidget):
    """What is stored, what was lost up to what was asked, and what was counted beyond it."""

    def __init__(self) -> None:
        super().__init__()
        self._score: Score | None = None
        self._increments = 1
        self.setFixedHeight(metrics().line)
        self.setMinimumWidth(px(120))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_score(self, score: Score, increments: int) -> None:
        self._score, self._increments = score, increments
        self.setAccessibleName(words_of(score, increments))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        p, t = QPainter(self), tokens()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 2.5, -0.5, -2.5)
        rounded(p, box, t.color("sunken"), None, 2)
        scale = box.width() / (self._increments * (1 + 1.5 / ONE_LOST_IN))
        score = self._score
        if score is not None:
            right = score.stored - score.doubled
            for begin, number, ink in (
                (0, right, GOOD[0]),
                (right, score.lost, LOST[0]),
                (right, score.doubled, TWICE[0]),
            ):
                p.fillRect(QRectF(box.x() + begin * scale, box.y(), number * scale, box.height()), t.color(ink))
        whole = box.x() + self._increments * scale
        p.fillRect(QRectF(whole - 0.5, 0, 1, self.height()), t.color("text2"))


class CountTable(Area):
    """A row of figures for each way, and a sentence below it."""

    def __init__(self) -> None:
        super().__init__("base")
        u = metrics().unit
        grid = QGridLayout()
        grid.setContentsMargins(5 * u, 3 * u, 5 * u, 3 * u)
        grid.setHorizontalSpacing(4 * u)
        grid.setVerticalSpacing(u)
        grid.setColumnStretch(1, 1)
        for at, (head, mark) in enumerate(zip(HEADS, (None, GOOD, LOST, TWICE), strict=True), 2):
            shape = [] if mark is None else [Shape(mark[1], mark[0], "")]
            grid.addLayout(row(None, *shape, Text(head, "text2", size="caption"), gap=1), 0, at)
        self._bars: dict[Method, CountBar] = {}
        self._figures: dict[Method, tuple[Figure, ...]] = {}
        self._states: dict[Method, Text] = {}
        for number, method in enumerate(METHODS):
            line = 1 + 4 * number
            self._bars[method] = CountBar()
            self._figures[method] = tuple(Figure(ink) for ink in ("text", "text", LOST[0], TWICE[0]))
            self._states[method] = Text("", "muted", size="caption")
            grid.addWidget(Text(TITLES[method], weight="semibold"), line, 0)
            grid.addWidget(self._bars[method], line, 1)
            for at, figure in enumerate(self._figures[method], 2):
                grid.addWidget(figure, line, at)
            grid.addWidget(self._states[method], line + 1, 1, 1, 1 + len(HEADS))
            grid.addWidget(Text(SAYS[method], "text2", wrap=True), line + 2, 0, 1, 2 + len(HEADS))
            if method != METHODS[-1]:
                hairline = Area("line")
                hairline.setFixedHeight(1)
                grid.addWidget(hairline, line + 3, 0, 1, 2 + len(HEADS))
        grid.setRowStretch(grid.rowCount(), 1)
        self.setLayout(grid)

    def show_scores(self, scores: Sequence[Score], increments: int) -> None:
        for score in scores:
            self._bars[score.method].show_score(score, increments)
            self._states[score.method].setText(state_of(score))
            numbers = (score.told, score.stored, score.lost, score.doubled)
            for figure, number in zip(self._figures[score.method], numbers, strict=True):
                figure.show_number(number)


class Figure(Text):
    """A number at the right of its column: muted while it is 0."""

    def __init__(self, ink: str) -> None:
        super().__init__("0", "muted", weight="semibold", mono=True)
        self._ink = ink
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def show_number(self, number: int) -> None:
        self._role = self._ink if number else "muted"
        self.setText(f"{number:,}")
        self.update()
