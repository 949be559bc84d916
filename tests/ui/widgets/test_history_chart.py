"""The curve of a rule's drift: where its dots are, what they say, and how one is chosen."""

from __future__ import annotations

from decimal import Decimal

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from dynodesk.domain.findings import VERDICTS
from dynodesk.domain.past_runs import PastRun, Where
from dynodesk.ui import theme
from dynodesk.ui.theme.tokens import Tokens
from dynodesk.ui.widgets.history_chart import HistoryChart, words_of

PLACE = Where("5e1f", "Social", "http://127.0.0.1:8000", "eu-west-1", "")


def run(day: int, drift: str, stopped: str | None = None) -> PastRun:
    verdicts = {**dict.fromkeys(VERDICTS, 0), "exact": 2}
    return PastRun(
        *(PLACE, "likes", str(day), f"2026-05-{day:02}T10:00:00Z", "whole table"),
        complete=stopped is None,
        stopped=stopped,
        parents=9,
        verdicts=verdicts,
        drift=Decimal(drift),
    )


RUNS = (run(3, "2936"), run(4, "5872"), run(5, "100", "the budget <b>is</b> spent"), run(7, "6606"))


@pytest.fixture
def chart(qtbot: QtBot) -> HistoryChart:
    made = HistoryChart()
    qtbot.addWidget(made)
    made.resize(480, 200)
    made.show()
    qtbot.waitExposed(made)
    return made


def test_time_runs_to_the_right_and_drift_upwards_from_zero(chart: HistoryChart) -> None:
    chart.show_runs((*RUNS[2:], *RUNS[:2]))
    places = chart.places()
    steps = [round(place.x() - places[0].x()) for place in places]
    assert steps == sorted(steps)
    assert steps[3] == pytest.approx(4 * steps[1], abs=2)
    heights = [chart.height() - place.y() for place in places]
    assert heights[3] > heights[1] > heights[0] > heights[2]
    zero = places[0].y() + (places[0].y() - places[1].y())  # 2936 is half of 5872
    assert zero == pytest.approx(chart._plot().bottom(), abs=1)
    assert chart.accessibleName() == "Drift by run: 2,936 on 3 May, 5,872 on 4 May, 6,606 on 7 May: growing"


def test_a_click_on_a_dot_chooses_its_run(chart: HistoryChart, qtbot: QtBot) -> None:
    chart.show_runs(RUNS)
    with qtbot.waitSignal(chart.run_chosen) as chosen:
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=chart.places()[2].toPoint() + QPoint(2, -2))
    assert chosen.args == [RUNS[2]]
    assert chart.current == RUNS[2]
    with qtbot.assertNotEmitted(chart.run_chosen):
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(chart.width() // 2, chart.height() - 1))


def test_the_arrow_keys_go_from_run_to_run(chart: HistoryChart) -> None:
    chart.show_runs(RUNS)
    chosen: list[PastRun] = []
    chart.run_chosen.connect(chosen.append)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Right):
        QTest.keyClick(chart, key)
    assert chosen == [RUNS[3], RUNS[2], RUNS[3], RUNS[3]]
    chart.show_runs(())
    QTest.keyClick(chart, Qt.Key.Key_Right)
    assert chart.current is None


def test_a_dot_tells_its_run_and_nothing_in_it_is_markup(chart: HistoryChart) -> None:
    chart.show_runs(RUNS)
    at = chart.places()[2].toPoint()
    QApplication.sendEvent(chart, QHelpEvent(QHelpEvent.Type.ToolTip, at, chart.mapToGlobal(at)))
    assert "drift 100, 2 of 9 off (not counted: partial: the budget &lt;b&gt;is&lt;/b&gt; spent)" in QToolTip.text()
    assert words_of(RUNS[0]) == "2026-05-03 10:00 UTC: drift 2,936, 2 of 9 off"
    QToolTip.hideText()


@pytest.mark.parametrize("scheme", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_runs_that_do_not_count_are_hollow_in_both_schemes(chart: HistoryChart, scheme: Tokens) -> None:
    QApplication.setPalette(theme.palette_of(scheme))
    chart.show_runs(RUNS)
    picture = chart.grab().toImage()

    def at(number: int) -> QColor:
        place = chart.places()[number] * picture.devicePixelRatio()
        return picture.pixelColor(place.toPoint())

    assert at(3) == scheme.color("fill")
    assert at(2) == scheme.color("base")


@pytest.mark.parametrize("drifts", [(), ("0",), ("0", "0"), ("9" * 38 + "0" * 88, "0.5")])
def test_any_history_is_painted(chart: HistoryChart, drifts: tuple[str, ...]) -> None:
    chart.show_runs([run(day, drift) for day, drift in enumerate(drifts, 3)])
    assert not chart.grab().isNull()
    assert all(chart.rect().contains(place.toPoint()) for place in chart.places())
