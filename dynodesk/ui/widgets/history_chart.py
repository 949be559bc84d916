"""The drift of a rule over its runs, as a curve: a dot a run, a line through those that count."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from dynodesk.domain.past_runs import Course, PastRun
from dynodesk.ui.theme import draw_line, face, metrics, tokens
from dynodesk.ui.widgets.layouts import Area

_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class HistoryChart(Area):
    """Time from left to right, drift from zero upwards. Runs that do not count are hollow dots beside the line.

    A dot is chosen by a click or with the arrow keys; its run is told by a tooltip and by `run_chosen`.
    """

    run_chosen = Signal(object)
    """The `PastRun` that was chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("base", parent=parent)
        self._runs: tuple[PastRun, ...] = ()
        self._course = Course(())
        self._current: int | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.show_runs(())

    @property
    def current(self) -> PastRun | None:
        return None if self._current is None else self._runs[self._current]

    def show_runs(self, runs: Sequence[PastRun]) -> None:
        """The runs of one rule at one place."""
        self._runs = tuple(sorted(runs, key=lambda run: run.time))
        self._course = Course.of(self._runs)
        self._current = None
        self.setAccessibleName(f"Drift by run: {self._course.words or 'no run counts yet'}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(80 * metrics().unit, 40 * metrics().unit)

    def minimumSizeHint(self) -> QSize:
        return QSize(40 * metrics().unit, 20 * metrics().unit)

    # -- where things are

    def _plot(self) -> QRectF:
        m = metrics()
        top, bottom = m.row + m.unit, m.row
        return QRectF(self.rect()).adjusted(3 * m.unit, top, -3 * m.unit, -bottom)

    def places(self) -> list[QPointF]:
        """The dot of each run, oldest first, in the widget's coordinates."""
        if not self._runs:
            return []
        plot = self._plot()
        moments = [run.time.timestamp() for run in self._runs]
        first, span = moments[0], moments[-1] - moments[0]
        highest = max(float(run.drift) for run in self._runs)
        return [
            QPointF(
                plot.left() + plot.width() * ((moment - first) / span if span else 0.5),
                plot.bottom() - plot.height() * (float(run.drift) / highest if highest else 0.0),
            )
            for moment, run in zip(moments, self._runs, strict=True)
        ]

    def _at(self, point: QPointF) -> int | None:
        """The run whose dot is at a point, the nearest where there are several."""
        reach = 2.0 * metrics().unit
        far = [(place - point).manhattanLength() for place in self.places()]
        nearest = min(range(len(far)), key=far.__getitem__, default=None)
        return nearest if nearest is not None and far[nearest] <= reach else None

    # -- choosing

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self._at(event.position()) if event.button() == Qt.MouseButton.LeftButton else None
        if found is not None:
            self._choose(found)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _KEYS.get(Qt.Key(event.key()))
        if step is None or not self._runs:
            super().keyPressEvent(event)
            return
        start = len(self._runs) if step < 0 else -1
        at = (start if self._current is None else self._current) + step
        self._choose(max(0, min(at, len(self._runs) - 1)))

    def _choose(self, at: int) -> None:
        self._current = at
        self.update()
        self._tell(at, self.mapToGlobal(self.places()[at].toPoint()))
        self.run_chosen.emit(self._runs[at])

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            found = self._at(QPointF(event.pos()))
            if found is None:
                QToolTip.hideText()
            else:
                self._tell(found, event.globalPos())
            return True
        return super().event(event)

    def _tell(self, at: int, where: QPoint) -> None:
        # Why a run was stopped may be in a service's words: escaped, so that nothing in them is markup.
        QToolTip.showText(where, f"<span>{escape(words_of(self._runs[at]))}</span>", self)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        p, t, m = QPainter(self), tokens(), metrics()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        plot, small = self._plot(), face("caption")
        words = self._course.words or "No run of the whole table has come to its end yet."
        line = QRectF(plot.left(), 0, plot.width(), m.row)
        draw_line(
            p,
            line,
            small.measure.elidedText(words, Qt.TextElideMode.ElideLeft, int(line.width())),
            small,
            t.color("text2"),
        )
        p.setPen(t.color("edge"))
        p.drawLine(plot.bottomLeft(), plot.bottomRight())
        p.setPen(t.color("line"))
        p.drawLine(plot.topLeft(), plot.topRight())
        if not self._runs:
            return
        below = QRectF(plot.left(), plot.bottom(), plot.width(), m.row)
        first, last = (f"{run.time:%Y-%m-%d}" for run in (self._runs[0], self._runs[-1]))
        draw_line(p, below, first, small, t.color("muted"))
        highest = max(self._runs, key=lambda run: run.drift)
        draw_line(p, QRectF(plot.left(), plot.top(), plot.width(), m.row), highest.drift_text, small, t.color("muted"))
        if last != first:
            width = small.measure.horizontalAdvance(last) + 2.0
            draw_line(p, QRectF(below.right() - width, below.top(), width, m.row), last, small, t.color("muted"))
        self._paint_dots(p)

    def _paint_dots(self, p: QPainter) -> None:
        t, radius = tokens(), metrics().unit * 0.9
        places = self.places()
        counted = [place for place, run in zip(places, self._runs, strict=True) if run.counts]
        p.setBrush(Qt.BrushStyle.NoBrush)
        p.setPen(QPen(t.color("fill"), 1.6))
        p.drawPolyline(QPolygonF(counted))
        for at, (place, run) in enumerate(zip(places, self._runs, strict=True)):
            p.setPen(QPen(t.color("fill" if run.counts else "slate"), 1.6))
            p.setBrush(t.color("fill" if run.counts else "base"))
            p.drawEllipse(place, radius, radius)
            if at == self._current:
                p.setBrush(Qt.BrushStyle.NoBrush)
                p.setPen(QPen(t.color("accent" if self.hasFocus() else "edge"), 2))
                p.drawEllipse(place, radius * 2, radius * 2)


def words_of(run: PastRun) -> str:
    """A run in one line, as its dot tells it."""
    why = f" (not counted: {run.why_not})" if run.why_not else ""
    return f"{run.time:%Y-%m-%d %H:%M} UTC: drift {run.drift_text}, {run.off:,} of {run.parents:,} off{why}"
