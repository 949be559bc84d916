"""A result as bars: which column, which rows, and what is painted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from dynodesk.domain.progress import Ticket
from dynodesk.ui import theme
from dynodesk.ui.models.result_model import ResultModel
from dynodesk.ui.pages.sql_chart import Bar, Bars, chart_of, ticks
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.results import run

ModelOf = Callable[[str], ResultModel]


@pytest.fixture
def model_of() -> Iterator[ModelOf]:
    with Bench.open() as bench:

        def model(text: str) -> ResultModel:
            (outcome,) = run(bench, text, Ticket())
            made = ResultModel()
            made.show_result(outcome.result)
            return made

        yield model


def test_the_last_numbers_are_shown_or_those_of_the_current_column(model_of: ModelOf) -> None:
    model = model_of("SELECT * FROM (VALUES (1, 'a', 10), (2, 'b', NULL)) AS v(n, word, m)")
    chart = chart_of(model, 1)
    assert chart is not None
    assert (chart.title, chart.note) == ("m by word", "2 rows")
    assert chart.bars == (Bar("a", "10"), Bar("b", "NULL"))
    other = chart_of(model, 0)
    assert other is not None
    assert other.title == "n by word"


def test_many_rows_are_cut_and_counted(model_of: ModelOf) -> None:
    chart = chart_of(model_of("SELECT 'x' || i AS x, i FROM range(1234) AS r(i)"), 0)
    assert chart is not None
    assert chart.note == "first 50 of 1,234 rows"
    assert [bar.label for bar in chart.bars[:2]] == ["x0", "x1"]


@pytest.mark.parametrize("text", ["SELECT 'a' AS a", "SELECT 1 AS n WHERE false"])
def test_without_numbers_there_is_no_chart(model_of: ModelOf, text: str) -> None:
    assert chart_of(model_of(text), 0) is None


def test_what_is_no_finite_number_has_no_length() -> None:
    assert [Bar("", number).length for number in ("NULL", "NaN", "Infinity", "-2.5", "1e400")] == [0, 0, 0, -2.5, 0]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 18, [0, 5, 10, 15]),
        (-2, 4, [-2, -1, 0, 1, 2, 3, 4]),
        (-100, 0, [-100, -50, 0]),
        (0, 0, [0]),
        (0, 1e300, [0, 5e299, 1e300]),
    ],
)
def test_ticks_are_round(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(expected)


def test_bars_go_both_ways_from_the_zero_line(qtbot: QtBot) -> None:
    bars = Bars()
    qtbot.addWidget(bars)
    bars.show_bars([Bar("up", "4"), Bar("down", "-2"), Bar("none", "NULL")])
    assert bars.accessibleName() == "up 4; down -2; none NULL"
    bars.resize(400, bars.height())
    picture = bars.grab().toImage()

    def painted(line: int, ink: QColor) -> list[int]:
        y = int((theme.metrics().unit + (line + 0.5) * theme.metrics().row) * picture.devicePixelRatio())
        return [x for x in range(picture.width()) if picture.pixelColor(x, y) == ink]

    up, down = painted(0, theme.LIGHT.color("fill")), painted(1, theme.LIGHT.color("control"))
    assert abs(len(up) - 2 * len(down)) <= 4
    assert abs(max(down) - min(up)) <= 2
    assert painted(2, theme.LIGHT.color("fill")) == painted(2, theme.LIGHT.color("control")) == []
