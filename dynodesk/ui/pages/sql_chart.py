"""A result's numbers as bars: one series, each bar with its exact number beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QToolButton

from dynodesk.domain.cells import visible
from dynodesk.ui.models.result_model import ResultModel
from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.theme import draw_line, face, metrics, rounded, tokens
from dynodesk.ui.widgets.layouts import Area, area, column, row

MOST_BARS = 50
LONGEST_LABEL = 24
"""Characters of a bar's label."""
TICKS = 4


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    number: str
    """Its exact text, or `NULL`."""

    @property
    def length(self) -> float:
        """For drawing alone: 0 for what has no length."""
        try:
            value = float(self.number)
        except ValueError:
            return 0.0
        return value if math.isfinite(value) else 0.0


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    note: str
    bars: tuple[Bar, ...]


def columns_for_chart(model: ResultModel, wanted: int) -> tuple[int, int] | None:
    """The columns of labels and of numbers: `wanted` where that has numbers, else the last that has; None: none has."""
    columns = range(model.columnCount())
    numbers = [at for at in columns if model.is_right(at)]
    if not numbers or not model.rowCount():
        return None
    value = wanted if wanted in numbers else numbers[-1]
    others = [at for at in columns if at != value]
    words = [at for at in others if at not in numbers]
    return next(iter([*words, *others]), value), value


def chart_of(model: ResultModel, wanted: int) -> Chart | None:
    """The first rows in the result's own order; None where there is no number to show."""
    found = columns_for_chart(model, wanted)
    if found is None:
        return None
    label, value = found
    head = [str(model.headerData(at, Qt.Orientation.Horizontal)).removesuffix(", partial") for at in found]
    count = min(MOST_BARS, model.rowCount())
    note = (
        f"first {count} of {model.rowCount():,} rows"
        if count < model.rowCount()
        else f"{count} row{'' if count == 1 else 's'}"
    )
    rows = (model.row(at) for at in range(count))
    bars = tuple(Bar(_shown(cells[label]), cells[value] or "NULL") for cells in rows)
    return Chart(f"{head[1]} by {head[0]}", note + (", partial" if model.is_partial else ""), bars)


def _shown(cell: str | None) -> str:
    text = "NULL" if cell is None else visible(cell[: LONGEST_LABEL + 1])
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from `low` to `high`, at most about `TICKS` on the longer side; `low` ≤ 0 ≤ `high`."""
    span = max(high, -low)
    if not span:
        return [0.0]
    rough = span / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    return [step * n for n in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


class Bars(Area):
    """Labels, bars from the zero line, numbers at their ends, a light grid."""

    def __init__(self) -> None:
        super().__init__("base")
        self._bars: tuple[Bar, ...] = ()

    def show_bars(self, bars: Sequence[Bar]) -> None:
        self._bars = tuple(bars)
        self.setAccessibleName("; ".join(f"{bar.label} {bar.number}" for bar in bars))
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(60 * metrics().unit, len(self._bars) * metrics().row + metrics().bar + 2 * metrics().unit)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        p, t, m = QPainter(self), tokens(), metrics()
        mono, strong, small = face(mono=True), face(weight="medium"), face("caption")
        lengths = [bar.length for bar in self._bars]
        low, high = min([0.0, *lengths]), max([0.0, *lengths])
        labels = min(
            max([mono.measure.horizontalAdvance(bar.label) for bar in self._bars], default=0), self.width() * 2 // 5
        )
        numbers = max([strong.measure.horizontalAdvance(bar.number) for bar in self._bars], default=0) + m.unit
        left = 3 * m.unit + labels + 2 * m.unit + (numbers if low < 0 else 0)
        room = max(1.0, self.width() - left - numbers - 3 * m.unit)
        scale = room / (high - low) if high > low else 0.0
        zero = left - low * scale
        top, bottom = float(m.unit), float(m.unit + len(self._bars) * m.row)
        for tick in ticks(low, high):
            x = round(zero + tick * scale) + 0.5
            p.setPen(t.color("edge" if tick == 0 else "line"))
            p.drawLine(QPointF(x, top), QPointF(x, bottom))
            width = small.measure.horizontalAdvance(f"{tick:g}") + 2.0
            draw_line(p, QRectF(x - width / 2, bottom, width, m.row), f"{tick:g}", small, t.color("muted"))
        for place, bar in self._places(top):
            draw_line(p, QRectF(3 * m.unit, place.top(), labels + 1, place.height()), bar.label, mono, t.color("text"))
            length = bar.length * scale
            box = QRectF(zero + min(0.0, length), place.top() + m.unit, abs(length), place.height() - 2 * m.unit)
            if box.width() >= 1:
                rounded(p, box, t.color("fill" if length > 0 else "control"), None, 2)
            width = strong.measure.horizontalAdvance(bar.number) + 2.0
            at = box.left() - width - m.unit if length < 0 else box.right() + m.unit
            ink = t.color("muted" if bar.number == "NULL" else "text")
            draw_line(p, QRectF(at, place.top(), width, place.height()), bar.number, strong, ink)

    def _places(self, top: float) -> Iterator[tuple[QRectF, Bar]]:
        height = metrics().row
        for at, bar in enumerate(self._bars):
            yield QRectF(0, top + at * height, self.width(), height), bar


class ChartPanel(Area):
    """The bars under their title, which scroll where there are more than fit."""

    def __init__(self, close: QToolButton) -> None:
        super().__init__("base", "l")
        self._title = ShortText("text", "semibold")
        self._note = ShortText("muted")
        self._bars = Bars()
        head = row(self._title, self._note, None, close, gap=1.5, margins=(3, 0, 1, 0))
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = column(self._bars, None, gap=0)
        scroll.setWidget(area(inner, "base"))
        scroll.setAccessibleName("Chart")
        layout = column(area(head, "window", "b", metrics().bar - 3), scroll, gap=0)
        layout.setContentsMargins(1, 0, 0, 0)
        self.setLayout(layout)

    @property
    def words(self) -> str:
        return f"{self._title.text} {self._note.text}"

    def show_chart(self, chart: Chart) -> None:
        self._title.set_text(chart.title)
        self._note.set_text(chart.note)
        self._bars.show_bars(chart.bars)
